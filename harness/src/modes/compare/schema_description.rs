//! How a schema describes one place: whether it does at all, and how much it leaves open.

use serde_json::Value;

use crate::spec::contract::describing;

/// How a schema describes one place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SchemaDescription {
    /// It describes the place.
    pub(super) described: bool,
    /// The values are listed, or are `true` and `false`.
    pub(super) closed: bool,
    /// It may be a text of any form.
    pub(super) free_text: bool,
}

impl SchemaDescription {
    /// Describes the place at a JSON Pointer by an expanded schema. Every branch counts, whether it applies or not.
    pub(super) fn at(schema: &Value, pointer: &str) -> Self {
        let here = describing(schema, pointer);
        let has = |keyword: &str| here.iter().any(|schema| schema.get(keyword).is_some());
        let is = |kind: &str| here.iter().any(|schema| types(schema).any(|named| named == kind));
        let closed = has("enum") || has("const") || is("boolean");
        Self { described: !here.is_empty(), closed, free_text: is("string") && !closed && !has("pattern") && !has("x-format") }
    }
}

fn types(schema: &Value) -> impl Iterator<Item = &str> {
    let own = schema.get("type");
    let listed = own.and_then(Value::as_array).into_iter().flatten();
    own.into_iter().chain(listed).filter_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_place_is_found_through_lists_and_branches() {
        let schema = json!({
            "properties": {
                "message": { "type": "string" },
                "state": { "type": "string", "enum": ["A", "B"] },
                "fee": { "type": ["string", "null"], "pattern": "^[0-9]+$" },
                "flag": { "type": "boolean" },
                "items": { "type": "array", "items": { "properties": { "a/b": { "type": "integer" } } } }
            },
            "if": { "properties": { "only-if": {} } },
            "then": { "allOf": [{ "properties": { "reason": { "type": "string" } } }] }
        });
        let described = |pointer: &str| {
            let SchemaDescription { described, closed, free_text } = SchemaDescription::at(&schema, pointer);
            (described, closed, free_text)
        };
        assert_eq!(described("/message"), (true, false, true));
        assert_eq!(described("/state"), (true, true, false));
        assert_eq!(described("/fee"), (true, false, false));
        assert_eq!(described("/flag"), (true, true, false));
        assert_eq!(described("/items/3/a~1b"), (true, false, false));
        assert_eq!(described("/items/3/c"), (false, false, false));
        assert_eq!(described("/reason"), (true, false, true));
        assert_eq!(described("/only-if"), (false, false, false));
        assert_eq!(described(""), (true, false, false));
    }
}
