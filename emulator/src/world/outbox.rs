//! The log of a world's notifications: attempts, error reports, and how many deliveries are under way.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use tokio::sync::{Semaphore, oneshot, watch};

use super::notifier::{DeliveryResult, Notification};
use crate::base::sync::lock;
use crate::common::TransId;

/// Deliveries under way at the same time, per world.
const CONCURRENT: usize = 128;

/// One delivery attempt.
#[derive(Debug, Clone)]
pub(crate) struct Attempt {
    pub(crate) trans_id: TransId,
    pub(crate) status: &'static str,
    /// 1 for the first.
    pub(crate) attempt: u32,
    /// Time of the world.
    pub(crate) at: Timestamp,
    pub(crate) result: DeliveryResult,
}

/// An error report to the merchant's contact addresses.
#[derive(Debug, Clone)]
pub(crate) struct Email {
    pub(crate) to: Vec<String>,
    pub(crate) trans_id: TransId,
    /// The state that was never acknowledged.
    pub(crate) status: &'static str,
    /// The number of attempts.
    pub(crate) attempts: u32,
    pub(crate) at: Timestamp,
    pub(crate) text: String,
}

impl Email {
    /// Reports a notification that is given up.
    pub(super) fn error_report(notification: Notification, at: Timestamp) -> Self {
        let Notification { trans_id, status, url, contacts, attempt, .. } = notification;
        let attempts = if attempt == 1 { "1 attempt was".to_owned() } else { format!("{attempt} attempts were") };
        let text = format!("The state {status} of the payment {trans_id} could not be delivered to {url}: {attempts} not acknowledged.");
        Self { to: contacts, trans_id, status, attempts: attempt, at, text }
    }
}

/// A place in the queue of deliveries that happen one after another; it is left when this is dropped.
#[derive(Debug)]
pub(super) struct Turn {
    before: oneshot::Receiver<Infallible>,
    _over: oneshot::Sender<Infallible>,
}

impl Turn {
    /// Returns when the delivery before is over.
    pub(super) async fn comes(&mut self) {
        // Nothing is ever sent: the channel closes when the place before is left.
        let _ = (&mut self.before).await;
    }
}

/// The notifications of a world.
pub(crate) struct Outbox {
    in_flight: watch::Sender<usize>,
    closed: watch::Sender<bool>,
    pub(super) permits: Semaphore,
    attempts: Mutex<VecDeque<Attempt>>,
    emails: Mutex<VecDeque<Email>>,
    keep: usize,
    deliveries: AtomicU64,
    /// Closed when the last of the deliveries that happen one after another is over.
    last_turn: Mutex<oneshot::Receiver<Infallible>>,
}

impl Outbox {
    /// An empty outbox, which keeps all attempts and e-mails, or only the last `keep` of each.
    pub(super) fn new(keep: Option<usize>) -> Self {
        Self {
            in_flight: watch::Sender::new(0),
            closed: watch::Sender::new(false),
            permits: Semaphore::new(CONCURRENT),
            attempts: Mutex::default(),
            emails: Mutex::default(),
            keep: keep.unwrap_or(usize::MAX),
            deliveries: AtomicU64::default(),
            last_turn: Mutex::new(oneshot::channel().1),
        }
    }

    /// The number of deliveries counted before this one.
    pub(super) fn count_delivery(&self) -> u64 {
        self.deliveries.fetch_add(1, Ordering::Relaxed)
    }

    /// The newest attempts, oldest first, and how many older ones there are.
    pub(crate) fn newest_attempts(&self, most: usize) -> (Vec<Attempt>, usize) {
        newest(&self.attempts, most)
    }

    /// The newest e-mails, oldest first, and how many older ones there are.
    pub(crate) fn newest_emails(&self, most: usize) -> (Vec<Email>, usize) {
        newest(&self.emails, most)
    }

    /// The number of deliveries under way.
    pub(crate) fn in_flight(&self) -> usize {
        *self.in_flight.borrow()
    }

    /// Returns when no delivery is under way.
    pub(crate) async fn settle(&self) {
        // The sender is a field of this struct, so the channel can't be closed.
        let _ = self.in_flight.subscribe().wait_for(|count| *count == 0).await;
    }

    /// Aborts what is under way and sends nothing more.
    pub(super) fn close(&self) {
        self.closed.send_replace(true);
    }

    /// Returns when the outbox is closed.
    pub(super) async fn until_closed(&self) {
        let _ = self.closed.subscribe().wait_for(|closed| *closed).await;
    }

    /// Counts a delivery as under way.
    pub(super) fn begin_delivery(&self) {
        self.in_flight.send_modify(|count| *count += 1);
    }

    /// The place behind all deliveries that were given one before.
    pub(super) fn next_turn(&self) -> Turn {
        let (over, last) = oneshot::channel();
        Turn { before: std::mem::replace(&mut lock(&self.last_turn), last), _over: over }
    }

    /// Counts a delivery as over.
    pub(super) fn end_delivery(&self) {
        self.in_flight.send_modify(|count| *count = count.saturating_sub(1));
    }

    /// Logs an attempt.
    pub(super) fn log(&self, attempt: Attempt) {
        push_bounded(&self.attempts, attempt, self.keep);
    }

    /// Logs an e-mail.
    pub(super) fn mail(&self, email: Email) {
        push_bounded(&self.emails, email, self.keep);
    }
}

fn newest<T: Clone>(list: &Mutex<VecDeque<T>>, most: usize) -> (Vec<T>, usize) {
    let list = lock(list);
    let older = list.len().saturating_sub(most);
    (list.iter().skip(older).cloned().collect(), older)
}

fn push_bounded<T>(list: &Mutex<VecDeque<T>>, item: T, keep: usize) {
    let mut list = lock(list);
    list.push_back(item);
    while list.len() > keep {
        list.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;

    fn has_come(turn: &mut Turn) -> bool {
        pin!(turn.comes()).poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    #[test]
    fn a_turn_comes_when_the_one_before_is_over_even_if_it_never_came() {
        let outbox = Outbox::new(None);
        let [mut first, second, mut third] = [(); 3].map(|()| outbox.next_turn());
        assert!(has_come(&mut first));
        assert!(!has_come(&mut third));
        drop(first);
        assert!(!has_come(&mut third));
        drop(second);
        assert!(has_come(&mut third));
    }

    #[test]
    fn of_a_log_the_newest_are_listed_and_the_older_ones_counted() {
        let log = Mutex::new(VecDeque::from([1, 2, 3]));
        assert_eq!(newest(&log, 2), (vec![2, 3], 1));
        assert_eq!(newest(&log, 5), (vec![1, 2, 3], 0));
    }
}
