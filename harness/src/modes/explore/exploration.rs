//! Explores a target with one model: many sequences at a time, then one counterexample for each cause.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use futures::{FutureExt, StreamExt};
use tokio_util::task::AbortOnDropHandle;

use super::counterexample::{Counterexample, FailedSequence, shrink_all};
use super::error::ExploreError;
use super::generator::SequenceGenerator;
use super::model::{CommandVerb, Model, ModelAction};
use super::sequence::{self, SequenceOutcome, SequenceSource};
use crate::engine::runner::Context;

/// The number of sequences after which rare transitions are determined anew. It does not depend on the number of jobs, so
/// that the same seed explores the same sequences on every machine.
const ROUND: u64 = 32;

/// A transition that was taken less often than this is rare.
const RARE_BELOW: usize = 3;

/// How much is explored.
#[derive(Clone, Copy, Debug)]
pub struct ExplorationLimits {
    /// The number of sequences.
    pub sequences: u64,
    /// When exploration ends at the latest.
    pub deadline: Option<Instant>,
    /// The most commands in a sequence, before the races and the queries.
    pub max_steps: u32,
    /// How many sequences run at the same time.
    pub jobs: usize,
    /// The number of diverging sequences after which exploration ends.
    pub max_failures: usize,
}

/// What exploring with one model found.
#[derive(Clone, Debug, Default)]
pub struct Exploration {
    /// The API.
    pub api: String,
    /// How many sequences ran to their end.
    pub sequences: u64,
    /// How many commands were held against the model.
    pub steps: usize,
    /// In how many sequences commands raced; the number of races differs from run to run.
    pub races: usize,
    /// How often each transition was taken: `refund/beyond`.
    pub transitions: Vec<(String, usize)>,
    /// The actions that the target does not offer, and why.
    pub unavailable: BTreeMap<String, String>,
    /// Where the target diverged, each cause once.
    pub counterexamples: Vec<Counterexample>,
    /// Why the target could not be reached, or was given up.
    pub unreachable: Option<String>,
    /// Why exploration ended early, if it did.
    pub error: Option<ExploreError>,
}

/// Explores a target with one model; `progress` gets what there is after each sequence.
pub async fn explore(
    context: &Arc<Context>,
    model: &Arc<Model>,
    limits: ExplorationLimits,
    progress: impl Fn(&Exploration),
    stop: impl Future<Output = ()>,
) -> Exploration {
    let mut run = Run::new(context, model, limits);
    let stop = stop.boxed_local().shared();
    while !run.is_over() && stop.peek().is_none() {
        run.round(&progress, stop.clone()).await;
    }
    run.finish(stop).await
}

/// An exploration while it runs.
struct Run<'r> {
    context: &'r Arc<Context>,
    model: &'r Arc<Model>,
    limits: ExplorationLimits,
    exploration: Exploration,
    /// The indices of the actions that the target does not offer.
    unavailable: Vec<usize>,
    taken: BTreeMap<String, usize>,
    failed: Vec<FailedSequence>,
    /// The number of the next sequence.
    next: u64,
}

impl<'r> Run<'r> {
    fn new(context: &'r Arc<Context>, model: &'r Arc<Model>, limits: ExplorationLimits) -> Self {
        let exploration = Exploration { api: model.api.clone(), ..Exploration::default() };
        let (taken, failed) = (BTreeMap::new(), Vec::new());
        let mut run = Self { context, model, limits, exploration, unavailable: Vec::new(), taken, failed, next: 0 };
        for (index, reason) in unavailable(context, model) {
            run.unavailable.push(index);
            run.note_unavailable(index, reason);
        }
        run
    }

    fn is_over(&self) -> bool {
        self.has_nothing_to_send() || self.next >= self.limits.sequences || self.has_failed() || is_past(self.limits.deadline)
    }

    /// Whether the target offers none of the calls.
    fn has_nothing_to_send(&self) -> bool {
        let mut calls = self.model.actions.iter().enumerate().filter(|(_, action)| matches!(action.verb, CommandVerb::Call(_)));
        calls.all(|(index, _)| self.unavailable.contains(&index))
    }

    fn has_failed(&self) -> bool {
        self.exploration.error.is_some()
            || self.context.responsiveness.is_given_up()
            || self.failed.len() >= self.limits.max_failures.max(1)
    }

    /// Runs the next sequences; their results are taken in the order of their numbers.
    async fn round(&mut self, progress: &impl Fn(&Exploration), stop: impl Future<Output = ()>) {
        let end = self.limits.sequences.min(self.next.saturating_add(ROUND));
        let rare = rare_transitions(self.model, &self.taken);
        let deadline = self.limits.deadline;
        let numbers = futures::stream::iter(self.next..end).take_while(|_| std::future::ready(!is_past(deadline)));
        let (context, model, limits, unavailable) = (self.context, self.model, self.limits, self.unavailable.clone());
        let running = numbers.map(|number| {
            let generator = SequenceGenerator::new(model, context.seed, number, &unavailable, &rare);
            let source = SequenceSource::Generated { generator, max_steps: limits.max_steps, has_races: number % 2 == 1 };
            let task = AbortOnDropHandle::new(tokio::spawn(run_numbered(Arc::clone(context), Arc::clone(model), number, source)));
            async move { (number, task.await.unwrap_or_else(|error| Err(panicked(&error)))) }
        });
        let jobs = if context.has_worlds() { limits.jobs.max(1) } else { 1 };
        let mut running = Box::pin(running.buffered(jobs).take_until(stop));
        while let Some((number, result)) = running.next().await {
            self.note(number, result);
            progress(&self.exploration);
            if self.has_failed() {
                break;
            }
        }
        self.next = end;
    }

    fn note(&mut self, number: u64, result: Result<SequenceOutcome, ExploreError>) {
        let outcome = match result {
            Ok(outcome) => outcome,
            Err(ExploreError::Unavailable { action, reason }) => return self.note_unavailable(action, reason),
            Err(error) => {
                self.exploration.error = Some(error);
                return;
            }
        };
        self.exploration.sequences += 1;
        outcome.unavailable.iter().for_each(|(action, reason)| self.note_unavailable(*action, reason.clone()));
        self.exploration.steps += outcome.steps;
        self.exploration.races += usize::from(outcome.races > 0);
        outcome.taken.iter().for_each(|(transition, times)| *self.taken.entry(transition.clone()).or_default() += times);
        self.failed.extend(FailedSequence::from_outcome(number, outcome));
    }

    fn note_unavailable(&mut self, action: usize, reason: String) {
        let name = self.model.actions.get(action).map(|action| action.id.clone()).unwrap_or_default();
        self.exploration.unavailable.insert(name, reason);
    }

    /// Shrinks what failed, until `stop` resolves.
    async fn finish(self, stop: impl Future<Output = ()> + Clone) -> Exploration {
        let ids = self.model.transitions().map(|transition| transition.id());
        let transitions = ids.map(|id| (id.clone(), self.taken.get(&id).copied().unwrap_or_default())).collect();
        let counterexamples = shrink_all(self.context, self.model, self.failed, stop).await;
        Exploration { transitions, counterexamples, unreachable: self.context.responsiveness.unreachable(), ..self.exploration }
    }
}

async fn run_numbered(
    context: Arc<Context>,
    model: Arc<Model>,
    number: u64,
    source: SequenceSource<'static>,
) -> Result<SequenceOutcome, ExploreError> {
    sequence::run(&context, &model, &format!("{}-{number}", model.api), source).await
}

fn is_past(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

fn panicked(error: &tokio::task::JoinError) -> ExploreError {
    ExploreError::Internal(error.to_string())
}

/// The transitions that were rarely taken: the index of the action, and the transition's index in it.
fn rare_transitions(model: &Model, taken: &BTreeMap<String, usize>) -> Vec<(usize, usize)> {
    let mut rare = Vec::new();
    for (index, action) in model.actions.iter().enumerate() {
        let is_rare = |id: &str| taken.get(&format!("{}/{id}", action.id)).is_none_or(|times| *times < RARE_BELOW);
        let transitions = action.transitions.iter().enumerate().filter(|(_, transition)| is_rare(&transition.id));
        rare.extend(transitions.map(|(place, _)| (index, place)));
    }
    rare
}

/// The actions that this target does not offer, by their index, and why.
fn unavailable(context: &Context, model: &Model) -> Vec<(usize, String)> {
    let other_shop = (!context.has_worlds()).then(|| context.target.settings.contradicts(&context.contracts, &model.setting)).flatten();
    let reason = |action: &ModelAction| {
        let missing = match &action.verb {
            CommandVerb::World(name) => context.cannot_act(name),
            CommandVerb::Call(names) => names.iter().find_map(|name| context.cannot_call(name)),
        };
        let missing = missing.or_else(|| other_shop.clone()).map(|reason| reason.to_string());
        let setting = action.needs_setting && !context.has_worlds();
        let missing = missing.or_else(|| setting.then(|| "it needs a world with settings of its own".to_owned()));
        // The model moves the clock by hours and days: too long to wait.
        let real_time = action.advances_clock_by.is_some() && !context.moves_time();
        missing.or_else(|| real_time.then(|| "nothing moves the clock of the target".to_owned()))
    };
    let actions = model.actions.iter().enumerate();
    actions.filter_map(|(index, action)| Some((index, reason(action)?))).collect()
}
