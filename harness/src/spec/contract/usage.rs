//! Collects the carriers of each clause, and checks that every clause in use is declared.

use indexmap::IndexMap;

use super::clause::Clause;
use super::parsed_files::ParsedFiles;
use crate::base::source::{Diagnostic, Node, NodeKind, Problems};

/// A place in the contracts that carries a clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClausePlace {
    /// `contracts/schemas/gateway/status-record.json:12`.
    pub place: String,
}

/// Keys whose text value (or the texts below them) are clause ids.
const CLAUSE_KEYS: [&str; 9] =
    ["x-clause", "x-clauses", "clause", "x-other-code", "x-format-clause", "x-unknown", "x-missing", "x-not-in-query", "undocumented"];

/// Walks every contract file for clause ids.
pub(super) fn collect(
    files: &ParsedFiles<'_>,
    clauses: &IndexMap<String, Clause>,
    problems: &mut Problems,
) -> IndexMap<String, Vec<ClausePlace>> {
    let mut carriers: IndexMap<String, Vec<ClausePlace>> = IndexMap::new();
    for (_, root) in files.matching(is_carrying) {
        walk(root, &mut |id| {
            let name = id.text().unwrap_or_default();
            check(id, name, clauses, problems);
            let place = format!("{}:{}", id.source.path, id.span.line);
            carriers.entry(name.to_owned()).or_default().push(ClausePlace { place });
        });
    }
    carriers
}

/// What may carry clauses.
fn is_carrying(path: &str) -> bool {
    !path.starts_with("clauses/") && path != "world.yaml"
}

/// Checks that a clause is declared and can be checked.
fn check(node: &Node, id: &str, clauses: &IndexMap<String, Clause>, problems: &mut Problems) {
    match clauses.get(id) {
        None => {
            let problem = Diagnostic::at(node, format!("the clause `{id}` is not declared in clauses/"));
            problems.add(problem.names(id, clauses.keys().map(String::as_str)));
        }
        Some(clause) if clause.unchecked.is_some() && clause.checked_by.is_none() => {
            problems.add(Diagnostic::at(node, format!("the clause `{id}` is declared as `unchecked`, but this checks it")));
        }
        Some(_) => {}
    }
}

fn walk(node: &Node, found: &mut impl FnMut(&Node)) {
    match &node.kind {
        NodeKind::Map(entries) => {
            for entry in entries {
                match entry.key.as_str() {
                    // Examples are the API's data, not ours.
                    "examples" | "example" | "default" | "enum" | "const" => {}
                    // A violation's `value` is data; its `clause` is ours.
                    key if CLAUSE_KEYS.contains(&key) => texts(&entry.value, found),
                    _ => walk(&entry.value, found),
                }
            }
        }
        NodeKind::List(items) => items.iter().for_each(|item| walk(item, found)),
        NodeKind::Null | NodeKind::Bool(_) | NodeKind::Number(_) | NodeKind::Text(_) => {}
    }
}

fn texts(node: &Node, found: &mut impl FnMut(&Node)) {
    match &node.kind {
        NodeKind::Text(_) => found(node),
        NodeKind::Map(entries) => entries.iter().for_each(|e| texts(&e.value, found)),
        NodeKind::List(items) => items.iter().for_each(|item| texts(item, found)),
        NodeKind::Null | NodeKind::Bool(_) | NodeKind::Number(_) => {}
    }
}
