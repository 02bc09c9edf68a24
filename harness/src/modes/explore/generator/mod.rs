//! Generates commands at random, the same ones for the same seed.
//!
//! Which command can follow depends on the responses so far, so a sequence is generated while it runs. proptest generates
//! a sequence before the first response; it would have to guess the responses, and would then shrink its guesses.

mod random;
mod swarm;

use super::command::{Batch, Command};
use super::error::ModelError;
use super::model::{CommandVerb, Model, ModelAction, ModelTransition};
use super::state::PossibleStates;
use random::RandomChoices;
use swarm::SwarmConfig;

/// How many inapplicable commands are generated before the generator gives up.
const MAX_ATTEMPTS: usize = 24;

/// One in this many commands is performed on an entity that does not exist, where the action allows it.
const UNKNOWN_ONE_IN: u32 = 16;

/// One in this many commands targets a rare transition, while there is one.
const TARGETED_ONE_IN: u32 = 3;

/// How many commands are generated for a targeted transition before it is given up.
const MAX_TARGETED_ATTEMPTS: usize = 16;

/// The number of commands that race each other.
const RACERS: usize = 2;

/// Generates the commands of one sequence.
#[derive(Debug)]
pub(crate) struct SequenceGenerator {
    random: RandomChoices,
    last_key: usize,
    /// The actions that this target does not offer.
    unavailable: Vec<usize>,
    /// Transitions that were rarely taken so far: the action and the transition's index in it.
    rare: Vec<(usize, usize)>,
    swarm: SwarmConfig,
}

/// How the parts of a command are chosen.
enum Selection {
    /// As the swarm configuration of the sequence says.
    Swarm,
    /// Uniformly.
    Uniform,
    /// With the merchant's own identity, on this entity.
    OwnOn(usize),
}

impl SequenceGenerator {
    /// A generator whose choices depend on the seed, the sequence's number and the rare transitions only.
    pub(crate) fn new(model: &Model, seed: u64, sequence: u64, unavailable: &[usize], rare: &[(usize, usize)]) -> Self {
        let rare = rare.iter().filter(|(action, _)| !unavailable.contains(action)).copied().collect();
        let mut random = RandomChoices::new(seed, sequence);
        let swarm = SwarmConfig::draw(model, &mut random);
        Self { random, last_key: 0, unavailable: unavailable.to_vec(), rare, swarm }
    }

    /// The number of batches in a sequence of at most `max_steps` commands. Lengths vary, so that a defect that needs few
    /// commands is found by a short sequence.
    pub(crate) fn length(&mut self, max_steps: u32) -> u32 {
        2 + self.random.below(max_steps.saturating_sub(1).max(1))
    }

    /// The next command; none if no action is possible.
    pub(crate) fn next(&mut self, model: &Model, possible: &PossibleStates) -> Result<Option<Batch>, ModelError> {
        if !self.rare.is_empty()
            && self.random.below(TARGETED_ONE_IN) == 0
            && let Some(command) = self.targeted(model, possible)?
        {
            return Ok(Some(Batch::Single(command)));
        }
        let weights: Vec<(usize, u32)> =
            model.actions.iter().enumerate().map(|(index, action)| (index, self.weight(model, possible, index, action))).collect();
        for _ in 0..MAX_ATTEMPTS {
            let action = self.random.weighted(weights.iter().copied());
            let Some(command) = action.and_then(|action| self.command(model, possible, action, &Selection::Swarm)) else {
                return Ok(None);
            };
            if model.is_applicable(&command, possible)? {
                return Ok(Some(Batch::Single(command)));
            }
        }
        Ok(None)
    }

    /// A command that takes a rare transition; none if none is found.
    fn targeted(&mut self, model: &Model, possible: &PossibleStates) -> Result<Option<Command>, ModelError> {
        let place = self.random.index(self.rare.len());
        let target = self.rare.get(place).copied();
        let Some((action, transition)) = target.filter(|(action, _)| is_possible_anywhere(model, possible, *action)) else {
            return Ok(None);
        };
        let Some(target) = model.actions.get(action).and_then(|action| action.transitions.get(transition)) else { return Ok(None) };
        for _ in 0..MAX_TARGETED_ATTEMPTS {
            let Some(command) = self.command(model, possible, action, &Selection::Uniform) else { return Ok(None) };
            if model.is_applicable(&command, possible)?
                && transition_of(model, possible, &command)?.is_some_and(|taken| taken.id == target.id)
            {
                return Ok(Some(command));
            }
        }
        Ok(None)
    }

    /// Commands that race each other on one entity; none if no two can.
    pub(crate) fn race(&mut self, model: &Model, possible: &PossibleStates) -> Result<Option<Batch>, ModelError> {
        let entities: Vec<(usize, String)> = possible.entities().map(|(key, entity)| (key, entity.resource.clone())).collect();
        let Some((key, resource)) = entities.get(self.random.index(entities.len())).cloned() else { return Ok(None) };
        let actions = self.actions_on(model, &resource, |action| action.race);
        let actions: Vec<(usize, u32)> = actions.map(|(index, action)| (index, action.weight)).collect();
        let mut commands: Vec<Command> = Vec::new();
        for _ in 0..MAX_ATTEMPTS {
            let action = self.random.weighted(actions.iter().copied());
            let Some(mut command) = action.and_then(|action| self.command(model, possible, action, &Selection::OwnOn(key))) else { break };
            let kind = self.random.below(3);
            if let Some(first) = commands.first().filter(|_| kind == 0) {
                // The same request twice, as when a button is pressed twice.
                command = Command { key: command.key, ..first.clone() };
            }
            // If neither command can be accepted, their order makes no difference.
            let may_be_refused = !commands.is_empty() && kind < 2;
            if model.is_applicable(&command, possible)?
                && (may_be_refused || transition_of(model, possible, &command)?.is_some_and(ModelTransition::may_accept))
            {
                commands.push(command);
            }
            if commands.len() == RACERS {
                return Ok(Some(Batch::Concurrent(commands)));
            }
        }
        Ok(None)
    }

    /// Every query on every entity.
    pub(crate) fn queries(&mut self, model: &Model, possible: &PossibleStates) -> Vec<Batch> {
        self.on_every_entity(model, possible, |action| action.read_only)
    }

    fn on_every_entity(&mut self, model: &Model, possible: &PossibleStates, wanted: fn(&ModelAction) -> bool) -> Vec<Batch> {
        let mut chosen = Vec::new();
        for (key, entity) in possible.entities() {
            let actions = self.actions_on(model, &entity.resource, wanted);
            chosen.extend(actions.map(|(action, _)| (action, key)));
        }
        let commands = chosen.into_iter().filter_map(|(action, key)| self.command(model, possible, action, &Selection::OwnOn(key)));
        commands.map(Batch::Single).collect()
    }

    /// The available actions on a kind of entity that have a property.
    fn actions_on<'m>(
        &self,
        model: &'m Model,
        resource: &str,
        has_property: impl Fn(&ModelAction) -> bool,
    ) -> impl Iterator<Item = (usize, &'m ModelAction)> {
        let actions = model.actions.iter().enumerate();
        actions.filter(move |(index, action)| {
            has_property(action) && action.on.as_deref() == Some(resource) && !self.unavailable.contains(index)
        })
    }

    /// The weight of an action in these states; 0 if it is not possible.
    fn weight(&self, model: &Model, possible: &PossibleStates, index: usize, action: &ModelAction) -> u32 {
        let max_entities = |resource: usize| self.swarm.max_entities(resource);
        let is_possible = is_possible(model, possible, action, max_entities) && !self.unavailable.contains(&index);
        if is_possible { action.weight * self.swarm.factor(index) } else { 0 }
    }

    fn command(&mut self, model: &Model, possible: &PossibleStates, index: usize, selection: &Selection) -> Option<Command> {
        let action = model.actions.get(index)?;
        let operation = match &action.verb {
            CommandVerb::Call(operations) => self.random.index(operations.len()),
            CommandVerb::World(_) => 0,
        };
        let identity = self.identity(action, selection)?;
        let on = match selection {
            Selection::OwnOn(key) => Some(*key),
            Selection::Swarm | Selection::Uniform => self.entity(possible, action),
        };
        let fixed = if matches!(selection, Selection::Uniform) { Vec::new() } else { self.swarm.fixed(index).to_vec() };
        let fixed = fixed.into_iter().chain(std::iter::repeat(None));
        let fields = action.with.values().zip(fixed);
        let choices = fields.map(|(values, fixed)| fixed.unwrap_or_else(|| self.random.index(values.len()))).collect();
        self.last_key += 1;
        Some(Command { key: self.last_key, action: index, operation, identity, on, choices })
    }

    fn identity(&mut self, action: &ModelAction, selection: &Selection) -> Option<usize> {
        let is_equal = self.swarm.equal_identities && matches!(selection, Selection::Swarm);
        let weights = action.identities.values().enumerate();
        match selection {
            Selection::OwnOn(_) => Some(0),
            Selection::Swarm | Selection::Uniform => {
                self.random.weighted(weights.map(|(identity, weight)| (identity, if is_equal { 1 } else { *weight })))
            }
        }
    }

    fn entity(&mut self, possible: &PossibleStates, action: &ModelAction) -> Option<usize> {
        let resource = action.on.as_ref()?;
        if action.try_unknown && self.random.below(UNKNOWN_ONE_IN) == 0 {
            return None;
        }
        let entities: Vec<usize> = possible.entities().filter(|(_, entity)| entity.resource == *resource).map(|(key, _)| key).collect();
        entities.get(self.random.index(entities.len())).copied()
    }
}

fn is_possible_anywhere(model: &Model, possible: &PossibleStates, action: usize) -> bool {
    let max_entities = |resource: usize| model.resources.get_index(resource).map_or(0, |(_, resource)| resource.max);
    model.actions.get(action).is_some_and(|action| is_possible(model, possible, action, max_entities))
}

/// Whether there is room for the entities that an action creates, and an entity to perform it on.
fn is_possible(model: &Model, possible: &PossibleStates, action: &ModelAction, max_entities: impl Fn(usize) -> usize) -> bool {
    let count = |name: &str| possible.entities().filter(|(_, entity)| entity.resource == name).count();
    let has_room = |name: &str| model.resources.get_index_of(name).is_some_and(|index| count(name) < max_entities(index));
    action.creates().all(has_room) && action.on.as_ref().is_none_or(|name| count(name) > 0)
}

/// The transition that a command takes in the first possible state.
fn transition_of<'m>(model: &'m Model, possible: &PossibleStates, command: &Command) -> Result<Option<&'m ModelTransition>, ModelError> {
    let Some(first) = possible.first() else { return Ok(None) };
    let Some(bound) = command.bind(model, first)? else { return Ok(None) };
    model.transition(&bound, &bound.variables(first)).map(Some)
}
