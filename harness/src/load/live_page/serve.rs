//! Serves the live page, read-only, to browsers on this machine.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, HeaderValue, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use http::{Request, StatusCode};

use super::LivePage;
use crate::load::web_server::{WebResponse, WebServer, plain, read_only};

const PAGE: &str = concat!(include_str!("../../base/page_head.html"), include_str!("page.html"));
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The page loads only its own files, has nothing inline and is not shown in frames.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

/// Serves the page until the server is dropped.
///
/// # Errors
/// When the address is no loopback address, or is not free.
pub async fn serve(address: SocketAddr, page: Arc<LivePage>) -> io::Result<WebServer> {
    if !address.ip().is_loopback() {
        let message = format!("the live page is for this machine alone, and {address} is not; use 127.0.0.1, and `ssh -L` from elsewhere");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    let advice = "port 0 takes a free one";
    let named = |error: io::Error| io::Error::new(error.kind(), format!("no live page can be served on {address}: {error}; {advice}"));
    WebServer::start(address, Arc::new(move |request| respond(request, &page))).await.map_err(named)
}

pub(super) fn respond<B>(request: &Request<B>, page: &LivePage) -> WebResponse {
    let mut response = match request.uri().path() {
        // DNS rebinding: a page from elsewhere could read this one under a name of its own.
        _ if !is_local(request.headers().get(HOST)) => plain(StatusCode::FORBIDDEN, "ask for it as 127.0.0.1 or localhost\n"),
        "/" => read_only(request.method(), "text/html; charset=utf-8", PAGE),
        "/page.css" => read_only(request.method(), "text/css; charset=utf-8", STYLE),
        "/page.js" => read_only(request.method(), "text/javascript; charset=utf-8", SCRIPT),
        "/state.json" => read_only(request.method(), "application/json", page.json()),
        _ => plain(StatusCode::NOT_FOUND, "see /\n"),
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn is_local(host: Option<&HeaderValue>) -> bool {
    let authority = host.and_then(|host| host.to_str().ok()?.parse::<http::uri::Authority>().ok());
    authority.is_some_and(|authority| {
        let host = authority.host().trim_matches(['[', ']']);
        host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    })
}
