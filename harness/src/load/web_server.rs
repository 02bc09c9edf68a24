//! An HTTP server for the live page and the metrics of a running load.

use std::convert::Infallible;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

/// Builds the response to a request without waiting.
pub(super) type Responder = Arc<dyn Fn(&Request<Incoming>) -> WebResponse + Send + Sync>;
/// A response.
pub(super) type WebResponse = Response<Full<Bytes>>;

/// The most open connections; further ones wait. Idle connections are closed.
const CONNECTIONS: usize = 64;

/// The pause after a connection that could not be accepted.
const PAUSE: Duration = Duration::from_millis(50);

/// The server; dropping it stops it.
pub struct WebServer {
    address: SocketAddr,
    server: JoinHandle<()>,
}

impl WebServer {
    /// Serves until it is dropped.
    pub(super) async fn start(address: SocketAddr, respond: Responder) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok(Self { address, server: tokio::spawn(accept(listener, respond)) })
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl fmt::Debug for WebServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebServer").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Drop for WebServer {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn accept(listener: TcpListener, respond: Responder) {
    // Connections end with the server: the set aborts what it holds when it is dropped.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept(), if connections.len() < CONNECTIONS => {
                let Ok((stream, _)) = accepted else {
                    // For example out of file descriptors: retrying at once would keep a core busy.
                    tokio::time::sleep(PAUSE).await;
                    continue;
                };
                let respond = Arc::clone(&respond);
                connections.spawn(async move {
                    let service = service_fn(move |request| {
                        let response = respond(&request);
                        async move { Ok::<_, Infallible>(response) }
                    });
                    let _ = http1::Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), service).await;
                });
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Responds to GET and HEAD with a body, and refuses other methods.
pub(super) fn read_only(method: &Method, media_type: &'static str, body: impl Into<Bytes>) -> WebResponse {
    if !matches!(*method, Method::GET | Method::HEAD) {
        let mut refused = plain(StatusCode::METHOD_NOT_ALLOWED, "only GET\n");
        refused.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return refused;
    }
    with_type(StatusCode::OK, media_type, body.into())
}

/// A line of text.
pub(super) fn plain(status: StatusCode, line: &'static str) -> WebResponse {
    with_type(status, "text/plain; charset=utf-8", Bytes::from_static(line.as_bytes()))
}

fn with_type(status: StatusCode, media_type: &'static str, body: Bytes) -> WebResponse {
    let mut response = Response::new(Full::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}
