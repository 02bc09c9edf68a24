//! Tells every lie wherever it can be told, until somebody notices.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::aim::{Aim, aimed};
use super::draft::{Draft, Lie};
use super::freedom::freedom;
use super::mutant::{Mutant, Seen, drafts, kind};
use super::score::{Fate, MutantOutcome};
use crate::event::InstanceFinished;
use crate::record::Entry;
use crate::runner::{Context, Instance, replay};
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
    /// Without those instances that can't be played again as they were: of an answer that was too long to be
    /// kept, a tape has only the beginning.
    pub(crate) async fn sound(mut self) -> Self {
        let mut kept = Vec::with_capacity(self.recorded.len());
        for (instance, entries) in std::mem::take(&mut self.recorded) {
            let finished = replay(&self.context, &instance, (Arc::clone(&entries), entries.len()), self.alone).await;
            if finished.verdict == Verdict::Passed {
                kept.push((instance, entries));
            }
        }
        self.recorded = kept;
        self
    }

    fn takes(&self, operation: &str) -> bool {
        self.operations.is_empty() || self.operations.iter().any(|part| operation.contains(part.as_str()))
    }
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
const TRIED_OF_FREE: usize = 40;

/// Asks for every mutant who notices it. The outcomes are in the order of the mutants.
pub(crate) fn hunt(ground: &Ground, threads: NonZero<usize>) -> Vec<MutantOutcome> {
    let mutants: Vec<(Mutant, Vec<Spot>)> = mutants(ground).into_iter().collect();
    let next = AtomicUsize::new(0);
    let outcomes = Mutex::new(Vec::with_capacity(mutants.len()));
    std::thread::scope(|scope| {
        for _ in 0..threads.get() {
            scope.spawn(|| {
                let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_time().build() else { return };
                let mut own = Vec::new();
                while let Some((mutant, spots)) = mutants.get(next.fetch_add(1, Ordering::Relaxed)) {
                    own.extend(runtime.block_on(outcome(ground, mutant, spots)));
                }
                outcomes.lock().unwrap_or_else(PoisonError::into_inner).extend(own);
            });
        }
    });
    let mut outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcomes.sort_by(|a: &MutantOutcome, b| a.key().cmp(&b.key()));
    outcomes
}

/// Every mutant, with all the places where it may be told.
fn mutants(ground: &Ground) -> BTreeMap<Mutant, Vec<Spot>> {
    let contracts = &ground.context.contracts;
    let mut seen = Seen::default();
    for (_, entries) in &ground.recorded {
        entries.iter().for_each(|entry| {
            if let Entry::Exchange(exchange) = entry {
                seen.take(exchange)
            }
        });
    }
    let mut mutants: BTreeMap<Mutant, Vec<Spot>> = BTreeMap::new();
    for instance in order(&ground.recorded) {
        let Some((_, entries)) = ground.recorded.get(instance) else { continue };
        for (entry, recorded) in entries.iter().enumerate() {
            let Entry::Exchange(exchange) = recorded else { continue };
            let Some(operation) = contracts.operation(&exchange.operation).filter(|operation| ground.takes(&operation.id)) else {
                continue;
            };
            let kind = kind(operation, exchange);
            for draft in drafts(contracts, &seen, entries, entry) {
                let (place, change) = (draft.place.general(), draft.change.clone());
                let mutant = Mutant { operation: operation.id.clone(), kind: kind.clone(), place, change };
                let spots = mutants.entry(mutant).or_default();
                if spots.len() < TRIED {
                    spots.push(Spot { instance, entry, draft });
                }
            }
        }
    }
    mutants
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
        let finished = replay(&ground.context, instance, told(lie, entries, spot.entry), ground.alone).await;
        match &finished.verdict {
            Verdict::Failed { findings } => {
                let Some(aim) = aimed(&ground.context.contracts, operation, exchange, &spot.draft, findings) else { continue };
                let fate = killed(&finished, aim);
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

/// The recording with the lie in it, and its first entry that is not as it was.
fn told(lie: Lie, recorded: &[Entry], at: usize) -> (Arc<[Entry]>, usize) {
    match lie {
        Lie::Entries(from, entries) => (entries.into(), from),
        Lie::Exchange(exchange) => {
            let mut lie = Some(Entry::Exchange(Arc::new(*exchange)));
            let told = |(index, entry): (usize, &Entry)| {
                let lie = if index == at { lie.take() } else { None };
                lie.unwrap_or_else(|| entry.clone())
            };
            (recorded.iter().enumerate().map(told).collect(), at)
        }
    }
}

fn killed(finished: &InstanceFinished, aim: Aim) -> Fate {
    Fate::Killed { clause: aim.clause, message: aim.message, instance: finished.name.to_string(), aimed: aim.hits }
}
