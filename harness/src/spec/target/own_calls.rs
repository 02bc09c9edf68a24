//! How a target is called where the documents leave it open: its own paths, methods and requests.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::base::source::{Diagnostic, Fields, Problems};
use crate::spec::contract::{Contracts, METHODS, Operation};

/// The target's own paths by operation: `/a/path`, or `PUT /a/path` where the documents show no method either.
pub(super) fn paths(
    fields: &mut Fields<'_>,
    contracts: &Contracts,
    problems: &mut Problems,
) -> (IndexMap<String, String>, IndexMap<String, String>) {
    let (mut paths, mut methods) = (IndexMap::new(), IndexMap::new());
    for entry in fields.map("paths", problems) {
        let Some(operation) = contracts.operations.get(&entry.key) else {
            let problem = Diagnostic::new(&entry.value.source, entry.key_span, format!("there is no operation `{}`", entry.key));
            problems.add(problem.names(&entry.key, contracts.operations.keys().map(String::as_str)));
            continue;
        };
        let Some(text) = entry.value.text() else {
            problems.add(Diagnostic::at(&entry.value, "a path is a text"));
            continue;
        };
        let (method, path) = match text.split_once(' ') {
            Some((method, path)) => (Some(method), path.trim_start()),
            None => (None, text),
        };
        if let Some(method) = method {
            if let Err(message) = own_method(operation, method) {
                problems.add(Diagnostic::at(&entry.value, message));
            }
            methods.insert(entry.key.clone(), method.to_owned());
        }
        let missing = operation.path.parameters().find(|name| !path.contains(&format!("{{{name}}}")));
        if let Some(name) = missing {
            problems.add(Diagnostic::at(&entry.value, format!("the path needs its parameter `{{{name}}}`")));
        }
        paths.insert(entry.key.clone(), path.to_owned());
    }
    (paths, methods)
}

/// Whether an operation may have this method on a target.
fn own_method(operation: &Operation, method: &str) -> Result<(), String> {
    if !METHODS.contains(&method) {
        return Err(format!("`{method}` is no method before a path; there are {}", METHODS.join(", ")));
    }
    match operation.assumed.is_some() || operation.method == method {
        true => Ok(()),
        false => Err(format!("the documents show the method of {}: {}", operation.id, operation.method)),
    }
}

/// The target's own requests. Their values are not shown with a mistake, as they are the user's data.
pub(super) fn examples(fields: &mut Fields<'_>, contracts: &Contracts, problems: &mut Problems) -> IndexMap<String, Map<String, Value>> {
    let mut examples = IndexMap::new();
    for entry in fields.map("examples", problems) {
        if !contracts.operations.contains_key(&entry.key) {
            let problem = Diagnostic::new(&entry.value.source, entry.key_span, format!("there is no operation `{}`", entry.key));
            problems.add(problem.names(&entry.key, contracts.operations.keys().map(String::as_str)));
        }
        match entry.value.to_json() {
            Value::Object(example) => _ = examples.insert(entry.key.clone(), example),
            _ => problems.add(Diagnostic::at(&entry.value, "an example is a mapping of the request's fields")),
        }
    }
    examples
}
