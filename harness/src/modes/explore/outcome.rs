//! The outcome of an exploration.

use std::path::PathBuf;

use super::counterexample::Counterexample;
use super::error::ExploreError;
use super::exploration::Exploration;
use crate::base::text::counted;
use crate::engine::outcome::{Cause, Ended, Fact, Figure, Heading, Missing, Outcome, Tone, Verb, Weight};

/// A cause, and the file in which its script was written.
#[derive(Clone, Debug)]
pub struct WrittenScenarios {
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
    heading: Heading,
    explored: &[Exploration],
    written: &[WrittenScenarios],
    target: Option<&str>,
    interrupted: bool,
) -> Outcome {
    let causes: Vec<_> = written.iter().map(|written| cause(written, target)).collect();
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
        Some(ExploreError::Unavailable { .. } | ExploreError::Model(_)) | None => None,
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

fn cause(written: &WrittenScenarios, target: Option<&str>) -> Cause {
    let WrittenScenarios { found, file } = written;
    let divergence = &found.divergence;
    let mut facts = vec![
        Fact::Compared { expected: Some(divergence.expected.clone()), got: Some(divergence.got.clone()) },
        Fact::Text("shortest", format!("{}; first in number {} with {}", commands(found.shortest), found.sequence, commands(found.length))),
    ];
    facts.push(Fact::Steps(found.description.clone()));
    let target = target.map(|target| format!(" --target {target}")).unwrap_or_default();
    facts.push(Fact::Command(format!("paycheck verify {}{target}", file.display())));
    Cause {
        weight: Weight::Fails,
        name: divergence.clause().to_owned(),
        seen: counted(found.times, "sequence"),
        message: divergence.message.clone(),
        facts,
        evidence: None,
    }
}

fn commands(count: usize) -> String {
    counted(count, "command")
}
