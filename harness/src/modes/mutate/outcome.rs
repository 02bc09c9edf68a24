//! A mutation run as an outcome: the score, blind spots, and a test case for every place of every operation.

use std::collections::BTreeMap;

use indexmap::IndexMap;

use super::mutation_run::LeftOut;
use super::score::{BlindSpot, FORMAT, Fate, MutantOutcome, MutationResult, Score};
use crate::base::text::{counted, fit};
use crate::engine::outcome::{Check, CheckResult, Figure, Heading, List, ListEntry, Missing, Outcome, Section, Tone, Verb};

/// Blind spots shown.
const SPOTS: usize = 12;
/// Accidents shown.
const ACCIDENTS: usize = 4;
/// Reasons shown.
const REASONS: usize = 6;
/// Mutants described of one place.
const DESCRIBED: usize = 20;

/// A mutation run at its end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mutation {
    /// The target's title.
    pub(crate) target: String,
    /// The seed of the recording.
    pub(crate) seed: u64,
    /// Recorded cases in which nothing was changed.
    pub(crate) left_out: LeftOut,
    /// The totals.
    pub(crate) score: Score,
    /// Every mutant.
    pub(crate) mutants: Vec<MutantOutcome>,
    /// Mutants that were not tried, if the user ended the command; 0 before anything was changed.
    pub(crate) untried: Option<usize>,
}

impl Mutation {
    /// The outcome of the run.
    pub(crate) fn outcome(self) -> Outcome {
        let heading = Heading::new(Verb::Mutate, self.target.as_str());
        let heading = heading.counting(self.score.cases, "recorded case").counting(self.score.mutants, "mutant").seeded(self.seed);
        let sentence = sentence(&self.score);
        Outcome {
            figures: self.figures(),
            sections: [spots(&self.score.blind_spots), accidents(&self.score.accidents), allowed(&self.mutants)]
                .into_iter()
                .flatten()
                .map(Section::List)
                .collect(),
            failures: (self.score.survived > 0).then(|| sentence.clone()).into_iter().collect(),
            missing: self.missing(),
            pass: sentence,
            checks: checks(&self.mutants),
            document: Some(Box::new(MutationResult { format: FORMAT, score: self.score, mutants: self.mutants })),
            ..Outcome::new(heading)
        }
    }

    fn missing(&self) -> Vec<Missing> {
        let nothing = match self.untried {
            Some(mutants) => Some(Missing::MutantsNotTried { mutants }),
            None => (self.score.mutants == 0).then_some(Missing::NothingMutated),
        };
        let (mutants, cases) = (self.score.unjudged, self.left_out.not_passed);
        let not_judged = (mutants > 0).then_some(Missing::MutantsNotJudged { mutants });
        let not_passed = (cases > 0).then_some(Missing::RecordingsNotPassed { cases });
        nothing.into_iter().chain(not_judged).chain(not_passed).collect()
    }

    fn figures(&self) -> Vec<Figure> {
        let Score { killed, by_accident, allowed, survived, unjudged, mutants, cases, .. } = &self.score;
        let LeftOut { not_passed, cut } = &self.left_out;
        let red = if *not_passed == 0 { String::new() } else { format!("; {not_passed} left out that did not pass") };
        let long = if cut.is_empty() { String::new() } else { format!("; {} left out with a response too long to be kept", cut.len()) };
        let unjudged = if *unjudged == 0 { String::new() } else { format!(", {unjudged} could not be judged") };
        vec![
            Figure::new("recordings", Tone::Plain, format!("{} that passed{red}{long}", counted(*cases, "case"))),
            Figure::new(
                "mutants",
                Tone::Plain,
                format!("{mutants}: {killed} noticed, {allowed} allowed by the documents, {survived} not noticed{unjudged}"),
            ),
            Figure::new(
                "attribution",
                Tone::Plain,
                format!("{} of {killed} noticed under a rule about that very place, {by_accident} by accident", killed - by_accident),
            ),
        ]
    }
}

fn sentence(score: &Score) -> String {
    let percent = (score.percent() * 100.0).floor() / 100.0;
    format!("{percent:.2} % of {} that the documents forbid would have turned the run red", counted(score.forbidden(), "mutant"))
}

/// A list; none if it is empty.
fn list(title: &str, entries: Vec<ListEntry>, shown: usize, noun: &'static str) -> Option<List> {
    (!entries.is_empty()).then(|| List { title: title.to_owned(), tone: Tone::Strong, entries, shown, noun, note: None })
}

fn spots(spots: &[BlindSpot]) -> Option<List> {
    let entry = |spot: &BlindSpot| {
        let kinds = spot.kinds.iter().filter(|kind| !kind.is_empty()).cloned().collect::<Vec<_>>().join(", ");
        let kinds = if kinds.is_empty() { String::new() } else { format!(" [{}]", fit(&kinds, 24)) };
        ListEntry::marked("✗", Tone::Bad, format!("{}{kinds} {}: {}: not noticed", spot.operation, spot.place, spot.change))
    };
    list("Blind spots", spots.iter().map(entry).collect(), SPOTS, "blind spot")
}

fn accidents(accidents: &[MutantOutcome]) -> Option<List> {
    let entry = |accident: &MutantOutcome| match &accident.fate {
        Fate::Killed { clause, .. } => Some(ListEntry::marked("~", Tone::Warn, format!("{}, as {clause}", accident.title()))),
        Fate::Allowed { .. } | Fate::Unjudged { .. } | Fate::Survived { .. } => None,
    };
    list("Noticed by accident", accidents.iter().filter_map(entry).collect(), ACCIDENTS, "accident")
}

fn allowed(mutants: &[MutantOutcome]) -> Option<List> {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for mutant in mutants {
        if let Fate::Allowed { reason } = &mutant.fate {
            *reasons.entry(reason).or_default() += 1;
        }
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(reason, count)| (std::cmp::Reverse(*count), *reason));
    let entries = reasons.iter().map(|(reason, count)| ListEntry::marked(format!("{count:>6} "), Tone::Plain, *reason)).collect();
    list("Allowed, because", entries, REASONS, "reason")
}

/// A test case for every place of every operation; it fails if a change is not noticed, and is not judged where a change could not be.
fn checks(mutants: &[MutantOutcome]) -> Vec<Check> {
    let mut places: IndexMap<(&str, &str), Vec<&MutantOutcome>> = IndexMap::new();
    for mutant in mutants {
        places.entry((&mutant.operation, &mutant.place)).or_default().push(mutant);
    }
    let check = |((operation, place), mutants): ((&str, &str), Vec<&MutantOutcome>)| Check {
        suite: operation.to_owned(),
        class: format!("paycheck mutate / {operation}"),
        name: if place.is_empty() { "body" } else { place }.to_owned(),
        result: result(&mutants),
    };
    places.into_iter().map(check).collect()
}

fn result(mutants: &[&MutantOutcome]) -> CheckResult {
    let is_missed = |mutant: &&&MutantOutcome| matches!(mutant.fate, Fate::Survived { .. });
    let missed: Vec<_> = mutants.iter().filter(is_missed).map(|mutant| format!("{}: not noticed", mutant.title())).collect();
    let Some(first) = missed.first() else { return judged(mutants) };
    let details = missed.iter().take(DESCRIBED).map(String::as_str).collect::<Vec<_>>().join("\n");
    CheckResult::Failed { kind: "blind spot", message: first.clone(), details }
}

/// The result of a place where nothing was missed.
fn judged(mutants: &[&MutantOutcome]) -> CheckResult {
    let open = mutants.iter().filter_map(|mutant| match &mutant.fate {
        Fate::Unjudged { reason, .. } => Some(format!("{}: {reason}", mutant.title())),
        Fate::Killed { .. } | Fate::Allowed { .. } | Fate::Survived { .. } => None,
    });
    let open: Vec<_> = open.take(DESCRIBED).collect();
    if open.is_empty() { CheckResult::Passed } else { CheckResult::NotJudged(open) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::exit::Exit;
    use crate::engine::outcome::OutputFile;
    use crate::report::TerminalOptions;
    use crate::report::rendering::{junit_text, screen};

    fn mutant(place: &str, change: &str, fate: Fate) -> MutantOutcome {
        MutantOutcome { operation: "shop.read".into(), kind: "0 OPEN".into(), place: place.into(), change: change.into(), tried: 3, fate }
    }

    fn killed(targeted: bool) -> Fate {
        Fate::Killed { clause: "shop.read.state".into(), message: "not so".into(), case: "shop / read".into(), targeted }
    }

    fn survived() -> Fate {
        Fate::Survived { case: "shop / read".into() }
    }

    fn outcome(mutants: &[MutantOutcome], not_passed: usize) -> Outcome {
        let left_out = LeftOut { not_passed, cut: Vec::new() };
        let score = Score::from_outcomes(12, mutants);
        let mutation = Mutation { target: "the shop".into(), seed: 7, left_out, score, mutants: mutants.to_vec(), untried: None };
        Outcome { files: vec![OutputFile { label: "JSON", path: "mutants.json".into() }], ..mutation.outcome() }
    }

    fn summary(mutants: &[MutantOutcome], not_passed: usize) -> String {
        screen(&outcome(mutants, not_passed), TerminalOptions { width: 100, ..TerminalOptions::default() })
    }

    #[test]
    fn blind_spots_come_first() {
        let mutants = [
            mutant("/state", "LOST instead", killed(true)),
            mutant("/state", "emptied", killed(false)),
            mutant("/total", "one more", survived()),
            MutantOutcome { kind: "0 SENT".into(), ..mutant("/total", "one more", survived()) },
            mutant("/hint", "emptied", Fate::Allowed { reason: "text for people".into() }),
            mutant("/token", "dropped", Fate::Unjudged { reason: "no token".into(), case: "shop / read".into() }),
        ];
        insta::assert_snapshot!(summary(&mutants, 2));
        assert_eq!(outcome(&mutants, 2).exit(), Exit::Findings);
    }

    #[test]
    fn a_run_that_sees_everything_says_so() {
        let mutants = [mutant("/state", "LOST instead", killed(true))];
        insta::assert_snapshot!(summary(&mutants, 0));
        assert_eq!(outcome(&mutants, 0).exit(), Exit::Passed);
    }

    #[test]
    fn what_could_not_be_judged_makes_it_inconclusive() {
        let unjudged = mutant("/token", "dropped", Fate::Unjudged { reason: "no token".into(), case: "shop / read".into() });
        let codes = [outcome(&[unjudged], 0), outcome(&[mutant("/a", "b", killed(true))], 1), outcome(&[], 0)].map(|o| o.exit());
        assert_eq!(codes, [Exit::Inconclusive; 3]);
    }

    #[test]
    fn whatever_is_found_it_is_one_screen() {
        let spot = |n: usize| mutant(&format!("/field-{n}"), "one more", survived());
        let accident = |n: usize| mutant(&format!("/other-{n}"), "one more", killed(false));
        let allowed = |n: usize| mutant(&format!("/free-{n}"), "one more", Fate::Allowed { reason: format!("reason {n}") });
        let mutants: Vec<_> = (0..100).flat_map(|n| [spot(n), accident(n), allowed(n)]).collect();
        let lines = summary(&mutants, 0).lines().count();
        assert!(lines <= 40, "{lines}");
    }

    #[test]
    fn a_place_fails_where_a_change_is_not_noticed() {
        let text = junit_text(&outcome(&[mutant("/a", "one more", killed(true)), mutant("/b", "one more", survived())], 0));
        assert!(text.contains("tests=\"2\"") && text.contains("failures=\"1\""), "{text}");
        assert!(text.contains("shop.read [0 OPEN] /b: one more: not noticed"), "{text}");
    }

    #[test]
    fn a_place_where_a_change_could_not_be_judged_does_not_fail() {
        let unjudged = mutant("/token", "dropped", Fate::Unjudged { reason: "no token".into(), case: "shop / read".into() });
        let text = junit_text(&outcome(&[unjudged], 0));
        assert!(text.contains("failures=\"0\"") && text.contains("/token: dropped: no token"), "{text}");
    }
}
