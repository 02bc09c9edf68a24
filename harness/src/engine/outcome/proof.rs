//! What a run of cases proved, by clause and by transition, and its duration.

use std::collections::BTreeMap;
use std::time::Duration;

use super::evidence::Rule;
use crate::base::verdict::Verdict;
use crate::engine::event::{CaseFinished, CaseName, Counts, RunFinished, Standing};
use crate::spec::contract::{Contracts, StateTable, Trigger};

/// The number of slowest cases listed.
const SLOWEST: usize = 10;

/// The proof of a run of cases.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Proof {
    /// Every clause, in the order of the contracts.
    pub clauses: Vec<ProvedClause>,
    /// Every transition table.
    pub tables: Vec<ProvedTable>,
    /// The cases of each API.
    pub apis: BTreeMap<String, ApiCases>,
    /// The cases that took longest, the longest first.
    pub slowest: Vec<(Duration, CaseName)>,
    /// Wall time of the run.
    pub elapsed: Duration,
}

/// A clause and its standing.
#[derive(Clone, Debug, PartialEq)]
pub struct ProvedClause {
    /// The rule.
    pub rule: Rule,
    /// Its standing.
    pub standing: Standing,
}

/// A transition table and what happened of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ProvedTable {
    /// `payment`.
    pub resource: String,
    /// The states, in the document's order; initial states come first.
    pub states: Vec<String>,
    /// The transitions, in the document's order.
    pub transitions: Vec<Transition>,
}

/// A transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// Its id within the table.
    pub id: String,
    /// The state before; none for a creation.
    pub from: Option<String>,
    /// The state after; none if the document leaves it open.
    pub to: Option<String>,
    /// Its trigger.
    pub trigger: String,
    /// The number of cases in which it happened.
    pub times: usize,
}

/// The cases of one API.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ApiCases {
    /// By verdict.
    pub counts: Counts,
    /// Their time, added up.
    pub elapsed: Duration,
}

impl Proof {
    /// Adds a case.
    pub(super) fn case(&mut self, case: &CaseFinished) {
        let api = self.apis.entry(case.name.api.clone()).or_default();
        *match case.verdict {
            Verdict::Passed => &mut api.counts.passed,
            Verdict::Failed { .. } => &mut api.counts.failed,
            Verdict::Skipped { .. } => &mut api.counts.skipped,
            Verdict::NotJudged { .. } => &mut api.counts.not_judged,
        } += 1;
        api.elapsed += case.elapsed;
        let place = self.slowest.partition_point(|(elapsed, _)| *elapsed >= case.elapsed);
        if place < SLOWEST {
            self.slowest.insert(place, (case.elapsed, case.name.clone()));
            self.slowest.truncate(SLOWEST);
        }
    }

    /// Completes the proof at the end of the run, with the standing of the documents' rules.
    pub(super) fn completed(&self, contracts: &Contracts, run: &RunFinished) -> Self {
        let clause = |outcome: &crate::engine::event::ClauseOutcome| {
            let rule = Rule::from_clause(contracts.clauses.get(&outcome.id)?);
            Some(ProvedClause { rule, standing: outcome.standing.clone() })
        };
        let happened: BTreeMap<&str, usize> = run.rows.iter().map(|row| (row.row.as_str(), row.times)).collect();
        Self {
            clauses: run.clauses.iter().filter_map(clause).collect(),
            tables: contracts.tables.values().map(|table| proved(table, &happened)).filter(|_| !run.rows.is_empty()).collect(),
            elapsed: run.elapsed,
            ..self.clone()
        }
    }
}

fn proved(table: &StateTable, happened: &BTreeMap<&str, usize>) -> ProvedTable {
    let (mut states, others): (Vec<_>, Vec<_>) = table.states.iter().partition(|(_, state)| state.initial);
    states.extend(others);
    let transition = |row: &crate::spec::contract::TransitionRow| Transition {
        id: row.id.clone(),
        from: row.from.clone(),
        to: row.to.clone(),
        trigger: trigger(&row.trigger),
        times: happened.get(format!("{}/{}", table.resource, row.id).as_str()).copied().unwrap_or_default(),
    };
    ProvedTable {
        resource: table.resource.clone(),
        states: states.into_iter().map(|(name, _)| name.clone()).collect(),
        transitions: table.rows.iter().map(transition).collect(),
    }
}

fn trigger(trigger: &Trigger) -> String {
    match trigger {
        Trigger::Call { operations, codes } if codes.is_empty() => operations.join(", "),
        Trigger::Call { operations, codes } => format!("{} with code {}", operations.join(", "), codes.join(" or ")),
        Trigger::World { actions } => actions.join(", "),
    }
}
