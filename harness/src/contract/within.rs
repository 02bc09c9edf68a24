//! Places within the values that a schema describes: where a keyword of a subschema applies.

use serde_json::Value;

/// One step down from a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Down {
    /// Into a field of a mapping.
    Field(String),
    /// Into every item of a list.
    Each,
}

/// The way from the whole value to a place in it.
pub(super) type Way = Vec<Down>;

/// Every subschema that applies without a condition and carries a keyword: the way to what it describes,
/// and the keyword's value.
pub(super) fn carrying<'s>(schema: &'s Value, keyword: &str) -> Vec<(Way, &'s Value)> {
    let holders = holders(schema, keyword).into_iter();
    holders.filter_map(|(way, at)| Some((way, schema.pointer(&at)?.get(keyword)?))).collect()
}

/// Every subschema that applies without a condition and carries a keyword: the way to what it describes,
/// and its own place in the schema.
pub(super) fn holders(schema: &Value, keyword: &str) -> Vec<(Way, String)> {
    let mut found = Vec::new();
    collect(schema, keyword, "", &mut Vec::new(), &mut found);
    found
}

fn collect(schema: &Value, keyword: &str, at: &str, way: &mut Way, found: &mut Vec<(Way, String)>) {
    if schema.get(keyword).is_some() {
        found.push((way.clone(), at.to_owned()));
    }
    for (name, below) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        way.push(Down::Field(name.clone()));
        collect(below, keyword, &format!("{at}/properties/{}", escaped(name)), way, found);
        way.pop();
    }
    if let Some(below) = schema.get("items") {
        way.push(Down::Each);
        collect(below, keyword, &format!("{at}/items"), way, found);
        way.pop();
    }
    for (index, below) in schema.get("allOf").and_then(Value::as_array).into_iter().flatten().enumerate() {
        collect(below, keyword, &format!("{at}/allOf/{index}"), way, found);
    }
}

/// Whether a JSON Pointer goes this way.
pub(super) fn leads_to(way: &[Down], pointer: &str) -> bool {
    let mut parts = pointer.split('/').skip(1);
    let same = way.iter().all(|down| match (down, parts.next()) {
        (Down::Field(name), Some(part)) => escaped(name) == part,
        (Down::Each, Some(part)) => part.bytes().all(|byte| byte.is_ascii_digit()),
        (_, None) => false,
    });
    same && parts.next().is_none()
}

/// Calls `at` for every value at the end of a way, with its JSON Pointer.
pub(super) fn each<'v>(value: &'v Value, way: &[Down], pointer: &str, at: &mut impl FnMut(&str, &'v Value)) {
    match way.split_first() {
        None => at(pointer, value),
        Some((Down::Field(name), rest)) => {
            if let Some(below) = value.get(name) {
                each(below, rest, &format!("{pointer}/{}", escaped(name)), at);
            }
        }
        Some((Down::Each, rest)) => {
            for (index, below) in value.as_array().into_iter().flatten().enumerate() {
                each(below, rest, &format!("{pointer}/{index}"), at);
            }
        }
    }
}

/// Like [`each`], for changing the values.
pub(super) fn each_mut(value: &mut Value, way: &[Down], pointer: &str, at: &mut impl FnMut(&str, &mut Value)) {
    match way.split_first() {
        None => at(pointer, value),
        Some((Down::Field(name), rest)) => {
            if let Some(below) = value.get_mut(name) {
                each_mut(below, rest, &format!("{pointer}/{}", escaped(name)), at);
            }
        }
        Some((Down::Each, rest)) => {
            for (index, below) in value.as_array_mut().into_iter().flatten().enumerate() {
                each_mut(below, rest, &format!("{pointer}/{index}"), at);
            }
        }
    }
}

/// A name as a JSON Pointer spells it.
pub(super) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_keyword_is_found_wherever_it_always_applies() {
        let schema = json!({
            "allOf": [{"properties": {"list": {"items": {"x-k": 1, "properties": {"a/b": {"x-k": 2}}}}}}],
            "if": {"properties": {"other": {"x-k": 3}}}
        });
        let value = json!({"list": [{"a/b": "p"}, {}]});
        let mut seen = Vec::new();
        for (way, keyword) in carrying(&schema, "x-k") {
            each(&value, &way, "", &mut |pointer, _| seen.push((keyword.as_i64().unwrap(), pointer.to_owned())));
        }
        assert_eq!(seen, [(1, "/list/0".to_owned()), (1, "/list/1".to_owned()), (2, "/list/0/a~1b".to_owned())]);
        let (way, at) = holders(&schema, "x-k").pop().unwrap();
        assert_eq!(schema.pointer(&at), Some(&json!({"x-k": 2})));
        assert!(leads_to(&way, "/list/17/a~1b"));
        assert!(["", "/list", "/list/17", "/list/x/a~1b", "/list/17/a~1b/0"].iter().all(|other| !leads_to(&way, other)));
    }
}
