//! Evaluates thresholds on what was measured. One without samples is inconclusive, never passed.

use super::parse::parse_written;
use super::rule::{Comparator, Metric, Threshold};
use crate::load::histogram::{quantile, sum, sum_of_moments};
use crate::load::result::{ErrorKind, Latency, LoadResult, LoadVerdict, Moment, NotificationResult, OperationResult, ThresholdResult};

/// The samples that the beginning and the end of a soak must have for a comparison of their p99.
const DRIFT_SAMPLES: u64 = 100;

/// Judges every threshold by the numbers of the result, in the given order.
pub fn evaluate(thresholds: &[Threshold], result: &LoadResult) -> Vec<ThresholdResult> {
    thresholds.iter().map(|threshold| judge(threshold, result)).collect()
}

/// Judges the thresholds that the results of a split load repeat, whatever operations they name. A rule that this version can't read is
/// inconclusive: the others alone must not make the load pass.
pub fn evaluate_recorded(recorded: &[ThresholdResult], result: &LoadResult) -> Vec<ThresholdResult> {
    let unreadable =
        |threshold: &ThresholdResult| ThresholdResult { observed: None, verdict: LoadVerdict::Inconclusive, ..threshold.clone() };
    let judged = |threshold: &ThresholdResult| match parse_written(&threshold.rule) {
        Some(read) => judge(&read, result),
        None => unreadable(threshold),
    };
    recorded.iter().map(judged).collect()
}

fn judge(threshold: &Threshold, result: &LoadResult) -> ThresholdResult {
    let observed = observed(threshold, result).filter(|number| number.is_finite());
    let verdict = match observed {
        None => LoadVerdict::Inconclusive,
        Some(number) if !holds(number, threshold.comparison, threshold.bound) => LoadVerdict::Failed,
        // A refused connection takes no time: it must not pass a threshold of times.
        Some(_) if calls_of(threshold, result).is_dead() => LoadVerdict::Inconclusive,
        Some(_) => LoadVerdict::Passed,
    };
    ThresholdResult { rule: threshold.rule.clone(), unit: threshold.metric.unit(), observed, verdict }
}

fn holds(number: f64, comparison: Comparator, bound: f64) -> bool {
    match comparison {
        Comparator::Below => number < bound,
        Comparator::AtMost => number <= bound,
        Comparator::Equal => number == bound,
        Comparator::AtLeast => number >= bound,
        Comparator::Above => number > bound,
    }
}

/// The observed number; `None` without samples.
fn observed(threshold: &Threshold, result: &LoadResult) -> Option<f64> {
    let calls = calls_of(threshold, result);
    match threshold.metric {
        Metric::Response(share) => quantile_of(calls.0.iter().map(|o| &o.response), share),
        Metric::Service(share) => quantile_of(calls.0.iter().map(|o| &o.service), share),
        Metric::Lag(share) => quantile_of(result.notifications.iter().map(|n| &n.lag), share),
        Metric::Mean => calls.mean(),
        Metric::Errors => calls.errors().map(|errors| errors / calls.requests()),
        Metric::ErrorCount => calls.errors(),
        Metric::Rate => (calls.requests() > 0.0 && result.seconds > 0.0).then(|| calls.requests() / result.seconds),
        Metric::Dropped => late_or_dropped(result),
        Metric::Lost => notifications(result, |n| n.lost),
        Metric::Duplicated => notifications(result, |n| n.duplicated),
        Metric::Late => notifications(result, |n| n.late),
        Metric::Drift => drift(&result.timeline),
    }
}

/// The calls that a threshold is about.
struct Calls<'r>(Vec<&'r OperationResult>);

fn calls_of<'r>(threshold: &Threshold, result: &'r LoadResult) -> Calls<'r> {
    let named = threshold.operation.as_deref();
    Calls(result.operations.iter().filter(|o| named.is_none_or(|name| o.operation == name)).collect())
}

impl Calls<'_> {
    fn requests(&self) -> f64 {
        self.0.iter().map(|o| o.requests).sum::<u64>() as f64
    }

    /// Whether calls were made, and none of them got a response.
    fn is_dead(&self) -> bool {
        let without_response: u64 = self.0.iter().filter_map(|o| o.errors.get(&ErrorKind::Transport)).sum();
        self.requests() > 0.0 && self.requests() <= without_response as f64
    }

    fn errors(&self) -> Option<f64> {
        let errors: u64 = self.0.iter().flat_map(|o| o.errors.values()).sum();
        (self.requests() > 0.0).then_some(errors as f64)
    }

    /// Means add up by their counts, so no histogram is needed.
    fn mean(&self) -> Option<f64> {
        let count: u64 = self.0.iter().map(|o| o.response.count).sum();
        let total: f64 = self.0.iter().map(|o| o.response.mean * o.response.count as f64).sum();
        (count > 0).then(|| total / count as f64)
    }
}

/// A quantile of several distributions. The largest value is exact, others have the digits of the histogram. `None` if a distribution
/// can't be read.
fn quantile_of<'l>(latencies: impl Iterator<Item = &'l Latency> + Clone, share: f64) -> Option<f64> {
    if share >= 1.0 {
        return latencies.filter(|l| l.count > 0).map(|l| l.max).max().map(|max| max as f64);
    }
    quantile(&sum(latencies).ok()?, share).map(|value| value as f64)
}

/// The share of iterations that were late because no user was free, or were dropped.
fn late_or_dropped(result: &LoadResult) -> Option<f64> {
    let arrivals = result.arrivals.as_ref().filter(|a| a.intended > 0)?;
    Some((arrivals.delayed + arrivals.dropped) as f64 / arrivals.intended as f64)
}

fn notifications(result: &LoadResult, count: impl Fn(&NotificationResult) -> u64) -> Option<f64> {
    result.notifications.as_ref().filter(|n| n.expected > 0).map(|n| count(n) as f64)
}

/// The p99 response time of the last tenth as a multiple of that of the first; `None` with fewer than 100 calls in either.
fn drift(timeline: &[Moment]) -> Option<f64> {
    // A single moment can't be both beginning and end.
    let tenth = timeline.len().div_ceil(10).min(timeline.len() / 2);
    let (first, _) = timeline.split_at_checked(tenth)?;
    let (_, last) = timeline.split_at_checked(timeline.len() - tenth)?;
    Some(p99(last)? / p99(first)?)
}

fn p99(timeline: &[Moment]) -> Option<f64> {
    let sum = sum_of_moments(timeline).ok().filter(|sum| sum.len() >= DRIFT_SAMPLES)?;
    quantile(&sum, 0.99).filter(|value| *value > 0).map(|value| value as f64)
}
