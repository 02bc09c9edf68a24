//! Choosing what comes next, at random but the same for the same seed.
//!
//! What may come next depends on what was answered before, so a sequence is chosen while it is played; proptest,
//! which makes its sequences before the first answer, would have to guess, and to shrink again what it guessed.

use rand_pcg::Pcg32;
use rand_pcg::rand_core::{Rng, SeedableRng};

use super::model::{Action, Model, Verb};
use super::moves::{Move, Stride};
use super::state::Belief;

/// So often something is chosen that may not be done, before nothing more is chosen.
const TRIES: usize = 24;

/// One in so many moves on something is tried on something that does not exist.
const UNKNOWN: u32 = 16;

/// A source of choices.
#[derive(Debug)]
pub(crate) struct Walk {
    random: Pcg32,
    next: usize,
    /// Which actions may not be done on this target.
    barred: Vec<usize>,
}

impl Walk {
    /// Choices that are the same for the same seed and the same number of the sequence.
    pub(crate) fn new(seed: u64, sequence: u64, barred: &[usize]) -> Self {
        let mixed = seed.wrapping_add(sequence.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Self { random: Pcg32::seed_from_u64(mixed), next: 0, barred: barred.to_vec() }
    }

    /// A number below a limit.
    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        if limit == 0 { 0 } else { self.random.next_u32() % limit }
    }

    /// What comes next; nothing where nothing can.
    pub(crate) fn step(&mut self, model: &Model, belief: &Belief) -> Result<Option<Stride>, String> {
        for _ in 0..TRIES {
            let weights: Vec<(usize, u32)> =
                model.actions.iter().enumerate().map(|(index, action)| (index, self.weight(model, belief, index, action))).collect();
            let chosen = self.weighted(weights.into_iter());
            let Some(chosen) = chosen.and_then(|index| self.moved(model, belief, index, None)) else { return Ok(None) };
            if is_possible(model, belief, &chosen)? {
                return Ok(Some(Stride::One(chosen)));
            }
        }
        Ok(None)
    }

    /// Two moves that meet on one thing; nothing where no two can.
    pub(crate) fn race(&mut self, model: &Model, belief: &Belief) -> Result<Option<Stride>, String> {
        let things: Vec<(usize, String)> = belief.things().map(|(key, thing)| (key, thing.resource.clone())).collect();
        let Some((key, resource)) = things.get(self.index(things.len())).cloned() else { return Ok(None) };
        let racing = |index: &usize, action: &Action| action.race && action.on.as_ref() == Some(&resource) && !self.barred.contains(index);
        let racers: Vec<usize> =
            model.actions.iter().enumerate().filter(|(index, action)| racing(index, action)).map(|(index, _)| index).collect();
        let mut moves = Vec::new();
        for _ in 0..TRIES {
            let Some(index) = racers.get(self.index(racers.len())) else { break };
            let Some(chosen) = self.moved(model, belief, *index, Some(key)) else { break };
            if is_possible(model, belief, &chosen)? {
                moves.push(chosen);
            }
            if moves.len() == 2 {
                return Ok(Some(Stride::Together(moves)));
            }
        }
        Ok(None)
    }

    /// Everything that tells of everything that is there.
    pub(crate) fn reading(&mut self, model: &Model, belief: &Belief) -> Vec<Stride> {
        let mut reads = Vec::new();
        for (key, thing) in belief.things() {
            let reading = |(index, action): &(usize, &Action)| {
                action.reads && action.on.as_ref() == Some(&thing.resource) && !self.barred.contains(index)
            };
            let found = model.actions.iter().enumerate().find(reading).map(|(index, _)| (index, key));
            reads.extend(found);
        }
        reads.into_iter().filter_map(|(index, key)| self.moved(model, belief, index, Some(key))).map(Stride::One).collect()
    }

    fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(u32::try_from(length).unwrap_or(u32::MAX))).unwrap_or_default()
    }

    fn weighted(&mut self, choices: impl Iterator<Item = (usize, u32)>) -> Option<usize> {
        let choices: Vec<(usize, u32)> = choices.filter(|(_, weight)| *weight > 0).collect();
        let mut left = self.below(choices.iter().map(|(_, weight)| weight).sum());
        for (choice, weight) in choices {
            if left < weight {
                return Some(choice);
            }
            left -= weight;
        }
        None
    }

    /// How often an action is chosen here; 0 where it can't be.
    fn weight(&self, model: &Model, belief: &Belief, index: usize, action: &Action) -> u32 {
        let there = |name: &str| belief.things().filter(|(_, thing)| thing.resource == name).count();
        let has_room = action.creates().all(|name| model.resources.get(name).is_some_and(|resource| there(name) < resource.most));
        let has_object = action.on.as_ref().is_none_or(|name| there(name) > 0);
        if has_room && has_object && !self.barred.contains(&index) { action.often } else { 0 }
    }

    fn moved(&mut self, model: &Model, belief: &Belief, index: usize, on: Option<usize>) -> Option<Move> {
        let action = model.actions.get(index)?;
        let operation = match &action.verb {
            Verb::Call(operations) => self.index(operations.len()),
            Verb::World(_) => 0,
        };
        // What meets and what is asked at the end is the merchant's own doing.
        let identity = if on.is_some() { 0 } else { self.weighted(action.identities.values().enumerate().map(|(i, often)| (i, *often)))? };
        let on = on.or_else(|| self.object(belief, action));
        let ways = action.with.values().map(|ways| self.index(ways.len())).collect();
        self.next += 1;
        Some(Move { key: self.next, action: index, operation, identity, on, ways })
    }

    fn object(&mut self, belief: &Belief, action: &Action) -> Option<usize> {
        let resource = action.on.as_ref()?;
        if action.unknown && self.below(UNKNOWN) == 0 {
            return None;
        }
        let things: Vec<usize> = belief.things().filter(|(_, thing)| thing.resource == *resource).map(|(key, _)| key).collect();
        things.get(self.index(things.len())).copied()
    }
}

impl Action {
    /// The resources of which it may create one.
    pub(crate) fn creates(&self) -> impl Iterator<Item = &str> {
        self.rows
            .iter()
            .flat_map(|row| &row.outcomes)
            .filter_map(|outcome| outcome.creates.as_ref())
            .map(|creation| creation.resource.as_str())
    }
}

/// Whether a move may be made here.
pub(super) fn is_possible(model: &Model, belief: &Belief, chosen: &Move) -> Result<bool, String> {
    let Some(first) = belief.first() else { return Ok(false) };
    match chosen.prepared(model, first)? {
        None => Ok(false),
        Some(prepared) => model.may(&prepared, belief),
    }
}
