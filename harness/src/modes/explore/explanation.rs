//! Explains the responses to a batch by the model, or says which response contradicts it.

use super::command::BoundCommand;
use super::divergence::{Detection, Divergence};
use super::error::ModelError;
use super::expectation::StepExpectation;
use super::model::{Model, TransitionRef};
use super::permutations::permutations;
use super::prediction::{Discrepancy, Observation};
use super::state::{PossibleStates, WorldState};
use crate::spec::contract::Contracts;

/// A command and the response to it.
pub(crate) struct ObservedCommand<'r, 'm> {
    pub(crate) command: &'r BoundCommand<'m>,
    pub(crate) observation: Observation<'r>,
}

/// What explains the responses to a batch.
pub(crate) struct Explanation<'m> {
    /// Every state that can follow; none if there are too many to go on.
    pub(crate) possible: Option<PossibleStates>,
    /// The transitions that were taken.
    pub(crate) transitions: Vec<TransitionRef<'m>>,
}

/// Holds responses against the model.
pub(crate) struct Explainer<'m> {
    pub(crate) contracts: &'m Contracts,
    pub(crate) model: &'m Model,
    pub(crate) assert_assumed: bool,
}

impl<'m> Explainer<'m> {
    /// The states that explain the responses, whatever the order in which the commands took effect.
    pub(crate) fn explain(&self, possible: &PossibleStates, batch: &[ObservedCommand<'_, 'm>]) -> Result<Explanation<'m>, ModelError> {
        let (mut states, mut transitions) = (Vec::new(), Vec::new());
        for order in permutations(batch.len()) {
            let mut reached: Vec<WorldState> = possible.states().to_vec();
            for observed in order.iter().filter_map(|index| batch.get(*index)) {
                let (next, taken) = self.follow(&reached, observed)?;
                reached = next;
                add_new(&mut transitions, taken);
            }
            states.extend(reached);
        }
        Ok(Explanation { possible: PossibleStates::from_states(states), transitions })
    }

    /// The states after one command, and the transitions that lead there.
    fn follow(
        &self,
        states: &[WorldState],
        observed: &ObservedCommand<'_, 'm>,
    ) -> Result<(Vec<WorldState>, Vec<TransitionRef<'m>>), ModelError> {
        let (mut next, mut transitions) = (Vec::new(), Vec::new());
        for state in states {
            let prediction = self.model.predict(observed.command, state, &observed.observation, self.assert_assumed)?;
            next.extend(prediction.states);
            transitions.extend(prediction.transitions);
        }
        Ok((next, transitions))
    }

    /// What each response should have been, in the order of the batch. A response that nothing explains changes nothing.
    pub(crate) fn expectations(
        &self,
        possible: &PossibleStates,
        batch: &[ObservedCommand<'_, 'm>],
    ) -> Result<Vec<StepExpectation>, ModelError> {
        let mut reached: Vec<WorldState> = possible.states().to_vec();
        let mut expectations = Vec::new();
        for observed in batch {
            let operation = self.contracts.operations.get(observed.command.name);
            expectations.push(StepExpectation::from_model(self.model, observed.command, &reached, operation, self.assert_assumed)?);
            let (next, _) = self.follow(&reached, observed)?;
            reached = if next.is_empty() { reached } else { next };
        }
        Ok(expectations)
    }

    /// The first response, in the order of the batch, that contradicts the model.
    pub(crate) fn contradiction(
        &self,
        possible: &PossibleStates,
        batch: &[ObservedCommand<'_, 'm>],
        world_error: Option<&str>,
        index: usize,
    ) -> Result<Divergence, ModelError> {
        let mut reached: Vec<WorldState> = possible.states().to_vec();
        for observed in batch {
            let (next, _) = self.follow(&reached, observed)?;
            if next.is_empty()
                && let Some(state) = reached.first()
            {
                let kind = match world_error {
                    Some(error) => Contradiction::WorldRefuses(error),
                    None if batch.len() > 1 => Contradiction::Race,
                    None => Contradiction::Response,
                };
                return self.divergence(observed, state, &kind, index);
            }
            reached = next;
        }
        Err(ModelError::Inconsistent)
    }

    fn divergence(
        &self,
        ObservedCommand { command, observation }: &ObservedCommand<'_, 'm>,
        state: &WorldState,
        kind: &Contradiction<'_>,
        index: usize,
    ) -> Result<Divergence, ModelError> {
        let variables = command.variables(state);
        let transition = self.model.transition(command, &variables)?;
        let last_clause = command.on.and_then(|key| state.entities.get(&key)).map(|entity| entity.last_clause.clone());
        let Discrepancy { expected, got, clause } = transition.discrepancy(observation, &variables, self.assert_assumed)?;
        let clauses = clause.into_iter().chain(transition.clause.clone().or(last_clause)).collect();
        let message = kind.message(command.name, &TransitionRef { owner: &command.action.id, transition }.id());
        let operation = command.name.to_owned();
        Ok(Divergence { clauses, operation, message, expected, got, detected_by: Detection::Response(index) })
    }
}

/// How a response contradicts the model.
enum Contradiction<'e> {
    /// The action of the world failed with this error.
    WorldRefuses(&'e str),
    /// No order of concurrent commands explains it.
    Race,
    /// No outcome of the transition allows it.
    Response,
}

impl Contradiction<'_> {
    fn message(&self, operation: &str, transition: &str) -> String {
        match self {
            Self::WorldRefuses(error) => format!("{operation} could not be performed (transition `{transition}`): {error}"),
            Self::Race => format!("no order of the concurrent commands explains this response of {operation}"),
            Self::Response => format!("{operation} responds otherwise than documented (transition `{transition}`)"),
        }
    }
}

/// Adds the transitions that are not listed yet.
fn add_new<'m>(known: &mut Vec<TransitionRef<'m>>, taken: Vec<TransitionRef<'m>>) {
    for transition in taken {
        if !known.iter().any(|known| known.owner == transition.owner && known.transition.id == transition.transition.id) {
            known.push(transition);
        }
    }
}
