//! Captures: values that only an earlier response reveals, and that later steps refer to by name.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::modes::explore::trace::{ExecutedBatch, ExecutedCommand};

/// A value that a step of the script keeps under a name.
pub(super) struct Capture {
    /// The key of the command whose response reveals it.
    pub(super) key: usize,
    /// The key of the entity that it belongs to.
    pub(super) entity: usize,
    pub(super) variable: String,
    pub(super) name: String,
    /// Its place in the response.
    pub(super) place: String,
    pub(super) value: Value,
}

impl Capture {
    /// The name of the field that holds it.
    fn field(&self) -> &str {
        self.place.rsplit('/').next().unwrap_or(&self.place)
    }

    /// The template that stands for the value.
    pub(super) fn reference(&self) -> String {
        format!("{{{{ {} }}}}", self.name)
    }
}

/// Everything that responses reveal and that later requests may send.
pub(super) fn captures(batches: &[ExecutedBatch<'_>]) -> Vec<Capture> {
    let mut captures = Vec::new();
    let mut counts = BTreeMap::<&str, usize>::new();
    let mut names = BTreeMap::<usize, String>::new();
    for command in batches.iter().flat_map(|executed| &executed.commands) {
        if let Some(creation) = command.creation {
            let count = counts.entry(creation.resource.as_str()).or_default();
            *count += 1;
            names.insert(command.bound.key, format!("{}_{count}", creation.resource.replace(['-', '.'], "_")));
        }
        captures.extend(created(command, &names));
        let learned = learned(command, &names, &captures);
        captures.extend(learned);
    }
    captures
}

/// The variables of the entity that a command created.
fn created(command: &ExecutedCommand<'_>, names: &BTreeMap<usize, String>) -> Vec<Capture> {
    let key = command.bound.key;
    let (Some(creation), Some(variables), Some(name)) = (command.creation, &command.created, names.get(&key)) else { return Vec::new() };
    let places = creation.keep.iter().map(|(variable, place)| (variable.as_str(), place)).chain([("id", &creation.id)]);
    let captures = places.filter_map(|(variable, place)| {
        let name = if variable == "id" { name.clone() } else { format!("{name}_{variable}") };
        let value = variables.get(variable)?.clone();
        Some(Capture { key, entity: key, variable: variable.to_owned(), name, place: place.clone(), value })
    });
    captures.collect()
}

/// The variables that a later response revealed; a variable that was captured before gets a number.
fn learned(command: &ExecutedCommand<'_>, names: &BTreeMap<usize, String>, before: &[Capture]) -> Vec<Capture> {
    let entity = command.bound.on.and_then(|entity| Some((entity, names.get(&entity)?)));
    let Some((entity, name)) = entity else { return Vec::new() };
    let captures = command.learned.iter().map(|learned| {
        let times = before.iter().filter(|capture| capture.entity == entity && capture.variable == learned.variable).count();
        let number = if times == 0 { String::new() } else { format!("_{}", times + 1) };
        Capture {
            key: command.bound.key,
            entity,
            variable: learned.variable.clone(),
            name: format!("{name}_{}{number}", learned.variable),
            place: learned.place.clone(),
            value: learned.value.clone(),
        }
    });
    captures.collect()
}

/// Replaces captured values in what the command with this key sends or expects.
pub(super) fn refer(value: &Value, captures: &[Capture], key: usize) -> Value {
    refer_in("", value, captures, key)
}

/// The same for the value of a field. An equal number is the captured one only in a field of the same name.
fn refer_in(field: &str, value: &Value, captures: &[Capture], key: usize) -> Value {
    let is_same = |capture: &&Capture| {
        let is_identifying = is_distinctive(value) || (value.is_number() && capture.field() == field);
        capture.key != key && capture.value == *value && is_identifying
    };
    if let Some(capture) = captures.iter().find(is_same) {
        return Value::String(capture.reference());
    }
    match value {
        Value::Array(items) => items.iter().map(|item| refer_in(field, item, captures, key)).collect(),
        Value::Object(fields) => {
            // What a matcher holds is a value of the field around it.
            let named = |name: &str| if name.starts_with('$') { field.to_owned() } else { name.to_owned() };
            let fields = fields.iter().map(|(name, value)| (name.clone(), refer_in(&named(name), value, captures, key)));
            Value::Object(fields.collect())
        }
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => other.clone(),
    }
}

/// Whether two equal values of this kind can only be the same one.
fn is_distinctive(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.len() >= 4)
}

/// Replaces captured identifiers, which differ from run to run, by their names.
pub(super) fn without_ids(text: &str, captures: &[Capture]) -> String {
    let ids = captures.iter().filter_map(|capture| Some((capture.value.as_str()?, &capture.name)));
    ids.fold(text.to_owned(), |text, (id, name)| text.replace(id, name))
}
