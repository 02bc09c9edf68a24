//! The item catalog of an organization. The fields of an item are not shown; here an item has an `id` and a `version`,
//! and the other fields it was stocked with.

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::{Map, Value};

/// The items, by their identity.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Catalog {
    catalog_version: i64,
    #[serde(serialize_with = "in_order")]
    items: IndexMap<String, Map<String, Value>>,
}

fn in_order<S: serde::Serializer>(items: &IndexMap<String, Map<String, Value>>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(items.values())
}

impl Catalog {
    /// "Highest item version in the device catalog."
    pub(crate) const fn version(&self) -> i64 {
        self.catalog_version
    }

    /// Adds items, or replaces those of the same `id`. Each gets the next version; one without an `id` gets its version
    /// for one.
    pub(crate) fn stock(&mut self, items: Vec<Map<String, Value>>) {
        for mut item in items {
            self.catalog_version += 1;
            item.insert("version".to_owned(), self.catalog_version.into());
            let id = item.entry("id").or_insert_with(|| self.catalog_version.into()).to_string();
            self.items.insert(id, item);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn item(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn the_version_is_the_highest_of_the_items() {
        let mut catalog = Catalog::default();
        assert_eq!(json!(catalog), json!({ "catalogVersion": 0, "items": [] }));
        catalog.stock(vec![item(json!({ "id": "coffee", "price": 4500 })), item(json!({ "name": "tea" }))]);
        catalog.stock(vec![item(json!({ "id": "coffee", "price": 4900 }))]);
        assert_eq!(
            json!(catalog),
            json!({
                "catalogVersion": 3,
                "items": [{ "id": "coffee", "price": 4900, "version": 3 }, { "name": "tea", "id": 2, "version": 2 }],
            })
        );
    }
}
