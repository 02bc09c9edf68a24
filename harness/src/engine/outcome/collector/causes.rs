//! Groups findings by their cause; of each cause the first finding is kept.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use crate::base::place::Place;
use crate::base::text::counted;
use crate::base::verdict::Finding;
use crate::engine::outcome::evidence::Evidence;
use crate::engine::outcome::part::{Cause, Fact, Weight};

/// Findings of one cause.
#[derive(Debug)]
struct Group {
    /// The first finding.
    first: Box<Evidence>,
    /// Cases that show it.
    cases: usize,
}

/// The clause, the operation and the place.
type Key = (String, String, Option<Place>);

/// Findings grouped by cause.
#[derive(Debug, Default)]
pub(super) struct Causes {
    counting: IndexMap<Key, Group>,
    assumed: IndexMap<Key, Group>,
    known: IndexMap<Key, Group>,
    clauses: BTreeSet<String>,
}

impl Causes {
    /// Adds the findings of a case.
    pub(super) fn add(&mut self, findings: &[Finding], evidence: impl Fn(&Finding) -> Evidence) {
        let mut seen = BTreeSet::new();
        for finding in findings {
            let (clause, operation, at) = finding.cause();
            let key: Key = (clause.to_owned(), operation.to_owned(), at);
            let first_in_case = seen.insert((key.clone(), finding.assumed.is_some(), finding.known.is_some()));
            if finding.counts() {
                self.clauses.extend(finding.clauses.iter().filter(|id| !id.is_empty()).cloned());
            }
            let groups = match (&finding.known, &finding.assumed) {
                (Some(_), _) => &mut self.known,
                (None, Some(_)) => &mut self.assumed,
                (None, None) => &mut self.counting,
            };
            let group = groups.entry(key).or_insert_with(|| Group { first: Box::new(evidence(finding)), cases: 0 });
            group.cases += usize::from(first_in_case);
        }
    }

    /// All causes, those that count first; of each kind the most frequent first.
    pub(super) fn sorted(&self) -> Vec<Cause> {
        [&self.counting, &self.known, &self.assumed].into_iter().flat_map(by_frequency).map(cause).collect()
    }

    /// Whether a finding that counts names the clause.
    pub(super) fn name(&self, clause: &str) -> bool {
        self.clauses.contains(clause)
    }

    /// The most specific clauses of findings that count.
    pub(super) fn clauses_that_count(&self) -> usize {
        self.counting.keys().map(|(clause, ..)| clause).filter(|id| !id.is_empty()).collect::<BTreeSet<_>>().len()
    }
}

/// The sort is stable: equal counts stay in the order of the plan.
fn by_frequency(groups: &IndexMap<Key, Group>) -> Vec<&Group> {
    let mut sorted: Vec<_> = groups.values().collect();
    sorted.sort_by_key(|group| std::cmp::Reverse(group.cases));
    sorted
}

fn cause(group: &Group) -> Cause {
    let Group { first, cases } = group;
    let finding = &first.finding;
    let weight = match (&finding.known, &finding.assumed) {
        (Some(by), _) => Weight::Known(format!("until {}, {}", by.expires, by.owner)),
        (None, Some(why)) => Weight::Assumed(why.clone()),
        (None, None) => Weight::Fails,
    };
    let name = if finding.clause().is_empty() { "an expectation of the scenario" } else { finding.clause() };
    let step = finding.step.as_ref().filter(|_| weight == Weight::Fails).map(|step| format!(", {step}")).unwrap_or_default();
    let at = finding.at.as_ref().map(|at| format!("{at} of ")).unwrap_or_default();
    let mut facts: Vec<_> = first.rule.iter().map(Fact::rule).collect();
    facts.push(Fact::At(format!("{at}{}, first in {}", finding.operation, first.case)));
    facts.push(Fact::Compared { expected: finding.expected.clone(), got: finding.got.clone() });
    facts.extend(first.messages.iter().cloned().map(Fact::Message));
    facts.extend(finding.curl.clone().map(Fact::Command));
    facts.extend(first.note().map(Fact::Note));
    let (seen, message) = (format!("{}{step}", counted(*cases, "case")), finding.message.clone());
    Cause { weight, name: name.to_owned(), seen, message, facts, evidence: Some(Box::new(Evidence { cases: *cases, ..(**first).clone() })) }
}
