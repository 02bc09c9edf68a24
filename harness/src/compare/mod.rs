//! Two runs of the same scenarios held against each other: what one side breaks and the other keeps, what
//! has changed, and what the documents leave to the target. Pure: recordings in, differences out.
//!
//! `docs/compare.md` is the manual.

mod align;
mod diff;
mod freedom;
mod group;
mod judge;
mod model;
mod place;
mod rename;
pub mod report;
mod says;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::contract::Contracts;
use crate::event::InstanceName;
use crate::exchange::Exchange;
use crate::report::text::counted;
use crate::verdict::Verdict;
use group::{Groups, only_freedom};
pub use model::{About, Comparison, Difference, Example, FORMAT, Instances, Kind, Side, Standing, schema};

/// A run, as far as it is compared.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The target's title.
    pub target: String,
    /// Its instances, in the order of the plan.
    pub instances: Vec<Played>,
}

/// One instance of a run.
#[derive(Clone, Debug)]
pub struct Played {
    /// Which instance.
    pub name: InstanceName,
    /// How it ended.
    pub verdict: Verdict,
    /// Everything recorded, calls and notifications.
    pub record: Vec<Arc<Exchange>>,
}

impl Played {
    /// Why it can't be compared, if it can't.
    fn not_judged(&self) -> Option<&str> {
        match &self.verdict {
            Verdict::Passed | Verdict::Failed { .. } => None,
            Verdict::Skipped { reason } | Verdict::Broken { reason } => Some(reason),
        }
    }
}

/// Compares two runs, instance by instance.
pub fn compare(a: &Run, b: &Run, contracts: &Contracts) -> Comparison {
    let mut of_b: IndexMap<&InstanceName, &Played> = b.instances.iter().map(|played| (&played.name, played)).collect();
    let (mut instances, mut groups, mut missing) = (Instances::default(), Groups::default(), Missing::default());
    for played in &a.instances {
        let Some(other) = of_b.shift_remove(&played.name) else {
            missing.add(&mut instances, Side::A, "B has no such instance");
            continue;
        };
        match (played.not_judged(), other.not_judged()) {
            (None, None) => {
                let seen = judge::differences(contracts, played, other);
                instances.compared += 1;
                instances.alike += usize::from(only_freedom(&seen));
                groups.take(&played.name, seen);
            }
            (None, Some(reason)) => missing.add(&mut instances, Side::A, reason),
            (Some(reason), None) => missing.add(&mut instances, Side::B, reason),
            (Some(_), Some(_)) => instances.on_neither += 1,
        }
    }
    of_b.values().for_each(|_| missing.add(&mut instances, Side::B, "A has no such instance"));
    let about = |run: &Run| About { target: run.target.clone(), instances: run.instances.len() };
    let missing = missing.reasons(instances);
    Comparison { format: FORMAT, a: about(a), b: about(b), instances, differences: groups.differences(), missing }
}

/// Instances that were judged on one side only, by the side and the reason.
#[derive(Default)]
struct Missing(BTreeMap<(Side, String), usize>);

impl Missing {
    fn add(&mut self, instances: &mut Instances, judged_on: Side, reason: &str) {
        instances.on_one_side += 1;
        *self.0.entry((judged_on, reason.to_owned())).or_default() += 1;
    }

    fn reasons(self, instances: Instances) -> Vec<String> {
        let nothing = (instances.compared == 0).then(|| "nothing could be compared".to_owned());
        let told = self.0.into_iter().map(|((side, reason), count)| {
            format!("{} judged on {} only: {reason}", counted(count, "instance"), if side == Side::A { "A" } else { "B" })
        });
        nothing.into_iter().chain(told).collect()
    }
}
