//! The inbox: the merchant's endpoint, which receives notifications, gives the responses that a script sets, and counts
//! attempts.

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::engine::notification_observer::{NotificationObserver, sighting};
use crate::engine::recorder::Recorder;
use crate::spec::contract::{Contracts, Operation};
use crate::wire::exchange::{Body, Coding, Direction, Exchange, MAX_BODY_BYTES, Outcome, Request, Response, Vault};

/// The response of the endpoint to one notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The HTTP status; none closes the connection without a response.
    pub status: Option<u16>,
    /// How long it is delayed.
    pub delay: Duration,
}

impl Reply {
    /// The response that acknowledges a notification.
    pub const OK: Self = Self { status: Some(200), delay: Duration::ZERO };
}

/// The merchant's endpoint of a run.
pub struct Inbox {
    address: SocketAddr,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
}

struct Shared {
    contracts: Arc<Contracts>,
    recorder: Arc<Recorder>,
    mailboxes: RwLock<HashMap<String, Arc<Mailbox>>>,
    observer: Option<Arc<dyn NotificationObserver>>,
}

/// The notifications of one world.
#[derive(Debug, Default)]
pub struct Mailbox {
    state: Mutex<State>,
    arrived: Notify,
}

#[derive(Debug, Default)]
struct State {
    replies: VecDeque<Reply>,
    /// What has arrived and no step has claimed yet.
    waiting: VecDeque<Arc<Exchange>>,
    /// How many have arrived in all.
    arrived: usize,
    /// Whether nothing more can arrive, so that waiting is in vain.
    closed: bool,
}

impl Inbox {
    /// Opens the endpoint. An observer sees every notification.
    pub async fn open(
        address: SocketAddr,
        contracts: Arc<Contracts>,
        recorder: Arc<Recorder>,
        observer: Option<Arc<dyn NotificationObserver>>,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared { contracts, recorder, mailboxes: RwLock::default(), observer });
        let server = tokio::spawn(serve(listener, Arc::clone(&shared)));
        Ok(Self { address, shared, server })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the mailbox under `/{name}`; the one with the empty name receives everything that has no other.
    pub fn mailbox(&self, name: &str) -> Arc<Mailbox> {
        let mut mailboxes = self.shared.mailboxes.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(mailboxes.entry(name.to_owned()).or_default())
    }

    /// Removes a mailbox; a later notification to it gets 404.
    pub fn close(&self, name: &str) {
        self.shared.mailboxes.write().unwrap_or_else(PoisonError::into_inner).remove(name);
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    // Connections end with the endpoint: the set aborts what it holds when it is dropped.
    let mut connections = tokio::task::JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                // Out of file descriptors, for example: the next connection may succeed.
                let Ok((stream, _)) = accepted else { continue };
                let _ = stream.set_nodelay(true);
                let shared = Arc::clone(&shared);
                connections.spawn(async move {
                    let service = service_fn(move |request| receive(request, Arc::clone(&shared)));
                    let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
                });
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// The endpoint gives no response at all; hyper then closes the connection.
#[derive(Debug)]
struct Reset;

impl std::fmt::Display for Reset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the inbox was told to close the connection")
    }
}

impl std::error::Error for Reset {}

impl From<Infallible> for Reset {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

async fn receive(request: http::Request<Incoming>, shared: Arc<Shared>) -> Result<http::Response<Full<Bytes>>, Reset> {
    let started = Instant::now();
    let (head, body) = request.into_parts();
    let Some(mailbox) = shared.mailbox_of(head.uri.path()) else {
        return Ok(response(404));
    };
    let Ok(bytes) = Limited::new(body, MAX_BODY_BYTES).collect().await.map(http_body_util::Collected::to_bytes) else {
        return Ok(response(413));
    };
    let reply = mailbox.next_reply();
    let mut exchange = shared.exchange(&head, &bytes);
    exchange.outcome = Outcome::Response(Response { status: reply.status.unwrap_or(0), headers: Vec::new(), body: Body::default() });
    exchange.elapsed = started.elapsed();
    if let Some(observer) = &shared.observer
        && let Some((resource, state)) = sighting(&shared.contracts, &exchange, world_of(head.uri.path()))
    {
        observer.received(&resource, &state, Instant::now(), reply.status.is_some_and(|status| shared.acknowledges(&exchange, status)));
    }
    mailbox.receive(Arc::new(exchange));
    if !reply.delay.is_zero() {
        tokio::time::sleep(reply.delay).await;
    }
    reply.status.map(response).ok_or(Reset)
}

fn response(status: u16) -> http::Response<Full<Bytes>> {
    let mut response = http::Response::new(Full::default());
    *response.status_mut() = http::StatusCode::from_u16(status).unwrap_or(http::StatusCode::OK);
    if response.status().is_redirection() {
        response.headers_mut().insert(http::header::LOCATION, http::HeaderValue::from_static("/elsewhere"));
    }
    response
}

/// The world that an address of the inbox belongs to.
fn world_of(path: &str) -> &str {
    path.trim_start_matches('/').split('/').next().unwrap_or_default()
}

impl Shared {
    fn acknowledges(&self, exchange: &Exchange, status: u16) -> bool {
        let rules = self.contracts.notifications.get(&exchange.operation).and_then(|o| o.notification.as_ref());
        rules.is_some_and(|rules| rules.acknowledged_by.contains(&status))
    }

    /// The mailbox of the path's first segment, else the one for everything.
    fn mailbox_of(&self, path: &str) -> Option<Arc<Mailbox>> {
        let name = world_of(path);
        let mailboxes = self.mailboxes.read().unwrap_or_else(PoisonError::into_inner);
        mailboxes.get(name).or_else(|| mailboxes.get("")).cloned()
    }

    fn exchange(&self, head: &http::request::Parts, bytes: &[u8]) -> Exchange {
        let media_type = head.headers.get(http::header::CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
        let coding = Coding::of(media_type);
        let operation = self.operation(coding);
        let content = operation.and_then(|o| o.request.as_ref()).filter(|c| c.coding == coding);
        Exchange {
            number: 0,
            arrived: self.recorder.arrival(),
            direction: Direction::Notification,
            operation: operation.map(|o| o.id.clone()).unwrap_or_default(),
            identity: String::new(),
            request: Request {
                method: head.method.to_string(),
                url: self.recorder.text(&format!("http://inbox{}", head.uri)),
                headers: self.headers(&head.headers),
                body: self.recorder.body(bytes, coding, content),
                ..Request::default()
            },
            outcome: Outcome::Response(Response { status: 0, headers: Vec::new(), body: Body::default() }),
            elapsed: Duration::ZERO,
        }
    }

    /// The headers; the inbox's own port differs from run to run.
    fn headers(&self, headers: &http::HeaderMap) -> Vec<(String, String)> {
        let named = |(name, value): (String, String)| if name == "host" { (name, "inbox".to_owned()) } else { (name, value) };
        self.recorder.headers(headers, &Vault::default()).into_iter().map(named).collect()
    }

    /// The notification whose contract has this coding, else any: it must be judged by something.
    fn operation(&self, coding: Coding) -> Option<&Operation> {
        let fits = |o: &&Operation| o.request.as_ref().is_some_and(|c| c.coding == coding);
        self.contracts.notifications.values().find(fits).or_else(|| self.contracts.notifications.values().next())
    }
}

impl Mailbox {
    /// A mailbox that is filled by a replay: nothing arrives by itself.
    pub(crate) fn closed() -> Self {
        Self { state: Mutex::new(State { closed: true, ..State::default() }), arrived: Notify::new() }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the responses that are given in turn; the last one is repeated.
    pub fn respond_with(&self, replies: impl IntoIterator<Item = Reply>) {
        self.state().replies = replies.into_iter().collect();
    }

    fn next_reply(&self) -> Reply {
        let mut state = self.state();
        if state.replies.len() > 1 { state.replies.pop_front() } else { state.replies.front().copied() }.unwrap_or(Reply::OK)
    }

    pub(crate) fn receive(&self, exchange: Arc<Exchange>) {
        let mut state = self.state();
        state.waiting.push_back(exchange);
        state.arrived += 1;
        drop(state);
        self.arrived.notify_waiters();
    }

    /// Reads the unclaimed notifications in the order of arrival; they stay unclaimed.
    pub fn unclaimed<T>(&self, mut look: impl FnMut(&Exchange) -> Option<T>) -> Vec<T> {
        self.state().waiting.iter().filter_map(|exchange| look(exchange)).collect()
    }

    /// Claims the first notification that fits.
    pub fn claim(&self, mut fits: impl FnMut(&Exchange) -> bool) -> Option<Arc<Exchange>> {
        let mut state = self.state();
        let place = state.waiting.iter().position(|exchange| fits(exchange))?;
        state.waiting.remove(place)
    }

    /// Claims everything that fits, in the order of arrival.
    pub fn rest(&self, mut fits: impl FnMut(&Exchange) -> bool) -> Vec<Arc<Exchange>> {
        let mut state = self.state();
        let (claimed, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut state.waiting).into_iter().partition(|exchange| fits(exchange));
        state.waiting = kept.into();
        claimed
    }

    /// Waits until something more has arrived, at most until `deadline`. False when it passed.
    pub async fn more(&self, seen: usize, deadline: tokio::time::Instant) -> bool {
        loop {
            let waiting = self.arrived.notified();
            tokio::pin!(waiting);
            waiting.as_mut().enable();
            let (arrived, closed) = {
                let state = self.state();
                (state.arrived, state.closed)
            };
            if arrived > seen || closed {
                return arrived > seen;
            }
            if tokio::time::timeout_at(deadline, waiting).await.is_err() {
                return self.state().arrived > seen;
            }
        }
    }

    /// How many notifications have arrived.
    pub fn arrivals(&self) -> usize {
        self.state().arrived
    }
}
