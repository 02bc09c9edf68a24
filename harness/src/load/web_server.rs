//! A small HTTP server for what tells of a load while it goes on.

use std::convert::Infallible;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

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

/// What is served: an answer to a request, at once.
pub(super) type Responder = Arc<dyn Fn(&Request<Incoming>) -> WebResponse + Send + Sync>;
/// An answer.
pub(super) type WebResponse = Response<Full<Bytes>>;

/// Who looks comes every few seconds. Connections beyond this number wait; one that asks for nothing is closed after a while.
const CONNECTIONS: usize = 64;

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

    /// The address that it listens at.
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
                // Out of file descriptors, say: the next connection may do better.
                let Ok((stream, _)) = accepted else { continue };
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

/// Gives what is there to who only wants to read it.
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
