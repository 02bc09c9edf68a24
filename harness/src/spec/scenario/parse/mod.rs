//! Reads scripts strictly: operations, actions, fields, clauses and names in templates are all checked before the first request.

mod impossible;
mod names;
mod reader;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value};

pub(crate) use names::request_fields;
use names::{FieldNames, clauses};
use reader::Reader;

use super::step::Step;
use super::{Scenario, TableRow};
use crate::base::source::{Diagnostic, Fields, Node, Problems, Source};
use crate::spec::contract::{Contracts, Files, capability_of, setting_values};

/// Names that templates may always use.
const BUILT_IN: [&str; 6] = ["world", "credentials", "reference", "digits", "settings", "freed"];

/// Parses every script of a set; reports all mistakes of all scripts together.
pub fn parse_all(files: &Files, contracts: &Contracts) -> Result<Vec<Scenario>, Problems> {
    let mut problems = Problems::new();
    let scripts = files.matching(|path| path.ends_with(".yaml"));
    let mut field_names = FieldNames::new(contracts);
    let scenarios: Vec<_> = scripts.filter_map(|(path, source)| script(path, source, contracts, &mut field_names, &mut problems)).collect();
    problems.or(scenarios)
}

/// Parses one script; `path` is `api/name.yaml`.
pub fn parse(path: &str, source: &Arc<Source>, contracts: &Contracts) -> Result<Scenario, Problems> {
    let mut problems = Problems::new();
    match script(path, source, contracts, &mut FieldNames::new(contracts), &mut problems) {
        Some(scenario) => problems.or(scenario),
        None => Err(problems),
    }
}

fn script<'c>(
    path: &str,
    source: &Arc<Source>,
    contracts: &'c Contracts,
    field_names: &mut FieldNames<'c>,
    problems: &mut Problems,
) -> Option<Scenario> {
    let node = source.parse(problems)?;
    if node.get("base").is_some() && node.get("steps").is_none() {
        // Its lines may hold secrets, so none is shown.
        problems.add(Diagnostic::of_file(source.path.clone(), "this is a target file, and no scenario; `--target` takes it".to_owned()));
        return None;
    }
    let mut fields = Fields::from_node(&node, "a scenario", problems)?;
    let title = fields.require_text("title", problems);
    let clauses = clauses(fields.optional("clauses"), contracts, problems);
    let needs = needs(&mut fields, contracts, problems);
    let setting = setting(&mut fields, contracts, problems);
    let as_stated = as_stated(&mut fields, &setting, problems);
    let (cases, columns) = cases(&mut fields, problems);
    let mut reader =
        Reader { contracts, columns: &cases, field_names, known: columns, actions: BTreeSet::new(), repeated: false, problems };
    let steps_node = fields.require("steps", reader.problems);
    let steps = steps_node.map(|node| steps(node, &mut reader)).unwrap_or_default();
    let capabilities = reader.actions;
    fields.finish(problems);
    if let Some(node) = steps_node {
        check_steps(node, &steps, problems);
    }
    // The folder on disk names the API, however the path was given.
    let file = path.rsplit('/').next().unwrap_or(path);
    let folder = std::path::Path::new(&source.path).parent().and_then(|p| p.file_name()).map(|n| n.to_string_lossy());
    Some(Scenario {
        name: file.trim_end_matches(".yaml").to_owned(),
        api: folder.unwrap_or_default().into_owned(),
        path: source.path.clone(),
        title: title?,
        clauses,
        needs: needs.into_iter().chain(capabilities).collect::<BTreeSet<_>>().into_iter().collect(),
        setting,
        as_stated,
        cases,
        steps: steps.into(),
    })
}

fn steps(node: &Node, reader: &mut Reader<'_, '_>) -> Vec<Step> {
    let items = node.list().unwrap_or_else(|| {
        reader.problems.add(Diagnostic::at(node, "`steps` is a list"));
        &[]
    });
    reader.steps(items)
}

fn check_steps(node: &Node, steps: &[Step], problems: &mut Problems) {
    // Steps that can't be read are mistakes of their own.
    if node.list().is_some_and(<[_]>::is_empty) {
        problems.add(Diagnostic::at(node, "a scenario has at least one step"));
    }
    if !steps.is_empty() && steps.iter().all(|step| step.once) {
        problems.add(Diagnostic::at(node, "all steps are played once; under load nothing would be repeated"));
    }
}

fn setting(fields: &mut Fields<'_>, contracts: &Contracts, problems: &mut Problems) -> Map<String, Value> {
    let entries = fields.map("setting", problems);
    contracts.check_setting(entries, problems);
    entries.iter().map(|e| (e.key.clone(), e.value.to_json())).collect()
}

/// The capabilities that a target needs: first words of actions.
fn needs(fields: &mut Fields<'_>, contracts: &Contracts, problems: &mut Problems) -> Vec<String> {
    let needs = fields.texts("needs", problems);
    if let Some(node) = fields.optional("needs") {
        let known: BTreeSet<&str> = contracts.actions.keys().map(|action| capability_of(action)).collect();
        for unknown in needs.iter().filter(|need| !known.contains(need.as_str())) {
            problems.add(Diagnostic::at(node, format!("no action begins with `{unknown}`")).names(unknown, known.iter().copied()));
        }
    }
    needs
}

/// The settings of which any stated value will do.
fn as_stated(fields: &mut Fields<'_>, setting: &Map<String, Value>, problems: &mut Problems) -> Vec<String> {
    let names = fields.texts("as-stated", problems);
    if let Some(node) = fields.optional("as-stated") {
        let values = setting_values(setting);
        for unknown in names.iter().filter(|name| values.iter().all(|(path, _)| path != *name)) {
            problems.add(Diagnostic::at(node, format!("`setting` has no `{unknown}`")));
        }
    }
    names
}

/// The table and its column names. Each case gets a unique name: its own, or its first columns.
fn cases(fields: &mut Fields<'_>, problems: &mut Problems) -> (Vec<TableRow>, BTreeSet<String>) {
    let mut names = BTreeSet::new();
    let mut columns: BTreeSet<String> = BUILT_IN.iter().map(|n| (*n).to_owned()).collect();
    let rows = fields.list("cases", problems);
    let mut cases = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let Some(entries) = row.entries() else {
            problems.add(Diagnostic::at(row, "a case is a mapping of columns"));
            continue;
        };
        let values: Map<String, Value> = entries.iter().map(|e| (e.key.clone(), e.value.to_json())).collect();
        for taken in entries.iter().filter(|entry| BUILT_IN.contains(&entry.key.as_str())) {
            let message = format!("no column can be named `{}`: templates always have this name", taken.key);
            problems.add(Diagnostic::at(&taken.value, message));
        }
        if index == 0 {
            columns.extend(values.keys().cloned());
        }
        for further in entries.iter().filter(|entry| !columns.contains(&entry.key)) {
            let problem = Diagnostic::new(&row.source, further.key_span, format!("the first case has no column `{}`", further.key));
            problems.add(problem.names(&further.key, columns.iter().map(String::as_str)));
        }
        for missing in columns.iter().filter(|c| !BUILT_IN.contains(&c.as_str()) && !values.contains_key(*c)) {
            problems.add(Diagnostic::at(row, format!("this case has no column `{missing}`, as the first case has")));
        }
        let name = values.get("name").and_then(Value::as_str).map_or_else(|| summary(&values), str::to_owned);
        if !names.insert(name.clone()) {
            problems.add(Diagnostic::at(row, format!("two cases are named `{name}`")).help("give each case a `name`"));
        }
        cases.push(TableRow { name, values });
    }
    if cases.is_empty() {
        cases.push(TableRow::default());
    }
    (cases, columns)
}

/// A case's name from its columns: `price 100, curr CZK`.
fn summary(values: &Map<String, Value>) -> String {
    let part = |(name, value): (&String, &Value)| match value {
        Value::String(text) => format!("{name} {text}"),
        other => format!("{name} {other}"),
    };
    values.iter().map(part).collect::<Vec<_>>().join(", ")
}
