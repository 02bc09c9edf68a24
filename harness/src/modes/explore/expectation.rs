//! The expectations of a scenario's step that check the same as the model.

use serde_json::{Map, Value, json};

use super::command::BoundCommand;
use super::error::ModelError;
use super::model::{ExpectedResponse, Model};
use super::prediction::describe;
use super::state::WorldState;
use crate::spec::contract::{Operation, Success};

/// The expectations of a scenario's step.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct StepExpectation {
    /// Fields of the body.
    pub(crate) expect: Map<String, Value>,
    /// The HTTP status.
    pub(crate) status: Option<Value>,
}

impl StepExpectation {
    /// What the model allows in any of these states. An action of the world has no operation.
    pub(super) fn from_model(
        model: &Model,
        command: &BoundCommand<'_>,
        states: &[WorldState],
        operation: Option<&Operation>,
        assert_assumed: bool,
    ) -> Result<Self, ModelError> {
        let (mut responses, mut alternatives) = (Vec::new(), Vec::new());
        for state in states {
            let variables = command.variables(state);
            for outcome in model.transition(command, &variables)?.allowed(&variables, assert_assumed)? {
                responses.push(outcome.response.clone());
                let mut fields = Map::new();
                for field in outcome.expected_fields(&variables)? {
                    fields.insert(field.name.to_owned(), describe(field.matcher, &variables)?);
                }
                alternatives.push(fields);
            }
        }
        let mut expectation = operation.map_or_else(Self::default, |operation| Self::from_responses(&responses, operation));
        expectation.expect.extend(common_fields(&alternatives));
        Ok(expectation)
    }

    /// What was observed, where that was right.
    pub(super) fn from_observed(accepted: bool, code: Option<&String>, operation: &Operation) -> Self {
        let response = match code {
            _ if accepted => ExpectedResponse::Accepted,
            Some(code) => ExpectedResponse::Codes(vec![code.clone()]),
            None => ExpectedResponse::Refused,
        };
        Self::from_responses(&[response], operation)
    }

    fn from_responses(responses: &[ExpectedResponse], operation: &Operation) -> Self {
        let mut values: Vec<Value> = Vec::new();
        for value in responses.iter().flat_map(|response| matchers(response, operation)) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        let is_open =
            values.contains(&any()) || (responses.contains(&ExpectedResponse::Accepted) && responses.contains(&ExpectedResponse::Refused));
        let value = if is_open { any() } else { one_of(values) };
        match code_field(responses, operation) {
            Some(field) => Self { expect: single(field, value), status: None },
            None => Self { expect: Map::new(), status: Some(value) },
        }
    }
}

/// The body field that shows which response it is; none where the HTTP status shows it.
fn code_field<'o>(responses: &[ExpectedResponse], operation: &'o Operation) -> Option<&'o str> {
    match &operation.success {
        Success::Code { field, .. } => Some(field.as_str()),
        Success::RefusalCode { field } => {
            let only_codes = responses.iter().all(|response| matches!(response, ExpectedResponse::Codes(_)));
            only_codes.then_some(field.as_str())
        }
        Success::Status => None,
    }
}

/// An object with one field.
pub(super) fn single(name: &str, value: impl Into<Value>) -> Map<String, Value> {
    Map::from_iter([(name.to_owned(), value.into())])
}

fn any() -> Value {
    single("$any", true).into()
}

fn one_of(mut values: Vec<Value>) -> Value {
    match values.len() {
        1 => values.remove(0),
        _ => single("$one-of", values).into(),
    }
}

/// A response class as the matchers of a scenario write it.
fn matchers(response: &ExpectedResponse, operation: &Operation) -> Vec<Value> {
    match (response, &operation.success) {
        (ExpectedResponse::Any, _) => vec![any()],
        (ExpectedResponse::Accepted, Success::Code { value, .. }) => vec![json!(value)],
        (ExpectedResponse::Refused, Success::Code { value, .. }) => vec![json!({"$not": value})],
        (ExpectedResponse::Accepted, Success::RefusalCode { .. } | Success::Status) => vec![json!({"$success": true})],
        (ExpectedResponse::Refused, Success::RefusalCode { .. } | Success::Status) => vec![json!({"$refusal": true})],
        (ExpectedResponse::Codes(codes), success) => codes.iter().map(|code| success.code_value(code)).collect(),
    }
}

/// The fields that every alternative expects, each with all the values it may have.
fn common_fields(alternatives: &[Map<String, Value>]) -> Map<String, Value> {
    let mut common = Map::new();
    for name in alternatives.first().into_iter().flat_map(Map::keys) {
        let values = alternatives.iter().map(|fields| fields.get(name).cloned());
        let Some(all) = values.collect::<Option<Vec<Value>>>() else { continue };
        let mut distinct: Vec<Value> = Vec::new();
        for value in all {
            if !distinct.contains(&value) {
                distinct.push(value);
            }
        }
        common.insert(name.clone(), one_of(distinct));
    }
    common
}
