//! Turns the events of a run into its outcome, in bounded memory: of each cause the first finding is kept.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use indexmap::IndexMap;

use super::evidence::Evidence;
use super::part::{Cause, Ended, Fact, Figure, Heading, Tone, Verb, Weight};
use super::proof::Proof;
use super::standing_counts::StandingCounts;
use super::{Missing, Outcome};
use crate::base::not_judged::NotJudgedReason;
use crate::base::place::Place;
use crate::base::skip::SkipReason;
use crate::base::text::counted;
use crate::base::verdict::{Finding, FindingKind, Verdict};
use crate::engine::event::{CaseFinished, ClauseOutcome, Event, OpenReason, RunFinished, RunStarted, Standing};
use crate::engine::inbox::Unexpected;
use crate::judge::known::SUITE;
use crate::spec::contract::{Contracts, api_of};

/// Where notifications arrived that belong to no case.
fn unexpected(unexpected: &Unexpected) -> Figure {
    let text = format!("{} arrived at {}, none expected there", counted(unexpected.count, "notification"), unexpected.path);
    let more = if unexpected.about.len() < unexpected.count { ", …" } else { "" };
    let about = if unexpected.about.is_empty() { String::new() } else { format!(": about {}{more}", unexpected.about.join(", ")) };
    Figure::new("inbox", Tone::Warn, format!("{text}{about}"))
}

/// No notification has arrived at all, although cases have waited for one.
fn silence(cases: usize) -> Figure {
    let waited = counted(cases, "case");
    let text = format!(
        "no notification arrived in the whole run, though {waited} waited for one: the target may not reach the inbox; its portal must \
         have the address of `notifications` in the target file"
    );
    Figure::new("inbox", Tone::Bad, text)
}

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
        outcome.causes = self.causes.sorted();
        outcome.proof = self.started.as_ref().map(|run| self.proof.completed(&run.contracts, &self.finished));
        outcome.figures = self.figures(outcome.conclusion().0);
        outcome
    }

    fn figures(&self, tone: Tone) -> Vec<Figure> {
        let run = &self.finished;
        let traffic = format!("{}, {}", counted(run.requests, "request"), counted(run.notifications, "notification"));
        let mut figures = vec![Figure::new("traffic", Tone::Plain, traffic).timed(run.elapsed), self.cases(tone), self.clauses(tone)];
        figures.extend(self.transitions());
        figures.extend((run.notifications == 0 && self.unnotified > 0).then(|| silence(self.unnotified)));
        figures.extend(run.unexpected.iter().map(unexpected));
        figures
    }

    fn cases(&self, tone: Tone) -> Figure {
        let counts = self.finished.counts;
        let not_counted = [(self.only_known, "known"), (self.only_assumed, "against assumed rules only")];
        let not_counted: Vec<_> = not_counted.iter().filter(|(n, _)| *n > 0).map(|(n, why)| format!("{n} more {why}")).collect();
        let not_counted = if not_counted.is_empty() { String::new() } else { format!(" ({})", not_counted.join(", ")) };
        let text = format!(
            "{} passed, {} failed{not_counted}, {} skipped, {} not judged",
            counts.passed,
            self.failed(),
            counts.skipped,
            counts.not_judged
        );
        Figure::new("cases", tone, text)
    }

    fn transitions(&self) -> Option<Figure> {
        let rows: Vec<_> = self.finished.rows.iter().filter(|row| self.has_api_of_row(&row.row)).collect();
        let mut open: Vec<_> = rows.iter().filter(|row| row.times == 0).map(|row| row.row.clone()).collect();
        let taken = rows.len() - open.len();
        // A run of a few cases takes few: the names of all others would say no more than their number.
        open.truncate(if open.len() <= taken { open.len() } else { 0 });
        let not_taken = if open.is_empty() { "" } else { "; not taken: " };
        let text = format!("{taken} of {} taken{not_taken}", rows.len());
        (!rows.is_empty()).then(|| Figure::new("transitions", Tone::Plain, text).naming(open))
    }

    fn clauses(&self, tone: Tone) -> Figure {
        clauses(self.finished.clauses.iter().filter(|clause| self.has_api_of(&clause.id)), tone)
    }

    /// Whether the target has the API of a clause, or may have it.
    fn has_api_of(&self, clause: &str) -> bool {
        self.started.as_ref().is_none_or(|run| !run.judged.without_base.contains(api_of(clause)))
    }

    fn has_api_of_row(&self, row: &str) -> bool {
        let table = self.started.as_ref().and_then(|run| run.contracts.tables.get(row.split('/').next()?));
        table.is_none_or(|table| self.has_api_of(&table.undocumented))
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
        left_out.chain(excused).map(|tolerated| self.with_clauses(tolerated)).collect()
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

    fn why_failed(&self, incomplete: bool) -> String {
        if self.stale == self.failed() {
            return format!("{} to be renewed or removed, nothing else was found", counted(self.stale, "known finding"));
        }
        let failed = |outcome: &&ClauseOutcome| matches!(outcome.standing, Standing::Failed { .. });
        let named = self.finished.clauses.iter().filter(failed).filter(|outcome| self.causes.name(&outcome.id)).count();
        let clauses = if named > 0 { named } else { self.causes.clauses_that_count() };
        let cases = counted(self.failed(), "case");
        if clauses == 0 {
            return format!("the target does not do what was expected in {cases}");
        }
        let also = if incomplete { "; not everything could be judged" } else { "" };
        format!("the target breaks {} in {cases}{also}", counted(clauses, "clause"))
    }

    fn why_passed(&self) -> String {
        let part = |count: usize, what: &str| if count == 0 { String::new() } else { format!("; {} {what}", counted(count, "case")) };
        let skipped = part(self.finished.counts.skipped, "skipped");
        let known = part(self.only_known, "known");
        let assumed = part(self.only_assumed, "broke assumed rules only");
        let found = if assumed.is_empty() && known.is_empty() { "nothing was found" } else { "nothing that counts was found" };
        let not_judged = part(self.finished.counts.not_judged, "not judged");
        format!("{found} in {}{skipped}{not_judged}{known}{assumed}", counted(self.judged(), "case"))
    }
}

/// The number of clauses by standing.
fn clauses<'c>(clauses: impl Iterator<Item = &'c ClauseOutcome>, tone: Tone) -> Figure {
    Figure::new("clauses", tone, StandingCounts::of(clauses.map(|clause| &clause.standing)).to_string())
}

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
struct Causes {
    counting: IndexMap<Key, Group>,
    assumed: IndexMap<Key, Group>,
    known: IndexMap<Key, Group>,
    clauses: BTreeSet<String>,
}

impl Causes {
    fn add(&mut self, findings: &[Finding], evidence: impl Fn(&Finding) -> Evidence) {
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
    fn sorted(&self) -> Vec<Cause> {
        [&self.counting, &self.known, &self.assumed].into_iter().flat_map(by_frequency).map(cause).collect()
    }

    /// Whether a finding that counts names the clause.
    fn name(&self, clause: &str) -> bool {
        self.clauses.contains(clause)
    }

    /// The most specific clauses of findings that count.
    fn clauses_that_count(&self) -> usize {
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

/// Whether all findings are about assumed rules.
pub fn is_assumed(findings: &[Finding]) -> bool {
    !findings.is_empty() && findings.iter().all(|finding| finding.assumed.is_some() && finding.known.is_none())
}

/// Whether a finding is accepted and none counts.
pub fn is_known(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.known.is_some()) && !findings.iter().any(Finding::counts)
}
