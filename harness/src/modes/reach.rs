//! What a target can reach: the clauses that its target file lets a run judge, and what would add more. Nothing is sent.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::base::skip::SkipReason;
use crate::base::text::counted;
use crate::base::verdict::Verdict;
use crate::engine::event::Event;
use crate::engine::outcome::{Heading, List, ListEntry, Outcome, Section, Tone, Verb};
use crate::engine::runner::{Case, Context, blockers};
use crate::spec::contract::{Contracts, api_of};

/// The most openings listed.
const OPENINGS: usize = 20;
/// Columns of an API's name.
const API: usize = 12;

/// What prevents each case from being played.
type Blocked = BTreeMap<String, BTreeSet<SkipReason>>;

/// The clauses that each case judges, as a run against the emulator shows.
#[derive(Debug, Default)]
pub struct ClausesByCase {
    by_case: BTreeMap<String, Vec<String>>,
}

impl ClausesByCase {
    /// Adds an event of that run, and returns the clauses that it adds.
    pub fn collect(&mut self, event: &Event) -> &[String] {
        match event {
            Event::CaseFinished(case) if case.verdict == Verdict::Passed => {
                self.by_case.entry(case.name.to_string()).insert_entry(case.held.clone()).into_mut()
            }
            _ => &[],
        }
    }

    /// The clauses by case.
    pub fn into_cases(self) -> BTreeMap<String, Vec<String>> {
        self.by_case
    }
}

/// Whether some case of a plan cannot be played on this target.
pub fn is_limited(context: &Context, plan: &[Case]) -> bool {
    plan.iter().any(|case| !blockers(context, case).is_empty())
}

/// What a target can reach.
#[derive(Debug)]
pub struct Reach {
    /// Its title.
    target: String,
    /// The clauses that can be judged, each with its API and whether this target can judge it.
    clauses: BTreeMap<String, (String, bool)>,
    cases: usize,
    playable: usize,
    openings: Vec<Opening>,
}

/// Something that a target file lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Opening {
    what: String,
    /// Clauses that could be judged if only this were added.
    clauses: usize,
    /// Cases that could then be played.
    cases: usize,
}

impl Reach {
    /// Computes what part of a plan can be judged on the target of a context. `here` are the carriers as such a target shows
    /// them: one without an inbox judges no notification in passing. With `part`, only of the clauses whose id contains it.
    pub fn new(
        context: &Context,
        contracts: &Contracts,
        plan: &[Case],
        carriers: &ClausesByCase,
        here: &ClausesByCase,
        part: Option<&str>,
    ) -> Self {
        let blocked: Blocked = plan.iter().map(|case| (case.name.to_string(), blockers(context, case).into_iter().collect())).collect();
        let mut judging = judging(carriers, &blocked);
        judging.retain(|clause, _| part.is_none_or(|part| clause.contains(part)));
        let reached: BTreeSet<&str> = judging_here(here, &blocked);
        let api = |clause: &str| contracts.clauses.get(clause).map(|_| api_of(clause).to_owned());
        let clauses = judging.keys().filter_map(|clause| Some(((*clause).to_owned(), (api(clause)?, reached.contains(clause)))));
        Self {
            target: context.target.title.clone(),
            clauses: clauses.collect(),
            cases: plan.len(),
            playable: blocked.values().filter(|blocked| blocked.is_empty()).count(),
            openings: openings(&blocked, &judging),
        }
    }

    /// The clauses that can be judged.
    pub fn clauses(&self) -> BTreeSet<&str> {
        self.clauses.iter().filter(|(_, (_, reached))| *reached).map(|(clause, _)| clause.as_str()).collect()
    }

    /// The outcome to print.
    pub fn outcome(&self) -> Outcome {
        let mut apis: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for (api, reached) in self.clauses.values() {
            let (of_them, all) = apis.entry(api).or_default();
            *of_them += usize::from(*reached);
            *all += 1;
        }
        let shown = apis.iter().map(|(api, (reached, all))| {
            let tone = if reached == all { Tone::Good } else { Tone::Warn };
            ListEntry::marked(format!("{api:<API$}"), tone, format!("{reached} of {}", counted(*all, "clause")))
        });
        let mut sections = vec![Section::List(list("Can be judged", "API", shown.collect()))];
        let lacking = self.openings.iter().map(|opening| {
            let gain = format!("{}, {}", counted(opening.clauses, "clause"), counted(opening.cases, "case"));
            ListEntry::toned(Tone::Plain, format!("{gain:<24} {}", opening.what))
        });
        if !self.openings.is_empty() {
            sections.push(Section::List(list("What would open more, each on its own", "way", lacking.collect())));
        }
        let reached = self.clauses().len();
        let heading = Heading::new(Verb::Coverage, self.target.as_str()).counting(self.cases, "case");
        Outcome {
            sections,
            pass: format!(
                "{reached} of {} can be judged by {} of {}; nothing was sent",
                counted(self.clauses.len(), "clause"),
                self.playable,
                counted(self.cases, "case")
            ),
            ..Outcome::new(heading)
        }
    }

    /// The result as JSON.
    pub fn json(&self) -> Value {
        let clauses = self.clauses.iter().map(|(id, (api, reached))| json!({ "id": id, "api": api, "reached": reached }));
        let openings =
            self.openings.iter().map(|opening| json!({ "what": opening.what, "clauses": opening.clauses, "cases": opening.cases }));
        json!({
            "target": self.target,
            "cases": self.cases,
            "playable": self.playable,
            "clauses": clauses.collect::<Vec<_>>(),
            "openings": openings.collect::<Vec<_>>(),
        })
    }

    /// The file that a later run must reach.
    pub fn file(&self) -> String {
        let lines: Vec<_> = self.clauses().into_iter().map(|clause| format!("  - {clause}\n")).collect();
        format!(
            "# The clauses that a run against `{}` is meant to judge. Written by `paycheck coverage --target FILE --write`; name it in the\n\
             # target file (`reach:`). A run that judges fewer is inconclusive and names what it lost.\nclauses:\n{}",
            self.target.replace(['\n', '\r'], " "),
            lines.concat()
        )
    }
}

/// For each clause, what blocks each of the cases that judge it.
fn judging<'c>(carriers: &'c ClausesByCase, blocked: &'c Blocked) -> BTreeMap<&'c str, Vec<&'c BTreeSet<SkipReason>>> {
    let mut judging: BTreeMap<&str, Vec<&BTreeSet<SkipReason>>> = BTreeMap::new();
    for (case, clauses) in &carriers.by_case {
        let Some(blocked) = blocked.get(case) else { continue };
        for clause in clauses {
            judging.entry(clause).or_default().push(blocked);
        }
    }
    judging
}

/// The clauses that are judged by a case which nothing blocks.
fn judging_here<'c>(here: &'c ClausesByCase, blocked: &Blocked) -> BTreeSet<&'c str> {
    let playable = here.by_case.iter().filter(|(case, _)| blocked.get(*case).is_some_and(BTreeSet::is_empty));
    playable.flat_map(|(_, clauses)| clauses).map(String::as_str).collect()
}

/// The openings with the most clauses first: each alone prevents a case from being played.
fn openings(blocked: &Blocked, judging: &BTreeMap<&str, Vec<&BTreeSet<SkipReason>>>) -> Vec<Opening> {
    let only = |blocked: &&BTreeSet<SkipReason>| blocked.len() == 1;
    let alone: Vec<&SkipReason> = blocked.values().filter(only).filter_map(BTreeSet::first).collect();
    let opened = opened(&alone.iter().copied().collect());
    let mut gains: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for cases in judging.values().filter(|cases| !cases.iter().any(|blocked| blocked.is_empty())) {
        let reasons = cases.iter().copied().filter(only).filter_map(BTreeSet::first);
        let openings: BTreeSet<&String> = reasons.filter_map(|reason| opened.get(reason)).flatten().collect();
        openings.into_iter().for_each(|opening| gains.entry(opening).or_default().0 += 1);
    }
    for opening in alone.iter().filter_map(|reason| opened.get(reason)).flatten() {
        gains.entry(opening).or_default().1 += 1;
    }
    let opening = |(what, (clauses, cases)): (&str, (usize, usize))| Opening { what: what.to_owned(), clauses, cases };
    let mut openings: Vec<_> = gains.into_iter().map(opening).filter(|opening| opening.clauses > 0).collect();
    openings.sort_by(|a, b| (b.clauses, b.cases, &a.what).cmp(&(a.clauses, a.cases, &b.what)));
    openings.truncate(OPENINGS);
    openings
}

/// What opens each reason. Of what opens several, only that is listed which opens most of them.
fn opened<'r>(reasons: &BTreeSet<&'r SkipReason>) -> BTreeMap<&'r SkipReason, BTreeSet<String>> {
    let is_opened_with_another = |reason: &SkipReason| reasons.iter().any(|other| other.opens(reason) && !reason.opens(other));
    let largest: Vec<&SkipReason> = reasons.iter().copied().filter(|reason| !is_opened_with_another(reason)).collect();
    let opened_by = |reason: &SkipReason| largest.iter().filter(|by| by.opens(reason)).map(|by| by.opened_by()).collect();
    reasons.iter().map(|reason| (*reason, opened_by(reason))).collect()
}

fn list(title: &str, noun: &'static str, entries: Vec<ListEntry>) -> List {
    List { title: title.to_owned(), tone: Tone::Strong, entries, shown: usize::MAX, noun, note: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_opens_most_comes_first_and_two_obstacles_are_not_opened_by_one() {
        let (payer, clock) = (SkipReason::NoDriver("payer.fails".to_owned()), SkipReason::NoClock("clock.advances".to_owned()));
        let blocked: BTreeMap<String, BTreeSet<SkipReason>> =
            [("free", vec![]), ("fails", vec![payer.clone()]), ("late", vec![clock.clone()]), ("both", vec![payer, clock])]
                .into_iter()
                .map(|(case, reasons)| (case.to_owned(), reasons.into_iter().collect()))
                .collect();
        let by = |cases: &[&str]| cases.iter().filter_map(|case| blocked.get(*case)).collect::<Vec<_>>();
        let judging = BTreeMap::from([
            ("a", by(&["free", "fails"])),
            ("b", by(&["fails", "both"])),
            ("c", by(&["fails"])),
            ("d", by(&["late"])),
            ("e", by(&["both"])),
        ]);
        let found = openings(&blocked, &judging);
        let shown: Vec<_> = found.iter().map(|opening| (opening.what.as_str(), opening.clauses, opening.cases)).collect();
        assert_eq!(shown, [("a driver for `payer.fails`", 2, 1), ("a driver for `clock.advances`, or `waits-up-to`", 1, 1)]);
    }

    #[test]
    fn who_adds_all_parts_of_credentials_opens_what_needs_some_of_them() {
        let lacks = |parts: &[&str]| {
            let parts = parts.iter().map(|part| (*part).to_owned()).collect();
            BTreeSet::from([SkipReason::MissingParts { identity: "main".to_owned(), parts }])
        };
        let blocked = BTreeMap::from([
            ("logs in".to_owned(), lacks(&["user", "password"])),
            ("pays".to_owned(), lacks(&["mid", "user", "password"])),
            ("elsewhere".to_owned(), lacks(&["terminal"])),
        ]);
        let by = |case: &str| vec![&blocked[case]];
        let found = openings(&blocked, &BTreeMap::from([("a", by("logs in")), ("b", by("pays")), ("c", by("elsewhere"))]));
        let shown: Vec<_> = found.iter().map(|opening| (opening.what.as_str(), opening.clauses, opening.cases)).collect();
        let all = "`mid`, `password` and `user` in the credentials of `main`";
        assert_eq!(shown, [(all, 2, 2), ("`terminal` in the credentials of `main`", 1, 1)]);
    }

    #[test]
    fn what_is_opened_by_the_same_is_one_opening() {
        let of = |setting: &str| BTreeSet::from([SkipReason::EmulatorOnly { setting: setting.to_owned() }]);
        let blocked = BTreeMap::from([("one".to_owned(), of("tolerant: false")), ("two".to_owned(), of("error-status: 400"))]);
        let both: Vec<_> = blocked.values().collect();
        let found = openings(&blocked, &BTreeMap::from([("a", both)]));
        let shown: Vec<_> = found.iter().map(|opening| (opening.what.as_str(), opening.clauses, opening.cases)).collect();
        assert_eq!(shown, [("an emulator, whose worlds have settings", 1, 2)]);
    }
}
