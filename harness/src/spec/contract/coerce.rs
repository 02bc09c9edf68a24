//! One schema language for JSON and forms: the texts of a form become the values that the schema describes.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::schema_walk::{self, Part};

/// The type as which a text of a form is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FormType {
    Integer,
    Number,
    Boolean,
}

/// The types of a form's fields, by name. Fields without one stay texts.
#[derive(Clone, Debug, Default)]
pub struct Coercion {
    types: HashMap<String, FormType>,
    /// The required fields; only these may be empty.
    required: HashSet<String>,
    /// Fields with a type that excludes null.
    never_null: HashSet<String>,
}

impl Coercion {
    /// Collects the types of the top-level properties, those inside `allOf` and conditions included.
    pub(super) fn from_schema(schema: &Value, is_required: impl Fn(&str) -> bool) -> Self {
        let mut types = HashMap::new();
        let mut names = HashSet::new();
        collect(schema, &mut types, &mut names);
        names.retain(|name| is_required(name));
        Self { types, required: names, never_null: never_null(schema) }
    }

    /// Whether the field has a type without null.
    pub fn is_never_null(&self, name: &str) -> bool {
        self.never_null.contains(name)
    }

    /// Removes fields that are null although their type excludes it: some targets write absent fields like this. A required field
    /// stays, unless it is required only sometimes and `all` is set.
    pub fn remove_nulls(&self, fields: &mut Map<String, Value>, all: bool) {
        fields.retain(|name, value| !value.is_null() || !self.never_null.contains(name) || !all && self.required.contains(name));
    }

    /// Reads the fields in place. A form has no way to say "nothing" but an empty text, so an empty
    /// field that is not required counts as absent. Only the canonical spelling is read (`10`, not `010` or `+10`); any
    /// other text stays a text and then fails the schema's `type`.
    pub fn apply(&self, fields: &mut Map<String, Value>) {
        fields.retain(|name, value| value != "" || self.required.contains(name));
        for (name, value) in fields.iter_mut() {
            if let (Some(form_type), Value::String(text)) = (self.types.get(name), &*value)
                && let Some(read) = read(*form_type, text)
            {
                *value = read;
            }
        }
    }
}

/// The fields whose type is given and excludes null everywhere.
fn never_null(schema: &Value) -> HashSet<String> {
    let parts = schema_walk::of_the_same_value(schema, schema_walk::sometimes);
    let fields = || parts.iter().flat_map(|part| schema_walk::subschemas(part)).filter(|sub| sub.by.part == Part::Field);
    let is_null = |kind: &Value| kind == "null" || kind.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "null"));
    let typed = |null: bool| {
        let types = fields().filter_map(move |field| Some((field.name.to_owned(), field.schema.get("type")?)));
        types.filter(move |(_, kind)| is_null(kind) == null).map(|(name, _)| name).collect::<HashSet<_>>()
    };
    &typed(false) - &typed(true)
}

fn collect(schema: &Value, types: &mut HashMap<String, FormType>, names: &mut HashSet<String>) {
    let parts = schema_walk::of_the_same_value(schema, schema_walk::sometimes).into_iter();
    for field in parts.flat_map(schema_walk::subschemas).filter(|sub| sub.by.part == Part::Field) {
        names.insert(field.name.to_owned());
        let form_type = match field.schema.get("type").and_then(Value::as_str) {
            Some("integer") => FormType::Integer,
            Some("number") => FormType::Number,
            Some("boolean") => FormType::Boolean,
            _ => continue,
        };
        types.insert(field.name.to_owned(), form_type);
    }
}

fn read(form_type: FormType, text: &str) -> Option<Value> {
    match form_type {
        FormType::Boolean => text.parse::<bool>().ok().map(Value::Bool),
        FormType::Integer => text.parse::<i64>().ok().filter(|n| n.to_string() == text).map(Value::from),
        FormType::Number => serde_json::from_str::<serde_json::Number>(text).ok().map(Value::Number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_the_canonical_spelling_is_read() {
        let schema = json!({"properties": {"code": {"type": "integer"}, "test": {"type": "boolean"}, "price": {"type": "string"}}});
        let mut form = json!({"code": "0", "test": "true", "price": "100", "other": "1"});
        Coercion::from_schema(&schema, |_| false).apply(form.as_object_mut().unwrap());
        assert_eq!(form, json!({"code": 0, "test": true, "price": "100", "other": "1"}));
        let mut empty = json!({"price": "", "code": ""});
        Coercion::from_schema(&schema, |name| name == "price").apply(empty.as_object_mut().unwrap());
        assert_eq!(empty, json!({"price": ""}), "an empty field is absent unless it is required");
        for text in ["010", "+1", " 1", "1.0", "0x1", "-0"] {
            assert_eq!(read(FormType::Integer, text), None, "{text}");
        }
    }
}
