//! Bodies in and out of the control API.

use axum::body::{Body, Bytes};
use axum::extract::Request;
use http::{Response, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::ControlError;
use crate::wire::shape::IdentifierSpelling;
use crate::wire::{ApiResponse, body};
use crate::world::World;

/// What every handler returns.
pub(super) type ControlResponse = Result<Response<Body>, ControlError>;

/// A body in JSON.
pub(super) fn json_response(status: StatusCode, body: &impl Serialize) -> ControlResponse {
    Ok(ApiResponse::json_value(status, body).into_response())
}

/// A body in JSON about a world, with its identifiers as they are outside of it.
pub(super) fn world_response(world: &World, body: &Value) -> ControlResponse {
    let Some(identifiers) = IdentifierSpelling::chosen_in(world.freedoms()) else { return json_response(StatusCode::OK, body) };
    Ok(ApiResponse::json(StatusCode::OK, identifiers.outward(body.to_string().as_bytes()).into()).into_response())
}

/// Reads a whole body.
pub(super) async fn read_body(request: Request) -> Result<Bytes, ControlError> {
    Ok(body::read(request.into_body()).await?)
}

/// Reads a JSON body; an empty one counts as `{}`.
pub(super) fn read_json<T: DeserializeOwned>(body: &[u8]) -> Result<T, ControlError> {
    let body = if body.is_empty() { b"{}" } else { body };
    serde_json::from_slice(body).map_err(|error| ControlError::bad(format!("the body is not as described in openapi.yaml: {error}")))
}
