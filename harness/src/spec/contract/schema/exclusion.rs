//! Why no value that conforms to a schema has a certain value at a place: what a scenario expects there can never hold.
//!
//! Only `type`, `const`, `enum` and `additionalProperties: false` exclude anything. What the documents leave open, what is assumed,
//! and what is masked or decoded before it is judged excludes nothing.

use std::borrow::Cow;

use jsonschema::JsonType;
use serde_json::Value;

use super::Schema;
use super::faults::type_in_words;
use crate::base::pointer;
use crate::spec::contract::schema_walk::{self, APPLICATORS, Applies, Part};

/// Keywords of a schema that excludes nothing.
const OPEN: [&str; 5] = ["x-assumed", "x-format", "x-free", "x-secret", "contentSchema"];

/// What is looked for at a place.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted<'v> {
    /// This text, number, true, false or null.
    Scalar(&'v Value),
    /// A list, whatever is in it.
    List,
    /// A mapping, whatever is in it.
    Mapping,
    /// A mapping or a list: its parts have numbers for names.
    MappingOrList,
}

impl Wanted<'_> {
    /// Whether it is a text.
    pub(crate) fn is_text(self) -> bool {
        matches!(self, Self::Scalar(Value::String(_)))
    }

    fn is_of(self, kind: JsonType) -> bool {
        match self {
            Self::Scalar(value) => is_scalar_of(value, kind),
            Self::List => kind == JsonType::Array,
            Self::Mapping => kind == JsonType::Object,
            Self::MappingOrList => matches!(kind, JsonType::Array | JsonType::Object),
        }
    }
}

/// Why what is looked for is never at a place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Exclusion {
    /// Every value there is one of these, or of one of the types, in words.
    Others {
        /// The values.
        values: Vec<Value>,
        /// The types.
        types: Vec<&'static str>,
    },
    /// A field on the way to the place is none of those that there are.
    NoField {
        /// The field.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// What is around the place has no such parts: it is always of one of these types, in words.
    NotHeld {
        /// The types.
        types: Vec<&'static str>,
    },
}

impl Exclusion {
    /// Why all alternatives exclude it; none if one of them does not, or if there are no alternatives.
    pub(crate) fn by_all(alternatives: impl IntoIterator<Item = Option<Self>>) -> Option<Self> {
        alternatives.into_iter().reduce(|one, other| Some(one?.or(other?))).flatten()
    }

    /// Why both exclude it.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Others { values, types }, Self::Others { values: more_values, types: more_types }) => {
                Self::Others { values: joined(values, more_values), types: joined(types, more_types) }
            }
            (Self::NotHeld { types }, Self::NotHeld { types: more_types }) => Self::NotHeld { types: joined(types, more_types) },
            // What may be there says more than why nothing is.
            (Self::NoField { .. } | Self::NotHeld { .. }, others @ Self::Others { .. }) => others,
            (first, _) => first,
        }
    }
}

impl Schema {
    /// Why no conforming value has this at a JSON Pointer, if none has.
    pub(crate) fn exclusion(&self, pointer: &str, wanted: Wanted<'_>) -> Option<Exclusion> {
        let path: Vec<String> = pointer::names(pointer).map(Cow::into_owned).collect();
        exclusion(&self.expanded, &path, wanted).filter(|_| self.allowance_at(pointer).is_none())
    }
}

fn exclusion(schema: &Value, path: &[String], wanted: Wanted<'_>) -> Option<Exclusion> {
    if OPEN.iter().any(|keyword| schema.get(keyword).is_some()) {
        return None;
    }
    let own = match path.split_first() {
        None => of_the_value(schema, wanted),
        Some((name, rest)) => below(schema, name, rest, wanted),
    };
    own.or_else(|| of_parts(schema, path, wanted))
}

/// By the subschemas about the same value: one of `allOf`, or all of `anyOf` or of `oneOf`.
fn of_parts(schema: &Value, path: &[String], wanted: Wanted<'_>) -> Option<Exclusion> {
    APPLICATORS.iter().filter(|by| by.part == Part::Same).find_map(|by| {
        let reasons = schema_walk::held_by(by, schema).map(|sub| exclusion(sub.schema, path, wanted));
        match by.applies {
            Applies::Always => reasons.flatten().next(),
            Applies::WhereItHolds => Exclusion::by_all(reasons),
            Applies::AfterIf(_) | Applies::Asked | Applies::Decoded => None,
        }
    })
}

/// By what the schema itself says of the value.
fn of_the_value(schema: &Value, wanted: Wanted<'_>) -> Option<Exclusion> {
    let types = types_of(schema);
    if !types.is_empty() && !types.iter().any(|kind| wanted.is_of(*kind)) {
        return Some(Exclusion::Others { values: Vec::new(), types: in_words(&types) });
    }
    let Wanted::Scalar(value) = wanted else { return None };
    let values = match schema.get("const") {
        Some(only) => std::slice::from_ref(only),
        None => schema.get("enum")?.as_array()?.as_slice(),
    };
    let is_listed = values.iter().any(|one| is_same(one, value));
    (!is_listed && !values.is_empty()).then(|| Exclusion::Others { values: values.to_vec(), types: Vec::new() })
}

/// By what the schema itself says of a field or an item of the value.
fn below(schema: &Value, name: &str, rest: &[String], wanted: Wanted<'_>) -> Option<Exclusion> {
    let types = types_of(schema);
    let not_held = |kind: JsonType| {
        let is_excluded = !types.is_empty() && !types.contains(&kind);
        is_excluded.then(|| Exclusion::NotHeld { types: in_words(&types) })
    };
    let of_field = not_held(JsonType::Object).or_else(|| of_field(schema, name, rest, wanted));
    let Ok(index) = name.parse::<usize>() else { return of_field };
    let of_item = not_held(JsonType::Array).or_else(|| of_item(schema, index, rest, wanted));
    Exclusion::by_all([of_field, of_item])
}

fn of_field(schema: &Value, name: &str, rest: &[String], wanted: Wanted<'_>) -> Option<Exclusion> {
    let mut subschemas = schema_walk::subschemas(schema).filter(|sub| schema_walk::always(sub.by.applies));
    subschemas.find_map(|sub| match sub.by.part {
        Part::Field if sub.name == name => exclusion(sub.schema, rest, wanted),
        Part::OtherField if schema_walk::is_named(schema, name) => None,
        Part::OtherField if *sub.schema == Value::Bool(false) => {
            Some(Exclusion::NoField { name: name.to_owned(), known: fields_of(schema) })
        }
        Part::OtherField => exclusion(sub.schema, rest, wanted),
        Part::Field | Part::Same | Part::ItemAt | Part::Item | Part::SomeItem => None,
    })
}

fn of_item(schema: &Value, index: usize, rest: &[String], wanted: Wanted<'_>) -> Option<Exclusion> {
    let mut subschemas = schema_walk::subschemas(schema).filter(|sub| schema_walk::always(sub.by.applies));
    subschemas.find_map(|sub| match sub.by.part {
        Part::ItemAt if sub.index == index => exclusion(sub.schema, rest, wanted),
        Part::Item if index >= schema_walk::prefix_length(schema) => exclusion(sub.schema, rest, wanted),
        Part::Same | Part::Field | Part::OtherField | Part::ItemAt | Part::Item | Part::SomeItem => None,
    })
}

/// The fields that `properties` names.
fn fields_of(schema: &Value) -> Vec<String> {
    let fields = schema.get("properties").and_then(Value::as_object);
    fields.into_iter().flatten().map(|(name, _)| name.clone()).collect()
}

/// The types that a schema itself allows, null last; none if it allows all.
fn types_of(schema: &Value) -> Vec<JsonType> {
    let names = match schema.get("type") {
        Some(Value::Array(names)) => names.as_slice(),
        Some(name) => std::slice::from_ref(name),
        None => &[],
    };
    let mut types: Vec<JsonType> = names.iter().filter_map(|name| name.as_str()?.parse().ok()).collect();
    types.sort_by_key(|kind| *kind == JsonType::Null);
    types
}

fn in_words(types: &[JsonType]) -> Vec<&'static str> {
    types.iter().map(|kind| type_in_words(*kind)).collect()
}

fn is_scalar_of(value: &Value, kind: JsonType) -> bool {
    match kind {
        JsonType::Null => value.is_null(),
        JsonType::Boolean => value.is_boolean(),
        JsonType::String => value.is_string(),
        JsonType::Number => value.is_number(),
        // JSON Schema counts 1.0 as a whole number.
        JsonType::Integer => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        JsonType::Array | JsonType::Object => false,
    }
}

/// Whether two values are the same to a schema: 1 and 1.0 are.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => one == other,
        _ => one == other,
    }
}

fn joined<T: PartialEq>(mut all: Vec<T>, more: Vec<T>) -> Vec<T> {
    for one in more {
        if !all.contains(&one) {
            all.push(one);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn excluded(schema: Value, pointer: &str, value: Value) -> Option<Exclusion> {
        let schema = Schema::compile("s.json".into(), schema, Vec::new()).unwrap();
        schema.exclusion(pointer, Wanted::Scalar(&value))
    }

    fn others<const V: usize, const T: usize>(values: [Value; V], types: [&'static str; T]) -> Option<Exclusion> {
        Some(Exclusion::Others { values: values.to_vec(), types: types.to_vec() })
    }

    #[test]
    fn a_value_is_excluded_by_its_type_and_by_what_is_listed() {
        let schema = json!({"properties": {
            "state": {"type": "string", "enum": ["OPEN", "GONE"]},
            "only": {"const": 1},
            "size": {"type": ["null", "integer"]},
        }});
        let excluded = |pointer: &str, value: Value| excluded(schema.clone(), pointer, value);
        assert_eq!(excluded("/state", json!("OPNE")), others([json!("OPEN"), json!("GONE")], []));
        assert_eq!(excluded("/state", json!(1)), others([], ["a text"]));
        assert_eq!(excluded("/only", json!(2)), others([json!(1)], []));
        assert_eq!(excluded("/size", json!("1")), others([], ["a whole number", "null"]));
        assert_eq!(excluded("/size", json!(1.5)), others([], ["a whole number", "null"]));
        for (pointer, value) in
            [("/state", json!("OPEN")), ("/only", json!(1.0)), ("/size", json!(2.0)), ("/size", json!(null)), ("/x", json!(1))]
        {
            assert_eq!(excluded(pointer, value.clone()), None, "{pointer}: {value}");
        }
    }

    #[test]
    fn one_of_several_that_all_apply_is_enough_and_alternatives_must_all_exclude_it() {
        let listed = |name: &str| json!({"properties": {"a": {"enum": [name]}}});
        let all = json!({"allOf": [{"required": ["a"]}, listed("X")]});
        assert_eq!(excluded(all, "/a", json!("Z")), others([json!("X")], []));
        for keyword in ["anyOf", "oneOf"] {
            let either = json!({keyword: [listed("X"), listed("Y"), {"properties": {"a": {"type": "null"}}}]});
            assert_eq!(excluded(either.clone(), "/a", json!("Z")), others([json!("X"), json!("Y")], ["null"]), "{keyword}");
            assert_eq!(excluded(either, "/a", json!("Y")), None, "{keyword}");
            assert_eq!(excluded(json!({keyword: [listed("X"), {}]}), "/a", json!("Z")), None, "{keyword}");
        }
    }

    #[test]
    fn what_holds_under_a_condition_excludes_nothing() {
        let listed = json!({"properties": {"a": {"enum": ["X"]}}});
        for schema in [json!({"if": listed, "then": listed, "else": listed}), json!({"not": listed}), json!({"contains": {"enum": ["X"]}})]
        {
            assert_eq!(excluded(schema.clone(), "/a", json!("Z")), None, "{schema}");
            assert_eq!(excluded(schema.clone(), "/0", json!("Z")), None, "{schema}");
        }
    }

    #[test]
    fn what_is_open_assumed_masked_or_decoded_excludes_nothing() {
        let schema = |mark: &str, value: Value| json!({"properties": {"a": {"type": "string", "enum": ["X"], mark: value}}});
        for (mark, value) in [
            ("x-assumed", json!("not shown")),
            ("x-free", json!("not listed")),
            ("x-secret", json!(true)),
            ("x-format", json!({"base64": {"csv": {"separator": ";", "charset": "utf-8", "layout": "csv"}}})),
        ] {
            assert_eq!(excluded(schema(mark, value), "/a", json!("Z")), None, "{mark}");
        }
        let around = json!({"x-free": "not shown", "properties": {"a": {"properties": {"b": {"type": "string"}}}}});
        assert_eq!(excluded(around, "/a/b", json!(1)), None, "what is around it is open");
        let beside = json!({"allOf": [{"properties": {"a": {"x-free": "not listed"}}}, {"properties": {"a": {"type": "string"}}}]});
        assert_eq!(excluded(beside, "/a", json!(1)), None, "what else describes it is open");
    }

    #[test]
    fn a_place_is_excluded_by_what_is_around_it() {
        let schema = json!({"properties": {
            "text": {"type": "string"},
            "payer": {"type": "object", "properties": {"name": {}}, "additionalProperties": false},
            "rows": {"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "integer"}},
            "by-number": {"type": "object", "properties": {"1": {"type": "string"}}, "additionalProperties": {"type": "boolean"}},
        }});
        let excluded = |pointer: &str, value: Value| excluded(schema.clone(), pointer, value);
        assert_eq!(excluded("/text/a", json!(1)), Some(Exclusion::NotHeld { types: vec!["a text"] }));
        assert_eq!(excluded("/payer/nam", json!(1)), Some(Exclusion::NoField { name: "nam".into(), known: vec!["name".into()] }));
        assert_eq!(excluded("/payer/name", json!(1)), None);
        assert_eq!((excluded("/rows/0", json!(1)), excluded("/rows/0", json!("a"))), (others([], ["a text"]), None));
        assert_eq!((excluded("/rows/7", json!("a")), excluded("/rows/7", json!(1))), (others([], ["a whole number"]), None));
        assert_eq!(excluded("/rows/first", json!(1)), Some(Exclusion::NotHeld { types: vec!["a list"] }));
        assert_eq!((excluded("/by-number/1", json!(1)), excluded("/by-number/1", json!("a"))), (others([], ["a text"]), None));
        assert_eq!((excluded("/by-number/2", json!(1)), excluded("/by-number/2", json!(true))), (others([], ["true or false"]), None));
    }

    #[test]
    fn lists_and_mappings_are_excluded_by_their_type_alone() {
        let schema = json!({"properties": {"a": {"type": "string"}, "b": {"type": "array"}, "c": {"type": "object"}, "d": {"enum": [1]}}});
        let schema = Schema::compile("s.json".into(), schema, Vec::new()).unwrap();
        let is_excluded = |wanted: Wanted<'_>| ["/a", "/b", "/c", "/d"].map(|pointer| schema.exclusion(pointer, wanted).is_some());
        assert_eq!(is_excluded(Wanted::List), [true, false, true, false]);
        assert_eq!(is_excluded(Wanted::Mapping), [true, true, false, false]);
        assert_eq!(is_excluded(Wanted::MappingOrList), [true, false, false, false]);
    }

    #[test]
    fn of_reasons_that_differ_the_one_that_says_what_may_be_there_is_given() {
        let no_field = Exclusion::NoField { name: "a".into(), known: vec!["b".into()] };
        let not_held = |kind: &'static str| Exclusion::NotHeld { types: vec![kind] };
        let listed = others([json!(1)], []);
        let both = |one: &Exclusion, other: &Exclusion| Exclusion::by_all([Some(one.clone()), Some(other.clone())]);
        assert_eq!(both(&no_field, listed.as_ref().unwrap()), listed);
        assert_eq!(both(listed.as_ref().unwrap(), &no_field), listed);
        assert_eq!(both(&no_field, &not_held("a text")), Some(no_field.clone()));
        assert_eq!(both(&not_held("a text"), &not_held("null")), Some(Exclusion::NotHeld { types: vec!["a text", "null"] }));
        assert_eq!((Exclusion::by_all([Some(no_field), None]), Exclusion::by_all([])), (None, None));
    }
}
