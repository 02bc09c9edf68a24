//! A threshold as a value.

use crate::load::result::Unit;

/// A condition on the numbers of a load.
#[derive(Clone, Debug, PartialEq)]
pub struct Threshold {
    /// The rule as in the profile.
    pub rule: String,
    /// The operation; `None` for all of them.
    pub operation: Option<String>,
    /// The metric.
    pub metric: Metric,
    /// The comparison.
    pub comparison: Comparator,
    /// The bound: microseconds for times, 0.01 for 1 %, else a count or a rate a second.
    pub bound: f64,
}

/// The metric of a threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Metric {
    /// A quantile of the response time, counted from the intended start: 0.99 for `p99`, 1.0 for `max`.
    Response(f64),
    /// A quantile of the service time, counted from when the request was sent: `service p99`.
    Service(f64),
    /// A quantile of the lag from a change of state to its notification: `lag p99`.
    Lag(f64),
    /// Mean of the response time.
    Mean,
    /// Calls that failed by transport, contract or business code, as a share of all: `errors`.
    Errors,
    /// The same, counted: `error count`.
    ErrorCount,
    /// Calls a second: `rate`.
    Rate,
    /// Iterations that found no free user when they were due, as a share: `dropped`.
    Dropped,
    /// Notifications lost, as a count: `lost`.
    Lost,
    /// Notifications received more than once, as a count: `duplicated`.
    Duplicated,
    /// Notifications that were received too late, as a count: `late`.
    Late,
    /// The p99 response time of the last tenth of a load as a multiple of that of the first tenth. Profiles can't name it: every soak has
    /// this threshold.
    Drift,
}

impl Metric {
    /// The unit of its numbers and of its bound.
    pub(super) fn unit(self) -> Unit {
        match self {
            Self::Response(_) | Self::Service(_) | Self::Lag(_) | Self::Mean => Unit::Microseconds,
            Self::Errors | Self::Dropped => Unit::Share,
            Self::ErrorCount | Self::Lost | Self::Duplicated | Self::Late => Unit::Count,
            Self::Rate => Unit::PerSecond,
            Self::Drift => Unit::Times,
        }
    }
}

/// How a number is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparator {
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

/// The beginning of a soak's own rule: `drift <= 1.5`.
const DRIFT_AT_MOST: &str = "drift <= ";

impl Threshold {
    /// The threshold of a soak: the end is at most `factor` times as slow as the beginning.
    pub(crate) fn drift(factor: f64) -> Self {
        let rule = format!("{DRIFT_AT_MOST}{factor}");
        Self { rule, operation: None, metric: Metric::Drift, comparison: Comparator::AtMost, bound: factor }
    }

    /// The threshold of a soak, if the rule in a result is one.
    pub(super) fn recorded_drift(rule: &str) -> Option<Self> {
        rule.strip_prefix(DRIFT_AT_MOST)?.parse().ok().map(Self::drift)
    }
}
