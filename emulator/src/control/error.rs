//! Errors of the control API: a sentence that says what was wrong and what to do.

use axum::body::Body;
use axum::response::IntoResponse;
use http::{Response, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::gateway::core::TransId;
use crate::wire::Reply;
use crate::wire::body::BodyError;
use crate::world::{AdvanceError, WorldError};

/// Status and sentence.
#[derive(Debug)]
pub(crate) struct ControlError {
    status: StatusCode,
    sentence: String,
}

impl ControlError {
    pub(super) fn new(status: StatusCode, sentence: impl Into<String>) -> Self {
        Self { status, sentence: sentence.into() }
    }

    /// What was sent makes no sense.
    pub(super) fn bad(sentence: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, sentence)
    }

    /// What was named isn't there.
    pub(super) fn unknown(sentence: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, sentence)
    }

    /// It can't happen in this state.
    pub(super) fn conflict(sentence: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, sentence)
    }

    /// No such payment.
    pub(super) fn unknown_payment(trans_id: impl std::fmt::Display) -> Self {
        Self::unknown(format!("there is no payment {trans_id} in this world; …/payments lists them"))
    }
}

impl From<BodyError> for ControlError {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::TooLarge => Self::new(StatusCode::PAYLOAD_TOO_LARGE, "the body is larger than 1 MiB"),
            BodyError::Broken => Self::bad("the body broke off"),
        }
    }
}

impl From<WorldError> for ControlError {
    fn from(error: WorldError) -> Self {
        match error {
            WorldError::Taken(name) => Self::conflict(format!("there is a world `{name}` already: delete it first, or leave the name out")),
            WorldError::Settings(sentence) => Self::bad(sentence),
            WorldError::Unknown => Self::unknown("there is no such world; POST /__emulator/worlds opens one"),
            WorldError::Default => Self::conflict("the default world is always there: reset it by the action world.resets"),
        }
    }
}

impl From<AdvanceError> for ControlError {
    fn from(error: AdvanceError) -> Self {
        match error {
            AdvanceError::RealClock => Self::conflict("this world runs on real time: open one with \"clock\": \"virtual\""),
            AdvanceError::Backwards => Self::conflict("the clock of this world is past that time already, and doesn't go back"),
        }
    }
}

impl IntoResponse for ControlError {
    fn into_response(self) -> Response<Body> {
        error_body(self.status, &self.sentence).into_response()
    }
}

/// `{"error": sentence}`.
pub(crate) fn error_body(status: StatusCode, sentence: &str) -> Reply {
    json_body(status, &json!({ "error": sentence }))
}

/// Any JSON answer.
pub(crate) fn json_body(status: StatusCode, body: &impl Serialize) -> Reply {
    Reply::json(status, serde_json::to_vec(body).unwrap_or_default())
}

/// Reads a JSON body; an empty one counts as `{}`.
pub(super) fn read_json<T: DeserializeOwned>(body: &[u8]) -> Result<T, ControlError> {
    let body = if body.is_empty() { b"{}" } else { body };
    serde_json::from_slice(body).map_err(|error| ControlError::bad(format!("the body is not as described in openapi.yaml: {error}")))
}

/// Reads a payment code as far as it can name a payment.
pub(super) fn read_trans_id(text: &str) -> Result<TransId, ControlError> {
    TransId::parse(text).ok_or_else(|| ControlError::unknown_payment(text))
}
