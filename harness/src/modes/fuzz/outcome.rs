//! The outcome of fuzzing.

use indexmap::IndexMap;

use super::report::{self, FuzzCounts, OperationReport};
use super::run::Fuzzed;
use crate::base::text::counted;
use crate::engine::event::CaseName;
use crate::engine::outcome::{Cause, Ended, Evidence, Fact, Figure, Heading, Missing, Outcome, Rule, Tone, Verb, Weight};
use crate::spec::contract::{Contracts, api_of};

/// A cause, and the operations that show it.
struct SharedCause<'r> {
    first: &'r report::FuzzCause,
    operations: Vec<String>,
    times: usize,
}

/// The outcome of fuzzing.
pub fn outcome(contracts: &Contracts, target: &str, seed: u64, fuzzed: &Fuzzed, interrupted: bool) -> Outcome {
    let reports = fuzzed.reports.as_slice();
    let mut counts = FuzzCounts::default();
    reports.iter().for_each(|report| counts.add(&report.counts));
    let causes: Vec<_> = shared(reports).iter().map(|shared| cause(contracts, shared)).collect();
    // What made a target fall silent is a finding.
    let unreachable = fuzzed.unreachable.clone().filter(|_| !fuzzed.responded || causes.is_empty());
    let ended = match (interrupted, unreachable) {
        (true, _) => Ended::Interrupted,
        (false, Some(why)) => Ended::Unreachable(Some(why)),
        (false, None) => Ended::Completed,
    };
    Outcome {
        figures: figures(reports, &counts),
        failures: (!causes.is_empty()).then(|| format!("{} found", counted(causes.len(), "cause"))).into_iter().collect(),
        causes,
        missing: missing(reports),
        pass: format!("nothing found in {}", counted(counts.sent, "made-up request")),
        ended,
        ..Outcome::new(heading(target, seed, reports.len()))
    }
}

/// The first line.
pub fn heading(target: &str, seed: u64, operations: usize) -> Heading {
    Heading::new(Verb::Fuzz, target).counting(operations, "operation").seeded(seed)
}

fn figures(reports: &[OperationReport], counts: &FuzzCounts) -> Vec<Figure> {
    let fuzzed = reports.iter().filter(|report| report.counts.sent > 0);
    let (operations, accepting) = (fuzzed.clone().count(), fuzzed.filter(|report| report.accepted).count());
    let FuzzCounts { sent, accepted, refused, elsewhere, by_http, silent, own } = counts;
    let mut figures = vec![
        Figure::new("operations", Tone::Plain, format!("{}; the valid request of {accepting} succeeded", counted(operations, "operation"))),
        Figure::new("requests", Tone::Plain, counted(*sent, "made-up request")),
        Figure::new(
            "responses",
            Tone::Plain,
            format!(
                "{accepted} accepted, {refused} refused as documented, {by_http} refused by an HTTP status alone, {elsewhere} to other paths or methods, {silent} without a response"
            ),
        ),
    ];
    if *own > 0 {
        let text = format!("{} report by a documented code that the target itself failed", counted(*own, "response"));
        figures.push(Figure::new("", Tone::Warn, text));
    }
    figures
}

/// Equal findings after equal changes are one cause, whatever the operation. Causes of most operations come first.
fn shared(reports: &[OperationReport]) -> Vec<SharedCause<'_>> {
    let mut found: IndexMap<(String, Option<String>, String), SharedCause<'_>> = IndexMap::new();
    for report in reports {
        for cause in &report.causes {
            let at = cause.finding.at.as_ref().map(ToString::to_string);
            let key = (cause.finding.message.clone(), at, cause.edits.join("; "));
            let shared = found.entry(key).or_insert_with(|| SharedCause { first: cause, operations: Vec::new(), times: 0 });
            shared.operations.push(report.operation.clone());
            shared.times += cause.times;
        }
    }
    let mut found: Vec<_> = found.into_values().collect();
    found.sort_by_key(|shared| std::cmp::Reverse(shared.operations.len()));
    found
}

fn cause(contracts: &Contracts, shared: &SharedCause<'_>) -> Cause {
    let cause = shared.first;
    let finding = &cause.finding;
    let evidence = evidence(contracts, shared);
    let changes = if cause.edits.is_empty() { "the valid request, nothing changed".to_owned() } else { cause.edits.join("; ") };
    let again = if cause.again || cause.edits.is_empty() { "" } else { ", not seen again" };
    let mut facts: Vec<_> = evidence.rule.iter().map(Fact::rule).collect();
    facts.extend(finding.at.iter().map(|at| Fact::At(at.to_string())));
    facts.extend([
        Fact::Names("sent to", shared.operations.clone()),
        Fact::Text("when", changes),
        Fact::Compared { expected: finding.expected.clone(), got: finding.got.clone() },
    ]);
    facts.extend(cause.messages.iter().cloned().map(Fact::Message));
    facts.extend(finding.curl.clone().map(Fact::Command));
    let files: Vec<_> = cause.files.iter().map(|(name, _)| name.clone()).collect();
    facts.extend((!files.is_empty()).then_some(Fact::Names("files", files)));
    Cause {
        weight: Weight::Fails,
        name: finding.clause().to_owned(),
        seen: format!("{}, first in number {}{again}", counted(shared.times, "request"), cause.request),
        message: finding.message.clone(),
        facts,
        evidence: Some(Box::new(evidence)),
    }
}

/// The request that shows the cause with the fewest changes, as a case of its operation.
fn evidence(contracts: &Contracts, shared: &SharedCause<'_>) -> Evidence {
    let cause = shared.first;
    let operation = shared.operations.first().cloned().unwrap_or_default();
    Evidence {
        rule: contracts.clauses.get(cause.finding.clause()).map(Rule::from_clause),
        case: CaseName { api: api_of(&operation).to_owned(), scenario: operation, case: String::new() },
        finding: cause.finding.clone(),
        messages: cause.messages.clone(),
        world_closed: false,
        cases: shared.times,
    }
}

fn missing(reports: &[OperationReport]) -> Vec<Missing> {
    let by = |reason: fn(&OperationReport) -> Option<&String>| {
        let mut by: IndexMap<String, Vec<String>> = IndexMap::new();
        for report in reports {
            if let Some(reason) = reason(report) {
                by.entry(reason.clone()).or_default().push(report.operation.clone());
            }
        }
        by
    };
    let nothing = reports.is_empty().then_some(Missing::NothingSelected);
    let mut fuzzed = reports.iter().filter(|report| report.counts.sent > 0).peekable();
    let refused = (fuzzed.peek().is_some() && fuzzed.all(|report| !report.accepted)).then_some(Missing::NothingAccepted);
    let skipped = by(|report| report.skipped.as_ref());
    let ended_early = by(|report| report.stopped.as_ref());
    // If the target became unreachable, an operation may have neither.
    let unreachable = by(|report| report.unreachable.as_ref().filter(|_| report.skipped.is_none() && report.stopped.is_none()));
    let skipped = skipped.into_iter().map(|(reason, operations)| Missing::OperationsSkipped { operations, reason });
    let ended_early = ended_early.into_iter().chain(unreachable);
    let ended_early = ended_early.map(|(reason, operations)| Missing::OperationsEndedEarly { operations, reason });
    nothing.into_iter().chain(refused).chain(skipped).chain(ended_early).collect()
}
