//! The card terminal over HTTP: JSON in, JSON out, the terminal's login and secret in the Basic header.

mod calls;
mod records;
mod requests;
mod routes;

use bytes::Bytes;
use http::StatusCode;

pub(crate) use self::routes::ROUTES;
use super::core::{Call, Violation};
use crate::wire::result::json_refusal;
use crate::wire::{ApiResponse, BodyError, Context, Disconnected, PathParts, RequestBody, Route, request_faults};
use crate::world::Operation;

/// Responds to a call of a terminal.
pub(crate) async fn respond(
    context: Context<'_>,
    route: &Route<Call>,
    path: PathParts<'_>,
    body: impl RequestBody,
) -> Result<ApiResponse, Disconnected> {
    let Ok(call) = route.endpoint(&context.head.method) else { return Ok(wrong_method()) };
    let response = |body: Result<Bytes, BodyError>| match body {
        Ok(body) => perform(context, call, path.get("transId"), &body),
        Err(error) => unread(call, error),
    };
    request_faults::respond(context.world.faults(), Some(Operation::Terminal(call)), body, response).await
}

fn perform(context: Context<'_>, call: Call, id: &str, body: &[u8]) -> ApiResponse {
    match calls::perform(context, call, id, body) {
        Ok(record) => ApiResponse::json(StatusCode::OK, record.into_bytes()),
        Err(refusal) => json_refusal(context.world.error_status(), &refusal),
    }
}

fn wrong_method() -> ApiResponse {
    let why = Violation::Unreadable("the HTTP method is not that of this call").refusal(Call::Status);
    json_refusal(StatusCode::METHOD_NOT_ALLOWED, &why)
}

fn unread(call: Call, error: BodyError) -> ApiResponse {
    let (status, why) = error.ruling();
    json_refusal(status, &Violation::Unreadable(why).refusal(call))
}
