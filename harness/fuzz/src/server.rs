//! Requests, as the emulator gets them.

use std::sync::LazyLock;

use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use emulator::{AppState, WorldSettings, app};
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt;

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Builder::new_current_thread().enable_all().build().expect("a runtime"));
/// More than any response has.
const LARGEST: usize = 1 << 20;

/// A request is answered, and not by HTTP 5xx. The first line says method, address and media type, the second one is
/// `Authorization`; the rest is the body.
pub fn emulator(bytes: &[u8]) {
    let mut parts = bytes.splitn(3, |byte| *byte == b'\n');
    let (Some(first), Some(authorization), Some(body)) = (parts.next(), parts.next(), parts.next()) else { return };
    let mut words = first.split(|byte| *byte == b' ');
    let (Some(method), Some(address), Some(media_type)) = (words.next(), words.next(), words.next()) else { return };
    let request = Request::builder().method(method).uri(address).header(header::HOST, "pay.test").header(header::CONTENT_TYPE, media_type);
    let request = if authorization.is_empty() { request } else { request.header(header::AUTHORIZATION, authorization) };
    // What is no HTTP does not come this far.
    let Ok(request) = request.body(Body::from(body.to_vec())) else { return };
    RUNTIME.block_on(async {
        let router = app(AppState::new(WorldSettings::default()).expect("settings by default"));
        let response = router.oneshot(request).await.unwrap_or_else(|never| match never {});
        assert!(response.status().as_u16() < 500, "{}", response.status());
        to_bytes(response.into_body(), LARGEST).await.expect("a whole response");
    });
}
