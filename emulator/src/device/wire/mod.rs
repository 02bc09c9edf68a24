//! The cash-register device API over HTTP: JSON in, JSON out, under `/pos/pokladna-api`.

mod activate;
mod authentication;
mod calls;
mod failure;
mod requests;
mod routes;

use bytes::Bytes;

use self::failure::{Failure, failure_response};
pub(crate) use self::routes::ROUTES;
use super::core::Call;
use crate::wire::{ApiResponse, BodyError, Context, Disconnected, RequestBody, Route, request_faults};

/// Responds to a call.
pub(crate) async fn respond(context: Context<'_>, route: &Route<Call>, body: impl RequestBody) -> Result<ApiResponse, Disconnected> {
    let call = match route.endpoint(&context.head.method) {
        Ok(call) => call,
        Err(error) => return Ok(failure_response(error.into())),
    };
    let response = |body: Result<Bytes, BodyError>| {
        let response = body.map_err(Failure::from).and_then(|body| calls::perform(context, call, &body));
        response.unwrap_or_else(failure_response).challenging(challenge(call))
    };
    request_faults::respond(context.world.devices().faults(), Some(call), body, response).await
}

/// What a call asks callers for that it does not know.
const fn challenge(call: Call) -> &'static str {
    match call {
        Call::Activate => "Basic realm=\"device\"",
        _ => "Bearer",
    }
}
