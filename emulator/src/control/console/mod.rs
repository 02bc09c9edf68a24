//! The console: a page a world, where people see and do what programs do over the control API. It works without scripts.

mod forms;
mod view;

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::routing::get;
use http::{Response, StatusCode};
use serde_json::Value;

use super::actions::{ActionContext, perform};
use super::error::ControlError;
use super::http::{Path, inward, read_body, read_json};
use super::lookup::find_world;
use super::prefix::CONSOLE;
use crate::wire::pages::Pages;
use crate::wire::{ApiResponse, form};
use crate::world::{DEFAULT_WORLD, Worlds};

const STYLE: &str = include_str!("../../../pages/console.css");

static PAGES: LazyLock<Pages> = LazyLock::new(|| {
    let sources = [("console.html", include_str!("../../../pages/console.html"))];
    Pages::new(STYLE, &sources).with_own_forms(STYLE)
});

/// The routes of the console.
pub(super) fn router() -> Router<Arc<Worlds>> {
    let router = ["/__emulator", "/__emulator/", "/__emulator/console"];
    let router = router.into_iter().fold(Router::new(), |router, path| router.route(path, get(default_world)));
    router.route("/__emulator/console/{world}", get(show).post(act))
}

async fn default_world() -> Response<Body> {
    ApiResponse::redirect(&format!("{CONSOLE}{DEFAULT_WORLD}")).into_response()
}

async fn show(State(worlds): State<Arc<Worlds>>, Path(name): Path<String>) -> Result<Response<Body>, ControlError> {
    page(&worlds, &name, None)
}

/// Carries an action out, and shows the world after it.
async fn act(State(worlds): State<Arc<Worlds>>, Path(name): Path<String>, request: Request) -> Result<Response<Body>, ControlError> {
    let (action, parameters) = posted(&read_body(request).await?)?;
    let world = find_world(&worlds, &name)?;
    let context = ActionContext { world: Arc::clone(&world), worlds: Arc::clone(&worlds) };
    let done = match read_json(&inward(&world, parameters.into())) {
        Ok(parameters) => perform(&action, context, parameters).await,
        Err(error) => Err(error),
    };
    page(&worlds, &name, Some((&action, done)))
}

/// The action and its parameters, which are JSON.
fn posted(body: &Bytes) -> Result<(String, String), ControlError> {
    let fields = form::pairs(body).unwrap_or_default();
    let field = |name: &str| fields.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
    let action = field("action").ok_or_else(|| ControlError::bad("the form has the fields `action` and `parameters`"))?;
    Ok((action, field("parameters").unwrap_or_default()))
}

fn page(worlds: &Worlds, name: &str, done: Option<(&str, Result<Value, ControlError>)>) -> Result<Response<Body>, ControlError> {
    let world = find_world(worlds, name)?;
    let status = match &done {
        Some((_, Err(error))) => error.parts().0,
        _ => StatusCode::OK,
    };
    Ok(PAGES.page(status, "console.html", &view::view(worlds, &world, done)).into_response())
}
