//! The parts of an outcome that have no rule of their own: what writers lay out.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::evidence::{Evidence, WireMessage};
use crate::base::text::counted;

/// A command that judges something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Scenarios against a target.
    Verify,
    /// Clause by clause, what a run proves.
    Coverage,
    /// Random sequences against a model.
    Explore,
    /// Broken requests.
    Fuzz,
    /// Changed recordings.
    Mutate,
    /// Two runs.
    Compare,
    /// Notifications against a merchant.
    Notify,
    /// Many virtual users.
    Load,
}

impl Verb {
    /// As it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Verify => "verify",
            Self::Coverage => "coverage",
            Self::Explore => "explore",
            Self::Fuzz => "fuzz",
            Self::Mutate => "mutate",
            Self::Compare => "compare",
            Self::Notify => "notify",
            Self::Load => "load",
        }
    }
}

/// A command's first line: `verify  emulator (embedded)  405 scenarios, 1463 cases, seed 1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// The command.
    pub verb: Verb,
    /// The target's title.
    pub target: String,
    /// How much there is to do, and the seed.
    pub size: Vec<String>,
}

impl Heading {
    /// A heading without a size.
    pub fn new(verb: Verb, target: impl Into<String>) -> Self {
        Self { verb, target: target.into(), size: Vec::new() }
    }

    /// Adds a number with its noun.
    #[must_use]
    pub fn counting(mut self, count: usize, noun: &str) -> Self {
        self.size.push(counted(count, noun));
        self
    }

    /// Adds the seed, which stands last.
    #[must_use]
    pub fn seeded(self, seed: u64) -> Self {
        self.and(format!("seed {seed}"))
    }

    /// Adds a text.
    #[must_use]
    pub fn and(mut self, text: impl Into<String>) -> Self {
        self.size.push(text.into());
        self
    }
}

/// What a text means to the reader. A writer chooses the colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// As it is.
    #[default]
    Plain,
    /// A heading.
    Strong,
    /// All is well.
    Good,
    /// Something is wrong.
    Bad,
    /// Something is in doubt.
    Warn,
    /// It matters less.
    Faint,
}

/// A line of the overview: a label and what there is to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// What it is about; empty for the continuation of the one before.
    pub label: &'static str,
    /// Whether all is well.
    pub tone: Tone,
    /// The numbers.
    pub text: String,
    /// Names after the text, as many as there is room for.
    pub names: Vec<String>,
    /// How long it took, which differs from run to run.
    pub elapsed: Option<Duration>,
}

impl Figure {
    /// A figure without names.
    pub fn new(label: &'static str, tone: Tone, text: impl Into<String>) -> Self {
        Self { label, tone, text: text.into(), names: Vec::new(), elapsed: None }
    }

    /// Adds how long it took.
    #[must_use]
    pub fn timed(mut self, elapsed: Duration) -> Self {
        self.elapsed = Some(elapsed);
        self
    }

    /// Adds names, of which a writer shows as many as fit.
    #[must_use]
    pub fn naming(mut self, names: Vec<String>) -> Self {
        self.names = names;
        self
    }
}

/// What belongs to one command alone.
#[derive(Clone, Debug, PartialEq)]
pub enum Section {
    /// A heading and entries below it.
    List(List),
    /// Rows and columns.
    Table(Table),
}

/// A heading and entries below it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct List {
    /// The heading.
    pub title: String,
    /// How the heading reads.
    pub tone: Tone,
    /// The entries, the most important first.
    pub entries: Vec<Entry>,
    /// How many of them a summary shows.
    pub shown: usize,
    /// What an entry is called, for `and 3 more thresholds`.
    pub noun: &'static str,
    /// A last line, shown whatever else is left out.
    pub note: Option<String>,
}

/// An entry of a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// A mark or a word before the text; empty for none.
    pub mark: String,
    /// How mark and text read.
    pub tone: Tone,
    /// The text.
    pub text: String,
}

impl Entry {
    /// An entry whose mark carries the tone.
    pub fn marked(mark: impl Into<String>, tone: Tone, text: impl Into<String>) -> Self {
        Self { mark: mark.into(), tone, text: text.into() }
    }

    /// An entry without a mark.
    pub fn toned(tone: Tone, text: impl Into<String>) -> Self {
        Self { mark: String::new(), tone, text: text.into() }
    }
}

/// Rows and columns; the first column holds names.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The heading of the first column.
    pub first: &'static str,
    /// The further columns.
    pub columns: &'static [Column],
    /// The rows.
    pub rows: Vec<Row>,
    /// A row that sums up the others, shown whatever else is left out.
    pub total: Option<Row>,
}

/// A column of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its heading.
    pub heading: &'static str,
    /// How much it matters; on a narrow terminal the lightest column is left out first.
    pub weight: u8,
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The first column.
    pub name: String,
    /// A cell for each further column.
    pub cells: Vec<(Tone, String)>,
}

/// Findings of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Cause {
    /// Whether it counts.
    pub weight: Weight,
    /// The clause, or what else names it.
    pub name: String,
    /// How often it was found, and where: `2 cases, scenarios/gateway/refund.yaml:12:5`.
    pub seen: String,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What else a reader needs to act on it.
    pub facts: Vec<Fact>,
    /// The first finding with what was sent and received, where a case shows it.
    pub evidence: Option<Box<Evidence>>,
}

/// Whether a cause counts against the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Weight {
    /// It fails the command.
    Fails,
    /// It is worth a look and does not fail the command.
    Noted,
    /// The team has accepted it: its owner, and the last day.
    Known(String),
    /// Its rule is assumed; why.
    Assumed(String),
}

/// A fact about a cause.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// A text below a label.
    Text(&'static str, String),
    /// As many names as there is room for.
    Names(&'static str, Vec<String>),
    /// What was asked for and what was there.
    Compared {
        /// Asked for.
        expected: Option<serde_json::Value>,
        /// There.
        got: Option<serde_json::Value>,
    },
    /// Steps in their order; as many as there is room for.
    Steps(Vec<String>),
    /// A message; a short form of it where there is little room.
    Message(Arc<WireMessage>),
    /// A command line; where it must be cut, its end stays.
    Command(String),
}

/// What a JUnit report holds besides played cases: a thing that was judged, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The test suite.
    pub suite: String,
    /// The class.
    pub class: String,
    /// The name.
    pub name: String,
    /// What became of it.
    pub result: CheckResult,
}

/// What became of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckResult {
    /// All is well.
    Passed,
    /// It does not count.
    Skipped(String),
    /// It fails the command.
    Failed {
        /// The kind of failure.
        kind: &'static str,
        /// In one sentence.
        message: String,
        /// In full.
        details: String,
    },
    /// It could not be judged.
    NotJudged(Vec<String>),
}

/// A file that a command writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputFile {
    /// What it holds: `JUnit`.
    pub label: &'static str,
    /// Where it is.
    pub path: PathBuf,
}

/// How a command came to its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Ended {
    /// By itself.
    #[default]
    Completed,
    /// By the user.
    Interrupted,
    /// Nothing at the target's address gave a response; why, where the summary does not say it.
    Unreachable(Option<String>),
}

/// Wall time as summaries show it: `2.0 s`, `3 min 20 s`.
pub fn wall_time(elapsed: Duration) -> String {
    let seconds = elapsed.as_secs();
    if seconds < 60 { format!("{:.1} s", elapsed.as_secs_f64()) } else { format!("{} min {:02} s", seconds / 60, seconds % 60) }
}
