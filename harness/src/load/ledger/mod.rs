//! Accounts for notifications: which were due, which arrived, and whether the status call agrees.
//!
//! It does no I/O and reads no clock: callers pass times, counted from the start of the load. Any number of users and inboxes report
//! concurrently, in any order: a notification may be reported before the change of state that it is about.
//!
//! **Memory is bounded.** A resource stays open while a notification of it is due, and for [`NotificationDeadlines::lost`] after the
//! last report about it. Then its notifications are counted, and 64 bits of each are kept, so that a repeated one counts as a duplicate
//! and a change of state that is reported very late still finds its notification. At most 131,072 resources are open; beyond that the
//! oldest is counted at once, and its due notifications are lost, or late if they arrive after all. About a million notifications are
//! remembered; one that is repeated after that is unexpected. All this takes 50 MB at 4,000 notifications a second, 100 MB at worst.

mod flags;
mod partition;
mod problem;
mod recent;
mod resource;
#[cfg(test)]
mod tests;
mod totals;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::latency;
use super::profile::NotificationDeadlines;
use super::result::{Latency, NotificationResult};
use partition::Partition;
pub use problem::{NotificationProblem, ProblemKind};
pub use totals::LedgerTotals;
use totals::few_of_each;

/// The number of partitions, each with a lock: reports about different resources seldom wait for each other.
const PARTITIONS: u64 = 16;

/// Accounts for notifications.
#[derive(Debug)]
pub struct Ledger {
    partitions: Vec<Mutex<Partition>>,
}

impl Ledger {
    /// An empty ledger.
    pub fn new(deadlines: NotificationDeadlines) -> Self {
        Self { partitions: (0..PARTITIONS).map(|_| Mutex::new(Partition::new(deadlines))).collect() }
    }

    /// Sets whether notifications that become due from now on are of the warm-up. Of those, only the wrong ones are counted (lost, received
    /// again, contradicting), and no lag is measured.
    pub fn set_warm_up(&self, warm_up: bool) {
        self.partitions.iter().for_each(|partition| locked(partition).set_warm_up(warm_up));
    }

    /// Reports that a resource has reached a state that must be notified. Every such state must be reported, intermediate ones too.
    ///
    /// Returns the lag if the notification was received before this report.
    pub fn due(&self, resource: &str, state: &str, at: Duration) -> Option<Duration> {
        let (hash, pair) = hashes(resource, state);
        self.partition(hash)?.due(resource, state, pair, at)
    }

    /// Reports a notification. If it was not `acknowledged`, the target is to send it again.
    ///
    /// Returns the lag, from the change of state to the receipt, at the first receipt of a notification that is due.
    pub fn received(&self, resource: &str, state: &str, at: Duration, acknowledged: bool) -> Option<Duration> {
        let (hash, pair) = hashes(resource, state);
        self.partition(hash)?.received(resource, state, pair, at, acknowledged)
    }

    /// Reports the state that the status call returned. `asked` is when the call was sent: later notifications do not contradict it.
    /// Resources that are not open are ignored.
    pub fn status(&self, resource: &str, state: &str, asked: Duration) {
        let (hash, _) = hashes(resource, state);
        if let Some(mut partition) = self.partition(hash) {
            partition.status(resource, state, asked);
        }
    }

    /// The number of notifications that are due and not received.
    pub fn outstanding(&self) -> u64 {
        self.partitions.iter().map(|partition| locked(partition).waiting()).sum()
    }

    /// The counts so far, without the notifications that are still awaited.
    pub fn so_far(&self) -> NotificationResult {
        let (mut result, mut lag) = (NotificationResult::default(), latency::histogram());
        for partition in &self.partitions {
            locked(partition).so_far(&mut result, &mut lag);
        }
        NotificationResult { lag: Latency::from_histogram(&lag), ..result }
    }

    /// Counts everything and empties the ledger. A notification that was due [`NotificationDeadlines::lost`] before `at` or earlier and
    /// was not received is lost.
    pub fn close(&self, at: Duration) -> LedgerTotals {
        let mut closed = LedgerTotals { result: NotificationResult::default(), undecided: 0, problems: Vec::new() };
        let mut lag = latency::histogram();
        for partition in &self.partitions {
            locked(partition).close(at, &mut closed, &mut lag);
        }
        closed.problems = few_of_each(std::mem::take(&mut closed.problems), &closed.result);
        closed.result.lag = Latency::from_histogram(&lag);
        closed
    }

    fn partition(&self, hash: u64) -> Option<MutexGuard<'_, Partition>> {
        let index = usize::try_from(hash % PARTITIONS).ok()?;
        self.partitions.get(index).map(locked)
    }
}

/// Locks a mutex. After a panic elsewhere the counts are still usable.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The hash of the resource, and of the resource with the state. They are the same in every run.
fn hashes(resource: &str, state: &str) -> (u64, u64) {
    let mut hasher = DefaultHasher::new();
    resource.hash(&mut hasher);
    let whole = hasher.finish();
    state.hash(&mut hasher);
    (whole, hasher.finish())
}
