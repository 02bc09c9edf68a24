//! Transfers and statements over HTTP.

mod abo;
mod archive;
mod calls;
mod cells;
mod csv;
mod detail;
mod options;
mod pages;
mod routes;
mod statement_file;
pub(crate) mod v1;

use axum::body::Body;
use http::{Response, StatusCode};

use self::calls::wrong_query;
pub(crate) use self::routes::ROUTES;
use super::core::Call;
use crate::wire::result::json_refusal;
use crate::wire::{Context, Disconnected, PathParts, RequestBody, Route, request_faults};
use crate::world::Operation;

/// Responds to a call about transfers.
pub(crate) async fn respond(
    context: Context<'_>,
    route: &Route<Call>,
    path: PathParts<'_>,
    body: impl RequestBody,
) -> Result<Response<Body>, Disconnected> {
    let Ok(call) = route.endpoint(&context.head.method) else {
        let why = wrong_query("transfers are read by GET");
        return Ok(json_refusal(StatusCode::METHOD_NOT_ALLOWED, &why).into_response());
    };
    // These calls take no body, so what was sent is ignored.
    request_faults::respond(context.world.faults(), Some(Operation::Transfers(call)), body, |_| {
        calls::perform(context, call, &path).unwrap_or_else(|refusal| json_refusal(context.world.error_status(), &refusal).into_response())
    })
    .await
}
