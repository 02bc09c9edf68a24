//! A comparison as an outcome: breaks and changes are its causes, a test case each in a JUnit report.

use std::collections::BTreeMap;

use serde_json::Value;

use super::model::{Comparison, Difference, DifferenceStanding};
use crate::base::text::{bounded, counted};
use crate::engine::outcome::{
    Cause, Check, CheckResult, Fact, Figure, Heading, List, ListEntry, Missing, Outcome, Rule, Section, Tone, Verb, Weight,
};
use crate::spec::contract::Contracts;

/// The suite and the class of a JUnit report.
const SUITE: &str = "compare";
/// Kinds of freedom shown.
const KINDS: usize = 8;
/// Bytes of a value on one side.
const VALUE_BYTES: usize = 400;

impl Comparison {
    /// The outcome of the comparison. If changes are allowed, only breaks fail it.
    pub fn outcome(&self, contracts: &Contracts, allow_changes: bool) -> Outcome {
        let heading = Heading::new(Verb::Compare, format!("A {} with B {}", self.a.target, self.b.target));
        Outcome {
            figures: vec![Figure::new("cases", Tone::Plain, self.counts())],
            sections: self.freedoms().into_iter().collect(),
            causes: self.differences.iter().filter_map(|difference| cause(contracts, difference, allow_changes)).collect(),
            failures: self.failure(allow_changes).into_iter().collect(),
            missing: self.missing.clone(),
            pass: self.pass(),
            checks: self.checks(allow_changes),
            document: Some(Box::new(self.clone())),
            ..Outcome::new(heading.counting(self.cases.compared, "case"))
        }
    }

    fn pass(&self) -> String {
        match self.with_standing(DifferenceStanding::Changed).count() {
            0 => "nothing differs but what the documents leave free".to_owned(),
            changes => format!("{}, no breaks", counted(changes, "change")),
        }
    }

    fn counts(&self) -> String {
        let cases = self.cases;
        let mut counts = format!("{} compared, {} alike", cases.compared, cases.alike);
        for (count, what) in [(cases.on_one_side, "on one side only"), (cases.on_neither, "judged on neither side")] {
            if count > 0 {
                counts.push_str(&format!(", {count} {what}"));
            }
        }
        counts
    }

    fn failure(&self, allow_changes: bool) -> Option<String> {
        match (self.with_standing(DifferenceStanding::Break).count(), self.with_standing(DifferenceStanding::Changed).count()) {
            (0, 0) => None,
            (0, _) if allow_changes => None,
            (0, changes) => Some(format!("{}, no breaks", counted(changes, "change"))),
            (breaks, 0) => Some(counted(breaks, "break")),
            (breaks, changes) => Some(format!("{}, {}", counted(breaks, "break"), counted(changes, "change"))),
        }
    }

    /// The allowed differences, counted by reason.
    fn freedoms(&self) -> Option<Section> {
        let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for difference in self.with_standing(DifferenceStanding::Freedom) {
            let (times, places) = kinds.entry(difference.why.as_str()).or_default();
            (*times, *places) = (*times + difference.times, *places + 1);
        }
        let mut sorted: Vec<_> = kinds.into_iter().collect();
        sorted.sort_by_key(|(_, (times, _))| std::cmp::Reverse(*times));
        let entry = |(why, (times, places)): &(&str, (usize, usize))| {
            ListEntry::toned(Tone::Faint, format!("{why}: {} in {}", counted(*times, "difference"), counted(*places, "place")))
        };
        let list = List {
            title: "documented freedom (does not count)".to_owned(),
            tone: Tone::Faint,
            entries: sorted.iter().map(entry).collect(),
            shown: KINDS,
            noun: "kind",
            note: None,
        };
        (!sorted.is_empty()).then_some(Section::List(list))
    }

    fn checks(&self, allow_changes: bool) -> Vec<Check> {
        let check = |name: String, result| Check { suite: SUITE.to_owned(), class: SUITE.to_owned(), name, result };
        let differences = self.differences.iter().filter(|difference| difference.standing != DifferenceStanding::Freedom);
        let mut checks: Vec<_> = differences.map(|difference| check(name(difference), result(difference, allow_changes))).collect();
        let complete = match self.missing.as_slice() {
            [] => CheckResult::Passed,
            missing => CheckResult::NotJudged(missing.iter().map(Missing::to_string).collect()),
        };
        checks.push(check("everything asked for was compared".to_owned(), complete));
        checks
    }
}

fn cause(contracts: &Contracts, difference: &Difference, allow_changes: bool) -> Option<Cause> {
    let weight = match (difference.standing, &difference.known) {
        (DifferenceStanding::Freedom, _) => return None,
        (DifferenceStanding::Known, Some(by)) => Weight::Known(format!("until {}, {}", by.expires, by.owner)),
        (DifferenceStanding::Changed, _) if allow_changes => Weight::Noted,
        (DifferenceStanding::Break | DifferenceStanding::Changed | DifferenceStanding::Known, _) => Weight::Fails,
    };
    let who = match (difference.standing, difference.broken_by) {
        (DifferenceStanding::Break, Some(side)) => format!(", {side} breaks a rule that the other keeps"),
        (DifferenceStanding::Changed, _) => ", both conform".to_owned(),
        (_, _) => String::new(),
    };
    let message = match difference.clauses.join(", ").as_str() {
        "" => difference.why.clone(),
        clauses => format!("{clauses}: {}", difference.why),
    };
    let rules = difference.clauses.iter().filter_map(|id| contracts.clauses.get(id)).map(Rule::from_clause);
    let mut facts: Vec<Fact> = rules.map(|rule| Fact::rule(&rule)).collect();
    if let Some(example) = difference.examples.first() {
        facts.extend([Fact::Text("A", shown(example.a.as_ref())), Fact::Text("B", shown(example.b.as_ref()))]);
        facts.push(Fact::Text("first in", example.case.to_string()));
    }
    Some(Cause {
        weight,
        name: place(difference),
        seen: format!("{}{who}", counted(difference.cases, "case")),
        message,
        facts,
        evidence: None,
    })
}

/// The name of a difference's test case.
fn name(difference: &Difference) -> String {
    let kind = serde_json::to_value(difference.kind).ok().and_then(|kind| kind.as_str().map(str::to_owned)).unwrap_or_default();
    let broken_by = difference.broken_by.map(|side| format!(", {side} breaks")).unwrap_or_default();
    let why = if difference.broken_by.is_none() { format!(", {}", difference.why) } else { String::new() };
    format!("{}, {kind}{broken_by}{why}", place(difference))
}

fn result(difference: &Difference, allow_changes: bool) -> CheckResult {
    let failed = |kind| CheckResult::Failed { kind, message: difference.why.clone(), details: details(difference) };
    match difference.standing {
        DifferenceStanding::Break => failed("break"),
        DifferenceStanding::Changed if !allow_changes => failed("changed"),
        DifferenceStanding::Known | DifferenceStanding::Changed | DifferenceStanding::Freedom => {
            let by = difference.known.as_ref().map(|by| format!("known until {}, {}: ", by.expires, by.owner)).unwrap_or_default();
            CheckResult::Skipped(format!("{by}{}", difference.why))
        }
    }
}

fn details(difference: &Difference) -> String {
    let mut lines = vec![format!("{} in {}", place(difference), counted(difference.cases, "case"))];
    lines.extend((!difference.clauses.is_empty()).then(|| format!("clauses {}", difference.clauses.join(", "))));
    for example in &difference.examples {
        let step = example.step.as_ref().map(|step| format!(", {step}")).unwrap_or_default();
        lines.push(format!("in {}{step}", example.case));
        lines.push(format!("  A {}", shown(example.a.as_ref())));
        lines.push(format!("  B {}", shown(example.b.as_ref())));
    }
    lines.join("\n")
}

/// `gateway.v2.status, response body /price`
fn place(difference: &Difference) -> String {
    let at = difference.at.as_ref().map(|at| format!(", {at}")).unwrap_or_default();
    format!("{}{at}", difference.operation)
}

/// The value of one side, or a note that there is none.
fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), |value| bounded(&value.to_string(), VALUE_BYTES))
}
