//! The status API over HTTP. It needs no credentials.

mod routes;

use http::StatusCode;
use serde_json::json;

pub(crate) use self::routes::{Call, ROUTES};
use crate::common::freedoms::Behaviour;
use crate::status::core::Outage;
use crate::wire::{ApiResponse, Context, Route};
use crate::world::World;

/// Responds to a call of the status API.
pub(crate) fn respond(context: Context<'_>, route: &Route<Call>) -> ApiResponse {
    match route.endpoint(&context.head.method) {
        Ok(Call::Outages) => outages(context.world),
        Ok(Call::Health) => health(context.world),
        Err(_) => ApiResponse::error(StatusCode::METHOD_NOT_ALLOWED, "the status API is read by GET"),
    }
}

fn outages(world: &World) -> ApiResponse {
    let now = world.now();
    let others = world.behaves(Behaviour::OutagesOfOthers).then(|| Outage::of_others(now));
    let listed: Vec<Outage> = others.into_iter().flatten().chain(world.outages().shown(now)).collect();
    ApiResponse::json_value(StatusCode::OK, &listed)
}

fn health(world: &World) -> ApiResponse {
    let now = world.now();
    let gateway = if world.outages().is_complete(now) { "OUTAGE" } else { "OK" };
    ApiResponse::json_value(StatusCode::OK, &json!({ "gateway": gateway, "date": now }))
}
