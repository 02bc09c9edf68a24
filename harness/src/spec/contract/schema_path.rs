//! Places within the values that a schema describes: where a keyword of a subschema applies.

use serde_json::Value;

use super::schema_walk::{self, Applies, Part, Subschema};
use crate::base::pointer;

/// One step from a value into a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PathStep {
    /// Into a field of a mapping.
    Field(String),
    /// Into every field of a mapping but these.
    OtherFields(Vec<String>),
    /// Into one item of a list.
    Item(usize),
    /// Into every item of a list from this one on.
    EachItem(usize),
}

impl PathStep {
    /// The step into the part that a subschema of `schema` describes; none if that is the same value.
    pub(super) fn into_part(schema: &Value, sub: &Subschema<'_>) -> Option<Self> {
        match sub.by.part {
            Part::Same => None,
            Part::Field => Some(Self::Field(sub.name.to_owned())),
            Part::OtherField => {
                let named = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
                Some(Self::OtherFields(named.map(|(name, _)| name.clone()).collect()))
            }
            Part::ItemAt => Some(Self::Item(sub.index)),
            Part::Item => Some(Self::EachItem(schema_walk::prefix_length(schema))),
            Part::SomeItem => Some(Self::EachItem(0)),
        }
    }

    /// Calls `at` for every value that the step leads to.
    pub(super) fn each<'v>(&self, value: &'v Value, at: &mut impl FnMut(&'v Value)) {
        match self {
            Self::Field(name) => value.as_object().and_then(|fields| fields.get(name)).into_iter().for_each(at),
            Self::OtherFields(named) => {
                let fields = value.as_object().into_iter().flatten();
                fields.filter(|(name, _)| !named.contains(name)).for_each(|(_, below)| at(below));
            }
            Self::Item(index) => value.as_array().and_then(|items| items.get(*index)).into_iter().for_each(at),
            Self::EachItem(from) => value.as_array().into_iter().flatten().skip(*from).for_each(at),
        }
    }

    /// Whether the step leads to the part that a token of a JSON Pointer names.
    fn leads_to(&self, token: &str) -> bool {
        match self {
            Self::Field(name) => pointer::escaped(name) == token,
            Self::OtherFields(named) => !named.iter().any(|name| pointer::escaped(name) == token),
            Self::Item(index) => token.parse() == Ok(*index),
            Self::EachItem(from) => pointer::is_index(token) && token.parse::<usize>().is_ok_and(|index| index >= *from),
        }
    }
}

/// The path from the whole value to a place in it.
pub(super) type SchemaPath = Vec<PathStep>;

/// Every unconditional subschema with a keyword: the path to the value it describes, and the keyword's value.
pub(super) fn carrying<'s>(schema: &'s Value, keyword: &str) -> Vec<(SchemaPath, &'s Value)> {
    let holders = holders(schema, keyword).into_iter();
    holders.filter_map(|(path, at)| Some((path, schema.pointer(&at)?.get(keyword)?))).collect()
}

/// Every unconditional subschema with a keyword: the path to the value it describes, and its own place in the schema.
pub(super) fn holders(schema: &Value, keyword: &str) -> Vec<(SchemaPath, String)> {
    let mut found = Vec::new();
    collect(schema, keyword, "", &mut Vec::new(), &mut found);
    found
}

fn collect(schema: &Value, keyword: &str, at: &str, path: &mut SchemaPath, found: &mut Vec<(SchemaPath, String)>) {
    if schema.get(keyword).is_some() {
        found.push((path.clone(), at.to_owned()));
    }
    for sub in schema_walk::subschemas(schema).filter(|sub| sub.by.applies == Applies::Always) {
        let above = path.len();
        path.extend(PathStep::into_part(schema, &sub));
        collect(sub.schema, keyword, &sub.pointer(at), path, found);
        path.truncate(above);
    }
}

/// Whether a JSON Pointer follows this path.
pub(super) fn matches_pointer(path: &[PathStep], pointer: &str) -> bool {
    let mut tokens = pointer::tokens(pointer);
    path.iter().all(|step| tokens.next().is_some_and(|token| step.leads_to(token))) && tokens.next().is_none()
}

/// Calls `at` for every value at the end of a path, with its JSON Pointer.
pub(super) fn visit<'v>(value: &'v Value, path: &[PathStep], pointer: &str, at: &mut impl FnMut(&str, &'v Value)) {
    let Some((step, rest)) = path.split_first() else { return at(pointer, value) };
    match step {
        PathStep::Field(name) => {
            if let Some(below) = value.get(name) {
                visit(below, rest, &pointer::field(pointer, name), at);
            }
        }
        PathStep::OtherFields(named) => {
            for (name, below) in value.as_object().into_iter().flatten().filter(|(name, _)| !named.contains(name)) {
                visit(below, rest, &pointer::field(pointer, name), at);
            }
        }
        PathStep::Item(index) => {
            if let Some(below) = value.as_array().and_then(|items| items.get(*index)) {
                visit(below, rest, &pointer::item(pointer, *index), at);
            }
        }
        PathStep::EachItem(from) => {
            for (index, below) in value.as_array().into_iter().flatten().enumerate().skip(*from) {
                visit(below, rest, &pointer::item(pointer, index), at);
            }
        }
    }
}

/// Like [`visit`], for changing the values.
pub(super) fn visit_mut(value: &mut Value, path: &[PathStep], pointer: &str, at: &mut impl FnMut(&str, &mut Value)) {
    let Some((step, rest)) = path.split_first() else { return at(pointer, value) };
    match step {
        PathStep::Field(name) => {
            if let Some(below) = value.get_mut(name) {
                visit_mut(below, rest, &pointer::field(pointer, name), at);
            }
        }
        PathStep::OtherFields(named) => {
            for (name, below) in value.as_object_mut().into_iter().flatten().filter(|(name, _)| !named.contains(name)) {
                visit_mut(below, rest, &pointer::field(pointer, name), at);
            }
        }
        PathStep::Item(index) => {
            if let Some(below) = value.as_array_mut().and_then(|items| items.get_mut(*index)) {
                visit_mut(below, rest, &pointer::item(pointer, *index), at);
            }
        }
        PathStep::EachItem(from) => {
            for (index, below) in value.as_array_mut().into_iter().flatten().enumerate().skip(*from) {
                visit_mut(below, rest, &pointer::item(pointer, index), at);
            }
        }
    }
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
        for (path, keyword) in carrying(&schema, "x-k") {
            visit(&value, &path, "", &mut |pointer, _| seen.push((keyword.as_i64().unwrap(), pointer.to_owned())));
        }
        assert_eq!(seen, [(1, "/list/0".to_owned()), (1, "/list/1".to_owned()), (2, "/list/0/a~1b".to_owned())]);
        let (path, at) = holders(&schema, "x-k").pop().unwrap();
        assert_eq!(schema.pointer(&at), Some(&json!({"x-k": 2})));
        assert!(matches_pointer(&path, "/list/17/a~1b"));
        assert!(["", "/list", "/list/17", "/list/x/a~1b", "/list/17/a~1b/0"].iter().all(|other| !matches_pointer(&path, other)));
    }

    #[test]
    fn every_keyword_that_always_applies_leads_to_its_part() {
        for by in &schema_walk::APPLICATORS {
            let (schema, value, pointer) = schema_walk::holding(by, &json!({"x-k": 1}), &json!("p"));
            let mut seen = Vec::new();
            for (path, _) in carrying(&schema, "x-k") {
                assert!(matches_pointer(&path, pointer), "{}", by.keyword);
                visit(&value, &path, "", &mut |pointer, value| seen.push((pointer.to_owned(), value.clone())));
                let mut changed = value.clone();
                visit_mut(&mut changed, &path, "", &mut |_, value| *value = json!("q"));
                assert_eq!(changed.pointer(pointer), Some(&json!("q")), "{}", by.keyword);
            }
            let expected = if by.applies == Applies::Always { vec![(pointer.to_owned(), json!("p"))] } else { vec![] };
            assert_eq!(seen, expected, "{}", by.keyword);
        }
    }
}
