//! Everything the emulator answers, as one service.

use std::net::{IpAddr, Ipv4Addr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use bytes::Bytes;
use http::{Response, StatusCode};
use http_body::Frame;

use crate::control;
use crate::device;
use crate::gateway::wire::{self as gateway, Caller, Disconnected};
use crate::qr;
use crate::status_api;
use crate::terminal::wire as terminal;
use crate::transfers::wire as transfers;
use crate::world::{DEFAULT_WORLD, WorldSettings, Worlds};

/// The state of an emulator: its worlds. A cheap handle.
#[derive(Clone)]
pub struct AppState {
    pub(crate) worlds: Arc<Worlds>,
}

impl AppState {
    /// An emulator with its default world alone; the error is a sentence about the settings. Has to be called within a
    /// Tokio runtime.
    pub fn new(default_world: WorldSettings) -> Result<Self, String> {
        Ok(Self { worlds: Arc::new(Worlds::new(default_world)?) })
    }
}

/// The emulator as an axum router, for tests without a socket and for mounting elsewhere. Callers count as coming from
/// this computer by http.
pub fn app(state: AppState) -> Router {
    control::router().fallback(any).with_state(state)
}

async fn any(State(state): State<AppState>, request: Request) -> Response<Body> {
    let caller = Caller { address: IpAddr::V4(Ipv4Addr::LOCALHOST), scheme: "http" };
    serve(&state, caller, request).await.unwrap_or_else(broken_off)
}

/// A router has no connection to close; here, the body of the answer breaks off instead.
fn broken_off(why: Disconnected) -> Response<Body> {
    Response::new(Body::new(BrokenBody(why)))
}

struct BrokenBody(Disconnected);

impl http_body::Body for BrokenBody {
    type Data = Bytes;
    type Error = Disconnected;

    fn poll_frame(self: Pin<&mut Self>, _: &mut task::Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Disconnected>>> {
        Poll::Ready(Some(Err(self.0)))
    }
}

/// Answers a call of the APIs: all but the control API.
pub(crate) async fn serve<B>(state: &AppState, caller: Caller, request: http::Request<B>) -> Result<Response<Body>, Disconnected>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let (head, body) = request.into_parts();
    let (name, path) = split_world(head.uri.path());
    let Some(world) = state.worlds.find(name) else { return Ok(nothing_here("There is no such world.")) };
    if let Some(reply) = status_api::answer(&world, &head, path) {
        return Ok(reply.into_response());
    }
    if terminal::owns(path) {
        return Ok(terminal::answer(&world, caller, &head, path, body).await?.into_response());
    }
    if transfers::owns(path) {
        return transfers::answer(&world, caller, &head, path, body).await;
    }
    if let Some(path) = path.strip_prefix("/pos/pokladna-api/") {
        return Ok(device::wire::answer(&world, &head, path, body).await?.into_response());
    }
    if let Some(path) = path.strip_prefix("/pos/") {
        return Ok(qr::wire::answer(&world, caller, &head, path, body).await?.into_response());
    }
    Ok(match gateway::answer(&world, caller, &head, path, body).await? {
        Some(reply) => reply.into_response(),
        None => nothing_here("There is nothing at this path. The control API is at /__emulator/openapi.yaml."),
    })
}

/// The world a path is in, and the path within it.
fn split_world(path: &str) -> (&str, &str) {
    let Some(rest) = path.strip_prefix("/w/") else { return (DEFAULT_WORLD, path) };
    rest.split_at(rest.find('/').unwrap_or(rest.len()))
}

fn nothing_here(sentence: &str) -> Response<Body> {
    control::error_body(StatusCode::NOT_FOUND, sentence).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_world_is_the_first_part_of_its_paths() {
        assert_eq!(split_world("/v1.0/create"), ("default", "/v1.0/create"));
        assert_eq!(split_world("/w/abc/v1.0/create"), ("abc", "/v1.0/create"));
        assert_eq!(split_world("/w/abc"), ("abc", ""));
    }
}
