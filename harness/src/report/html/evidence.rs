//! Findings on the page, in a bounded size.

use serde::Serialize;

use crate::base::expected::compared;
use crate::base::text::{clean, counted};
use crate::engine::outcome::{Cause, Evidence, Fact, Weight, WireMessage};

/// Findings on the page.
pub(super) const MAX_FINDINGS: usize = 1_000;
/// The most bytes of the texts of all findings together; the rest of a page of 5 MB is for what is around them, and for the clauses.
const MAX_BYTES: usize = 2560 * 1024;
/// The least and the most bytes for the texts of one finding.
const BYTES_OF_ONE: std::ops::RangeInclusive<usize> = 1024..=64 * 1024;
/// The number of texts that share the size of a finding.
const TEXTS: usize = 8;

#[derive(Serialize)]
pub(super) struct FindingEntry {
    /// The anchor for links from other parts of the page.
    anchor: String,
    name: String,
    tone: &'static str,
    weight: String,
    seen: String,
    message: String,
    rule: String,
    source: String,
    facts: Vec<(String, String)>,
    messages: Vec<Shown>,
    command: String,
    note: String,
}

#[derive(Serialize)]
struct Shown {
    label: &'static str,
    text: String,
}

/// The findings, as many as fit; the more there are, the shorter each is.
pub(super) fn findings(causes: &[Cause]) -> Vec<FindingEntry> {
    let most = (MAX_BYTES / causes.len().clamp(1, MAX_FINDINGS)).clamp(*BYTES_OF_ONE.start(), *BYTES_OF_ONE.end()) / TEXTS;
    causes.iter().take(MAX_FINDINGS).enumerate().map(|(index, cause)| finding(index, cause, most)).collect()
}

fn finding(index: usize, cause: &Cause, most: usize) -> FindingEntry {
    let (tone, weight) = match &cause.weight {
        Weight::Fails => ("bad", "fails the run".to_owned()),
        Weight::Noted => ("plain", "does not count".to_owned()),
        Weight::Known(by) => ("doubtful", format!("known {by}, does not count")),
        Weight::Assumed(why) => ("doubtful", format!("assumed, does not count: {why}")),
    };
    let evidence = cause.evidence.as_deref();
    let rule = evidence.and_then(|evidence| evidence.rule.as_ref());
    let (facts, command) = facts(cause, evidence, most);
    FindingEntry {
        anchor: format!("finding-{}", index + 1),
        name: shown(&cause.name, most),
        tone,
        weight: shown(&weight, most),
        seen: shown(&cause.seen, most),
        message: shown(&cause.message, most),
        rule: rule.map(|rule| rule.says.clone()).unwrap_or_default(),
        source: rule.map(|rule| format!("{} ({})", rule.source(), rule.place)).unwrap_or_default(),
        facts,
        messages: evidence.iter().flat_map(|evidence| &evidence.messages).map(|message| message_of(message, most)).collect(),
        command,
        note: evidence.and_then(Evidence::note).unwrap_or_default(),
    }
}

/// The facts by their labels, and the command line.
fn facts(cause: &Cause, evidence: Option<&Evidence>, most: usize) -> (Vec<(String, String)>, String) {
    let mut facts = Vec::new();
    let mut command = String::new();
    for fact in &cause.facts {
        match fact {
            // Messages have places of their own on the page.
            Fact::Message(_) => {}
            Fact::Rule(_) | Fact::Note(_) if evidence.is_some() => {}
            Fact::Rule(text) => facts.push(("rule".to_owned(), shown(text, most))),
            Fact::At(text) => facts.push(("at".to_owned(), shown(text, most))),
            Fact::Note(text) => facts.push(("note".to_owned(), shown(text, most))),
            Fact::Text(label, text) => facts.push(((*label).to_owned(), shown(text, most))),
            Fact::Names(label, names) => facts.push(((*label).to_owned(), shown(&names.join(", "), most))),
            Fact::Steps(steps) => facts.push(("steps".to_owned(), shown(&steps.join("; "), most))),
            Fact::Command(line) => command = shown(line, most),
            Fact::Compared { expected, got } => {
                let values = ["expected", "got"].into_iter().zip(compared(expected.as_ref(), got.as_ref()));
                facts.extend(values.filter_map(|(label, value)| Some((label.to_owned(), shown(&value?, most)))));
            }
        }
    }
    let contract = evidence.and_then(|evidence| evidence.finding.contract.as_deref());
    facts.extend(contract.map(|place| ("contract".to_owned(), shown(place, most))));
    (facts, command)
}

fn message_of(message: &WireMessage, most: usize) -> Shown {
    // Escaped, a text is longer.
    let lines: Vec<_> = message.text_for(most / 2).lines().map(clean).collect();
    Shown { label: message.label, text: within(&lines.join("\n"), most) }
}

fn shown(text: &str, most: usize) -> String {
    within(&clean(text), most)
}

/// The beginning of a text of at most this many escaped bytes, and how much is left out.
fn within(text: &str, most: usize) -> String {
    let mut bytes = 0;
    let end = text.char_indices().find(|(_, c)| {
        bytes += match c {
            '<' | '>' => 4,
            '&' => 5,
            '"' | '\'' | '/' => 6,
            c => c.len_utf8(),
        };
        bytes > most
    });
    let Some((end, _)) = end else { return text.to_owned() };
    format!("{}… ({} left out here)", text.get(..end).unwrap_or_default(), counted(text.len() - end, "more byte"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_counted_as_the_file_has_it() {
        assert_eq!(within("abc", 3), "abc");
        assert_eq!(within("a<b", 5), "a<… (1 more byte left out here)");
        assert_eq!(within("///", 6), "/… (2 more bytes left out here)");
        assert_eq!(within("ěš", 3), "ě… (2 more bytes left out here)");
    }
}
