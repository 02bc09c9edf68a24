//! The table of routes.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::IntoResponse;
use axum::routing::{MethodRouter, delete, get, post};
use http::{Response, StatusCode};
use serde_json::json;

use super::actions::{ACTIONS, ActionContext, perform, unknown};
use super::admission::admit;
use super::error::ControlError;
use super::http::{ControlResponse, Path, inward, json_response, read_body, read_json, world_response};
use super::lookup::find_world;
use super::{console, devices, journal, qr_payments, views, worlds};
use crate::base::access::Access;
use crate::wire::ApiResponse;
use crate::world::Worlds;

/// Method, path and handler of every route. Actions have one route, which takes their names as its last part.
fn routes() -> [(&'static str, &'static str, MethodRouter<Arc<Worlds>>); 15] {
    [
        ("GET", "/__emulator/health", get(health)),
        ("GET", "/__emulator/openapi.yaml", get(description)),
        ("GET", "/__emulator/actions", get(list_actions)),
        ("POST", "/__emulator/worlds", post(worlds::open)),
        ("GET", "/__emulator/worlds/{world}", get(worlds::summary)),
        ("DELETE", "/__emulator/worlds/{world}", delete(worlds::end)),
        ("POST", "/__emulator/worlds/{world}/actions/{action}", post(act)),
        ("GET", "/__emulator/worlds/{world}/requests", get(journal::requests)),
        ("GET", "/__emulator/worlds/{world}/payments", get(views::payments)),
        ("GET", "/__emulator/worlds/{world}/payments/{transId}", get(views::payment)),
        ("GET", "/__emulator/worlds/{world}/notifications", get(views::notifications)),
        ("GET", "/__emulator/worlds/{world}/mail", get(views::mail)),
        ("GET", "/__emulator/worlds/{world}/qr-payments", get(qr_payments::all)),
        ("GET", "/__emulator/worlds/{world}/devices", get(devices::all)),
        ("GET", "/__emulator/worlds/{world}/devices/{deviceId}/transactions", get(devices::transactions)),
    ]
}

/// The control API and its console as a router.
pub(crate) fn router(worlds: Arc<Worlds>, access: Arc<Access>) -> Router {
    let router = routes().into_iter().fold(console::router(), |router, (_, path, handler)| router.route(path, handler));
    let admitted = axum::middleware::from_fn_with_state(access, admit);
    router.method_not_allowed_fallback(wrong_method).layer(admitted).with_state(worlds)
}

async fn health() -> ControlResponse {
    json_response(StatusCode::OK, &json!({ "ready": true }))
}

async fn description() -> Response<Body> {
    ApiResponse::new(StatusCode::OK, "application/yaml", super::DESCRIPTION).into_response()
}

async fn list_actions() -> ControlResponse {
    json_response(StatusCode::OK, &json!({ "actions": ACTIONS }))
}

async fn act(State(worlds): State<Arc<Worlds>>, Path((world, action)): Path<(String, String)>, request: Request) -> ControlResponse {
    let context = ActionContext { world: find_world(&worlds, &world)?, worlds };
    if !ACTIONS.contains(&action.as_str()) {
        return Err(unknown(&action));
    }
    let world = Arc::clone(&context.world);
    let body = inward(&world, read_body(request).await?);
    world_response(&world, &perform(&action, context, read_json(&body)?).await?)
}

async fn wrong_method() -> Response<Body> {
    ControlError::new(StatusCode::METHOD_NOT_ALLOWED, "this path takes another method: see /__emulator/openapi.yaml").into_response()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Methods and paths of the description, without the need for a YAML parser: it is written by hand, two spaces to a
    /// level.
    fn described() -> BTreeSet<(String, String)> {
        let mut path = "";
        let mut described = BTreeSet::new();
        for line in include_str!("../../openapi.yaml").lines() {
            if let Some(key) = line.strip_prefix("  /").and_then(|rest| rest.strip_suffix(':')) {
                path = key;
            } else if let Some(method) = ["get", "post", "delete"].into_iter().find(|method| line == format!("    {method}:")) {
                described.insert((method.to_uppercase(), format!("/{path}")));
            }
        }
        described
    }

    fn served() -> BTreeSet<(String, String)> {
        let template = "/__emulator/worlds/{world}/actions/{action}";
        let routes = routes().map(|(method, path, _)| (method.to_owned(), path.to_owned()));
        let actions = ACTIONS.iter().map(|action| ("POST".to_owned(), template.replace("{action}", action)));
        routes.into_iter().filter(|(_, path)| path != template).chain(actions).collect()
    }

    #[test]
    fn every_route_and_action_is_described_and_nothing_else() {
        assert_eq!(described(), served());
    }
}
