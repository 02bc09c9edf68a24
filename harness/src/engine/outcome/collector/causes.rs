//! Groups findings by their cause; of each cause the first finding is kept.

use std::borrow::Cow;
use std::collections::BTreeSet;

use indexmap::{IndexMap, IndexSet};

use crate::base::place::Place;
use crate::base::text::counted;
use crate::base::verdict::{Finding, FindingKind};
use crate::engine::outcome::evidence::Evidence;
use crate::engine::outcome::part::{Cause, Fact, Weight};

/// Findings of one cause.
#[derive(Clone, Debug)]
struct Group {
    /// The first finding; if it breaks no clause, the first one that does. Of one code in the place of another, the first that names
    /// the rule of the code itself, not one of those that ask for it.
    first: Box<Evidence>,
    /// The most specific clause of each finding.
    clauses: IndexSet<String>,
    /// Cases that show it.
    cases: usize,
}

/// What findings of one cause share.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Key {
    /// One rule, broken at one place.
    Rule { clause: String, operation: String, at: Option<Place> },
    /// One refusal, whichever rules ask for success: who refuses a currency breaks the rules of all that is paid in it.
    Refusal { operation: String, code: String },
    /// One code in the place of another, whichever rules ask for it: who has the two mixed up breaks every rule with either.
    OtherCode { operation: String, expected: String, got: String },
}

impl Key {
    fn of(finding: &Finding) -> Self {
        let (clause, operation, at) = finding.cause();
        let operation = operation.to_owned();
        match &finding.kind {
            FindingKind::Refused(code) => Self::Refusal { operation, code: code.clone() },
            FindingKind::OtherCode { expected, got, .. } => Self::OtherCode { operation, expected: expected.clone(), got: got.clone() },
            FindingKind::Differs | FindingKind::Unexpected | FindingKind::NothingArrived => {
                Self::Rule { clause: clause.to_owned(), operation, at }
            }
        }
    }
}

/// The finding whose cause a finding of the same case shares: a value that breaks the contract is not what a step expects, either.
fn explained_by<'f>(finding: &'f Finding, findings: &'f [Finding]) -> &'f Finding {
    let is_same_place = |other: &&Finding| {
        other.kind == FindingKind::Differs && other.exchange == finding.exchange && other.at == finding.at && weighs_like(other, finding)
    };
    match finding.kind {
        FindingKind::Unexpected | FindingKind::OtherCode { .. } if finding.at.is_some() && finding.exchange.is_some() => {
            findings.iter().find(is_same_place).unwrap_or(finding)
        }
        _ => finding,
    }
}

/// Of a finding of one code in the place of another: whether it names the rule of the code itself.
fn names_its_code(finding: &Finding) -> Option<bool> {
    match &finding.kind {
        FindingKind::OtherCode { clause, .. } => Some(clause.as_deref() == Some(finding.clause())),
        FindingKind::Differs | FindingKind::Unexpected | FindingKind::Refused(_) | FindingKind::NothingArrived => None,
    }
}

/// Whether two findings count alike.
fn weighs_like(one: &Finding, other: &Finding) -> bool {
    one.known.is_some() == other.known.is_some() && one.assumed.is_some() == other.assumed.is_some()
}

impl Group {
    fn add(&mut self, finding: &Finding, first_in_case: bool, evidence: impl Fn(&Finding) -> Evidence) {
        let clause = finding.clause();
        if !clause.is_empty() {
            let is_first_named = self.clauses.is_empty() && self.cases > 0;
            if is_first_named || (names_its_code(finding) == Some(true) && names_its_code(&self.first.finding) == Some(false)) {
                *self.first = evidence(finding);
            }
            self.clauses.insert(clause.to_owned());
        }
        self.cases += usize::from(first_in_case);
    }

    /// Both groups as one.
    fn joined(mut self, other: Self) -> Self {
        if self.clauses.is_empty() && !other.clauses.is_empty() {
            self.first = other.first;
        }
        self.clauses.extend(other.clauses);
        self.cases += other.cases;
        self
    }

    /// The clauses that its first finding does not name.
    fn further(&self) -> Vec<String> {
        let first = self.first.finding.clause();
        self.clauses.iter().filter(|clause| *clause != first).cloned().collect()
    }
}

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
            let key = Key::of(explained_by(finding, findings));
            let first_in_case = seen.insert((key.clone(), finding.assumed.is_some(), finding.known.is_some()));
            if finding.counts() {
                self.clauses.extend(finding.clauses.iter().filter(|id| !id.is_empty()).cloned());
            }
            let groups = match (&finding.known, &finding.assumed) {
                (Some(_), _) => &mut self.known,
                (None, Some(_)) => &mut self.assumed,
                (None, None) => &mut self.counting,
            };
            let new = || Group { first: Box::new(evidence(finding)), clauses: IndexSet::new(), cases: 0 };
            groups.entry(key).or_insert_with(new).add(finding, first_in_case, &evidence);
        }
    }

    /// All causes, those that count first; of each kind the most frequent first. `silent`: no notification arrived in the run.
    pub(super) fn sorted(&self, silent: bool) -> Vec<Cause> {
        let kinds = [&self.counting, &self.known, &self.assumed];
        kinds.into_iter().flat_map(|groups| by_frequency(groups, silent)).map(|group| cause(&group)).collect()
    }

    /// Whether a finding that counts names the clause.
    pub(super) fn name(&self, clause: &str) -> bool {
        self.clauses.contains(clause)
    }

    /// The most specific clauses of findings that count.
    pub(super) fn clauses_that_count(&self) -> usize {
        self.counting.values().flat_map(|group| &group.clauses).collect::<BTreeSet<_>>().len()
    }
}

/// The sort is stable: equal counts stay in the order of the plan. In a run in which no notification arrived, all that missed one
/// have one cause.
fn by_frequency(groups: &IndexMap<Key, Group>, silent: bool) -> Vec<Cow<'_, Group>> {
    let is_silence = |group: &&Group| silent && group.first.finding.kind == FindingKind::NothingArrived;
    let silence = groups.values().filter(is_silence).cloned().reduce(Group::joined).map(Cow::Owned);
    let others = groups.values().filter(|group| !is_silence(group)).map(Cow::Borrowed);
    let mut sorted: Vec<_> = silence.into_iter().chain(others).collect();
    sorted.sort_by_key(|group| std::cmp::Reverse(group.cases));
    sorted
}

fn cause(group: &Group) -> Cause {
    let Group { first, cases, .. } = group;
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
    facts.extend(Some(group.further()).filter(|further| !further.is_empty()).map(|further| Fact::Names("also", further)));
    facts.push(Fact::At(format!("{at}{}, first in {}", finding.operation, first.case)));
    facts.push(Fact::Compared { expected: finding.expected.clone(), got: finding.got.clone() });
    facts.extend(first.messages.iter().cloned().map(Fact::Message));
    facts.extend(finding.curl.clone().map(Fact::Command));
    facts.extend(first.note().map(Fact::Note));
    let (seen, message) = (format!("{}{step}", counted(*cases, "case")), finding.message.clone());
    Cause { weight, name: name.to_owned(), seen, message, facts, evidence: Some(Box::new(Evidence { cases: *cases, ..(**first).clone() })) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::place::Message;
    use crate::engine::event::CaseName;
    use crate::spec::contract::Contracts;

    fn refused(clause: &str, operation: &str, code: &str) -> Finding {
        Finding { kind: FindingKind::Refused(code.to_owned()), ..Finding::new(clause, operation, "refused") }
    }

    /// Name, cases and further clauses of the causes of cases with these findings.
    fn causes(cases: &[&[Finding]]) -> Vec<(String, String, Vec<String>)> {
        let mut causes = Causes::default();
        for findings in cases {
            causes.add(findings, |finding| Evidence::new(&Contracts::default(), &CaseName::default(), finding, &[], false));
        }
        let also = |cause: &Cause| {
            cause.facts.iter().find_map(|fact| if let Fact::Names("also", names) = fact { Some(names.clone()) } else { None })
        };
        causes.sorted(false).iter().map(|cause| (cause.name.clone(), cause.seen.clone(), also(cause).unwrap_or_default())).collect()
    }

    #[test]
    fn a_refusal_is_one_cause_whichever_rules_it_breaks() {
        let (euro, most, other) = (refused("pay.euro", "pay", "9"), refused("pay.most", "pay", "9"), refused("pay.least", "pay", "8"));
        let elsewhere = refused("pay.euro", "refund", "9");
        let found = causes(&[&[euro.clone(), euro.clone()], &[most], &[euro], &[other], &[elsewhere]]);
        let expected =
            [("pay.euro", "3 cases", vec!["pay.most".to_owned()]), ("pay.least", "1 case", vec![]), ("pay.euro", "1 case", vec![])];
        assert_eq!(found, expected.map(|(name, seen, also)| (name.to_owned(), seen.to_owned(), also)));
    }

    #[test]
    fn a_refusal_has_the_name_of_a_clause_where_a_finding_has_one() {
        let found = causes(&[&[refused("", "pay", "9")], &[refused("pay.euro", "pay", "9")], &[refused("", "pay", "9")]]);
        assert_eq!(found, [("pay.euro".to_owned(), "3 cases".to_owned(), vec![])]);
        assert_eq!(causes(&[&[refused("", "pay", "9")]])[0].0, "an expectation of the scenario");
    }

    fn at_price(kind: FindingKind, clause: &str, exchange: usize) -> Finding {
        let at = Place::value(Message::Response, "/price");
        Finding { kind, exchange: Some(exchange), ..Finding::new(clause, "pay", "").at(at) }
    }

    #[test]
    fn what_a_step_expects_is_no_cause_where_the_contract_is_broken_already() {
        let (broken, unexpected) = (at_price(FindingKind::Differs, "price", 3), at_price(FindingKind::Unexpected, "sum", 3));
        let joined = [("price".to_owned(), "1 case".to_owned(), vec!["sum".to_owned()])];
        assert_eq!(causes(&[&[broken.clone(), unexpected.clone()]]), joined);
        assert_eq!(causes(&[&[broken.clone(), at_price(FindingKind::Unexpected, "sum", 4)]]).len(), 2, "another exchange");
        assert_eq!(causes(&[&[broken], std::slice::from_ref(&unexpected)]).len(), 2, "another case");
        let assumed = Finding { assumed: Some("not shown".to_owned()), ..at_price(FindingKind::Differs, "price", 3) };
        assert_eq!(causes(&[&[assumed, unexpected]]).len(), 2, "one that does not count hides none that does");
    }

    #[test]
    fn one_code_in_the_place_of_another_is_one_cause() {
        let other = |clause: &str, got: &str| {
            let (expected, clause_of_code) = ("9".to_owned(), Some("pay.code.9".to_owned()));
            let kind = FindingKind::OtherCode { expected, got: got.to_owned(), clause: clause_of_code };
            Finding { kind, ..Finding::new(clause, "pay", "") }
        };
        let found = |cases: &[&[Finding]]| {
            causes(cases).into_iter().map(|(name, seen, also)| format!("{name}: {seen} {also:?}")).collect::<Vec<_>>()
        };
        let without = found(&[&[other("pay.least", "8")], &[other("pay.most", "8")], &[other("pay.most", "7")]]);
        assert_eq!(without, [r#"pay.least: 2 cases ["pay.most"]"#, "pay.most: 1 case []"]);
        let with = found(&[&[other("pay.least", "8")], &[other("pay.code.9", "8")], &[other("pay.most", "8")]]);
        assert_eq!(with, [r#"pay.code.9: 3 cases ["pay.least", "pay.most"]"#], "the rule of the code itself names them");
    }

    #[test]
    fn in_a_run_without_notifications_all_that_miss_one_have_one_cause() {
        let missed = |clause: &str| Finding { kind: FindingKind::NothingArrived, ..Finding::new(clause, "push", "") };
        let mut causes = Causes::default();
        for finding in [missed(""), missed("push.paid"), Finding::new("pay.least", "pay", ""), missed("push.cancelled")] {
            causes.add(&[finding], |finding| Evidence::new(&Contracts::default(), &CaseName::default(), finding, &[], false));
        }
        let named = |silent| causes.sorted(silent).iter().map(|cause| format!("{}: {}", cause.name, cause.seen)).collect::<Vec<_>>();
        assert_eq!(named(true), ["push.paid: 3 cases", "pay.least: 1 case"]);
        assert_eq!(named(false).len(), 4);
    }

    #[test]
    fn what_is_no_refusal_is_a_cause_for_each_rule() {
        let found = causes(&[&[Finding::new("a", "pay", "")], &[Finding::new("b", "pay", "")]]);
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn all_clauses_of_a_refusal_count() {
        let mut causes = Causes::default();
        let findings = [refused("a", "pay", "9"), refused("b", "pay", "9"), refused("", "pay", "9")];
        causes.add(&findings, |finding| Evidence::new(&Contracts::default(), &CaseName::default(), finding, &[], false));
        assert_eq!(causes.clauses_that_count(), 2);
        assert!(causes.name("b"));
    }
}
