//! The result of a load test: one value, with a published JSON Schema (`paycheck schema load`).
//!
//! Times are microseconds, shares are 0 to 1, instants are UTC. Two results hold all that is needed to merge them exactly: counts, and
//! histograms that can be added.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use crate::base::figures::Unit;

/// The version of the format that is written, and the only one that is read.
pub const FORMAT: u32 = 2;

/// The result of a load test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LoadResult {
    /// Version of this format.
    pub format: u32,
    /// Name of the profile.
    pub profile: String,
    /// The profile's title.
    pub title: String,
    /// The kind of load: `constant-arrival-rate`.
    pub kind: String,
    /// The target's title.
    pub target: String,
    /// The seed of everything random.
    pub seed: u64,
    /// The parts of a split load that are in this result.
    pub shards: Shards,
    /// The warm-up before measuring, in seconds: it was played and judged, and is in no number of calls, times or iterations. 0 without
    /// one.
    #[serde(default)]
    pub warm_up: f64,
    /// The start of measuring, UTC, RFC 3339.
    pub started: String,
    /// Measured time in seconds, without warm-up and draining.
    pub seconds: f64,
    /// Why it ended early, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_early: Option<Early>,
    /// Iterations of open load that were due and that started; absent for closed load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<Arrivals>,
    /// All iterations, counted.
    #[serde(default)]
    pub iterations: IterationTotals,
    /// Calls by operation, in the order of their first use.
    pub operations: Vec<OperationResult>,
    /// Iterations by scenario.
    pub scenarios: Vec<ScenarioResult>,
    /// The load over time: one point a second, or fewer for long runs.
    pub timeline: Vec<Moment>,
    /// Notifications; absent if no scenario waits for notifications.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notifications: Option<NotificationResult>,
    /// How deeply iterations were judged; absent where every one was judged as a whole (`load notification`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<JudgedIterations>,
    /// Iterations that were re-checked after the run; absent if the profile turns re-checks off, or if the run was ended before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conservation: Option<ConservationResult>,
    /// Findings grouped by cause, most frequent first.
    pub findings: Vec<LoadCause>,
    /// The connections to the target, by version of HTTP; empty if they were not counted (behind a proxy).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub connections: Vec<ConnectionResult>,
    /// The generator itself.
    pub generator: Generator,
    /// The trials of a capacity search.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trials: Vec<Trial>,
    /// The thresholds, evaluated.
    pub thresholds: Vec<ThresholdResult>,
    /// The verdict.
    pub verdict: LoadVerdict,
    /// Why, one sentence each; empty when it passed.
    pub reasons: Vec<String>,
}

/// The parts of a split load that are in a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Shards {
    /// The number of parts of the load.
    pub of: u32,
    /// The parts in this result, from 1.
    pub parts: Vec<u32>,
}

/// Why a run ended early.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Early {
    /// The user ended it.
    Interrupted,
    /// Too many errors.
    Killswitch,
    /// The target never responded, or no longer.
    Unreachable,
    /// It had not ended when this was written, and the rest was lost: paycheck was killed, or its machine went down.
    Unfinished,
}

/// Iterations, counted: `carried` and `started` together are those that finished, by [`ScenarioResult`], and those that were `cut-off`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct IterationTotals {
    /// Those that were under way when measuring began: they started in the warm-up.
    pub carried: u64,
    /// How many started.
    pub started: u64,
    /// Those that were under way at the end of the run, or were given up.
    pub cut_off: u64,
}

/// Iterations of open load: those that were due have `started` or were `dropped`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Arrivals {
    /// Those that were due, including those that were due in the warm-up and had not started.
    pub intended: u64,
    /// How many started.
    pub started: u64,
    /// Those of them that started more than 10 ms late because all users were busy.
    pub delayed: u64,
    /// Those that never started: the run ended before a user was free.
    pub dropped: u64,
}

/// The calls of one operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct OperationResult {
    /// `gateway.v2.status`
    pub operation: String,
    /// How many.
    pub requests: u64,
    /// How many a second.
    pub rate: f64,
    /// How many failed, by kind.
    pub errors: BTreeMap<ErrorKind, u64>,
    /// Calls by response; they add up to all requests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub responses: Vec<ResponseCount>,
    /// From the intended start to the end of the response.
    pub response: Latency,
    /// From the sending to the end of the response.
    pub service: Latency,
    /// The same over time, in at most 60 intervals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub timeline: Vec<OperationMoment>,
}

impl OperationResult {
    /// The number of calls that failed.
    pub fn failed(&self) -> u64 {
        self.errors.values().sum()
    }
}

impl LoadResult {
    /// The start of measuring as people read it: to the second.
    pub fn started_second(&self) -> String {
        self.started.split_once('.').map_or_else(|| self.started.clone(), |(second, _)| format!("{second}Z"))
    }

    /// The operations as reports list them: most failed calls first, and those that failed equally often in the order of their first use.
    pub fn failing_first(&self) -> Vec<&OperationResult> {
        let mut operations: Vec<_> = self.operations.iter().collect();
        operations.sort_by_key(|operation| std::cmp::Reverse(operation.failed()));
        operations
    }
}

/// Calls of one operation that got the same kind of response.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ResponseCount {
    /// Its HTTP status; absent without a complete response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The API's own result code in it, `1402`: a documented one, or `undocumented`; absent if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// How many.
    pub calls: u64,
}

/// The calls of one operation in an interval of the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct OperationMoment {
    /// Its beginning, in seconds since measuring began.
    pub at: f64,
    /// Its length in seconds.
    pub seconds: f64,
    /// Calls that ended in it.
    pub requests: u64,
    /// Calls that failed.
    pub errors: u64,
    /// Response times: median; absent with fewer than 2 calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50: Option<u64>,
    /// 99 %; absent with fewer than 100 calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99: Option<u64>,
    /// Service times: 99 %; absent with fewer than 100 calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_p99: Option<u64>,
    /// The response times themselves, for merging: V2, deflated, base64.
    pub response: String,
    /// The service times themselves, likewise.
    pub service: String,
    /// Whether it is part of an interval only, as in `timeline` of all calls.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
}

/// Why a call failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// No complete response: refused, reset, timed out.
    Transport,
    /// The response breaks its contract.
    Contract,
    /// The response is documented, but not the one that the scenario expects.
    Business,
}

impl ErrorKind {
    /// As it is written: `transport`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Transport => "transport",
            Self::Contract => "contract",
            Self::Business => "business",
        }
    }
}

/// The iterations of one scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ScenarioResult {
    /// `gateway/a-paid-payment-is-notified`
    pub scenario: String,
    /// How many ended without findings.
    pub passed: u64,
    /// How many ended with findings.
    pub failed: u64,
    /// From the intended start to the end of the last step.
    pub response: Latency,
}

/// Times of one kind, in microseconds. A percentile is absent with too few times for it: one has to lie beyond it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Latency {
    /// How many.
    pub count: u64,
    /// Smallest.
    pub min: u64,
    /// Mean.
    pub mean: f64,
    /// Half are no longer; absent with fewer than 2 times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50: Option<u64>,
    /// 90 % are no longer; absent with fewer than 10 times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p90: Option<u64>,
    /// 95 % are no longer; absent with fewer than 20 times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p95: Option<u64>,
    /// 99 % are no longer; absent with fewer than 100 times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99: Option<u64>,
    /// 99.9 % are no longer; absent with fewer than 1,000 times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p999: Option<u64>,
    /// Largest.
    pub max: u64,
    /// The whole distribution: an HdrHistogram, V2, deflated, base64.
    pub histogram: String,
}

/// An interval of the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Moment {
    /// Its beginning, in seconds since measuring began.
    pub at: f64,
    /// Its length in seconds.
    pub seconds: f64,
    /// Calls that ended in it.
    pub requests: u64,
    /// Calls that failed.
    pub errors: u64,
    /// Iterations that were due in it; absent for closed load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intended: Option<u64>,
    /// Iterations that started in it.
    pub started: u64,
    /// Users at its end.
    pub users: u64,
    /// Response times of all calls: median; absent with fewer than 2 calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50: Option<u64>,
    /// 99 %; absent with fewer than 100 calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99: Option<u64>,
    /// Largest.
    pub max: u64,
    /// Lag of notifications: 99 %; absent with fewer than 100 notifications.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag_p99: Option<u64>,
    /// The response times themselves, for merging: V2, deflated, base64.
    pub histogram: String,
    /// The lags themselves, likewise; absent if no notification was received.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag: Option<String>,
    /// Whether it is part of an interval only: the end of the run, which is shorter, or in which the last iterations were awaited. Its
    /// counts belong to the sums, but no rate follows from them; charts leave it out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
}

/// Notifications, counted. Of those that were due in the warm-up only the wrong ones are counted: lost, received again, or contradicting.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct NotificationResult {
    /// How many were due.
    pub expected: u64,
    /// Those that were received once and in time.
    pub once: u64,
    /// Those that were received again although they had been acknowledged.
    pub duplicated: u64,
    /// Those that were received late.
    pub late: u64,
    /// Those that were never received.
    pub lost: u64,
    /// Those that contradict the status call.
    pub contradicting: u64,
    /// Those that were received without a change of state.
    pub unexpected: u64,
    /// From the change of state to the receipt.
    pub lag: Latency,
}

/// How deeply iterations were judged, those of the warm-up included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct JudgedIterations {
    /// How many ended.
    pub iterations: u64,
    /// How many of these were judged as a whole, as in `verify`; of the others each response and each notification was judged alone.
    pub whole: u64,
}

/// Iterations that were re-checked after the load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ConservationResult {
    /// Whether all iterations were re-checked, or a sample.
    pub complete: bool,
    /// How many iterations were re-checked.
    pub examined: u64,
    /// How many of these passed.
    pub held: u64,
}

/// Findings with one cause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LoadCause {
    /// The clauses broken, the most specific first; empty for a transport failure.
    pub clauses: Vec<String>,
    /// The operation or notification.
    pub operation: String,
    /// What is wrong, in one sentence.
    pub message: String,
    /// Which kind.
    pub kind: ErrorKind,
    /// How often.
    pub count: u64,
    /// The first of them, at most five.
    pub examples: Vec<LoadExample>,
}

/// A finding of a cause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LoadExample {
    /// Seconds since measuring began.
    pub second: f64,
    /// Where in the exchange.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// What was expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<serde_json::Value>,
    /// What was there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub got: Option<serde_json::Value>,
    /// The request as a command line, secrets masked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curl: Option<String>,
}

impl LoadExample {
    /// When it was seen, in words. What was seen in the warm-up was seen before measuring began.
    pub fn when(&self) -> String {
        if self.second < 0.0 { format!("{:.1} s before measuring began", -self.second) } else { format!("after {:.1} s", self.second) }
    }
}

/// The connections with one version of HTTP, from the first one of a user to the last re-check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ConnectionResult {
    /// `HTTP/1.1` or `HTTP/2`
    pub protocol: String,
    /// How many were opened.
    pub opened: u64,
    /// The most requests that were under way at once on one of them; of HTTP/2, its streams.
    pub streams: u64,
}

/// The generator's own numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Generator {
    /// From the intended start of an iteration to its start by a free user; open load only.
    pub scheduling: Latency,
    /// CPU seconds that the process used, user and system; of several processes their sum.
    pub cpu_seconds: f64,
    /// Cores of the machine; of several processes the sum, because each is meant to have its own machine.
    pub cores: u32,
    /// Largest resident memory in bytes; of several processes that of the largest.
    pub peak_memory: u64,
    /// Why the run is generator-limited; absent if it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
}

/// One trial of a capacity search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Trial {
    /// Iterations started a second.
    pub rate: f64,
    /// Whether all thresholds passed.
    pub held: bool,
    /// Its result in one sentence.
    pub note: String,
}

/// One threshold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ThresholdResult {
    /// The rule as in the profile.
    pub rule: String,
    /// The unit of what was measured.
    pub unit: Unit,
    /// The observed number; absent with too few samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed: Option<f64>,
    /// Its verdict; inconclusive with too few samples.
    pub verdict: LoadVerdict,
    /// Why it was not judged; absent where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The verdict of a load test, or of a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LoadVerdict {
    /// Everything passed.
    Passed,
    /// Something failed.
    Failed,
    /// Too little was measured to decide.
    Inconclusive,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_warm_up_has_seen_was_before_measuring_began() {
        let seen = |second| LoadExample { second, at: None, expected: None, got: None, curl: None }.when();
        assert_eq!((seen(-2.04), seen(3.0)), ("2.0 s before measuring began".to_owned(), "after 3.0 s".to_owned()));
    }
}
