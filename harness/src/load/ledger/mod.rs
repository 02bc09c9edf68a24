//! Accounts for notifications: which were due, which arrived, and whether the status call agrees.
//!
//! It does no I/O and reads no clock: times are handed in, counted from the start of the load. Any number of users and inboxes report
//! at the same time, in any order: a notification may be reported before the change of state that it is about.
//!
//! **Memory is bounded.** A resource stays open while a notification of it is due, and for [`NotificationDeadlines::lost`] after the
//! last report about it. Then it is counted, and only 64 bits of each of its notifications are kept, so that one more of them counts as
//! a duplicate, and a change of state that is reported very late still finds its notification. At most 131,072 resources are open
//! (beyond that the oldest is counted at once; a notification that is due of it is lost, or late if it still comes), and about a million
//! notifications are remembered (one that comes again after that is unexpected). Together 50 MB at 4,000 notifications a second, 100 MB
//! at worst.

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

/// Reports about different resources seldom wait for each other.
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

    /// Reports that a resource has reached a state that must be notified. Every such state must be reported, intermediate ones too.
    ///
    /// Returns the lag if the notification is there already: the push may overtake this report.
    pub fn due(&self, resource: &str, state: &str, at: Duration) -> Option<Duration> {
        let (hash, pair) = hashes(resource, state);
        self.partition(hash)?.due(resource, state, pair, at)
    }

    /// Reports a notification. Where it was not `acknowledged`, the response asked for it again.
    ///
    /// Returns the lag, from the change of state to the receipt, at the first receipt of a notification that is due.
    pub fn received(&self, resource: &str, state: &str, at: Duration, acknowledged: bool) -> Option<Duration> {
        let (hash, pair) = hashes(resource, state);
        self.partition(hash)?.received(resource, state, pair, at, acknowledged)
    }

    /// Reports what the status call says. `asked` is when the call was sent: later notifications do not contradict it. Resources that are
    /// not open are ignored.
    pub fn status(&self, resource: &str, state: &str, asked: Duration) {
        let (hash, _) = hashes(resource, state);
        if let Some(mut partition) = self.partition(hash) {
            partition.status(resource, state, asked);
        }
    }

    /// How many notifications are due and have not come.
    pub fn outstanding(&self) -> u64 {
        self.partitions.iter().map(|partition| locked(partition).waiting()).sum()
    }

    /// What became of the notifications so far. One that is due and has not come, and may yet, is not among them.
    pub fn so_far(&self) -> NotificationResult {
        let (mut result, mut lag) = (NotificationResult::default(), latency::histogram());
        for partition in &self.partitions {
            locked(partition).so_far(&mut result, &mut lag);
        }
        NotificationResult { lag: Latency::from_histogram(&lag), ..result }
    }

    /// Counts everything. What was due [`NotificationDeadlines::lost`] before `at` or earlier and has not come is lost.
    /// The ledger is empty afterwards.
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

/// A panic elsewhere leaves counts that are still good to read.
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
