//! What a step of a scenario expects, held against what was answered.

use indexmap::IndexMap;
use serde_json::Value;

use super::about;
use crate::contract::{Contracts, Expression, Operation, text_of};
use crate::exchange::Exchange;
use crate::scenario::{Matcher, Mismatch, Variables};
use crate::verdict::Finding;

/// Compares a body with a step's expectation. `body` names what is compared: `answer body`.
/// The error is a template that can't be filled in.
pub fn expectation(
    expected: &IndexMap<String, Matcher>,
    (whole, body): (&str, Option<&Value>),
    exchange: &Exchange,
    variables: &Variables,
    clauses: impl Fn(&Mismatch) -> Vec<String>,
) -> Result<Vec<Finding>, String> {
    let mut findings = Vec::new();
    for (name, matcher) in expected {
        // An empty name is the whole body.
        let pointer = if name.is_empty() || name.starts_with('/') { name.clone() } else { format!("/{name}") };
        let value = body.and_then(|body| body.pointer(&pointer));
        for mismatch in matcher.mismatches(&pointer, value, variables)? {
            let named = clauses(&mismatch);
            let message = format!("`{}` is not what the scenario expects", mismatch.pointer.trim_start_matches('/'));
            let mut finding = about(exchange, "", message).at(format!("{whole} {}", mismatch.pointer));
            finding.clauses = named;
            findings.push(finding.compare(mismatch.expected, mismatch.got));
        }
    }
    Ok(findings)
}

/// The clause of an expected code.
pub fn code_clause(operation: &Operation, mismatch: &Mismatch) -> Option<String> {
    let field = operation.success.field()?;
    let code = text_of(&mismatch.expected).filter(|_| mismatch.pointer.trim_start_matches('/') == field)?;
    operation.codes.get(&code).map(|code| code.clause.clone())
}

/// The clause of a resource's table, where the mismatch is about its state: a documented state that is
/// the wrong one breaks the table, not the list of states.
pub fn state_clause(contracts: &Contracts, operation: &Operation, mismatch: &Mismatch) -> Option<String> {
    let shows = operation.shows.as_ref()?;
    let table = contracts.tables.get(&shows.about.resource)?;
    let Expression::ResponseBody(pointer) = &shows.state else { return None };
    let known = mismatch.got.as_str().is_some_and(|state| table.states.contains_key(state));
    (known && *pointer == mismatch.pointer).then(|| table.undocumented.clone())
}

/// The clause that the schema of an answer or of a notification gives a field.
pub fn field_clause(operation: &Operation, pointer: &str) -> Option<String> {
    let field = pointer.trim_start_matches('/').split('/').next()?;
    let contents = operation.answer.iter().chain(&operation.request);
    contents.into_iter().find_map(|content| content.schema.clause_of_field(field))
}
