//! `x-unique`: the field by which the items of a list are told apart. JSON Schema's `uniqueItems` compares whole items, so it lets
//! two records with one identifier pass.

use std::collections::HashSet;

use jsonschema::paths::Location;
use jsonschema::{Keyword, ValidationError};
use serde_json::{Map, Value};

/// The name of the keyword.
pub(super) const UNIQUE: &str = "x-unique";

/// The field that no two items of a list share.
struct Unique {
    field: String,
}

/// Compiles the keyword for the validator.
pub(super) fn compile<'a>(
    _: &'a Map<String, Value>,
    value: &'a Value,
    _: Location,
) -> Result<Box<dyn for<'i> Keyword<'i>>, ValidationError<'a>> {
    let field = value.as_str().ok_or_else(|| ValidationError::custom("`x-unique` is the name of a field"))?;
    Ok(Box::new(Unique { field: field.to_owned() }))
}

impl Unique {
    /// The first value that two items have. An item without the field, and a value that is no list, are left to other keywords.
    fn repeated<'i>(&self, instance: &'i Value) -> Option<&'i Value> {
        let items = instance.as_array().into_iter().flatten();
        let mut seen = HashSet::new();
        items.filter_map(|item| item.get(&self.field)).find(|value| !seen.insert(*value))
    }
}

impl<'i> Keyword<'i> for Unique {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        match self.repeated(instance) {
            Some(value) => Err(ValidationError::custom(format!("two items have the same `{}`: {value}", self.field))),
            None => Ok(()),
        }
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        self.repeated(instance).is_none()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    fn is_valid(instance: &Value) -> bool {
        super::super::validator::compile(&json!({ "type": "array", "x-unique": "id" })).unwrap().is_valid(instance)
    }

    #[test]
    fn no_two_items_share_the_field() {
        assert!(is_valid(&json!([{ "id": 1, "name": "A" }, { "id": 2, "name": "A" }])));
        assert!(!is_valid(&json!([{ "id": 1, "name": "A" }, { "id": 2 }, { "id": 1, "name": "B" }])));
    }

    #[test]
    fn items_without_the_field_are_left_to_other_keywords() {
        assert!(is_valid(&json!([{ "name": "A" }, { "name": "A" }, 7])));
    }

    #[test]
    fn a_keyword_that_names_no_field_is_a_mistake() {
        assert!(super::super::validator::compile(&json!({ "x-unique": true })).is_err());
    }
}
