//! The emulator on a socket.

mod http2;
mod journalling;
mod logging;
mod read_by_peer;
mod read_short;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use http::{Method, Request, Response, StatusCode, Version};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tower::ServiceExt as _;

use crate::app::{AppState, app};
use crate::common::freedoms::Behaviour;
use crate::control::PREFIX;
use crate::routing::serve;
use crate::tls::{HTTP2, Tls};
use crate::wire::host::is_named;
use crate::wire::{ApiResponse, Caller, Disconnected};
use crate::world::DEFAULT_WORLD;
use http2::Streams;
use journalling::{CopiedBody, JournalledRequest};
use logging::LoggedRequest;
use read_by_peer::ReadByPeer;

/// How long a graceful stop waits for requests in flight.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a TLS handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// How long a head may take, and how long a connection may be idle.
const HEAD: Duration = Duration::from_secs(30);

/// The pause after a connection that could not be accepted, for lack of file descriptors, say: trying again at once would only burn
/// the processor.
const PAUSE: Duration = Duration::from_millis(50);

/// Serves the emulator until `shutdown` is ready, then lets requests in flight finish, for five seconds at most.
pub async fn run(listener: TcpListener, state: AppState, tls: Option<Tls>, shutdown: impl Future) -> io::Result<()> {
    // HTTP is that of the whole emulator, so the world at the root chooses.
    let capitals = state.worlds.find(DEFAULT_WORLD).is_some_and(|world| world.behaves(Behaviour::HeaderCase));
    let (open, closed) = watch::channel(());
    let listening = listener.local_addr()?;
    let server = Server { control: app(state.clone()), state, tls, listening, capitals, closed };
    let graceful = GracefulShutdown::new();
    let mut shutdown = std::pin::pin!(shutdown);
    let mut failures = AcceptFailures::default();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    failures.end();
                    server.accept(stream, peer, &graceful);
                }
                Err(error) => {
                    failures.add(&error);
                    tokio::time::sleep(PAUSE).await;
                }
            },
            _ = &mut shutdown => break,
        }
    }
    drop((listener, open));
    let _ = tokio::time::timeout(PATIENCE, graceful.shutdown()).await;
    server.state.worlds.close();
    Ok(())
}

/// The settings of HTTP: a short response is one write, and of a long one only a little is written ahead of its reader. Under
/// `pipeline_flush` hyper would collect it whole.
fn http_settings(capitals: bool) -> http1::Builder {
    let mut settings = http1::Builder::new();
    settings.timer(TokioTimer::new()).header_read_timeout(HEAD).writev(false).title_case_headers(capitals);
    settings
}

/// Connections in a row that could not be accepted. The log has the first one and their number: a lack of file descriptors
/// would otherwise fill it.
#[derive(Debug, Default)]
struct AcceptFailures(u64);

impl AcceptFailures {
    /// Counts a failure; returns whether it is the first one.
    fn add(&mut self, error: &io::Error) -> bool {
        self.0 += 1;
        let is_first = self.0 == 1;
        if is_first {
            tracing::warn!(%error, "connections can't be accepted");
        }
        is_first
    }

    /// A connection was accepted; returns how often that had failed.
    fn end(&mut self) -> u64 {
        let failed = std::mem::take(&mut self.0);
        if failed > 0 {
            tracing::warn!(failed, "connections are accepted again");
        }
        failed
    }
}

#[derive(Clone)]
struct Server {
    state: AppState,
    control: Router,
    tls: Option<Tls>,
    listening: SocketAddr,
    /// Names of headers are capitalised.
    capitals: bool,
    /// Fails when the emulator stops: a connection that has said nothing is not waited for then.
    closed: watch::Receiver<()>,
}

impl Server {
    fn accept(&self, stream: TcpStream, peer: SocketAddr, graceful: &GracefulShutdown) {
        let _ = stream.set_nodelay(true);
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        let caller = Caller { address: peer.ip(), to: stream.local_addr().unwrap_or(self.listening), scheme };
        let watcher = graceful.watcher();
        let server = self.clone();
        tokio::spawn(async move {
            match server.tls.as_ref().map(Tls::acceptor) {
                None => match server.begun(http2::has_prior_knowledge(&stream)).await {
                    Some(Ok(true)) => server.serve_http2(stream, caller, watcher).await,
                    Some(Ok(false)) => server.serve_http1(stream, caller, watcher).await,
                    None => tracing::debug!(%peer, "no request was begun"),
                    Some(Err(error)) => tracing::debug!(%error, %peer, "a connection broke"),
                },
                Some(acceptor) => match tokio::time::timeout(HANDSHAKE, acceptor.accept(stream)).await {
                    Ok(Ok(stream)) if stream.get_ref().1.alpn_protocol() == Some(HTTP2) => {
                        server.serve_http2(stream, caller, watcher).await;
                    }
                    Ok(Ok(stream)) => server.serve_http1(stream, caller, watcher).await,
                    Err(_) => tracing::debug!(%peer, "the TLS handshake took too long"),
                    Ok(Err(error)) => tracing::debug!(%error, %peer, "the TLS handshake failed"),
                },
            }
        });
    }

    /// What a connection begins with; none if it does not begin in time.
    async fn begun<T>(&self, beginning: impl Future<Output = T>) -> Option<T> {
        let mut closed = self.closed.clone();
        tokio::select! {
            begun = tokio::time::timeout(HEAD, beginning) => begun.ok(),
            _ = closed.changed() => None,
        }
    }

    async fn serve_http1<S>(&self, stream: S, caller: Caller, watcher: Watcher)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let stream = TokioIo::new(ReadByPeer::new(stream));
        let service = service_fn(async |request: Request<Incoming>| {
            if request.version() == Version::HTTP_11 && !is_named(request.headers()) {
                let error = ApiResponse::error(StatusCode::BAD_REQUEST, "a request names its host once, in Host");
                return Ok(error.into_response());
            }
            self.respond(caller, request).await
        });
        let connection = http_settings(self.capitals).serve_connection(stream, service);
        if let Err(error) = watcher.watch(connection).await {
            tracing::debug!(%error, peer = %caller.address, "a connection broke");
        }
    }

    /// A connection is closed on which, for as long as one of HTTP/1.1 may be idle, no request came and nothing was read.
    async fn serve_http2<S>(&self, stream: S, caller: Caller, watcher: Watcher)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let streams = Arc::new(Streams::new());
        let service = service_fn(|request: Request<Incoming>| {
            let (server, streams) = (self.clone(), Arc::clone(&streams));
            async move {
                let (open, is_head) = (streams.open(), request.method() == Method::HEAD);
                let response = server.respond(caller, http2::as_http1(request)).await?;
                // hyper leaves the content out in HTTP/1.1 alone.
                let response = if is_head { response.map(|_| Body::empty()) } else { response };
                Ok::<_, Disconnected>(open.until_written(response))
            }
        });
        let stream = TokioIo::new(ReadByPeer::new(stream));
        let connection = watcher.watch(http2::settings().serve_connection(stream, service));
        tokio::select! {
            served = connection => if let Err(error) = served {
                tracing::debug!(%error, peer = %caller.address, "a connection broke");
            },
            () = streams.idle(HEAD) => {}
        }
    }

    /// The APIs under load are served directly, the control API by its router. An error makes hyper close the connection
    /// (of HTTP/2 the stream) without a response.
    async fn respond(&self, caller: Caller, request: Request<Incoming>) -> Result<Response<Body>, Disconnected> {
        let mut request = request.map(CopiedBody::new);
        let logged = self.state.log.as_ref().map(|log| LoggedRequest::new(Arc::clone(log), &request));
        let is_kept = self.state.worlds.journal().is_some() && !request.uri().path().starts_with(PREFIX);
        let journalled = is_kept.then(|| JournalledRequest::new(&mut request));
        let mut response = self.serve(caller, request).await;
        if let Some(logged) = logged {
            response = logged.finish(response).await;
        }
        if let Some(journalled) = journalled {
            response = journalled.finish(&self.state.worlds, response).await;
        }
        response
    }

    async fn serve(&self, caller: Caller, request: Request<CopiedBody<Incoming>>) -> Result<Response<Body>, Disconnected> {
        if request.uri().path().starts_with(PREFIX) {
            return self.control.clone().oneshot(request.map(Body::new)).await.map_err(|never| match never {});
        }
        serve(&self.state.worlds, caller, request).await
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::pin::Pin;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::{Context, Poll};

    use axum::body::Bytes;
    use http_body::Frame;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    const PAGE: usize = 64 * 1024;
    const PAGES: usize = 1_000;

    /// A long body, which counts the pages that it was asked for.
    struct Long(Arc<AtomicUsize>);

    impl http_body::Body for Long {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            let asked = self.0.fetch_add(1, Ordering::Relaxed);
            Poll::Ready((asked < PAGES).then(|| Ok(Frame::data(Bytes::from_static(&[b'x'; PAGE])))))
        }
    }

    #[test]
    fn of_failures_in_a_row_the_first_one_is_logged_and_their_number() {
        let (mut failures, error) = (AcceptFailures::default(), io::Error::other("too many open files"));
        assert_eq!([failures.add(&error), failures.add(&error), failures.add(&error)], [true, false, false]);
        assert_eq!([failures.end(), failures.end()], [3, 0]);
        assert!(failures.add(&error));
    }

    #[tokio::test]
    async fn a_long_response_is_written_as_it_is_read() {
        let asked = Arc::new(AtomicUsize::new(0));
        let (mut client, server) = tokio::io::duplex(PAGE);
        let counter = Arc::clone(&asked);
        let service = service_fn(move |_: Request<Incoming>| {
            let body = Long(Arc::clone(&counter));
            async { Ok::<_, Infallible>(Response::new(body)) }
        });
        let serving = tokio::spawn(http_settings(false).serve_connection(TokioIo::new(server), service));
        client.write_all(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await.unwrap();
        client.read_exact(&mut [0; PAGE]).await.unwrap();
        assert!(asked.load(Ordering::Relaxed) < 20, "{asked:?} pages wait");
        let mut rest = Vec::new();
        client.read_to_end(&mut rest).await.unwrap();
        assert!(rest.len() > (PAGES - 1) * PAGE);
        serving.await.unwrap().unwrap();
    }
}
