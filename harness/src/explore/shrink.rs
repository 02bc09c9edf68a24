//! Making a sequence as short and as simple as it can be while it still shows the same.

use std::collections::BTreeSet;

use super::model::{Action, Model};
use super::moves::{Move, Stride};
use crate::scenario::Template;

/// As often a sequence is played again at most.
const MOST: usize = 600;

/// A sequence that is being made shorter. Whoever plays it asks for the next candidate, and tells what came of it.
#[derive(Debug)]
pub(crate) struct Shrink {
    best: Vec<Stride>,
    plan: Plan,
    played: usize,
}

/// What is tried next.
#[derive(Clone, Copy, Debug)]
enum Plan {
    /// Keep only what has to do with one of the things that are created, the last one first.
    About {
        thing: usize,
    },
    /// Leave out so many strides from here; whether something was left out in this round.
    Leave {
        size: usize,
        from: usize,
        progress: bool,
    },
    /// Let time pass once instead of twice, for each span that there is.
    Merge {
        pair: usize,
        way: usize,
    },
    /// Change one thing of one move to its first possibility.
    Simplify {
        stride: usize,
        choice: usize,
        progress: bool,
    },
    /// Leave out one stride, with another value in the last one.
    Instead {
        left: usize,
        choice: usize,
    },
    /// Leave out one stride, with what another one does done twice.
    Twice {
        choice: usize,
    },
    Done,
}

impl Shrink {
    /// Begins with a sequence that shows something.
    pub(crate) fn new(sequence: Vec<Stride>) -> Self {
        Self { best: sequence, plan: Plan::About { thing: 0 }, played: 0 }
    }

    /// The next sequence to play; nothing when nothing is left to try.
    pub(crate) fn candidate(&mut self, model: &Model) -> Option<Vec<Stride>> {
        while self.played < MOST {
            let candidate = match self.plan {
                Plan::Done => return None,
                Plan::About { thing } => self.about(model, thing),
                Plan::Leave { size, from, progress } => self.shorter(size, from, progress),
                Plan::Merge { pair, way } => self.merged(model, pair, way),
                Plan::Simplify { stride, choice, progress } => self.simpler(model, stride, choice, progress),
                Plan::Instead { left, choice } => self.instead(model, left, choice),
                Plan::Twice { choice } => self.twice(model, choice),
            };
            if let Some(candidate) = candidate {
                self.played += 1;
                return Some(candidate);
            }
        }
        None
    }

    /// What was played last still shows it, as far as it was played.
    pub(crate) fn shows(&mut self, played: Vec<Stride>) {
        self.best = played;
        self.plan = match self.plan {
            Plan::About { .. } => self.leaving(),
            // What stood behind has moved to the same place.
            Plan::Leave { size, from, .. } => Plan::Leave { size, from: from.saturating_sub(size), progress: true },
            Plan::Merge { .. } | Plan::Instead { .. } | Plan::Twice { .. } => Plan::Leave { size: 1, from: 0, progress: false },
            Plan::Simplify { stride, choice, .. } => Plan::Simplify { stride, choice, progress: true },
            Plan::Done => Plan::Done,
        };
    }

    fn leaving(&self) -> Plan {
        Plan::Leave { size: (self.best.len() / 2).max(1), from: 0, progress: false }
    }

    /// What has to do with one thing, directly or by others, and what has to do with none.
    fn about(&mut self, model: &Model, thing: usize) -> Option<Vec<Stride>> {
        let creators = self.best.iter().rev().flat_map(Stride::moves).filter(|one| creates(model, one));
        let Some(root) = creators.map(|one| one.key).nth(thing) else {
            self.plan = self.leaving();
            return None;
        };
        self.plan = Plan::About { thing: thing + 1 };
        let mut near = BTreeSet::from([root]);
        let mut known = 0;
        while near.len() > known {
            known = near.len();
            for stride in &self.best {
                if things(stride).any(|key| near.contains(&key)) {
                    near.extend(things(stride));
                }
            }
        }
        let is_free = |stride: &Stride| stride.moves().iter().all(|one| one.on.is_none() && !creates(model, one));
        let kept = self.best.iter().filter(|stride| is_free(stride) || things(stride).any(|key| near.contains(&key)));
        let kept: Vec<Stride> = kept.cloned().collect();
        (kept.len() < self.best.len()).then_some(kept)
    }

    fn shorter(&mut self, size: usize, from: usize, progress: bool) -> Option<Vec<Stride>> {
        if from >= self.best.len() {
            self.plan = match (size, progress) {
                (1, false) => Plan::Merge { pair: 0, way: 0 },
                (1, true) => Plan::Leave { size: 1, from: 0, progress: false },
                (size, _) => Plan::Leave { size: size / 2, from: 0, progress: false },
            };
            return None;
        }
        self.plan = Plan::Leave { size, from: from + size, progress };
        let kept = |(index, stride): (usize, &Stride)| (!(from..from + size).contains(&index)).then(|| stride.clone());
        Some(self.best.iter().enumerate().filter_map(kept).collect())
    }

    fn merged(&mut self, model: &Model, pair: usize, way: usize) -> Option<Vec<Stride>> {
        let passing = |stride: &Stride| matches!(stride, Stride::One(one) if passes(model, one));
        let places: Vec<usize> = self.best.iter().enumerate().filter(|(_, stride)| passing(stride)).map(|(place, _)| place).collect();
        let (Some(first), Some(second)) = (places.get(pair), places.get(pair + 1)) else {
            self.plan = Plan::Simplify { stride: 0, choice: 0, progress: false };
            return None;
        };
        let Some(Stride::One(one)) = self.best.get(*second) else { return None };
        let spans = model.actions.get(one.action).and_then(|action| action.with.get(action.passes.as_ref()?)).map_or(0, Vec::len);
        if way >= spans {
            self.plan = Plan::Merge { pair: pair + 1, way: 0 };
            return None;
        }
        self.plan = Plan::Merge { pair, way: way + 1 };
        let longer = Stride::One(Move { ways: one.ways.iter().map(|_| way).collect(), ..one.clone() });
        let mut candidate = self.best.clone();
        if let Some(place) = candidate.get_mut(*second) {
            *place = longer;
        }
        candidate.remove(*first);
        Some(candidate)
    }

    fn simpler(&mut self, model: &Model, stride: usize, choice: usize, progress: bool) -> Option<Vec<Stride>> {
        let Some(old) = self.best.get(stride) else {
            // What is simpler may need less than it did.
            self.plan = if progress { Plan::Leave { size: 1, from: 0, progress: false } } else { Plan::Instead { left: 0, choice: 0 } };
            return None;
        };
        let before = self.best.iter().take(stride).flat_map(Stride::moves);
        let others: Vec<&Move> = before.filter(|one| creates(model, one)).collect();
        let choices = choices(model, old, &others);
        let Some(new) = choices.get(choice) else {
            self.plan = Plan::Simplify { stride: stride + 1, choice: 0, progress };
            return None;
        };
        self.plan = Plan::Simplify { stride, choice: choice + 1, progress };
        if new.as_slice() == std::slice::from_ref(old) {
            return None;
        }
        let mut candidate = self.best.clone();
        candidate.splice(stride..=stride, new.iter().cloned());
        Some(candidate)
    }
}

impl Shrink {
    fn instead(&mut self, model: &Model, left: usize, choice: usize) -> Option<Vec<Stride>> {
        let Some((last, before, out)) = self.best.split_last().and_then(|(last, before)| Some((last, before, before.get(left)?))) else {
            self.plan = Plan::Twice { choice: 0 };
            return None;
        };
        // Without what it is done to there is nothing to see.
        let is_needed = last.moves().iter().any(|one| out.moves().iter().any(|out| one.on == Some(out.key)));
        let Some((field, way)) = other_values(model, last).get(choice).copied().filter(|_| !is_needed) else {
            self.plan = Plan::Instead { left: left + 1, choice: 0 };
            return None;
        };
        self.plan = Plan::Instead { left, choice: choice + 1 };
        let changed = |one: &Move| {
            let mut ways = one.ways.clone();
            ways.get_mut(field).into_iter().for_each(|known| *known = way);
            Move { ways, ..one.clone() }
        };
        let last = match last {
            Stride::One(one) => Stride::One(changed(one)),
            Stride::Together(moves) => Stride::Together(moves.iter().map(changed).collect()),
        };
        let kept = before.iter().enumerate().filter(|(place, _)| *place != left).map(|(_, stride)| stride.clone());
        Some(kept.chain([last]).collect())
    }

    /// Two things of different kinds may each need something of its own to be seen; one thing twice needs it once.
    fn twice(&mut self, model: &Model, choice: usize) -> Option<Vec<Stride>> {
        let Some((left, place, other)) = self.doubles(model).nth(choice) else {
            self.plan = Plan::Done;
            return None;
        };
        self.plan = Plan::Twice { choice: choice + 1 };
        let (Some(Stride::One(one)), Some(Stride::One(other))) = (self.best.get(place), self.best.get(other)) else { return None };
        let again = Stride::One(Move { key: one.key, ..other.clone() });
        let kept = self.best.iter().enumerate().filter(|(index, _)| *index != left);
        Some(kept.map(|(index, stride)| if index == place { again.clone() } else { stride.clone() }).collect())
    }

    /// What may be left out, what is done another way, and which of the moves is done in its place.
    fn doubles(&self, model: &Model) -> impl Iterator<Item = (usize, usize, usize)> {
        let moves = |(index, stride): (usize, &Stride)| match stride {
            Stride::One(one) if !creates(model, one) => Some((index, one.action, one.on)),
            Stride::One(_) | Stride::Together(_) => None,
        };
        let moves: Vec<_> = self.best.iter().enumerate().filter_map(moves).collect();
        let mut doubles = Vec::new();
        for (place, action, on) in &moves {
            for (other, _, _) in moves.iter().filter(|(_, other, same)| other != action && same == on) {
                let out = moves.iter().map(|(left, ..)| *left).filter(|left| left != place && left != other);
                doubles.extend(out.map(|left| (left, *place, *other)));
            }
        }
        doubles.into_iter()
    }
}

/// Each field with each of its values, of what is done last; of moves that met, where both do the same.
fn other_values(model: &Model, stride: &Stride) -> Vec<(usize, usize)> {
    let Some(first) = stride.moves().first() else { return Vec::new() };
    if stride.moves().iter().any(|one| one.action != first.action) {
        return Vec::new();
    }
    let Some(action) = model.actions.get(first.action) else { return Vec::new() };
    let ways = action.with.values().enumerate().flat_map(|(field, ways)| (0..ways.len()).map(move |way| (field, way)));
    ways.filter(|(field, way)| first.ways.get(*field) != Some(way)).collect()
}

fn creates(model: &Model, one: &Move) -> bool {
    model.actions.get(one.action).is_some_and(|action| action.creates().next().is_some())
}

/// What a stride is done to, and what it may create.
fn things(stride: &Stride) -> impl Iterator<Item = usize> {
    stride.moves().iter().flat_map(|one| [Some(one.key), one.on]).flatten()
}

/// The same thing created by an action that stands earlier in the model, with the same values where it has them.
fn begun_simpler(model: &Model, one: &Move) -> Vec<Move> {
    let Some(action) = model.actions.get(one.action).filter(|action| action.begins()) else { return Vec::new() };
    let before = model.actions.iter().enumerate().take(one.action);
    let same = before.filter(|(_, other)| other.begins() && other.creates().all(|name| action.creates().any(|own| own == name)));
    let ways = |other: &Action| {
        let way_of = |(field, ways): (&String, &Vec<Template>)| {
            let own = action.with.get_index_of(field).and_then(|place| one.ways.get(place)).copied();
            own.filter(|way| *way < ways.len()).unwrap_or_default()
        };
        other.with.iter().map(way_of).collect()
    };
    same.map(|(index, other)| Move { action: index, operation: 0, ways: ways(other), ..one.clone() }).collect()
}

fn passes(model: &Model, one: &Move) -> bool {
    model.actions.get(one.action).is_some_and(|action| action.passes.is_some())
}

/// The same with one thing simpler: of moves that met one alone, or one after the other; the first operation, the
/// first value, what was created earlier.
fn choices(model: &Model, stride: &Stride, others: &[&Move]) -> Vec<Vec<Stride>> {
    match stride {
        Stride::Together(moves) => {
            let alone = moves.iter().cloned().map(|one| vec![Stride::One(one)]);
            let in_turn = |moves: &mut dyn Iterator<Item = &Move>| moves.cloned().map(Stride::One).collect::<Vec<_>>();
            alone.chain([in_turn(&mut moves.iter()), in_turn(&mut moves.iter().rev())]).collect()
        }
        Stride::One(one) => {
            let first = Move { operation: 0, ..one.clone() };
            let main = Move { identity: 0, ..one.clone() };
            let kind = model.actions.get(one.action).and_then(|action| action.on.as_deref());
            let same_kind = |other: &&&Move| {
                let action = model.actions.get(other.action);
                action.zip(kind).is_some_and(|(action, kind)| action.creates().any(|created| created == kind))
            };
            let earlier = others.iter().filter(same_kind).filter(|other| one.on.is_some_and(|on| other.key < on));
            let elsewhere = earlier.map(|other| Move { on: Some(other.key), ..one.clone() });
            let simpler = (0..one.ways.len()).map(|field| {
                let mut ways = one.ways.clone();
                if let Some(way) = ways.get_mut(field) {
                    *way = 0;
                }
                Move { ways, ..one.clone() }
            });
            [first, main]
                .into_iter()
                .chain(begun_simpler(model, one))
                .chain(elsewhere)
                .chain(simpler)
                .map(|one| vec![Stride::One(one)])
                .collect()
        }
    }
}

#[cfg(test)]
mod tests;
