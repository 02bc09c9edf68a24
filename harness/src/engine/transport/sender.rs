//! Sends each request over a connection on which it can't get lost.
//!
//! A server may close an idle connection at any time (RFC 9112, section 9.3.1), also at the very moment when the next request is sent
//! over it. That breaks no rule, and the client cannot see whether the request was carried out. So what has no effect is sent again over
//! a new connection, once, and what has an effect goes to a live target over a new connection in the first place. A connection of HTTP/2
//! says which of its requests it has not carried out (GOAWAY); the library sends those again by itself.

use std::error::Error;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use http::{Method, Version};

use crate::engine::client::{self, ClientError};
use crate::spec::target::{HttpChoice, Target, WorldKind};

/// Sends requests to one target.
#[derive(Debug, Clone)]
pub(super) struct Sender {
    /// Uses connections again.
    kept: reqwest::Client,
    /// Opens a connection for each request.
    single: reqwest::Client,
    /// Whether what has an effect may go over a connection that was used before: an emulator closes none unannounced.
    reuses: bool,
    /// Whether the target has spoken HTTP/2.
    http2: Arc<AtomicBool>,
    exchanges: Arc<Exchanges>,
}

/// Counts exchanges.
#[derive(Debug, Default)]
struct Exchanges {
    begun: AtomicUsize,
    under_way: AtomicUsize,
}

/// An exchange that has begun. It is over when this is dropped.
pub(super) struct BegunExchange {
    exchanges: Arc<Exchanges>,
    number: usize,
    had_company: bool,
}

impl BegunExchange {
    /// Whether another exchange was under way at some time since this one began.
    fn has_company(&self) -> bool {
        self.had_company || self.exchanges.begun.load(Ordering::Relaxed) > self.number + 1
    }
}

impl Drop for BegunExchange {
    fn drop(&mut self) {
        self.exchanges.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Sender {
    pub(super) fn new(target: &Target) -> Result<Self, ClientError> {
        Ok(Self {
            kept: client::for_target(target)?,
            single: client::for_single_calls(target)?,
            reuses: matches!(target.world, WorldKind::Emulator(_)) || target.http == HttpChoice::Two,
            http2: Arc::default(),
            exchanges: Arc::default(),
        })
    }

    /// The client that uses connections again.
    pub(super) fn kept(&self) -> &reqwest::Client {
        &self.kept
    }

    /// Begins an exchange, which lasts until its response is read.
    pub(super) fn begin(&self) -> BegunExchange {
        let exchanges = Arc::clone(&self.exchanges);
        let number = exchanges.begun.fetch_add(1, Ordering::Relaxed);
        let had_company = exchanges.under_way.fetch_add(1, Ordering::Relaxed) > 0;
        BegunExchange { exchanges, number, had_company }
    }

    /// Sends the request of an exchange.
    pub(super) async fn send(&self, request: reqwest::Request, exchange: &BegunExchange) -> reqwest::Result<reqwest::Response> {
        let again = is_safe(request.method()).then(|| request.try_clone()).flatten();
        if again.is_none() && !self.reuses && !self.http2.load(Ordering::Relaxed) {
            return self.noting_version(self.single.execute(request).await);
        }
        let (sent, opened) = client::noted(self.kept.execute(request)).await;
        // While a connection is being opened, the library takes one that another exchange has ended with.
        let may_be_used = !opened || exchange.has_company();
        let sent = match (sent, again) {
            (Err(error), Some(again)) if may_be_used && ended_before_a_response(&error) => self.single.execute(again).await,
            (sent, _) => sent,
        };
        self.noting_version(sent)
    }

    fn noting_version(&self, sent: reqwest::Result<reqwest::Response>) -> reqwest::Result<reqwest::Response> {
        if let Ok(response) = &sent {
            self.http2.store(response.version() == Version::HTTP_2, Ordering::Relaxed);
        }
        sent
    }
}

/// Whether a request has no effect (RFC 9110, section 9.2.1).
pub(super) fn is_safe(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

/// Whether the connection ended before the head of a response.
fn ended_before_a_response(error: &reqwest::Error) -> bool {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if error.downcast_ref().is_some_and(hyper::Error::is_incomplete_message) || error.downcast_ref().is_some_and(is_end) {
            return true;
        }
        cause = error.source();
    }
    false
}

fn is_end(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(error.kind(), ConnectionReset | ConnectionAborted | BrokenPipe | UnexpectedEof)
}

/// Whether an error of the library that drives a connection says that it ended before the head of a response.
pub(super) fn is_end_of_connection(error: &hyper::Error) -> bool {
    let is_end = |cause: &(dyn Error + 'static)| cause.downcast_ref().is_some_and(is_end);
    error.is_incomplete_message() || error.source().is_some_and(is_end)
}
