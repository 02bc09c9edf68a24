//! An observed response, matched against the outcomes that a transition allows.

use serde_json::{Value, json};

use super::super::error::ModelError;
use super::super::model::{AllowedOutcome, ConditionalExpectation, ExpectedResponse};
use super::guard::{holds, matches};
use crate::spec::scenario::{Matcher, Variables};

/// What the model sees of a response.
#[derive(Clone, Debug)]
pub(crate) struct Observation<'r> {
    /// Whether it reports success.
    pub(crate) accepted: bool,
    /// Its result code, if it has one.
    pub(crate) code: Option<String>,
    /// Its body.
    pub(crate) body: Option<&'r Value>,
}

impl Observation<'_> {
    /// The response in words.
    pub(super) fn describe(&self) -> Value {
        match (&self.code, self.accepted) {
            (Some(code), true) => json!(format!("accepted, {code}")),
            (None, true) => json!("accepted"),
            (Some(code), false) => json!(format!("refused, {code}")),
            (None, false) => json!("refused"),
        }
    }
}

impl ExpectedResponse {
    /// Whether a response is of this class.
    pub(crate) fn matches(&self, observation: &Observation<'_>) -> bool {
        match self {
            Self::Any => true,
            Self::Accepted => observation.accepted,
            Self::Refused => !observation.accepted,
            Self::Codes(codes) => observation.code.as_ref().is_some_and(|code| codes.contains(code)),
        }
    }

    /// The class in words.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Accepted => "accepted".to_owned(),
            Self::Refused => "refused".to_owned(),
            Self::Any => "anything".to_owned(),
            Self::Codes(codes) => codes.join(" or "),
        }
    }
}

/// A field that a response must have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExpectedField<'o> {
    pub(crate) name: &'o str,
    pub(crate) matcher: &'o Matcher,
    /// Its clause, if it has one of its own.
    pub(super) clause: Option<&'o str>,
}

impl AllowedOutcome {
    /// Whether a response is one that this outcome allows.
    pub(super) fn admits(&self, observation: &Observation<'_>, variables: &Variables) -> Result<bool, ModelError> {
        if !self.response.matches(observation) {
            return Ok(false);
        }
        for field in self.expected_fields(variables)? {
            if !matches(field.matcher, field_of(observation.body, field.name), variables)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The fields that the response must have in this state.
    pub(crate) fn expected_fields(&self, variables: &Variables) -> Result<Vec<ExpectedField<'_>>, ModelError> {
        let mut fields: Vec<_> = self.expect.iter().map(|(name, matcher)| ExpectedField { name, matcher, clause: None }).collect();
        for ConditionalExpectation { clause, when, expect } in &self.expect_when {
            if holds(when, variables)? {
                fields.extend(expect.iter().map(|(name, matcher)| ExpectedField { name, matcher, clause: Some(clause) }));
            }
        }
        Ok(fields)
    }
}

/// The field of a body with this name, or at this JSON Pointer.
pub(crate) fn field_of<'b>(body: Option<&'b Value>, name: &str) -> Option<&'b Value> {
    if name.starts_with('/') { body?.pointer(name) } else { body?.get(name) }
}
