//! Accounts for notifications: what was due, what came, what the status call says.
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

use hdrhistogram::Histogram;

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
    lag: Mutex<Histogram<u64>>,
}

impl Ledger {
    /// An empty ledger.
    pub fn new(deadlines: NotificationDeadlines) -> Self {
        let partitions = (0..PARTITIONS).map(|_| Mutex::new(Partition::new(deadlines))).collect();
        Self { partitions, lag: Mutex::new(latency::histogram()) }
    }

    /// Reports that a resource has reached a state that must be notified. Every such state must be reported, intermediate ones too.
    ///
    /// Returns the lag if the notification is there already: the push may overtake this report.
    pub fn due(&self, resource: &str, state: &str, at: Duration) -> Option<Duration> {
        let (hash, pair) = hashes(resource, state);
        let lag = self.partition(hash)?.due(resource, state, pair, at);
        self.record(lag)
    }

    /// Reports a notification. Where it was not `acknowledged`, the response asked for it again.
    ///
    /// Returns the lag, from the change of state to the receipt, at the first receipt of a notification that is due.
    pub fn received(&self, resource: &str, state: &str, at: Duration, acknowledged: bool) -> Option<Duration> {
        let (hash, pair) = hashes(resource, state);
        let lag = self.partition(hash)?.received(resource, state, pair, at, acknowledged);
        self.record(lag)
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

    /// NotificationCounts everything. What was due [`NotificationDeadlines::lost`] before `at` or earlier and has not come is lost.
    /// The ledger is empty afterwards.
    pub fn close(&self, at: Duration) -> LedgerTotals {
        let mut closed = LedgerTotals { result: NotificationResult::default(), undecided: 0, problems: Vec::new() };
        for partition in &self.partitions {
            locked(partition).close(at, &mut closed);
        }
        closed.problems = few_of_each(std::mem::take(&mut closed.problems), &closed.result);
        let mut lag = locked(&self.lag);
        closed.result.lag = Latency::from_histogram(&*lag);
        lag.reset();
        closed
    }

    fn partition(&self, hash: u64) -> Option<MutexGuard<'_, Partition>> {
        let index = usize::try_from(hash % PARTITIONS).ok()?;
        self.partitions.get(index).map(locked)
    }

    fn record(&self, lag: Option<Duration>) -> Option<Duration> {
        if let Some(lag) = lag {
            latency::record(&mut *locked(&self.lag), lag);
        }
        lag
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
