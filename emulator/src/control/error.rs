//! Errors of the control API: a sentence about the mistake and what to do.

use axum::body::Body;
use axum::response::IntoResponse;
use http::{Response, StatusCode};

use crate::wire::ApiResponse;
use crate::wire::body::BodyError;
use crate::world::{AdvanceError, MOST_WORLDS, SettingsError, WorldError};

/// Status and sentence.
#[derive(Debug)]
pub(super) struct ControlError {
    status: StatusCode,
    sentence: String,
}

impl ControlError {
    pub(super) fn new(status: StatusCode, sentence: impl Into<String>) -> Self {
        Self { status, sentence: sentence.into() }
    }

    /// Its status and its sentence.
    pub(super) fn parts(&self) -> (StatusCode, &str) {
        (self.status, &self.sentence)
    }

    /// The request is invalid.
    pub(super) fn bad(sentence: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, sentence)
    }

    /// The request names something that does not exist.
    pub(super) fn unknown(sentence: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, sentence)
    }

    /// The action can't happen in this state.
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
        let (status, sentence) = error.ruling();
        Self::new(status, sentence)
    }
}

impl From<WorldError> for ControlError {
    fn from(error: WorldError) -> Self {
        match error {
            WorldError::Taken(name) => Self::conflict(format!("there is a world `{name}` already: delete it first, or leave the name out")),
            WorldError::TooMany => Self::conflict(format!("there are {MOST_WORLDS} worlds already: delete some first")),
            WorldError::Settings(error) => error.into(),
            WorldError::Unknown => Self::unknown("there is no such world; POST /__emulator/worlds opens one"),
            WorldError::Default => Self::conflict("the default world is always there: reset it by the action world.resets"),
        }
    }
}

impl From<SettingsError> for ControlError {
    fn from(error: SettingsError) -> Self {
        Self::bad(error.to_string())
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
        ApiResponse::error(self.status, &self.sentence).into_response()
    }
}
