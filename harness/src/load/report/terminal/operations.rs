//! The table of operations.

use super::table::{Column, Row, table};
use crate::load::histogram::{quantile, sum};
use crate::load::report::facts::requests;
use crate::load::report::format::{count, percent, rate, time};
use crate::load::result::{Latency, LoadResult, OperationResult};
use crate::report::style::{Line, Tone};
use crate::report::text::counted;

/// The columns after the name.
const COLUMNS: [Column; 10] = [
    Column { heading: "requests", weight: 8 },
    Column { heading: "rate", weight: 5 },
    Column { heading: "errors", weight: 9 },
    Column { heading: "p50", weight: 7 },
    Column { heading: "p90", weight: 2 },
    Column { heading: "p95", weight: 1 },
    Column { heading: "p99", weight: 10 },
    Column { heading: "p99.9", weight: 3 },
    Column { heading: "max", weight: 6 },
    Column { heading: "service p99", weight: 4 },
];

/// The table in at most so many lines.
pub(super) fn operations(result: &LoadResult, width: usize, room: usize) -> Vec<Line> {
    // Some operations are called only while users get ready, and so are not measured.
    let called: Vec<&OperationResult> = result.operations.iter().filter(|operation| operation.requests > 0).collect();
    let all = called.len();
    // The heading, the blank line before it, and the line of all where there are several.
    let around = 2 + usize::from(all > 1);
    let shown = if all + around <= room { all } else { room.saturating_sub(4).min(all) };
    if all == 0 || shown == 0 {
        return Vec::new();
    }
    let mut rows: Vec<_> = called.iter().take(shown).map(|operation| row(operation)).collect();
    rows.extend((all > 1).then(|| total(result)).flatten());
    let mut lines = vec![Line::empty()];
    lines.extend(table("operation", &COLUMNS, &rows, width));
    if shown < all {
        lines.push(Line::toned(Tone::Faint, format!("and {}", counted(all - shown, "more operation"))));
    }
    lines
}

fn row(operation: &OperationResult) -> Row {
    let errors: u64 = operation.errors.values().sum();
    let l = &operation.response;
    let times = [l.p50, l.p90, l.p95, l.p99, l.p999, l.max];
    let counts = Counts { requests: operation.requests, errors, rate: operation.rate };
    cells(operation.operation.clone(), &counts, times.map(|t| told(l, t)), told(&operation.service, operation.service.p99))
}

/// All operations together; none where their distributions can't be added.
fn total(result: &LoadResult) -> Option<Row> {
    let response = sum(result.operations.iter().map(|o| &o.response)).ok()?;
    let service = sum(result.operations.iter().map(|o| &o.service)).ok()?;
    let at = |share| quantile(&response, share).map_or_else(none, |value| time(value as f64));
    let max = result.operations.iter().map(|o| o.response.max).max().map_or_else(none, |max| time(max as f64));
    let errors = result.operations.iter().flat_map(|o| o.errors.values()).sum();
    let counts = Counts { requests: requests(result), errors, rate: result.operations.iter().map(|o| o.rate).sum() };
    let times = [at(0.5), at(0.9), at(0.95), at(0.99), at(0.999), max];
    Some(cells("all".into(), &counts, times, quantile(&service, 0.99).map_or_else(none, |value| time(value as f64))))
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

fn told(latency: &Latency, value: u64) -> String {
    if latency.count == 0 { none() } else { time(value as f64) }
}

fn none() -> String {
    "–".into()
}
