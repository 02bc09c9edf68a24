//! The response to a call: a JSON body, or an error.

use http::StatusCode;
use serde::Serialize;

use crate::device::core::{ErrorCode, Refusal};
use crate::wire::fields::Malformed;
use crate::wire::{ApiResponse, BodyError, NoEndpoint};

/// Why a call is not carried out.
#[derive(Debug)]
pub(super) enum Failure {
    /// With a code that applications decide by.
    Refused(Refusal),
    /// "Rejected before dispatch", with a status and no code.
    BeforeDispatch(StatusCode, &'static str),
}

/// A call that succeeded.
pub(super) fn ok(body: &impl Serialize) -> ApiResponse {
    ApiResponse::json_value(StatusCode::OK, body)
}

/// "Error body carries `errorMessage` (string, for humans) and `errorCode`."
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ErrorBody<'a> {
    error_message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code: Option<&'static str>,
}

/// A call that failed.
pub(super) fn failure_response(failure: Failure) -> ApiResponse {
    let (status, body) = match &failure {
        Failure::Refused(refusal) => {
            (status_of(refusal.code), ErrorBody { error_message: &refusal.message, error_code: Some(refusal.code.as_str()) })
        }
        Failure::BeforeDispatch(status, why) => (*status, ErrorBody { error_message: why, error_code: None }),
    };
    ApiResponse::json_value(status, &body)
}

/// "HTTP status per errorCode other than DEVICE_REVOKED: not shown."
const fn status_of(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::InvalidRequest | ErrorCode::AmbiguousInput => StatusCode::BAD_REQUEST,
        ErrorCode::Unauthorized | ErrorCode::TokenExpired | ErrorCode::DeviceRevoked => StatusCode::UNAUTHORIZED,
        ErrorCode::DeviceNotRegistered | ErrorCode::ActivationCodeUnknown => StatusCode::NOT_FOUND,
        ErrorCode::ActivationBlocked | ErrorCode::ConnectionDeactivated | ErrorCode::ConnectionNotReady | ErrorCode::ActivationCodeUsed => {
            StatusCode::CONFLICT
        }
        ErrorCode::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        ErrorCode::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<ErrorCode> for Failure {
    fn from(code: ErrorCode) -> Self {
        Self::Refused(code.into())
    }
}

impl From<BodyError> for Failure {
    fn from(error: BodyError) -> Self {
        let (status, sentence) = error.ruling();
        Self::BeforeDispatch(status, sentence)
    }
}

impl From<NoEndpoint> for Failure {
    fn from(error: NoEndpoint) -> Self {
        match error {
            NoEndpoint::Path => Self::BeforeDispatch(StatusCode::NOT_FOUND, "there is nothing at this path"),
            NoEndpoint::Method => Self::BeforeDispatch(StatusCode::METHOD_NOT_ALLOWED, "the HTTP method is not that of this call"),
        }
    }
}

impl From<Malformed> for Failure {
    fn from(Malformed(field): Malformed) -> Self {
        Refusal::invalid(format!("{field} has no valid value")).into()
    }
}
