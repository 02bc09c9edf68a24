//! Serves the metrics of a running load.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use http::StatusCode;

use crate::load::web_server::{Responder, WebServer, plain, read_only};

/// Returns the text of each response.
pub type TextSource = Arc<dyn Fn() -> String + Send + Sync>;

/// The media type of the text format.
const MEDIA_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Serves the text at `/metrics` until the server is dropped. Any client can read it; metrics contain no secrets.
///
/// # Errors
/// When the server can't listen at the address, which the error names.
pub async fn serve(address: SocketAddr, text: TextSource) -> io::Result<WebServer> {
    let respond: Responder = Arc::new(move |request| match request.uri().path() {
        "/metrics" => read_only(request.method(), MEDIA_TYPE, text()),
        _ => plain(StatusCode::NOT_FOUND, "see /metrics\n"),
    });
    let named = |error: io::Error| io::Error::new(error.kind(), format!("cannot listen at {address} for Prometheus: {error}"));
    WebServer::start(address, respond).await.map_err(named)
}
