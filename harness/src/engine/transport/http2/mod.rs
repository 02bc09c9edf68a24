//! A connection of HTTP/2, over which several users may send at the same time. A task of its own drives it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use h2::client::SendRequest;
use h2::{Reason, RecvStream};
use http::header::{CONTENT_LENGTH, HOST};
use http::uri::{Authority, Scheme};
use http::{HeaderValue, Request, Uri};
use http_body_util::{BodyExt as _, Full};
use tokio::task::AbortHandle;
use url::Url;

use super::reply::{Chunks, FailedAttempt, Failure, Reply, too_large};
use crate::engine::client::{self, ConnectionCounts, Stream, explained};
use crate::wire::exchange::{HttpVersion, TransportFailureKind};

/// A handle to an open connection; the last one closes it.
#[derive(Clone)]
pub(super) struct Http2 {
    sender: SendRequest<Bytes>,
    state: Arc<State>,
}

struct State {
    driver: AbortHandle,
    /// Why the connection ended, once it has. A request on it learns only that it did.
    ended: Arc<OnceLock<String>>,
    /// No further request can be sent.
    over: AtomicBool,
    /// The requests under way.
    streams: AtomicU64,
    counts: Arc<ConnectionCounts>,
}

impl Drop for State {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

/// A request under way.
struct OpenStream<'s>(&'s State);

impl<'s> OpenStream<'s> {
    fn count(state: &'s State) -> Self {
        let streams = state.streams.fetch_add(1, Ordering::Relaxed) + 1;
        // A connection of one user has one, and is counted with that.
        if streams > 1 {
            state.counts.streams(streams);
        }
        Self(state)
    }
}

impl Drop for OpenStream<'_> {
    fn drop(&mut self) {
        self.0.streams.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Http2 {
    /// Begins HTTP/2 on a stream.
    pub(super) async fn open(stream: Box<dyn Stream>, counts: Arc<ConnectionCounts>) -> Result<Self, Failure> {
        let refused = |error: h2::Error| Failure { kind: TransportFailureKind::Connect, detail: explained::http2(&error) };
        let (sender, connection) = client::http2(stream).await.map_err(refused)?;
        let ended = Arc::new(OnceLock::new());
        let end = Arc::clone(&ended);
        let driver = tokio::spawn(async move {
            if let Err(error) = connection.await {
                end.get_or_init(|| explained::http2(&error));
            }
        });
        let state = State { driver: driver.abort_handle(), ended, over: AtomicBool::new(false), streams: AtomicU64::new(0), counts };
        Ok(Self { sender, state: Arc::new(state) })
    }

    /// Whether no further request can be sent over it.
    pub(super) fn is_over(&self) -> bool {
        self.state.over.load(Ordering::Relaxed) || self.state.driver.is_finished()
    }

    /// One exchange; `began` is set once the head of the response has arrived.
    pub(super) async fn exchange(
        &self,
        base: &Url,
        request: Request<Full<Bytes>>,
        most: usize,
        began: &AtomicBool,
    ) -> Result<Reply, FailedAttempt> {
        let (request, body) = as_http2(base, request).await.map_err(FailedAttempt::Failed)?;
        let ready = self.sender.clone().ready().await;
        let mut sender = ready.map_err(|_| self.ended(FailedAttempt::Unsent))?;
        let (response, mut sending) = sender.send_request(request, body.is_empty()).map_err(|error| self.failed(&error))?;
        if !body.is_empty() {
            sending.send_data(body, true).map_err(|error| self.failed(&error))?;
        }
        // Where the target limits its streams, the request waits for one. What goes wrong meanwhile, the response says too: there it
        // is known whether the target has seen the request.
        let _ = sender.ready().await;
        let _open = OpenStream::count(&self.state);
        let (head, body) = response.await.map_err(|error| self.failed(&error))?.into_parts();
        began.store(true, Ordering::Relaxed);
        let body = self.read(body, most).await?;
        Ok(Reply { status: head.status.as_u16(), headers: head.headers, body, http: HttpVersion::Two })
    }

    async fn read(&self, mut body: RecvStream, most: usize) -> Result<Bytes, FailedAttempt> {
        let mut read = Chunks::Nothing;
        while let Some(data) = body.data().await {
            // The target has seen the request: it is not sent again, however its response ends.
            let data = data.map_err(|error| match self.failed(&error) {
                FailedAttempt::Unsent => FailedAttempt::Failed(self.broken(&error)),
                failed @ (FailedAttempt::Failed(_) | FailedAttempt::Closed(_)) => failed,
            })?;
            let _ = body.flow_control().release_capacity(data.len());
            read = read.and(data);
            if read.len() > most {
                return Err(FailedAttempt::Failed(too_large(most)));
            }
        }
        Ok(read.joined())
    }

    fn ended(&self, ended: FailedAttempt) -> FailedAttempt {
        self.state.over.store(true, Ordering::Relaxed);
        ended
    }

    /// A target that ends a connection says which requests it has not processed; they may be sent again.
    fn failed(&self, error: &h2::Error) -> FailedAttempt {
        if !error.is_reset() {
            self.state.over.store(true, Ordering::Relaxed);
        }
        if is_unprocessed(error) { FailedAttempt::Unsent } else { FailedAttempt::Failed(self.broken(error)) }
    }

    fn broken(&self, error: &h2::Error) -> Failure {
        let ended = self.state.ended.get().filter(|_| !error.is_reset());
        Failure { kind: TransportFailureKind::Broken, detail: ended.cloned().unwrap_or_else(|| explained::http2(error)) }
    }
}

fn is_unprocessed(error: &h2::Error) -> bool {
    error.is_go_away() && error.is_remote() && error.reason() == Some(Reason::NO_ERROR)
}

/// The request as HTTP/2 has it: the host is a part of the address, and no header speaks of the connection.
async fn as_http2(base: &Url, request: Request<Full<Bytes>>) -> Result<(Request<()>, Bytes), Failure> {
    let unwritable = |error: &dyn std::fmt::Display| Failure { kind: TransportFailureKind::Broken, detail: error.to_string() };
    let (mut head, body) = request.into_parts();
    let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let host = head.headers.remove(HOST).unwrap_or_else(|| HeaderValue::from_static(""));
    let mut uri = head.uri.into_parts();
    uri.authority = Some(Authority::try_from(host.as_bytes()).map_err(|error| unwritable(&error))?);
    uri.scheme = Some(if base.scheme() == "https" { Scheme::HTTPS } else { Scheme::HTTP });
    head.uri = Uri::from_parts(uri).map_err(|error| unwritable(&error))?;
    head.version = http::Version::HTTP_2;
    if !body.is_empty() {
        head.headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
    }
    Ok((Request::from_parts(head, ()), body))
}

#[cfg(test)]
mod tests;
