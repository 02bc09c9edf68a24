//! What a run proves: by clause, by transition, and whether that is what was requested.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use super::context::LeftOpen;
use super::excuses::Excuses;
use crate::base::not_judged::NotJudgedReason;
use crate::base::skip::SkipReason;
use crate::base::verdict::{Finding, Verdict};
use crate::engine::event::{CaseFinished, ClauseOutcome, Counts, OpenReason, RowOutcome, RunFinished, Standing};
use crate::engine::missing::Missing;
use crate::engine::open_clauses::open_clauses;
use crate::judge::record::RecordEntry;
use crate::spec::contract::Contracts;
use crate::wire::exchange::Direction;

/// Turns the results of cases into the result of the run.
pub(crate) struct Summary {
    run: RunFinished,
    held: BTreeMap<String, usize>,
    /// Those of them in cases that are about the clause and inject a fault on purpose.
    injected: BTreeMap<String, usize>,
    /// Those of them in cases that are about something else.
    in_passing: BTreeMap<String, usize>,
    faults: BTreeSet<String>,
    failed: BTreeMap<String, usize>,
    rows: BTreeMap<String, usize>,
    /// The cases that leave clauses open, in the order of the run, and why.
    left: Vec<(String, OpenReason)>,
    /// Clauses named by each planned case.
    named: BTreeMap<String, Vec<String>>,
    /// Clauses that cases which were left are known to judge, whatever they are about.
    learned: BTreeMap<String, Vec<String>>,
    unchecked: BTreeMap<String, String>,
    /// The operations and notifications with a field that may be left out, by a clause of that field.
    optional: BTreeMap<String, BTreeSet<String>>,
    /// The operations and notifications of all judged exchanges.
    exchanged: BTreeSet<String>,
    order: Vec<String>,
    all_rows: Vec<String>,
    asked: BTreeSet<String>,
    /// The clauses that the target file says a run can judge, if all of them are requested.
    reach: Option<BTreeSet<String>>,
    /// Cases by missing capability of the target.
    skipped: BTreeMap<SkipReason, usize>,
    /// Cases by the reason why they could not be judged.
    without_verdict: BTreeMap<NotJudgedReason, usize>,
    /// Cases excused by assumptions of ours.
    excuses: Excuses,
}

impl Summary {
    /// `named` are the clauses that each planned case names. A clause that another command checks counts as unchecked unless this
    /// run is asked for it.
    pub(crate) fn new(contracts: &Contracts, named: BTreeMap<String, Vec<String>>, asked: BTreeSet<String>) -> Self {
        let elsewhere = contracts.clauses.values().filter(|c| c.checked_by.is_none() || !asked.contains(&c.id));
        let unchecked = elsewhere.filter_map(|c| Some((c.id.clone(), c.unchecked.clone()?)));
        let rows = contracts.tables.values().flat_map(|t| t.rows.iter().map(|r| format!("{}/{}", t.resource, r.id)));
        Self {
            run: RunFinished::default(),
            held: BTreeMap::new(),
            injected: BTreeMap::new(),
            in_passing: BTreeMap::new(),
            faults: contracts.actions.values().filter(|action| action.fault).map(|action| action.name.clone()).collect(),
            failed: BTreeMap::new(),
            rows: BTreeMap::new(),
            left: Vec::new(),
            skipped: BTreeMap::new(),
            named,
            learned: BTreeMap::new(),
            unchecked: unchecked.collect(),
            optional: optional_fields(contracts),
            exchanged: BTreeSet::new(),
            order: contracts.clauses.keys().cloned().collect(),
            all_rows: rows.collect(),
            asked,
            reach: None,
            without_verdict: BTreeMap::new(),
            excuses: Excuses::default(),
        }
    }

    /// Requests the clauses of the target's reach instead of all clauses.
    pub(crate) fn meant_to_reach(mut self, reach: Option<BTreeSet<String>>) -> Self {
        self.reach = reach.filter(|reach| reach.is_subset(&self.asked));
        self
    }

    pub(crate) fn add(&mut self, case: &Arc<CaseFinished>) {
        let calls = case.record.iter().filter(|e| e.direction == Direction::Call).count();
        self.run.requests += calls;
        self.run.notifications += case.record.len() - calls;
        self.judged(case);
        self.exchanges(case);
        for row in &case.rows {
            *self.rows.entry(row.clone()).or_default() += 1;
        }
        self.excuses.add(case);
        match &case.verdict {
            Verdict::Passed => self.run.counts.passed += 1,
            Verdict::Failed { findings } => {
                self.run.counts.failed += 1;
                if let Some(why) = excused(findings) {
                    self.not_judged(case, &OpenReason::Assumed(why.to_owned()));
                }
                let broken: BTreeSet<_> = findings.iter().filter(|f| f.counts()).flat_map(|f| &f.clauses).collect();
                for clause in broken {
                    *self.failed.entry(clause.clone()).or_default() += 1;
                }
            }
            Verdict::Skipped { reason } => {
                self.run.counts.skipped += 1;
                *self.skipped.entry(reason.clone()).or_default() += 1;
                self.not_judged(case, &OpenReason::Skipped(reason.clone()));
            }
            Verdict::NotJudged { reason } => {
                self.run.counts.not_judged += 1;
                *self.without_verdict.entry(reason.clone()).or_default() += 1;
                self.not_judged(case, &OpenReason::NotJudged(reason.clone()));
            }
        }
    }

    fn exchanges(&mut self, case: &CaseFinished) {
        for exchange in &case.record {
            if !self.exchanged.contains(&exchange.operation) {
                self.exchanged.insert(exchange.operation.clone());
            }
        }
    }

    /// Counts the clauses that pass, by how the case judges them.
    fn judged(&mut self, case: &CaseFinished) {
        let faulty = case.entries.iter().any(|entry| matches!(entry, RecordEntry::World { action, .. } if self.faults.contains(action)));
        for clause in &case.held {
            *self.held.entry(clause.clone()).or_default() += 1;
            let counted = match case.about.contains(clause) {
                false => &mut self.in_passing,
                true if faulty => &mut self.injected,
                true => continue,
            };
            *counted.entry(clause.clone()).or_default() += 1;
        }
    }

    /// Notes that the case leaves its clauses open, unless another case judges them.
    fn not_judged(&mut self, case: &CaseFinished, reason: &OpenReason) {
        self.left.push((case.name.to_string(), reason.clone()));
    }

    /// How many cases have ended.
    pub(crate) fn ended(&self) -> usize {
        let Counts { passed, failed, skipped, not_judged } = self.run.counts;
        passed + failed + skipped + not_judged
    }

    /// The cases that leave clauses open, and the clauses that none of these is about and no other case has judged.
    pub(crate) fn left(&self) -> LeftOpen {
        let open = self.open();
        let is_settled = |id: &&String| {
            open.contains_key(id.as_str())
                || self.failed.contains_key(*id)
                || self.held.contains_key(*id)
                || self.unchecked.contains_key(*id)
        };
        LeftOpen {
            cases: self.left.iter().map(|(case, _)| case.clone()).collect(),
            clauses: self.order.iter().filter(|id| !is_settled(id)).cloned().collect(),
        }
    }

    /// Adds the clauses that cases are known to judge in passing.
    pub(crate) fn learn(&mut self, in_passing: BTreeMap<String, Vec<String>>) {
        self.learned = in_passing;
    }

    /// Why the first case about a clause did not judge it; where none is about it, the first that judges it in passing.
    fn open(&self) -> BTreeMap<&str, &OpenReason> {
        let mut open = BTreeMap::new();
        for clauses in [&self.named, &self.learned] {
            for (case, reason) in &self.left {
                for clause in clauses.get(case).into_iter().flatten() {
                    open.entry(clause.as_str()).or_insert(reason);
                }
            }
        }
        open
    }

    pub(crate) fn finish(mut self, planned: usize, elapsed: Duration) -> RunFinished {
        self.run.elapsed = elapsed;
        let open = self.open();
        let clauses = self.order.iter().map(|id| ClauseOutcome { id: id.clone(), standing: self.standing(id, &open) });
        self.run.clauses = clauses.collect();
        self.run.rows =
            self.all_rows.iter().map(|row| RowOutcome { row: row.clone(), times: self.rows.get(row).copied().unwrap_or(0) }).collect();
        self.run.inconclusive = self.inconclusive(planned);
        self.run
    }

    fn standing(&self, id: &str, open: &BTreeMap<&str, &OpenReason>) -> Standing {
        if let Some(times) = self.failed.get(id) {
            return Standing::Failed { times: *times };
        }
        if let Some(times) = self.held.get(id) {
            let of = |counted: &BTreeMap<String, usize>| counted.get(id).copied().unwrap_or_default();
            return Standing::held(*times, of(&self.injected), of(&self.in_passing));
        }
        if let Some(reason) = self.unchecked.get(id) {
            return Standing::Unchecked { reason: reason.clone() };
        }
        let never_sent = || self.is_never_sent(id).then_some(OpenReason::NeverSent);
        open.get(id).copied().cloned().or_else(never_sent).map_or(Standing::Untouched, |reason| Standing::Skipped { reason })
    }

    /// Whether a requested clause is about a field that no response or notification had, and that may be left out.
    fn is_never_sent(&self, id: &str) -> bool {
        self.asked.contains(id) && self.optional.get(id).is_some_and(|of| !of.is_disjoint(&self.exchanged))
    }

    fn inconclusive(&self, planned: usize) -> Vec<Missing> {
        let Counts { passed, failed, .. } = self.run.counts;
        let mut missing = Vec::new();
        if planned == 0 {
            missing.push(Missing::NothingSelected);
        } else if passed + failed == 0 {
            missing.push(Missing::NothingRan);
        }
        let ended = self.ended();
        if ended < planned {
            missing.push(Missing::EndedEarly { not_run: planned - ended, planned });
        }
        let not_judged = self.without_verdict.iter();
        missing.extend(not_judged.map(|(reason, cases)| Missing::NotJudged { cases: *cases, clauses: 0, reason: reason.clone() }));
        if let Some(reach) = &self.reach {
            missing.extend(self.lost(reach).filter(|_| ended == planned));
            return missing;
        }
        missing.extend(self.excuses.of_whole_operations());
        let mut skipped: Vec<_> = self.skipped.iter().collect();
        skipped.sort_by_key(|(reason, _)| reason.to_string());
        missing.extend(skipped.into_iter().map(|(reason, cases)| Missing::Skipped { cases: *cases, clauses: 0, reason: reason.clone() }));
        missing.extend(open_clauses(self.run.clauses.iter().filter(|clause| self.asked.contains(&clause.id))));
        missing.extend(self.untouched().filter(|_| ended == planned));
        missing
    }

    /// The clauses of the target's reach that this run has not judged.
    fn lost(&self, reach: &BTreeSet<String>) -> Option<Missing> {
        let judged = |id: &String| self.held.contains_key(id) || self.failed.contains_key(id);
        let clauses: Vec<_> = reach.iter().filter(|id| !judged(id)).cloned().collect();
        (!clauses.is_empty()).then_some(Missing::ReachLost { clauses })
    }

    fn untouched(&self) -> Option<Missing> {
        let untouched = |clause: &&ClauseOutcome| clause.standing == Standing::Untouched && self.asked.contains(&clause.id);
        let clauses: Vec<_> = self.run.clauses.iter().filter(untouched).map(|clause| clause.id.clone()).collect();
        (!clauses.is_empty()).then_some(Missing::Untouched { clauses })
    }
}

/// The operations and notifications of which a field may be left out, by a clause of that field. A clause that something else carries,
/// too, is left open by what was not called, and not by the field.
fn optional_fields(contracts: &Contracts) -> BTreeMap<String, BTreeSet<String>> {
    let (mut optional, mut others): (BTreeMap<String, BTreeSet<String>>, _) = (BTreeMap::new(), BTreeSet::new());
    let responses = contracts.operations.values().flat_map(|operation| operation.response.iter().map(|content| (&operation.id, content)));
    let notifications = contracts.notifications.values().flat_map(|sent| sent.request.iter().map(|content| (&sent.id, content)));
    for (operation, content) in responses.chain(notifications) {
        let divided = content.schema.divided_clauses();
        for clause in divided.optional {
            optional.entry(clause.to_owned()).or_default().insert(operation.clone());
        }
        others.extend(divided.others);
    }
    optional.retain(|clause, _| !others.contains(clause.as_str()));
    optional
}

/// The first assumption that excuses a case, if no finding of it counts.
fn excused(findings: &[Finding]) -> Option<&str> {
    let counts = findings.iter().any(Finding::counts);
    findings.iter().find_map(|finding| finding.assumed.as_deref()).filter(|_| !counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::event::CaseName;

    const CLAUSE: &str = "shop.send.answer";

    /// What a run misses whose target is meant to reach a clause, after one case about it that ends like this.
    fn missing(verdict: Verdict, held: &[&str]) -> Vec<Missing> {
        let clauses = || BTreeSet::from([CLAUSE.to_owned()]);
        let mut summary = Summary::new(&Contracts::default(), BTreeMap::new(), clauses()).meant_to_reach(Some(clauses()));
        let name = CaseName { api: "shop".into(), scenario: "send".into(), case: String::new() };
        let held = held.iter().map(|clause| (*clause).to_owned()).collect();
        summary.add(&Arc::new(CaseFinished { verdict, held, ..CaseFinished::begun(name, String::new()) }));
        summary.finish(1, Duration::ZERO).inconclusive
    }

    #[test]
    fn a_clause_whose_cases_an_assumption_excuses_is_open_for_that_and_not_untouched() {
        let name = CaseName { api: "shop".into(), scenario: "send".into(), case: String::new() };
        let named = BTreeMap::from([(name.to_string(), vec![CLAUSE.to_owned()])]);
        let mut summary = Summary::new(&Contracts::default(), named, BTreeSet::from([CLAUSE.to_owned()]));
        summary.order = vec![CLAUSE.to_owned()];
        let finding = Finding { assumed: Some("its path".into()), ..Finding::new(CLAUSE, "shop.send", "404") };
        let verdict = Verdict::Failed { findings: vec![finding] };
        summary.add(&Arc::new(CaseFinished { verdict, ..CaseFinished::begun(name, String::new()) }));
        let missing = summary.finish(1, Duration::ZERO).inconclusive;
        let excused = Missing::ClausesExcused { clauses: 1, reason: "its path".into() };
        assert!(missing.contains(&excused) && excused.may_be_tolerated(), "{missing:?}");
        assert!(!missing.iter().any(|missing| matches!(missing, Missing::Untouched { .. })), "{missing:?}");
    }

    #[test]
    fn what_a_skipped_case_would_have_judged_in_passing_is_skipped_and_not_untouched() {
        let name = CaseName { api: "shop".into(), scenario: "send".into(), case: String::new() };
        let skipped = |in_passing: Option<&str>| {
            let mut summary = Summary::new(&Contracts::default(), BTreeMap::new(), BTreeSet::new());
            summary.order = vec![CLAUSE.to_owned()];
            summary.add(&Arc::new(CaseFinished {
                verdict: Verdict::Skipped { reason: SkipReason::NoInbox },
                ..CaseFinished::begun(name.clone(), String::new())
            }));
            assert_eq!(summary.left().cases, BTreeSet::from([name.to_string()]));
            assert_eq!(summary.left().clauses, BTreeSet::from([CLAUSE.to_owned()]));
            summary.learn(in_passing.map(|clause| (name.to_string(), vec![clause.to_owned()])).into_iter().collect());
            summary.finish(1, Duration::ZERO).clauses.remove(0).standing
        };
        assert_eq!(skipped(Some(CLAUSE)), Standing::Skipped { reason: OpenReason::Skipped(SkipReason::NoInbox) });
        assert_eq!(skipped(Some("shop.send.other")), Standing::Untouched);
        assert_eq!(skipped(None), Standing::Untouched);
    }

    #[test]
    fn a_clause_is_open_for_the_reason_of_the_case_about_it() {
        let name = |scenario: &str| CaseName { api: "shop".into(), scenario: scenario.into(), case: String::new() };
        let named = BTreeMap::from([(name("send").to_string(), vec![CLAUSE.to_owned()])]);
        let mut summary = Summary::new(&Contracts::default(), named, BTreeSet::new());
        summary.order = vec![CLAUSE.to_owned()];
        let about = SkipReason::NoCredentials("other".into());
        for (scenario, reason) in [("order", SkipReason::NoInbox), ("send", about.clone())] {
            let begun = CaseFinished::begun(name(scenario), String::new());
            summary.add(&Arc::new(CaseFinished { verdict: Verdict::Skipped { reason }, ..begun }));
        }
        assert_eq!(summary.left().clauses, BTreeSet::new(), "a case that is left is about it");
        summary.learn(BTreeMap::from([(name("order").to_string(), vec![CLAUSE.to_owned()])]));
        let standing = summary.finish(2, Duration::ZERO).clauses.remove(0).standing;
        assert_eq!(standing, Standing::Skipped { reason: OpenReason::Skipped(about) });
    }

    #[test]
    fn a_field_that_may_be_left_out_and_never_came_is_named_and_may_be_tolerated() {
        let name = CaseName { api: "shop".into(), scenario: "send".into(), case: String::new() };
        let missing = |optional_of: &str, asked: &[&str]| {
            let asked = asked.iter().map(|id| (*id).to_owned()).collect();
            let mut summary = Summary::new(&Contracts::default(), BTreeMap::new(), asked);
            summary.order = vec![CLAUSE.to_owned()];
            summary.optional.insert(CLAUSE.to_owned(), BTreeSet::from([optional_of.to_owned()]));
            summary.exchanged.insert("shop.send".to_owned());
            summary.add(&Arc::new(CaseFinished::begun(name.clone(), String::new())));
            summary.finish(1, Duration::ZERO).inconclusive
        };
        let never_sent = vec![Missing::NeverSent { clauses: vec![CLAUSE.to_owned()] }];
        assert_eq!(missing("shop.send", &[CLAUSE]), never_sent);
        assert!(never_sent.iter().all(Missing::may_be_tolerated));
        assert_eq!(missing("shop.other", &[CLAUSE]), vec![Missing::Untouched { clauses: vec![CLAUSE.to_owned()] }]);
        assert_eq!(missing("shop.send", &[]), Vec::new(), "the clause is not requested");
    }

    #[test]
    fn a_reach_is_lost_where_an_assumption_excuses_every_case() {
        let lost = Missing::ReachLost { clauses: vec![CLAUSE.to_owned()] };
        let gone = NotJudgedReason::NotThere { operation: "shop.send".into(), status: 404, assumed: "not shown".into() };
        assert!(missing(Verdict::NotJudged { reason: gone }, &[]).contains(&lost));
        let assumed = Finding { assumed: Some("not shown".to_owned()), ..Finding::new(CLAUSE, "shop.send", "m") };
        assert_eq!(missing(Verdict::Failed { findings: vec![assumed] }, &[]), [lost]);
        assert_eq!(missing(Verdict::Passed, &[CLAUSE]), []);
    }
}
