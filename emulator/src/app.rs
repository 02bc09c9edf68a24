//! The emulator as a router.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll};

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use bytes::Bytes;
use http::Response;
use http_body::Frame;

use crate::base::access::Access;
use crate::base::log::Log;
use crate::common::freedoms::FreedomSettings;
use crate::control;
use crate::delivery::{HttpNotifier, LoggedNotifier};
use crate::routing::serve;
use crate::wire::{Caller, Disconnected};
use crate::world::{Notifier, SettingsError, WorldSettings, Worlds};

/// The state of an emulator: its worlds. A cheap handle.
#[derive(Clone)]
pub struct AppState {
    pub(crate) worlds: Arc<Worlds>,
    access: Arc<Access>,
    pub(crate) log: Option<Log>,
}

impl AppState {
    /// An emulator with its default world alone, open to this machine only. Has to be called within a Tokio runtime.
    pub fn new(default_world: WorldSettings) -> Result<Self, SettingsError> {
        Self::open_to(default_world, None, Access::default(), None, 0)
    }

    /// An emulator whose worlds have these freedoms. It may be open to others, writes a log, and keeps the newest `journal` requests.
    pub(crate) fn open_to(
        default_world: WorldSettings,
        freedoms: Option<FreedomSettings>,
        access: Access,
        log: Option<Log>,
        journal: usize,
    ) -> Result<Self, SettingsError> {
        let access = Arc::new(access);
        let mut notifier: Arc<dyn Notifier> = Arc::new(HttpNotifier::new(Arc::clone(&access)));
        if let Some(log) = &log {
            notifier = Arc::new(LoggedNotifier::new(notifier, Arc::clone(log)));
        }
        let worlds = Worlds::new(default_world, freedoms, notifier)?.with_journal(journal);
        Ok(Self { worlds: Arc::new(worlds), access, log })
    }
}

/// The emulator as an axum router, for tests without a socket and for mounting elsewhere. Callers count as coming from
/// this computer by http.
pub fn app(state: AppState) -> Router {
    control::router(Arc::clone(&state.worlds), Arc::clone(&state.access)).fallback(move |request| respond(state, request))
}

async fn respond(state: AppState, request: Request) -> Response<Body> {
    let caller = Caller::local();
    serve(&state.worlds, caller, request).await.unwrap_or_else(broken_off)
}

/// A router has no connection to close; here, the body of the response breaks off instead.
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
