//! Notifications, accounted for: what was due, what came, what the status call says.
//!
//! Pure: time is handed in, as the time since the load's start. Any number of users and inboxes tell the ledger at the
//! same time, in any order: a notification may be told before the change of state that it is about.
//!
//! **Memory is bounded.** A resource stays open while something is awaited of it, and for [`Accounting::lost`] after
//! the last that was told about it. Then it is counted, and only 64 bits of each of its notifications are kept, so
//! that one more of them is known to be a duplicate, and a change of state told very late still finds its
//! notification. At most 131,072 resources are open (then the oldest is counted at once; a notification that it waits
//! for is lost, or late if it still comes) and about a million notifications are remembered (one that comes again
//! after that is unexpected). Together 50 MB at 4,000 notifications a second, 100 MB at worst.

mod pair;
mod resource;
mod settled;
mod shard;
#[cfg(test)]
mod tests;

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hdrhistogram::Histogram;

use super::latency;
use super::profile::Accounting;
use super::result::{Latency, NotificationResult};
use shard::Shard;

/// Users of different resources don't wait for each other.
const SHARDS: u64 = 16;
/// Examples kept of each kind of trouble.
const EXAMPLES: usize = 5;

/// Accounts for notifications.
#[derive(Debug)]
pub struct Ledger {
    shards: Vec<Mutex<Shard>>,
    lag: Mutex<Histogram<u64>>,
}

/// What became of all notifications.
#[derive(Clone, Debug, PartialEq)]
pub struct Closed {
    /// The numbers.
    ///
    /// `once` + those that are `duplicated` or `late` (one can be both) + `lost` = `expected`. A notification that was
    /// due and contradicts the status call is among these too; one that was never due is either contradicting or
    /// unexpected. A state told of one resource counts once, however often it came.
    pub result: NotificationResult,
    /// Due, not there, but not yet for so long that they could be called lost: the ledger was closed early. They are
    /// not among the expected ones.
    pub undecided: u64,
    /// A few examples of each kind, the earliest first.
    pub troubles: Vec<Trouble>,
}

/// One notification that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Trouble {
    /// What is wrong.
    pub kind: TroubleKind,
    /// When it was due, or came if it was never due.
    pub at: Duration,
    /// The resource.
    pub resource: String,
    /// The state told, or to be told.
    pub state: String,
    /// What the status call says instead, for a contradiction.
    pub instead: Option<String>,
}

/// What is wrong with a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TroubleKind {
    /// It never came.
    Lost,
    /// It came again though it was acknowledged.
    Duplicated,
    /// It came too late.
    Late,
    /// The status call says something else.
    Contradicting,
    /// Nobody waited for it.
    Unexpected,
}

impl TroubleKind {
    /// What the documents forbid of it, in one sentence; none where they leave it open. A result may be delivered
    /// again, and they set no time for it.
    pub fn sentence(self) -> Option<&'static str> {
        match self {
            Self::Lost => Some("a state that must be notified was reached, and no notification came"),
            Self::Contradicting => Some("a notification tells something else than the status call"),
            Self::Duplicated | Self::Late | Self::Unexpected => None,
        }
    }

    /// How many of these a result counts.
    pub fn count(self, result: &NotificationResult) -> u64 {
        match self {
            Self::Lost => result.lost,
            Self::Duplicated => result.duplicated,
            Self::Late => result.late,
            Self::Contradicting => result.contradicting,
            Self::Unexpected => result.unexpected,
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { resource, state, .. } = self;
        match (self.kind, &self.instead) {
            (TroubleKind::Lost, _) => write!(f, "{resource} became {state}, and no notification came"),
            (TroubleKind::Duplicated, _) => write!(f, "{state} of {resource} was notified again though it was acknowledged"),
            (TroubleKind::Late, _) => write!(f, "{state} of {resource} was notified late"),
            (TroubleKind::Contradicting, Some(instead)) => {
                write!(f, "{state} of {resource} was notified, and the status call says {instead}")
            }
            (TroubleKind::Contradicting, None) => write!(f, "{state} of {resource} was notified, and the status call contradicts it"),
            (TroubleKind::Unexpected, _) => write!(f, "{state} of {resource} was notified, and nobody knows of it"),
        }
    }
}

impl Ledger {
    /// An empty one.
    pub fn new(accounting: Accounting) -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::new(Shard::new(accounting))).collect();
        Self { shards, lag: Mutex::new(latency::histogram()) }
    }

    /// The resource has reached a state that is notified. Every such state has to be told, also those on the way.
    ///
    /// Answers with the lag if the notification is there already, as the push may overtake whoever tells this.
    pub fn due(&self, resource: &str, state: &str, at: Duration) -> Option<Duration> {
        let (hash, pair) = hashes(resource, state);
        let lag = self.shard(hash)?.due(resource, state, pair, at);
        self.record(lag)
    }

    /// A notification came. Not `acknowledged`: we answered so that it must come again.
    ///
    /// Answers with the lag, from the change of state to the receipt, at the first receipt of what is due.
    pub fn received(&self, resource: &str, state: &str, at: Duration, acknowledged: bool) -> Option<Duration> {
        let (hash, pair) = hashes(resource, state);
        let lag = self.shard(hash)?.received(resource, state, pair, at, acknowledged);
        self.record(lag)
    }

    /// The status call says so; `asked` is when the call was sent, so that what came later is not held against it.
    /// Resources that are not open are not looked at.
    pub fn status(&self, resource: &str, state: &str, asked: Duration) {
        let (hash, _) = hashes(resource, state);
        if let Some(mut shard) = self.shard(hash) {
            shard.status(resource, state, asked);
        }
    }

    /// How many notifications are awaited at the moment.
    pub fn outstanding(&self) -> u64 {
        self.shards.iter().map(|shard| locked(shard).waiting()).sum()
    }

    /// Counts everything. What was due [`Accounting::lost`] before `at` or earlier and has not come is lost.
    /// The ledger is empty afterwards.
    pub fn close(&self, at: Duration) -> Closed {
        let mut closed = Closed { result: NotificationResult::default(), undecided: 0, troubles: Vec::new() };
        for shard in &self.shards {
            locked(shard).close(at, &mut closed);
        }
        closed.troubles = few_of_each(std::mem::take(&mut closed.troubles), &closed.result);
        let mut lag = locked(&self.lag);
        closed.result.lag = Latency::of(&*lag);
        lag.reset();
        closed
    }

    fn shard(&self, hash: u64) -> Option<MutexGuard<'_, Shard>> {
        let index = usize::try_from(hash % SHARDS).ok()?;
        self.shards.get(index).map(locked)
    }

    fn record(&self, lag: Option<Duration>) -> Option<Duration> {
        if let Some(lag) = lag {
            latency::record(&mut *locked(&self.lag), lag);
        }
        lag
    }
}

/// The earliest of each kind. A kind that nothing is counted of has turned out well in the end.
fn few_of_each(mut troubles: Vec<Trouble>, result: &NotificationResult) -> Vec<Trouble> {
    troubles.sort();
    let (mut last, mut count) = (None, 0);
    troubles.retain(|trouble| {
        count = if last == Some(trouble.kind) { count + 1 } else { 1 };
        last = Some(trouble.kind);
        count <= EXAMPLES && trouble.kind.count(result) > 0
    });
    troubles
}

/// A panic elsewhere leaves counts that are still good to read.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Of the resource, and of the resource with the state. The same in every run.
fn hashes(resource: &str, state: &str) -> (u64, u64) {
    let mut hasher = DefaultHasher::new();
    resource.hash(&mut hasher);
    let whole = hasher.finish();
    state.hash(&mut hasher);
    (whole, hasher.finish())
}
