//! Compares two runs of the same scenarios: what one side breaks and the other does not, what has changed, and what the documents
//! leave open. Pure: recordings in, differences out.
//!
//! `docs/compare.md` is the manual.

mod align;
mod diff;
mod freedom;
mod group;
mod judge;
mod model;
mod outcome;
mod place;
mod rename;
mod run;
mod schema_description;
mod sighting;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use indexmap::IndexMap;

use crate::engine::event::CaseName;
use crate::engine::missing::{Missing, OtherSide};
use crate::spec::contract::Contracts;
use group::Groups;
pub use model::{
    Cases, ComparedRun, ComparedSide, Comparison, Difference, DifferenceExample, DifferenceKind, DifferenceStanding, FORMAT, schema,
};
pub use run::{PlayedCase, PlayedRun};
use sighting::all_allowed;

/// Compares two runs, case by case.
pub fn compare(a: &PlayedRun, b: &PlayedRun, contracts: &Contracts) -> Comparison {
    let mut of_b: IndexMap<&CaseName, &PlayedCase> = b.cases.iter().map(|played| (&played.name, played)).collect();
    let (mut cases, mut groups, mut missing) = (Cases::default(), Groups::default(), OneSided::default());
    for played in &a.cases {
        let Some(other) = of_b.shift_remove(&played.name) else {
            missing.add(&mut cases, ComparedSide::A, OtherSide::NoSuchCase(ComparedSide::B));
            continue;
        };
        match (played.not_judged(), other.not_judged()) {
            (None, None) => {
                let seen = judge::differences(contracts, played, other);
                cases.compared += 1;
                cases.alike += usize::from(all_allowed(&seen));
                groups.add(&played.name, seen);
            }
            (None, Some(reason)) => missing.add(&mut cases, ComparedSide::A, reason),
            (Some(reason), None) => missing.add(&mut cases, ComparedSide::B, reason),
            (Some(_), Some(_)) => cases.on_neither += 1,
        }
    }
    of_b.values().for_each(|_| missing.add(&mut cases, ComparedSide::B, OtherSide::NoSuchCase(ComparedSide::A)));
    let about = |run: &PlayedRun| ComparedRun { target: run.target.clone(), cases: run.cases.len() };
    let missing = missing.reasons(cases);
    Comparison { format: FORMAT, a: about(a), b: about(b), cases, differences: groups.differences(), missing }
}

/// The number of cases that only one side judged, by side and reason.
#[derive(Default)]
struct OneSided(BTreeMap<(ComparedSide, OtherSide), usize>);

impl OneSided {
    fn add(&mut self, cases: &mut Cases, judged_on: ComparedSide, reason: OtherSide) {
        cases.on_one_side += 1;
        *self.0.entry((judged_on, reason)).or_default() += 1;
    }

    fn reasons(self, cases: Cases) -> Vec<Missing> {
        let nothing = (cases.compared == 0).then_some(Missing::NothingCompared);
        let one_sided = self.0.into_iter().map(|((judged_on, reason), cases)| Missing::OneSided { cases, judged_on, reason });
        nothing.into_iter().chain(one_sided).collect()
    }
}
