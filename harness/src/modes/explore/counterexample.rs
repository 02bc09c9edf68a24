//! Counterexamples: each cause once, shown by the shortest sequence that shrinking finds.

use std::sync::Arc;

use super::command::Batch;
use super::divergence::Divergence;
use super::model::Model;
use super::sequence::{self, SequenceFailure, SequenceOutcome, SequenceSource};
use super::shrink::Shrinker;
use crate::engine::outcome::WireMessage;
use crate::engine::runner::Context;

/// A race depends on the scheduler: a candidate with a race runs this often before it counts as not showing the defect.
const RACE_ATTEMPTS: usize = 6;

/// One cause, and the shortest sequence that shows it.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// What is wrong.
    pub divergence: Divergence,
    /// The number of the first sequence that showed it.
    pub sequence: u64,
    /// The number of commands in that sequence.
    pub length: usize,
    /// How many sequences showed it.
    pub times: usize,
    /// The shortest sequence in words, one line a batch.
    pub description: Vec<String>,
    /// The number of commands in the shortest sequence.
    pub shortest: usize,
    /// The request and the response that show it, if a response does.
    pub messages: Vec<Arc<WireMessage>>,
    /// The shortest sequence as a scenario.
    pub script: String,
}

/// A sequence that diverged.
pub(super) struct FailedSequence {
    /// Its number.
    pub(super) number: u64,
    pub(super) batches: Vec<Batch>,
    /// The number of commands.
    pub(super) length: usize,
    pub(super) failure: SequenceFailure,
}

impl FailedSequence {
    /// The sequence with this number, if it diverged.
    pub(super) fn from_outcome(number: u64, outcome: SequenceOutcome) -> Option<Self> {
        let SequenceOutcome { batches, length, failure, .. } = outcome;
        Some(Self { number, batches, length, failure: failure? })
    }
}

/// Shrinks failed sequences to one counterexample for each cause. What is left when `stop` resolves stays as it is.
pub(super) async fn shrink_all(
    context: &Context,
    model: &Model,
    failed: Vec<FailedSequence>,
    stop: impl Future<Output = ()> + Clone,
) -> Vec<Counterexample> {
    let mut counterexamples: Vec<Counterexample> = Vec::new();
    for sequence in failed {
        if let Some(known) = find(&mut counterexamples, &sequence.failure.divergence) {
            known.times += 1;
            continue;
        }
        let (number, length) = (sequence.number, sequence.length);
        let FailedSequence { length: shortest, failure, .. } = shrink(context, model, sequence, stop.clone()).await;
        let SequenceFailure { divergence, description, messages, script } = failure;
        // Shrinking may show that the cause is one that is known already.
        if let Some(known) = find(&mut counterexamples, &divergence) {
            known.times += 1;
            if shortest < known.shortest {
                *known = Counterexample { divergence, description, shortest, messages, script, ..known.clone() };
            }
            continue;
        }
        counterexamples.push(Counterexample { divergence, sequence: number, length, times: 1, description, shortest, messages, script });
    }
    counterexamples
}

fn find<'c>(counterexamples: &'c mut [Counterexample], divergence: &Divergence) -> Option<&'c mut Counterexample> {
    counterexamples.iter_mut().find(|known| known.divergence.cause() == divergence.cause())
}

/// The shortest sequence that shows the same defect, of those that were tried until `stop` resolved.
async fn shrink(context: &Context, model: &Model, failed: FailedSequence, stop: impl Future<Output = ()> + Clone) -> FailedSequence {
    let mut shrinker = Shrinker::new(failed.batches.clone());
    let (mut best, mut attempt) = (failed, 0);
    while let Some(candidate) = shrinker.candidate(model) {
        if context.responsiveness.is_given_up() {
            break;
        }
        let has_race = candidate.iter().any(Batch::is_concurrent);
        for _ in 0..if has_race { RACE_ATTEMPTS } else { 1 } {
            attempt += 1;
            let name = format!("{}-{}-{attempt}", model.api, best.number);
            let outcome = tokio::select! {
                biased;
                () = stop.clone() => return best,
                outcome = sequence::run(context, model, &name, SequenceSource::Known(&candidate)) => outcome,
            };
            let Ok(outcome) = outcome else { break };
            let shown = FailedSequence::from_outcome(best.number, outcome);
            if let Some(shown) = shown.filter(|shown| best.failure.divergence.is_same_defect(&shown.failure.divergence)) {
                shrinker.accept(shown.batches.clone());
                best = shown;
                break;
            }
        }
    }
    best
}
