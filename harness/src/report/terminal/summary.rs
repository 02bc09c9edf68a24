//! The summary of a command on one screen.

use serde_json::Value;

use super::assumed::assumed;
use super::excerpt::excerpt;
use super::line::{Layout, Line};
use super::table::table;
use crate::base::expected;
use crate::base::text::{bounded, columns, counted, fit, list_within};
use crate::engine::outcome::{
    Cause, Fact, Figure, List, ListEntry, MAX_SHOWN_BODY_BYTES, Missing, MissingKind, Outcome, Section, Table, Tone, Verb, Weight,
    WireMessage, wall_time,
};

/// Lines of the summary.
pub(crate) const MAX_LINES: usize = 39;
/// Causes shown.
const CAUSES: usize = 6;
/// Lines of a cause of which only the name is shown.
const SHORT_CAUSE: usize = 2;
/// Causes shown of those that do not count, of each kind.
const UNCOUNTED: usize = 3;
/// Reasons shown of each kind.
const REASONS: usize = 3;
/// Files named.
const FILES: usize = 4;
/// Further failures below the first.
const FURTHER_FAILURES: usize = 2;
/// Lines that every section gets before any section gets more.
const LEAST_LINES: usize = 5;
/// The column at which the text of the overview begins.
const LABEL: usize = 17;
/// The column at which a fact's text begins.
const FACT: usize = 12;
/// The most lines of a text on a terminal.
const TEXT_LINES: usize = 3;
/// The most lines of the body of a message on a terminal.
const BODY_LINES: usize = 3;
/// Bytes of a value, if lines are not cut.
const VALUE_BYTES: usize = MAX_SHOWN_BODY_BYTES;

/// A part of the summary that takes more or fewer lines.
type Part<'s> = Box<dyn Fn(usize) -> Vec<Line> + 's>;

/// The summary of an outcome.
pub(super) struct Summary<'o> {
    pub(super) outcome: &'o Outcome,
    pub(super) layout: Layout,
    /// Whether the causes that do not count are shown with their facts, as the others are.
    pub(super) verbose: bool,
}

impl Summary<'_> {
    /// The lines. Overview and end are bounded by themselves; the parts between them share the remaining room.
    pub(super) fn lines(&self) -> Vec<Line> {
        let mut lines: Vec<_> = self.outcome.figures.iter().map(|figure| self.figure(figure)).collect();
        lines.extend(MissingKind::ALL.into_iter().flat_map(|kind| self.missing(kind)));
        if !lines.is_empty() {
            lines.insert(0, Line::empty());
        }
        let mut end = self.uncounted(Uncounted::Noted);
        end.extend(self.uncounted(Uncounted::Known));
        let block: &dyn Fn(&Cause) -> Vec<Line> = &|cause: &Cause| self.block(cause, &cause.seen, usize::MAX);
        end.extend(assumed(&self.outcome.causes, self.is_whole(), self.verbose.then_some(block)));
        end.extend(self.end());
        lines.extend(self.between(MAX_LINES.saturating_sub(self.layout.rows(&lines) + self.layout.rows(&end))));
        lines.extend(end);
        lines
    }

    /// Sections and causes.
    fn between(&self, room: usize) -> Vec<Line> {
        let mut parts: Vec<Part<'_>> = Vec::new();
        for section in &self.outcome.sections {
            parts.push(match section {
                Section::List(list) => Box::new(move |room| self.list(list, room)),
                Section::Table(table) => Box::new(move |room| self.table(table, room)),
            });
        }
        parts.push(Box::new(|room| self.causes(room)));
        let mut wants: Vec<usize> = parts.iter().map(|part| self.layout.rows(&part(usize::MAX))).collect();
        // Causes keep a line free for the note about the others.
        if let Some(causes) = wants.last_mut().filter(|wants| **wants > 0) {
            *causes += 1;
        }
        let rooms = if self.is_whole() { vec![usize::MAX; parts.len()] } else { shared(room, &wants) };
        parts.iter().zip(rooms).flat_map(|(part, room)| part(room)).collect()
    }

    fn figure(&self, figure: &Figure) -> Line {
        let names: Vec<&str> = figure.names.iter().map(String::as_str).collect();
        let elapsed = figure.elapsed.map(|elapsed| format!(", {}", wall_time(elapsed))).unwrap_or_default();
        let room = self.room(LABEL + columns(&figure.text) + columns(&elapsed));
        labelled(figure.label, figure.tone, format!("{}{elapsed}{}", figure.text, list_within(&names, room)))
    }

    /// The most frequent reasons, each on a line.
    fn missing(&self, kind: MissingKind) -> Vec<Line> {
        let all = self.outcome.missing.iter().chain(&self.outcome.tolerated);
        let mut reasons: Vec<&Missing> = all.filter(|missing| missing.kind() == kind).collect();
        reasons.sort_by_key(|missing| std::cmp::Reverse(missing.weight()));
        let shown = if self.is_whole() { reasons.len() } else { REASONS.min(reasons.len()) };
        let more = reasons.len() - shown;
        let line = |(index, missing): (usize, &&Missing)| {
            let label = if index == 0 { kind.label() } else { "" };
            let more = if more > 0 && index + 1 == shown { format!("(and {}) ", counted(more, "more reason")) } else { String::new() };
            labelled(label, Tone::Warn, format!("{more}{}", missing.in_row()))
        };
        reasons.iter().take(shown).enumerate().map(line).collect()
    }

    fn list(&self, list: &List, room: usize) -> Vec<Line> {
        let around = 2 + usize::from(list.note.is_some());
        let most = if self.is_whole() { list.entries.len() } else { list.shown.min(list.entries.len()) };
        let shown = if most == list.entries.len() && most + around <= room { most } else { most.min(room.saturating_sub(around + 1)) };
        if (list.entries.is_empty() && list.note.is_none()) || (shown == 0 && !list.entries.is_empty()) {
            return Vec::new();
        }
        let mut lines = vec![Line::empty(), Line::toned(list.tone, list.title.clone())];
        lines.extend(list.entries.iter().take(shown).map(entry));
        let hidden = list.entries.len() - shown;
        lines.extend((hidden > 0).then(|| Line::toned(Tone::Faint, format!("  and {}", counted(hidden, &format!("more {}", list.noun))))));
        lines.extend(list.note.iter().map(|note| Line::toned(Tone::Faint, format!("  {note}"))));
        lines
    }

    fn table(&self, from: &Table, room: usize) -> Vec<Line> {
        let around = 2 + usize::from(from.total.is_some());
        let shown = if from.rows.len() + around <= room { from.rows.len() } else { from.rows.len().min(room.saturating_sub(around + 1)) };
        if shown == 0 {
            return Vec::new();
        }
        let rows: Vec<_> = from.rows.iter().take(shown).chain(&from.total).collect();
        let width = if self.layout.cuts() { self.layout.width() } else { usize::MAX };
        let mut lines = vec![Line::empty()];
        lines.extend(table(from.first, from.columns, &rows, width));
        let hidden = from.rows.len() - shown;
        lines.extend((hidden > 0).then(|| Line::toned(Tone::Faint, format!("and {}", counted(hidden, &format!("more {}", from.first))))));
        lines
    }

    /// The causes that count: the first ones in full as far as they fit, the others by name.
    fn causes(&self, room: usize) -> Vec<Line> {
        let causes: Vec<_> = self.outcome.causes.iter().filter(|cause| cause.weight == Weight::Fails).collect();
        if causes.is_empty() || room < 3 + SHORT_CAUSE {
            return Vec::new();
        }
        let mut lines = vec![Line::empty(), Line::toned(Tone::Bad, self.title(causes.len()))];
        let mut room = room.saturating_sub(lines.len() + 1);
        let most = if self.is_whole() { causes.len() } else { CAUSES };
        let shown = causes.len().min(most).min(room / SHORT_CAUSE);
        let mut cut = false;
        for (index, cause) in causes.iter().take(shown).enumerate() {
            let block = self.block(cause, &cause.seen, room.saturating_sub((shown - index - 1) * SHORT_CAUSE));
            room = room.saturating_sub(self.layout.rows(&block));
            cut |= block.iter().any(|line| self.layout.is_cut(line)) || self.is_shortened(cause);
            lines.extend(block);
        }
        lines.extend(self.more(causes.len() - shown, cut));
        lines
    }

    fn title(&self, causes: usize) -> String {
        match self.outcome.heading.verb {
            Verb::Compare if causes == 1 => "1 difference that counts".to_owned(),
            Verb::Compare => format!("{causes} differences that count"),
            _ => format!("{} of failure found", counted(causes, "cause")),
        }
    }

    /// A hint at where to find what is not shown here.
    fn more(&self, hidden: usize, cut: bool) -> Option<Line> {
        let hidden = (hidden > 0).then(|| format!("and {}", counted(hidden, "more cause")));
        let cut = cut.then(|| "lines cut with … in full".to_owned());
        let what: Vec<_> = hidden.into_iter().chain(cut).collect();
        let place =
            if self.outcome.files.is_empty() { "a report file has everything, for example `--html FILE`" } else { "see the files below" };
        (!what.is_empty()).then(|| Line::toned(Tone::Faint, format!("{}: {place}", what.join("; "))))
    }

    /// Whether a message of the cause is longer than what is shown of it.
    fn is_shortened(&self, cause: &Cause) -> bool {
        let is_longer = |fact: &Fact| matches!(fact, Fact::Message(message) if self.short(message).1);
        self.layout.cuts() && cause.facts.iter().any(is_longer)
    }

    /// One cause in at most `room` rows: everything, if it fits, or else the name and the beginning of the sentence. `seen` is what is
    /// said beside the name.
    fn block(&self, cause: &Cause, seen: &str, room: usize) -> Vec<Line> {
        let title = Line::toned(Tone::Strong, cause.name.clone()).and(Tone::Plain, format!("  {seen}"));
        let mut lines = vec![title.clone()];
        lines.extend(self.layout.paragraph((Tone::Plain, "  ".to_owned()), Tone::Plain, &cause.message, TEXT_LINES));
        let fixed: usize = cause.facts.iter().map(|fact| self.layout.rows(&self.fact(fact, 0))).sum();
        let used = self.layout.rows(&lines) + fixed;
        if used > room {
            return vec![title, Line::plain(format!("  {}", cause.message))];
        }
        lines.extend(cause.facts.iter().flat_map(|fact| self.fact(fact, room - used)));
        lines
    }

    /// The lines of a fact; `left` is the room for steps.
    fn fact(&self, from: &Fact, left: usize) -> Vec<Line> {
        match from {
            Fact::Steps(steps) => numbered(steps, left),
            Fact::Rule(text) => self.labelled("rule", text),
            Fact::At(text) => self.labelled("at", text),
            Fact::Note(text) => self.labelled("note", text),
            Fact::Text(label, text) => self.labelled(label, text),
            Fact::Names(label, names) => {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                vec![fact(label, Tone::Plain, &list_within(&names, self.room(FACT)))]
            }
            Fact::Compared { expected, got } => self.compared(expected.as_ref(), got.as_ref()),
            Fact::Message(message) if self.is_whole() => message_lines(message),
            Fact::Message(message) => self.short(message).0,
            Fact::Command(command) => vec![fact("again", Tone::Faint, command).copyable()],
        }
    }

    fn labelled(&self, label: &str, text: &str) -> Vec<Line> {
        self.layout.paragraph((Tone::Faint, label_of(label)), Tone::Plain, text, TEXT_LINES)
    }

    /// A short form of a message, with as many lines of its body as show the place of the finding, and whether there is more of it. The
    /// command repeats a request, which is shown only if the finding is about its body.
    fn short(&self, message: &WireMessage) -> (Vec<Line>, bool) {
        if message.label == "request" && message.found_at.is_none() {
            return (Vec::new(), false);
        }
        let room = self.layout.width().saturating_sub(FACT).max(1);
        let (rows, is_cut) = excerpt(&message.body, message.found_at.as_ref(), room, BODY_LINES);
        let shown = rows.iter().map(|row| fact("", Tone::Plain, row).verbatim());
        (std::iter::once(fact(message.label, Tone::Plain, &message.start.to_string())).chain(shown).collect(), is_cut)
    }

    /// Whether everything is shown: there is no terminal, or the user asks for it.
    fn is_whole(&self) -> bool {
        !self.layout.cuts()
    }

    /// The room for names after this many columns.
    fn room(&self, used: usize) -> usize {
        if self.is_whole() { usize::MAX } else { self.layout.width().saturating_sub(used) }
    }

    /// Expected and got on one line if both fit, else on a line each.
    fn compared(&self, expected: Option<&Value>, got: Option<&Value>) -> Vec<Line> {
        let within = |text: String| if self.is_whole() { bounded(&text, VALUE_BYTES) } else { fit(&text, self.layout.width()) };
        match expected::compared(expected, got).map(|words| words.map(within)) {
            [Some(expected), Some(got)] => {
                let together = format!("{expected}, got {got}");
                if columns(&together) + FACT <= self.layout.width() {
                    return vec![fact("expected", Tone::Plain, &together)];
                }
                vec![fact("expected", Tone::Plain, &expected), fact("got", Tone::Plain, &got)]
            }
            [Some(expected), None] => vec![fact("expected", Tone::Plain, &expected)],
            [None, Some(got)] => vec![fact("got", Tone::Plain, &got)],
            [None, None] => Vec::new(),
        }
    }

    /// Causes that do not count, one line each, or with all their facts.
    fn uncounted(&self, kind: Uncounted) -> Vec<Line> {
        let causes: Vec<_> = self.outcome.causes.iter().filter_map(|cause| Some((cause, kind.accepted_by(cause)?))).collect();
        if causes.is_empty() {
            return Vec::new();
        }
        let tone = if kind == Uncounted::Noted { Tone::Plain } else { Tone::Warn };
        let mut lines = vec![Line::empty(), Line::toned(tone, kind.title(causes.len()))];
        let shown = if self.is_whole() { causes.len() } else { UNCOUNTED };
        for (cause, by) in causes.iter().take(shown) {
            lines.extend(if self.verbose {
                let by = if by.is_empty() { String::new() } else { format!(", {by}") };
                self.block(cause, &format!("{}{by}", cause.seen), usize::MAX)
            } else {
                let by = if by.is_empty() { String::new() } else { format!("{by}: ") };
                vec![Line::plain(format!("  {}, {}: {by}{}", cause.name, cause.seen, cause.message))]
            });
        }
        lines.extend((causes.len() > shown).then(|| Line::toned(Tone::Faint, format!("  and {} more", causes.len() - shown))));
        lines
    }

    fn end(&self) -> Vec<Line> {
        let outcome = self.outcome;
        let mut lines = vec![Line::empty()];
        let files = &outcome.files;
        let shown = if files.len() > FILES && !self.is_whole() { FILES } else { files.len() };
        let file = |file: &crate::engine::outcome::OutputFile| format!("{}: {}", file.label, file.path.display());
        lines.extend(files.iter().take(shown).map(|output| Line::toned(Tone::Faint, file(output)).copyable()));
        if files.len() > shown {
            lines.push(Line::toned(Tone::Faint, format!("and {}", counted(files.len() - shown, "more file"))));
        }
        lines.extend(
            outcome
                .failures
                .iter()
                .skip(1)
                .take(if self.is_whole() { usize::MAX } else { FURTHER_FAILURES })
                .map(|failure| Line::plain(format!("also: {failure}"))),
        );
        lines.extend(outcome.advice.iter().map(|advice| Line::toned(Tone::Faint, advice.clone()).copyable()));
        lines.push(self.verdict());
        lines
    }

    fn verdict(&self) -> Line {
        let (tone, word, text, more) = self.outcome.conclusion();
        let more = if more > 0 { format!(" (and {})", counted(more, "more reason")) } else { String::new() };
        let room = self.layout.width().saturating_sub(word.len() + 2 + more.len());
        let text = if self.layout.cuts() { fit(&text, room) } else { text };
        Line::toned(tone, word).and(Tone::Plain, format!(": {text}{more}"))
    }
}

/// Why causes do not count that no assumption excuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Uncounted {
    Noted,
    Known,
}

impl Uncounted {
    /// Who has accepted a cause of this kind, and until when; empty if it needs no acceptance. None for a cause of another kind.
    fn accepted_by(self, cause: &Cause) -> Option<&str> {
        match (self, &cause.weight) {
            (Self::Noted, Weight::Noted) => Some(""),
            (Self::Known, Weight::Known(by)) => Some(by),
            (_, Weight::Fails | Weight::Noted | Weight::Known(_) | Weight::Assumed(_)) => None,
        }
    }

    fn title(self, causes: usize) -> String {
        let counts = if causes == 1 { "does" } else { "do" };
        match self {
            Self::Noted => format!("{} ({counts} not count)", counted(causes, "change")),
            Self::Known => format!("{} (accepted, {counts} not count)", counted(causes, "known finding")),
        }
    }
}

/// Divides the room among parts: each gets its minimum; then the causes, which are last, and the sections, in this order, get as
/// much as they want.
fn shared(mut room: usize, wants: &[usize]) -> Vec<usize> {
    let mut rooms = Vec::with_capacity(wants.len());
    for wants in wants {
        let given = LEAST_LINES.min(*wants).min(room);
        room -= given;
        rooms.push(given);
    }
    let last = wants.len().saturating_sub(1);
    for index in std::iter::once(last).chain(0..last) {
        if let (Some(given), Some(wants)) = (rooms.get_mut(index), wants.get(index)) {
            let more = wants.saturating_sub(*given).min(room);
            room -= more;
            *given += more;
        }
    }
    rooms
}

/// As many steps as fit.
fn numbered(steps: &[String], room: usize) -> Vec<Line> {
    let shown = if steps.len() <= room { steps.len() } else { room.saturating_sub(1) };
    let line = |(index, step): (usize, &String)| fact("", Tone::Plain, &format!("{} {step}", index + 1));
    let mut lines: Vec<_> = steps.iter().take(shown).enumerate().map(line).collect();
    let hidden = steps.len() - shown;
    lines.extend((hidden > 0 && room > 0).then(|| fact("", Tone::Faint, &format!("and {}", counted(hidden, "more step")))));
    lines
}

/// The message line by line.
fn message_lines(message: &WireMessage) -> Vec<Line> {
    let label = |index: usize| if index == 0 { message.label } else { "" };
    let shown =
        |(index, line): (usize, &str)| if line.is_empty() { Line::empty() } else { fact(label(index), Tone::Plain, line).verbatim() };
    message.text().lines().enumerate().map(shown).collect()
}

fn entry(entry: &ListEntry) -> Line {
    if entry.mark.is_empty() {
        return Line::toned(entry.tone, format!("  {}", entry.text));
    }
    Line::toned(entry.tone, format!("  {} ", entry.mark)).and(Tone::Plain, entry.text.clone())
}

fn labelled(label: &str, tone: Tone, text: String) -> Line {
    Line::plain(format!("{:<LABEL$}", format!("  {label}"))).and(tone, text)
}

fn fact(label: &str, tone: Tone, text: &str) -> Line {
    Line::toned(Tone::Faint, label_of(label)).and(tone, text)
}

/// The label of a fact, as wide as all of them.
fn label_of(label: &str) -> String {
    let gap = if label.len() + 2 < FACT { "" } else { " " };
    format!("{:<FACT$}{gap}", format!("  {label}"))
}
