//! A filter between the events of a run and their consumers: accepted findings are marked, and outdated entries are reported as
//! failures.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::civil::Date;

use crate::base::place::Place;
use crate::base::verdict::{Finding, Verdict};
use crate::engine::event::{CaseFinished, CaseName, ClauseOutcome, Event, RunFinished, Standing};
use crate::judge::known::{Known, KnownFinding, SUITE};

/// The scope of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunScope {
    /// All cases.
    Whole,
    /// Some cases: a finding that does not occur may occur in others.
    Part,
}

/// Marks the accepted findings of a run.
#[derive(Debug)]
pub struct Filter {
    known: Known,
    seen: Vec<EntryTally>,
    today: Date,
    scope: RunScope,
    planned: usize,
    /// In how many cases each clause is broken by a finding that counts.
    broken: BTreeMap<String, usize>,
}

/// The observations about one entry.
#[derive(Clone, Copy, Debug, Default)]
struct EntryTally {
    /// Findings that it accepts.
    findings: usize,
    /// Cases that it names and that were not judged.
    unjudged: usize,
}

impl Filter {
    /// A filter for a run; `today` decides which entries have expired.
    pub fn new(known: Known, today: Date, scope: RunScope) -> Self {
        let seen = vec![EntryTally::default(); known.entries.len()];
        Self { known, seen, today, scope, planned: 0, broken: BTreeMap::new() }
    }

    /// Returns the events to pass on: before a run ends, a failure for each outdated entry.
    pub fn apply(&mut self, event: &Event) -> Vec<Event> {
        match event {
            Event::RunStarted(started) => {
                self.planned = started.cases;
                vec![event.clone()]
            }
            Event::CaseFinished(case) => vec![Event::CaseFinished(self.marked(case))],
            Event::RunFinished(run) => self.ended(run),
        }
    }

    fn marked(&mut self, case: &Arc<CaseFinished>) -> Arc<CaseFinished> {
        match self.accepted(&case.name, &case.verdict) {
            verdict if verdict == case.verdict => Arc::clone(case),
            verdict => Arc::new(CaseFinished { verdict, ..CaseFinished::clone(case) }),
        }
    }

    /// The verdict of a case, with accepted findings marked.
    pub fn accepted(&mut self, name: &CaseName, verdict: &Verdict) -> Verdict {
        let name = name.to_string();
        match verdict {
            Verdict::Failed { findings } => {
                let findings: Vec<Finding> = findings.iter().map(|finding| self.judged(&name, finding)).collect();
                let broken: BTreeSet<_> = findings.iter().filter(|f| f.counts()).flat_map(|f| f.clauses.clone()).collect();
                for clause in broken {
                    *self.broken.entry(clause).or_default() += 1;
                }
                Verdict::Failed { findings }
            }
            Verdict::Skipped { .. } | Verdict::NotJudged { .. } => {
                let about = self.known.entries.iter().zip(&mut self.seen).filter(|(entry, _)| entry.is_about(&name));
                about.for_each(|(_, seen)| seen.unjudged += 1);
                verdict.clone()
            }
            Verdict::Passed => Verdict::Passed,
        }
    }

    fn judged(&mut self, case: &str, finding: &Finding) -> Finding {
        let mut finding = finding.clone();
        for (entry, seen) in self.known.entries.iter().zip(&mut self.seen) {
            if entry.means(case, &finding) {
                seen.findings += 1;
                if !entry.has_expired(self.today) && finding.known.is_none() {
                    finding.known = Some(entry.accepted());
                }
            }
        }
        finding
    }

    fn ended(&self, run: &Arc<RunFinished>) -> Vec<Event> {
        if self.known.entries.is_empty() {
            return vec![Event::RunFinished(Arc::clone(run))];
        }
        let stale: Vec<_> = self.stale(run).into_iter().map(|(entry, why)| self.failure(entry, why)).collect();
        let mut run = RunFinished::clone(run);
        run.counts.failed += stale.len();
        run.clauses.iter_mut().for_each(|outcome| self.restate(outcome));
        let failures = stale.into_iter().map(|case| Event::CaseFinished(Arc::new(case)));
        failures.chain([Event::RunFinished(Arc::new(run))]).collect()
    }

    /// Sets a clause to known if only accepted findings break it.
    fn restate(&self, outcome: &mut ClauseOutcome) {
        if let Standing::Failed { times } = outcome.standing {
            outcome.standing = match self.broken.get(&outcome.id) {
                Some(counting) => Standing::Failed { times: *counting },
                None => Standing::Known { times },
            };
        }
    }

    /// The outdated entries, each with the reason.
    fn stale(&self, run: &RunFinished) -> Vec<(&KnownFinding, String)> {
        let counts = run.counts;
        let complete = self.scope == RunScope::Whole && counts.passed + counts.failed + counts.skipped + counts.not_judged == self.planned;
        let entries = self.known.entries.iter().zip(&self.seen);
        entries.filter_map(|(entry, seen)| Some((entry, self.reason(entry, *seen, complete.then_some(run))?))).collect()
    }

    /// Why an entry is outdated, if it is. `run` is a run of all cases.
    fn reason(&self, entry: &KnownFinding, seen: EntryTally, run: Option<&RunFinished>) -> Option<String> {
        let gone = seen.findings == 0 && run.is_some_and(|run| could_show(entry, seen, run));
        let (expires, owner) = (entry.expires, &entry.owner);
        match (entry.has_expired(self.today), gone) {
            (true, true) => Some(format!("the known finding expired on {expires}, owner {owner}, and no longer occurs: remove it")),
            (true, false) => Some(format!("the known finding expired on {expires}, owner {owner}: renew or fix")),
            (false, true) => Some(format!("the known finding no longer occurs, owner {owner}: remove it")),
            (false, false) => None,
        }
    }

    /// The failed case of an outdated entry.
    fn failure(&self, entry: &KnownFinding, why: String) -> CaseFinished {
        let mut finding = Finding::new(entry.clause.clone(), entry.operation.clone().unwrap_or_else(|| SUITE.to_owned()), why);
        finding.at = entry.at.as_ref().map(|at| Place::Verbatim(at.as_str().to_owned()));
        finding.step = Some(entry.place.clone());
        let file = std::path::Path::new(&self.known.path).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = CaseName { api: SUITE.to_owned(), scenario: file, case: entry.describe() };
        let begun = CaseFinished::begun(name, "Known findings are up to date".to_owned());
        CaseFinished { verdict: Verdict::Failed { findings: vec![finding] }, ..begun }
    }
}

/// Whether a run of all cases would have shown the finding: its clause was judged, and so were the cases that the entry names.
fn could_show(entry: &KnownFinding, seen: EntryTally, run: &RunFinished) -> bool {
    let standing = run.clauses.iter().find(|outcome| outcome.id == entry.clause).map(|outcome| &outcome.standing);
    let is_judged = |standing: &Standing| standing.has_held() || matches!(standing, Standing::Failed { .. } | Standing::Known { .. });
    standing.is_some_and(is_judged) && (entry.case.is_none() || seen.unjudged == 0)
}

#[cfg(test)]
mod tests;
