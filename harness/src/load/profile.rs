//! A load profile: which scenarios are played, in what shape, and what must hold. One load test.
//!
//! `docs/load.md` is the manual of the file. One file per kind of load lies beside this one.

mod bounds;
mod builtin;
mod capacity_search;
mod constant_arrival_rate;
mod constant_users;
mod mix;
mod ramping_arrival_rate;
mod ramping_users;
mod read;
mod schema;
mod scripts;
mod soak;
mod stages;
#[cfg(test)]
mod tests;
pub(crate) mod threshold;

use std::time::Duration;

pub use builtin::{builtin, names};
pub use read::{parse, read};
pub use schema::schema;
pub use scripts::{Script, scripts};
pub use threshold::{drift_of, rule};

/// One load test.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// File name without its ending; for a profile in the binary its name.
    pub name: String,
    /// The path as the user would type it.
    pub path: String,
    /// What it is, in one sentence.
    pub title: String,
    /// The shape of the load.
    pub kind: Kind,
    /// This much of the beginning is played, judged, but not measured.
    pub warm_up: Duration,
    /// What is played, by weight.
    pub mix: Vec<Part>,
    /// What must hold of the numbers.
    pub thresholds: Vec<Threshold>,
    /// When the run is ended early.
    pub killswitch: Killswitch,
    /// How notifications are counted.
    pub notifications: Accounting,
    /// How much is looked at again after the run.
    pub conservation: Conservation,
}

/// A scenario of the mix.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// `gateway/a-paid-payment-is-notified`, as below `scenarios/`, or the path of a file.
    pub scenario: String,
    /// The row of its table; the first one without.
    pub case: Option<String>,
    /// How often, relative to the others. At least 1.
    pub weight: u32,
    /// `file:line:column` of this part, for messages.
    pub place: String,
}

/// The shape of the load. Closed shapes say how many users play at a time, each as fast as it is
/// answered; open shapes say how many iterations are begun a second, whether answers come or not.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// So many users all the time.
    ConstantUsers {
        /// How many play at a time.
        users: usize,
        /// How long.
        duration: Duration,
    },
    /// Users come and go, linearly within each stage.
    RampingUsers {
        /// One after the other; the first starts at none.
        stages: Vec<UserStage>,
    },
    /// So many iterations a second all the time.
    ConstantArrivalRate(ConstantRate),
    /// The rate moves, linearly within each stage.
    RampingArrivalRate {
        /// Iterations begun a second when it starts.
        start: f64,
        /// One after the other.
        stages: Vec<RateStage>,
        /// The most that play at a time.
        users: usize,
    },
    /// Looks for the highest rate at which all thresholds hold: doubling, then halving the interval.
    CapacitySearch {
        /// Iterations a second of the first trial.
        from: f64,
        /// The highest rate that is tried.
        to: f64,
        /// How long each trial is.
        hold: Duration,
        /// The search ends when the interval is narrower than this share of the rate (0.05 = 5 %).
        precision: f64,
        /// The most that play at a time.
        users: usize,
    },
    /// A constant rate over a long time; what is measured at the end is held against the beginning.
    Soak {
        /// The rate.
        rate: ConstantRate,
        /// The p99 response time of the last tenth may be this many times that of the first tenth.
        drift: f64,
    },
}

impl Kind {
    /// Its name, as in the file: `constant-arrival-rate`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::ConstantUsers { .. } => constant_users::NAME,
            Self::RampingUsers { .. } => ramping_users::NAME,
            Self::ConstantArrivalRate(_) => constant_arrival_rate::NAME,
            Self::RampingArrivalRate { .. } => ramping_arrival_rate::NAME,
            Self::CapacitySearch { .. } => capacity_search::NAME,
            Self::Soak { .. } => soak::NAME,
        }
    }

    /// How long the load is; for a capacity search how long each trial is.
    pub fn duration(&self) -> Duration {
        match self {
            Self::ConstantUsers { duration, .. } => *duration,
            Self::RampingUsers { stages } => stages.iter().map(|stage| stage.duration).sum(),
            Self::RampingArrivalRate { stages, .. } => stages.iter().map(|stage| stage.duration).sum(),
            Self::ConstantArrivalRate(rate) | Self::Soak { rate, .. } => rate.duration,
            Self::CapacitySearch { hold, .. } => *hold,
        }
    }

    /// The most iterations that are begun a second; none for closed load, where only the target limits them.
    pub fn highest_rate(&self) -> Option<f64> {
        match self {
            Self::ConstantUsers { .. } | Self::RampingUsers { .. } => None,
            Self::ConstantArrivalRate(constant) | Self::Soak { rate: constant, .. } => Some(constant.rate),
            Self::RampingArrivalRate { start, stages, .. } => Some(stages.iter().map(|stage| stage.rate).fold(*start, f64::max)),
            Self::CapacitySearch { to, .. } => Some(*to),
        }
    }

    /// How long everything together can take: for a capacity search all trials that there can be.
    pub fn longest(&self) -> Duration {
        match self {
            Self::CapacitySearch { from, to, hold, precision, .. } => {
                let trials = (to / from).log2().ceil() + (1.0 / precision).log2().ceil() + 2.0;
                hold.mul_f64(trials.max(1.0))
            }
            Self::ConstantUsers { .. }
            | Self::RampingUsers { .. }
            | Self::ConstantArrivalRate(_)
            | Self::RampingArrivalRate { .. }
            | Self::Soak { .. } => self.duration(),
        }
    }

    /// The most users that play at a time.
    pub fn users(&self) -> usize {
        match self {
            Self::RampingUsers { stages } => stages.iter().map(|stage| stage.users).max().unwrap_or_default(),
            Self::ConstantArrivalRate(rate) | Self::Soak { rate, .. } => rate.users,
            Self::ConstantUsers { users, .. } | Self::RampingArrivalRate { users, .. } | Self::CapacitySearch { users, .. } => *users,
        }
    }

    /// Whether iterations are begun at intended instants, whether answers come or not.
    pub fn is_open(&self) -> bool {
        match self {
            Self::ConstantArrivalRate(_) | Self::RampingArrivalRate { .. } | Self::CapacitySearch { .. } | Self::Soak { .. } => true,
            Self::ConstantUsers { .. } | Self::RampingUsers { .. } => false,
        }
    }
}

/// A rate that does not change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstantRate {
    /// Iterations begun a second.
    pub rate: f64,
    /// How long.
    pub duration: Duration,
    /// The most that play at a time.
    pub users: usize,
}

/// Where the number of users goes within some time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UserStage {
    /// How many at the end of the stage.
    pub users: usize,
    /// How long it takes.
    pub duration: Duration,
}

/// Where the rate goes within some time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateStage {
    /// Iterations begun a second at the end of the stage.
    pub rate: f64,
    /// How long it takes.
    pub duration: Duration,
}

/// What must hold of the numbers: `gateway.v2.status p99 < 50ms`.
#[derive(Clone, Debug, PartialEq)]
pub struct Threshold {
    /// As the profile says it.
    pub rule: String,
    /// An operation, or everything.
    pub operation: Option<String>,
    /// Which number.
    pub metric: Metric,
    /// How it is compared.
    pub comparison: Comparison,
    /// With what: microseconds for times, a share (0.01 = 1 %) for shares, else a count or a rate a second.
    pub bound: f64,
}

/// A number that a threshold speaks of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Metric {
    /// A quantile of the response time, counted from the intended start: 0.99 for `p99`, 1.0 for `max`.
    Response(f64),
    /// A quantile of the service time, counted from when the request was sent: `service p99`.
    Service(f64),
    /// A quantile of the lag from a change of state to the notification of it: `lag p99`.
    Lag(f64),
    /// Mean of the response time.
    Mean,
    /// Calls that failed by transport, contract or business code, as a share of all: `errors`.
    Errors,
    /// The same, counted: `error count`.
    ErrorCount,
    /// Calls a second: `rate`.
    Rate,
    /// Iterations that were due and could not be started in time, as a share: `missed`.
    Missed,
    /// Notifications lost, as a count: `lost`.
    Lost,
    /// Notifications received more than once, as a count: `duplicated`.
    Duplicated,
    /// Notifications that came too late, as a count: `late`.
    Late,
}

/// How a number is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `<`
    Below,
    /// `<=`
    AtMost,
    /// `=`
    Equal,
    /// `>=`
    AtLeast,
    /// `>`
    Above,
}

/// Ends a run that has become pointless.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Killswitch {
    /// The share of calls that may fail.
    pub errors: f64,
    /// Not before this many calls were made.
    pub after: u64,
}

impl Default for Killswitch {
    fn default() -> Self {
        Self { errors: 0.5, after: 100 }
    }
}

/// How notifications are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accounting {
    /// One that takes longer is late.
    pub late: Duration,
    /// One that has not come this long after the run's end is lost.
    pub lost: Duration,
}

impl Default for Accounting {
    fn default() -> Self {
        Self { late: Duration::from_secs(1), lost: Duration::from_secs(10) }
    }
}

/// How much of what was done is asked for again when the load is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conservation {
    /// Nothing.
    Off,
    /// At most so many iterations of each scenario, spread evenly over the run.
    Sampled(usize),
    /// Everything.
    Complete,
}

impl Default for Conservation {
    fn default() -> Self {
        Self::Sampled(200)
    }
}
