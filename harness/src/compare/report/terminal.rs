//! A comparison on one screen.

use std::collections::BTreeMap;

use super::{name, place, shown};
use crate::compare::{Comparison, Difference, Standing};
use crate::exit::Exit;
use crate::report::style::{Line, Style, Tone};
use crate::report::text::{counted, fit};

/// Causes shown in full, of breaks and of changes each.
const GROUPS: usize = 5;
/// Known ones and reasons shown.
const FEW: usize = 3;
/// Kinds of freedom shown.
const KINDS: usize = 8;

/// How it is written.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whether ANSI colours are wanted.
    pub colours: bool,
    /// Columns; 0 if unknown.
    pub width: u16,
    /// Lines telling where the whole story is.
    pub details: Vec<String>,
    /// Every cause is told, not only as many as fit on a screen.
    pub verbose: bool,
    /// Changes don't fail the command.
    pub allow_changes: bool,
}

/// The comparison as lines for a terminal.
pub fn terminal(comparison: &Comparison, options: &Options) -> String {
    let style = Style::new(options.colours, options.width);
    let screen = Screen { comparison, options, width: style.width() };
    screen.lines().iter().map(|line| style.render(line) + "\n").collect()
}

struct Screen<'s> {
    comparison: &'s Comparison,
    options: &'s Options,
    width: usize,
}

impl Screen<'_> {
    fn lines(&self) -> Vec<Line> {
        let mut lines = self.head();
        lines.extend(self.groups(Standing::Break, Tone::Bad, "break", "one side breaks a rule that the other keeps"));
        let tone = if self.options.allow_changes { Tone::Plain } else { Tone::Warn };
        lines.extend(self.groups(Standing::Changed, tone, "change", "both conform, and no rule says which it is to be"));
        lines.extend(self.known());
        lines.extend(self.freedoms());
        lines.push(Line::empty());
        lines.extend(self.options.details.iter().map(|detail| Line::toned(Tone::Faint, detail.clone())));
        lines.push(self.verdict());
        lines
    }

    fn head(&self) -> Vec<Line> {
        let Comparison { a, b, instances, missing, .. } = self.comparison;
        let title = |label: &str, text: &str| Line::toned(Tone::Strong, format!("{label:<10}")).and(Tone::Plain, text.to_owned());
        let mut counts = format!("{} compared, {} alike", counted(instances.compared, "instance"), instances.alike);
        for (count, what) in [(instances.on_one_side, "on one side only"), (instances.on_neither, "judged on neither side")] {
            if count > 0 {
                counts.push_str(&format!(", {count} {what}"));
            }
        }
        let mut lines = vec![
            title("Compared A", &format!(" {}", a.target)),
            title("    with B", &format!(" {}", b.target)),
            title("", &format!(" {counts}")),
        ];
        let more = missing.len().saturating_sub(FEW);
        lines.extend(missing.iter().take(FEW).map(|reason| Line::toned(Tone::Warn, format!("  missing   {reason}"))));
        lines.extend((more > 0).then(|| Line::toned(Tone::Faint, format!("  and {}", counted(more, "more reason")))));
        lines
    }

    fn groups(&self, standing: Standing, tone: Tone, noun: &str, means: &str) -> Vec<Line> {
        let groups: Vec<&Difference> = self.comparison.of(standing).collect();
        if groups.is_empty() {
            return Vec::new();
        }
        let mut lines = vec![Line::empty(), Line::toned(tone, counted(groups.len(), noun)).and(Tone::Faint, format!(": {means}"))];
        let shown = if self.options.verbose { groups.len() } else { GROUPS };
        groups.iter().take(shown).for_each(|difference| lines.extend(self.group(difference)));
        let more = groups.len().saturating_sub(shown);
        lines.extend((more > 0).then(|| Line::toned(Tone::Faint, format!("and {} more: --verbose tells all, so does --json", more))));
        lines
    }

    fn group(&self, difference: &Difference) -> Vec<Line> {
        let instances = counted(difference.instances, "instance");
        let who = difference.broken_by.map(|side| format!(", {} breaks it", name(side))).unwrap_or_default();
        let clauses = difference.clauses.join(", ");
        let why = match clauses.as_str() {
            "" => difference.why.clone(),
            clauses => format!("{clauses}: {}", difference.why),
        };
        let mut lines = vec![
            Line::toned(Tone::Strong, place(difference)).and(Tone::Plain, format!("  {instances}{who}")),
            Line::plain(format!("  {why}")),
        ];
        if let Some(example) = difference.examples.first() {
            let room = self.width.saturating_sub(12) / 3;
            let (a, b) = (fit(&shown(example.a.as_ref()), room), fit(&shown(example.b.as_ref()), room));
            lines.push(Line::plain(format!("  A {a}, B {b}")).and(Tone::Faint, format!(", first in {}", example.instance)));
        }
        lines
    }

    fn known(&self) -> Vec<Line> {
        let known: Vec<_> = self.comparison.of(Standing::Known).collect();
        if known.is_empty() {
            return Vec::new();
        }
        let mut lines =
            vec![Line::empty(), Line::toned(Tone::Warn, format!("{} (accepted, does not count)", counted(known.len(), "known break")))];
        for difference in known.iter().take(FEW) {
            let by = difference.known.as_ref().map(|by| format!("until {}, {}: ", by.expires, by.owner)).unwrap_or_default();
            lines.push(Line::plain(format!("  {}: {by}{}", place(difference), difference.why)));
        }
        lines.extend((known.len() > FEW).then(|| Line::toned(Tone::Faint, format!("  and {} more", known.len() - FEW))));
        lines
    }

    /// What is left to the target, counted by what it is.
    fn freedoms(&self) -> Vec<Line> {
        let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for difference in self.comparison.of(Standing::Freedom) {
            let (times, places) = kinds.entry(difference.why.as_str()).or_default();
            (*times, *places) = (*times + difference.times, *places + 1);
        }
        if kinds.is_empty() {
            return Vec::new();
        }
        let mut sorted: Vec<_> = kinds.into_iter().collect();
        sorted.sort_by_key(|(_, (times, _))| std::cmp::Reverse(*times));
        let mut lines = vec![Line::empty(), Line::toned(Tone::Faint, "documented freedom (does not count)".to_owned())];
        let line = |(why, (times, places)): &(&str, (usize, usize))| {
            Line::toned(Tone::Faint, format!("  {why}: {} in {}", counted(*times, "difference"), counted(*places, "place")))
        };
        lines.extend(sorted.iter().take(KINDS).map(line));
        lines.extend((sorted.len() > KINDS).then(|| Line::toned(Tone::Faint, format!("  and {} more", sorted.len() - KINDS))));
        lines
    }

    fn verdict(&self) -> Line {
        let count = |standing| self.comparison.of(standing).count();
        let (breaks, changes) = (count(Standing::Break), count(Standing::Changed));
        let (tone, word) = match self.comparison.exit(self.options.allow_changes) {
            Exit::Findings => (Tone::Bad, "DIFFERENT"),
            Exit::Passed => (Tone::Good, "ALIKE"),
            Exit::Inconclusive | Exit::InvalidInput | Exit::Unreachable | Exit::Internal | Exit::Interrupted => {
                (Tone::Warn, "INCONCLUSIVE")
            }
        };
        let text = match (breaks, changes) {
            (0, 0) => {
                let missing = self.comparison.missing.first();
                missing.map_or_else(|| "nothing differs but what the documents leave free".to_owned(), Clone::clone)
            }
            (0, changes) => format!("{}, no breaks", counted(changes, "change")),
            (breaks, 0) => counted(breaks, "break"),
            (breaks, changes) => format!("{}, {}", counted(breaks, "break"), counted(changes, "change")),
        };
        Line::toned(tone, word.to_owned()).and(Tone::Plain, format!(": {text}"))
    }
}
