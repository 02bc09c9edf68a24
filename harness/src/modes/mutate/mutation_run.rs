//! Applies every mutant wherever it applies, until a check notices it.

use std::collections::HashMap;
use std::sync::Arc;

use super::allowance::{Allowed, find_allowance};
use super::attribution::{Attribution, attribute};
use super::body::sent;
use super::candidate::Candidate;
use super::mutant::{Mutant, MutantCarrier, SeenValues, candidates};
use super::mutated::Mutated;
use super::score::{Fate, MutantOutcome};
use super::threads::Threads;
use crate::base::name_filter::is_selected;
use crate::base::verdict::Verdict;
use crate::engine::event::CaseName;
use crate::engine::runner::{Case, Context, Recording, replay};
use crate::judge::check;
use crate::judge::record::RecordEntry;
use crate::spec::contract::Operation;
use crate::wire::exchange::{Direction, Exchange};

/// The recordings of a green run.
pub(crate) struct Recordings {
    /// The context shared by all cases; nothing is sent.
    pub(crate) context: Arc<Context>,
    /// The cases that passed, with everything that happened in them.
    pub(crate) recorded: Vec<(Case, Arc<[RecordEntry]>)>,
    /// Whether each case had a world of its own.
    pub(crate) alone: bool,
    /// The operations to mutate: those whose id contains one of these; all if empty.
    pub(crate) operations: Vec<String>,
}

impl Recordings {
    /// Leaves out the cases that cannot be replayed unchanged, and returns the reasons: of a response that was too long to be
    /// kept, a record has only the beginning.
    pub(crate) fn sound(mut self, threads: &Threads) -> (Self, LeftOut) {
        let passes = threads.share(self.recorded.len(), |runtime, index| {
            let Some((case, entries)) = self.recorded.get(index) else { return false };
            let recording =
                Recording { entries: Arc::clone(entries), instead: None, changed_from: entries.len(), sound: false, only_wrong: true };
            runtime.block_on(replay(&self.context, case, recording, self.alone)).verdict == Verdict::Passed
        });
        let mut left_out = LeftOut::default();
        let mut kept = Vec::with_capacity(self.recorded.len());
        for ((case, entries), passes) in std::mem::take(&mut self.recorded).into_iter().zip(passes) {
            match passes {
                true => kept.push((case, entries)),
                false if entries.iter().any(is_cut) => left_out.cut.push(case.name),
                false => left_out.not_passed += 1,
            }
        }
        self.recorded = kept;
        (self, left_out)
    }

    fn takes(&self, operation: &str) -> bool {
        is_selected(operation, &self.operations)
    }
}

/// The recorded cases that are not mutated.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeftOut {
    /// How many did not pass.
    pub(crate) not_passed: usize,
    /// Those that passed and cannot be judged again, because a response was too long to be kept.
    pub(crate) cut: Vec<CaseName>,
}

fn is_cut(entry: &RecordEntry) -> bool {
    let RecordEntry::Exchange(exchange) = entry else { return false };
    exchange.request.body.omitted.is_some() || exchange.response().is_some_and(|response| response.body.omitted.is_some())
}

/// An entry of a recorded case, with a candidate that applies to it.
struct Site {
    case: usize,
    entry: usize,
    candidate: Candidate,
}

/// The most sites that are tried for one mutant. Most are noticed in the first few; a few are noticed by one case in hundreds.
const TRIED: usize = 1_000;

/// The most sites of one case that are tried for one mutant: the first ones, and the last one. A notification that is delivered a
/// thousand times has a thousand sites, which would leave none for other cases.
const TRIED_IN_A_CASE: usize = 8;

/// The most sites that are tried for a mutant that the contract allows: enough to show that no check refuses it.
const TRIED_IF_DECLARED: usize = 16;

/// The most sites that are tried for a mutant that something else excuses in the first case: it may be forbidden in another.
const TRIED_IF_ALLOWED: usize = 400;

/// Tries every mutant. Returns the outcomes in the order of the mutants, and the number of mutants that were not tried because
/// the user ended the command.
pub(crate) fn run_mutants(recordings: &Recordings, threads: &Threads) -> (Vec<MutantOutcome>, usize) {
    let mutants: Vec<(Mutant, Vec<Site>)> = mutants(recordings, threads).into_iter().collect();
    tracing::debug!(mutants = mutants.len(), "mutants are tried");
    let outcomes = threads.share(mutants.len(), |runtime, index| {
        let (mutant, sites) = mutants.get(index)?;
        runtime.block_on(outcome(recordings, mutant, sites))
    });
    let untried = mutants.len().saturating_sub(outcomes.len());
    let mut outcomes: Vec<MutantOutcome> = outcomes.into_iter().flatten().collect();
    outcomes.sort_by(|a, b| a.key().cmp(&b.key()));
    (outcomes, untried)
}

/// Mutants with all the sites that they apply to.
type Mutants = HashMap<Mutant, Vec<Site>>;

/// Parts that the recordings are divided into for each thread; they differ in length.
const PARTS: usize = 8;

/// Every mutant of the recordings.
fn mutants(recordings: &Recordings, threads: &Threads) -> Mutants {
    let seen = SeenValues::collect(recordings.recorded.iter().flat_map(|(_, entries)| entries.iter()));
    let order = order(&recordings.recorded);
    let parts: Vec<&[usize]> = order.chunks(order.len().div_ceil(PARTS * threads.count()).max(1)).collect();
    let parts = threads.share(parts.len(), |_, index| {
        let mut mutants = Mutants::new();
        parts.get(index).into_iter().copied().flatten().for_each(|case| of_case(recordings, &seen, *case, &mut mutants));
        mutants
    });
    parts.into_iter().fold(Mutants::new(), |mut all, part| {
        for (mutant, more) in part {
            let sites = all.entry(mutant).or_default();
            sites.extend(more.into_iter().take(TRIED.saturating_sub(sites.len())));
        }
        all
    })
}

fn of_case(recordings: &Recordings, seen: &SeenValues, case: usize, mutants: &mut Mutants) {
    let contracts = &recordings.context.contracts;
    let Some((_, entries)) = recordings.recorded.get(case) else { return };
    // A case is most likely to notice the value of another resource of its own.
    let own = SeenValues::collect(entries.iter());
    for (entry, recorded) in entries.iter().enumerate() {
        let RecordEntry::Exchange(exchange) = recorded else { continue };
        let Some(operation) = contracts.operation(&exchange.operation).filter(|operation| recordings.takes(&operation.id)) else {
            continue;
        };
        // No document describes the response to another method.
        if exchange.direction == Direction::Call && exchange.request.method != recordings.context.target.method(operation) {
            continue;
        }
        let carrier = Arc::new(MutantCarrier::from_exchange(operation, exchange));
        for candidate in candidates(contracts, [&own, seen], entries, entry) {
            let mutant = Mutant { carrier: Arc::clone(&carrier), place: candidate.place.general(), change: candidate.words() };
            add(mutants.entry(mutant).or_default(), Site { case, entry, candidate });
        }
    }
}

/// Adds a site after those of the same case and of earlier ones.
fn add(sites: &mut Vec<Site>, site: Site) {
    let of_case = sites.iter().rev().take_while(|other| other.case == site.case).count();
    if of_case >= TRIED_IN_A_CASE {
        sites.pop();
    }
    if sites.len() < TRIED {
        sites.push(site);
    }
}

/// What judging an entry costs besides its bytes, in bytes.
const COST_OF_AN_ENTRY: usize = 1_000;

/// What judging a recorded case costs, in bytes of responses and notifications.
fn cost(entries: &[RecordEntry]) -> usize {
    let bytes = entries.iter().map(|entry| match entry {
        RecordEntry::Exchange(exchange) => sent(exchange).map_or(0, |body| body.text.len()),
        RecordEntry::World { .. } => 0,
    });
    bytes.map(|bytes| bytes + COST_OF_AN_ENTRY).sum()
}

/// The order in which cases are tried: the cheapest of every scenario, then the next of every scenario. Cases of one scenario
/// check the same things.
fn order(recorded: &[(Case, Arc<[RecordEntry]>)]) -> Vec<usize> {
    let mut order: Vec<(usize, usize, &str)> =
        recorded.iter().enumerate().map(|(index, (case, entries))| (index, cost(entries), case.scenario.path.as_str())).collect();
    order.sort_by_key(|(index, cost, _)| (*cost, *index));
    let mut asked: HashMap<&str, usize> = HashMap::new();
    let mut ranked: Vec<(usize, usize, usize)> = Vec::with_capacity(order.len());
    for (index, cost, scenario) in order {
        let rank = asked.entry(scenario).or_default();
        ranked.push((*rank, cost, index));
        *rank += 1;
    }
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, _, index)| index).collect()
}

/// Tries a mutant at its sites until a finding is about the change; `None` if it changes nothing anywhere.
async fn outcome(recordings: &Recordings, mutant: &Mutant, sites: &[Site]) -> Option<MutantOutcome> {
    let mut trial = MutantTrial { recordings, tried: 0, first: None, caught_elsewhere: None, unjudged: None };
    for site in sites {
        if trial.is_enough() {
            break;
        }
        if let Some(fate) = trial.play(site).await {
            return Some(MutantOutcome::new(mutant, trial.tried, fate));
        }
    }
    Some(MutantOutcome::new(mutant, trial.tried, trial.fate()?))
}

/// The trial of one mutant.
struct MutantTrial<'r> {
    recordings: &'r Recordings,
    /// The number of sites where it was tried.
    tried: usize,
    /// The first case that it changes, and why the documents allow it there, if they do.
    first: Option<(&'r Case, Option<Allowed>)>,
    /// The first finding, if it is about something else.
    caught_elsewhere: Option<Fate>,
    /// Why a case could not be judged.
    unjudged: Option<String>,
}

impl MutantTrial<'_> {
    /// Whether further sites would show nothing new.
    fn is_enough(&self) -> bool {
        let most = match &self.first {
            Some((_, Some(Allowed { declared: true, .. }))) => TRIED_IF_DECLARED,
            Some((_, Some(Allowed { declared: false, .. }))) => TRIED_IF_ALLOWED,
            Some((_, None)) | None => TRIED,
        };
        self.tried >= most
    }

    /// Applies the mutant at a site; returns its fate if a finding is about the change.
    async fn play(&mut self, site: &Site) -> Option<Fate> {
        let recordings = self.recordings;
        let contracts = &recordings.context.contracts;
        let (case, entries) = recordings.recorded.get(site.case)?;
        let Some(RecordEntry::Exchange(exchange)) = entries.get(site.entry) else { return None };
        let operation = contracts.operation(&exchange.operation)?;
        let mutation = site.candidate.apply(operation, entries, site.entry, &recordings.context.recorder)?;
        self.first.get_or_insert_with(|| (case, find_allowance(contracts, entries, site.entry, &site.candidate, &mutation)));
        self.tried += 1;
        if let Some(attribution) = at_once(recordings, operation, exchange, &site.candidate, &mutation) {
            return Some(killed(case, attribution));
        }
        let recording = recording_with(mutation, entries, site.entry);
        match replay(&recordings.context, case, recording, recordings.alone).await.verdict {
            Verdict::Failed { findings } => {
                let fate = killed(case, attribute(contracts, operation, exchange, &site.candidate, &findings)?);
                if matches!(fate, Fate::Killed { targeted: true, .. }) {
                    return Some(fate);
                }
                self.caught_elsewhere.get_or_insert(fate);
            }
            Verdict::NotJudged { reason } => _ = self.unjudged.get_or_insert_with(|| reason.to_string()),
            Verdict::Passed | Verdict::Skipped { .. } => {}
        }
        None
    }

    /// The fate of a mutant that no finding is about; `None` if it changed nothing anywhere.
    fn fate(self) -> Option<Fate> {
        let (case, allowed) = self.first?;
        let case = case.name.to_string();
        Some(match (self.caught_elsewhere, allowed, self.unjudged) {
            (Some(caught_elsewhere), _, _) => caught_elsewhere,
            (None, Some(allowed), _) => Fate::Allowed { reason: allowed.reason },
            (None, None, Some(reason)) => Fate::Unjudged { reason, case },
            (None, None, None) => Fate::Survived { case },
        })
    }
}

/// Judges the changed response alone. The recording has no finding before it, and a response is judged by its own contract first,
/// so a finding here is the first one of the whole case.
fn at_once(
    recordings: &Recordings,
    operation: &Operation,
    exchange: &Exchange,
    candidate: &Candidate,
    mutation: &Mutated,
) -> Option<Attribution> {
    let Mutated::Exchange(changed) = mutation else { return None };
    let findings = match changed.direction {
        Direction::Call => check::response_findings(operation, changed),
        Direction::Notification => return None,
    };
    attribute(&recordings.context.contracts, operation, exchange, candidate, &findings).filter(|attribution| attribution.hits)
}

/// The recording with a mutation in it.
fn recording_with(mutation: Mutated, recorded: &Arc<[RecordEntry]>, at: usize) -> Recording {
    let (changed_from, entries, instead) = match mutation {
        Mutated::Entries(from, entries) => (from, entries.into(), None),
        Mutated::Exchange(exchange) => (at, Arc::clone(recorded), Some((at, exchange))),
    };
    Recording { entries, instead, changed_from, sound: true, only_wrong: true }
}

fn killed(case: &Case, attribution: Attribution) -> Fate {
    Fate::Killed { clause: attribution.clause, message: attribution.message, case: case.name.to_string(), targeted: attribution.hits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_of_many_sites_is_tried_at_the_first_ones_and_at_the_last() {
        let mut sites = Vec::new();
        for (case, entries) in [(1, 20), (2, 3)] {
            (0..entries).for_each(|entry| add(&mut sites, Site { case, entry, candidate: Candidate::status(500) }));
        }
        let tried: Vec<(usize, usize)> = sites.iter().map(|site| (site.case, site.entry)).collect();
        assert_eq!(tried, [(1, 0), (1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6), (1, 19), (2, 0), (2, 1), (2, 2)]);
    }
}
