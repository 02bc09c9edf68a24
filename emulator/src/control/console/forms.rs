//! A form for each action, from the description of the control API: what it does, and parameters to begin with.

use std::sync::LazyLock;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::base::yaml;
use crate::control::DESCRIPTION;
use crate::control::actions::ACTIONS;

/// An action as a form.
#[derive(Debug, Serialize)]
pub(super) struct ActionForm {
    name: &'static str,
    summary: String,
    /// What it requires, with examples for values, as JSON.
    parameters: String,
    /// The names of what it takes beyond that.
    optional: String,
}

/// The forms of all actions, in the order of the list.
pub(super) static FORMS: LazyLock<Vec<ActionForm>> = LazyLock::new(|| {
    let description = yaml::read(DESCRIPTION).unwrap_or_else(|error| {
        tracing::error!(error, "the description of the control API is broken");
        Value::Null
    });
    ACTIONS.iter().map(|name| form(&description, name)).collect()
});

fn form(description: &Value, name: &'static str) -> ActionForm {
    let at = |value: &Value, pointer: &str| value.pointer(pointer).cloned().unwrap_or_default();
    let operation = at(description, &format!("/paths/~1__emulator~1worlds~1{{world}}~1actions~1{name}/post"));
    let body = at(&operation, "/requestBody");
    let schema = at(resolved(description, &body), "/content/application~1json/schema");
    let schema = resolved(description, &schema);
    let required: Vec<_> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema["properties"].as_object();
    let example = |name: &str| {
        let property = properties.and_then(|properties| properties.get(name)).unwrap_or(&Value::Null);
        (name.to_owned(), example(resolved(description, property)))
    };
    let parameters: Map<_, _> = required.iter().copied().map(example).collect();
    let optional: Vec<_> = properties.into_iter().flat_map(Map::keys).map(String::as_str).filter(|name| !required.contains(name)).collect();
    ActionForm {
        name,
        summary: operation.get("summary").and_then(Value::as_str).unwrap_or_default().to_owned(),
        parameters: Value::from(parameters).to_string(),
        optional: optional.join(", "),
    }
}

/// A schema behind its reference.
fn resolved<'d>(description: &'d Value, schema: &'d Value) -> &'d Value {
    let pointer = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    pointer.and_then(|pointer| description.pointer(pointer)).unwrap_or(schema)
}

/// A value that the schema allows. An identifier is left empty: only the user knows which one is meant.
fn example(schema: &Value) -> Value {
    let listed = ["examples", "enum"].into_iter().find_map(|key| schema[key].as_array()?.first());
    if let Some(value) = listed.or_else(|| schema.get("default")) {
        return value.clone();
    }
    match schema["type"].as_str() {
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or_else(|| 1.into()),
        Some("boolean") => true.into(),
        Some("array") => Value::Array(Vec::new()),
        Some("object") => Value::Object(Map::new()),
        _ => "".into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_action_says_what_it_does_and_what_it_takes() {
        assert_eq!(FORMS.len(), ACTIONS.len());
        for form in FORMS.iter() {
            assert!(form.summary.ends_with('.'), "{form:?}");
        }
        let form = |name: &str| {
            let form = FORMS.iter().find(|form| form.name == name).unwrap();
            (serde_json::from_str::<Value>(&form.parameters).unwrap(), form.optional.as_str())
        };
        assert_eq!(form("gateway.fails"), (json!({ "operation": "gateway.v1.create", "code": 1200 }), "message, times"));
        assert_eq!(form("notification.resends"), (json!({ "transId": "AB12-CD34-EF56" }), ""));
        assert_eq!(form("world.resets"), (json!({}), ""));
    }
}
