//! The outcome of every command, in one form. Writers consume it, and the exit code is decided here and nowhere else.

mod collector;
mod evidence;
mod part;
mod proof;
mod standing_counts;

use serde::Serialize;

pub use super::missing::{Missing, MissingKind, OtherSide};
use crate::base::exit::Exit;
pub use collector::{Collector, is_assumed, is_known};
pub use evidence::{EMBEDDED_ADDRESS, Evidence, MAX_SHOWN_BODY_BYTES, Rule, StartLine, WireMessage};
pub use part::{
    Cause, Check, CheckResult, Column, Ended, Fact, Figure, Heading, List, ListEntry, OutputFile, Row, Section, Table, Tone, Verb, Weight,
    wall_time,
};
pub use proof::{ApiCases, Proof, ProvedClause, ProvedTable, Transition};
pub use standing_counts::StandingCounts;

/// The outcome of a command.
pub struct Outcome {
    /// Its first line.
    pub heading: Heading,
    /// The overview.
    pub figures: Vec<Figure>,
    /// Sections that only this command has.
    pub sections: Vec<Section>,
    /// The findings by cause, the most frequent first.
    pub causes: Vec<Cause>,
    /// Why the target fails, one sentence each; empty if it does not.
    pub failures: Vec<String>,
    /// Why less is proved than requested; empty if everything is.
    pub missing: Vec<Missing>,
    /// What is also missing, and tolerated by the user.
    pub tolerated: Vec<Missing>,
    /// What the user can do about it, in one sentence.
    pub advice: Option<String>,
    /// The meaning of a pass, in one sentence.
    pub pass: String,
    /// The checks of a JUnit report besides played cases.
    pub checks: Vec<Check>,
    /// The command's own result, as in its JSON file.
    pub document: Option<Box<dyn Document>>,
    /// Files written.
    pub files: Vec<OutputFile>,
    /// The proof, if cases were played.
    pub proof: Option<Proof>,
    /// How the command ended.
    pub ended: Ended,
}

/// A result with a published schema.
pub trait Document: Send + Sync {
    /// The result as JSON. An error is a fault of Paycheck's.
    fn json(&self) -> serde_json::Result<Vec<u8>>;
}

impl<T: Serialize + Send + Sync> Document for T {
    fn json(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec_pretty(self)
    }
}

impl Outcome {
    /// An outcome in which nothing was found and nothing is missing.
    pub fn new(heading: Heading) -> Self {
        Self {
            heading,
            figures: Vec::new(),
            sections: Vec::new(),
            causes: Vec::new(),
            failures: Vec::new(),
            missing: Vec::new(),
            tolerated: Vec::new(),
            advice: None,
            pass: "nothing was found".to_owned(),
            checks: Vec::new(),
            document: None,
            files: Vec::new(),
            proof: None,
            ended: Ended::Completed,
        }
    }

    /// The exit code of the process.
    pub fn exit(&self) -> Exit {
        match (&self.ended, self.verdict()) {
            (Ended::Interrupted, _) => Exit::Interrupted,
            (Ended::Unreachable(_), _) => Exit::Unreachable,
            (Ended::Completed, verdict) => verdict,
        }
    }

    /// The verdict by the evidence, however the command ended: passed, findings or inconclusive.
    pub fn verdict(&self) -> Exit {
        match (self.failures.is_empty(), self.missing.is_empty()) {
            (false, _) => Exit::Findings,
            (true, false) => Exit::Inconclusive,
            (true, true) => Exit::Passed,
        }
    }

    /// The wording of the verdict: its tone, its word, one sentence, and the number of further reasons.
    pub fn conclusion(&self) -> (Tone, &'static str, String, usize) {
        let (tone, word) = self.word();
        if matches!(self.ended, Ended::Unreachable(_)) {
            return (tone, word, "the target could not be reached, or stopped responding".to_owned(), self.failures.len());
        }
        let (first, reasons) = match self.verdict() {
            Exit::Findings => (self.failures.first().cloned(), self.failures.len()),
            Exit::Inconclusive => (self.weightiest().map(Missing::to_string), self.missing.len()),
            _ => (Some(self.pass.clone()), 1),
        };
        (tone, word, first.unwrap_or_default(), reasons.saturating_sub(1))
    }

    /// What is missing of the whole run, or else what most cases lack.
    fn weightiest(&self) -> Option<&Missing> {
        let whole = self.missing.iter().find(|missing| missing.weight() == (0, 0));
        whole.or_else(|| self.missing.iter().min_by_key(|missing| std::cmp::Reverse(missing.weight())))
    }

    fn word(&self) -> (Tone, &'static str) {
        match (self.verdict(), self.heading.verb) {
            _ if matches!(self.ended, Ended::Unreachable(_)) => (Tone::Bad, "UNREACHABLE"),
            (Exit::Passed, Verb::Compare) => (Tone::Good, "ALIKE"),
            (Exit::Passed, _) => (Tone::Good, "PASSED"),
            (Exit::Findings, Verb::Compare) => (Tone::Bad, "DIFFERENT"),
            (Exit::Findings, _) => (Tone::Bad, "FAILED"),
            _ => (Tone::Warn, "INCONCLUSIVE"),
        }
    }
}
