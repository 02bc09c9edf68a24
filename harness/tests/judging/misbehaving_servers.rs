//! Servers that are no API at all: too much, too slow, too little, something else. The harness must
//! say what happened, in bounded time and memory, and never fall over.

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::support::raw::{Raw, hear, ok};
use crate::support::{bare_target, findings, judge, one_call, story};
use harness::base::verdict::Verdict;
use harness::engine::event::CaseFinished;
use harness::wire::exchange::MAX_BODY_BYTES;
use tokio::io::AsyncWriteExt;
use url::Url;

const CREATE: &str = "gateway.v1.create";

/// Sends one creation, with a patience that is not what ends it, on however busy a machine.
async fn create_at(url: &Url) -> Arc<CaseFinished> {
    create_within(Duration::from_secs(60), url).await
}

/// Sends one creation to a server that is waited for in vain.
async fn create_in_vain_at(url: &Url) -> Arc<CaseFinished> {
    create_within(Duration::from_millis(400), url).await
}

async fn create_within(patience: Duration, url: &Url) -> Arc<CaseFinished> {
    let mut target = bare_target(url);
    target.timeout = patience;
    let finished = judge(target, one_call(CREATE), 1, None).await;
    Arc::clone(finished.first().unwrap())
}

/// Asserts one finding about the call that says these things.
fn finds(finished: &Arc<CaseFinished>, says: &str) {
    let found = findings(finished);
    let named = found.iter().any(|f| f.clause() == format!("{CREATE}.call") && f.message.contains(says));
    assert!(named, "`{says}` is not said in: {}", story(finished));
}

#[tokio::test]
async fn a_response_of_a_gigabyte_is_not_read() {
    const GIGABYTE: usize = 1 << 30;
    let server = Raw::start(|mut stream, written| async move {
        hear(&mut stream).await;
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {GIGABYTE}\r\n\r\ncode=0&message="
        );
        let _ = stream.write_all(head.as_bytes()).await;
        let piece = vec![b'x'; 1 << 16];
        while written.load(Ordering::SeqCst) < GIGABYTE && stream.write_all(&piece).await.is_ok() {
            written.fetch_add(piece.len(), Ordering::SeqCst);
        }
    })
    .await;
    finds(&create_at(&server.url).await, "larger than any documented one");
    let written = server.counted.load(Ordering::SeqCst);
    // What the harness reads, and what the buffers of two sockets hold.
    assert!(written < 8 * MAX_BODY_BYTES, "{written} bytes were taken");
}

#[tokio::test]
async fn an_endless_response_is_not_read() {
    let server = Raw::start(|mut stream, written| async move {
        hear(&mut stream).await;
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n";
        let _ = stream.write_all(head.as_bytes()).await;
        let piece = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
        while stream.write_all(piece.as_bytes()).await.is_ok() {
            written.fetch_add(piece.len(), Ordering::SeqCst);
        }
    })
    .await;
    finds(&create_at(&server.url).await, "larger than any documented one");
    assert!(server.counted.load(Ordering::SeqCst) < 8 * MAX_BODY_BYTES);
}

#[tokio::test]
async fn an_endless_redirect_is_not_followed() {
    let server = Raw::saying("HTTP/1.1 307 Temporary Redirect\r\nLocation: /v1.0/create\r\nContent-Length: 0\r\n\r\n").await;
    finds(&create_at(&server.url).await, "HTTP 307");
    assert_eq!(server.connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_dripping_response_is_not_waited_for() {
    let server = Raw::start(|mut stream, _| async move {
        hear(&mut stream).await;
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000000\r\n\r\n";
        let _ = stream.write_all(head.as_bytes()).await;
        let mut drip = tokio::time::interval(Duration::from_millis(20));
        while stream.write_all(b"c").await.is_ok() {
            drip.tick().await;
        }
    })
    .await;
    finds(&create_in_vain_at(&server.url).await, "time");
}

#[tokio::test]
async fn a_head_that_drips_is_not_waited_for() {
    let server = Raw::start(|mut stream, _| async move {
        hear(&mut stream).await;
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nX-Drip: ").await;
        let mut drip = tokio::time::interval(Duration::from_millis(20));
        while stream.write_all(b"c").await.is_ok() {
            drip.tick().await;
        }
    })
    .await;
    finds(&create_in_vain_at(&server.url).await, "time");
}

#[tokio::test]
async fn a_server_that_says_nothing_is_not_waited_for() {
    let server = Raw::start(|stream, _| async move {
        std::future::pending::<()>().await;
        drop(stream);
    })
    .await;
    finds(&create_in_vain_at(&server.url).await, "time");
}

#[tokio::test]
async fn bytes_that_are_not_http_are_a_finding() {
    for bytes in ["SSH-2.0-OpenSSH_9.6\r\n", "\0\u{1}\u{2}\u{3}", "HTTP/9.9 OK\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "{\"code\": 0}"] {
        let server = Raw::saying(bytes).await;
        finds(&create_at(&server.url).await, "connection ended before the response was whole");
    }
}

#[tokio::test]
async fn a_connection_closed_without_a_response_is_a_finding() {
    let server = Raw::saying("").await;
    finds(&create_at(&server.url).await, "connection ended before the response was whole");
}

#[tokio::test]
async fn less_than_was_promised_is_a_finding() {
    let server =
        Raw::saying("HTTP/1.1 200 OK\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 99\r\n\r\ncode=0&message=OK")
            .await;
    finds(&create_at(&server.url).await, "connection ended before the response was whole");
}

#[tokio::test]
async fn an_empty_response_is_a_finding() {
    let server = Raw::saying("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
    finds(&create_at(&server.url).await, "no body");
}

#[tokio::test]
async fn no_content_is_a_finding() {
    let server = Raw::saying("HTTP/1.1 204 No Content\r\n\r\n").await;
    finds(&create_at(&server.url).await, "no body");
}

#[tokio::test]
async fn a_compressed_body_without_accept_encoding_is_a_finding() {
    let body = gzip(b"code=0&message=OK&transId=A&redirect=http%3A%2F%2Fx%2FA");
    let server = Raw::saying(ok("Content-Type: application/x-www-form-urlencoded\r\nContent-Encoding: gzip", &body)).await;
    finds(&create_at(&server.url).await, "can't be read");
}

/// Compressed by the tool everybody has.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut child = Command::new("gzip").arg("-c").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    child.wait_with_output().unwrap().stdout
}

#[tokio::test]
async fn a_head_without_end_is_a_finding() {
    let server = Raw::start(|mut stream, _| async move {
        hear(&mut stream).await;
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n").await;
        let line = format!("X-More: {}\r\n", "x".repeat(8000));
        while stream.write_all(line.as_bytes()).await.is_ok() {}
    })
    .await;
    finds(&create_at(&server.url).await, "connection ended before the response was whole");
}

#[tokio::test]
async fn json_of_a_hundred_thousand_levels_is_a_finding() {
    let server = Raw::saying(ok("Content-Type: application/json", "[".repeat(100_000).as_bytes())).await;
    let mut target = bare_target(&server.url);
    target.timeout = Duration::from_secs(60);
    let finished = judge(target, one_call("gateway.v2.create"), 1, None).await;
    let finished = finished.first().unwrap();
    assert!(findings(finished).iter().any(|f| f.clause() == "gateway.v2.create.call"), "{}", story(finished));
}

#[tokio::test]
async fn headers_that_are_not_text_are_recorded() {
    let server =
        Raw::saying(b"HTTP/1.1 200 OK\r\nX-Odd: \xff\xfe\r\nContent-Type: \xe9\r\nContent-Length: 17\r\n\r\ncode=0&message=OK".to_vec())
            .await;
    let finished = create_at(&server.url).await;
    assert!(!findings(&finished).is_empty(), "{}", story(&finished));
}

#[tokio::test]
async fn a_refused_connection_is_no_finding_but_a_broken_case() {
    let server = Raw::saying("").await;
    let url = server.url.clone();
    drop(server);
    // The listener is gone as soon as its task has been dropped.
    tokio::task::yield_now().await;
    let finished = create_at(&url).await;
    assert!(
        matches!(&finished.verdict, Verdict::NotJudged { reason } if reason.to_string().contains("can't be reached")),
        "{}",
        story(&finished)
    );
}

#[tokio::test]
async fn a_host_that_does_not_exist_is_no_finding_but_a_broken_case() {
    let finished = create_at(&Url::parse("http://gateway.example.invalid").unwrap()).await;
    assert!(matches!(finished.verdict, Verdict::NotJudged { .. }), "{}", story(&finished));
}
