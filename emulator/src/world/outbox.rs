//! Notifications on their way: sent without anybody waiting, logged, repeated, given up with a mail.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::{Semaphore, watch};

use super::World;
use crate::delivery::Letter;
use crate::gateway::core::TransId;
use crate::sync::lock;

/// Deliveries under way at the same time, per world.
const CONCURRENT: usize = 128;

/// What came back from the merchant's endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    /// An HTTP status.
    Status(u16),
    /// No answer: why.
    TransportError(String),
}

impl Answer {
    /// "The merchant answers with HTTP 200, 201, 202, 204 or 205. Any other answer counts as failure."
    pub(crate) const fn acknowledges(&self) -> bool {
        matches!(self, Self::Status(200 | 201 | 202 | 204 | 205))
    }
}

/// One delivery attempt.
#[derive(Debug, Clone)]
pub(crate) struct Attempt {
    pub(crate) trans_id: TransId,
    pub(crate) status: &'static str,
    /// 1 for the first.
    pub(crate) attempt: u32,
    /// Time of the world.
    pub(crate) at: Timestamp,
    pub(crate) answer: Answer,
}

/// An error report to the merchant's contact addresses.
#[derive(Debug, Clone)]
pub(crate) struct Mail {
    pub(crate) to: Vec<String>,
    pub(crate) trans_id: TransId,
    /// The state nobody took.
    pub(crate) status: &'static str,
    /// How often it was tried.
    pub(crate) attempts: u32,
    pub(crate) at: Timestamp,
    pub(crate) text: String,
}

/// The notifications of a world.
pub(crate) struct Outbox {
    in_flight: watch::Sender<usize>,
    closed: watch::Sender<bool>,
    permits: Semaphore,
    attempts: Mutex<VecDeque<Attempt>>,
    mails: Mutex<VecDeque<Mail>>,
    keep: usize,
}

impl Outbox {
    /// An empty one, which keeps all attempts and mails or only the last so many.
    pub(super) fn new(keep: Option<usize>) -> Self {
        Self {
            in_flight: watch::Sender::new(0),
            closed: watch::Sender::new(false),
            permits: Semaphore::new(CONCURRENT),
            attempts: Mutex::default(),
            mails: Mutex::default(),
            keep: keep.unwrap_or(usize::MAX),
        }
    }

    /// Every attempt so far.
    pub(crate) fn attempts(&self) -> Vec<Attempt> {
        lock(&self.attempts).iter().cloned().collect()
    }

    /// Every mail so far.
    pub(crate) fn mails(&self) -> Vec<Mail> {
        lock(&self.mails).iter().cloned().collect()
    }

    /// Deliveries under way.
    pub(crate) fn in_flight(&self) -> usize {
        *self.in_flight.borrow()
    }

    /// Returns when no delivery is under way.
    pub(crate) async fn settle(&self) {
        // The sender is ours: it can't be gone.
        let _ = self.in_flight.subscribe().wait_for(|count| *count == 0).await;
    }

    /// Aborts what is under way and sends nothing more.
    pub(super) fn close(&self) {
        self.closed.send_replace(true);
    }

    async fn until_closed(&self) {
        let _ = self.closed.subscribe().wait_for(|closed| *closed).await;
    }

    fn log(&self, attempt: Attempt) {
        push_bounded(&self.attempts, attempt, self.keep);
    }

    fn post(&self, mail: Mail) {
        push_bounded(&self.mails, mail, self.keep);
    }
}

fn push_bounded<T>(list: &Mutex<VecDeque<T>>, item: T, keep: usize) {
    let mut list = lock(list);
    list.push_back(item);
    while list.len() > keep {
        list.pop_front();
    }
}

/// Counts a delivery as under way until it is dropped, even by a panic.
struct UnderWay(Arc<World>);

impl UnderWay {
    fn new(world: &Arc<World>) -> Self {
        world.outbox.in_flight.send_modify(|count| *count += 1);
        Self(Arc::clone(world))
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.outbox.in_flight.send_modify(|count| *count = count.saturating_sub(1));
    }
}

impl World {
    /// Sends a notification in the background.
    pub(super) fn send(self: &Arc<Self>, letter: Letter) {
        let under_way = UnderWay::new(self);
        tokio::spawn(async move {
            let world = &under_way.0;
            tokio::select! {
                biased;
                () = world.outbox.until_closed() => {}
                () = world.deliver(letter) => {}
            }
        });
    }

    async fn deliver(self: &Arc<Self>, letter: Letter) {
        let Ok(_permit) = self.outbox.permits.acquire().await else { return };
        // Boxed, so that a letter that waits for its turn takes no room for the sending: with a merchant that stalls,
        // hundreds of thousands may wait, for none is dropped.
        Box::pin(self.attempt(letter)).await;
    }

    async fn attempt(self: &Arc<Self>, mut letter: Letter) {
        letter.attempt += 1;
        let at = self.now();
        let timeout = Duration::from_secs(u64::from(self.settings.retry.timeout_seconds));
        let answer = self.courier.carry(&letter, timeout).await;
        let acknowledged = answer.acknowledges();
        self.outbox.log(Attempt { trans_id: letter.trans_id, status: letter.status, attempt: letter.attempt, at, answer });
        if !acknowledged {
            self.repeat_or_give_up(letter, at);
        }
    }

    fn repeat_or_give_up(&self, letter: Letter, at: Timestamp) {
        match self.settings.retry.pause_after(letter.attempt) {
            Some(pause) => self.agenda.repeat(at.saturating_add(pause).unwrap_or(Timestamp::MAX), Box::new(letter)),
            None => self.outbox.post(error_report(letter, at)),
        }
    }
}

fn error_report(letter: Letter, at: Timestamp) -> Mail {
    let text = format!(
        "The state {} of the payment {} could not be delivered to {}: {} attempts were not acknowledged.",
        letter.status, letter.trans_id, letter.url, letter.attempt
    );
    Mail { to: letter.contacts, trans_id: letter.trans_id, status: letter.status, attempts: letter.attempt, at, text }
}
