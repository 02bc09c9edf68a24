//! HTTP/2: how a connection without TLS shows that it speaks it, and what HTTP/1.1 has elsewhere.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http::header::HOST;
use http::uri::PathAndQuery;
use http::{HeaderValue, Request, Response, Uri};
use http_body::{Frame, SizeHint};
use hyper::server::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::net::TcpStream;
use tokio::time::Instant;

/// How a client begins that knows beforehand that it may speak HTTP/2. No request of HTTP/1.1 begins so.
const PREFACE: &[u8; 4] = b"PRI ";

/// The pause before the beginning of a connection is read again, of which less than four bytes have come.
const PAUSE: Duration = Duration::from_millis(5);

/// The largest head of a request; that of HTTP/1.1 is bounded by hyper.
const LARGEST_HEAD: u32 = 64 * 1024;

/// The settings of HTTP/2. How many streams, resets and bytes a client may keep open is bounded by hyper.
pub(super) fn settings() -> http2::Builder<TokioExecutor> {
    let mut settings = http2::Builder::new(TokioExecutor::new());
    settings.timer(TokioTimer::new()).max_header_list_size(LARGEST_HEAD);
    settings
}

/// Whether a client speaks HTTP/2 by prior knowledge, without TLS. It is waited for until its first bytes say so; nothing is taken from
/// the stream.
pub(super) async fn has_prior_knowledge(stream: &TcpStream) -> io::Result<bool> {
    let mut seen = [0; PREFACE.len()];
    loop {
        let count = stream.peek(&mut seen).await?;
        let beginning = seen.get(..count).unwrap_or_default();
        if count == 0 || !PREFACE.starts_with(beginning) {
            return Ok(false);
        }
        if count == PREFACE.len() {
            return Ok(true);
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// The request as HTTP/1.1 has it: the path in the address, and the host in a header.
pub(super) fn as_http1<B>(mut request: Request<B>) -> Request<B> {
    let uri = request.uri();
    let host = uri.authority().and_then(|authority| HeaderValue::from_str(authority.as_str()).ok());
    let path = uri.path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/"));
    *request.uri_mut() = Uri::from(path);
    if let Some(host) = host {
        request.headers_mut().insert(HOST, host);
    }
    request
}

/// What a connection is busy with, and since when it is idle.
pub(super) struct Streams {
    /// The requests whose next bytes the emulator has yet to make; the others wait for their reader.
    working: AtomicUsize,
    /// Milliseconds since `begun` when a request or a part of a response last came or went.
    moved: AtomicUsize,
    begun: Instant,
}

/// A request under way, until its response is written.
pub(super) struct OpenStream {
    streams: Arc<Streams>,
    working: bool,
}

impl Streams {
    pub(super) fn new() -> Self {
        Self { working: AtomicUsize::new(0), moved: AtomicUsize::new(0), begun: Instant::now() }
    }

    /// A request that came.
    pub(super) fn open(self: &Arc<Self>) -> OpenStream {
        let mut stream = OpenStream { streams: Arc::clone(self), working: false };
        stream.moved(true);
        stream
    }

    /// Returns once for `patience` no request came and no reader took anything of a response.
    pub(super) async fn idle(&self, patience: Duration) {
        loop {
            let since = Duration::from_millis(self.moved.load(Ordering::Relaxed).try_into().unwrap_or(u64::MAX));
            let due = if self.working.load(Ordering::Relaxed) > 0 { Instant::now() + patience } else { self.begun + since + patience };
            if due <= Instant::now() {
                return;
            }
            tokio::time::sleep_until(due).await;
        }
    }
}

impl OpenStream {
    /// The request is under way until its response is written.
    pub(super) fn until_written(mut self, response: Response<Body>) -> Response<Body> {
        self.moved(false);
        response.map(|body| Body::new(WrittenBody { body, stream: self }))
    }

    /// Notes that it moved on, and whether the emulator has to make what comes next.
    fn moved(&mut self, working: bool) {
        if working && !self.working {
            self.streams.working.fetch_add(1, Ordering::Relaxed);
        } else if self.working && !working {
            self.streams.working.fetch_sub(1, Ordering::Relaxed);
        }
        self.working = working;
        let now = usize::try_from(self.streams.begun.elapsed().as_millis()).unwrap_or(usize::MAX);
        self.streams.moved.store(now, Ordering::Relaxed);
    }
}

/// The body of a response, which is asked for its next part when the reader has room for it.
struct WrittenBody {
    body: Body,
    stream: OpenStream,
}

impl http_body::Body for WrittenBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = self.get_mut();
        let part = Pin::new(&mut this.body).poll_frame(context);
        this.stream.moved(part.is_pending());
        part
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.moved(false);
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use http::StatusCode;
    use hyper::body::Incoming;
    use hyper::service::service_fn;
    use hyper_util::rt::TokioIo;
    use tokio::io::AsyncWriteExt as _;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(30);

    #[test]
    fn a_request_gets_the_host_that_its_address_names() {
        let request = Request::get("https://shop.example:8443/v1.0/status?a=1").header(HOST, "other.example").body(()).unwrap();
        let request = as_http1(request);
        assert_eq!(
            (request.uri().to_string(), &request.headers()[HOST]),
            ("/v1.0/status?a=1".to_owned(), &"shop.example:8443".parse().unwrap())
        );
    }

    #[tokio::test]
    async fn the_first_bytes_say_which_protocol_is_spoken_however_they_come() {
        for (pieces, known) in [(vec!["P", "RI * HTTP/2.0"], true), (vec!["P", "OST /"], false), (vec!["GET /"], false), (vec![], false)] {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let mut client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
            let (server, _) = listener.accept().await.unwrap();
            let spoken = tokio::spawn(async move { has_prior_knowledge(&server).await.unwrap() });
            for piece in pieces {
                client.write_all(piece.as_bytes()).await.unwrap();
                tokio::task::yield_now().await;
            }
            client.shutdown().await.unwrap();
            assert_eq!(spoken.await.unwrap(), known);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_is_idle_when_its_last_request_is_long_over() {
        let (streams, begun) = (Arc::new(Streams::new()), Instant::now());
        let one = async {
            let open = streams.open();
            tokio::time::sleep(Duration::from_secs(50)).await;
            drop(open.until_written(Response::new(Body::empty())));
        };
        tokio::join!(one, streams.idle(PATIENCE));
        assert_eq!(begun.elapsed().as_secs(), 80);
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_grants_no_room_is_not_waited_for() {
        let (streams, begun) = (Arc::new(Streams::new()), Instant::now());
        let (client, server) = tokio::io::duplex(64 * 1024);
        let service = service_fn(|_: Request<Incoming>| {
            let open = streams.open();
            async { Ok::<_, Infallible>(open.until_written(Response::new(Body::from("a text that is not read")))) }
        });
        let serving = async {
            tokio::select! {
                served = settings().serve_connection(TokioIo::new(server), service) => panic!("{served:?}"),
                () = streams.idle(PATIENCE) => {}
                () = tokio::time::sleep(PATIENCE * 10) => panic!("the response is still waiting"),
            }
        };
        let asking = async {
            let mut reader = hyper::client::conn::http2::Builder::new(TokioExecutor::new());
            let (mut sender, connection) = reader.initial_stream_window_size(0).handshake(TokioIo::new(client)).await.unwrap();
            tokio::spawn(connection);
            sender.send_request(Request::get("http://127.0.0.1/").body(Body::empty()).unwrap()).await.unwrap()
        };
        let (_, response) = tokio::join!(serving, asking);
        assert_eq!((response.status(), begun.elapsed().as_secs()), (StatusCode::OK, 30));
    }
}
