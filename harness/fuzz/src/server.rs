//! Requests, as the emulator gets them, and the settings of its worlds.

use std::sync::LazyLock;

use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use emulator::{AppState, WorldSettings, app};
use harness::base::source::{Problems, Source};
use serde_json::Value;
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

/// The most requests of one input.
const MOST: usize = 8;

/// Requests to the control API, one after the other, as a program on this machine sends them: each is answered, and not by HTTP 5xx.
/// A line says method and path below `/__emulator`; the lines up to an empty one are the body.
pub fn control(bytes: &[u8]) {
    RUNTIME.block_on(async {
        let router = app(AppState::new(WorldSettings::default()).expect("settings by default"));
        for text in String::from_utf8_lossy(bytes).split("\n\n").take(MOST) {
            let (line, body) = text.split_once('\n').unwrap_or((text, ""));
            let Some((method, path)) = line.split_once(' ') else { continue };
            let request = Request::builder().method(method).uri(format!("/__emulator/{path}")).header(header::HOST, "localhost");
            let Ok(request) = request.header(header::CONTENT_TYPE, "application/json").body(Body::from(body.to_owned())) else { continue };
            let response = router.clone().oneshot(request).await.unwrap_or_else(|never| match never {});
            let status = response.status().as_u16();
            assert!(status < 500, "{status} for {line}");
            let said = to_bytes(response.into_body(), LARGEST).await.expect("a whole response");
            // A refusal says why, in JSON.
            assert!(
                status < 400 || status == 404 || status == 405 || serde_json::from_slice::<Value>(&said).is_ok(),
                "{status} for {line}"
            );
        }
    });
}

/// World files: settings of a world that can be opened, or an error that says something.
pub fn world(bytes: &[u8]) {
    let source = Source::new("fuzzed.yaml", String::from_utf8_lossy(bytes));
    let Some(node) = source.parse(&mut Problems::new()) else { return };
    let opened = serde_json::from_value::<WorldSettings>(node.to_json()).map_err(|error| error.to_string());
    let opened =
        RUNTIME.block_on(async { opened.and_then(|settings| AppState::new(settings).map(drop).map_err(|error| error.to_string())) });
    assert!(opened.err().is_none_or(|error| !error.is_empty()));
}
