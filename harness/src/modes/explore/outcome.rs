//! The outcome of an exploration.

use std::path::PathBuf;

use super::counterexample::Counterexample;
use super::divergence::Divergence;
use super::error::ExploreError;
use super::exploration::Exploration;
use crate::base::text::counted;
use crate::base::verdict::Finding;
use crate::engine::event::CaseName;
use crate::engine::outcome::{Cause, Ended, Evidence, Fact, Figure, Heading, Missing, Outcome, Rule, Tone, Verb, Weight};
use crate::spec::contract::{Contracts, api_of};

/// A cause, and the file in which its script was written.
#[derive(Clone, Debug)]
pub struct WrittenCounterexample {
    /// The cause.
    pub found: Counterexample,
    /// The scenario that shows it.
    pub file: PathBuf,
}

/// The first line.
pub fn heading(target: &str, models: usize, seed: u64) -> Heading {
    Heading::new(Verb::Explore, target).counting(models, "model").seeded(seed)
}

/// The outcome of an exploration; `target` is the target file that was named.
pub fn outcome(
    contracts: &Contracts,
    heading: Heading,
    explored: &[Exploration],
    written: &[WrittenCounterexample],
    target: Option<&str>,
    interrupted: bool,
) -> Outcome {
    let causes: Vec<_> = written.iter().map(|written| cause(contracts, written, target)).collect();
    let sequences: u64 = explored.iter().map(|explored| explored.sequences).sum();
    Outcome {
        figures: explored.iter().flat_map(figures).collect(),
        failures: (!causes.is_empty()).then(|| format!("{} found", counted(causes.len(), "cause"))).into_iter().collect(),
        missing: missing(explored),
        pass: format!("nothing found in {}", counted(usize::try_from(sequences).unwrap_or(usize::MAX), "sequence")),
        ended: ended(explored, interrupted || !causes.is_empty(), interrupted),
        causes,
        ..Outcome::new(heading)
    }
}

/// Distinguishes a target that became unreachable from one without findings.
fn ended(explored: &[Exploration], settled: bool, interrupted: bool) -> Ended {
    let broken = explored.iter().find_map(|explored| match &explored.error {
        Some(ExploreError::Target(reason)) => Some(reason.clone()),
        Some(ExploreError::Unavailable { .. } | ExploreError::Internal(_) | ExploreError::Model(_)) | None => None,
    });
    let unreachable = explored.iter().find_map(|explored| explored.unreachable.clone());
    match (interrupted, unreachable.or(broken.filter(|_| !settled))) {
        (true, _) => Ended::Interrupted,
        (false, Some(reason)) => Ended::Unreachable(Some(reason)),
        (false, None) => Ended::Completed,
    }
}

fn missing(explored: &[Exploration]) -> Vec<Missing> {
    if explored.iter().all(|explored| explored.steps == 0) {
        return vec![Missing::NothingSent];
    }
    Vec::new()
}

fn figures(explored: &Exploration) -> Vec<Figure> {
    if let Some(reason) = left_out(explored) {
        return vec![Figure::new("model", Tone::Warn, format!("{}: left out, {reason}", explored.api))];
    }
    let never: Vec<_> = explored.transitions.iter().filter(|(_, times)| *times == 0).map(|(row, _)| row.clone()).collect();
    let sequences = usize::try_from(explored.sequences).unwrap_or(usize::MAX);
    let text = format!(
        "{}: {}, {}, {}, {} of {} taken",
        explored.api,
        counted(sequences, "sequence"),
        counted(explored.steps, "step"),
        counted(explored.races, "race"),
        explored.transitions.len() - never.len(),
        counted(explored.transitions.len(), "transition"),
    );
    let mut figures = vec![Figure::new("model", Tone::Plain, text)];
    figures.extend((!never.is_empty()).then(|| Figure::new("", Tone::Plain, "not taken: ").naming(never)));
    figures.extend(explored.unavailable.iter().map(|(action, reason)| Figure::new("", Tone::Warn, format!("{action}: {reason}"))));
    figures
}

/// Why nothing was explored, if so: the reason that most actions share.
fn left_out(explored: &Exploration) -> Option<&str> {
    let reasons = || explored.unavailable.values();
    let count = |reason: &String| reasons().filter(|other| *other == reason).count();
    // Of several, the first.
    let most = reasons().rev().max_by_key(|reason| count(reason))?;
    (explored.steps == 0 && explored.error.is_none()).then_some(most)
}

fn cause(contracts: &Contracts, written: &WrittenCounterexample, target: Option<&str>) -> Cause {
    let WrittenCounterexample { found, file } = written;
    let divergence = &found.divergence;
    let target = target.map(|target| format!(" --target {target}")).unwrap_or_default();
    let again = format!("paycheck verify {}{target}", file.display());
    let evidence = evidence(contracts, found, again.clone());
    let mut facts: Vec<Fact> = evidence.rule.iter().map(Fact::rule).collect();
    facts.push(Fact::At(divergence.operation.clone()));
    facts.push(Fact::Compared { expected: Some(divergence.expected.clone()), got: Some(divergence.got.clone()) });
    facts.extend(found.messages.iter().cloned().map(Fact::Message));
    let shortest = format!("{}; first in number {} with {}", commands(found.shortest), found.sequence, commands(found.length));
    facts.extend([Fact::Text("shortest", shortest), Fact::Steps(found.description.clone()), Fact::Command(again)]);
    Cause {
        weight: Weight::Fails,
        name: divergence.clause().to_owned(),
        seen: counted(found.times, "sequence"),
        message: divergence.message.clone(),
        facts,
        evidence: Some(Box::new(evidence)),
    }
}

/// The shortest sequence as a case of its API; the command plays it again.
fn evidence(contracts: &Contracts, found: &Counterexample, again: String) -> Evidence {
    let Divergence { clauses, operation, message, expected, got, .. } = &found.divergence;
    let finding = Finding { clauses: clauses.clone(), curl: Some(again), ..Finding::new("", operation.as_str(), message.clone()) };
    let api = api_of(operation).to_owned();
    Evidence {
        rule: contracts.clauses.get(found.divergence.clause()).map(Rule::from_clause),
        case: CaseName { api, scenario: "explored".to_owned(), case: format!("sequence {}", found.sequence) },
        finding: finding.compare(expected.clone(), got.clone()),
        messages: found.messages.clone(),
        world_closed: false,
        cases: found.times,
    }
}

fn commands(count: usize) -> String {
    counted(count, "command")
}
