//! What a step of a scenario expects, held against what was answered.

use indexmap::IndexMap;
use serde_json::Value;

use super::about;
use crate::contract::{Contracts, Expression, Operation, text_of};
use crate::exchange::{Body, Exchange};
use crate::scenario::{Given, Matcher, Mismatch, Variables};
use crate::verdict::Finding;

/// What is compared with an expectation.
#[derive(Clone, Copy, Debug)]
pub enum Compared<'c> {
    /// The body of the answer, as far as it is kept.
    Body(Option<&'c Body>),
    /// Something else of the answer, by its name.
    Other(&'c str, &'c Value),
}

impl<'c> Compared<'c> {
    fn name(self) -> &'c str {
        match self {
            Self::Body(_) => "answer body",
            Self::Other(name, _) => name,
        }
    }

    fn look(self, pointer: &str) -> Result<Option<&'c Value>, String> {
        match self {
            Self::Body(body) => body.map_or(Ok(None), |body| body.look(pointer)),
            Self::Other(_, value) => Ok(value.pointer(pointer)),
        }
    }

    fn given(self, variables: &'c Variables) -> Given<'c> {
        match self {
            Self::Body(Some(body)) => Given::with(variables, body),
            Self::Body(None) | Self::Other(..) => Given::of(variables),
        }
    }
}

/// Compares an answer with a step's expectation. The error is a template that can't be filled in, or
/// something that can't be said because only the beginning of a list is kept.
pub fn expectation(
    expected: &IndexMap<String, Matcher>,
    compared: Compared<'_>,
    exchange: &Exchange,
    variables: &Variables,
    clauses: impl Fn(&Mismatch) -> Vec<String>,
) -> Result<Vec<Finding>, String> {
    let (mut findings, whole, given) = (Vec::new(), compared.name(), compared.given(variables));
    for (name, matcher) in expected {
        // An empty name is the whole body.
        let pointer = if name.is_empty() || name.starts_with('/') { name.clone() } else { format!("/{name}") };
        for mismatch in matcher.mismatches(&pointer, compared.look(&pointer)?, &given)? {
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
