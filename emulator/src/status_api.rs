//! The status API: outages and the health of the gateway. It needs no credentials.

use http::StatusCode;
use http::request::Parts;
use serde_json::json;

use crate::control::{error_body, json_body};
use crate::wire::Reply;
use crate::world::World;

/// Answers a call of the status API; `None` if the path is none of its own.
pub(crate) fn answer(world: &World, head: &Parts, path: &str) -> Option<Reply> {
    let answer = match path {
        "/outages" => outages,
        "/health" => health,
        _ => return None,
    };
    if head.method != http::Method::GET {
        return Some(error_body(StatusCode::METHOD_NOT_ALLOWED, "the status API is read by GET"));
    }
    Some(answer(world))
}

fn outages(world: &World) -> Reply {
    json_body(StatusCode::OK, &world.outages().told_about(world.now()))
}

fn health(world: &World) -> Reply {
    let now = world.now();
    let gateway = if world.outages().is_complete(now) { "OUTAGE" } else { "OK" };
    json_body(StatusCode::OK, &json!({ "gateway": gateway, "date": now }))
}
