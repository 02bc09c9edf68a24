//! A sequence written as a scenario that `paycheck verify` reads.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::divergence::{Divergence, Sight};
use super::model::{Creation, Model};
use super::moves::Stride;
use super::play::Made;
use super::wanted::Wanted;
use crate::contract::{Contracts, Expression, Operation};

/// What a script is made of.
pub(super) struct Script<'s> {
    pub(super) contracts: &'s Contracts,
    pub(super) model: &'s Model,
    pub(super) divergence: &'s Divergence,
    pub(super) made: &'s [(Stride, Vec<Made<'s>>)],
    /// What the model asks of the answers to the last stride, move by move.
    pub(super) last: &'s [Option<Wanted>],
}

/// A value that only the answer of an earlier step tells, and the name under which the script keeps it.
struct Kept {
    key: usize,
    variable: String,
    name: String,
    value: Value,
}

impl Script<'_> {
    /// The whole text.
    pub(super) fn text(&self) -> String {
        let kept = self.kept();
        let mut out = String::new();
        let clauses: Vec<&String> = self.divergence.clauses.iter().filter(|clause| self.is_checked(clause)).collect();
        let listed = clauses.iter().map(|clause| clause.as_str()).collect::<Vec<_>>().join(", ");
        let title = format!("{}: {}", self.divergence.clause(), self.divergence.message);
        let _ = writeln!(out, "title: {}", Value::String(without_ids(&title, &kept)));
        let _ = writeln!(out, "clauses: [{listed}]");
        if !self.model.setting.is_empty() {
            let _ = writeln!(out, "setting: {}", flow(&Value::Object(self.model.setting.clone())));
        }
        let _ = writeln!(out, "steps:");
        let end = self.made.len().saturating_sub(1);
        for (index, (stride, made)) in self.made.iter().enumerate() {
            let last = index == end && self.divergence.last_stride().is_some();
            self.stride(&mut out, stride, made, last, &kept);
        }
        self.notice(&mut out, &kept);
        out
    }

    fn is_checked(&self, clause: &str) -> bool {
        self.contracts.clauses.get(clause).is_some_and(|clause| clause.unchecked.is_none())
    }

    fn stride(&self, out: &mut String, stride: &Stride, made: &[Made<'_>], last: bool, kept: &[Kept]) {
        if let Stride::Together(_) = stride {
            let _ = writeln!(out, "  # Explored at the same time; a script makes them one after the other.");
        }
        for (index, made) in made.iter().enumerate() {
            let wanted = if last { self.last.get(index).cloned().flatten() } else { None };
            let asserted = wanted.is_some();
            self.step(out, made, wanted, kept);
            if asserted {
                self.clause(out);
            }
        }
    }

    fn clause(&self, out: &mut String) {
        let checked: Vec<&str> = self.divergence.clauses.iter().map(String::as_str).filter(|clause| self.is_checked(clause)).collect();
        match checked.as_slice() {
            [] => {}
            [one] => _ = writeln!(out, "    clause: {one}"),
            several => _ = writeln!(out, "    clause: [{}]", several.join(", ")),
        }
    }

    fn step(&self, out: &mut String, made: &Made<'_>, wanted: Option<Wanted>, kept: &[Kept]) {
        let prepared = &made.prepared;
        let operation = self.contracts.operations.get(prepared.name);
        let verb = if operation.is_some() { "call" } else { "world" };
        let _ = writeln!(out, "  - {verb}: {}", prepared.name);
        let mut line = |name: &str, value: &Value| _ = writeln!(out, "    {name}: {}", flow(value));
        if let Some(example) = &prepared.action.example {
            line("example", &Value::String(example.clone()));
        }
        if prepared.identity != crate::target::MAIN {
            line("as", &Value::String(prepared.identity.to_owned()));
        }
        if !prepared.inputs.is_empty() {
            line("with", &referring(&Value::Object(prepared.inputs.clone()), kept, prepared.key));
        }
        if !prepared.without.is_empty() {
            line("without", &prepared.without.iter().cloned().map(Value::String).collect());
        }
        if let Some(token) = &prepared.token {
            line("token", &referring(token, kept, prepared.key));
        }
        if let Some(operation) = operation {
            let wanted = wanted.or_else(|| (!made.accepted).then(|| Wanted::of_answer(false, made.code.as_ref(), operation)));
            expectation(&mut line, wanted.unwrap_or_default(), operation, kept, prepared.key);
        }
        if let Some(creation) = made.creation {
            let own = kept.iter().filter(|kept| kept.key == prepared.key);
            let places = own.filter_map(|kept| Some((kept.name.clone(), Value::String(place_of(creation, &kept.variable)?))));
            line("keep", &Value::Object(places.collect()));
        }
    }

    /// The step that shows what was notified, or was not.
    fn notice(&self, out: &mut String, kept: &[Kept]) {
        let (verb, thing, state) = match &self.divergence.sight {
            Sight::Missing(thing, state) => ("notification", Some(*thing), state),
            Sight::Unexpected(thing, state) => ("no-notification", *thing, state),
            Sight::Answer(_) | Sight::Finding(_) | Sight::Table => return,
        };
        let Some(shows) = self.contracts.notifications.values().find_map(|notification| notification.shows.as_ref()) else { return };
        let name = thing.and_then(|thing| kept.iter().find(|kept| kept.key == thing && kept.variable == "id"));
        let id = name.map(|kept| (&shows.about.id, Value::String(format!("{{{{ {} }}}}", kept.name))));
        let fields = id.into_iter().chain([(&shows.state, Value::String(state.clone()))]);
        let fields: Map<String, Value> = fields.filter_map(|(place, value)| Some((field_of(place)?, value))).collect();
        let _ = writeln!(out, "  - {verb}: {}", flow(&Value::Object(fields)));
        self.clause(out);
    }

    /// Everything that is answered and sent again.
    fn kept(&self) -> Vec<Kept> {
        let mut kept = Vec::new();
        let mut counts = std::collections::BTreeMap::<&str, usize>::new();
        for made in self.made.iter().flat_map(|(_, made)| made) {
            let (Some(creation), Some(variables)) = (made.creation, &made.created) else { continue };
            let count = counts.entry(creation.resource.as_str()).or_default();
            *count += 1;
            let name = format!("{}_{count}", creation.resource.replace(['-', '.'], "_"));
            for variable in creation.keep.keys().map(String::as_str).chain(["id"]) {
                let Some(value) = variables.get(variable) else { continue };
                let name = if variable == "id" { name.clone() } else { format!("{name}_{variable}") };
                kept.push(Kept { key: made.prepared.key, variable: variable.to_owned(), name, value: value.clone() });
            }
        }
        kept
    }
}

fn expectation(line: &mut impl FnMut(&str, &Value), wanted: Wanted, operation: &Operation, kept: &[Kept], key: usize) {
    if !wanted.expect.is_empty() {
        line("expect", &referring(&Value::Object(wanted.expect), kept, key));
    }
    // Success is what a step expects that says nothing.
    let says_nothing = wanted.status == Some(serde_json::json!({"$success": true}));
    if let Some(status) = wanted.status.filter(|_| !says_nothing && operation.success.value().is_none()) {
        line("http", &super::play::named("status", status));
    }
}

/// Where a kept value stands in the answer.
fn place_of(creation: &Creation, variable: &str) -> Option<String> {
    if variable == "id" { Some(creation.id.clone()) } else { creation.keep.get(variable).cloned() }
}

fn field_of(place: &Expression) -> Option<String> {
    place.pointer().map(|pointer| pointer.trim_start_matches('/').to_owned())
}

/// The value with names in place of what earlier answers told.
fn referring(value: &Value, kept: &[Kept], key: usize) -> Value {
    let earlier = |kept: &&Kept| kept.key != key && !kept.value.is_null() && kept.value == *value;
    if let Some(kept) = kept.iter().find(earlier).filter(|_| value.is_string() || value.is_number()).filter(|kept| is_telling(&kept.value))
    {
        return Value::String(format!("{{{{ {} }}}}", kept.name));
    }
    match value {
        Value::Array(items) => items.iter().map(|item| referring(item, kept, key)).collect(),
        Value::Object(fields) => Value::Object(fields.iter().map(|(name, value)| (name.clone(), referring(value, kept, key))).collect()),
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => other.clone(),
    }
}

/// Whether a value is so particular that the same value is the same thing.
fn is_telling(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.len() >= 4)
}

/// A sentence without identifiers, which differ from run to run.
fn without_ids(text: &str, kept: &[Kept]) -> String {
    let ids = kept.iter().filter_map(|kept| Some((kept.value.as_str()?, &kept.name)));
    ids.fold(text.to_owned(), |text, (id, name)| text.replace(id, name))
}

/// A value on one line.
fn flow(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{}: {}", key(name), flow(value))).collect();
            format!("{{ {} }}", fields.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::String(text) if is_plain(text) => text.clone(),
        other => other.to_string(),
    }
}

fn key(name: &str) -> String {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '$' | '/'));
    if plain { name.to_owned() } else { Value::String(name.to_owned()).to_string() }
}

/// Whether YAML reads a text as itself without quotes.
fn is_plain(text: &str) -> bool {
    let reserved = ["true", "false", "null", "yes", "no", "on", "off", "NO", "y", "n"];
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic());
    begins && !reserved.contains(&text) && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_value_is_written_so_that_it_reads_back() {
        let value =
            json!({"transId": "{{ payment_1 }}", "amount": 1, "curr": "CZK", "test": "true", "note": "a \"b\": c", "list": [1, null]});
        let text = flow(&value);
        let source = crate::source::Source::new("t.yaml", text.clone());
        let read = source.parse(&mut crate::source::Problems::new()).unwrap().to_json();
        assert_eq!(read, value, "{text}");
    }
}
