//! Turns the events of a run into its outcome, in bounded memory: of each cause the first finding is kept.

mod causes;
mod sentences;

use std::collections::BTreeMap;
use std::sync::Arc;

use causes::Causes;

use super::evidence::Evidence;
use super::part::{Ended, Heading, Verb};
use super::proof::Proof;
use super::{Missing, Outcome};
use crate::base::not_judged::NotJudgedReason;
use crate::base::skip::SkipReason;
use crate::base::verdict::{Finding, FindingKind, Verdict};
use crate::engine::event::{CaseFinished, Event, OpenReason, RunFinished, RunStarted, Standing};
use crate::engine::open_clauses::open_clauses;
use crate::judge::known::SUITE;
use crate::spec::contract::{Contracts, api_of};

/// Collects the outcome of a run.
#[derive(Debug)]
pub struct Collector {
    verb: Verb,
    started: Option<RunStarted>,
    finished: Arc<RunFinished>,
    reported: usize,
    failed: usize,
    only_assumed: usize,
    only_known: usize,
    unnotified: usize,
    stale: usize,
    skipped: BTreeMap<SkipReason, usize>,
    not_judged: BTreeMap<NotJudgedReason, usize>,
    causes: Causes,
    proof: Proof,
}

impl Collector {
    /// A collector for the events of one run.
    pub fn new(verb: Verb) -> Self {
        Self {
            verb,
            started: None,
            finished: Arc::default(),
            reported: 0,
            failed: 0,
            only_assumed: 0,
            only_known: 0,
            unnotified: 0,
            stale: 0,
            skipped: BTreeMap::new(),
            not_judged: BTreeMap::new(),
            causes: Causes::default(),
            proof: Proof::default(),
        }
    }

    /// Takes in one event.
    pub fn collect(&mut self, event: &Event) {
        match event {
            Event::RunStarted(started) => self.started = Some(started.clone()),
            Event::CaseFinished(case) => self.case(case),
            Event::RunFinished(run) => self.finished = Arc::clone(run),
        }
    }

    fn case(&mut self, case: &CaseFinished) {
        self.reported += 1;
        self.proof.case(case);
        match &case.verdict {
            Verdict::Failed { findings } => {
                let evidence = |finding: &Finding| match &self.started {
                    Some(run) => Evidence::new(&run.contracts, &case.name, finding, &case.record, run.judged.alone),
                    None => Evidence::new(&Contracts::default(), &case.name, finding, &case.record, false),
                };
                self.causes.add(findings, evidence);
                self.unnotified += usize::from(findings.iter().any(|finding| finding.kind == FindingKind::NothingArrived));
                if is_assumed(findings) {
                    self.only_assumed += 1;
                } else if is_known(findings) {
                    self.only_known += 1;
                } else {
                    self.failed += 1;
                    self.stale += usize::from(case.name.api == SUITE);
                }
            }
            Verdict::Skipped { reason } => *self.skipped.entry(reason.clone()).or_default() += 1,
            Verdict::NotJudged { reason } => *self.not_judged.entry(reason.clone()).or_default() += 1,
            Verdict::Passed => {}
        }
    }

    /// Cases reported so far.
    pub fn reported(&self) -> usize {
        self.reported
    }

    /// Cases with a finding that counts.
    pub fn failed(&self) -> usize {
        self.failed.max(self.finished.counts.failed.saturating_sub(self.only_assumed + self.only_known))
    }

    /// Cases of the target with a finding that counts; an outdated known finding fails the run and is none.
    fn failed_cases(&self) -> usize {
        self.failed().saturating_sub(self.stale)
    }

    /// The run's first line.
    pub fn heading(&self) -> Heading {
        match &self.started {
            None => Heading::new(self.verb, "the target"),
            Some(run) => Heading::new(self.verb, run.target.as_str())
                .counting(run.scenarios, "scenario")
                .counting(run.cases, "case")
                .seeded(run.seed),
        }
    }

    /// The outcome of the run.
    pub fn outcome(&self, ended: Ended) -> Outcome {
        let (missing, tolerated) = (self.missing(), self.tolerated());
        let failures = if self.failed() > 0 { vec![self.why_failed(!missing.is_empty())] } else { Vec::new() };
        let mut outcome = Outcome { failures, missing, tolerated, ended, ..Outcome::new(self.heading()) };
        outcome.pass = self.why_passed();
        outcome.causes = self.causes.sorted(self.finished.notifications == 0);
        outcome.proof = self.started.as_ref().map(|run| self.proof.completed(&run.contracts, &self.finished));
        outcome.figures = self.figures(outcome.conclusion().0);
        outcome
    }

    /// Whether the target has the API of a clause, or may have it.
    fn has_api_of(&self, clause: &str) -> bool {
        self.started.as_ref().is_none_or(|run| !run.judged.without_base.contains(api_of(clause)))
    }

    fn has_api_of_row(&self, row: &str) -> bool {
        self.clause_of_row(row).is_none_or(|clause| self.has_api_of(clause))
    }

    /// Whether a case was about the API of a transition.
    fn was_asked_of(&self, row: &str) -> bool {
        let cases = &self.proof.apis;
        cases.is_empty() || self.clause_of_row(row).is_none_or(|clause| cases.contains_key(api_of(clause)))
    }

    /// A clause of the API that a transition belongs to.
    fn clause_of_row(&self, row: &str) -> Option<&str> {
        let tables = &self.started.as_ref()?.contracts.tables;
        Some(&tables.get(row.split('/').next()?)?.undocumented)
    }

    /// Cases that ran and were judged.
    fn judged(&self) -> usize {
        self.finished.counts.passed + self.failed().max(self.finished.counts.failed)
    }

    /// Why the run proves less than requested, each reason once.
    fn missing(&self) -> Vec<Missing> {
        let run = &self.finished;
        let nothing = (self.judged() == 0 && !run.inconclusive.contains(&Missing::NothingSelected)).then_some(Missing::NothingRan);
        let mut missing: Vec<Missing> = nothing.into_iter().collect();
        for reason in &run.inconclusive {
            let reason = self.with_clauses(reason.clone());
            if !missing.contains(&reason) {
                missing.push(reason);
            }
        }
        let names = |missing: &[Missing], why: &NotJudgedReason| {
            missing.iter().any(|m| matches!(m, Missing::NotJudged { reason, .. } if reason == why))
        };
        // The user tolerates what an assumption excuses and the run does not count.
        for (why, cases) in self.not_judged.iter().filter(|(why, _)| why.excused().is_none()) {
            if !names(&missing, why) {
                missing.push(self.with_clauses(Missing::NotJudged { cases: *cases, clauses: 0, reason: why.clone() }));
            }
        }
        missing.retain(|reason| !run.inconclusive.iter().any(|other| reason.is_said_by(other)));
        let planned = self.started.as_ref().map_or(0, |run| run.cases);
        if self.reported < planned && !missing.iter().any(|m| matches!(m, Missing::EndedEarly { .. })) {
            missing.push(Missing::Unfinished { finished: self.reported, planned });
        }
        missing
    }

    /// Cases without a verdict that the run does not count as missing: skipped ones, and those that an assumption excuses.
    fn tolerated(&self) -> Vec<Missing> {
        let run = &self.finished;
        let skipped = |why: &SkipReason| run.inconclusive.iter().any(|m| matches!(m, Missing::Skipped { reason, .. } if reason == why));
        let not_judged =
            |why: &NotJudgedReason| run.inconclusive.iter().any(|m| matches!(m, Missing::NotJudged { reason, .. } if reason == why));
        let excused = self.not_judged.iter().filter(|(why, _)| why.excused().is_some() && !not_judged(why));
        let excused = excused.map(|(why, cases)| Missing::NotJudged { cases: *cases, clauses: 0, reason: why.clone() });
        let left_out = self.skipped.iter().filter(|(why, _)| !skipped(why));
        let left_out = left_out.map(|(why, cases)| Missing::Skipped { cases: *cases, clauses: 0, reason: why.clone() });
        let clauses = open_clauses(&run.clauses).into_iter().filter(|missing| !run.inconclusive.contains(missing));
        left_out.chain(excused).map(|tolerated| self.with_clauses(tolerated)).chain(clauses).collect()
    }

    /// Adds the number of clauses that were not judged for the same reason.
    fn with_clauses(&self, missing: Missing) -> Missing {
        let open_for = |why: OpenReason| {
            let clauses = self.finished.clauses.iter();
            clauses.filter(|clause| matches!(&clause.standing, Standing::Skipped { reason } if *reason == why)).count()
        };
        match missing {
            Missing::Skipped { cases, reason, .. } => {
                Missing::Skipped { cases, clauses: open_for(OpenReason::Skipped(reason.clone())), reason }
            }
            Missing::NotJudged { cases, reason, .. } => {
                Missing::NotJudged { cases, clauses: open_for(OpenReason::NotJudged(reason.clone())), reason }
            }
            other => other,
        }
    }
}

/// Whether all findings are about assumed rules.
pub fn is_assumed(findings: &[Finding]) -> bool {
    !findings.is_empty() && findings.iter().all(|finding| finding.assumed.is_some() && finding.known.is_none())
}

/// Whether a finding is accepted and none counts.
pub fn is_known(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.known.is_some()) && !findings.iter().any(Finding::counts)
}
