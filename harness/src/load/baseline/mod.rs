//! Compares a result with that of an earlier run: what changed, as far as the samples can show.

mod change;
mod confidence;

pub use change::{BaselineChange, BaselineDifference};
use confidence::ConfidenceInterval;

use super::histogram::decode;
use super::percentile::percentile;
use super::result::{LoadResult, LoadVerdict, OperationResult, ThresholdResult};
use crate::base::figures::span;

/// Runs whose lengths differ by more than this share are hard to compare.
const LENGTH: f64 = 0.1;

/// Two runs side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct BaselineComparison {
    /// The earlier run: its profile and its start.
    pub before: String,
    /// Reasons why the runs may not be comparable, one sentence each.
    pub caveats: Vec<String>,
    /// Operations of either run, in the order of the later one.
    pub operations: Vec<OperationChange>,
    /// Thresholds of either run, likewise.
    pub thresholds: Vec<ThresholdChange>,
}

/// How the calls of one operation changed.
#[derive(Clone, Debug, PartialEq)]
pub struct OperationChange {
    /// `gateway.v2.status`
    pub operation: String,
    /// Calls a second.
    pub rate: BaselineChange,
    /// The share of calls that failed.
    pub errors: BaselineChange,
    /// Median of the response time, in microseconds.
    pub p50: BaselineChange,
    /// 99th percentile of the response time, in microseconds.
    pub p99: BaselineChange,
}

/// A threshold in two runs; `None` where a run did not have it.
#[derive(Clone, Debug, PartialEq)]
pub struct ThresholdChange {
    /// The rule as in the profile.
    pub rule: String,
    /// In the earlier run.
    pub before: Option<ThresholdResult>,
    /// In the later run.
    pub after: Option<ThresholdResult>,
    /// Worse if it passed before and does not now, better the other way round.
    pub difference: BaselineDifference,
}

/// Compares `after` with `before`.
pub fn compare(before: &LoadResult, after: &LoadResult) -> BaselineComparison {
    let names = |result: &LoadResult| result.operations.iter().map(|o| o.operation.clone()).collect();
    let rules = |result: &LoadResult| result.thresholds.iter().map(|t| t.rule.clone()).collect();
    BaselineComparison {
        before: format!("{} of {}", before.profile, before.started_second()),
        caveats: caveats(before, after),
        operations: either(names(after), names(before)).into_iter().map(|name| operation(name, before, after)).collect(),
        thresholds: either(rules(after), rules(before)).into_iter().map(|rule| threshold(rule, before, after)).collect(),
    }
}

/// The names in `first`, then those only in `second`.
fn either(first: Vec<String>, second: Vec<String>) -> Vec<String> {
    let only: Vec<_> = second.into_iter().filter(|name| !first.contains(name)).collect();
    first.into_iter().chain(only).collect()
}

fn operation(name: String, before: &LoadResult, after: &LoadResult) -> OperationChange {
    let find =
        |result: &LoadResult| result.operations.iter().find(|o| o.operation == name).map(|o| SampledOperation::new(o, result.seconds));
    let (before, after) = (find(before), find(after));
    let change = |number: fn(&SampledOperation) -> Option<ConfidenceInterval>, more_is_better: bool| {
        confidence::change(before.as_ref().and_then(number), after.as_ref().and_then(number), more_is_better)
    };
    OperationChange {
        rate: change(|s| s.rate, true),
        errors: change(|s| s.errors, false),
        p50: change(|s| s.p50, false),
        p99: change(|s| s.p99, false),
        operation: name,
    }
}

/// The numbers of one operation in one run, each with its confidence interval.
struct SampledOperation {
    rate: Option<ConfidenceInterval>,
    errors: Option<ConfidenceInterval>,
    p50: Option<ConfidenceInterval>,
    p99: Option<ConfidenceInterval>,
}

impl SampledOperation {
    fn new(operation: &OperationResult, seconds: f64) -> Self {
        let failed = operation.failed();
        let histogram = decode(&operation.response).ok();
        let at = |share: f64| {
            let histogram = histogram.as_ref()?;
            Some(confidence::quantile(histogram, share, percentile(histogram, share)?))
        };
        Self {
            rate: confidence::rate(operation.requests, seconds),
            errors: confidence::share(failed, operation.requests),
            p50: at(0.5),
            p99: at(0.99),
        }
    }
}

fn threshold(rule: String, before: &LoadResult, after: &LoadResult) -> ThresholdChange {
    let find = |result: &LoadResult| result.thresholds.iter().find(|t| t.rule == rule).cloned();
    let (before, after) = (find(before), find(after));
    let difference = match (before.as_ref().map(|t| t.verdict), after.as_ref().map(|t| t.verdict)) {
        (Some(LoadVerdict::Passed), Some(LoadVerdict::Failed)) => BaselineDifference::Worse,
        (Some(LoadVerdict::Failed), Some(LoadVerdict::Passed)) => BaselineDifference::Better,
        (Some(LoadVerdict::Inconclusive) | None, _) | (_, Some(LoadVerdict::Inconclusive) | None) => BaselineDifference::Unknown,
        (Some(LoadVerdict::Passed), Some(LoadVerdict::Passed)) | (Some(LoadVerdict::Failed), Some(LoadVerdict::Failed)) => {
            BaselineDifference::NotShown
        }
    };
    ThresholdChange { rule, before, after, difference }
}

/// Differences between the runs that make their numbers hard to compare.
fn caveats(before: &LoadResult, after: &LoadResult) -> Vec<String> {
    let shards = |result: &LoadResult| format!("{} of {} parts", result.shards.parts.len(), result.shards.of);
    let cores = |result: &LoadResult| result.generator.cores.to_string();
    // Results from before connections were counted have none.
    let known = !before.connections.is_empty() && !after.connections.is_empty();
    let spoken = |result: &LoadResult| {
        let protocols = result.connections.iter().filter(|_| known).map(|spoken| spoken.protocol.as_str());
        protocols.collect::<Vec<_>>().join(" and ")
    };
    let pairs = [
        ("the target", before.target.clone(), after.target.clone()),
        ("the profile", before.profile.clone(), after.profile.clone()),
        ("the kind of load", before.kind.clone(), after.kind.clone()),
        ("the warm-up", span(before.warm_up), span(after.warm_up)),
        ("what is in the result", shards(before), shards(after)),
        ("the version of HTTP", spoken(before), spoken(after)),
        ("the number of cores of the generator", cores(before), cores(after)),
    ];
    let differ = pairs.into_iter().filter(|(_, before, after)| before != after);
    let mut caveats: Vec<_> = differ.map(|(what, before, after)| format!("{what} was {before} then and is {after} now")).collect();
    if (before.seconds - after.seconds).abs() > LENGTH * before.seconds.max(after.seconds) {
        caveats.push(format!("{} were measured then and {} now", span(before.seconds), span(after.seconds)));
    }
    caveats.extend(intended(before, after));
    caveats.extend([(before, "then"), (after, "now")].into_iter().filter_map(|(result, when)| doubtful(result, when)));
    caveats
}

/// Compares the intended load: the profile may have changed between the runs.
fn intended(before: &LoadResult, after: &LoadResult) -> Option<String> {
    let rate = |result: &LoadResult| result.arrivals.as_ref().filter(|_| result.seconds > 0.0).map(|a| a.intended as f64 / result.seconds);
    let (before, after) = (rate(before)?, rate(after)?);
    let text = format!("{before:.1} iterations a second were intended then and {after:.1} now");
    ((before - after).abs() > 0.02 * before.max(after)).then_some(text)
}

fn doubtful(result: &LoadResult, when: &str) -> Option<String> {
    if result.ended_early.is_some() {
        return Some(format!("the run {when} was ended early"));
    }
    result.generator.limit.as_ref().map(|_| format!("the run was generator-limited {when}"))
}

#[cfg(test)]
mod tests;
