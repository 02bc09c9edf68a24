//! How a response differs from what a transition allows, in words.

use serde_json::{Map, Value};

use super::super::error::ModelError;
use super::super::model::ModelTransition;
use super::guard::{describe, matches};
use super::observation::{ExpectedField, Observation, field_of};
use crate::spec::scenario::Variables;

/// The expected and the observed response: the fields that differ, or the whole response.
#[derive(Debug)]
pub(crate) struct Discrepancy {
    pub(crate) expected: Value,
    pub(crate) got: Value,
    /// The clause of the first field that differs, if it has one of its own.
    pub(crate) clause: Option<String>,
}

impl ModelTransition {
    /// Compares a response with the outcomes that this transition allows.
    pub(crate) fn discrepancy(
        &self,
        observation: &Observation<'_>,
        variables: &Variables,
        assert_assumed: bool,
    ) -> Result<Discrepancy, ModelError> {
        let (mut expected, mut got, mut clause) = (Map::new(), Map::new(), None);
        let allowed = self.allowed(variables, assert_assumed)?;
        for outcome in allowed.iter().filter(|outcome| outcome.response.matches(observation)) {
            for ExpectedField { name, matcher, clause: own } in outcome.expected_fields(variables)? {
                let value = field_of(observation.body, name);
                if !matches(matcher, value, variables)? {
                    expected.insert(name.to_owned(), describe(matcher, variables)?);
                    got.insert(name.to_owned(), value.cloned().unwrap_or(Value::Null));
                    clause = clause.or_else(|| own.map(str::to_owned).or_else(|| self.field_clauses.get(name).cloned()));
                }
            }
        }
        if expected.is_empty() {
            let responses: Vec<String> = allowed.iter().map(|outcome| outcome.response.describe()).collect();
            return Ok(Discrepancy { expected: responses.join(" or ").into(), got: observation.describe(), clause });
        }
        Ok(Discrepancy { expected: Value::Object(expected), got: Value::Object(got), clause })
    }
}
