//! A summary in Markdown, for a pull request, a chat or a step summary. A target's text is shown as code.

use std::fmt::Write as _;
use std::io;

use super::Reporter;
use super::format::{Format, FormatOptions};
use crate::base::expected::compared;
use crate::base::output::write_whole;
use crate::base::text::{bounded, clean, counted};
use crate::engine::event::{Standing, StandingKind};
use crate::engine::outcome::{Cause, Evidence, Outcome, Proof, StandingCounts, Weight, wall_time};

pub(super) const FORMAT: Format = Format {
    name: "markdown",
    label: "Markdown",
    help: "Writes a summary in Markdown",
    needs_exchanges: false,
    reporter: |options| Ok(Box::new(Markdown { options })),
};

/// The longest report: a step summary of GitHub holds no more than 1 MiB.
const MAX_BYTES: usize = 512 * 1024;
/// The longest message or value.
const MAX_PART_BYTES: usize = 4 * 1024;

struct Markdown {
    options: FormatOptions,
}

impl Reporter for Markdown {
    fn finish(&mut self, outcome: &Outcome) -> io::Result<()> {
        write_whole(&self.options.to, markdown(outcome, self.options.timings).as_bytes())
    }
}

/// The outcome in Markdown; wall times are left out unless asked for.
pub(super) fn markdown(outcome: &Outcome, timings: bool) -> String {
    let (_, word, sentence, _) = outcome.conclusion();
    let mut text = format!("# {word}: {}\n\n", escaped(&sentence));
    let heading = &outcome.heading;
    let _ = writeln!(text, "`paycheck {}`, {}, {}\n", heading.verb.name(), escaped(&heading.target), escaped(&heading.size.join(", ")));
    figures(&mut text, outcome, timings);
    section(&mut text, "Causes of failure", &causes(outcome, |weight| *weight == Weight::Fails));
    section(&mut text, "Not counted", &causes(outcome, |weight| *weight != Weight::Fails));
    let missing: Vec<_> = outcome.missing.iter().map(|missing| format!("- {}\n", escaped(&missing.to_string()))).collect();
    section(&mut text, "Missing evidence", &missing);
    let tolerated: Vec<_> = outcome.tolerated.iter().map(|missing| format!("- {}\n", escaped(&missing.to_string()))).collect();
    section(&mut text, "Left out, accepted", &tolerated);
    if let Some(proof) = outcome.proof.as_ref().filter(|proof| !proof.clauses.is_empty()) {
        section(&mut text, "Clauses", &[clauses(proof)]);
    }
    text
}

fn figures(text: &mut String, outcome: &Outcome, timings: bool) {
    if outcome.figures.is_empty() {
        return;
    }
    text.push_str("| | |\n| --- | --- |\n");
    for figure in &outcome.figures {
        let elapsed = figure.elapsed.filter(|_| timings).map(|elapsed| format!(", {}", wall_time(elapsed))).unwrap_or_default();
        let all = format!("{}{elapsed}{}", figure.text, figure.names.join(", "));
        let _ = writeln!(text, "| {} | {} |", escaped(figure.label), escaped(&bounded(&all, MAX_PART_BYTES)));
    }
}

/// A section with as many entries as fit.
fn section(text: &mut String, title: &str, entries: &[String]) {
    if entries.is_empty() {
        return;
    }
    let _ = write!(text, "\n## {title}\n\n");
    for (index, entry) in entries.iter().enumerate() {
        if text.len() + entry.len() > MAX_BYTES {
            let _ = writeln!(text, "\n… and {}, left out here", counted(entries.len() - index, "more item"));
            return;
        }
        text.push_str(entry);
    }
}

fn causes(outcome: &Outcome, selected: impl Fn(&Weight) -> bool) -> Vec<String> {
    outcome.causes.iter().filter(|cause| selected(&cause.weight)).map(cause).collect()
}

fn cause(cause: &Cause) -> String {
    let mut text = format!("### {}\n\n{}\n\n", code(&cause.name), escaped(&bounded(&cause.message, MAX_PART_BYTES)));
    let not_counted = match &cause.weight {
        Weight::Fails | Weight::Noted => None,
        Weight::Known(by) => Some(format!("known {by}")),
        Weight::Assumed(why) => Some(format!("assumed: {why}")),
    };
    let _ = not_counted.map(|why| writeln!(text, "- does not count: {}", escaped(&why)));
    let _ = writeln!(text, "- seen: {}", escaped(&cause.seen));
    for (label, fact) in cause.further_facts() {
        let _ = writeln!(text, "- {label}: {}", escaped(&bounded(&fact, MAX_PART_BYTES)));
    }
    match &cause.evidence {
        Some(evidence) => proof_of(&mut text, evidence),
        None => text.push('\n'),
    }
    text
}

fn proof_of(text: &mut String, evidence: &Evidence) {
    let finding = &evidence.finding;
    let _ = evidence
        .rule
        .as_ref()
        .map(|rule| writeln!(text, "- rule: {} ({}; {})", escaped(&rule.says), escaped(&rule.source()), code(&rule.place)));
    let at = finding.at.as_ref().map(|at| format!("{at} of ")).unwrap_or_default();
    let _ = writeln!(text, "- at: {}", code(&format!("{at}{}", finding.operation)));
    for (label, value) in ["expected", "got"].into_iter().zip(compared(finding.expected.as_ref(), finding.got.as_ref())) {
        let _ = value.map(|value| writeln!(text, "- {label}: {}", code(&bounded(&value, MAX_PART_BYTES))));
    }
    let _ = writeln!(text, "- first in: {}\n", code(&evidence.case.to_string()));
    for message in &evidence.messages {
        let _ = write!(text, "{}:\n\n{}\n", message.label, block("http", &bounded(&message.text_for(MAX_PART_BYTES), MAX_PART_BYTES)));
    }
    let _ = finding.curl.as_ref().map(|curl| write!(text, "again:\n\n{}\n", block("sh", curl)));
    let _ = evidence.note().map(|note| write!(text, "{}\n\n", escaped(&note)));
}

fn clauses(proof: &Proof) -> String {
    let mut apis: indexmap::IndexMap<&str, Vec<&Standing>> = indexmap::IndexMap::new();
    for clause in &proof.clauses {
        apis.entry(clause.rule.api()).or_default().push(&clause.standing);
    }
    let words = StandingKind::ALL.map(StandingKind::word);
    let mut text = format!("| API | {} |\n| --- |{}\n", words.join(" | "), " --: |".repeat(words.len()));
    for (api, standings) in apis {
        let counts: Vec<_> = StandingCounts::of(standings).by_kind().map(|(_, count)| count.to_string()).collect();
        let _ = writeln!(text, "| {api} | {} |", counts.join(" | "));
    }
    text
}

/// Escapes Markdown: a target's text makes no link, no picture and no mention.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in clean(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // A backslash does not prevent a mention.
            '@' => out.push_str("@<!-- -->"),
            ',' | '/' | '-' | '\'' | '"' | ';' | '=' | '%' => out.push(c),
            c if c.is_ascii_punctuation() => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

/// A code span that no backtick in the text ends.
fn code(text: &str) -> String {
    let text = clean(text).replace('|', "\\|");
    let ticks = "`".repeat(longest_run(&text) + 1);
    if ticks.len() == 1 && !text.is_empty() { format!("`{text}`") } else { format!("{ticks} {text} {ticks}") }
}

/// A block that no backtick in the text ends.
fn block(language: &str, text: &str) -> String {
    let ticks = "`".repeat(longest_run(text).max(2) + 1);
    let lines: Vec<_> = text.lines().map(clean).collect();
    format!("{ticks}{language}\n{}\n{ticks}\n", lines.join("\n"))
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}
