//! The QR payment API over HTTP: JSON in, JSON out, under `/pos/auth-api` and `/pos/qr-api`.

mod authentication;
mod bodies;
mod calls;
mod logo;
mod methods;
mod requests;
mod responses;
mod routes;

use bytes::Bytes;

use self::responses::{no_endpoint, refusal_response};
pub(crate) use self::routes::{Endpoint, ROUTES};
use super::core::{Call, Refusal};
use crate::wire::{ApiResponse, BodyError, Context, Disconnected, PathParts, RequestBody, Route, request_faults};

/// Responds to a call.
pub(crate) async fn respond(
    context: Context<'_>,
    route: &Route<Endpoint>,
    path: PathParts<'_>,
    body: impl RequestBody,
) -> Result<ApiResponse, Disconnected> {
    let call = match route.endpoint(&context.head.method) {
        Ok(Endpoint::Call(call)) => call,
        Ok(Endpoint::Logo) => return Ok(logo::serve(path.get("file"))),
        Err(error) => return Ok(no_endpoint(error)),
    };
    let response = |body: Result<Bytes, BodyError>| {
        let response = body.map_err(Refusal::from).and_then(|body| calls::perform(context, call, &path, &body));
        response.unwrap_or_else(refusal_response).challenging(challenge(call))
    };
    request_faults::respond(context.world.qr().faults(), Some(call), body, response).await
}

/// What a call asks callers for that it does not know.
const fn challenge(call: Call) -> &'static str {
    match call {
        Call::Authenticate => "Basic realm=\"qr\"",
        _ => "Bearer",
    }
}
