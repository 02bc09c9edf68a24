//! `x-adds-up`: a total and the fields that it is the sum of.

use serde_json::{Map, Value};

use super::amount_format::AmountFormat;
use crate::base::pointer::CompiledPointer;
use crate::wire::exchange::SchemaFault;

/// A total and its terms.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sum {
    total: CompiledPointer,
    plus: Vec<CompiledPointer>,
    minus: Vec<CompiledPointer>,
    /// The list whose items are added up; none = the terms are beside the total.
    each: Option<CompiledPointer>,
    only: Map<String, Value>,
    except: Map<String, Value>,
    reading: AmountFormat,
    clause: String,
}

/// A mistake in an `x-adds-up`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum SumError {
    #[error("an `x-adds-up` is a mapping")]
    NoMapping,
    #[error("`{key}` is no key of `x-adds-up`; there are {}", KEYS.join(", "))]
    UnknownKey { key: String },
    #[error("an `x-adds-up` needs `{0}`")]
    Missing(&'static str),
    #[error("`{name}` is none of {}", AmountFormat::NAMES.join(", "))]
    UnknownNumber { name: String },
}

const KEYS: [&str; 8] = ["total", "plus", "minus", "each", "where", "where-not", "number", "clause"];

impl Sum {
    /// Reads one rule. The error says what is wrong with it.
    pub(super) fn parse(value: &Value) -> Result<Self, SumError> {
        let map = value.as_object().ok_or(SumError::NoMapping)?;
        if let Some(key) = map.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(SumError::UnknownKey { key: key.clone() });
        }
        let text = |key: &str| map.get(key).and_then(Value::as_str).map(str::to_owned);
        let need = |key: &'static str| text(key).ok_or(SumError::Missing(key));
        let list = |key: &str| {
            map.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).map(CompiledPointer::new).collect()
        };
        let filter = |key: &str| map.get(key).and_then(Value::as_object).cloned().unwrap_or_default();
        let number = text("number").unwrap_or_else(|| "integer".to_owned());
        let reading = AmountFormat::named(&number).ok_or(SumError::UnknownNumber { name: number })?;
        Ok(Self {
            total: CompiledPointer::new(&need("total")?),
            plus: list("plus"),
            minus: list("minus"),
            each: text("each").as_deref().map(CompiledPointer::new),
            only: filter("where"),
            except: filter("where-not"),
            reading,
            clause: need("clause")?,
        })
    }

    /// The clause of the rule.
    pub(super) fn clause(&self) -> &str {
        &self.clause
    }

    /// The path from the value with the total to the list that is added up, if any.
    pub(super) fn list(&self) -> Option<&[String]> {
        self.each.as_ref().map(CompiledPointer::names)
    }

    /// Returns the violation of the rule, if any; a missing or non-numeric term is left to its own rules. Returns none if the
    /// rule cannot be applied. `more` is the sum of those items of the list at a pointer that are not in the value.
    pub(super) fn fault(&self, at: &str, value: &Value, more: impl Fn(&str) -> Option<i64>) -> Option<Result<(), Box<SchemaFault>>> {
        let total = self.number(value, &self.total)?;
        let expected = match &self.each {
            None => self.terms(value)?,
            Some(list) => {
                let items = list.find(value)?.as_array()?;
                items.iter().try_fold(more(list.as_str())?, |sum, item| sum.checked_add(self.share(item)?))?
            }
        };
        if total == expected {
            return Some(Ok(()));
        }
        Some(Err(Box::new(SchemaFault {
            keyword: "x-adds-up".to_owned(),
            instance: format!("{at}{}", self.total.as_str()),
            contract: String::new(),
            clause: Some(self.clause.clone()),
            expected: expected.into(),
            got: total.into(),
            message: format!("`{}` is not {} (in minor units)", name(&self.total), self.in_words()),
            assumed: None,
        })))
    }

    /// The share of an item in the total; none if a term is missing.
    pub(super) fn share(&self, item: &Value) -> Option<i64> {
        if self.counts(item) { self.terms(item) } else { Some(0) }
    }

    fn number(&self, value: &Value, pointer: &CompiledPointer) -> Option<i64> {
        self.reading.minor_units(pointer.find(value)?)
    }

    fn terms(&self, value: &Value) -> Option<i64> {
        let plus = self.plus.iter().try_fold(0_i64, |sum, term| sum.checked_add(self.number(value, term)?))?;
        self.minus.iter().try_fold(plus, |sum, term| sum.checked_sub(self.number(value, term)?))
    }

    fn counts(&self, item: &Value) -> bool {
        let is_one_of = |field: &str, wanted: &Value| {
            let value = item.get(field).unwrap_or(&Value::Null);
            wanted.as_array().map_or(wanted == value, |list| list.contains(value))
        };
        self.only.iter().all(|(field, wanted)| is_one_of(field, wanted))
            && !self.except.iter().any(|(field, wanted)| is_one_of(field, wanted))
    }

    fn in_words(&self) -> String {
        let plus = self.plus.iter().map(|term| format!("`{}`", name(term))).collect::<Vec<_>>().join(" + ");
        let minus: String = self.minus.iter().map(|term| format!(" − `{}`", name(term))).collect();
        match &self.each {
            None => format!("{plus}{minus}"),
            Some(list) => format!("the sum of {plus}{minus} over `{}`", name(list)),
        }
    }
}

/// A pointer in the words of a reader.
fn name(pointer: &CompiledPointer) -> &str {
    pointer.as_str().trim_start_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Whether the rule could be applied; where the total is wrong, with what it should be and is.
    fn fault(rule: Value, value: Value) -> Option<Option<(String, Value, Value)>> {
        let rule = Sum::parse(&rule).unwrap();
        rule.fault("/at", &value, |_| Some(0)).map(|verdict| verdict.err().map(|fault| (fault.instance, fault.expected, fault.got)))
    }

    #[test]
    fn a_total_beside_its_terms() {
        let rule = json!({"total": "t", "plus": ["a", "b"], "minus": ["c"], "number": "comma", "clause": "x"});
        assert_eq!(fault(rule.clone(), json!({"t": "2,00", "a": "1,50", "b": "1,00", "c": "0,50"})), Some(None));
        let wrong = fault(rule.clone(), json!({"t": "2,01", "a": "1,50", "b": "1,00", "c": "0,50"}));
        assert_eq!(wrong, Some(Some(("/at/t".into(), json!(200), json!(201)))));
        assert_eq!(fault(rule, json!({"t": "2,00", "a": "1,50"})), None, "a missing term is not judged here");
    }

    #[test]
    fn a_total_of_a_list() {
        let rule = json!({"total": "/h/t", "each": "/items", "plus": ["a"], "where": {"k": ["2"]}, "clause": "x"});
        let value = |total: i64| json!({"h": {"t": total}, "items": [{"k": "2", "a": 3}, {"k": "1", "a": 9}, {"k": "2", "a": "4"}]});
        assert_eq!(fault(rule.clone(), value(7)), Some(None));
        assert!(fault(rule.clone(), value(16)).unwrap().is_some());
        let rule = Sum::parse(&rule).unwrap();
        assert_eq!(rule.fault("", &value(12), |list| (list == "/items").then_some(5)), Some(Ok(())), "5 are in items that are not kept");
        assert_eq!(rule.fault("", &value(12), |_| None), None, "one of them has no amount");
    }

    #[test]
    fn a_mistake_in_a_rule_is_reported() {
        assert!(Sum::parse(&json!({"totl": "t"})).unwrap_err().to_string().contains("totl"));
        assert!(Sum::parse(&json!({"total": "t"})).unwrap_err().to_string().contains("clause"));
        assert!(Sum::parse(&json!({"total": "t", "clause": "x", "number": "euro"})).unwrap_err().to_string().contains("comma"));
    }
}
