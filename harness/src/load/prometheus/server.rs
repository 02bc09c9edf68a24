//! Serves the metrics while the load runs.

use std::convert::Infallible;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

/// Gives the text of each response.
pub type TextSource = Arc<dyn Fn() -> String + Send + Sync>;

/// The media type of the text format.
const MEDIA_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A scraper comes every few seconds. Connections beyond this number wait.
const CONNECTIONS: usize = 64;

/// The server; dropping it stops it.
pub struct Exporter {
    address: SocketAddr,
    server: JoinHandle<()>,
}

impl Exporter {
    /// The address that it listens at.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl fmt::Debug for Exporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exporter").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Drop for Exporter {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// Serves the text at `/metrics` until the exporter is dropped. Every client gets it, so it must hold no secrets; metrics hold
/// none.
///
/// # Errors
/// When the address can't be listened at; the error names it.
pub async fn serve(address: SocketAddr, text: TextSource) -> io::Result<Exporter> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("cannot listen at {address} for Prometheus: {error}"));
    let listener = TcpListener::bind(address).await.map_err(named)?;
    let address = listener.local_addr().map_err(named)?;
    Ok(Exporter { address, server: tokio::spawn(accept(listener, text)) })
}

async fn accept(listener: TcpListener, text: TextSource) {
    // Connections end with the server: the set aborts what it holds when it is dropped.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept(), if connections.len() < CONNECTIONS => {
                // Out of file descriptors, say: the next connection may do better.
                let Ok((stream, _)) = accepted else { continue };
                let text = Arc::clone(&text);
                connections.spawn(async move {
                    let service = service_fn(move |request| {
                        let response = response(&request, &text);
                        async move { Ok::<_, Infallible>(response) }
                    });
                    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
                });
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

fn response(request: &Request<Incoming>, text: &TextSource) -> Response<Full<Bytes>> {
    let (status, media_type, body) = match (request.uri().path(), request.method()) {
        ("/metrics", &Method::GET | &Method::HEAD) => (StatusCode::OK, MEDIA_TYPE, text()),
        ("/metrics", _) => (StatusCode::METHOD_NOT_ALLOWED, "text/plain", "only GET\n".to_owned()),
        _ => (StatusCode::NOT_FOUND, "text/plain", "see /metrics\n".to_owned()),
    };
    let mut response = Response::new(Full::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(media_type));
    if status == StatusCode::METHOD_NOT_ALLOWED {
        response.headers_mut().insert(header::ALLOW, header::HeaderValue::from_static("GET, HEAD"));
    }
    response
}
