//! What a schema says of one place: whether it describes it at all, and how much it leaves open.

use serde_json::Value;

/// What a schema says of one place in an instance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Says {
    /// It speaks of the place.
    pub(super) described: bool,
    /// The values are listed, or are `true` and `false`.
    pub(super) closed: bool,
    /// It may be a text, and nothing is said of how it is written.
    pub(super) free_text: bool,
}

impl Says {
    /// Of the place at a JSON Pointer, by an expanded schema. Every branch counts, whether it holds or not.
    pub(super) fn of(schema: &Value, pointer: &str) -> Self {
        let mut here = parts(schema);
        for part in pointer.split('/').skip(1) {
            let name = part.replace("~1", "/").replace("~0", "~");
            here = here.into_iter().flat_map(|schema| below(schema, &name)).flat_map(parts).collect();
        }
        let says = |keyword: &str| here.iter().any(|schema| schema.get(keyword).is_some());
        let is = |kind: &str| here.iter().any(|schema| types(schema).any(|named| named == kind));
        let closed = says("enum") || says("const") || is("boolean");
        Self { described: !here.is_empty(), closed, free_text: is("string") && !closed && !says("pattern") && !says("x-format") }
    }
}

/// A schema with everything in it that speaks of the same value.
fn parts(schema: &Value) -> Vec<&Value> {
    let lists = ["allOf", "anyOf", "oneOf"].iter().filter_map(|keyword| schema.get(keyword)?.as_array()).flatten();
    let branches = ["then", "else"].iter().filter_map(|keyword| schema.get(keyword));
    std::iter::once(schema).chain(lists.chain(branches).flat_map(parts)).collect()
}

/// What speaks of a field or an item of what a schema speaks of.
fn below<'s>(schema: &'s Value, name: &str) -> Vec<&'s Value> {
    let field = schema.get("properties").and_then(|properties| properties.get(name));
    let item = schema.get("items").filter(|_| name.parse::<usize>().is_ok());
    field.into_iter().chain(item).collect()
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
        let says = |pointer: &str| {
            let Says { described, closed, free_text } = Says::of(&schema, pointer);
            (described, closed, free_text)
        };
        assert_eq!(says("/message"), (true, false, true));
        assert_eq!(says("/state"), (true, true, false));
        assert_eq!(says("/fee"), (true, false, false));
        assert_eq!(says("/flag"), (true, true, false));
        assert_eq!(says("/items/3/a~1b"), (true, false, false));
        assert_eq!(says("/items/3/c"), (false, false, false));
        assert_eq!(says("/reason"), (true, false, true));
        assert_eq!(says("/only-if"), (false, false, false));
        assert_eq!(says(""), (true, false, false));
    }
}
