//! Worlds are opened, looked at and ended.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Request, State};
use http::{Response, StatusCode};
use serde_json::json;

use super::error::{ControlError, read_json};
use super::routes::{Answer, PREFIX, json_answer, read_body};
use crate::app::AppState;
use crate::world::{World, WorldError, WorldSettings};

/// Finds a world or says that there is none.
pub(super) fn find(state: &AppState, name: &str) -> Result<Arc<World>, ControlError> {
    state.worlds.find(name).ok_or_else(|| WorldError::Unknown.into())
}

pub(super) async fn open(State(state): State<AppState>, request: Request) -> Answer {
    let settings: WorldSettings = read_json(&read_body(request).await?)?;
    let world = state.worlds.open(settings)?;
    json_answer(StatusCode::CREATED, &opened(&world))
}

fn opened(world: &World) -> serde_json::Value {
    json!({ "world": world.name(), "path": world.prefix(), "control": format!("{PREFIX}/worlds/{}", world.name()) })
}

pub(super) async fn summary(State(state): State<AppState>, Path(name): Path<String>) -> Answer {
    let world = find(&state, &name)?;
    json_answer(
        StatusCode::OK,
        &json!({
            "name": world.name(),
            "path": world.prefix(),
            "now": world.now(),
            "merchants": world.merchants().ids(),
            "payments": world.count_payments(),
            "notifications": { "in-flight": world.outbox().in_flight(), "scheduled": world.scheduled() },
        }),
    )
}

pub(super) async fn end(State(state): State<AppState>, Path(name): Path<String>) -> Result<Response<Body>, ControlError> {
    state.worlds.delete(&name)?;
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    Ok(response)
}
