//! Tapes as files: one JSON object a line, the run first, then every case in the order of the plan.

use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::entry::Written;
use super::{Tape, TapedCase};
use crate::base::place::Place;
use crate::base::text::{LONGEST_REASON, bounded};
use crate::base::verdict::Verdict;
use crate::engine::event::{CaseFinished, CaseName};
use crate::engine::judged_target::JudgedTarget;
use crate::judge::record::RecordEntry;

/// The version of the format.
const FORMAT: u32 = 1;

/// The first line.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Head {
    /// The format.
    paycheck_tape: u32,
    seed: u64,
    judged: JudgedTarget,
}

/// Every other line.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Line {
    name: CaseName,
    ended: Verdict,
    /// The place of each finding, which the verdict only shows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    places: Vec<Option<Place>>,
    entries: Vec<Written>,
}

impl Line {
    fn from_case(case: &CaseFinished) -> Self {
        let places = match &case.verdict {
            Verdict::Failed { findings } => findings.iter().map(|finding| finding.at.clone()).collect(),
            Verdict::Passed | Verdict::Skipped { .. } | Verdict::NotJudged { .. } => Vec::new(),
        };
        Self { name: case.name.clone(), ended: case.verdict.clone(), places, entries: case.entries.iter().map(Written::from).collect() }
    }

    fn into_case(self) -> TapedCase {
        let mut verdict = self.ended;
        if let Verdict::Failed { findings } = &mut verdict {
            // Tapes of earlier versions have no places: then a finding keeps the text that it was read with.
            findings.iter_mut().zip(self.places).for_each(|(finding, place)| finding.at = place);
        }
        TapedCase { name: self.name, verdict, entries: self.entries.into_iter().map(RecordEntry::from).collect() }
    }
}

/// Writes a tape while the run goes on.
pub struct Writer<W: Write> {
    out: W,
}

impl<W: Write> Writer<W> {
    /// Begins a tape.
    pub fn begin(mut out: W, judged: JudgedTarget, seed: u64) -> io::Result<Self> {
        line(&mut out, &Head { paycheck_tape: FORMAT, seed, judged })?;
        Ok(Self { out })
    }

    /// Writes the recording of a case.
    pub fn write_case(&mut self, case: &CaseFinished) -> io::Result<()> {
        line(&mut self.out, &Line::from_case(case))
    }

    /// Ends the tape.
    pub fn end(mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn line(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

/// Why a file cannot be read as a tape: what is wrong, where, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotATape(String);

/// Reads a complete tape.
pub fn read(path: &Path) -> Result<Tape, NotATape> {
    let name = path.display().to_string();
    let file = std::fs::File::open(path).map_err(|error| NotATape(format!("{name} can't be read: {error}")))?;
    read_from(BufReader::new(file), &name)
}

/// Reads a tape from bytes; `name` is its name in messages.
pub fn read_from(source: impl BufRead, name: &str) -> Result<Tape, NotATape> {
    let advice = "give a file that `paycheck verify --tape FILE` wrote";
    let mut lines = source.lines().enumerate().map(|(index, text)| (index + 1, text));
    let (_, first) = lines.next().ok_or_else(|| NotATape(format!("{name} is empty; {advice}")))?;
    let first = first.map_err(|error| NotATape(format!("{name} can't be read: {error}; {advice}")))?;
    let head: Head = serde_json::from_str(&first).map_err(|error| at(name, 1, &error, &format!("this is no tape; {advice}")))?;
    if head.paycheck_tape != FORMAT {
        let found = head.paycheck_tape;
        return Err(NotATape(format!("{name}: the tape is of format {found}, this paycheck reads format {FORMAT}: record it again")));
    }
    let mut cases = Vec::new();
    let mut lines = lines.peekable();
    let mut cut = None;
    while let Some((number, text)) = lines.next() {
        let is_last = lines.peek().is_none();
        let text = match text {
            Ok(text) if is_last && is_cut(&text) => None,
            // It breaks off within a character.
            Err(error) if is_last && error.kind() == io::ErrorKind::InvalidData => None,
            Ok(text) => Some(text),
            Err(error) => return Err(NotATape(format!("{name}:{number}: can't be read: {error}"))),
        };
        let Some(text) = text else {
            cut = Some(number);
            break;
        };
        let line: Line = serde_json::from_str(&text).map_err(|error| {
            at(name, number, &error, "this is not what `verify --tape` writes; was the file changed by hand, or the run cut off?")
        })?;
        cases.push(line.into_case());
    }
    Ok(Tape { judged: head.judged, seed: head.seed, cases, cut })
}

/// Whether a line breaks off, as the last one of a killed run does.
fn is_cut(line: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(line).is_err_and(|error| error.is_eof())
}

fn at(name: &str, line: usize, error: &serde_json::Error, what: &str) -> NotATape {
    // It may quote a value of any length.
    NotATape(format!("{name}:{line}:{}: {what} ({})", error.column(), bounded(&error.to_string(), LONGEST_REASON)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_in_a_tape_is_no_longer_than_a_few_lines() {
        let head = r#"{"paycheck-tape":1,"seed":7,"judged":{"title":"t","credentials":{},"assert-assumed":false,"alone":false}}"#;
        let text = format!("{head}\n\"{}\"\n{{}}\n", "x".repeat(100_000));
        let error = read_from(text.as_bytes(), "run.tape").unwrap_err().to_string();
        assert!(error.starts_with("run.tape:2:") && error.len() < 1000, "{} bytes", error.len());
    }

    #[test]
    fn a_tape_that_breaks_off_is_read_up_to_its_last_whole_line() {
        let head =
            "{\"paycheck-tape\":1,\"seed\":1,\"judged\":{\"title\":\"t\",\"credentials\":{},\"assert-assumed\":true,\"alone\":true}}";
        let case = |name: &str| {
            let name = serde_json::to_value(CaseName { api: "a".into(), scenario: name.into(), case: String::new() }).unwrap();
            serde_json::json!({ "name": name, "ended": Verdict::Passed, "entries": [] }).to_string()
        };
        let text = format!("{head}\n{}\n{}\n", case("one"), case("two"));
        for end in head.len()..text.len() {
            let tape = read_from(&text.as_bytes()[..end], "run.tape").unwrap();
            let whole = text[..end].lines().skip(1).filter(|line| line.ends_with('}') && !is_cut(line)).count();
            assert_eq!((tape.cases.len(), tape.cut.is_some()), (whole, text[..end].lines().count() > 1 + whole), "{}", &text[..end]);
        }
        assert!(mistake(&text[..head.len() - 1]).contains("this is no tape"));
    }

    fn mistake(text: &str) -> String {
        read_from(text.as_bytes(), "run.tape").map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_tape_is_refused_with_its_place() {
        assert!(mistake("").contains("run.tape is empty"));
        assert!(mistake("hello").starts_with("run.tape:1:1: this is no tape"), "{}", mistake("hello"));
        let head =
            "{\"paycheck-tape\":1,\"seed\":1,\"judged\":{\"title\":\"t\",\"credentials\":{},\"assert-assumed\":true,\"alone\":true}}";
        assert!(mistake(&format!("{head}\n{{\"name\"}}")).starts_with("run.tape:2:8: this is not what"));
        assert!(mistake(&head.replace(":1,\"seed", ":9,\"seed")).contains("format 9"));
        assert!(read_from(head.as_bytes(), "run.tape").unwrap().cases.is_empty());
    }
}
