//! Evaluates thresholds on what was measured. One with too few samples is inconclusive, never passed.

use super::calls::{DRIFT_SHARE, calls_of};
use super::parse::parse_written;
use super::rule::{Comparator, Metric, Threshold};
use super::unjudged;
use crate::load::histogram::{sum, sum_of_moments};
use crate::load::percentile::percentile;
use crate::load::result::{Latency, LoadResult, LoadVerdict, Moment, NotificationResult, ThresholdResult};

/// Judges every threshold by the numbers of the result, in the given order.
pub fn evaluate(thresholds: &[Threshold], result: &LoadResult) -> Vec<ThresholdResult> {
    thresholds.iter().map(|threshold| judge(threshold, result)).collect()
}

/// Judges the thresholds that the results of a split load repeat, whatever operations they name. A rule that this version can't read is
/// inconclusive: the others alone must not make the load pass.
pub fn evaluate_recorded(recorded: &[ThresholdResult], result: &LoadResult) -> Vec<ThresholdResult> {
    let unreadable = |threshold: &ThresholdResult| ThresholdResult {
        observed: None,
        verdict: LoadVerdict::Inconclusive,
        reason: Some(unjudged::unknown()),
        ..threshold.clone()
    };
    let judged = |threshold: &ThresholdResult| match parse_written(&threshold.rule) {
        Some(read) => judge(&read, result),
        None => unreadable(threshold),
    };
    recorded.iter().map(judged).collect()
}

fn judge(threshold: &Threshold, result: &LoadResult) -> ThresholdResult {
    let observed = observed(threshold, result).filter(|number| number.is_finite());
    let (verdict, reason) = match observed {
        None => (LoadVerdict::Inconclusive, Some(unjudged::reason(threshold, result))),
        Some(number) if !holds(number, threshold.comparison, threshold.bound) => (LoadVerdict::Failed, None),
        // A refused connection takes no time: it must not pass a threshold of times.
        Some(_) if calls_of(threshold, result).is_dead() => (LoadVerdict::Inconclusive, Some(unjudged::no_response())),
        Some(_) => (LoadVerdict::Passed, None),
    };
    ThresholdResult { rule: threshold.rule.clone(), unit: threshold.metric.unit(), observed, verdict, reason }
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

/// The observed number; `None` with too few samples.
fn observed(threshold: &Threshold, result: &LoadResult) -> Option<f64> {
    let calls = calls_of(threshold, result);
    match threshold.metric {
        Metric::Response(share) => percentile_of(calls.0.iter().map(|o| &o.response), share),
        Metric::Service(share) => percentile_of(calls.0.iter().map(|o| &o.service), share),
        Metric::Lag(share) => percentile_of(result.notifications.iter().map(|n| &n.lag), share),
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

/// A percentile of several distributions, with the digits of the histogram. The largest needs no histogram. `None` with too few times,
/// or if a distribution can't be read.
fn percentile_of<'l>(latencies: impl Iterator<Item = &'l Latency> + Clone, share: f64) -> Option<f64> {
    if share >= 1.0 {
        return latencies.filter(|l| l.count > 0).map(|l| l.max).max().map(|max| max as f64);
    }
    percentile(&sum(latencies).ok()?, share).map(|value| value as f64)
}

/// The share of iterations that were late because no user was free, or were dropped.
fn late_or_dropped(result: &LoadResult) -> Option<f64> {
    // After a warm-up that was all, what is due is left from it.
    let arrivals = result.arrivals.as_ref().filter(|a| a.intended > 0 && result.seconds > 0.0)?;
    Some((arrivals.delayed + arrivals.dropped) as f64 / arrivals.intended as f64)
}

fn notifications(result: &LoadResult, count: impl Fn(&NotificationResult) -> u64) -> Option<f64> {
    result.notifications.as_ref().filter(|n| n.expected > 0).map(|n| count(n) as f64)
}

/// The p99 response time of the last tenth as a multiple of that of the first; `None` with too few calls in either.
fn drift(timeline: &[Moment]) -> Option<f64> {
    // A single moment can't be both beginning and end.
    let tenth = timeline.len().div_ceil(10).min(timeline.len() / 2);
    let (first, _) = timeline.split_at_checked(tenth)?;
    let (_, last) = timeline.split_at_checked(timeline.len() - tenth)?;
    Some(p99(last)? / p99(first)?)
}

fn p99(timeline: &[Moment]) -> Option<f64> {
    let sum = sum_of_moments(timeline).ok()?;
    percentile(&sum, DRIFT_SHARE).filter(|value| *value > 0).map(|value| value as f64)
}
