//! The variables of the template: texts, and lists of texts.

use serde::Serialize;

use super::diagram;
use super::evidence::{self, FindingEntry, MAX_FINDINGS};
use super::rules::{self, Api};
use crate::base::text::{clean, counted};
use crate::engine::outcome::{List, Missing, Outcome, Proof, ProvedTable, Section, Table, Tone, wall_time};

/// The variables of the template.
#[derive(Serialize)]
pub(super) struct Contents {
    word: &'static str,
    tone: &'static str,
    sentence: String,
    also: Vec<String>,
    verb: &'static str,
    target: String,
    size: String,
    figures: Vec<Labelled>,
    findings: Vec<FindingEntry>,
    /// A note about the findings left out for lack of room; empty if there are none.
    left_out: String,
    apis: Vec<Api>,
    diagrams: Vec<Diagram>,
    missing: Vec<Labelled>,
    lists: Vec<Entries>,
    tables: Vec<Rows>,
    times: Vec<Labelled>,
    version: &'static str,
}

#[derive(Serialize)]
struct Labelled {
    label: String,
    tone: &'static str,
    text: String,
}

#[derive(Serialize)]
struct Diagram {
    title: String,
    taken: String,
    svg: String,
    rows: Vec<TransitionRow>,
}

#[derive(Serialize)]
struct TransitionRow {
    id: String,
    from: String,
    to: String,
    trigger: String,
    taken: String,
    tone: &'static str,
}

#[derive(Serialize)]
struct Entries {
    title: String,
    entries: Vec<Labelled>,
    note: String,
}

#[derive(Serialize)]
struct Rows {
    headings: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Contents {
    pub(super) fn from_outcome(outcome: &Outcome) -> Self {
        let (tone, word, sentence, _) = outcome.conclusion();
        let proof = outcome.proof.as_ref();
        let hidden = outcome.causes.len().saturating_sub(MAX_FINDINGS);
        let lists =
            outcome.sections.iter().filter_map(|section| if let Section::List(list) = section { Some(entries(list)) } else { None });
        let tables =
            outcome.sections.iter().filter_map(|section| if let Section::Table(table) = section { Some(rows(table)) } else { None });
        Self {
            word,
            tone: class(tone),
            sentence,
            also: outcome.failures.iter().skip(1).cloned().collect(),
            verb: outcome.heading.verb.name(),
            target: clean(&outcome.heading.target),
            size: outcome.heading.size.join(", "),
            figures: figures(outcome),
            findings: evidence::findings(&outcome.causes),
            left_out: if hidden == 0 { String::new() } else { format!("{}, left out here", counted(hidden, "more cause")) },
            apis: proof.map(rules::apis).unwrap_or_default(),
            diagrams: proof.map(|proof| proof.tables.iter().map(drawn).collect()).unwrap_or_default(),
            missing: missing(outcome),
            lists: lists.collect(),
            tables: tables.collect(),
            times: proof.map(times).unwrap_or_default(),
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// The class of the page's style sheet.
pub(super) fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain | Tone::Strong => "plain",
        Tone::Good => "good",
        Tone::Bad => "bad",
        Tone::Warn => "doubtful",
        Tone::Faint => "soft",
    }
}

fn figures(outcome: &Outcome) -> Vec<Labelled> {
    let figure = |figure: &crate::engine::outcome::Figure| {
        let elapsed = figure.elapsed.map(|elapsed| format!(", {}", wall_time(elapsed))).unwrap_or_default();
        let text = clean(&format!("{}{elapsed}{}", figure.text, figure.names.join(", ")));
        Labelled { label: figure.label.to_owned(), tone: class(figure.tone), text }
    };
    outcome.figures.iter().map(figure).collect()
}

/// The reasons why something was not judged, with those that the user has accepted marked.
fn missing(outcome: &Outcome) -> Vec<Labelled> {
    let labelled = |missing: &Missing, tone| Labelled { label: missing.kind().label().to_owned(), tone, text: clean(&missing.in_row()) };
    let counts = outcome.missing.iter().map(|missing| labelled(missing, "doubtful"));
    counts.chain(outcome.tolerated.iter().map(|missing| labelled(missing, "soft"))).collect()
}

fn drawn(table: &ProvedTable) -> Diagram {
    let taken = table.transitions.iter().filter(|transition| transition.times > 0).count();
    let row = |transition: &crate::engine::outcome::Transition| TransitionRow {
        id: transition.id.clone(),
        from: transition.from.clone().unwrap_or_else(|| "—".to_owned()),
        to: transition.to.clone().unwrap_or_else(|| "any state".to_owned()),
        trigger: transition.trigger.clone(),
        taken: if transition.times == 0 { "not taken".to_owned() } else { counted(transition.times, "case") },
        tone: if transition.times == 0 { "doubtful" } else { "good" },
    };
    Diagram {
        title: table.resource.clone(),
        taken: format!("{taken} of {} taken", table.transitions.len()),
        svg: diagram::svg(table),
        rows: table.transitions.iter().map(row).collect(),
    }
}

fn entries(list: &List) -> Entries {
    let entry = |entry: &crate::engine::outcome::ListEntry| Labelled {
        label: entry.mark.clone(),
        tone: class(entry.tone),
        text: clean(&entry.text),
    };
    Entries { title: clean(&list.title), entries: list.entries.iter().map(entry).collect(), note: list.note.clone().unwrap_or_default() }
}

fn rows(table: &Table) -> Rows {
    let row = |row: &crate::engine::outcome::Row| {
        std::iter::once(clean(&row.name)).chain(row.cells.iter().map(|(_, text)| clean(text))).collect()
    };
    Rows {
        headings: std::iter::once(table.first).chain(table.columns.iter().map(|column| column.heading)).collect(),
        rows: table.rows.iter().chain(&table.total).map(row).collect(),
    }
}

/// Durations: of the run, then of the slowest cases.
fn times(proof: &Proof) -> Vec<Labelled> {
    let line = |label: String, text: String| Labelled { label, tone: "plain", text };
    let whole = line("the whole run".to_owned(), wall_time(proof.elapsed));
    let slowest = proof.slowest.iter().map(|(elapsed, name)| line(clean(&name.to_string()), wall_time(*elapsed)));
    std::iter::once(whole).chain(slowest).collect()
}
