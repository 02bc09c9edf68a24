//! Responses: a JSON body, or an error.

use http::StatusCode;
use serde::Serialize;

use crate::qr::core::{Refusal, Violation};
use crate::wire::fields::{Malformed, Unreadable};
use crate::wire::{ApiResponse, BodyError, NoEndpoint};

/// A call that succeeded.
pub(super) fn ok(body: &impl Serialize) -> ApiResponse {
    ApiResponse::json_value(StatusCode::OK, body)
}

/// "Every error body carries `errorMessage`."
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ErrorBody {
    error_message: String,
}

/// A call that was refused.
pub(super) fn refusal_response(refusal: Refusal) -> ApiResponse {
    ApiResponse::json_value(refusal.status, &ErrorBody { error_message: refusal.message })
}

/// A path or method that no call has.
pub(super) fn no_endpoint(error: NoEndpoint) -> ApiResponse {
    refusal_response(match error {
        NoEndpoint::Path => Refusal::new(StatusCode::NOT_FOUND, "there is nothing at this path"),
        NoEndpoint::Method => Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "the HTTP method is not that of this call"),
    })
}

impl From<Malformed> for Refusal {
    fn from(Malformed(field): Malformed) -> Self {
        Violation::Malformed(field).into()
    }
}

impl From<Unreadable> for Refusal {
    fn from(Unreadable(why): Unreadable) -> Self {
        Violation::Unreadable(why).into()
    }
}

impl From<BodyError> for Refusal {
    fn from(error: BodyError) -> Self {
        let (status, sentence) = error.ruling();
        Self::new(status, sentence)
    }
}
