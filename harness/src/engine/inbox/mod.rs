//! The inbox: the merchant's endpoint, which receives notifications, gives the responses that a script sets, and counts
//! attempts.

mod mailbox;
mod sorting;

use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::engine::notification_observer::{NotificationObserver, sighting};
use crate::engine::recorder::Recorder;
use crate::engine::transport::content_type;
use crate::spec::contract::{Contracts, Operation};
use crate::wire::exchange::{Body, Coding, Direction, Exchange, ExchangeOutcome, Request, Response, Vault};
pub use mailbox::{EndpointReply, Mailbox};
use sorting::{Destination, Sorting};
pub use sorting::{Mark, Unexpected};

/// The largest notification that is read: a hundred times the documented size.
const LARGEST: usize = 256 * 1024;
/// The largest head that is read.
const LARGEST_HEAD: usize = 32 * 1024;
/// How long a head or a body may take, and how long a connection may be idle.
const PATIENCE: Duration = Duration::from_secs(30);
/// The pause after a failed accept, for example for lack of file descriptors.
const PAUSE: Duration = Duration::from_millis(50);

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
    /// Notifications without a mailbox address.
    sorting: Sorting,
    /// Whether all cases share one world, and one address with it.
    is_shared: bool,
    observer: Option<Arc<dyn NotificationObserver>>,
    /// Where connections are served; nowhere else than here, if there are none.
    runtimes: RwLock<Vec<Handle>>,
}

impl Inbox {
    /// Opens the endpoint. `is_shared` means that all cases share one world, whose notifications go to one address. An observer
    /// sees every notification.
    pub async fn open(
        address: SocketAddr,
        is_shared: bool,
        contracts: Arc<Contracts>,
        recorder: Arc<Recorder>,
        observer: Option<Arc<dyn NotificationObserver>>,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let sorting = Sorting::new(&contracts);
        let shared = Arc::new(Shared {
            contracts,
            recorder,
            mailboxes: RwLock::default(),
            sorting,
            is_shared,
            observer,
            runtimes: RwLock::default(),
        });
        let server = tokio::spawn(serve(listener, Arc::clone(&shared)));
        Ok(Self { address, shared, server })
    }

    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves further connections on these runtimes in turn: a notification that arrives on the thread of its user wakes no other one.
    /// They must outlive the connections.
    pub(crate) fn serve_on(&self, runtimes: Vec<Handle>) {
        *self.shared.runtimes.write().unwrap_or_else(PoisonError::into_inner) = runtimes;
    }

    /// Returns the mailbox of a world, which receives what is sent to a path with its name.
    pub fn mailbox(&self, name: &str) -> Arc<Mailbox> {
        let mut mailboxes = self.shared.mailboxes.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(mailboxes.entry(name.to_owned()).or_default())
    }

    /// Assigns notifications with this mark to a case, whatever address they are sent to.
    pub fn recognise(&self, mailbox: &Arc<Mailbox>, mark: &Mark) {
        self.shared.sorting.recognise(mailbox, mark);
    }

    /// Reads what has arrived and is not assigned to a case yet.
    pub fn unclaimed<T>(&self, look: impl Fn(&Exchange) -> Option<T>) -> Vec<T> {
        self.shared.sorting.waiting(look)
    }

    /// Claims the first notification that matches among those that are not assigned to a case.
    pub fn claim(&self, fits: impl Fn(&Exchange) -> bool) -> Option<Arc<Exchange>> {
        self.shared.sorting.claim(fits)
    }

    /// Counts what arrived and belongs to no case, by address.
    pub fn unexpected(&self) -> Vec<Unexpected> {
        self.shared.sorting.unexpected()
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
    let mut accepted = 0;
    loop {
        tokio::select! {
            connection = listener.accept() => {
                // Out of file descriptors, for example: the next connection may succeed.
                let Ok((stream, _)) = connection else {
                    tokio::time::sleep(PAUSE).await;
                    continue;
                };
                let _ = stream.set_nodelay(true);
                match shared.runtime(accepted) {
                    None => drop(connections.spawn(serve_connection(stream, Arc::clone(&shared)))),
                    Some(runtime) => {
                        // A socket belongs to the runtime that has registered it.
                        let Ok(stream) = stream.into_std() else { continue };
                        let shared = Arc::clone(&shared);
                        let serving = async move {
                            if let Ok(stream) = TcpStream::from_std(stream) {
                                serve_connection(stream, shared).await;
                            }
                        };
                        drop(connections.spawn_on(serving, &runtime));
                    }
                }
                accepted += 1;
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn serve_connection(stream: TcpStream, shared: Arc<Shared>) {
    let service = service_fn(move |request| receive(request, Arc::clone(&shared)));
    let mut http = hyper::server::conn::http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(PATIENCE).max_buf_size(LARGEST_HEAD).writev(false);
    let _ = http.serve_connection(TokioIo::new(stream), service).await;
}

/// The endpoint gives no response at all; hyper then closes the connection.
#[derive(Debug)]
struct Reset;

impl std::fmt::Display for Reset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a script asked the inbox to close the connection")
    }
}

impl std::error::Error for Reset {}

impl From<Infallible> for Reset {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

/// Reads a body by copying what arrives: a list of its frames would take thirty times as much memory where each has one byte. `None` if
/// it is too large, or broke off.
async fn collect<B: hyper::body::Body<Data = Bytes>>(body: B) -> Option<Bytes> {
    let (mut body, mut bytes) = (pin!(body), BytesMut::new());
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.ok()?.into_data() else { continue };
        if bytes.len() + data.len() > LARGEST {
            return None;
        }
        bytes.extend_from_slice(&data);
    }
    Some(bytes.freeze())
}

async fn receive(request: http::Request<Incoming>, shared: Arc<Shared>) -> Result<http::Response<Full<Bytes>>, Reset> {
    let started = Instant::now();
    let (head, body) = request.into_parts();
    let path = head.uri.path();
    let world = shared.world_of(path);
    if world.is_none() && !shared.is_shared {
        shared.sorting.unexpected_at(&shared.recorder.text(path));
        return Ok(response(404));
    }
    let bytes = match tokio::time::timeout(PATIENCE, collect(body)).await {
        Err(_) => return Ok(response(408)),
        Ok(None) => {
            shared.sorting.unexpected_at(&shared.recorder.text(path));
            return Ok(response(413));
        }
        Ok(Some(bytes)) => bytes,
    };
    let mut exchange = shared.exchange(&head, &bytes);
    let (name, destination) =
        world.map_or_else(|| (String::new(), shared.case_of(&exchange)), |(name, mailbox)| (name, Destination::Case(mailbox)));
    // What the mailbox does not take is not acknowledged, and the observer must not be told so.
    let accepted = destination.next_reply(|| shared.subject_of(&exchange));
    let reply = accepted.unwrap_or(EndpointReply::FULL);
    exchange.outcome =
        ExchangeOutcome::Response(Response { status: reply.status.unwrap_or(0), headers: Vec::new(), body: Body::default() });
    exchange.elapsed = started.elapsed();
    shared.observe(&exchange, &name, reply.status);
    if accepted.is_some() {
        shared.store(destination, exchange, path);
    } else {
        shared.sorting.unexpected_at(&shared.recorder.text(path));
    }
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

impl Shared {
    /// The runtime for the next connection; none if there is no other than this one.
    fn runtime(&self, accepted: usize) -> Option<Handle> {
        let runtimes = self.runtimes.read().unwrap_or_else(PoisonError::into_inner);
        runtimes.get(accepted % runtimes.len().max(1)).cloned()
    }

    /// Reports a notification to the observer.
    fn observe(&self, exchange: &Exchange, world: &str, status: Option<u16>) {
        if let Some(observer) = &self.observer
            && let Some((resource, state)) = sighting(&self.contracts, exchange, world)
        {
            observer.received(&resource, &state, Instant::now(), status.is_some_and(|status| self.acknowledges(exchange, status)));
        }
    }

    /// Stores a notification for its case.
    fn store(&self, destination: Destination, exchange: Exchange, path: &str) {
        match destination {
            Destination::Case(mailbox) => mailbox.receive(Arc::new(exchange)),
            Destination::Ended => {}
            Destination::Unknown => self.sorting.wait(&self.contracts, &self.recorder.text(path), Arc::new(exchange)),
        }
    }

    fn acknowledges(&self, exchange: &Exchange, status: u16) -> bool {
        let rules = self.contracts.notifications.get(&exchange.operation).and_then(|o| o.notification.as_ref());
        rules.is_some_and(|rules| rules.acknowledged_by.contains(&status))
    }

    /// The world that a path names, whatever prefix a proxy has added or removed.
    fn world_of(&self, path: &str) -> Option<(String, Arc<Mailbox>)> {
        let mailboxes = self.mailboxes.read().unwrap_or_else(PoisonError::into_inner);
        let named = path.split('/').find_map(|segment| mailboxes.get_key_value(segment));
        named.map(|(name, mailbox)| (name.clone(), Arc::clone(mailbox)))
    }

    /// The case to which a notification is assigned.
    fn case_of(&self, exchange: &Exchange) -> Destination {
        self.sorting.destination(&self.contracts, exchange)
    }

    /// The identifier of the resource that a notification is about.
    fn subject_of(&self, exchange: &Exchange) -> Option<String> {
        sorting::subject(&self.contracts, exchange)
    }

    fn exchange(&self, head: &http::request::Parts, bytes: &[u8]) -> Exchange {
        let media_type = content_type(&head.headers).unwrap_or_default();
        let coding = Coding::from_media_type(media_type);
        let operation = self.operation(coding);
        let content = operation.and_then(|o| o.request.as_ref()).filter(|c| c.coding == coding);
        let request = Request {
            method: head.method.to_string(),
            url: self.recorder.text(&format!("http://inbox{}", head.uri)),
            headers: self.headers(&head.headers),
            body: self.recorder.body(bytes, coding, content),
            ..Request::default()
        };
        let outcome = ExchangeOutcome::Response(Response { status: 0, headers: Vec::new(), body: Body::default() });
        let id = operation.map(|operation| operation.id.as_str()).unwrap_or_default();
        Exchange { arrived: self.recorder.arrival(), ..Exchange::unnumbered(Direction::Notification, id, "", request, outcome) }
    }

    /// The headers; the inbox's own port differs from run to run.
    fn headers(&self, headers: &http::HeaderMap) -> Vec<(String, String)> {
        let named = |(name, value): (String, String)| if name == "host" { (name, "inbox".to_owned()) } else { (name, value) };
        self.recorder.headers(headers, &Vault::default()).into_iter().map(named).collect()
    }

    /// The notification whose contract has this coding, else any: every body must be judged by some contract.
    fn operation(&self, coding: Coding) -> Option<&Operation> {
        let fits = |o: &&Operation| o.request.as_ref().is_some_and(|c| c.coding == coding);
        self.contracts.notifications.values().find(fits).or_else(|| self.contracts.notifications.values().next())
    }
}

#[cfg(test)]
mod tests;
