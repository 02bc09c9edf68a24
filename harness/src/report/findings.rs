//! The findings of a run grouped by cause, in bounded memory: of each group the first one is kept.

use std::borrow::Cow;
use std::collections::BTreeSet;

use indexmap::IndexMap;

use crate::event::{InstanceFinished, InstanceName};
use crate::verdict::{Finding, Verdict};

/// Findings of one cause.
#[derive(Debug)]
pub(super) struct Group {
    /// The first finding of it.
    pub(super) finding: Finding,
    /// Where that one was found.
    pub(super) first: InstanceName,
    /// In how many instances it was found.
    pub(super) instances: usize,
}

/// The clause, the operation and the place, owned.
type Cause = (String, String, Option<String>);

/// All findings so far.
#[derive(Debug, Default)]
pub(super) struct Findings {
    counting: IndexMap<Cause, Group>,
    assumed: IndexMap<Cause, Group>,
    known: IndexMap<Cause, Group>,
    clauses: BTreeSet<String>,
}

impl Findings {
    /// Takes in what was found in one instance.
    pub(super) fn take(&mut self, instance: &InstanceFinished) {
        let Verdict::Failed { findings } = &instance.verdict else { return };
        let mut told = BTreeSet::new();
        for finding in findings {
            let once = told.insert((finding.cause(), finding.assumed.is_some(), finding.known.is_some()));
            self.add(finding, &instance.name, once);
        }
    }

    fn add(&mut self, finding: &Finding, name: &InstanceName, first_in_instance: bool) {
        if finding.counts() {
            self.clauses.extend(finding.clauses.iter().filter(|id| !id.is_empty()).cloned());
        }
        let groups = match (&finding.known, &finding.assumed) {
            (Some(_), _) => &mut self.known,
            (None, Some(_)) => &mut self.assumed,
            (None, None) => &mut self.counting,
        };
        let (clause, operation, at) = finding.cause();
        let cause = (clause.to_owned(), operation.to_owned(), at.map(Cow::into_owned));
        let group = groups.entry(cause).or_insert_with(|| Group { finding: finding.clone(), first: name.clone(), instances: 0 });
        group.instances += usize::from(first_in_instance);
    }

    /// Groups that count, the one found most often first.
    pub(super) fn counting(&self) -> Vec<&Group> {
        by_frequency(&self.counting)
    }

    /// Groups of findings against assumed rules, likewise.
    pub(super) fn assumed(&self) -> Vec<&Group> {
        by_frequency(&self.assumed)
    }

    /// Groups of findings that somebody has accepted, likewise.
    pub(super) fn known(&self) -> Vec<&Group> {
        by_frequency(&self.known)
    }

    /// Whether a finding that counts names this clause.
    pub(super) fn broke(&self, clause: &str) -> bool {
        self.clauses.contains(clause)
    }

    /// The most specific clauses of what counts.
    pub(super) fn causes(&self) -> usize {
        self.counting.keys().map(|(clause, ..)| clause).filter(|id| !id.is_empty()).collect::<BTreeSet<_>>().len()
    }
}

/// The sort is stable: equal counts stay in the order of the plan.
fn by_frequency(groups: &IndexMap<Cause, Group>) -> Vec<&Group> {
    let mut sorted: Vec<_> = groups.values().collect();
    sorted.sort_by_key(|group| std::cmp::Reverse(group.instances));
    sorted
}

/// Whether everything that was found is against assumed rules.
pub(super) fn only_assumed(findings: &[Finding]) -> bool {
    !findings.is_empty() && findings.iter().all(|finding| finding.assumed.is_some() && finding.known.is_none())
}

/// Whether something that was found is accepted, and nothing that was found counts.
pub(super) fn only_known(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.known.is_some()) && !findings.iter().any(Finding::counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Event;
    use crate::report::sample::{self, finding};

    #[test]
    fn an_instance_counts_once_for_a_cause_and_the_most_frequent_comes_first() {
        let run = sample::run().failed("a", vec![finding("rare"), finding("often"), finding("often")]).failed("b", vec![finding("often")]);
        let mut findings = Findings::default();
        for event in run.events() {
            if let Event::InstanceFinished(instance) = event {
                findings.take(&instance);
            }
        }
        let told: Vec<_> = findings.counting().iter().map(|g| (g.finding.clause().to_owned(), g.instances)).collect();
        assert_eq!(told, [("often".to_owned(), 2), ("rare".to_owned(), 1)]);
    }
}
