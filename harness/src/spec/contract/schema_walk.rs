//! The one walk over schemas: which keywords hold subschemas, what those describe, and when they apply.
//!
//! Every module that looks into a schema uses it, so that a keyword is known to all or to none. A keyword that is not in
//! [`APPLICATORS`] is refused when a schema is read.

use std::collections::HashSet;

use serde_json::Value;

use crate::base::pointer;

/// A keyword that holds subschemas.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Applicator {
    /// The keyword.
    pub(super) keyword: &'static str,
    /// How it holds them.
    pub(super) shape: Shape,
    /// What they describe.
    pub(super) part: Part,
    /// When they describe it.
    pub(super) applies: Applies,
}

/// How a keyword holds its subschemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// One subschema.
    One,
    /// A list of subschemas.
    List,
    /// A mapping from names to subschemas.
    Map,
}

/// The value that a subschema describes, relative to that of its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The same value.
    Same,
    /// The field of the same name.
    Field,
    /// Every field that `properties` does not name.
    OtherField,
    /// The item of the same index.
    ItemAt,
    /// Every item that `prefixItems` does not describe.
    Item,
    /// Some items.
    SomeItem,
}

/// When a subschema describes its part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Applies {
    /// Always.
    Always,
    /// If the part conforms to it.
    WhereItHolds,
    /// After the `if` beside it: if that holds, or if it does not.
    AfterIf(bool),
    /// Never: it is a condition for others.
    Asked,
    /// To the decoded content of a text, which replaces the text.
    Decoded,
}

impl Applies {
    /// Whether the subschema describes any values at all.
    fn describes(self) -> bool {
        self != Self::Asked
    }
}

const fn applicator(keyword: &'static str, shape: Shape, part: Part, applies: Applies) -> Applicator {
    Applicator { keyword, shape, part, applies }
}

/// Every keyword that holds subschemas.
pub(super) const APPLICATORS: [Applicator; 13] = [
    applicator("properties", Shape::Map, Part::Field, Applies::Always),
    applicator("additionalProperties", Shape::One, Part::OtherField, Applies::Always),
    applicator("items", Shape::One, Part::Item, Applies::Always),
    applicator("prefixItems", Shape::List, Part::ItemAt, Applies::Always),
    applicator("contains", Shape::One, Part::SomeItem, Applies::WhereItHolds),
    applicator("allOf", Shape::List, Part::Same, Applies::Always),
    applicator("anyOf", Shape::List, Part::Same, Applies::WhereItHolds),
    applicator("oneOf", Shape::List, Part::Same, Applies::WhereItHolds),
    applicator("if", Shape::One, Part::Same, Applies::Asked),
    applicator("then", Shape::One, Part::Same, Applies::AfterIf(true)),
    applicator("else", Shape::One, Part::Same, Applies::AfterIf(false)),
    applicator("not", Shape::One, Part::Same, Applies::Asked),
    applicator("contentSchema", Shape::One, Part::Same, Applies::Decoded),
];

/// The applicator of a keyword, if it is one.
pub(super) fn applicator_of(keyword: &str) -> Option<&'static Applicator> {
    APPLICATORS.iter().find(|applicator| applicator.keyword == keyword)
}

/// A subschema and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subschema<'s> {
    /// The keyword that holds it.
    pub(super) by: &'static Applicator,
    /// Its name in a mapping.
    pub(super) name: &'s str,
    /// Its place in a list.
    pub(super) index: usize,
    /// The subschema.
    pub(super) schema: &'s Value,
}

impl Subschema<'_> {
    /// Its JSON Pointer, given that of the surrounding schema, `outer`.
    pub(super) fn pointer(&self, outer: &str) -> String {
        let holder = pointer::field(outer, self.by.keyword);
        match self.by.shape {
            Shape::One => holder,
            Shape::List => pointer::item(&holder, self.index),
            Shape::Map => pointer::field(&holder, self.name),
        }
    }
}

/// The direct subschemas of a schema, in the order of [`APPLICATORS`].
pub(super) fn subschemas(schema: &Value) -> impl Iterator<Item = Subschema<'_>> {
    APPLICATORS.iter().flat_map(|by| held_by(by, schema))
}

/// The direct subschemas of a schema that one keyword holds.
pub(super) fn held_by<'s>(by: &'static Applicator, schema: &'s Value) -> impl Iterator<Item = Subschema<'s>> {
    let held = schema.get(by.keyword);
    let (one, list, map) = match by.shape {
        Shape::One => (held, None, None),
        Shape::List => (None, held.and_then(Value::as_array), None),
        Shape::Map => (None, None, held.and_then(Value::as_object)),
    };
    let found = move |name, index, schema| Subschema { by, name, index, schema };
    let one = one.map(|schema| found("", 0, schema));
    let listed = list.into_iter().flatten().enumerate().map(move |(index, schema)| found("", index, schema));
    let named = map.into_iter().flatten().map(move |(name, schema)| found(name, 0, schema));
    one.into_iter().chain(listed).chain(named)
}

/// A schema and its subschemas about the same value, as far as `takes_in` allows.
pub(super) fn of_the_same_value(schema: &Value, takes_in: fn(Applies) -> bool) -> Vec<&Value> {
    let parts = subschemas(schema).filter(|sub| sub.by.part == Part::Same && takes_in(sub.by.applies));
    std::iter::once(schema).chain(parts.flat_map(|sub| of_the_same_value(sub.schema, takes_in))).collect()
}

/// Whether a subschema applies to every value of the schema.
pub(super) fn always(applies: Applies) -> bool {
    applies == Applies::Always
}

/// Whether a subschema applies to some values of the schema.
pub(super) fn sometimes(applies: Applies) -> bool {
    applies.describes()
}

/// Whether `properties` names a field.
pub(super) fn is_named(schema: &Value, field: &str) -> bool {
    schema.get("properties").is_some_and(|properties| properties.get(field).is_some())
}

/// How many items `prefixItems` describes.
pub(super) fn prefix_length(schema: &Value) -> usize {
    schema.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len)
}

/// The subschemas of a schema about the field or item of a name.
fn below<'s>(schema: &'s Value, name: &str, takes_in: fn(Applies) -> bool) -> Vec<&'s Value> {
    let index = name.parse::<usize>().ok();
    let describes = |sub: &Subschema<'_>| match sub.by.part {
        Part::Same => false,
        Part::Field => sub.name == name,
        Part::OtherField => sub.schema.is_object() && !is_named(schema, name),
        Part::ItemAt => index == Some(sub.index),
        Part::Item => index.is_some_and(|index| index >= prefix_length(schema)),
        Part::SomeItem => index.is_some(),
    };
    subschemas(schema).filter(|sub| takes_in(sub.by.applies) && describes(sub)).map(|sub| sub.schema).collect()
}

/// The value of a keyword for the place at a JSON Pointer, if the keyword applies to a schema and everything within it: every
/// subschema about the place must carry it. A place that nothing describes inherits it from any schema around it.
pub(super) fn inherited<'s>(schema: &'s Value, pointer: &str, takes_in: fn(Applies) -> bool, keyword: &str) -> Option<&'s str> {
    let mut here = marked_parts((schema, None), takes_in, keyword);
    for name in pointer::names(pointer) {
        let below = |(schema, mark): &(&'s Value, Option<&'s str>)| {
            let mark = *mark;
            below(schema, &name, takes_in).into_iter().flat_map(move |sub| marked_parts((sub, mark), takes_in, keyword)).collect::<Vec<_>>()
        };
        let next: Vec<_> = here.iter().flat_map(below).collect();
        if next.is_empty() {
            return here.into_iter().find_map(|(_, mark)| mark);
        }
        here = next;
    }
    // A schema that only combines others, or a text that holds a file, describes nothing itself.
    let says = |key: &String| !key.starts_with("x-") && !GATHERS.contains(&key.as_str());
    let describes = |schema: &Value| schema.as_object().is_some_and(|map| map.keys().any(says));
    let mut marks = here.into_iter().filter(|(schema, mark)| mark.is_some() || describes(schema)).map(|(_, mark)| mark);
    let first = marks.next().flatten()?;
    marks.all(|mark| mark.is_some()).then_some(first)
}

/// Keywords that constrain nothing by themselves.
const GATHERS: [&str; 7] = ["$schema", "$id", "$ref", "title", "description", "allOf", "$defs"];

/// A schema and its subschemas about the same value, each with the value of a keyword at it or at the nearest schema around it.
fn marked_parts<'s>(
    (schema, around): (&'s Value, Option<&'s str>),
    takes_in: fn(Applies) -> bool,
    keyword: &str,
) -> Vec<(&'s Value, Option<&'s str>)> {
    let mark = schema.get(keyword).and_then(Value::as_str).or(around);
    let parts = subschemas(schema).filter(|sub| sub.by.part == Part::Same && takes_in(sub.by.applies));
    let below = parts.flat_map(|sub| marked_parts((sub.schema, mark), takes_in, keyword));
    std::iter::once((schema, mark)).chain(below).collect()
}

/// The subschemas about the values along a JSON Pointer: those of the whole value first, those of the last value last.
pub(super) fn descent<'s>(schema: &'s Value, pointer: &str, takes_in: fn(Applies) -> bool) -> Vec<Vec<&'s Value>> {
    let mut path = vec![of_the_same_value(schema, takes_in)];
    for name in pointer::names(pointer) {
        let here = path.last().into_iter().flatten();
        let next = here.flat_map(|schema| below(schema, &name, takes_in)).flat_map(|schema| of_the_same_value(schema, takes_in)).collect();
        path.push(next);
    }
    path
}

/// All subschemas about the value at a JSON Pointer, whether they apply to it or not.
pub(crate) fn describing<'s>(schema: &'s Value, pointer: &str) -> Vec<&'s Value> {
    descent(schema, pointer, sometimes).pop().unwrap_or_default()
}

/// The clauses of a subschema itself.
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

/// The clause of a keyword of a subschema itself.
pub(super) fn clause_in(schema: &Value, keyword: &str) -> Option<String> {
    let own = schema.get("x-clauses").and_then(|c| c.get(keyword)).or_else(|| schema.get("x-clause"));
    own.and_then(Value::as_str).map(str::to_owned)
}

/// The schema of a field that always applies.
pub(super) fn find_property<'s>(schema: &'s Value, name: &str) -> Option<&'s Value> {
    let always = of_the_same_value(schema, always).into_iter();
    always.filter_map(|schema| schema.get("properties")?.get(name)).next()
}

/// Whether a schema itself lists a property as required.
pub(super) fn lists_as_required(schema: &Value, name: &str) -> bool {
    schema.get("required").and_then(Value::as_array).is_some_and(|names| names.iter().any(|other| other == name))
}

/// The properties that a schema, or a part of it about the same value, requires.
pub(super) fn required_anywhere(schema: &Value) -> HashSet<&str> {
    let own = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let parts = subschemas(schema).filter(|sub| sub.by.part != Part::Field);
    own.chain(parts.flat_map(|sub| required_anywhere(sub.schema))).collect()
}

/// A schema that holds this one by a keyword, a value with the described part, and a pointer to that part.
#[cfg(test)]
pub(super) fn holding(by: &Applicator, schema: &Value, part: &Value) -> (Value, Value, &'static str) {
    let held = match by.shape {
        Shape::One => schema.clone(),
        Shape::List => serde_json::json!([schema]),
        Shape::Map => serde_json::json!({ "a": schema }),
    };
    let (value, pointer) = match by.part {
        Part::Same => (part.clone(), ""),
        Part::Field | Part::OtherField => (serde_json::json!({ "a": part }), "/a"),
        Part::ItemAt | Part::Item | Part::SomeItem => (serde_json::json!([part]), "/0"),
    };
    let mut holder = serde_json::json!({ by.keyword: held });
    // A condition selects the branch.
    match by.applies {
        Applies::AfterIf(true) => holder["if"] = true.into(),
        Applies::AfterIf(false) => holder["if"] = false.into(),
        Applies::Always | Applies::WhereItHolds | Applies::Asked | Applies::Decoded => {}
    }
    (holder, value, pointer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_applicator_describes_its_part() {
        for by in &APPLICATORS {
            let (schema, _, pointer) = holding(by, &json!({"x-clause": "c"}), &json!(1));
            let found: Vec<_> = describing(&schema, pointer).into_iter().flat_map(clauses_in).collect();
            assert_eq!(found, if by.applies == Applies::Asked { vec![] } else { vec!["c"] }, "{}", by.keyword);
            let always: Vec<_> = descent(&schema, pointer, always).into_iter().flatten().flat_map(clauses_in).collect();
            assert_eq!(always, if by.applies == Applies::Always { vec!["c"] } else { vec![] }, "{}", by.keyword);
            let sub = subschemas(&schema).find(|sub| sub.by == by).unwrap();
            assert_eq!(schema.pointer(&sub.pointer("")), Some(sub.schema), "{}", by.keyword);
        }
    }

    #[test]
    fn a_mark_is_inherited_from_what_is_around_and_not_from_what_is_beside() {
        let schema = json!({
            "description": "two parts",
            "allOf": [
                {"required": ["code"], "properties": {"code": {"type": "integer"}, "both": {"type": "string"}}},
                {"x-mark": "m", "properties": {"note": {"properties": {"of": {}}}, "both": {"type": "string"}}},
            ],
        });
        let marked = |pointer: &str| inherited(&schema, pointer, always, "x-mark");
        assert_eq!(marked("/code"), None, "what stands beside the mark");
        assert_eq!((marked("/note"), marked("/note/of")), (Some("m"), Some("m")));
        assert_eq!(marked("/both"), None, "something describes it without the mark");
        assert_eq!(marked("/other"), Some("m"), "nothing describes it");
        assert_eq!(marked(""), None);
        let file = json!({"properties": {"file": {"x-clause": "c", "description": "d", "allOf": [{"x-mark": "m", "type": "object"}]}}});
        assert_eq!(inherited(&file, "/file", always, "x-mark"), Some("m"), "the text stands for what is marked");
    }

    #[test]
    fn every_keyword_that_applies_a_schema_is_followed() {
        let schema = json!({
            "properties": {"a": {"x-clause": "one"}},
            "allOf": [{"if": {}, "then": {"properties": {"a": {"x-clause": "two"}}}}],
            "anyOf": [{"properties": {"b": {"items": {"x-clauses": {"type": "three", "required": {"c": "four"}}}}}}],
        });
        let carried = |pointer: &str| describing(&schema, pointer).into_iter().flat_map(clauses_in).collect::<Vec<_>>();
        assert_eq!(carried("/a"), ["one", "two"]);
        assert_eq!(carried("/b/3"), ["three", "four"]);
        assert_eq!(carried("/c"), Vec::<String>::new());
    }

    #[test]
    fn a_named_field_and_an_item_of_the_prefix_are_no_others() {
        let schema = json!({
            "properties": {"a": {"x-clause": "named"}}, "additionalProperties": {"x-clause": "other"},
            "prefixItems": [{"x-clause": "first"}], "items": {"x-clause": "rest"}
        });
        let carried = |pointer: &str| describing(&schema, pointer).into_iter().flat_map(clauses_in).collect::<Vec<_>>();
        assert_eq!((carried("/a"), carried("/b")), (vec!["named".to_owned()], vec!["other".to_owned()]));
        assert_eq!((carried("/0").contains(&"first".into()), carried("/0").contains(&"rest".into())), (true, false));
        assert!(carried("/1").contains(&"rest".into()));
    }
}
