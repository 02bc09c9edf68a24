//! An ordinary exchange is one that the library would have had as well.

use std::pin::pin;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use proptest::prelude::*;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};

use super::*;
use crate::engine::transport::reply::Failure;

const OK: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
/// How long the server waits for another request before it closes. Time is paused: it passes when nothing else happens.
const WAITING: Duration = Duration::from_secs(1);

/// What happened in two exchanges: each response or how there was none, and what the server has received.
type Seen = (Vec<Result<(u16, String, Bytes), String>>, Vec<u8>);

/// The library from the first byte on.
async fn by_library(stream: Box<dyn Stream>) -> Http1 {
    Http1(Reader::Library(Library::open(begun::Begun::new(stream, 0, (Bytes::new(), None))).await.unwrap()))
}

/// Answers a first request with these pieces and a second one with a plain response.
async fn serve(mut stream: DuplexStream, request: usize, pieces: Vec<Vec<u8>>) -> Vec<u8> {
    let mut received = Vec::new();
    for pieces in [pieces, vec![OK.to_vec()]] {
        let mut read = vec![0; request];
        let Ok(Ok(_)) = tokio::time::timeout(WAITING, stream.read_exact(&mut read)).await else { break };
        received.extend(read);
        for piece in pieces {
            let _ = stream.write_all(&piece).await;
            tokio::task::yield_now().await;
        }
    }
    received
}

fn play(request: &ConnectionRequest, pieces: &[Vec<u8>], most: usize, ordinary: bool) -> Seen {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let server = tokio::spawn(serve(theirs, request.to_http1().len(), pieces.to_vec()));
        let stream: Box<dyn Stream> = Box::new(ours);
        let mut http1 = if ordinary { Http1::open(stream) } else { by_library(stream).await };
        let mut seen = Vec::new();
        for _ in 0..2 {
            let ended = http1.exchange(request, most, &AtomicBool::new(false)).await;
            let is_over = ended.as_ref().map_or(true, |(_, over)| *over);
            seen.push(match ended {
                Ok((reply, _)) => Ok((reply.status, format!("{:?}", reply.headers), reply.body)),
                Err(FailedAttempt::Unsent) => Err("unsent".to_owned()),
                // The words depend on the pieces in which a head arrives, also in the library.
                Err(FailedAttempt::Failed(Failure { kind, .. }) | FailedAttempt::Closed(Failure { kind, .. })) => Err(format!("{kind:?}")),
            });
            // Bytes that belong to no response end a connection, at once or with the next request.
            if is_over {
                break;
            }
            tokio::task::yield_now().await;
        }
        seen.retain(|exchange| *exchange != Err("unsent".to_owned()));
        drop(http1);
        (seen, server.await.unwrap())
    })
}

fn request(method: &str, body: &[u8]) -> ConnectionRequest {
    let request = http::Request::builder().method(method).uri("/v1.0/page?a=%20b").header("host", "here").header("x-a", "b");
    ConnectionRequest::of_test(request.body(Bytes::copy_from_slice(body)).unwrap())
}

fn line() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        8 => Just(b"content-type: application/json".to_vec()),
        4 => Just(b"Connection: keep-alive".to_vec()),
        1 => Just(b"connection: close".to_vec()),
        1 => Just(b"connection: keep-alive, close".to_vec()),
        1 => Just(b"Transfer-Encoding: chunked".to_vec()),
        1 => Just(b"x-b: \xff\xfe ".to_vec()),
        1 => Just(b"no colon".to_vec()),
        1 => Just(b" folded: line".to_vec()),
        1 => Just(b"content-length: +3".to_vec()),
        1 => Just(b"content-length: 4, 4".to_vec()),
        1 => Just(b"content-length:".to_vec()),
        4 => (0..7_usize).prop_map(|length| format!("Content-Length: {length}").into_bytes()),
    ]
}

fn response() -> impl Strategy<Value = Vec<u8>> {
    let first = prop_oneof![
        12 => Just("HTTP/1.1 200 OK"),
        1 => Just("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200"),
        1 => Just("HTTP/1.1 101 Switching Protocols"),
        1 => Just("HTTP/1.1 204 No Content"),
        1 => Just("HTTP/1.1 304 Not Modified"),
        1 => Just("HTTP/1.1 999 Strange"),
        1 => Just("HTTP/1.0 200 OK"),
        1 => Just("\r\nHTTP/1.1 404 Not Found"),
        1 => Just("SPDY 200"),
    ];
    let body = prop_oneof![
        6 => "[a-z]{0,7}".prop_map(String::into_bytes),
        1 => Just(b"3\r\nabc\r\n0\r\n\r\n".to_vec()),
        1 => Just(b"3;x\r\nabc\r\n0\r\nt: u\r\n\r\n".to_vec()),
        1 => Just(b"zz\r\n".to_vec()),
    ];
    (first, prop::collection::vec(line(), 0..4), any::<bool>(), body).prop_map(|(first, mut lines, sized, body)| {
        if sized {
            lines.push(format!("content-length: {}", body.len()).into_bytes());
        }
        let lines = lines.into_iter().flat_map(|line| [line, b"\r\n".to_vec()].concat());
        [first.as_bytes(), b"\r\n", &lines.collect::<Vec<_>>(), b"\r\n", &body].concat()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn an_exchange_is_what_the_library_makes_of_it(
        response in response(),
        method in prop_oneof![6 => Just("GET"), 4 => Just("POST"), 1 => Just("HEAD")],
        body in "[a-z]{0,9}",
        cuts in prop::collection::vec(0..120_usize, 0..3),
        shown in prop_oneof![6 => Just(usize::MAX), 1 => 0..120_usize],
        most in prop_oneof![8 => Just(100_usize), 1 => 0..5_usize],
    ) {
        let request = request(method, if method == "POST" { body.as_bytes() } else { b"" });
        let response = &response[..response.len().min(shown)];
        let mut ends: Vec<usize> = cuts.into_iter().map(|cut| cut.min(response.len())).collect();
        ends.push(response.len());
        ends.sort_unstable();
        let mut start = 0;
        let pieces: Vec<Vec<u8>> = ends.into_iter().map(|end| response[std::mem::replace(&mut start, end)..end].to_vec()).collect();
        let (ours, mut theirs) = (play(&request, &pieces, most, true), play(&request, &pieces, most, false));
        // Bytes behind a response: ours sees them at once, the library may send the next request before it does, and that one fails.
        if let ([first], [_, Err(_)]) = (ours.0.as_slice(), theirs.0.as_slice())
            && first.is_ok()
            && theirs.1.starts_with(&ours.1)
        {
            theirs.0.truncate(1);
            theirs.1.truncate(ours.1.len());
        }
        prop_assert_eq!(ours, theirs, "{}", String::from_utf8_lossy(response));
    }
}

#[test]
fn an_ordinary_exchange_needs_no_library() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        for (response, is_ordinary) in [(OK, true), (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n".as_slice(), false)] {
            let (ours, theirs) = tokio::io::duplex(1 << 16);
            let request = request("GET", b"");
            tokio::spawn(serve(theirs, request.to_http1().len(), vec![response.to_vec()]));
            let mut http1 = Http1::open(Box::new(ours));
            assert_eq!(http1.exchange(&request, 100, &AtomicBool::new(false)).await.unwrap().0.status, 200);
            assert_eq!(matches!(http1.0, Reader::Ordinary(_)), is_ordinary);
        }
    });
}

#[test]
fn a_long_request_and_a_long_response_are_whole() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let body = vec![b'x'; 200_000];
    for (size, is_ordinary) in [(1 << 20, true), (4096, false)] {
        let seen = runtime.block_on(async {
            let (ours, theirs) = tokio::io::duplex(size);
            let request = request("POST", &body);
            let response = [format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len()).as_bytes(), body.as_slice()].concat();
            let server = tokio::spawn(serve(theirs, request.to_http1().len(), vec![response]));
            let mut http1 = Http1::open(Box::new(ours));
            assert_eq!(http1.exchange(&request, 1 << 20, &AtomicBool::new(false)).await.unwrap().0.body.len(), body.len());
            assert_eq!(matches!(http1.0, Reader::Ordinary(_)), is_ordinary, "the library writes what is not taken at once");
            drop(http1);
            server.await.unwrap()
        });
        assert_eq!(seen.len(), request("POST", &body).to_http1().len());
    }
}

#[tokio::test]
async fn a_response_begins_with_its_whole_head() {
    for ordinary in [true, false] {
        let (near, mut far) = tokio::io::duplex(4096);
        let mut http1 = if ordinary { Http1::open(Box::new(near)) } else { by_library(Box::new(near)).await };
        let (began, request) = (AtomicBool::new(false), request("GET", b""));
        let mut exchange = pin!(http1.exchange(&request, 100, &began));
        // What arrives before the request is sent is a response to nothing.
        for _ in 0..5 {
            assert!(futures::poll!(exchange.as_mut()).is_pending());
        }
        for (part, has_begun) in [("HTTP/1.1 200 OK\r\n", false), ("content-length: 5\r\n\r\nok", true)] {
            far.write_all(part.as_bytes()).await.unwrap();
            for _ in 0..5 {
                assert!(futures::poll!(exchange.as_mut()).is_pending());
            }
            assert_eq!(began.load(Ordering::Relaxed), has_begun, "{part}");
        }
    }
}
