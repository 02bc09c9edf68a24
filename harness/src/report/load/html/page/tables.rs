//! The tables of the page.

use super::parts::{Table, ToneText, tone, word};
use crate::base::figures::{count, digits, percent, rate, span, time};
use crate::load::baseline::{BaselineChange, BaselineComparison, BaselineDifference};
use crate::load::histogram::sum;
use crate::load::percentile::percentile;
use crate::load::result::{ErrorKind, Latency, LoadResult, LoadVerdict, OperationResult, ResponseCount, ThresholdResult};
use crate::load::verdict;
use crate::report::load::timeline::coarser;

/// Rows of the timeline.
const MOMENTS: usize = 30;
/// Placeholder for a number that was not measured.
const NONE: &str = "–";

/// Mark, rule and observed number of each threshold.
pub(super) fn thresholds(result: &LoadResult) -> Vec<Vec<ToneText>> {
    let cell = |tone, text| ToneText { label: String::new(), tone, text };
    let row = |t: &ThresholdResult| {
        let observed = t.observed.filter(|_| t.verdict != LoadVerdict::Inconclusive);
        let observed = observed.map_or_else(|| verdict::unjudged(t).to_owned(), |number| verdict::shown(t, number));
        vec![cell(tone(t.verdict), word(t.verdict).into()), cell("plain", t.rule.clone()), cell("plain", observed)]
    };
    result.thresholds.iter().map(row).collect()
}

pub(super) fn operations(result: &LoadResult) -> Table {
    let headings = ["operation", "requests", "rate", "failed", "mean", "p50", "p90", "p95", "p99", "p99.9", "max", "service p99"];
    table(&headings, result.failing_first().into_iter().map(operation).collect())
}

fn operation(o: &OperationResult) -> Vec<String> {
    let mut cells = vec![o.operation.clone(), count(o.requests), rate(o.rate), share(o.failed(), o.requests)];
    cells.push(if o.response.count == 0 { NONE.into() } else { time(o.response.mean) });
    cells.extend(times(&o.response));
    cells.push(at(o.service.p99));
    cells
}

/// The calls that failed, by kind; only operations that have some.
pub(super) fn errors(result: &LoadResult) -> Table {
    let row = |o: &OperationResult| {
        let kinds = [ErrorKind::Transport, ErrorKind::Contract, ErrorKind::Business].map(|kind| o.errors.get(&kind).copied().unwrap_or(0));
        let mut cells = vec![o.operation.clone(), count(o.failed()), share(o.failed(), o.requests)];
        cells.extend(kinds.map(count));
        cells
    };
    let rows = result.failing_first().into_iter().filter(|o| o.failed() > 0).map(row);
    table(&["operation", "failed", "of all calls", "no complete response", "against the contract", "not what was expected"], rows.collect())
}

/// Calls by HTTP status and result code; those of an operation add up to all of its calls.
pub(super) fn responses(result: &LoadResult) -> Table {
    let row = |o: &OperationResult, found: &ResponseCount| {
        let status = found.status.map_or_else(|| "no complete response".into(), |status| status.to_string());
        let code = found.code.clone().unwrap_or_else(|| NONE.into());
        vec![o.operation.clone(), status, code, count(found.calls), share(found.calls, o.requests)]
    };
    let rows = result.failing_first().into_iter().flat_map(|o| o.responses.iter().map(move |found| row(o, found)));
    table(&["operation", "HTTP status", "result code", "calls", "of all calls"], rows.collect())
}

fn share(part: u64, of: u64) -> String {
    percent(part as f64 / of.max(1) as f64)
}

/// p50 to max.
fn times(l: &Latency) -> [String; 6] {
    [l.p50, l.p90, l.p95, l.p99, l.p999, longest(l)].map(at)
}

/// The largest time, if there is any.
fn longest(latency: &Latency) -> Option<u64> {
    (latency.count > 0).then_some(latency.max)
}

/// A time in microseconds; a dash where too few were measured.
fn at(micros: Option<u64>) -> String {
    micros.map_or_else(|| NONE.into(), |micros| time(micros as f64))
}

/// The quantiles in numbers.
pub(super) fn ladder(result: &LoadResult) -> Table {
    let all = |latency: fn(&OperationResult) -> &Latency| sum(result.operations.iter().map(latency)).ok().filter(|h| !h.is_empty());
    let (Some(response), Some(service)) = (all(|o| &o.response), all(|o| &o.service)) else { return Table::default() };
    let steps = [0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 1.0];
    let row = |share: f64| {
        // A percentile beyond which there is less than one call is left out.
        let (response_at, service_at) = (percentile(&response, share)?, percentile(&service, share)?);
        let beyond = ((1.0 - share) * response.len() as f64).round() as u64;
        Some(vec![percent(share), at(Some(response_at)), at(Some(service_at)), count(beyond)])
    };
    table(&["share of calls", "response at most", "service at most", "calls beyond"], steps.into_iter().filter_map(row).collect())
}

pub(super) fn timeline(result: &LoadResult) -> Table {
    let headings = ["from", "for", "calls", "failed", "due", "started", "users", "p50", "p99", "max", "lag p99"];
    let rows = coarser(&result.timeline, MOMENTS).into_iter().map(|m| {
        vec![
            span(m.at),
            span(m.seconds),
            count(m.requests),
            count(m.errors),
            m.intended.map_or_else(|| NONE.into(), count),
            count(m.started),
            count(m.users),
            at(m.p50),
            at(m.p99),
            at((m.requests > 0).then_some(m.max)),
            at(m.lag_p99),
        ]
    });
    table(&headings, rows.collect())
}

pub(super) fn notifications(result: &LoadResult) -> Table {
    let headings = [
        "due",
        "once and in time",
        "late",
        "more than once",
        "never",
        "against the status call",
        "unexpected",
        "lag p50",
        "lag p99",
        "lag max",
    ];
    let rows = result.notifications.iter().map(|n| {
        let counts = [n.expected, n.once, n.late, n.duplicated, n.lost, n.contradicting, n.unexpected].map(count);
        counts.into_iter().chain([n.lag.p50, n.lag.p99, longest(&n.lag)].map(at)).collect()
    });
    table(&headings, rows.collect())
}

pub(super) fn scenarios(result: &LoadResult) -> Table {
    let row = |s: &crate::load::result::ScenarioResult| {
        let l = &s.response;
        vec![s.scenario.clone(), count(s.passed), count(s.failed), at(l.p50), at(l.p99), at(longest(l))]
    };
    table(&["scenario", "played to the end", "with something found", "p50", "p99", "max"], result.scenarios.iter().map(row).collect())
}

pub(super) fn trials(result: &LoadResult) -> Table {
    let row = |t: &crate::load::result::Trial| vec![rate(t.rate), if t.held { "held" } else { "did not hold" }.into(), t.note.clone()];
    table(&["rate", "thresholds", "result"], result.trials.iter().map(row).collect())
}

/// A number of an operation: its name, its change, its format.
type Number = (&'static str, BaselineChange, fn(f64) -> String);

/// The numbers of both runs and their differences.
pub(super) fn changes(comparison: &BaselineComparison) -> Table {
    let mut rows = Vec::new();
    for o in &comparison.operations {
        let numbers: [Number; 4] = [("requests", o.rate, rate), ("errors", o.errors, percent), ("p50", o.p50, time), ("p99", o.p99, time)];
        rows.extend(numbers.map(|(name, change, write)| change_row(&o.operation, name, change, write)));
    }
    table(&["operation", "number", "then", "now", "ratio", "what that shows"], rows)
}

fn change_row(operation: &str, name: &str, change: BaselineChange, write: fn(f64) -> String) -> Vec<String> {
    let text = |number: Option<f64>| number.map_or_else(|| NONE.into(), write);
    let ratio = change.ratio().map_or_else(|| NONE.into(), |ratio| format!("×{}", digits(ratio)));
    vec![operation.into(), name.into(), text(change.before), text(change.after), ratio, shows(change.difference).into()]
}

fn shows(difference: BaselineDifference) -> &'static str {
    match difference {
        BaselineDifference::Better => "better",
        BaselineDifference::Worse => "worse",
        BaselineDifference::NotShown => "no difference shown",
        BaselineDifference::Unknown => "can't be compared",
    }
}

pub(super) fn threshold_changes(comparison: &BaselineComparison) -> Table {
    let text = |threshold: Option<&ThresholdResult>| match threshold {
        None => "not asked for".into(),
        Some(t) => {
            let observed = t.observed.map(|number| format!(" ({})", verdict::shown(t, number))).unwrap_or_default();
            format!("{}{observed}", word(t.verdict))
        }
    };
    let rows = comparison.thresholds.iter().map(|t| {
        let shows = if t.difference == BaselineDifference::NotShown { "the same" } else { shows(t.difference) };
        vec![t.rule.clone(), text(t.before.as_ref()), text(t.after.as_ref()), shows.into()]
    });
    table(&["threshold", "then", "now", "what that shows"], rows.collect())
}

fn table(headings: &[&'static str], rows: Vec<Vec<String>>) -> Table {
    Table { headings: headings.to_vec(), rows }
}
