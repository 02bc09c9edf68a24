//! Tells every lie wherever it can be told, until somebody notices.

use std::collections::HashMap;
use std::sync::Arc;

use super::aim::{Aim, aimed};
use super::draft::{Draft, Lie};
use super::freedom::freedom;
use super::mutant::{Mutant, Seen, Teller, drafts};
use super::score::{Fate, MutantOutcome};
use super::threads::Threads;
use crate::check;
use crate::contract::Operation;
use crate::event::InstanceName;
use crate::exchange::{Direction, Exchange};
use crate::record::Entry;
use crate::runner::{Context, Instance, Reel, replay};
use crate::verdict::Verdict;

/// What a green run has recorded.
pub(crate) struct Ground {
    /// What all instances share; nothing is sent.
    pub(crate) context: Arc<Context>,
    /// The instances that passed, with everything that happened in them.
    pub(crate) recorded: Vec<(Instance, Arc<[Entry]>)>,
    /// Whether each instance had a world of its own.
    pub(crate) alone: bool,
    /// Only what these operations say is broken: those whose id contains one of these; all when empty.
    pub(crate) operations: Vec<String>,
}

impl Ground {
    /// Without those instances that can't be played again as they were, and why: of an answer that was too long to
    /// be kept, a record has only the beginning.
    pub(crate) fn sound(mut self, threads: &Threads) -> (Self, LeftOut) {
        let passes = threads.share(self.recorded.len(), |runtime, index| {
            let Some((instance, entries)) = self.recorded.get(index) else { return false };
            let reel = Reel { entries: Arc::clone(entries), instead: None, changed_from: entries.len(), sound: false, only_wrong: true };
            runtime.block_on(replay(&self.context, instance, reel, self.alone)).verdict == Verdict::Passed
        });
        let mut left_out = LeftOut::default();
        let mut kept = Vec::with_capacity(self.recorded.len());
        for ((instance, entries), passes) in std::mem::take(&mut self.recorded).into_iter().zip(passes) {
            match passes {
                true => kept.push((instance, entries)),
                false if entries.iter().any(is_cut) => left_out.cut.push(instance.name),
                false => left_out.not_passed += 1,
            }
        }
        self.recorded = kept;
        (self, left_out)
    }

    fn takes(&self, operation: &str) -> bool {
        self.operations.is_empty() || self.operations.iter().any(|part| operation.contains(part.as_str()))
    }
}

/// The recorded instances that nothing is broken in.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeftOut {
    /// How many did not pass.
    pub(crate) not_passed: usize,
    /// Those that passed and can't be judged again, because an answer was too long to be kept whole.
    pub(crate) cut: Vec<InstanceName>,
}

fn is_cut(entry: &Entry) -> bool {
    let Entry::Exchange(exchange) = entry else { return false };
    exchange.request.body.omitted.is_some() || exchange.answer().is_some_and(|answer| answer.body.omitted.is_some())
}

/// An entry of a recorded instance, with the lie that could be told there.
struct Spot {
    instance: usize,
    entry: usize,
    draft: Draft,
}

/// As many places are tried for one lie. What hundreds of instances don't notice, no further one does that is like
/// them.
const TRIED: usize = 400;

/// As many places are tried for a lie of which the contract says that it is none: only to see that nobody minds.
const TRIED_OF_FREE: usize = 16;

/// Asks for every mutant who notices it. The outcomes are in the order of the mutants.
pub(crate) fn hunt(ground: &Ground, threads: &Threads) -> Vec<MutantOutcome> {
    let mutants: Vec<(Mutant, Vec<Spot>)> = mutants(ground, threads).into_iter().collect();
    let outcomes = threads.share(mutants.len(), |runtime, index| {
        let (mutant, spots) = mutants.get(index)?;
        runtime.block_on(outcome(ground, mutant, spots))
    });
    let mut outcomes: Vec<MutantOutcome> = outcomes.into_iter().flatten().collect();
    outcomes.sort_by(|a, b| a.key().cmp(&b.key()));
    outcomes
}

/// Mutants, with all the places where they may be told.
type Mutants = HashMap<Mutant, Vec<Spot>>;

/// In so many parts for each thread the recordings are looked through; they differ in length.
const PARTS: usize = 8;

/// Every mutant of the recordings.
fn mutants(ground: &Ground, threads: &Threads) -> Mutants {
    let mut seen = Seen::default();
    for entry in ground.recorded.iter().flat_map(|(_, entries)| entries.iter()) {
        if let Entry::Exchange(exchange) = entry {
            seen.take(exchange);
        }
    }
    let order = order(&ground.recorded);
    let parts: Vec<&[usize]> = order.chunks(order.len().div_ceil(PARTS * threads.count()).max(1)).collect();
    let parts = threads.share(parts.len(), |_, index| {
        let mut mutants = Mutants::new();
        parts.get(index).into_iter().copied().flatten().for_each(|instance| of_instance(ground, &seen, *instance, &mut mutants));
        mutants
    });
    parts.into_iter().fold(Mutants::new(), |mut all, part| {
        for (mutant, more) in part {
            let spots = all.entry(mutant).or_default();
            spots.extend(more.into_iter().take(TRIED.saturating_sub(spots.len())));
        }
        all
    })
}

fn of_instance(ground: &Ground, seen: &Seen, instance: usize, mutants: &mut Mutants) {
    let contracts = &ground.context.contracts;
    let Some((_, entries)) = ground.recorded.get(instance) else { return };
    for (entry, recorded) in entries.iter().enumerate() {
        let Entry::Exchange(exchange) = recorded else { continue };
        let Some(operation) = contracts.operation(&exchange.operation).filter(|operation| ground.takes(&operation.id)) else { continue };
        let teller = Arc::new(Teller::of(operation, exchange));
        for draft in drafts(contracts, seen, entries, entry) {
            let mutant = Mutant { teller: Arc::clone(&teller), place: draft.place.general(), change: draft.words() };
            let spots = mutants.entry(mutant).or_default();
            if spots.len() < TRIED {
                spots.push(Spot { instance, entry, draft });
            }
        }
    }
}

/// The instances in the order in which they are asked: of every scenario the shortest, then of every scenario the
/// next. Those of one scenario look at the same things.
fn order(recorded: &[(Instance, Arc<[Entry]>)]) -> Vec<usize> {
    let mut order: Vec<(usize, usize, &str)> =
        recorded.iter().enumerate().map(|(index, (instance, entries))| (index, entries.len(), instance.scenario.path.as_str())).collect();
    order.sort_by_key(|(index, length, _)| (*length, *index));
    let mut asked: HashMap<&str, usize> = HashMap::new();
    let mut ranked: Vec<(usize, usize, usize)> = Vec::with_capacity(order.len());
    for (index, length, scenario) in order {
        let rank = asked.entry(scenario).or_default();
        ranked.push((*rank, length, index));
        *rank += 1;
    }
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, _, index)| index).collect()
}

/// What becomes of a mutant; nothing where it is no change at all.
async fn outcome(ground: &Ground, mutant: &Mutant, spots: &[Spot]) -> Option<MutantOutcome> {
    let mut tried = 0;
    let mut by_accident = None;
    let (mut first, mut free) = (None, None);
    let mut broken = None;
    for spot in spots {
        let Some((instance, entries)) = ground.recorded.get(spot.instance) else { continue };
        let Some(Entry::Exchange(exchange)) = entries.get(spot.entry) else { continue };
        let Some(operation) = ground.context.contracts.operation(&exchange.operation) else { continue };
        let Some(lie) = spot.draft.tell(operation, entries, spot.entry, &ground.context.recorder) else { continue };
        if first.is_none() {
            free = freedom(&ground.context.contracts, entries, spot.entry, &spot.draft, &lie);
        }
        first.get_or_insert(spot);
        if tried == TRIED_OF_FREE && free.as_ref().is_some_and(|free| free.declared) {
            break;
        }
        tried += 1;
        if let Some(aim) = at_once(ground, operation, exchange, &spot.draft, &lie) {
            return Some(MutantOutcome::new(mutant, tried, killed(instance, aim)));
        }
        let reel = told(lie, entries, spot.entry);
        let finished = replay(&ground.context, instance, reel, ground.alone).await;
        match &finished.verdict {
            Verdict::Failed { findings } => {
                let Some(aim) = aimed(&ground.context.contracts, operation, exchange, &spot.draft, findings) else { continue };
                let fate = killed(instance, aim);
                match fate {
                    Fate::Killed { aimed: true, .. } => return Some(MutantOutcome::new(mutant, tried, fate)),
                    accident => _ = by_accident.get_or_insert(accident),
                }
            }
            Verdict::Broken { reason } => _ = broken.get_or_insert_with(|| reason.clone()),
            Verdict::Passed | Verdict::Skipped { .. } => {}
        }
    }
    let spot: &Spot = first?;
    if let Some(accident) = by_accident {
        return Some(MutantOutcome::new(mutant, tried, accident));
    }
    let (instance, _) = ground.recorded.get(spot.instance)?;
    let name = instance.name.to_string();
    let fate = match (free, broken) {
        (Some(free), _) => Fate::Allowed { reason: free.reason },
        (None, Some(reason)) => Fate::Unjudged { reason, instance: name },
        (None, None) => Fate::Survived { instance: name },
    };
    Some(MutantOutcome::new(mutant, tried, fate))
}

/// Who notices the lie by the answer alone. Nothing was found before it, and an answer is held against its own contract
/// first: who notices there is the first to do so, whatever comes of the rest of the story.
fn at_once(ground: &Ground, operation: &Operation, exchange: &Exchange, draft: &Draft, lie: &Lie) -> Option<Aim> {
    let Lie::Exchange(changed) = lie else { return None };
    let findings = match changed.direction {
        Direction::Call => check::answer_findings(operation, changed),
        Direction::Notification => return None,
    };
    aimed(&ground.context.contracts, operation, exchange, draft, &findings).filter(|aim| aim.hits)
}

/// The recording with the lie in it.
fn told(lie: Lie, recorded: &Arc<[Entry]>, at: usize) -> Reel {
    let (changed_from, entries, instead) = match lie {
        Lie::Entries(from, entries) => (from, entries.into(), None),
        Lie::Exchange(exchange) => (at, Arc::clone(recorded), Some((at, exchange))),
    };
    Reel { entries, instead, changed_from, sound: true, only_wrong: true }
}

fn killed(instance: &Instance, aim: Aim) -> Fate {
    Fate::Killed { clause: aim.clause, message: aim.message, instance: instance.name.to_string(), aimed: aim.hits }
}
