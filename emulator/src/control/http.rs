//! Bodies in and out of the control API, and the names in its paths.

use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, Request};
use http::request::Parts;
use http::{Response, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::ControlError;
use crate::common::freedoms::Behaviour;
use crate::wire::shape::{IdentifierSpelling, numbers};
use crate::wire::{ApiResponse, body};
use crate::world::World;

/// The names in a path. Those that are no UTF-8 are refused like every other mistake: with a sentence, in JSON.
pub(super) struct Path<T>(pub(super) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = ControlError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ControlError> {
        let names = axum::extract::Path::from_request_parts(parts, state).await;
        names.map(|names| Self(names.0)).map_err(|refused| ControlError::bad(format!("the path can't be read: {}", refused.body_text())))
    }
}

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

/// Translates a body that names payments as the APIs of the world do.
pub(super) fn inward(world: &World, body: Bytes) -> Bytes {
    let is_numbered = world.behaves(Behaviour::QrIdsNumbers);
    let body = if is_numbered { numbers::inward(&String::from_utf8_lossy(&body)).into() } else { body };
    IdentifierSpelling::chosen_in(world.freedoms()).map_or_else(|| body.clone(), |identifiers| identifiers.inward(&body))
}

/// Reads a whole body.
pub(super) async fn read_body(request: Request) -> Result<Bytes, ControlError> {
    Ok(body::read(request.into_body()).await?)
}

/// Reads a JSON object; an empty body counts as `{}`.
pub(super) fn read_json<T: DeserializeOwned>(body: &[u8]) -> Result<T, ControlError> {
    let body = if body.is_empty() { b"{}" } else { body };
    // The library takes a list for the fields of an object, in their order.
    if body.trim_ascii_start().starts_with(b"[") {
        return Err(ControlError::bad("the body is a list, but a JSON object is expected".to_owned()));
    }
    serde_json::from_slice(body).map_err(|error| ControlError::bad(format!("the body is not as described in openapi.yaml: {error}")))
}
