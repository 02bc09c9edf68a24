//! One kept-alive connection of a virtual user, driven by the user's own task.
//!
//! A pool, or a task for every connection, would have to pass on every request and every response. A user has one request
//! under way at a time, so it drives the connection itself while it waits.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep};
use url::Url;

use super::connections::{Connections, Open};
use super::reply::{FailedAttempt, Failure, Reply};
use super::sender::is_safe;
use crate::engine::client;
use crate::engine::request::ConnectionRequest;
use crate::wire::exchange::TransportFailureKind;

/// A kept-alive connection to one address, opened on first use and reopened after it was closed.
pub(crate) struct Connection {
    connections: Connections,
    /// Which of the shared connections it is, where some are shared.
    slot: usize,
    /// Its scheme, host and port.
    base: Url,
    /// How long a whole exchange may take.
    within: Duration,
    open: Option<Open>,
    /// When the last exchange on it ended.
    used: Instant,
    /// How long it may be idle and still be used again.
    idle: Duration,
    alarm: Option<Alarm>,
}

/// Fires when an exchange takes too long. It is neither set nor registered anew for every exchange: when it fires for an exchange
/// that is over, it is set to the end of the present one.
struct Alarm {
    sleep: Pin<Box<Sleep>>,
    /// The task that it wakes.
    wakes: Option<Waker>,
}

impl Alarm {
    fn set(within: Duration) -> Self {
        Self { sleep: Box::pin(sleep(within)), wakes: None }
    }

    /// Whether the deadline has passed. If not, the waiting task is woken when it does.
    fn rings(&mut self, context: &mut Context<'_>, late: Instant) -> bool {
        let known = self.wakes.as_ref().is_some_and(|waker| waker.will_wake(context.waker()));
        if known && !self.sleep.is_elapsed() {
            return false;
        }
        self.wakes = Some(context.waker().clone());
        while self.sleep.as_mut().poll(context).is_ready() {
            if Instant::now() >= late {
                return true;
            }
            self.sleep.as_mut().reset(late);
        }
        false
    }
}

impl Connection {
    /// Returns a connection to the host of a base URL on which an exchange may take this long.
    pub(crate) fn new(connections: Connections, base: Url, within: Duration) -> Self {
        let slot = connections.next_slot();
        Self { connections, slot, base, within, open: None, used: Instant::now(), idle: client::IDLE, alarm: None }
    }

    /// Sends a request and reads its response, of which at most `most` bytes are taken. A connection that the
    /// target closed while it was idle is opened again, once; one that was idle for long is not used again, because
    /// the target may be closing it just now.
    ///
    /// Returns how long it took, too: opening a connection is a part of that.
    pub(crate) async fn send(&mut self, request: &ConnectionRequest, most: usize) -> (Duration, Result<Reply, Failure>) {
        let started = Instant::now();
        if started.duration_since(self.used) >= self.idle {
            self.open = None;
        }
        let (within, mut alarm) = (self.within, self.alarm.take().unwrap_or_else(|| Alarm::set(self.within)));
        let began = AtomicBool::new(false);
        let response = {
            let mut attempts = pin!(self.attempts(request, most, &began));
            poll_fn(|context| {
                if let Poll::Ready(response) = attempts.as_mut().poll(context) {
                    return Poll::Ready(response);
                }
                if alarm.rings(context, started + within) {
                    return Poll::Ready(Err(late(within, began.load(Ordering::Relaxed))));
                }
                Poll::Pending
            })
            .await
        };
        self.used = Instant::now();
        let took = self.used.duration_since(started);
        let response = response.map_err(|failure| self.explained(failure));
        if response.is_err() {
            // A pending exchange must not mix with the next one.
            self.open = None;
        }
        self.alarm = Some(alarm);
        (took, response)
    }

    /// Distinguishes a connection that was not opened in time, over which nothing was sent, from a slow response.
    fn explained(&self, failure: Failure) -> Failure {
        if self.open.is_some() || failure.kind != TransportFailureKind::Timeout {
            return failure;
        }
        Failure { kind: TransportFailureKind::Connect, detail: format!("no connection within {:?}", self.within) }
    }

    async fn attempts(&mut self, request: &ConnectionRequest, most: usize, began: &AtomicBool) -> Result<Reply, Failure> {
        let reused = self.open.is_some();
        let ended = match self.attempt(request, most, began).await {
            Ok(reply) => return Ok(reply),
            Err(ended) => ended,
        };
        // A connection of HTTP/2 that was shared just now had been in use as well.
        let reused = reused || matches!(self.open, Some(Open::Two(_)));
        match ended {
            FailedAttempt::Unsent if reused => {}
            FailedAttempt::Closed(_) if reused && is_safe(request.method()) => {}
            FailedAttempt::Closed(Failure { kind, detail }) if reused => return Err(Failure { kind, detail: format!("{detail}; {USED}") }),
            first => return Err(first.failure()),
        }
        self.open = None;
        self.attempt(request, most, began).await.map_err(FailedAttempt::failure)
    }

    async fn attempt(&mut self, request: &ConnectionRequest, most: usize, began: &AtomicBool) -> Result<Reply, FailedAttempt> {
        let open = match self.open.take() {
            Some(open) => self.open.insert(open),
            None => self.open.insert(self.connections.open(&self.base, self.slot).await.map_err(FailedAttempt::Failed)?),
        };
        let (reply, closed) = open.exchange(request, &self.base, most, began).await?;
        if closed {
            self.open = None;
        }
        Ok(reply)
    }
}

/// What else is known of a connection that ended before a response began.
const USED: &str = "it had been used before, and a server may close such a connection at any time, so this says little about the call";

/// The failure of an exchange that took too long. The target of a response that began is not silent.
fn late(within: Duration, began: bool) -> Failure {
    let kind = if began { TransportFailureKind::Broken } else { TransportFailureKind::Timeout };
    Failure { kind, detail: format!("no whole response within {within:?}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::client::{Connector, LONGEST_HEAD};
    use crate::spec::target::HttpChoice;
    use bytes::Bytes;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    fn request() -> ConnectionRequest {
        ConnectionRequest::of_test(http::Request::get("/page").header("host", "here").body(Bytes::new()).unwrap())
    }

    /// Serves one list of responses a connection, one response a request; then the connection is closed.
    async fn server(connections: Vec<Vec<&'static str>>) -> Connection {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let authority = listener.local_addr().unwrap().to_string();
        tokio::spawn(async move {
            for responses in connections {
                let (mut stream, _) = listener.accept().await.unwrap();
                for response in responses {
                    let mut read = [0; 1024];
                    assert!(stream.read(&mut read).await.unwrap() > 0);
                    stream.write_all(response.as_bytes()).await.unwrap();
                }
            }
        });
        plain(&authority)
    }

    fn connections(certificate: Option<&[u8]>, http: HttpChoice) -> Connections {
        Connections::own(Connector::of_test(certificate, http))
    }

    fn plain(authority: &str) -> Connection {
        Connection::new(connections(None, HttpChoice::Auto), format!("http://{authority}").parse().unwrap(), Duration::from_secs(5))
    }

    const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

    #[tokio::test]
    async fn a_response_is_read_completely_in_one_piece_or_in_many() {
        let chunked = "HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n";
        let mut connection = server(vec![vec![OK, chunked, OK]]).await;
        for (status, body) in [(200, "ok"), (201, "abcde"), (200, "ok")] {
            let reply = connection.send(&request(), 100).await.1.unwrap();
            assert_eq!((reply.status, reply.body.as_ref()), (status, body.as_bytes()));
        }
    }

    #[tokio::test]
    async fn a_connection_that_does_not_come_about_is_no_slow_response() {
        let mute = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let authority = mute.local_addr().unwrap();
        let within = Duration::from_millis(100);
        let mut shared = connections(None, HttpChoice::Auto);
        shared.share(1);
        for (connections, scheme, kind) in [
            (connections(None, HttpChoice::Auto), "http", TransportFailureKind::Timeout),
            (connections(None, HttpChoice::Auto), "https", TransportFailureKind::Connect),
            (shared, "https", TransportFailureKind::Connect),
        ] {
            let base: Url = format!("{scheme}://{authority}").parse().unwrap();
            let mut users = [0, 1].map(|_| Connection::new(connections.clone(), base.clone(), within));
            let [one, other] = &mut users;
            let (request, second) = (request(), request());
            let failures = tokio::join!(one.send(&request, 100), other.send(&second, 100));
            let kinds = [failures.0.1, failures.1.1].map(|response| response.unwrap_err().kind);
            assert_eq!(kinds, [kind, kind], "{scheme}");
        }
    }

    #[tokio::test]
    async fn a_connection_that_was_closed_while_idle_is_opened_again() {
        let mut connection = server(vec![vec![OK], vec![OK]]).await;
        for _ in 0..2 {
            assert_eq!(connection.send(&request(), 100).await.1.unwrap().status, 200);
            tokio::task::yield_now().await;
        }
    }

    /// A server that reads the second request of a connection and closes it then. Returns the numbers of requests that it has read.
    async fn unannounced(connections: usize) -> (Connection, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let authority = listener.local_addr().unwrap().to_string();
        let requests = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&requests);
        tokio::spawn(async move {
            for _ in 0..connections {
                let (mut stream, _) = listener.accept().await.unwrap();
                for response in [OK, ""] {
                    assert!(stream.read(&mut [0; 1024]).await.unwrap() > 0);
                    counted.fetch_add(1, Ordering::Relaxed);
                    stream.write_all(response.as_bytes()).await.unwrap();
                }
            }
        });
        (plain(&authority), requests)
    }

    #[tokio::test]
    async fn a_request_without_an_effect_is_sent_again_when_its_used_connection_ends() {
        let (mut connection, requests) = unannounced(2).await;
        for _ in 0..2 {
            assert_eq!(connection.send(&request(), 100).await.1.unwrap().status, 200);
        }
        assert_eq!(requests.load(Ordering::Relaxed), 3);
    }

    #[tokio::test]
    async fn a_request_with_an_effect_is_not_sent_again_and_the_failure_says_why() {
        let (mut connection, requests) = unannounced(1).await;
        let post = || ConnectionRequest::of_test(http::Request::post("/page").header("host", "here").body(Bytes::new()).unwrap());
        assert_eq!(connection.send(&post(), 100).await.1.unwrap().status, 200);
        let failure = connection.send(&post(), 100).await.1.unwrap_err();
        assert!(failure.kind == TransportFailureKind::Broken && failure.detail.ends_with(USED), "{failure:?}");
        assert_eq!(requests.load(Ordering::Relaxed), 2);
    }

    #[tokio::test]
    async fn a_new_connection_that_ends_is_the_failure_of_the_target() {
        let mut connection = server(vec![vec![""], vec![OK]]).await;
        let failure = connection.send(&request(), 100).await.1.unwrap_err();
        assert!(failure.kind == TransportFailureKind::Broken && !failure.detail.contains(USED), "{failure:?}");
    }

    #[tokio::test]
    async fn long_chunk_extensions_are_not_read_and_not_the_failure_of_the_target() {
        let chunked = format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2;x={}\r\nok\r\n0\r\n\r\n", "x".repeat(16 * 1024));
        let mut connection = server(vec![vec![chunked.leak()]]).await;
        let failure = connection.send(&request(), 100).await.1.unwrap_err();
        assert!(failure.kind == TransportFailureKind::Unread && failure.detail.contains("which HTTP allows"), "{failure:?}");
    }

    #[tokio::test]
    async fn a_connection_that_was_idle_for_long_is_not_used_again() {
        for (idle, expected) in [(Duration::from_secs(3600), 1), (Duration::ZERO, 3)] {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let mut connection = Connection { idle, ..plain(&listener.local_addr().unwrap().to_string()) };
            let opened = Arc::new(AtomicUsize::new(0));
            let counted = Arc::clone(&opened);
            tokio::spawn(async move {
                loop {
                    let (mut stream, _) = listener.accept().await.unwrap();
                    counted.fetch_add(1, Ordering::Relaxed);
                    tokio::spawn(async move {
                        while stream.read(&mut [0; 1024]).await.is_ok_and(|read| read > 0) {
                            stream.write_all(OK.as_bytes()).await.unwrap();
                        }
                    });
                }
            });
            for _ in 0..3 {
                assert_eq!(connection.send(&request(), 100).await.1.unwrap().status, 200);
            }
            assert_eq!(opened.load(Ordering::Relaxed), expected, "idle for {idle:?}");
        }
    }

    #[tokio::test]
    async fn a_connection_that_ends_while_a_request_waits_for_it_is_no_riddle() {
        // The server closes at the very moment when the next request is made, again and again.
        let mut connection = server((0..50).map(|_| vec![OK]).collect()).await;
        for _ in 0..50 {
            match connection.send(&request(), 100).await.1 {
                Ok(reply) => assert_eq!(reply.status, 200),
                Err(failure) => assert_eq!(failure.kind, TransportFailureKind::Broken, "{failure:?}"),
            }
        }
    }

    #[tokio::test]
    async fn a_response_that_is_cut_off_is_a_failure_and_the_next_one_is_not() {
        let cut = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nok";
        let mut connection = server(vec![vec![cut], vec![OK]]).await;
        assert_eq!(connection.send(&request(), 100).await.1.unwrap_err().kind, TransportFailureKind::Broken);
        assert_eq!(connection.send(&request(), 100).await.1.unwrap().status, 200);
    }

    #[test]
    fn a_response_that_began_and_does_not_end_is_no_silence() {
        let kind = |began| late(Duration::from_secs(1), began).kind;
        assert_eq!([kind(false), kind(true)], [TransportFailureKind::Timeout, TransportFailureKind::Broken]);
    }

    #[tokio::test]
    async fn a_head_without_end_is_not_read() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut connection = plain(&listener.local_addr().unwrap().to_string());
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let head = format!("HTTP/1.1 200 OK\r\nx-long: {}", "a".repeat(LONGEST_HEAD as usize));
            let _ = stream.write_all(head.as_bytes()).await;
            std::future::pending::<()>().await;
        });
        assert_eq!(connection.send(&request(), 100).await.1.unwrap_err().kind, TransportFailureKind::Broken);
    }

    #[tokio::test]
    async fn more_than_is_taken_is_a_failure() {
        let mut connection = server(vec![vec![OK]]).await;
        assert_eq!(connection.send(&request(), 1).await.1.unwrap_err().kind, TransportFailureKind::TooLarge);
    }

    #[tokio::test]
    async fn a_refused_connection_is_a_failure_of_its_own() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let authority = listener.local_addr().unwrap().to_string();
        drop(listener);
        let mut connection = plain(&authority);
        assert_eq!(connection.send(&request(), 1).await.1.unwrap_err().kind, TransportFailureKind::Connect);
    }

    #[tokio::test(start_paused = true)]
    async fn a_missing_response_is_a_timeout() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut connection = plain(&listener.local_addr().unwrap().to_string());
        assert_eq!(connection.send(&request(), 1).await.1.unwrap_err().kind, TransportFailureKind::Timeout);
    }

    /// A server with a certificate of its own, which closes each connection after one response. Returns the certificate and, for each
    /// connection, the result of the handshake.
    async fn encrypted() -> (String, Vec<u8>, tokio::sync::mpsc::UnboundedReceiver<(rustls::HandshakeKind, Option<Vec<u8>>)>) {
        let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
        let key = rustls::pki_types::PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
        let provider = std::sync::Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let mut config = builder.with_no_client_auth().with_single_cert(vec![made.cert.der().clone()], key.into()).unwrap();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        let acceptor = tokio_rustls::TlsAcceptor::from(std::sync::Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("https://{}", listener.local_addr().unwrap());
        let (seen, handshakes) = tokio::sync::mpsc::unbounded_channel();
        tokio::spawn(async move {
            loop {
                let Ok(mut stream) = acceptor.accept(listener.accept().await.unwrap().0).await else { continue };
                let session = stream.get_ref().1;
                seen.send((session.handshake_kind().unwrap(), session.alpn_protocol().map(<[u8]>::to_vec))).unwrap();
                let mut read = [0; 1024];
                assert!(stream.read(&mut read).await.unwrap() > 0);
                stream.write_all(OK.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n").as_bytes()).await.unwrap();
                let _ = stream.shutdown().await;
            }
        });
        (base, made.cert.pem().into_bytes(), handshakes)
    }

    #[tokio::test]
    async fn an_encrypted_connection_that_is_opened_again_resumes_its_session() {
        let (base, certificate, mut handshakes) = encrypted().await;
        let mut connection =
            Connection::new(connections(Some(&certificate), HttpChoice::One), base.parse().unwrap(), Duration::from_secs(5));
        for kind in [rustls::HandshakeKind::Full, rustls::HandshakeKind::Resumed] {
            assert_eq!(connection.send(&request(), 100).await.1.unwrap().body.as_ref(), b"ok");
            assert_eq!(handshakes.recv().await.unwrap(), (kind, Some(b"http/1.1".to_vec())));
        }
    }

    #[tokio::test]
    async fn an_untrusted_certificate_ends_the_attempt() {
        let (base, _, _handshakes) = encrypted().await;
        let (_, another, _) = encrypted().await;
        for trusted in [None, Some(another.as_slice())] {
            let mut connection = Connection::new(connections(trusted, HttpChoice::Auto), base.parse().unwrap(), Duration::from_secs(5));
            let failure = connection.send(&request(), 100).await.1.unwrap_err();
            assert_eq!(failure.kind, TransportFailureKind::Connect, "{failure:?}");
            assert!(failure.detail.contains("certificate"), "{failure:?}");
        }
    }
}
