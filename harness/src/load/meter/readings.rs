//! The inputs and outputs of the meter.

use std::sync::Arc;
use std::time::Duration;

use hdrhistogram::Histogram;

use super::metric_set::MetricSet;
use super::response_counts::ResultCode;
use crate::load::result::{Arrivals, ErrorKind, IterationTotals, Latency, Moment, OperationResult, ScenarioResult};

/// A call that has ended, with a response or without.
#[derive(Clone, Copy, Debug)]
pub struct MeasuredCall {
    /// From the sending to the end of the response, or to the time-out.
    pub service: Duration,
    /// How much later than intended it was sent; zero for closed load. The response time is the sum of both.
    pub late: Duration,
    /// Why it failed.
    pub error: Option<ErrorKind>,
    /// The HTTP status; `None` without a response.
    pub status: Option<u16>,
    /// The result code in the response.
    pub code: ResultCode,
}

/// One iteration that has ended.
#[derive(Clone, Copy, Debug)]
pub struct Iteration {
    /// From its start to the end of its last step.
    pub service: Duration,
    /// How much later than intended it started; zero for closed load.
    pub late: Duration,
    /// Whether it ended without findings.
    pub passed: bool,
}

/// A reading of the meter: its time, and numbers that the meter does not measure itself.
#[derive(Clone, Copy, Debug)]
pub struct Tick {
    /// The time since measuring began, that is, since the end of the warm-up.
    pub at: Duration,
    /// Users that play now.
    pub users: u64,
    /// Iterations that were due since the last tick; `None` for closed load.
    pub intended: Option<u64>,
}

/// What was measured between two ticks.
#[derive(Debug)]
pub struct Interval<'m> {
    /// Its beginning, counted from the start of measuring.
    pub at: Duration,
    /// How long it is.
    pub length: Duration,
    /// Users at its end.
    pub users: u64,
    /// Iterations that were due in it; `None` for closed load.
    pub intended: Option<u64>,
    /// The names of the operations in `metrics`.
    pub operations: &'m [String],
    /// The names of the scenarios in `metrics`.
    pub scenarios: &'m [String],
    /// Its metrics.
    pub metrics: &'m MetricSet<u64>,
    /// The response times of all operations in it.
    pub response: &'m Histogram<u64>,
    /// All metrics until its end.
    pub totals: &'m MetricSet<u64>,
}

/// What was measured until the last tick.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The time of the last tick, counted from the start of measuring.
    pub at: Duration,
    /// Users at the last tick.
    pub users: u64,
    /// Iterations that were due; `None` for closed load.
    pub intended: Option<u64>,
    /// The names of the operations in `totals`.
    pub operations: Arc<[String]>,
    /// The names of the scenarios in `totals`.
    pub scenarios: Arc<[String]>,
    /// All metrics.
    pub totals: MetricSet<u64>,
}

/// The metrics as parts of a `LoadResult`.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredTotals {
    /// How many iterations were due, and how many started; `None` for closed load.
    pub arrivals: Option<Arrivals>,
    /// How many iterations started, and how many of these have not ended.
    pub iterations: IterationTotals,
    /// One for each operation of the meter, called or not.
    pub operations: Vec<OperationResult>,
    /// One for each scenario of the meter, played or not.
    pub scenarios: Vec<ScenarioResult>,
    /// At most 600 moments.
    pub timeline: Vec<Moment>,
    /// The scheduling delay, for [`Generator`](crate::load::result::Generator).
    pub scheduling: Latency,
    /// The lag of notifications, for [`NotificationResult`](crate::load::result::NotificationResult).
    pub lag: Latency,
}
