//! A load profile: which scenarios are played, with what kind of load, and what must hold. `docs/load.md` is its manual.

mod builtin;
mod mix;
mod overrides;
mod read;
mod scripts;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use super::kinds::LoadKind;
use super::threshold::Threshold;
use crate::spec::target::HttpChoice;

pub use builtin::{builtin, names};
pub use overrides::Overrides;
pub use read::{parse, parse_with, schema};
pub use scripts::{Script, scripts};

/// One load test.
#[derive(Clone, Debug)]
pub struct Profile {
    /// File name without its ending, for a profile in the binary its name; with what the command line replaced.
    pub name: String,
    /// The path as the user would type it.
    pub path: String,
    /// What it is, in one sentence.
    pub title: String,
    /// The kind of load with its numbers.
    pub kind: Arc<dyn LoadKind>,
    /// How long the beginning is that is played and judged, but not measured.
    pub warm_up: Duration,
    /// What is played, by weight.
    pub mix: Vec<MixEntry>,
    /// What must hold of the numbers.
    pub thresholds: Vec<Threshold>,
    /// When the run is ended early.
    pub killswitch: Killswitch,
    /// How notifications are counted.
    pub notifications: NotificationDeadlines,
    /// How much is re-checked after the run.
    pub conservation: Conservation,
    /// The version of HTTP, in place of the target's.
    pub http: Option<HttpChoice>,
    /// How many connections of HTTP/2 all users share; each has its own without.
    pub connections: Option<usize>,
}

/// A scenario of the mix.
#[derive(Clone, Debug, PartialEq)]
pub struct MixEntry {
    /// `gateway/a-paid-payment-is-notified`, as below `scenarios/`, or the path of a file.
    pub scenario: String,
    /// The row of its table; the first one without.
    pub case: Option<String>,
    /// How often, relative to the others. At least 1.
    pub weight: u32,
    /// `file:line:column` of this entry, for messages.
    pub place: String,
}

/// When a run that has become pointless is ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Killswitch {
    /// The share of calls that may fail, from 0 to 1.
    pub errors: f64,
    /// Not before this many calls were made.
    pub after: u64,
}

impl Killswitch {
    /// Whether too large a share of these calls failed for the run to go on.
    pub(crate) fn triggers(self, calls: u64, failed: u64) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "a share needs no more than 52 bits")]
        let share = failed as f64 / calls.max(1) as f64;
        calls >= self.after && share > self.errors
    }
}

impl Default for Killswitch {
    fn default() -> Self {
        Self { errors: 0.5, after: 100 }
    }
}

/// When a notification counts as late, and when as lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotificationDeadlines {
    /// One that takes longer is late.
    pub late: Duration,
    /// One that has not come this long after the run's end is lost.
    pub lost: Duration,
}

impl Default for NotificationDeadlines {
    fn default() -> Self {
        Self { late: Duration::from_secs(1), lost: Duration::from_secs(10) }
    }
}

/// How many iterations are re-checked when the load is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conservation {
    /// Nothing.
    Off,
    /// At most this many iterations of each scenario, spread evenly over the run.
    Sampled(usize),
    /// Everything.
    Complete,
}

impl Default for Conservation {
    fn default() -> Self {
        Self::Sampled(200)
    }
}
