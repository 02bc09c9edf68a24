//! Worlds are opened, shown and ended.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use http::{Response, StatusCode};
use serde_json::json;

use super::error::ControlError;
use super::http::{ControlResponse, Path, json_response, read_body, read_json};
use super::lookup::find_world;
use super::prefix::PREFIX;
use crate::world::{World, WorldSettings, Worlds};

pub(super) async fn open(State(worlds): State<Arc<Worlds>>, request: Request) -> ControlResponse {
    let settings: WorldSettings = read_json(&read_body(request).await?)?;
    let world = worlds.open(settings)?;
    json_response(StatusCode::CREATED, &opened(&world))
}

fn opened(world: &World) -> serde_json::Value {
    json!({ "world": world.name(), "path": world.path(), "control": format!("{PREFIX}/worlds/{}", world.name()) })
}

pub(super) async fn summary(State(worlds): State<Arc<Worlds>>, Path(name): Path<String>) -> ControlResponse {
    let world = find_world(&worlds, &name)?;
    json_response(
        StatusCode::OK,
        &json!({
            "name": world.name(),
            "path": world.path(),
            "now": world.now(),
            "merchants": world.merchants().ids(),
            "payments": world.count_payments(),
            "freedoms": chosen(&world),
            "notifications": { "in-flight": world.outbox().in_flight(), "scheduled": world.scheduled() },
        }),
    )
}

/// The alternatives other than the defaults, by freedom.
fn chosen(world: &World) -> serde_json::Map<String, serde_json::Value> {
    world.freedoms().chosen().iter().map(|(id, alternative)| ((*id).to_owned(), (*alternative).into())).collect()
}

pub(super) async fn end(State(worlds): State<Arc<Worlds>>, Path(name): Path<String>) -> Result<Response<Body>, ControlError> {
    worlds.delete(&name)?;
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    Ok(response)
}
