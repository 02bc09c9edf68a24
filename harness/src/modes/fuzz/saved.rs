//! Files that send a mutated request again: a scenario if one can express it, and always a `curl` line with the bytes of the body
//! beside it. Secrets in them are masked; the marks name the secret to insert.

use serde_json::{Map, Value, json};

use super::edit::Edit;
use super::fuzz_case::FuzzCase;
use crate::base::pointer;
use crate::base::verdict::Finding;
use crate::spec::contract::Operation;
use crate::spec::scenario::{WrittenScenario, WrittenStep};
use crate::wire::exchange::{Coding, Request, ShellVariables, curl_of_bytes};

/// Longer values are written to the file with the bytes only.
const LONGEST: usize = 100_000;

/// A request that shows a cause.
pub(super) struct Shown<'s> {
    pub(super) operation: &'s Operation,
    pub(super) fuzz_case: &'s FuzzCase<'s>,
    pub(super) edits: &'s [Edit],
    pub(super) finding: &'s Finding,
    pub(super) request: &'s Request,
    /// Whether it needs no steps before it.
    pub(super) alone: bool,
    /// The beginning of the files' names.
    pub(super) name: &'s str,
    /// The variables of its secrets.
    pub(super) variables: ShellVariables<'s>,
}

/// Name and content of each file.
pub(super) fn files(shown: &Shown<'_>) -> Vec<(String, Vec<u8>)> {
    let body = shown.fuzz_case.masked(shown.edits).body;
    let mut files = Vec::new();
    let body_file = format!("{}.body", shown.name);
    let line = curl_of_bytes(shown.request, (!body.is_empty()).then_some(body_file.as_str()), shown.variables);
    let heading = format!("#!/bin/sh\n# {}: {}\n", shown.operation.id, one_line(&shown.finding.message));
    let changes: String = shown.edits.iter().map(|edit| format!("# {}\n", one_line(&edit.describe()))).collect();
    files.push((format!("{}.sh", shown.name), format!("{heading}{changes}cd \"$(dirname \"$0\")\" || exit\n{line}\n").into_bytes()));
    if !body.is_empty() {
        files.push((body_file, body.clone()));
    }
    let call = if shown.alone { fields(shown.edits).or_else(|| raw(shown.operation, shown.edits, &body)) } else { None };
    files.extend(call.map(|call| (format!("{}.yaml", shown.name), scenario(shown, call).to_string().into_bytes())));
    files
}

fn one_line(text: &str) -> String {
    crate::base::text::fit(text, 300)
}

/// A scenario that sends the request, and expects that the server does not fail.
fn scenario(shown: &Shown<'_>, call: CallKeys) -> WrittenScenario {
    let mut step = WrittenStep::new("call", shown.operation.id.as_str());
    call.into_iter().for_each(|(key, value)| step.push(key, value));
    step.push("http", json!({ "status": { "$less-than": 500 } }));
    WrittenScenario {
        title: format!("{}: {}", shown.operation.id, one_line(&shown.finding.message)),
        clauses: vec![shown.finding.clause().to_owned()],
        setting: Map::new(),
        steps: vec![step],
    }
}

/// The keys of a call that send the changes.
type CallKeys = Vec<(&'static str, Value)>;

/// The changes as keys of a step, if all of them are about fields in valid spelling.
fn fields(edits: &[Edit]) -> Option<CallKeys> {
    let (mut with, mut without, mut extra) = (Map::new(), Vec::new(), Map::new());
    for edit in edits {
        match edit {
            Edit::Set { pointer, spelling } => drop(with.insert(field(pointer)?, spelling.value()?)),
            Edit::Remove { pointer } => without.push(field(pointer)?),
            Edit::Add { key, spelling } => drop(extra.insert((*key).to_owned(), spelling.value()?)),
            Edit::Repeat { .. } | Edit::Body(_) | Edit::Target(_) | Edit::Method(_) | Edit::Header(_) => return None,
        }
    }
    let parts = [("with", Value::Object(with)), ("without", json!(without)), ("extra", Value::Object(extra))];
    let call: CallKeys = parts.into_iter().filter(|(_, part)| *part != json!({}) && *part != json!([])).collect();
    call.iter().all(|(_, part)| is_plain(part)).then_some(call)
}

/// The name of a top-level field of the body; none for a nested one.
fn field(pointer: &str) -> Option<String> {
    let name = pointer.strip_prefix('/')?;
    (!name.contains('/')).then(|| pointer::unescaped(name).into_owned())
}

/// The literal body, if it is a text without a secret and all changes are in it.
fn raw(operation: &Operation, edits: &[Edit], body: &[u8]) -> Option<CallKeys> {
    let in_body = |edit: &Edit| edit.is_about_fields() || matches!(edit, Edit::Body(_));
    let json = operation.request.as_ref().is_some_and(|content| content.coding == Coding::Json);
    let text =
        std::str::from_utf8(body).ok().filter(|text| json && !edits.is_empty() && edits.iter().all(in_body) && !text.contains("***"))?;
    let text = Value::from(text);
    is_plain(&text).then(|| vec![("body", text)])
}

/// Whether none of its texts reads as a template.
fn is_plain(value: &Value) -> bool {
    let text = value.to_string();
    text.len() <= LONGEST && !text.contains("{{") && !text.contains("{%") && !text.contains("{#")
}
