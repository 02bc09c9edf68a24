//! Groups differences by cause.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::model::{ComparedSide, Difference, DifferenceExample, DifferenceKind};
use super::sighting::Sighting;
use crate::base::place::Place;
use crate::engine::event::CaseName;

/// Examples kept of each cause.
const EXAMPLES: usize = 3;

/// The operation, the place, the kind of difference (none for a break), the side at fault, and the reason.
type Cause = (String, Option<Place>, Option<DifferenceKind>, Option<ComparedSide>, Option<String>);

/// All differences so far, by cause.
#[derive(Debug, Default)]
pub(super) struct Groups(IndexMap<Cause, Difference>);

impl Groups {
    /// Adds the differences of one case.
    pub(super) fn add(&mut self, name: &CaseName, seen: Vec<Sighting>) {
        let mut met = BTreeSet::new();
        for seen in seen {
            let cause = cause(&seen);
            let first = met.insert(cause.clone());
            let group = self.0.entry(cause).or_insert_with(|| Difference {
                standing: seen.standing,
                operation: seen.operation.clone(),
                at: seen.at.clone(),
                kind: seen.kind,
                broken_by: seen.broken_by,
                clauses: Vec::new(),
                why: seen.why.clone(),
                known: seen.known.clone(),
                times: 0,
                cases: 0,
                examples: Vec::new(),
            });
            add(group, name, seen, first);
        }
    }

    /// The groups: breaks first, then the most frequent, then in the order of the plan.
    pub(super) fn differences(self) -> Vec<Difference> {
        let mut differences: Vec<_> = self.0.into_values().collect();
        differences.sort_by_key(|difference| (difference.standing, std::cmp::Reverse(difference.cases)));
        differences
    }
}

fn cause(seen: &Sighting) -> Cause {
    let is_rule = seen.broken_by.is_some();
    let kind = (!is_rule).then_some(seen.kind);
    (seen.operation.clone(), seen.at.clone(), kind, seen.broken_by, (!is_rule).then(|| seen.why.clone()))
}

fn add(group: &mut Difference, name: &CaseName, seen: Sighting, first_in_case: bool) {
    group.times += 1;
    group.cases += usize::from(first_in_case);
    // One that is not accepted makes the whole group count.
    if seen.standing < group.standing {
        (group.standing, group.known) = (seen.standing, None);
    }
    let more: Vec<_> = seen.clauses.into_iter().filter(|clause| !clause.is_empty() && !group.clauses.contains(clause)).collect();
    group.clauses.extend(more);
    if first_in_case && group.examples.len() < EXAMPLES {
        group.examples.push(DifferenceExample { case: name.clone(), step: seen.step, a: seen.a, b: seen.b });
    }
}
