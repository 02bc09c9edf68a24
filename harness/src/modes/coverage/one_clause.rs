//! One clause: its text and source, what checks it, and its result in the last run.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;

use super::judging_cases::JudgingCases;
use crate::base::text::{clean, counted};
use crate::engine::runner::Case;
use crate::spec::contract::{Clause, Contracts};

/// What is known of one clause before a run.
pub(crate) struct OneClause<'c> {
    clause: &'c Clause,
    /// Places in the contracts that judge every exchange by it.
    contracts: Vec<&'c str>,
    /// Scenarios that are about it.
    scenarios: Vec<&'c str>,
}

impl<'c> OneClause<'c> {
    /// Collects the carriers of a clause: places in the contracts, and the scenarios of the plan that are about it.
    pub(crate) fn new(clause: &'c Clause, contracts: &'c Contracts, plan: &'c [Case]) -> Self {
        let places = contracts.carriers.get(&clause.id).into_iter().flatten().map(|carrier| carrier.place.as_str());
        let about = plan.iter().filter(|case| case.is_about(&clause.id, contracts));
        let scenarios: BTreeSet<_> = about.map(|case| case.scenario.path.as_str()).collect();
        Self { clause, contracts: places.collect(), scenarios: scenarios.into_iter().collect() }
    }
}

impl fmt::Display for OneClause<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Clause { id, document, section, says, unchecked, checked_by, line, .. } = self.clause;
        writeln!(f, "{id}")?;
        let line = line.map(|line| format!(", line {line}")).unwrap_or_default();
        writeln!(f, "  {document}, {section}{line}")?;
        writeln!(f, "  {says}\n")?;
        match (checked_by, unchecked) {
            (Some(command), _) => return write!(f, "Checked by `paycheck {command}`, which plays the gateway towards a merchant."),
            (None, Some(reason)) => return write!(f, "Not checked by a run: {reason}"),
            (None, None) => {}
        }
        list(f, "The contract checks it in everything that is exchanged", &self.contracts)?;
        list(f, "Scenarios that are about it", &self.scenarios)
    }
}

fn list(f: &mut fmt::Formatter<'_>, title: &str, places: &[&str]) -> fmt::Result {
    if places.is_empty() {
        return Ok(());
    }
    writeln!(f, "{title}:")?;
    places.iter().try_for_each(|place| writeln!(f, "  {place}"))
}

/// The results of a clause in a file of events (`verify --events`).
pub(crate) struct Events {
    /// The clause's outcome in the last run of the file.
    outcome: Option<Value>,
    target: String,
    /// Cases that broke it.
    broken: Vec<String>,
}

impl Events {
    /// Reads the last run of a file of events. Lines that are no events are an error with their number.
    pub(crate) fn read(text: &str, id: &str) -> Result<Self, String> {
        let mut events = Self { outcome: None, target: String::new(), broken: Vec::new() };
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let event: Value = serde_json::from_str(line).map_err(|error| format!("line {}: {error}", number + 1))?;
            match event.get("event").and_then(Value::as_str) {
                Some("run-started") => {
                    let target = event.get("target").and_then(Value::as_str).unwrap_or_default().to_owned();
                    events = Self { outcome: None, target, broken: Vec::new() };
                }
                Some("case-finished") if breaks(&event, id) => events.broken.push(case_name(&event)),
                Some("run-finished") => events.outcome = outcome(&event, id).cloned(),
                Some(_) => {}
                None => return Err(format!("line {} is no event", number + 1)),
            }
        }
        Ok(events)
    }
}

impl fmt::Display for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(outcome) = &self.outcome else {
            return writeln!(f, "  the run has not ended, or knows no such clause");
        };
        let text = |name: &str| outcome.get(name).and_then(Value::as_str).unwrap_or_default();
        let count = |name: &str| outcome.get(name).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok()).unwrap_or_default();
        let times = count("times");
        let state = match text("standing") {
            "passed" => held(times, count("injected"), count("in-passing")),
            "injected" => held(times, times.saturating_sub(count("in-passing")), count("in-passing")),
            "in-passing" => held(times, 0, times),
            standing @ ("failed" | "known") => format!("{standing} in {}", counted(times, "case")),
            standing @ ("skipped" | "unchecked") => format!("{standing}: {}", text("reason")),
            standing => format!("{standing}: nothing that ran judged it"),
        };
        writeln!(f, "  {state}")?;
        writeln!(f, "  against {}", clean(&self.target))?;
        self.broken.iter().try_for_each(|case| writeln!(f, "  broken by {}", clean(case)))
    }
}

/// How a clause that held was judged.
fn held(times: usize, injected: usize, in_passing: usize) -> String {
    let judged = JudgingCases::new(times, injected, in_passing);
    format!("{}: {judged}", judged.standing().word())
}

fn outcome<'e>(event: &'e Value, id: &str) -> Option<&'e Value> {
    event.get("clauses")?.as_array()?.iter().find(|clause| clause.get("id").and_then(Value::as_str) == Some(id))
}

fn breaks(event: &Value, id: &str) -> bool {
    let findings = event.get("findings").and_then(Value::as_array).into_iter().flatten();
    let mut clauses = findings.filter_map(|finding| finding.get("clauses")?.as_array()).flatten();
    clauses.any(|clause| clause.as_str() == Some(id))
}

fn case_name(event: &Value) -> String {
    let part = |name: &str| event.get(name).and_then(Value::as_str).filter(|part| !part.is_empty());
    ["api", "scenario", "case"].into_iter().filter_map(part).collect::<Vec<_>>().join(" / ")
}
