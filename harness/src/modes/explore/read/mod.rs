//! Reads models strictly: operations, world actions, resources, clauses and every name in a template are checked before
//! the first request, and all mistakes of all files are reported together.

mod action;
mod reader;
mod transition;
mod variables;

use std::sync::Arc;

use serde_json::{Map, Value};

use super::model::{Model, OWN_WORLD, SETTINGS};
use crate::base::source::{Entry, Fields, Problems, Source};
use crate::spec::contract::{Contracts, Files};
use reader::Reader;
use variables::VariableNames;

/// Reads every model of a set of contracts, in the order of the files.
///
/// # Errors
/// Every mistake in every model.
pub fn read_all(files: &Files, contracts: &Contracts) -> Result<Vec<Model>, Problems> {
    let mut problems = Problems::new();
    let sources = files.matching(|path| path.starts_with("models/"));
    let models = sources.filter_map(|(_, source)| read(source, contracts, &mut problems)).collect();
    problems.or(models)
}

fn read(source: &Arc<Source>, contracts: &Contracts, problems: &mut Problems) -> Option<Model> {
    let node = source.parse(problems)?;
    let mut file = Fields::from_node(&node, "a model", problems)?;
    let api = file.require_text("api", problems);
    let document = file.require_text("document", problems);
    let setting = file.map("setting", problems);
    contracts.check_setting(setting, problems);
    let setting = plain(setting);
    let shared = file.map("shared", problems);
    let resources = file.map("resources", problems);
    let actions = file.map("actions", problems);
    file.finish(problems);
    let mut reader = Reader { contracts, names: VariableNames::collect(shared, resources, actions), resources, problems };
    let known = [SETTINGS, OWN_WORLD].map(str::to_owned).into();
    let shared = shared.iter().filter_map(|entry| Some((entry.key.clone(), reader.template(&entry.value, &known)?))).collect();
    let resources = resources.iter().filter_map(|entry| Some((entry.key.clone(), reader.resource(entry)?))).collect();
    let actions = actions.iter().filter_map(|entry| reader.action(entry)).collect();
    Some(Model { api: api?, document: document?, setting, shared, resources, actions })
}

fn plain(entries: &[Entry]) -> Map<String, Value> {
    entries.iter().map(|entry| (entry.key.clone(), entry.value.to_json())).collect()
}

#[cfg(test)]
mod tests;
