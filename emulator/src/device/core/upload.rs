//! Batches of records. Their field lists are not shown: besides the document's rules for single fields, a batch is the array
//! named after its kind, or the only array in the body.

use serde::Serialize;
use serde_json::Value;

use super::Refusal;

/// The records of an upload, and the envelope around them.
#[derive(Debug, PartialEq)]
pub(crate) struct Upload {
    /// The rest of the body; a bare array has none.
    pub(crate) envelope: Value,
    /// The records as sent.
    pub(crate) records: Vec<Value>,
}

impl Upload {
    /// Finds the records in a body.
    pub(crate) fn read(mut body: Value, name: &str) -> Result<Self, Refusal> {
        let records = match &mut body {
            Value::Array(records) => Some(std::mem::take(records)),
            Value::Object(fields) => {
                let found = if fields.get(name).is_some_and(Value::is_array) {
                    fields.get_mut(name)
                } else {
                    only_one(fields.values_mut().filter(|value| value.is_array()))
                };
                found.and_then(Value::as_array_mut).map(std::mem::take)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        };
        let records = records.ok_or_else(|| Refusal::invalid(format!("the body holds an array `{name}`")))?;
        Ok(Self { envelope: body, records })
    }

    /// Puts the last records before the others, as many as are processed.
    pub(crate) fn end_first(&mut self, most: usize) {
        let before = self.records.len().saturating_sub(most);
        self.records.rotate_left(before);
    }

    /// The records that are not processed, where they are listed as rejected.
    pub(crate) fn beyond(&self, most: usize) -> Vec<Rejected> {
        let id = |record: &Value| record.get("id").cloned().unwrap_or_default();
        self.records.iter().skip(most).map(|record| Rejected { id: id(record), error_message: "beyond the limit of a batch" }).collect()
    }
}

fn only_one<T>(mut all: impl Iterator<Item = T>) -> Option<T> {
    let first = all.next();
    if all.next().is_none() { first } else { None }
}

/// The result of an upload. "Mark as synchronized only the ids in `accepted`."
#[derive(Debug, Default, PartialEq, Serialize)]
pub(crate) struct UploadReceipt {
    /// Identities as sent.
    pub(crate) accepted: Vec<Value>,
    pub(crate) rejected: Vec<Rejected>,
    /// "True when more than the limit was sent and only the limit was processed."
    pub(crate) truncated: bool,
}

/// A record that was not taken.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Rejected {
    /// Its identity, as far as there is one.
    pub(crate) id: Value,
    /// Why, for humans.
    pub(crate) error_message: &'static str,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_records_are_the_named_array_or_the_only_one() {
        for body in [json!([1, 2]), json!({ "transactions": [1, 2], "tags": [] }), json!({ "items": [1, 2], "requestId": 7 })] {
            assert_eq!(Upload::read(body.clone(), "transactions").unwrap().records, [json!(1), json!(2)], "{body}");
        }
        assert_eq!(Upload::read(json!({ "items": [], "requestId": 7 }), "logs").unwrap().envelope["requestId"], 7);
    }

    #[test]
    fn the_end_of_a_batch_comes_first() {
        for (most, order) in [(2, json!([2, 3, 1])), (3, json!([1, 2, 3])), (50, json!([1, 2, 3]))] {
            let mut upload = Upload::read(json!([1, 2, 3]), "transactions").unwrap();
            upload.end_first(most);
            assert_eq!(json!(upload.records), order, "{most}");
        }
    }

    #[test]
    fn what_is_beyond_the_limit_can_be_listed() {
        let upload = Upload::read(json!([{ "id": "a" }, { "id": "b" }, 3]), "transactions").unwrap();
        let ids = |most| upload.beyond(most).into_iter().map(|rejected| rejected.id).collect::<Vec<_>>();
        assert_eq!((ids(1), ids(3)), (vec![json!("b"), json!(null)], vec![]));
    }

    #[test]
    fn anything_else_is_no_batch() {
        for body in [json!({}), json!({ "a": [], "b": [] }), json!(null), json!("text"), json!({ "transactions": {} })] {
            assert!(Upload::read(body.clone(), "transactions").is_err(), "{body}");
        }
    }
}
