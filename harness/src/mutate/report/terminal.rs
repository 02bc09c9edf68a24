//! The score and the blind spots on one screen.

use std::collections::BTreeMap;

use crate::mutate::score::{BlindSpot, Fate, MutantOutcome, Score};
use crate::report::style::{Line, Style, Tone};
use crate::report::text::{counted, fit};

/// Blind spots shown.
const SPOTS: usize = 12;
/// Accidents shown.
const ACCIDENTS: usize = 4;
/// Reasons shown.
const REASONS: usize = 6;
/// The column at which the text of a fact begins.
const LABEL: usize = 14;

/// What is told besides the score.
#[derive(Clone, Debug, Default)]
pub(crate) struct Told {
    /// The target's title.
    pub(crate) target: String,
    /// The seed.
    pub(crate) seed: u64,
    /// Instances that were not green and are left out.
    pub(crate) left_out: usize,
    /// Lines telling where the whole story is.
    pub(crate) details: Vec<String>,
}

/// The summary, with a line end after each line.
pub(crate) fn terminal(score: &Score, outcomes: &[MutantOutcome], told: &Told, (colours, width): (bool, u16)) -> String {
    let style = Style::new(colours, width);
    lines(score, outcomes, told, style.width()).iter().map(|line| style.render(line) + "\n").collect()
}

fn lines(score: &Score, outcomes: &[MutantOutcome], told: &Told, width: usize) -> Vec<Line> {
    let mut lines = vec![Line::toned(Tone::Strong, format!("Broke what {} recorded, seed {}", told.target, told.seed))];
    lines.push(fact("Recordings", format!("{} that passed{}", counted(score.instances, "instance"), left_out(told))));
    lines.push(fact("Mutants", mutants(score)));
    lines.push(fact("Aim", aim(score)));
    lines.extend(spots(&score.blind_spots, width));
    lines.extend(accidents(&score.accidents));
    lines.extend(allowed(outcomes));
    lines.push(Line::empty());
    lines.extend(told.details.iter().map(|detail| Line::toned(Tone::Faint, detail.clone())));
    lines.push(verdict(score));
    lines
}

fn fact(label: &str, text: String) -> Line {
    Line::toned(Tone::Faint, format!("{label:<LABEL$}")).and(Tone::Plain, text)
}

fn mutants(score: &Score) -> String {
    let unjudged = if score.unjudged == 0 { String::new() } else { format!(", {} could not be judged", score.unjudged) };
    let (killed, allowed, survived) = (score.killed, score.allowed, score.survived);
    format!("{}: {killed} noticed, {allowed} allowed by the documents, {survived} unnoticed{unjudged}", score.mutants)
}

fn left_out(told: &Told) -> String {
    if told.left_out == 0 { String::new() } else { format!("; {} left out that did not pass", told.left_out) }
}

fn aim(score: &Score) -> String {
    let aimed = score.killed - score.by_accident;
    format!("{aimed} of {} noticed under a rule about that very place, {} by accident", score.killed, score.by_accident)
}

fn spots(spots: &[BlindSpot], width: usize) -> Vec<Line> {
    if spots.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![Line::empty(), Line::toned(Tone::Strong, "Blind spots".to_owned())];
    for spot in spots.iter().take(SPOTS) {
        let kinds = spot.kinds.iter().filter(|kind| !kind.is_empty()).cloned().collect::<Vec<_>>().join(", ");
        let kinds = if kinds.is_empty() { String::new() } else { format!(" [{}]", fit(&kinds, 24)) };
        let text = format!("{}{kinds} {}: {}: nobody noticed", spot.operation, spot.place, spot.change);
        lines.push(Line::toned(Tone::Bad, "  ✗ ".to_owned()).and(Tone::Plain, fit(&text, width.saturating_sub(4))));
    }
    if spots.len() > SPOTS {
        lines.push(Line::toned(Tone::Faint, format!("    and {} more (--json lists them all)", spots.len() - SPOTS)));
    }
    lines
}

fn accidents(accidents: &[MutantOutcome]) -> Vec<Line> {
    if accidents.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![Line::empty(), Line::toned(Tone::Strong, "Noticed by accident".to_owned())];
    for accident in accidents.iter().take(ACCIDENTS) {
        let Fate::Killed { clause, .. } = &accident.fate else { continue };
        lines.push(Line::toned(Tone::Warn, "  ~ ".to_owned()).and(Tone::Plain, format!("{}, as {clause}", accident.title())));
    }
    if accidents.len() > ACCIDENTS {
        lines.push(Line::toned(Tone::Faint, format!("    and {} more", accidents.len() - ACCIDENTS)));
    }
    lines
}

fn allowed(outcomes: &[MutantOutcome]) -> Vec<Line> {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for outcome in outcomes {
        if let Fate::Allowed { reason } = &outcome.fate {
            *reasons.entry(reason).or_default() += 1;
        }
    }
    if reasons.is_empty() {
        return Vec::new();
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(reason, count)| (std::cmp::Reverse(*count), *reason));
    let mut lines = vec![Line::empty(), Line::toned(Tone::Strong, "Allowed, because".to_owned())];
    lines.extend(reasons.iter().take(REASONS).map(|(reason, count)| Line::plain(format!("  {count:>6}  {reason}"))));
    if reasons.len() > REASONS {
        lines.push(Line::toned(Tone::Faint, format!("          and {} more reasons", reasons.len() - REASONS)));
    }
    lines
}

fn verdict(score: &Score) -> Line {
    let forbidden = counted(score.forbidden(), "mutant");
    let percent = (score.percent() * 100.0).floor() / 100.0;
    let text = format!("{percent:.2} % of {forbidden} that the documents forbid would have turned the run red");
    match (score.survived, score.unjudged) {
        (0, 0) => Line::toned(Tone::Good, text),
        (0, _) => Line::toned(Tone::Warn, text),
        _ => Line::toned(Tone::Bad, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(place: &str, change: &str, fate: Fate) -> MutantOutcome {
        MutantOutcome { operation: "shop.read".into(), kind: "0 OPEN".into(), place: place.into(), change: change.into(), told: 3, fate }
    }

    fn killed(aimed: bool) -> Fate {
        Fate::Killed { clause: "shop.read.state".into(), message: "not so".into(), instance: "shop / read".into(), aimed }
    }

    fn summary(outcomes: &[MutantOutcome], left_out: usize) -> String {
        let told = Told { target: "the shop".into(), seed: 7, left_out, details: vec!["JSON: mutants.json".into()] };
        terminal(&Score::of(12, outcomes), outcomes, &told, (false, 100))
    }

    #[test]
    fn blind_spots_come_first() {
        let survived = || Fate::Survived { instance: "shop / read".into() };
        let outcomes = [
            outcome("/state", "LOST instead", killed(true)),
            outcome("/state", "emptied", killed(false)),
            outcome("/total", "one more", survived()),
            MutantOutcome { kind: "0 SENT".into(), ..outcome("/total", "one more", survived()) },
            outcome("/hint", "emptied", Fate::Allowed { reason: "text for people".into() }),
            outcome("/token", "dropped", Fate::Unjudged { reason: "no token".into(), instance: "shop / read".into() }),
        ];
        insta::assert_snapshot!(summary(&outcomes, 2));
    }

    #[test]
    fn a_run_that_sees_everything_says_so() {
        insta::assert_snapshot!(summary(&[outcome("/state", "LOST instead", killed(true))], 0));
    }

    #[test]
    fn whatever_is_found_it_is_one_screen() {
        let spot = |n: usize| outcome(&format!("/field-{n}"), "one more", Fate::Survived { instance: "shop / read".into() });
        let accident = |n: usize| outcome(&format!("/other-{n}"), "one more", killed(false));
        let allowed = |n: usize| outcome(&format!("/free-{n}"), "one more", Fate::Allowed { reason: format!("reason {n}") });
        let outcomes: Vec<_> = (0..100).flat_map(|n| [spot(n), accident(n), allowed(n)]).collect();
        let lines = summary(&outcomes, 0).lines().count();
        assert!(lines <= 40, "{lines}");
    }
}
