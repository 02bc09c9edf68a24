//! Executes a sequence and compares every response with the model.

use std::sync::Arc;

use super::boundary::{beginning, endings};
use super::command::{Batch, BoundCommand};
use super::divergence::{Detection, Divergence};
use super::error::ExploreError;
use super::explanation::{Explainer, ObservedCommand};
use super::model::Model;
use super::notifications;
use super::prediction::Observation;
use super::state::PossibleStates;
use super::trace::{ExecutedCommand, Trace};
use crate::engine::runner::{ActionResult, Case, Context, Halt, InteractiveSession, OpenWorld, SessionAction};
use crate::spec::contract::Contracts;
use crate::wire::exchange::Exchange;

/// A sequence while it runs.
pub(crate) struct Executor<'g> {
    context: &'g Context,
    model: &'g Model,
    explainer: Explainer<'g>,
    session: InteractiveSession<'g>,
    possible: PossibleStates,
    trace: Trace<'g>,
    /// Too many states became possible; the rest of the sequence is not judged.
    is_undecidable: bool,
}

impl<'g> Executor<'g> {
    pub(crate) fn new(context: &'g Context, model: &'g Model, case: &'g Case, world: &'g OpenWorld) -> Result<Self, ExploreError> {
        let settings = &context.target.settings;
        let is_own = context.has_worlds();
        let known = if is_own { settings.laid_over(&model.setting) } else { settings.stated_among(&model.setting) };
        Ok(Self {
            context,
            model,
            explainer: Explainer { contracts: &context.contracts, model, assert_assumed: context.target.assert_assumed },
            session: InteractiveSession::new(context, case, world),
            possible: beginning(model, known, is_own)?,
            trace: Trace::default(),
            is_undecidable: false,
        })
    }

    /// Whether others use the target, too.
    pub(crate) fn is_shared(&self) -> bool {
        !self.context.has_worlds()
    }

    /// The states that are possible now.
    pub(crate) fn possible(&self) -> &PossibleStates {
        &self.possible
    }

    /// Executes one batch. A batch that has become impossible is skipped, and so is everything once too many states are
    /// possible.
    pub(crate) async fn execute(&mut self, batch: &Batch) -> Result<Option<Divergence>, ExploreError> {
        let Some(commands) = self.bind(batch)? else { return Ok(None) };
        let results = match self.perform(&commands).await {
            // It had no effect: the sequence goes on without it. Of two at once the other may have had one.
            Err(ExploreError::Unavailable { action, reason }) => {
                self.trace.unavailable.insert(action, reason);
                self.is_undecidable |= commands.len() > 1;
                return Ok(None);
            }
            results => results?,
        };
        self.judge(batch, &commands, &results)
    }

    /// Ends what the sequence has left open, as far as that is known and can be done. Nothing of it is judged.
    pub(crate) async fn end_everything(&mut self) {
        for batch in endings(self.model, &self.possible) {
            if let Ok(Some(commands)) = self.bind(&batch) {
                drop(self.perform(&commands).await);
            }
        }
    }

    /// The commands with their values; none if the batch is skipped.
    fn bind(&self, batch: &Batch) -> Result<Option<Vec<BoundCommand<'g>>>, ExploreError> {
        if self.is_undecidable {
            return Ok(None);
        }
        let Some(first) = self.possible.first() else { return Ok(None) };
        let mut commands = Vec::new();
        for command in batch.commands() {
            let Some(bound) = command.bind(self.model, first)? else { return Ok(None) };
            if !self.model.precondition_holds(&bound, &self.possible)? {
                return Ok(None);
            }
            commands.push(bound);
        }
        Ok(Some(commands))
    }

    async fn perform(&mut self, commands: &[BoundCommand<'g>]) -> Result<Vec<ActionResult>, ExploreError> {
        let actions: Vec<SessionAction> = commands.iter().map(|command| action_of(&self.context.contracts, command)).collect();
        let action = commands.first().map_or(0, |command| command.index);
        let results = match actions.as_slice() {
            [one] => self.session.play(one).await.map(|result| vec![result]),
            several => self.session.together(several).await,
        };
        results.map_err(|halt| from_halt(halt, action))
    }

    fn judge(
        &mut self,
        batch: &Batch,
        commands: &[BoundCommand<'g>],
        results: &[ActionResult],
    ) -> Result<Option<Divergence>, ExploreError> {
        let index = self.trace.batches.len();
        let observed = observe(&self.context.contracts, commands, results);
        let executed = observed.iter().map(|observed| ExecutedCommand::new(observed.command, &observed.observation));
        self.trace.add(batch, executed.collect());
        self.trace.exchanges.extend(exchanges(results));
        let explanation = self.explainer.explain(&self.possible, &observed)?;
        let finding = self.first_finding(Detection::Finding(index));
        let Some(possible) = explanation.possible else {
            self.is_undecidable = true;
            return Ok(finding);
        };
        let Some(state) = possible.first() else {
            self.trace.final_expectations = self.explainer.expectations(&self.possible, &observed)?;
            return Ok(Some(self.explainer.contradiction(&self.possible, &observed, world_error(results).as_deref(), index)?));
        };
        let bodies: Vec<_> = observed.iter().map(|observed| observed.observation.body).collect();
        self.trace.explain_last(&explanation.transitions, state, &bodies);
        self.possible = possible;
        Ok(finding)
    }

    fn first_finding(&mut self, detected_by: Detection) -> Option<Divergence> {
        let finding = self.session.findings().into_iter().next();
        finding.map(|finding| Divergence::from_finding(finding, detected_by))
    }

    /// Ends a sequence without divergence: checks the notifications, and holds the whole sequence against the state tables.
    pub(crate) async fn finish(mut self) -> Result<(Option<Divergence>, Trace<'g>), ExploreError> {
        let mut divergence = None;
        if self.context.inbox.is_some() && !self.is_undecidable {
            let arrived = self.session.settle().await.map_err(|halt| from_halt(halt, 0))?;
            let created_by = |key| self.trace.operation_of(key);
            divergence = notifications::divergence(&self.context.contracts, self.model, &self.possible, &arrived, created_by);
        }
        let divergence = divergence.or_else(|| self.first_finding(Detection::Finding(self.trace.batches.len())));
        // State tables judge events in their order, which a race does not have; there the model alone judges.
        let has_raced = self.trace.has_raced();
        let by_table = self.session.end().findings.into_iter().next().filter(|_| !has_raced);
        let by_table = by_table.map(|finding| Divergence::from_finding(finding, Detection::StateTable));
        Ok((divergence.or(by_table), self.trace))
    }

    /// Ends a sequence at a divergence.
    pub(crate) fn into_trace(self) -> Trace<'g> {
        self.trace
    }
}

fn from_halt(halt: Halt, action: usize) -> ExploreError {
    match halt {
        Halt::Skipped(reason) => ExploreError::Unavailable { action, reason },
        Halt::NotJudged(reason) => ExploreError::Target(reason),
    }
}

fn action_of(contracts: &Arc<Contracts>, command: &BoundCommand<'_>) -> SessionAction {
    if contracts.operations.contains_key(command.name) {
        return SessionAction::Call(command.name.to_owned(), Box::new(command.call()));
    }
    SessionAction::World(command.name.to_owned(), command.inputs.clone())
}

/// The exchanges by their operations.
fn exchanges(results: &[ActionResult]) -> impl Iterator<Item = (String, Arc<Exchange>)> {
    results.iter().filter_map(|result| match result {
        ActionResult::Call(exchange) => Some((exchange.operation.clone(), Arc::clone(exchange))),
        ActionResult::World(_) => None,
    })
}

/// The error of the action of the world that failed, if one did.
fn world_error(results: &[ActionResult]) -> Option<String> {
    results.iter().find_map(|result| match result {
        ActionResult::World(Err(error)) => Some(error.to_string()),
        ActionResult::World(Ok(_)) | ActionResult::Call(_) => None,
    })
}

fn observe<'r, 'g>(contracts: &Contracts, commands: &'r [BoundCommand<'g>], results: &'r [ActionResult]) -> Vec<ObservedCommand<'r, 'g>> {
    let observed = commands.iter().zip(results);
    observed.map(|(command, result)| ObservedCommand { command, observation: observation(contracts, command, result) }).collect()
}

fn observation<'r>(contracts: &Contracts, command: &BoundCommand<'_>, result: &'r ActionResult) -> Observation<'r> {
    match result {
        ActionResult::World(response) => Observation { accepted: response.is_ok(), code: None, body: response.as_ref().ok() },
        ActionResult::Call(exchange) => {
            let operation = contracts.operations.get(command.name);
            Observation {
                accepted: operation.is_some_and(|operation| operation.accepted(exchange)),
                code: operation.and_then(|operation| operation.code(exchange)),
                body: exchange.response_value(),
            }
        }
    }
}
