//! The trace of a sequence: what was executed, and what the responses revealed.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::command::{Batch, BoundCommand};
use super::expectation::StepExpectation;
use super::model::{Creation, TransitionRef};
use super::prediction::{Observation, field_of};
use super::state::WorldState;
use crate::wire::exchange::Exchange;

/// What a sequence leaves behind.
#[derive(Debug, Default)]
pub(crate) struct Trace<'m> {
    /// The batches that could be executed, in order.
    pub(crate) batches: Vec<ExecutedBatch<'m>>,
    /// How often each transition was taken.
    pub(crate) taken: BTreeMap<String, usize>,
    /// The number of commands, not counting those after a race.
    pub(crate) steps: usize,
    /// The actions that the target file lacks something for, by index, and what.
    pub(crate) unavailable: BTreeMap<usize, String>,
    /// For each command of the last batch what its response should have been, if a response was wrong.
    pub(crate) final_expectations: Vec<StepExpectation>,
    /// The last exchange of each operation.
    pub(crate) exchanges: BTreeMap<String, Arc<Exchange>>,
}

/// A batch with its commands as they were executed.
#[derive(Clone, Debug)]
pub(crate) struct ExecutedBatch<'m> {
    pub(crate) batch: Batch,
    pub(crate) commands: Vec<ExecutedCommand<'m>>,
}

/// A command that was executed.
#[derive(Clone, Debug)]
pub(crate) struct ExecutedCommand<'m> {
    /// The command with its values.
    pub(crate) bound: BoundCommand<'m>,
    /// Whether it was accepted.
    pub(crate) accepted: bool,
    /// The result code of its response.
    pub(crate) code: Option<String>,
    /// The rule that created an entity, if the command did.
    pub(crate) creation: Option<&'m Creation>,
    /// The variables of the entity it created.
    pub(crate) created: Option<Map<String, Value>>,
    /// Variables of the entity that its response revealed.
    pub(crate) learned: Vec<LearnedVariable>,
}

/// A variable of an entity that a response revealed.
#[derive(Clone, Debug)]
pub(crate) struct LearnedVariable {
    pub(crate) variable: String,
    /// Its place in the response.
    pub(crate) place: String,
    pub(crate) value: Value,
}

impl<'m> Trace<'m> {
    /// Whether commands have raced each other. What follows a race depends on the scheduler, and is not counted.
    pub(crate) fn has_raced(&self) -> bool {
        self.batches.iter().any(|executed| executed.batch.is_concurrent())
    }

    /// The operation of the command with this key, or the action of the world.
    pub(crate) fn operation_of(&self, key: usize) -> Option<String> {
        let mut commands = self.batches.iter().flat_map(|executed| &executed.commands);
        commands.find(|command| command.bound.key == key).map(|command| command.bound.name.to_owned())
    }

    /// Notes a batch and the responses to it.
    pub(crate) fn add(&mut self, batch: &Batch, commands: Vec<ExecutedCommand<'m>>) {
        self.steps += if self.has_raced() { 0 } else { commands.len() };
        self.batches.push(ExecutedBatch { batch: batch.clone(), commands });
    }

    /// Notes the transitions of the last batch, and what its responses revealed.
    pub(crate) fn explain_last(&mut self, transitions: &[TransitionRef<'m>], state: &WorldState, bodies: &[Option<&Value>]) {
        if let Some(last) = self.batches.last_mut() {
            for (command, body) in last.commands.iter_mut().zip(bodies) {
                command.note_creation(state);
                command.note_learned(state, *body);
            }
        }
        if !self.has_raced() {
            transitions.iter().for_each(|transition| *self.taken.entry(transition.id()).or_default() += 1);
        }
    }
}

impl<'m> ExecutedCommand<'m> {
    /// A command and the response to it.
    pub(crate) fn new(bound: &BoundCommand<'m>, observation: &Observation<'_>) -> Self {
        Self {
            bound: bound.clone(),
            accepted: observation.accepted,
            code: observation.code.clone(),
            creation: None,
            created: None,
            learned: Vec::new(),
        }
    }

    fn note_creation(&mut self, state: &WorldState) {
        let Some(entity) = state.entities.get(&self.bound.key) else { return };
        self.creation = self.bound.action.creations().find(|creation| creation.resource == entity.resource);
        self.created = Some(entity.variables.clone());
    }

    fn note_learned(&mut self, state: &WorldState, body: Option<&Value>) {
        let Some(entity) = self.bound.on.and_then(|key| state.entities.get(&key)) else { return };
        for (variable, place) in self.bound.action.outcomes().flat_map(|outcome| &outcome.keep) {
            let Some(value) = field_of(body, place).filter(|value| entity.variables.get(variable) == Some(*value)) else { continue };
            if self.learned.iter().all(|learned| learned.variable != *variable) {
                self.learned.push(LearnedVariable { variable: variable.clone(), place: place.clone(), value: value.clone() });
            }
        }
    }
}
