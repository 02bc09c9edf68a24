//! The parts of an outcome for writers to lay out, without rules of their own.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::evidence::{Evidence, Rule, WireMessage};
use crate::base::text::counted;

/// A command that judges something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Scenarios against a target.
    Verify,
    /// Proof clause by clause.
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
    /// Its name on the command line.
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

/// A command's first line: `verify  emulator (embedded)  N scenarios, N cases, seed 1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// The command.
    pub verb: Verb,
    /// The target's title.
    pub target: String,
    /// The amount of work, and the seed.
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

    /// Adds the seed, always last.
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

/// The meaning of a text to the reader. A writer chooses the colour.
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

/// A line of the overview: a label and a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// The label; empty for a continuation of the line above.
    pub label: &'static str,
    /// Whether all is well.
    pub tone: Tone,
    /// The numbers.
    pub text: String,
    /// Names after the text, cut to the available room.
    pub names: Vec<String>,
    /// The wall time, which differs from run to run.
    pub elapsed: Option<Duration>,
}

impl Figure {
    /// A figure without names.
    pub fn new(label: &'static str, tone: Tone, text: impl Into<String>) -> Self {
        Self { label, tone, text: text.into(), names: Vec::new(), elapsed: None }
    }

    /// Adds the wall time.
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

/// A section that only one command has.
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
    /// The tone of the heading.
    pub tone: Tone,
    /// The entries, the most important first.
    pub entries: Vec<ListEntry>,
    /// How many of them a summary shows.
    pub shown: usize,
    /// The noun for the entries, as in `and 3 more thresholds`.
    pub noun: &'static str,
    /// A last line that is always shown.
    pub note: Option<String>,
}

/// An entry of a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListEntry {
    /// A mark or a word before the text; empty for none.
    pub mark: String,
    /// The tone of mark and text.
    pub tone: Tone,
    /// The text.
    pub text: String,
}

impl ListEntry {
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
    /// A total row that is always shown.
    pub total: Option<Row>,
}

/// A column of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its heading.
    pub heading: &'static str,
    /// Its priority: on a narrow terminal the column with the lowest one is left out first.
    pub priority: u8,
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
    /// The clause, or another name.
    pub name: String,
    /// How often it was found, and where: `2 cases, scenarios/gateway/refund.yaml:12:5`.
    pub seen: String,
    /// What is wrong, in one sentence.
    pub message: String,
    /// Facts that a reader needs to act on it.
    pub facts: Vec<Fact>,
    /// The first finding with its messages, if a case shows it.
    pub evidence: Option<Box<Evidence>>,
}

impl Cause {
    /// The facts that its evidence does not have, as labels and texts.
    pub fn further_facts(&self) -> impl Iterator<Item = (&'static str, String)> {
        self.facts.iter().filter_map(|fact| match fact {
            Fact::Rule(_) | Fact::At(_) | Fact::Note(_) | Fact::Compared { .. } | Fact::Message(_) | Fact::Command(_) => None,
            Fact::Text(label, text) => Some((*label, text.clone())),
            Fact::Names(label, names) => Some((*label, names.join(", "))),
            Fact::Steps(steps) => Some(("steps", steps.join("; "))),
        })
    }
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
    /// Its rule is assumed; the reason.
    Assumed(String),
}

/// A fact about a cause.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// The sentence of a rule, and where the documents state it.
    Rule(String),
    /// Where it was found.
    At(String),
    /// What a reader should know of the evidence.
    Note(String),
    /// A label and a text.
    Text(&'static str, String),
    /// A label and names, cut to the available room.
    Names(&'static str, Vec<String>),
    /// Expected and actual value.
    Compared {
        /// Expected.
        expected: Option<serde_json::Value>,
        /// Actual.
        got: Option<serde_json::Value>,
    },
    /// Steps in their order, cut to the available room.
    Steps(Vec<String>),
    /// A message, or one value of another message; shortened if there is little room.
    Message(Arc<WireMessage>),
    /// A command line; if it must be cut, its end stays.
    Command(String),
}

impl Fact {
    /// A rule with its sentence and its place in the documents.
    pub fn rule(rule: &Rule) -> Self {
        Self::Rule(format!("{} ({})", rule.says, rule.source()))
    }
}

/// A check in a JUnit report besides played cases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The test suite.
    pub suite: String,
    /// The class.
    pub class: String,
    /// The name.
    pub name: String,
    /// Its result.
    pub result: CheckResult,
}

/// The result of a check.
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
    /// The kind of its content: `JUnit`.
    pub label: &'static str,
    /// Where it is.
    pub path: PathBuf,
}

/// How a command ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Ended {
    /// By itself.
    #[default]
    Completed,
    /// By the user.
    Interrupted,
    /// No response came from the target's address; the reason, if the summary does not show it.
    Unreachable(Option<String>),
}

/// Wall time as summaries show it: `2.0 s`, `3 min 20 s`.
pub fn wall_time(elapsed: Duration) -> String {
    let seconds = elapsed.as_secs();
    if seconds < 60 { format!("{:.1} s", elapsed.as_secs_f64()) } else { format!("{} min {:02} s", seconds / 60, seconds % 60) }
}
