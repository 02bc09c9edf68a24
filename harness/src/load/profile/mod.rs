//! A load profile: the scenarios, the kind of load and the thresholds. `docs/load.md` is its manual.

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
pub use scripts::{Script, files, scripts};

/// One load test.
#[derive(Clone, Debug)]
pub struct Profile {
    /// The file name without its ending, or the name of a profile in the binary; followed by the options that replace its numbers.
    pub name: String,
    /// The path as the user would type it.
    pub path: String,
    /// What it is, in one sentence.
    pub title: String,
    /// The kind of load with its numbers.
    pub kind: Arc<dyn LoadKind>,
    /// How long the warm-up is: it is played and judged, but not measured.
    pub warm_up: Duration,
    /// What is played, by weight.
    pub mix: Vec<MixEntry>,
    /// The thresholds.
    pub thresholds: Vec<Threshold>,
    /// When the run is ended early.
    pub killswitch: Killswitch,
    /// How notifications are counted.
    pub notifications: NotificationDeadlines,
    /// How many iterations are re-checked after the run.
    pub conservation: Conservation,
    /// When the generator, and not the target, is the limit.
    pub generator: GeneratorBounds,
    /// The version of HTTP, in place of the target's.
    pub http: Option<HttpChoice>,
    /// How many HTTP/2 connections all users share; without it, each user has its own.
    pub connections: Option<usize>,
}

/// A scenario of the mix.
#[derive(Clone, Debug, PartialEq)]
pub struct MixEntry {
    /// `gateway/a-paid-payment-is-notified`, as below `scenarios/`, or the path of a file.
    pub scenario: String,
    /// The row of its table; `None` for the first one.
    pub case: Option<String>,
    /// The weight relative to the other entries, at least 1.
    pub weight: u32,
    /// `file:line:column` of this entry, for messages.
    pub place: String,
}

/// When a run with too many failed calls is ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Killswitch {
    /// The share of calls that may fail, from 0 to 1.
    pub errors: f64,
    /// The number of calls before which the run is not ended.
    pub after: u64,
}

impl Killswitch {
    /// Whether the share of failed calls ends the run.
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
    /// A notification that takes longer is late.
    pub late: Duration,
    /// A notification that has not arrived this long after the end of the run is lost.
    pub lost: Duration,
}

impl Default for NotificationDeadlines {
    fn default() -> Self {
        Self { late: Duration::from_secs(1), lost: Duration::from_secs(10) }
    }
}

/// The bounds beyond which a run is generator-limited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeneratorBounds {
    /// How late iterations of free users may start (p99).
    pub late: Duration,
    /// The share of the machine's cores that closed load may use, from 0 to 1.
    pub busy: f64,
}

impl Default for GeneratorBounds {
    fn default() -> Self {
        Self { late: Duration::from_millis(10), busy: 0.95 }
    }
}

/// How many iterations are re-checked after the load.
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
