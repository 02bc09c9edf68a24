//! The variables of the template: texts, and tables of texts.

mod parts;
mod tables;

use serde::Serialize;

use crate::base::expected;
use crate::base::figures::count;
use crate::engine::outcome::Tone;
use crate::load::baseline::{BaselineComparison, compare};
use crate::load::result::{ErrorKind, LoadCause, LoadResult};
use crate::report::load::chart::{Chart, chart};
use crate::report::load::charts::{self, OperationCharts};
use crate::report::load::facts::{facts, identity};
use parts::{Table, ToneText, tone, word};

/// The variables of the template.
#[derive(Serialize)]
pub(super) struct Contents {
    title: String,
    identity: String,
    verdict: &'static str,
    tone: &'static str,
    reasons: Vec<String>,
    facts: Vec<ToneText>,
    thresholds: Vec<Vec<ToneText>>,
    operations: Table,
    errors: Table,
    responses: Table,
    quantiles: Option<Drawn>,
    ladder: Table,
    charts: Vec<Drawn>,
    timeline: Table,
    by_operation: Vec<DrawnOperation>,
    notifications: Table,
    scenarios: Table,
    trials: Table,
    causes: Vec<Found>,
    compared: Option<Compared>,
}

#[derive(Serialize)]
struct Drawn {
    title: String,
    svg: String,
}

/// The charts of one operation.
#[derive(Serialize)]
struct DrawnOperation {
    name: String,
    open: bool,
    charts: Vec<Drawn>,
}

#[derive(Serialize)]
struct Found {
    name: String,
    clauses: String,
    operation: String,
    times: String,
    message: String,
    examples: Vec<Occurrence>,
}

#[derive(Serialize)]
struct Occurrence {
    when: String,
    at: Option<String>,
    expected: Option<String>,
    got: Option<String>,
    curl: Option<String>,
}

#[derive(Serialize)]
struct Compared {
    before: String,
    caveats: Vec<String>,
    operations: Table,
    thresholds: Table,
}

impl Contents {
    pub(super) fn new(result: &LoadResult, before: Option<&LoadResult>) -> Self {
        Self {
            title: if result.title.is_empty() { result.profile.clone() } else { result.title.clone() },
            identity: identity(result),
            verdict: word(result.verdict),
            tone: tone(result.verdict),
            reasons: result.reasons.clone(),
            facts: labelled_facts(result),
            thresholds: tables::thresholds(result),
            operations: tables::operations(result),
            errors: tables::errors(result),
            responses: tables::responses(result),
            quantiles: charts::quantiles(result, before).as_ref().map(drawn),
            ladder: tables::ladder(result),
            charts: charts::over_time(result, before).iter().map(drawn).collect(),
            timeline: tables::timeline(result),
            by_operation: charts::by_operation(result, before).iter().map(drawn_of).collect(),
            notifications: tables::notifications(result),
            scenarios: tables::scenarios(result),
            trials: tables::trials(result),
            causes: result.findings.iter().map(found).collect(),
            compared: before.map(|before| compared(&compare(before, result))),
        }
    }
}

fn labelled_facts(result: &LoadResult) -> Vec<ToneText> {
    let tone = |tone| match tone {
        Tone::Plain | Tone::Strong | Tone::Faint => "plain",
        Tone::Good => "good",
        Tone::Bad => "bad",
        Tone::Warn => "doubtful",
    };
    facts(result).into_iter().map(|fact| ToneText { label: fact.label.into(), tone: tone(fact.tone), text: fact.text }).collect()
}

fn drawn(of: &Chart) -> Drawn {
    Drawn { title: of.title.clone(), svg: chart(of) }
}

fn drawn_of(of: &OperationCharts) -> DrawnOperation {
    DrawnOperation { name: of.operation.clone(), open: of.has_failed, charts: of.charts.iter().map(drawn).collect() }
}

fn found(cause: &LoadCause) -> Found {
    let name = match (cause.clauses.first(), cause.kind) {
        (Some(clause), _) => clause.clone(),
        (None, ErrorKind::Transport) => "no response".into(),
        (None, ErrorKind::Contract | ErrorKind::Business) => "an expectation of the scenario".into(),
    };
    Found {
        name,
        clauses: cause.clauses.iter().skip(1).cloned().collect::<Vec<_>>().join(", "),
        operation: cause.operation.clone(),
        times: times(cause),
        message: cause.message.clone(),
        examples: cause.examples.iter().map(occurrence).collect(),
    }
}

/// `12 times, 5 of these below`
fn times(cause: &LoadCause) -> String {
    let shown = u64::try_from(cause.examples.len()).unwrap_or(u64::MAX);
    match cause.count {
        1 => "once".to_owned(),
        all if all > shown => format!("{} times, {} of these below", count(all), count(shown)),
        all => format!("{} times", count(all)),
    }
}

fn occurrence(example: &crate::load::result::LoadExample) -> Occurrence {
    let [expected, got] = expected::compared(example.expected.as_ref(), example.got.as_ref());
    Occurrence { when: example.when(), at: example.at.clone(), expected, got, curl: example.curl.clone() }
}

fn compared(comparison: &BaselineComparison) -> Compared {
    Compared {
        before: comparison.before.clone(),
        caveats: comparison.caveats.clone(),
        operations: tables::changes(comparison),
        thresholds: tables::threshold_changes(comparison),
    }
}
