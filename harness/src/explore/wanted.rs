//! What an answer must be, written as a scenario expects it.

use serde_json::{Map, Value, json};

use super::model::{Answer, Model};
use super::moves::Prepared;
use super::play::named;
use super::state::State;
use crate::contract::{Operation, Success};
use crate::scenario::Given;

/// What a step of a scenario expects.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Wanted {
    /// Of the body.
    pub(crate) expect: Map<String, Value>,
    /// Of the HTTP answer.
    pub(crate) status: Option<Value>,
}

impl Wanted {
    /// What the model asks for: where several things may be so, any of them will do. What is done in the world has no
    /// operation.
    pub(super) fn of_model(
        model: &Model,
        prepared: &Prepared<'_>,
        worlds: &[State],
        operation: Option<&Operation>,
        assert_assumed: bool,
    ) -> Result<Self, String> {
        let (mut answers, mut fields) = (Vec::new(), Vec::new());
        for state in worlds {
            let known = prepared.known(state);
            for outcome in model.row(prepared, &known)?.allowed(assert_assumed) {
                answers.push(outcome.answer.clone());
                let mut described = Map::new();
                for field in outcome.expected(&known)? {
                    described.insert(field.name.to_owned(), field.matcher.describe(&Given::of(&known))?);
                }
                fields.push(described);
            }
        }
        let mut wanted = operation.map_or_else(Self::default, |operation| Self::of_answers(&answers, operation));
        wanted.expect.extend(in_all(&fields));
        Ok(wanted)
    }

    /// What was answered, where that was as it must be.
    pub(super) fn of_answer(accepted: bool, code: Option<&String>, operation: &Operation) -> Self {
        let answer = match code {
            _ if accepted => Answer::Accepted,
            Some(code) => Answer::Codes(vec![code.clone()]),
            None => Answer::Refused,
        };
        Self::of_answers(&[answer], operation)
    }

    fn of_answers(answers: &[Answer], operation: &Operation) -> Self {
        let mut values: Vec<Value> = Vec::new();
        for value in answers.iter().flat_map(|answer| spelled(answer, operation)) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        let is_open = values.contains(&any()) || (answers.contains(&Answer::Accepted) && answers.contains(&Answer::Refused));
        let value = if is_open { any() } else { one_of(values) };
        let in_body = match &operation.success {
            Success::Code { field, .. } => Some(field),
            Success::NoCode { field } => Some(field).filter(|_| answers.iter().all(|answer| matches!(answer, Answer::Codes(_)))),
            Success::Status => None,
        };
        match in_body {
            Some(field) => Self { expect: Map::from_iter([(field.clone(), value)]), status: None },
            None => Self { expect: Map::new(), status: Some(value) },
        }
    }
}

fn any() -> Value {
    named("$any", true)
}

fn one_of(mut values: Vec<Value>) -> Value {
    match values.len() {
        1 => values.remove(0),
        _ => named("$one-of", values),
    }
}

/// An answer as a matcher of a scenario spells it.
fn spelled(answer: &Answer, operation: &Operation) -> Vec<Value> {
    match (answer, &operation.success) {
        (Answer::Any, _) => vec![any()],
        (Answer::Accepted, Success::Code { value, .. }) => vec![json!(value)],
        (Answer::Refused, Success::Code { value, .. }) => vec![json!({"$not": value})],
        (Answer::Accepted, Success::NoCode { .. } | Success::Status) => vec![json!({"$success": true})],
        (Answer::Refused, Success::NoCode { .. } | Success::Status) => vec![json!({"$refusal": true})],
        (Answer::Codes(codes), success) => codes.iter().map(|code| success.as_answered(code)).collect(),
    }
}

/// The fields that are expected in every case, with everything that they may be.
fn in_all(cases: &[Map<String, Value>]) -> Map<String, Value> {
    let mut all = Map::new();
    for name in cases.first().into_iter().flat_map(Map::keys) {
        let Some(found) = cases.iter().map(|case| case.get(name).cloned()).collect::<Option<Vec<Value>>>() else { continue };
        let mut values: Vec<Value> = Vec::new();
        for value in found {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        all.insert(name.clone(), one_of(values));
    }
    all
}
