//! A sequence written as a scenario that `paycheck verify` reads.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::divergence::{Divergence, Sight};
use super::model::Model;
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
    /// The move that was answered.
    key: usize,
    /// The thing that it is known of, by the move that created it.
    thing: usize,
    variable: String,
    name: String,
    /// Where it stands in the answer.
    place: String,
    value: Value,
}

impl Kept {
    /// The name of the field that it stands in.
    fn field(&self) -> &str {
        self.place.rsplit('/').next().unwrap_or(&self.place)
    }
}

impl Script<'_> {
    /// The whole text.
    pub(super) fn text(&self) -> String {
        let mut kept = self.kept();
        // What is not named in what follows is not kept.
        let steps = self.steps(&kept);
        kept.retain(|kept| kept.variable == "id" || steps.contains(&format!("{{{{ {} }}}}", kept.name)));
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
        out + &self.steps(&kept)
    }

    fn steps(&self, kept: &[Kept]) -> String {
        let mut out = String::new();
        let end = self.made.len().saturating_sub(1);
        for (index, (stride, made)) in self.made.iter().enumerate() {
            let last = index == end && self.divergence.last_stride().is_some();
            self.stride(&mut out, stride, made, last, kept);
        }
        self.notice(&mut out, kept);
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
        let refused = || operation.filter(|_| !made.accepted).map(|operation| Wanted::of_answer(false, made.code.as_ref(), operation));
        let wanted = wanted.or_else(refused).unwrap_or_default();
        expectation(&mut line, wanted, operation, kept, prepared.key);
        let own = kept.iter().filter(|kept| kept.key == prepared.key);
        let places: Map<String, Value> = own.map(|kept| (kept.name.clone(), Value::String(kept.place.clone()))).collect();
        if !places.is_empty() {
            line("keep", &Value::Object(places));
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
        let name = thing.and_then(|thing| kept.iter().find(|kept| kept.thing == thing && kept.variable == "id"));
        let id = name.map(|kept| (&shows.about.id, Value::String(format!("{{{{ {} }}}}", kept.name))));
        let fields = id.into_iter().chain([(&shows.state, Value::String(state.clone()))]);
        let fields: Map<String, Value> = fields.filter_map(|(place, value)| Some((field_of(place)?, value))).collect();
        let _ = writeln!(out, "  - {verb}: {}", flow(&Value::Object(fields)));
        self.clause(out);
    }

    /// Everything that is answered and may be sent again.
    fn kept(&self) -> Vec<Kept> {
        let mut kept = Vec::new();
        let mut counts = BTreeMap::<&str, usize>::new();
        let mut names = BTreeMap::<usize, String>::new();
        for made in self.made.iter().flat_map(|(_, made)| made) {
            if let Some(creation) = made.creation {
                let count = counts.entry(creation.resource.as_str()).or_default();
                *count += 1;
                names.insert(made.prepared.key, format!("{}_{count}", creation.resource.replace(['-', '.'], "_")));
            }
            kept.extend(created(made, &names));
            let learned = learned(made, &names, &kept);
            kept.extend(learned);
        }
        kept
    }
}

/// What is known of a thing that a move created.
fn created(made: &Made<'_>, names: &BTreeMap<usize, String>) -> Vec<Kept> {
    let key = made.prepared.key;
    let (Some(creation), Some(variables), Some(name)) = (made.creation, &made.created, names.get(&key)) else { return Vec::new() };
    let places = creation.keep.iter().map(|(variable, place)| (variable.as_str(), place)).chain([("id", &creation.id)]);
    let kept = places.filter_map(|(variable, place)| {
        let name = if variable == "id" { name.clone() } else { format!("{name}_{variable}") };
        Some(Kept { key, thing: key, variable: variable.to_owned(), name, place: place.clone(), value: variables.get(variable)?.clone() })
    });
    kept.collect()
}

/// What an answer told later; what is told a second time has a number.
fn learned(made: &Made<'_>, names: &BTreeMap<usize, String>, before: &[Kept]) -> Vec<Kept> {
    let Some((thing, name)) = made.prepared.on.and_then(|thing| Some((thing, names.get(&thing)?))) else { return Vec::new() };
    let kept = made.learned.iter().map(|learned| {
        let times = before.iter().filter(|kept| kept.thing == thing && kept.variable == learned.variable).count();
        let number = if times == 0 { String::new() } else { format!("_{}", times + 1) };
        Kept {
            key: made.prepared.key,
            thing,
            variable: learned.variable.clone(),
            name: format!("{name}_{}{number}", learned.variable),
            place: learned.place.clone(),
            value: learned.value.clone(),
        }
    });
    kept.collect()
}

fn expectation(line: &mut impl FnMut(&str, &Value), wanted: Wanted, operation: Option<&Operation>, kept: &[Kept], key: usize) {
    if !wanted.expect.is_empty() {
        line("expect", &referring(&Value::Object(wanted.expect), kept, key));
    }
    // Success is what a step expects that says nothing.
    let says_nothing = wanted.status == Some(serde_json::json!({"$success": true}));
    let by_status = operation.is_some_and(|operation| operation.success.value().is_none());
    if let Some(status) = wanted.status.filter(|_| !says_nothing && by_status) {
        line("http", &super::play::named("status", status));
    }
}

fn field_of(place: &Expression) -> Option<String> {
    place.pointer().map(|pointer| pointer.trim_start_matches('/').to_owned())
}

/// The value with names in place of what earlier answers told.
fn referring(value: &Value, kept: &[Kept], key: usize) -> Value {
    referring_in("", value, kept, key)
}

/// The same for the value of a field. A number is the one that was told before only in a field of the same name.
fn referring_in(field: &str, value: &Value, kept: &[Kept], key: usize) -> Value {
    let same =
        |kept: &&Kept| kept.key != key && kept.value == *value && (is_telling(value) || (value.is_number() && kept.field() == field));
    if let Some(kept) = kept.iter().find(same) {
        return Value::String(format!("{{{{ {} }}}}", kept.name));
    }
    match value {
        Value::Array(items) => items.iter().map(|item| referring_in(field, item, kept, key)).collect(),
        Value::Object(fields) => {
            // The value of a matcher is that of its field.
            let named = |name: &str| if name.starts_with('$') { field.to_owned() } else { name.to_owned() };
            let fields = fields.iter().map(|(name, value)| (name.clone(), referring_in(&named(name), value, kept, key)));
            Value::Object(fields.collect())
        }
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
