//! What a run proves, by clause and by transition, and what carries each clause.

mod judging_cases;
mod one_clause;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};

use crate::base::text::counted;
use crate::engine::event::{ClauseOutcome, OpenReason, RunFinished, Standing};
use crate::engine::open_clauses::open_clauses;
use crate::engine::outcome::{Cause, List, ListEntry, Missing, Outcome, Section, StandingCounts, Tone};
use crate::engine::runner::Case;
use crate::spec::contract::{Clause, Contracts};
use crate::spec::scenario::Scenario;

use judging_cases::JudgingCases;
pub(crate) use one_clause::{Events, OneClause};

/// Places named of a clause that did not pass.
const CARRIERS: usize = 4;
/// Columns of the word before a clause.
const WORD: usize = 13;
/// Columns of a clause's id.
const ID: usize = 52;

/// The plan to prove, and the carriers of each clause.
pub(crate) struct Coverage {
    contracts: Arc<Contracts>,
    carriers: BTreeMap<String, BTreeSet<String>>,
    /// Only clauses whose id contains this.
    filter: Option<String>,
}

impl Coverage {
    /// Collects what a plan is to prove.
    pub(crate) fn new(contracts: &Arc<Contracts>, scenarios: &[Arc<Scenario>], plan: &[Case], filter: Option<&str>) -> Self {
        Self { contracts: Arc::clone(contracts), carriers: carriers(contracts, scenarios, plan), filter: filter.map(str::to_owned) }
    }

    /// The outcome of a run: every clause, every transition, and the totals. A clause that could be checked and was not makes it
    /// inconclusive, and so does a transition that never happened.
    pub(crate) fn outcome(&self, run: &RunFinished, played: Outcome) -> Outcome {
        let mut sections: Vec<_> = self.clauses(run);
        sections.push(self.transitions(run));
        Outcome {
            figures: Vec::new(),
            sections: sections.into_iter().map(Section::List).collect(),
            causes: self.causes(played.causes),
            failures: self.failures(run),
            missing: self.missing(run),
            tolerated: Vec::new(),
            pass: sum(run),
            ..played
        }
    }

    /// The causes of failure of wanted clauses.
    fn causes(&self, causes: Vec<Cause>) -> Vec<Cause> {
        causes.into_iter().filter(|cause| self.filter.is_none() || self.is_wanted(&cause.name)).collect()
    }

    fn is_wanted(&self, id: &str) -> bool {
        self.filter.as_ref().is_none_or(|part| id.contains(part.as_str()))
    }

    fn wanted<'r>(&'r self, run: &'r RunFinished) -> impl Iterator<Item = &'r ClauseOutcome> {
        run.clauses.iter().filter(|clause| self.is_wanted(&clause.id))
    }

    fn failures(&self, run: &RunFinished) -> Vec<String> {
        let clauses = self.wanted(run).filter(|clause| matches!(clause.standing, Standing::Failed { .. })).count();
        // Of these, nothing says which break a wanted clause.
        let cases = if self.filter.is_none() { run.counts.failed } else { 0 };
        let clauses = (clauses > 0).then(|| format!("{} failed", counted(clauses, "clause")));
        let cases = (cases > 0).then(|| format!("{} failed", counted(cases, "case")));
        clauses.into_iter().chain(cases).collect()
    }

    fn missing(&self, run: &RunFinished) -> Vec<Missing> {
        let mut open: BTreeMap<&OpenReason, usize> = BTreeMap::new();
        let mut untouched = Vec::new();
        for clause in self.wanted(run) {
            match &clause.standing {
                Standing::Skipped { reason } => *open.entry(reason).or_default() += 1,
                Standing::Untouched => untouched.push(clause.id.clone()),
                Standing::Passed { .. } | Standing::Injected { .. } | Standing::InPassing { .. } => {}
                Standing::Failed { .. } | Standing::Known { .. } | Standing::Unchecked { .. } => {}
            }
        }
        let never: Vec<_> = run.rows.iter().filter(|row| row.times == 0 && self.is_wanted(&row.row)).map(|row| row.row.clone()).collect();
        let skipped = |(reason, clauses): (&&OpenReason, &usize)| match reason {
            OpenReason::Skipped(reason) => Some(Missing::Skipped { cases: 0, clauses: *clauses, reason: reason.clone() }),
            OpenReason::NotJudged(_) | OpenReason::Assumed(_) | OpenReason::NeverSent => None,
        };
        let mut missing: Vec<_> = open.iter().filter_map(skipped).collect();
        missing.extend((!untouched.is_empty()).then_some(Missing::Untouched { clauses: untouched }));
        missing.extend((!never.is_empty()).then_some(Missing::NeverHappened { transitions: never }));
        missing.extend(run.inconclusive.iter().filter_map(|missing| match missing {
            Missing::NotJudged { cases, reason, .. } => {
                let clauses = open.get(&OpenReason::NotJudged(reason.clone())).copied().unwrap_or_default();
                Some(Missing::NotJudged { cases: *cases, clauses, reason: reason.clone() })
            }
            _ => None,
        }));
        missing.extend(open_clauses(self.wanted(run)));
        missing
    }

    /// A list for each section of the documents.
    fn clauses(&self, run: &RunFinished) -> Vec<List> {
        let mut lists: Vec<List> = Vec::new();
        for outcome in self.wanted(run) {
            let Some(clause) = self.contracts.clauses.get(&outcome.id) else { continue };
            let title = format!("{}, {}", clause.document, clause.section);
            if lists.last().is_none_or(|list| list.title != title) {
                lists.push(list(title, "clause"));
            }
            if let Some(list) = lists.last_mut() {
                list.entries.extend(self.entries(outcome, clause));
            }
        }
        lists
    }

    fn entries(&self, outcome: &ClauseOutcome, clause: &Clause) -> Vec<ListEntry> {
        let (word, detail) = standing(&outcome.standing);
        let (word, tone) = (word_for(clause, word), tone(&outcome.standing));
        let mut entries = vec![ListEntry::marked(format!("{word:<WORD$}"), tone, format!("{:<ID$} {detail}", outcome.id))];
        if !outcome.standing.has_held() && !matches!(outcome.standing, Standing::Unchecked { .. }) {
            let below = |text: &str| ListEntry::toned(Tone::Faint, format!("{:1$}{text}", "", WORD + 1));
            entries.push(below(&clause.says));
            let carriers = self.carriers.get(&outcome.id).into_iter().flatten().take(CARRIERS);
            entries.extend(carriers.map(|place| below(&format!("carried by {place}"))));
        }
        entries
    }

    fn transitions(&self, run: &RunFinished) -> List {
        let wanted = run.rows.iter().filter(|row| self.is_wanted(&row.row));
        let entry = |row: &crate::engine::event::RowOutcome| {
            let (word, tone) = if row.times > 0 { ("taken", Tone::Good) } else { ("NOT TAKEN", Tone::Bad) };
            ListEntry::marked(format!("{word:<WORD$}"), tone, format!("{:<ID$} {}×", row.row, row.times))
        };
        List { entries: wanted.map(entry).collect(), ..list("Transitions".to_owned(), "transition") }
    }

    /// The result as JSON.
    pub(crate) fn json(&self, run: &RunFinished) -> Value {
        let clauses = run.clauses.iter().filter(|c| self.is_wanted(&c.id)).map(|outcome| {
            let clause = self.contracts.clauses.get(&outcome.id);
            let (word, detail) = standing(&outcome.standing);
            let word = clause.map_or(word, |clause| word_for(clause, word));
            json!({
                "id": outcome.id,
                "document": clause.map(|c| &c.document),
                "section": clause.map(|c| &c.section),
                "says": clause.map(|c| &c.says),
                "standing": word.to_lowercase(),
                "detail": detail,
                "judged": JudgingCases::from_standing(&outcome.standing),
                "carried-by": self.carriers.get(&outcome.id),
            })
        });
        json!({ "clauses": clauses.collect::<Vec<_>>(), "rows": run.rows })
    }
}

fn list(title: String, noun: &'static str) -> List {
    List { title, tone: Tone::Strong, entries: Vec::new(), shown: usize::MAX, noun, note: None }
}

fn tone(standing: &Standing) -> Tone {
    match standing {
        Standing::Passed { .. } => Tone::Good,
        Standing::Injected { .. } | Standing::InPassing { .. } => Tone::Plain,
        Standing::Failed { .. } | Standing::Untouched => Tone::Bad,
        Standing::Known { .. } | Standing::Skipped { .. } => Tone::Warn,
        Standing::Unchecked { .. } => Tone::Faint,
    }
}

/// `1511 clauses: 856 passed, 68 injected, 468 in passing, 0 failed, 0 skipped, 119 not checkable, 0 untouched; 40 of 40 transitions
/// taken`
fn sum(run: &RunFinished) -> String {
    let counts = StandingCounts::of(run.clauses.iter().map(|outcome| &outcome.standing));
    let taken = run.rows.iter().filter(|row| row.times > 0).count();
    let transitions = counted(run.rows.len(), "transition");
    format!("{}: {counts}; {taken} of {transitions} taken", counted(run.clauses.len(), "clause"))
}

/// The carriers of each clause: places in the contracts, and scenarios.
fn carriers(contracts: &Contracts, scenarios: &[Arc<Scenario>], plan: &[Case]) -> BTreeMap<String, BTreeSet<String>> {
    let mut carriers: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (clause, places) in &contracts.carriers {
        carriers.entry(clause.clone()).or_default().extend(places.iter().map(|c| c.place.clone()));
    }
    for scenario in scenarios {
        let steps = scenario.steps.iter().flat_map(|step| &step.clauses);
        for clause in scenario.clauses.iter().chain(steps) {
            carriers.entry(clause.clone()).or_default().insert(scenario.path.clone());
        }
    }
    for case in plan {
        for clause in case.clauses() {
            carriers.entry(clause.clone()).or_default().insert(case.scenario.path.clone());
        }
    }
    carriers
}

fn standing(standing: &Standing) -> (&'static str, String) {
    match standing {
        Standing::Passed { .. } | Standing::Injected { .. } | Standing::InPassing { .. } => {
            (standing.word(), JudgingCases::from_standing(standing).map(|judged| judged.to_string()).unwrap_or_default())
        }
        Standing::Failed { times } => ("FAILED", format!("{times}×")),
        Standing::Known { times } => (standing.word(), format!("{times}×")),
        Standing::Skipped { reason } => (standing.word(), reason.to_string()),
        Standing::Unchecked { reason } => (standing.word(), reason.clone()),
        Standing::Untouched => ("UNTOUCHED", "nothing that ran judged it".to_owned()),
    }
}

/// A clause that another command checks can be checked, but not by this one.
fn word_for(clause: &Clause, word: &'static str) -> &'static str {
    if clause.checked_by.is_some() { "elsewhere" } else { word }
}
