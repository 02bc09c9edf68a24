//! Model prediction: which transition a command takes, whether it explains the response, and which states can follow.

mod clock;
mod discrepancy;
mod effects;
mod guard;
mod observation;

use serde_json::Value;

use super::command::{BoundCommand, Command};
use super::error::ModelError;
use super::model::{Model, ModelTransition, TransitionRef};
use super::state::{PossibleStates, WorldState};
use crate::spec::scenario::Variables;
pub(crate) use discrepancy::Discrepancy;
use effects::Effects;
pub(crate) use guard::describe;
use guard::{first_enabled, holds};
pub(crate) use observation::{Observation, field_of};

/// The states that can follow a command, and the transitions that lead there.
#[derive(Debug, Default)]
pub(crate) struct Prediction<'m> {
    /// The transitions that explain the response.
    pub(crate) transitions: Vec<TransitionRef<'m>>,
    /// Every state that can follow; none if nothing explains the response.
    pub(crate) states: Vec<WorldState>,
}

impl Model {
    /// Whether the precondition of a command holds in every possible state.
    pub(crate) fn precondition_holds(&self, command: &BoundCommand<'_>, possible: &PossibleStates) -> Result<bool, ModelError> {
        for state in possible.states() {
            if !holds(&command.action.precondition, &command.variables(state))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a command can be bound to the possible states, and its precondition holds.
    pub(crate) fn is_applicable(&self, command: &Command, possible: &PossibleStates) -> Result<bool, ModelError> {
        let Some(first) = possible.first() else { return Ok(false) };
        match command.bind(self, first)? {
            None => Ok(false),
            Some(bound) => self.precondition_holds(&bound, possible),
        }
    }

    /// The transition that a command takes.
    pub(crate) fn transition<'m>(&'m self, command: &BoundCommand<'m>, variables: &Variables) -> Result<&'m ModelTransition, ModelError> {
        let action = command.action;
        first_enabled(&action.transitions, variables)?.ok_or_else(|| ModelError::NoTransition {
            action: action.id.clone(),
            operation: command.name.to_owned(),
            variables: Value::Object(variables.clone()).to_string(),
        })
    }

    /// What can follow a command that got this response.
    pub(crate) fn predict<'m>(
        &'m self,
        command: &BoundCommand<'m>,
        state: &WorldState,
        observation: &Observation<'_>,
        assert_assumed: bool,
    ) -> Result<Prediction<'m>, ModelError> {
        let variables = command.variables(state);
        let transition = self.transition(command, &variables)?;
        let mut prediction = Prediction::default();
        for outcome in transition.allowed(&variables, assert_assumed)? {
            if !outcome.admits(observation, &variables)? {
                continue;
            }
            let effects = Effects::new(command, transition, outcome, &variables, observation.body);
            let Some(next) = effects.apply(state)? else { continue };
            for (next, timed) in self.advance_clock(command, next, assert_assumed)? {
                prediction.states.push(next);
                prediction.transitions.extend(timed);
            }
        }
        if !prediction.states.is_empty() {
            prediction.transitions.push(TransitionRef { owner: &command.action.id, transition });
        }
        Ok(prediction)
    }
}
