//! A mailbox: the notifications of one world, or of one case in a shared world.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use crate::wire::exchange::Exchange;

/// The most notifications that a mailbox holds unclaimed.
const MOST_UNCLAIMED: usize = 10_000;
/// The most bytes that these take.
const MOST_BYTES: usize = 8 * 1024 * 1024;

/// The bytes that count towards the limit.
pub(super) fn size(exchange: &Exchange) -> usize {
    let request = &exchange.request;
    request.body.text.len() + request.url.len() + request.headers.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>()
}

/// The response of the endpoint to one notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndpointReply {
    /// The HTTP status; none closes the connection without a response.
    pub status: Option<u16>,
    /// How long it is delayed.
    pub delay: Duration,
}

impl EndpointReply {
    /// The response that acknowledges a notification.
    pub const OK: Self = Self { status: Some(200), delay: Duration::ZERO };
    /// The response of a mailbox that takes nothing more, whatever a script has set.
    pub(super) const FULL: Self = Self { status: Some(429), delay: Duration::ZERO };
}

/// The notifications of one world, or of one case in a shared world.
#[derive(Debug, Default)]
pub struct Mailbox {
    state: Mutex<State>,
    arrived: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// The responses that are given in turn.
    replies: Vec<EndpointReply>,
    /// How many of them were given, by what the notification was about: a late repetition about something else takes none away.
    given: HashMap<Option<String>, usize>,
    /// What has arrived and no step has claimed yet.
    waiting: VecDeque<Arc<Exchange>>,
    /// Their size in bytes.
    bytes: usize,
    /// The number of notifications that have arrived.
    arrived: usize,
    /// Whether nothing more can arrive, so that waiting is pointless.
    closed: bool,
}

impl Mailbox {
    /// A mailbox that a replay fills.
    pub(crate) fn closed() -> Self {
        Self { state: Mutex::new(State { closed: true, ..State::default() }), arrived: Notify::new() }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the responses that are given in turn to the notifications about each resource; the last one is repeated.
    pub fn respond_with(&self, replies: impl IntoIterator<Item = EndpointReply>) {
        let mut state = self.state();
        state.replies = replies.into_iter().collect();
        state.given.clear();
    }

    /// The response to the next notification; `about` says which resource it is about, where that matters.
    pub(super) fn next_reply(&self, about: impl FnOnce() -> Option<String>) -> EndpointReply {
        let mut state = self.state();
        let Some(last) = state.replies.len().checked_sub(1) else { return EndpointReply::OK };
        if last == 0 {
            return state.replies.first().copied().unwrap_or(EndpointReply::OK);
        }
        let given = state.given.entry(about()).or_default();
        let next = (*given).min(last);
        *given = next + 1;
        state.replies.get(next).copied().unwrap_or(EndpointReply::OK)
    }

    pub(crate) fn receive(&self, exchange: Arc<Exchange>) {
        let mut state = self.state();
        state.bytes += size(&exchange);
        state.waiting.push_back(exchange);
        state.arrived += 1;
        drop(state);
        self.arrived.notify_waiters();
    }

    /// Whether more is unclaimed than any script could use.
    pub(super) fn is_full(&self) -> bool {
        let state = self.state();
        state.waiting.len() >= MOST_UNCLAIMED || state.bytes >= MOST_BYTES
    }

    /// Reads the unclaimed notifications in the order of arrival; they stay unclaimed.
    pub fn unclaimed<T>(&self, mut look: impl FnMut(&Exchange) -> Option<T>) -> Vec<T> {
        self.state().waiting.iter().filter_map(|exchange| look(exchange)).collect()
    }

    /// Claims the first notification that matches.
    pub fn claim(&self, mut fits: impl FnMut(&Exchange) -> bool) -> Option<Arc<Exchange>> {
        let mut state = self.state();
        let place = state.waiting.iter().position(|exchange| fits(exchange))?;
        let claimed = state.waiting.remove(place)?;
        state.bytes -= size(&claimed);
        Some(claimed)
    }

    /// Whether every notification was claimed.
    pub(crate) fn is_empty(&self) -> bool {
        self.state().waiting.is_empty()
    }

    /// Claims everything, in the order of arrival.
    pub fn rest(&self) -> Vec<Arc<Exchange>> {
        let mut state = self.state();
        state.bytes = 0;
        std::mem::take(&mut state.waiting).into()
    }

    /// Waits until more has arrived, at most until `deadline`; returns `false` if that has passed.
    pub async fn more(&self, seen: usize, deadline: tokio::time::Instant) -> bool {
        loop {
            let waiting = self.arrived.notified();
            tokio::pin!(waiting);
            waiting.as_mut().enable();
            let (arrived, closed) = {
                let state = self.state();
                (state.arrived, state.closed)
            };
            if arrived > seen || closed {
                return arrived > seen;
            }
            if tokio::time::timeout_at(deadline, waiting).await.is_err() {
                return self.state().arrived > seen;
            }
        }
    }

    /// How many notifications have arrived.
    pub fn arrivals(&self) -> usize {
        self.state().arrived
    }
}
