//! Which parts of a schema speak of a place in an instance, whether they apply to it or not.

use serde_json::Value;

/// All subschemas that describe the value at a JSON Pointer, through every keyword that applies a schema.
pub(super) fn describing<'s>(schema: &'s Value, pointer: &str) -> Vec<&'s Value> {
    let mut here = alike(schema);
    for part in pointer.split('/').skip(1) {
        let name = part.replace("~1", "/").replace("~0", "~");
        here = here.into_iter().flat_map(|schema| below(schema, &name)).flat_map(alike).collect();
    }
    here
}

/// A schema and those that speak of the same value.
fn alike(schema: &Value) -> Vec<&Value> {
    let lists = ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|keyword| schema.get(keyword)?.as_array()).flatten();
    // Of a text that stands for a file, what the file says stands in its place.
    let branches = ["then", "else", "contentSchema"].into_iter().filter_map(|keyword| schema.get(keyword));
    let parts = lists.chain(branches).flat_map(alike);
    std::iter::once(schema).chain(parts).collect()
}

fn below<'s>(schema: &'s Value, name: &str) -> Vec<&'s Value> {
    let property = schema.get("properties").and_then(|properties| properties.get(name));
    let is_item = name.parse::<usize>().is_ok();
    let item = schema.get("items").filter(|_| is_item);
    let contained = schema.get("contains").filter(|_| is_item);
    let further = schema.get("additionalProperties").filter(|further| property.is_none() && further.is_object());
    property.into_iter().chain(item).chain(contained).chain(further).collect()
}

/// The clauses that a subschema itself carries.
pub(crate) fn clauses_in(schema: &Value) -> Vec<String> {
    let mut clauses = Vec::new();
    clauses.extend(schema.get("x-clause").and_then(Value::as_str).map(str::to_owned));
    for named in schema.get("x-clauses").and_then(Value::as_object).into_iter().flat_map(|named| named.values()) {
        match named {
            Value::String(clause) => clauses.push(clause.clone()),
            Value::Object(by_field) => clauses.extend(by_field.values().filter_map(Value::as_str).map(str::to_owned)),
            _ => {}
        }
    }
    clauses
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_keyword_that_applies_a_schema_is_followed() {
        let schema = json!({
            "properties": {"a": {"x-clause": "one"}},
            "allOf": [{"if": {}, "then": {"properties": {"a": {"x-clause": "two"}}}}],
            "anyOf": [{"properties": {"b": {"items": {"x-clauses": {"type": "three", "required": {"c": "four"}}}}}}],
        });
        let said = |pointer: &str| describing(&schema, pointer).into_iter().flat_map(clauses_in).collect::<Vec<_>>();
        assert_eq!(said("/a"), ["one", "two"]);
        assert_eq!(said("/b/3"), ["three", "four"]);
        assert_eq!(said("/c"), Vec::<String>::new());
    }
}
