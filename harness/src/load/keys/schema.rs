//! The JSON Schema of a mapping, built key by key.

use serde_json::{Map, Value, json};

/// A mapping as JSON Schema, with the schemas of the mappings in it.
pub(crate) struct ObjectSchema {
    about: String,
    properties: Map<String, Value>,
    required: Vec<&'static str>,
    definitions: Map<String, Value>,
}

impl ObjectSchema {
    pub(super) fn new(about: &str) -> Self {
        Self { about: about.to_owned(), properties: Map::new(), required: Vec::new(), definitions: Map::new() }
    }

    /// Adds a key. An optional one may also be null.
    pub(super) fn add(&mut self, key: &'static str, required: bool, mut schema: Value) {
        if required {
            self.required.push(key);
        } else if let Some(sort) = schema.get_mut("type") {
            *sort = json!([sort.take(), "null"]);
        }
        self.properties.insert(key.to_owned(), schema);
    }

    /// Adds the schema of a mapping that keys refer to.
    pub(super) fn define(&mut self, name: &str, object: Self) {
        let (schema, definitions) = object.closed();
        self.definitions.insert(name.to_owned(), schema);
        self.definitions.extend(definitions);
    }

    /// The schema of a mapping without other keys, and the schemas of the mappings in it.
    fn closed(self) -> (Value, Map<String, Value>) {
        let mut schema = json!({ "type": "object", "additionalProperties": false, "properties": self.properties });
        insert_unless_empty(&mut schema, "required", json!(self.required));
        insert_unless_empty(&mut schema, "description", json!(self.about));
        (schema, self.definitions)
    }

    /// One of several variants with their own value of `tag`; its keys are added to the common ones.
    fn tagged(self, tag: &str, name: &str) -> (Value, Map<String, Value>) {
        let mut properties = Map::from_iter([(tag.to_owned(), json!({ "type": "string", "const": name }))]);
        properties.extend(self.properties);
        let required: Vec<&str> = std::iter::once(tag).chain(self.required).collect();
        (json!({ "type": "object", "properties": properties, "required": required, "description": self.about }), self.definitions)
    }

    /// The schema of a file: the common keys, and the `variants`, which the value of `tag` selects by name.
    pub(crate) fn with_variants(self, title: &str, tag: &str, variants: impl IntoIterator<Item = (&'static str, Self)>) -> Value {
        let mut definitions = Map::new();
        let variants: Vec<Value> = variants
            .into_iter()
            .map(|(name, variant)| {
                let (schema, more) = variant.tagged(tag, name);
                definitions.extend(more);
                schema
            })
            .collect();
        definitions.extend(self.definitions);
        json!({
            "type": "object",
            "required": self.required,
            "properties": self.properties,
            "unevaluatedProperties": false,
            "oneOf": variants,
            "description": self.about,
            "title": title,
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$defs": definitions,
        })
    }
}

fn insert_unless_empty(schema: &mut Value, key: &str, value: Value) {
    let empty = value.as_array().is_some_and(Vec::is_empty) || value.as_str().is_some_and(str::is_empty);
    if let (Some(schema), false) = (schema.as_object_mut(), empty) {
        schema.insert(key.to_owned(), value);
    }
}

/// A reference to a schema of [`ObjectSchema::define`].
pub(crate) fn reference(definition: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{definition}") })
}

/// A bound without a needless fraction: `1` rather than `1.0`.
pub(super) fn number(bound: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "a whole number of a few digits")]
    if bound.fract() == 0.0 { json!(bound as i64) } else { json!(bound) }
}
