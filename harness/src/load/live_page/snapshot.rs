//! The data of the live page: texts as shown, and the numbers of the charts.

use std::cmp::Reverse;
use std::time::Duration;

use serde::Serialize;

use super::history::{History, per_second};
use crate::base::figures::{count, percent, rate, span, time};
use crate::base::text::{counted, printable};
use crate::load::meter::{CallMetrics, Interval};
use crate::load::percentile::percentile;
use crate::load::progress::LoadProgress;
use crate::load::result::{LoadCause, LoadResult, LoadVerdict, NotificationResult, ThresholdResult};
use crate::load::run_loop::Phase;
use crate::load::verdict::{shown, unjudged};

/// The most causes that are shown, the most frequent first.
const CAUSES: usize = 20;
/// Placeholder for a number that was not measured.
const NONE: &str = "–";

/// Everything that the page shows.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct LiveSnapshot {
    title: String,
    load: String,
    phase: String,
    /// Progress from 0 to 1.
    done: f64,
    figures: Vec<Labelled>,
    thresholds: Vec<ThresholdRow>,
    operations: Vec<Vec<String>>,
    errors: Vec<Vec<String>>,
    causes: Vec<Vec<String>>,
    notifications: Vec<Labelled>,
    history: History,
}

#[derive(Debug, Serialize)]
struct Labelled {
    label: &'static str,
    text: String,
    tone: &'static str,
}

#[derive(Debug, Serialize)]
struct ThresholdRow {
    verdict: &'static str,
    tone: &'static str,
    rule: String,
    measured: String,
}

impl LiveSnapshot {
    pub(super) fn new(title: &str, load: &str) -> Self {
        Self { title: title.to_owned(), load: load.to_owned(), phase: "users get ready".to_owned(), ..Self::default() }
    }

    pub(super) fn set_second(&mut self, at: Duration, phase: Phase, now: &LoadProgress, interval: &Interval<'_>) {
        let total = now.total.unwrap_or_default();
        self.phase = format!("{}, {} of {}", now.phase, span(now.elapsed.as_secs_f64()), span(total.as_secs_f64()));
        self.done = (now.elapsed.as_secs_f64() / total.as_secs_f64().max(f64::MIN_POSITIVE)).min(1.0);
        self.figures = figures(now);
        let calls = interval.operations.iter().zip(&interval.totals.operations).zip(&interval.metrics.operations);
        let mut calls: Vec<_> = calls.collect();
        calls.sort_by_key(|((_, all), _)| Reverse(all.errors.total()));
        let length = (phase != Phase::Draining).then_some(interval.length);
        self.operations = calls.iter().map(|((name, all), last)| operation(name, all, last, length)).collect();
        self.errors = calls.iter().flat_map(|((name, all), _)| errors(name, all)).collect();
        // The end of the load is no whole second: it would look like a drop, or like a peak of the calls that were awaited.
        if phase != Phase::Draining {
            self.history.push(at, interval);
        }
    }

    pub(super) fn set_result(&mut self, result: &LoadResult) {
        self.thresholds = result.thresholds.iter().map(threshold).collect();
        self.causes = causes(&result.findings);
        self.notifications = result.notifications.as_ref().map(notifications).unwrap_or_default();
    }
}

/// Figures of the last second and of the load so far.
fn figures(now: &LoadProgress) -> Vec<Labelled> {
    let plain = |label, text| Labelled { label, text, tone: "plain" };
    let some = |number: Option<u64>| number.map_or_else(|| NONE.to_owned(), |number| time(number as f64));
    let counted = |label, number: u64| Labelled { label, text: count(number), tone: if number > 0 { "bad" } else { "plain" } };
    let mut figures = vec![
        plain("calls now", now.rate.map_or_else(|| NONE.to_owned(), rate)),
        plain("response p50 now", some(now.p50)),
        plain("response p99 now", some(now.p99)),
        plain("users", count(now.users)),
        plain("calls in all", count(now.requests)),
        counted("failed in all", now.errors),
    ];
    figures.extend(now.delayed.map(|delayed| counted("started late", delayed)));
    figures.extend(now.outstanding.map(|outstanding| plain("notifications outstanding", count(outstanding))));
    figures
}

/// Name, calls, rate of the last second, failed, response p50, p99 and max, service p50 and p99; all but the rate since measuring began.
/// `length` is that of the last second, `None` at the end.
fn operation(name: &str, all: &CallMetrics<u64>, last: &CallMetrics<u64>, length: Option<Duration>) -> Vec<String> {
    let calls = all.response.len();
    let at = |times: &hdrhistogram::Histogram<u64>, share: f64| {
        percentile(times, share).map_or_else(|| NONE.to_owned(), |value| time(value as f64))
    };
    let failed = all.errors.total();
    vec![
        name.to_owned(),
        count(calls),
        length.map_or_else(|| NONE.to_owned(), |length| rate(per_second(last.response.len(), length))),
        if failed == 0 { "0".to_owned() } else { format!("{} ({})", count(failed), percent(failed as f64 / calls.max(1) as f64)) },
        at(&all.response, 0.5),
        at(&all.response, 0.99),
        at(&all.response, 1.0),
        at(&all.service, 0.5),
        at(&all.service, 0.99),
    ]
}

/// Operation, kind and count of calls that failed.
fn errors<'c>(name: &'c str, calls: &'c CallMetrics<u64>) -> impl Iterator<Item = Vec<String>> + 'c {
    let failed = calls.errors.by_kind().into_iter().filter(|(_, failed)| *failed > 0);
    failed.map(move |(kind, failed)| vec![name.to_owned(), kind.name().to_owned(), count(failed)])
}

fn threshold(threshold: &ThresholdResult) -> ThresholdRow {
    let (verdict, tone) = match threshold.verdict {
        LoadVerdict::Passed => ("holds", "good"),
        LoadVerdict::Failed => ("does not hold", "bad"),
        LoadVerdict::Inconclusive => ("not judged yet", "doubtful"),
    };
    let observed = threshold.observed.filter(|_| threshold.verdict != LoadVerdict::Inconclusive);
    let measured = observed.map_or_else(|| unjudged(threshold).to_owned(), |number| shown(threshold, number));
    ThresholdRow { verdict, tone, rule: threshold.rule.clone(), measured }
}

/// A row for each of the most frequent causes, and one that counts the others.
fn causes(findings: &[LoadCause]) -> Vec<Vec<String>> {
    let more = findings.len().saturating_sub(CAUSES);
    let mut rows: Vec<_> = findings.iter().take(CAUSES).map(cause).collect();
    if more > 0 {
        let further = format!("{}, less frequent; the result lists all", counted(more, "further cause"));
        rows.push([String::new(), String::new(), String::new(), String::new(), further].to_vec());
    }
    rows
}

/// Count, kind, operation, clause and sentence. It may quote what a target sent.
fn cause(cause: &LoadCause) -> Vec<String> {
    let clause = cause.clauses.first().cloned().unwrap_or_default();
    let cells = [count(cause.count), cause.kind.name().to_owned(), cause.operation.clone(), clause, cause.message.clone()];
    cells.iter().map(|cell| printable(cell)).collect()
}

fn notifications(result: &NotificationResult) -> Vec<Labelled> {
    let toned = |label, number: u64, tone| Labelled { label, text: count(number), tone: if number > 0 { tone } else { "plain" } };
    vec![
        toned("due (received or lost)", result.expected, "plain"),
        toned("once and in time", result.once, "good"),
        toned("late", result.late, "doubtful"),
        toned("more than once", result.duplicated, "doubtful"),
        toned("lost", result.lost, "bad"),
        toned("contradicting the status call", result.contradicting, "bad"),
        toned("unexpected", result.unexpected, "doubtful"),
    ]
}
