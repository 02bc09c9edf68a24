//! What it means to the app that a call came to nothing.

use super::Flaw;

/// An error answer, as far as the app reads it: `errorMessage` is for humans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub status: u16,
    /// `errorCode`, if there is one.
    pub code: Option<String>,
}

/// What the app does about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// It is in the deactivated state from now on.
    Deactivated,
    /// It exchanges its device token again, once, and repeats the call.
    Refresh,
    /// It backs off, and nothing more.
    BackOff,
    /// The call can't be carried out as it is; the operator is told this code.
    Operator(String),
}

/// The documented codes that are the operator's business.
const OPERATORS: [&str; 9] = [
    "INVALID_REQUEST",
    "UNAUTHORIZED",
    "ACTIVATION_BLOCKED",
    "CONNECTION_DEACTIVATED",
    "CONNECTION_NOT_READY",
    "DEVICE_NOT_REGISTERED",
    "ACTIVATION_CODE_UNKNOWN",
    "ACTIVATION_CODE_USED",
    "AMBIGUOUS_INPUT",
];

impl Refusal {
    /// "5xx and timeouts mean back off and nothing more", whatever else such a response says.
    pub fn meaning(&self, flaw: Option<Flaw>) -> Meaning {
        if self.status == 401 && flaw == Some(Flaw::DeactivatesOnAny401) {
            return Meaning::Deactivated;
        }
        if self.status >= 500 { Meaning::BackOff } else { self.meaning_of_code(flaw) }
    }

    fn meaning_of_code(&self, flaw: Option<Flaw>) -> Meaning {
        match self.code.as_deref() {
            Some("DEVICE_REVOKED") if flaw != Some(Flaw::SurvivesRevocation) => Meaning::Deactivated,
            Some("CONNECTION_DEACTIVATED") if flaw == Some(Flaw::DeactivatesWhenTheConnectionIsOver) => Meaning::Deactivated,
            Some("TOKEN_EXPIRED") => Meaning::Refresh,
            Some("RATE_LIMITED" | "INTERNAL_ERROR") => Meaning::BackOff,
            Some(code) if OPERATORS.contains(&code) => Meaning::Operator(code.to_owned()),
            Some(code) if flaw == Some(Flaw::GoesOnAfterUnknownCodes) => Meaning::Operator(code.to_owned()),
            // "An invalid JSON body is rejected with 400 and no errorCode; treat it as INVALID_REQUEST."
            None if self.status == 400 && flaw != Some(Flaw::RestsOnABadRequest) => Meaning::Operator("INVALID_REQUEST".to_owned()),
            // A code of tomorrow, or none where there should be one: nothing to decide by.
            Some(_) | None => Meaning::BackOff,
        }
    }
}
