//! Choosing what comes next, at random but the same for the same seed.
//!
//! What may come next depends on what was answered before, so a sequence is chosen while it is played; proptest,
//! which makes its sequences before the first answer, would have to guess, and to shrink again what it guessed.

use rand_pcg::Pcg32;
use rand_pcg::rand_core::{Rng, SeedableRng};

use super::model::{Action, Model, Row, Verb};
use super::moves::{Move, Stride};
use super::state::Belief;

/// So often something is chosen that may not be done, before nothing more is chosen.
const TRIES: usize = 24;

/// One in so many moves on something is tried on something that does not exist.
const UNKNOWN: u32 = 16;

/// One in so many moves is aimed at a row that was seldom taken, while there is one.
const AIMED: u32 = 3;

/// So often a move is chosen for a row that is aimed at, before it is left.
const SHOTS: usize = 16;

/// A source of choices.
#[derive(Debug)]
pub(crate) struct Walk {
    random: Pcg32,
    next: usize,
    /// Which actions may not be done on this target.
    barred: Vec<usize>,
    /// Rows that were seldom taken, each by its action and its own place.
    seldom: Vec<(usize, usize)>,
    mood: Mood,
}

/// What this sequence does more often than others, and what it does not do at all: where everything is tried
/// everywhere, nothing is ever tried three times in a row.
#[derive(Debug, Default)]
struct Mood {
    /// How much more often each action is chosen.
    factors: Vec<u32>,
    /// For each action and each of its fields the one value that it has, where it has only one.
    fixed: Vec<Vec<Option<usize>>>,
    /// So many things of a kind, at most.
    most: Vec<usize>,
    /// Whether strangers ask as often as the merchant.
    strangers: bool,
}

/// How much more often an action may be chosen in one sequence than in another.
const FACTORS: [u32; 4] = [0, 1, 1, 3];

impl Walk {
    /// Choices that are the same for the same seed, the same number of the sequence and the same rows.
    pub(crate) fn new(model: &Model, seed: u64, sequence: u64, barred: &[usize], seldom: &[(usize, usize)]) -> Self {
        let mixed = seed.wrapping_add(sequence.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let seldom = seldom.iter().filter(|(action, _)| !barred.contains(action)).copied().collect();
        let random = Pcg32::seed_from_u64(mixed);
        let mut walk = Self { random, next: 0, barred: barred.to_vec(), seldom, mood: Mood::default() };
        walk.mood = walk.mood(model);
        walk
    }

    fn mood(&mut self, model: &Model) -> Mood {
        let mut factors: Vec<u32> = model.actions.iter().map(|_| FACTORS.get(self.index(FACTORS.len())).copied().unwrap_or(1)).collect();
        let beginnings: Vec<usize> =
            model.actions.iter().enumerate().filter(|(_, action)| action.begins()).map(|(index, _)| index).collect();
        // Something must be there to begin with.
        let place = self.index(beginnings.len());
        if let Some(factor) = beginnings.get(place).and_then(|index| factors.get_mut(*index)) {
            *factor = (*factor).max(1);
        }
        let mut fixed = Vec::new();
        for action in &model.actions {
            fixed.push(action.with.values().map(|ways| (self.below(3) == 0).then(|| self.index(ways.len()))).collect());
        }
        let most = model.resources.values().map(|resource| 1 + self.index(resource.most)).collect();
        Mood { factors, fixed, most, strangers: self.below(4) == 0 }
    }

    /// A number below a limit.
    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        if limit == 0 { 0 } else { self.random.next_u32() % limit }
    }

    /// What comes next; nothing where nothing can.
    pub(crate) fn step(&mut self, model: &Model, belief: &Belief) -> Result<Option<Stride>, String> {
        if !self.seldom.is_empty()
            && self.below(AIMED) == 0
            && let Some(aimed) = self.aimed(model, belief)?
        {
            return Ok(Some(Stride::One(aimed)));
        }
        let weights: Vec<(usize, u32)> =
            model.actions.iter().enumerate().map(|(index, action)| (index, self.weight(model, belief, index, action))).collect();
        for _ in 0..TRIES {
            let chosen = self.weighted(weights.iter().copied());
            let Some(chosen) = chosen.and_then(|index| self.moved(model, belief, index, &Aim::Mood)) else { return Ok(None) };
            if is_possible(model, belief, &chosen)? {
                return Ok(Some(Stride::One(chosen)));
            }
        }
        Ok(None)
    }

    /// A move to which one of the rows applies that were seldom taken; nothing where none is found.
    fn aimed(&mut self, model: &Model, belief: &Belief) -> Result<Option<Move>, String> {
        let place = self.index(self.seldom.len());
        let target = self.seldom.get(place).copied();
        let Some((index, row)) = target.filter(|(index, _)| self.is_open(model, belief, *index)) else { return Ok(None) };
        let Some(row) = model.actions.get(index).and_then(|action| action.rows.get(row)) else { return Ok(None) };
        for _ in 0..SHOTS {
            let Some(chosen) = self.moved(model, belief, index, &Aim::Anything) else { return Ok(None) };
            if is_possible(model, belief, &chosen)? && row_of(model, belief, &chosen)?.is_some_and(|applies| applies.id == row.id) {
                return Ok(Some(chosen));
            }
        }
        Ok(None)
    }

    fn is_open(&self, model: &Model, belief: &Belief, index: usize) -> bool {
        let most = |index: usize| model.resources.get_index(index).map_or(0, |(_, resource)| resource.most);
        model.actions.get(index).is_some_and(|action| is_open(model, belief, action, most))
    }

    /// Two moves that meet on one thing; nothing where no two can.
    pub(crate) fn race(&mut self, model: &Model, belief: &Belief) -> Result<Option<Stride>, String> {
        let things: Vec<(usize, String)> = belief.things().map(|(key, thing)| (key, thing.resource.clone())).collect();
        let Some((key, resource)) = things.get(self.index(things.len())).cloned() else { return Ok(None) };
        let racing = |index: &usize, action: &Action| action.race && action.on.as_ref() == Some(&resource) && !self.barred.contains(index);
        let racers = model.actions.iter().enumerate().filter(|(index, action)| racing(index, action));
        let racers: Vec<(usize, u32)> = racers.map(|(index, action)| (index, action.often)).collect();
        let mut moves: Vec<Move> = Vec::new();
        for _ in 0..TRIES {
            let chosen = self.weighted(racers.iter().copied()).and_then(|index| self.moved(model, belief, index, &Aim::At(key)));
            let Some(mut chosen) = chosen else { break };
            let kind = self.below(3);
            if let Some(first) = moves.first().filter(|_| kind == 0) {
                // The same once more: who presses a button twice.
                chosen = Move { key: chosen.key, ..first.clone() };
            }
            // Where nothing could be accepted, it makes no difference what comes first.
            let is_free = !moves.is_empty() && kind < 2;
            if is_possible(model, belief, &chosen)? && (is_free || row_of(model, belief, &chosen)?.is_some_and(Row::may_be_accepted)) {
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
            reads.extend(model.actions.iter().enumerate().filter(reading).map(|(index, _)| (index, key)));
        }
        reads.into_iter().filter_map(|(index, key)| self.moved(model, belief, index, &Aim::At(key))).map(Stride::One).collect()
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
        let most = |index: usize| self.mood.most.get(index).copied().unwrap_or_default();
        let can = is_open(model, belief, action, most) && !self.barred.contains(&index);
        if can { action.often * self.mood.factors.get(index).copied().unwrap_or(1) } else { 0 }
    }

    fn moved(&mut self, model: &Model, belief: &Belief, index: usize, aim: &Aim) -> Option<Move> {
        let action = model.actions.get(index)?;
        let operation = match &action.verb {
            Verb::Call(operations) => self.index(operations.len()),
            Verb::World(_) => 0,
        };
        let strangers = self.mood.strangers && matches!(aim, Aim::Mood);
        let identities = action.identities.values().enumerate().map(|(identity, often)| (identity, if strangers { 1 } else { *often }));
        // What meets and what is asked at the end is the merchant's own doing.
        let identity = if matches!(aim, Aim::At(_)) { 0 } else { self.weighted(identities)? };
        let on = match aim {
            Aim::At(key) => Some(*key),
            Aim::Mood | Aim::Anything => self.object(belief, action),
        };
        let fixed = self.mood.fixed.get(index).filter(|_| !matches!(aim, Aim::Anything)).cloned().unwrap_or_default();
        let fixed = fixed.into_iter().chain(std::iter::repeat(None));
        let ways = action.with.values().zip(fixed).map(|(ways, fixed)| fixed.unwrap_or_else(|| self.index(ways.len()))).collect();
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

/// How the parts of a move are chosen.
enum Aim {
    /// As this sequence has it.
    Mood,
    /// Anything that there is.
    Anything,
    /// By the merchant, on this thing.
    At(usize),
}

/// Whether there is room for what an action creates, and something that it can be done to.
fn is_open(model: &Model, belief: &Belief, action: &Action, most: impl Fn(usize) -> usize) -> bool {
    let there = |name: &str| belief.things().filter(|(_, thing)| thing.resource == name).count();
    let has_room = |name: &str| model.resources.get_index_of(name).is_some_and(|index| there(name) < most(index));
    action.creates().all(has_room) && action.on.as_ref().is_none_or(|name| there(name) > 0)
}

impl Action {
    /// Whether it creates something out of nothing.
    pub(crate) fn begins(&self) -> bool {
        self.on.is_none() && self.creates().next().is_some()
    }

    /// The resources of which it may create one.
    pub(crate) fn creates(&self) -> impl Iterator<Item = &str> {
        self.rows
            .iter()
            .flat_map(|row| &row.outcomes)
            .filter_map(|outcome| outcome.creates.as_ref())
            .map(|creation| creation.resource.as_str())
    }
}

/// The row that applies to a move, in the first of the worlds that may be.
fn row_of<'m>(model: &'m Model, belief: &Belief, chosen: &Move) -> Result<Option<&'m Row>, String> {
    let Some(first) = belief.first() else { return Ok(None) };
    let Some(prepared) = chosen.prepared(model, first)? else { return Ok(None) };
    model.row(&prepared, &prepared.known(first)).map(Some)
}

/// Whether a move may be made here.
pub(super) fn is_possible(model: &Model, belief: &Belief, chosen: &Move) -> Result<bool, String> {
    let Some(first) = belief.first() else { return Ok(false) };
    match chosen.prepared(model, first)? {
        None => Ok(false),
        Some(prepared) => model.may(&prepared, belief),
    }
}
