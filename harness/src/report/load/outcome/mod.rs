//! A load test's result as an outcome.

use super::facts::{facts, heading, requests};
use crate::base::figures::{count, digits, percent, rate, time};
use crate::base::text::counted;
use crate::engine::outcome::{Cause, Column, Ended, Fact, Figure, List, ListEntry, Outcome, Row, Section, Table, Tone, Verb, Weight};
use crate::load::baseline::{BaselineChange, BaselineComparison, BaselineDifference, OperationChange, ThresholdChange};
use crate::load::histogram::sum;
use crate::load::percentile::percentile;
use crate::load::result::{self, Early, ErrorKind, LoadResult, LoadVerdict, OperationResult, ThresholdResult};
use crate::load::verdict;

/// The most caveats of a comparison that are shown.
const CAVEATS: usize = 2;
/// The size of a list whose entries are all shown if there is room.
const ALL: usize = usize::MAX;

/// The columns after the name.
const COLUMNS: [Column; 10] = [
    Column { heading: "requests", priority: 8 },
    Column { heading: "rate", priority: 5 },
    Column { heading: "errors", priority: 9 },
    Column { heading: "p50", priority: 7 },
    Column { heading: "p90", priority: 2 },
    Column { heading: "p95", priority: 1 },
    Column { heading: "p99", priority: 10 },
    Column { heading: "p99.9", priority: 3 },
    Column { heading: "max", priority: 6 },
    Column { heading: "service p99", priority: 4 },
];

/// The outcome of a load test. `unreachable` says that the target never responded, or no longer.
pub fn outcome(result: &LoadResult, unreachable: bool) -> Outcome {
    let judged = verdict::judge(result);
    let ended = match (&result.ended_early, unreachable) {
        (Some(Early::Interrupted), _) => Ended::Interrupted,
        (_, true) => Ended::Unreachable(None),
        (Some(Early::Unreachable), false) => Ended::Unreachable(None),
        (Some(Early::Killswitch | Early::Unfinished) | None, false) => Ended::Completed,
    };
    let title = (!result.title.is_empty()).then(|| Figure::new("profile", Tone::Plain, result.title.clone()));
    Outcome {
        figures: title.into_iter().chain(facts(result)).collect(),
        sections: [operations(result), thresholds(result)].into_iter().flatten().collect(),
        causes: result.findings.iter().map(cause).collect(),
        failures: judged.failures,
        missing: judged.missing,
        pass: pass(result),
        ended,
        ..Outcome::new(heading(Verb::Load, result))
    }
}

fn pass(result: &LoadResult) -> String {
    match result.thresholds.len() {
        0 => "nothing was found; no thresholds were asked for".into(),
        thresholds => format!("nothing was found, {} held", counted(thresholds, "threshold")),
    }
}

/// The calls of each operation, failing ones first: where lines are short, the last operations are not shown.
fn operations(result: &LoadResult) -> Option<Section> {
    // Operations that are called only while users get ready are not measured.
    let rows: Vec<_> = result.failing_first().into_iter().filter(|operation| operation.requests > 0).map(row).collect();
    let total = (rows.len() > 1).then(|| total(result)).flatten();
    (!rows.is_empty()).then_some(Section::Table(Table { first: "operation", columns: &COLUMNS, rows, total }))
}

fn row(operation: &OperationResult) -> Row {
    let l = &operation.response;
    let max = (l.count > 0).then_some(l.max);
    let times = [l.p50, l.p90, l.p95, l.p99, l.p999, max].map(or_dash);
    let counts = Counts { requests: operation.requests, errors: operation.failed(), rate: operation.rate };
    cells(operation.operation.clone(), &counts, times, or_dash(operation.service.p99))
}

/// All operations together; `None` if their distributions can't be added.
fn total(result: &LoadResult) -> Option<Row> {
    let response = sum(result.operations.iter().map(|o| &o.response)).ok()?;
    let service = sum(result.operations.iter().map(|o| &o.service)).ok()?;
    let at = |share| or_dash(percentile(&response, share));
    let max = or_dash(result.operations.iter().map(|o| o.response.max).max());
    let errors = result.operations.iter().map(OperationResult::failed).sum();
    let counts = Counts { requests: requests(result), errors, rate: result.operations.iter().map(|o| o.rate).sum() };
    let times = [at(0.5), at(0.9), at(0.95), at(0.99), at(0.999), max];
    Some(cells("all".into(), &counts, times, or_dash(percentile(&service, 0.99))))
}

struct Counts {
    requests: u64,
    errors: u64,
    rate: f64,
}

fn cells(name: String, counts: &Counts, times: [String; 6], service: String) -> Row {
    let failed = match counts.errors {
        0 => (Tone::Plain, "0".to_owned()),
        errors => (Tone::Bad, format!("{} ({})", count(errors), percent(errors as f64 / counts.requests.max(1) as f64))),
    };
    let mut cells = vec![(Tone::Plain, count(counts.requests)), (Tone::Plain, rate(counts.rate)), failed];
    cells.extend(times.into_iter().chain([service]).map(|text| (Tone::Plain, text)));
    Row { name, cells }
}

/// A time in microseconds; a dash where too few were measured.
fn or_dash(micros: Option<u64>) -> String {
    micros.map_or_else(none, |micros| time(micros as f64))
}

/// Placeholder for a number that was not measured.
fn none() -> String {
    "–".into()
}

/// The thresholds, those that failed first.
fn thresholds(result: &LoadResult) -> Option<Section> {
    let mut sorted: Vec<_> = result.thresholds.iter().collect();
    sorted.sort_by_key(|threshold| match threshold.verdict {
        LoadVerdict::Failed => 0,
        LoadVerdict::Inconclusive => 1,
        LoadVerdict::Passed => 2,
    });
    let width = sorted.iter().map(|t| crate::base::text::columns(&t.rule)).max().unwrap_or(0);
    let entries: Vec<_> = sorted.iter().map(|threshold| self::threshold(threshold, width)).collect();
    let list = List { title: "thresholds".into(), tone: Tone::Faint, entries, shown: ALL, noun: "threshold", note: None };
    (!result.thresholds.is_empty()).then_some(Section::List(list))
}

/// `  ✗ gateway.v1.create p99 < 1ms  1.79 ms`
fn threshold(threshold: &ThresholdResult, width: usize) -> ListEntry {
    let (tone, mark) = match threshold.verdict {
        LoadVerdict::Passed => (Tone::Good, "✓"),
        LoadVerdict::Failed => (Tone::Bad, "✗"),
        LoadVerdict::Inconclusive => (Tone::Warn, "?"),
    };
    let observed = threshold.observed.filter(|_| threshold.verdict != LoadVerdict::Inconclusive);
    let observed = observed.map(|number| verdict::shown(threshold, number));
    let observed = observed.unwrap_or_else(|| format!("not judged: {}", verdict::unjudged(threshold)));
    let padding = " ".repeat(width.saturating_sub(crate::base::text::columns(&threshold.rule)));
    ListEntry::marked(mark, tone, format!("{}{padding}  {observed}", threshold.rule))
}

fn cause(cause: &result::LoadCause) -> Cause {
    let name = match (cause.clauses.first(), cause.kind) {
        (Some(clause), _) => clause.as_str(),
        (None, ErrorKind::Transport) => "no response",
        (None, ErrorKind::Contract | ErrorKind::Business) => "an expectation of the scenario",
    };
    let times = if cause.count == 1 { "once".into() } else { format!("{} times", count(cause.count)) };
    let operation = if cause.operation.is_empty() { String::new() } else { format!(", {}", cause.operation) };
    let facts = cause.examples.first().map(|example| {
        let at = example.at.as_ref().map(|at| format!("{at}, ")).unwrap_or_default();
        let mut facts = vec![
            Fact::At(format!("{at}{}", example.when())),
            Fact::Compared { expected: example.expected.clone(), got: example.got.clone() },
        ];
        facts.extend(example.curl.clone().map(Fact::Command));
        facts
    });
    Cause {
        weight: Weight::Fails,
        name: name.to_owned(),
        seen: format!("{times}{operation}"),
        message: cause.message.clone(),
        facts: facts.unwrap_or_default(),
        evidence: None,
    }
}

/// The comparison with an earlier run: the differences, and the number of equal values.
pub fn baseline(comparison: &BaselineComparison) -> Section {
    let mut entries = caveats(&comparison.caveats);
    let mut changes: Vec<_> = comparison.thresholds.iter().filter_map(threshold_change).collect();
    changes.extend(comparison.operations.iter().flat_map(operation_changes));
    changes.sort_by_key(|(difference, _)| u8::from(*difference != BaselineDifference::Worse));
    entries.extend(changes.into_iter().map(|(_, entry)| entry));
    Section::List(List {
        title: format!("against {}", comparison.before),
        tone: Tone::Faint,
        entries,
        shown: ALL,
        noun: "difference",
        note: Some(unchanged(comparison)),
    })
}

fn caveats(caveats: &[String]) -> Vec<ListEntry> {
    let more = caveats.len().saturating_sub(CAVEATS);
    let shown = caveats.iter().take(CAVEATS).enumerate().map(|(index, caveat)| {
        let more = if more > 0 && index + 1 == CAVEATS { format!(" (and {})", counted(more, "more difference")) } else { String::new() };
        ListEntry::toned(Tone::Warn, format!("means little: {caveat}{more}"))
    });
    shown.collect()
}

fn threshold_change(change: &ThresholdChange) -> Option<(BaselineDifference, ListEntry)> {
    let text = format!("{} {} → {}", change.rule, word(change.before.as_ref()), word(change.after.as_ref()));
    changed(change.difference, text)
}

fn word(threshold: Option<&ThresholdResult>) -> &'static str {
    match threshold.map(|t| t.verdict) {
        Some(LoadVerdict::Passed) => "passed",
        Some(LoadVerdict::Failed) => "failed",
        Some(LoadVerdict::Inconclusive) => "inconclusive",
        None => "absent",
    }
}

/// A number of one operation: its name, its change, its format.
type Number = (&'static str, BaselineChange, fn(f64) -> String);

fn numbers(operation: &OperationChange) -> [Number; 4] {
    [("p99", operation.p99, time), ("p50", operation.p50, time), ("errors", operation.errors, percent), ("rate", operation.rate, rate)]
}

fn operation_changes(operation: &OperationChange) -> Vec<(BaselineDifference, ListEntry)> {
    let entry = |(name, change, write): Number| {
        let number = |number: Option<f64>| number.map_or_else(none, write);
        let ratio = change.ratio().map(|ratio| format!(" (×{})", digits(ratio))).unwrap_or_default();
        changed(change.difference, format!("{} {name} {} → {}{ratio}", operation.operation, number(change.before), number(change.after)))
    };
    numbers(operation).into_iter().filter_map(entry).collect()
}

/// A line for a difference; `None` without one.
fn changed(difference: BaselineDifference, text: String) -> Option<(BaselineDifference, ListEntry)> {
    let (tone, word) = match difference {
        BaselineDifference::Worse => (Tone::Bad, "worse "),
        BaselineDifference::Better => (Tone::Good, "better"),
        BaselineDifference::NotShown | BaselineDifference::Unknown => return None,
    };
    Some((difference, ListEntry::marked(format!("{word} "), tone, text)))
}

/// Numbers that can't be compared and are named, at most; the HTML report has all of them.
const NAMED: usize = 4;

/// How many numbers and thresholds show no difference, and which can't be compared, and why.
fn unchanged(comparison: &BaselineComparison) -> String {
    let numbers = comparison.operations.iter().flat_map(numbers).map(|(_, change, _)| change.difference);
    let all: Vec<_> = numbers.chain(comparison.thresholds.iter().map(|t| t.difference)).collect();
    let same = all.iter().filter(|difference| **difference == BaselineDifference::NotShown).count();
    let unknown: Vec<_> =
        comparison.operations.iter().flat_map(unknown_numbers).chain(comparison.thresholds.iter().filter_map(unknown_threshold)).collect();
    let summary = format!("no difference shown in {same} of {}", counted(all.len(), "number"));
    if unknown.is_empty() {
        return summary;
    }
    let more = unknown.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("{summary}; can't be compared: {}{more}", unknown.into_iter().take(NAMED).collect::<Vec<_>>().join(", "))
}

fn unknown_numbers(operation: &OperationChange) -> Vec<String> {
    let unknown = numbers(operation).into_iter().filter(|(_, change, _)| change.difference == BaselineDifference::Unknown);
    unknown.map(|(name, change, _)| format!("{} {name} ({})", operation.operation, why_unknown(change))).collect()
}

/// A number is unknown for want of calls in one of the runs, or in both.
fn why_unknown(change: BaselineChange) -> &'static str {
    match (change.before, change.after) {
        (Some(_), Some(_)) | (None, None) => "too few calls",
        (None, Some(_)) => "too few calls then",
        (Some(_), None) => "too few calls now",
    }
}

fn unknown_threshold(change: &ThresholdChange) -> Option<String> {
    let (before, after) = (word(change.before.as_ref()), word(change.after.as_ref()));
    (change.difference == BaselineDifference::Unknown).then(|| format!("{} ({before} then, {after} now)", change.rule))
}

#[cfg(test)]
mod tests;
