//! Uploaded records, by their identity.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};

use serde_json::{Map, Value};

use super::upload::Rejected;

/// A record that has an identity and a version.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StoredRecord {
    /// "The record identity is the client `id`": a text or an integer, as sent.
    pub(crate) id: Value,
    /// "A higher value replaces a lower one."
    pub(crate) sync_version: i64,
    /// All of it, in JSON.
    json: Box<str>,
}

/// The longest identity, in bytes.
const LONGEST_ID: usize = 256;

impl StoredRecord {
    /// Reads a record from its fields; where `versioned`, it has to carry a `syncVersion`.
    pub(crate) fn read(fields: &Map<String, Value>, versioned: bool) -> Result<Self, Rejected> {
        let id = fields.get("id").cloned().unwrap_or_default();
        let rejected = |error_message| Rejected { id: id.clone(), error_message };
        if !is_identity(&id) {
            return Err(rejected("id is a text of 1 to 256 bytes, or an integer"));
        }
        let sync_version = match fields.get("syncVersion") {
            Some(version) => version.as_i64().ok_or_else(|| rejected("syncVersion is an integer"))?,
            None if versioned => return Err(rejected("syncVersion is required")),
            None => 0,
        };
        let json = serde_json::to_string(fields).unwrap_or_default().into_boxed_str();
        Ok(Self { id, sync_version, json })
    }

    /// Its fields.
    pub(crate) fn fields(&self) -> Value {
        serde_json::from_str(&self.json).unwrap_or_default()
    }
}

fn is_identity(id: &Value) -> bool {
    match id {
        Value::String(text) => (1..=LONGEST_ID).contains(&text.len()),
        Value::Number(number) => number.is_i64() || number.is_u64(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
    }
}

/// The records of one kind of one device, in the order they first came. Kept as text, which takes the least room.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Records {
    /// The oldest first: forgetting one moves no other.
    ring: VecDeque<StoredRecord>,
    /// How many came before each record of an identity.
    earlier: HashMap<Box<str>, usize>,
    /// How many are not in the ring any more.
    forgotten: usize,
}

impl Records {
    /// "The server upserts by it. A record with a lower `syncVersion` than stored is dropped." Of those beyond `keep`, the
    /// oldest are forgotten.
    pub(crate) fn upsert(&mut self, record: StoredRecord, keep: Option<usize>) {
        match self.earlier.entry(record.id.to_string().into_boxed_str()) {
            Entry::Vacant(place) => {
                place.insert(self.forgotten + self.ring.len());
                self.ring.push_back(record);
            }
            Entry::Occupied(earlier) => {
                let stored = self.ring.get_mut(earlier.get().saturating_sub(self.forgotten));
                if let Some(stored) = stored.filter(|stored| record.sync_version >= stored.sync_version) {
                    *stored = record;
                }
            }
        }
        while keep.is_some_and(|keep| self.ring.len() > keep) {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        if let Some(oldest) = self.ring.pop_front() {
            self.earlier.remove(oldest.id.to_string().as_str());
            self.forgotten += 1;
        }
    }

    /// The record of this identity.
    pub(crate) fn find(&self, id: &Value) -> Option<&StoredRecord> {
        let earlier = self.earlier.get(id.to_string().as_str())?;
        self.ring.get(earlier.checked_sub(self.forgotten)?)
    }

    /// All records.
    pub(crate) fn list(&self) -> Vec<Value> {
        self.ring.iter().map(StoredRecord::fields).collect()
    }

    /// The number of records.
    pub(crate) fn len(&self) -> usize {
        self.ring.len()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn record(id: u8, sync_version: i64) -> StoredRecord {
        let fields = json!({ "id": id, "syncVersion": sync_version, "what": format!("{id}/{sync_version}") });
        StoredRecord::read(fields.as_object().unwrap(), true).unwrap()
    }

    fn stored(uploads: &[(u8, i64)]) -> BTreeMap<String, Value> {
        let mut records = Records::default();
        uploads.iter().for_each(|(id, version)| records.upsert(record(*id, *version), None));
        records.list().into_iter().map(|fields| (fields["id"].to_string(), fields)).collect()
    }

    proptest! {
        #[test]
        fn the_highest_version_stays_in_whatever_order_and_however_often_it_came(
            uploads in prop::collection::vec((0..4_u8, 0..5_i64), 0..20),
            order in any::<prop::sample::Index>(),
        ) {
            let highest = stored(&uploads);
            let mut otherwise = uploads.clone();
            otherwise.reverse();
            let middle = if otherwise.is_empty() { 0 } else { order.index(otherwise.len()) };
            otherwise.rotate_left(middle);
            prop_assert_eq!(&stored(&otherwise), &highest, "commutative");
            prop_assert_eq!(&stored(&[uploads.clone(), uploads.clone()].concat()), &highest, "idempotent");
            for (id, version) in uploads {
                prop_assert!(highest[&id.to_string()]["syncVersion"].as_i64().unwrap() >= version);
            }
        }
    }

    #[test]
    fn of_equal_versions_the_later_upload_stays() {
        let mut records = Records::default();
        for what in ["first", "second"] {
            let fields = json!({ "id": "a", "syncVersion": 1, "what": what });
            records.upsert(StoredRecord::read(fields.as_object().unwrap(), true).unwrap(), None);
        }
        assert_eq!(records.list()[0]["what"], "second");
    }

    #[test]
    fn the_oldest_are_forgotten_where_only_so_many_are_kept() {
        let mut records = Records::default();
        (0..5).for_each(|id| records.upsert(record(id, 1), Some(3)));
        let ids = |records: &Records| records.list().iter().map(|fields| fields["id"].clone()).collect::<Vec<_>>();
        assert_eq!(ids(&records), [json!(2), json!(3), json!(4)]);
        assert_eq!(records.find(&json!(1)), None);
        [3, 1].into_iter().for_each(|id| records.upsert(record(id, 2), Some(3)));
        assert_eq!(ids(&records), [json!(3), json!(4), json!(1)], "one that comes again is not newer, one that was forgotten is");
        records.upsert(record(5, 1), Some(1));
        assert_eq!((ids(&records), records.len()), (vec![json!(5)], 1));
    }

    #[test]
    fn a_record_needs_an_identity_and_a_version() {
        let why = |fields: Value| StoredRecord::read(fields.as_object().unwrap(), true).unwrap_err().error_message;
        for id in [json!(null), json!(""), json!(1.5), json!(true), json!([]), json!("x".repeat(257))] {
            assert!(why(json!({ "id": id, "syncVersion": 1 })).starts_with("id is"), "{id}");
        }
        assert!(why(json!({ "syncVersion": 1 })).starts_with("id is"));
        assert_eq!(why(json!({ "id": "a" })), "syncVersion is required");
        assert_eq!(why(json!({ "id": "a", "syncVersion": "1" })), "syncVersion is an integer");
        assert!(StoredRecord::read(json!({ "id": "a" }).as_object().unwrap(), false).is_ok());
    }

    #[test]
    fn a_text_and_a_number_are_different_identities() {
        let mut records = Records::default();
        for id in [json!("7"), json!(7)] {
            records.upsert(StoredRecord::read(json!({ "id": id, "syncVersion": 1 }).as_object().unwrap(), true).unwrap(), None);
        }
        assert_eq!(records.len(), 2);
    }
}
