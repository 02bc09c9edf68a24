//! Everything that happens in a run is an event. The runner emits them and knows no output format;
//! reporters consume them and know nothing of the runner.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize, Serializer};

use crate::base::not_judged::NotJudgedReason;
use crate::base::skip::SkipReason;
use crate::base::verdict::Verdict;
use crate::engine::inbox::Unexpected;
use crate::engine::judged_target::JudgedTarget;
use crate::engine::missing::Missing;
use crate::judge::record::RecordEntry;
use crate::spec::contract::Contracts;
use crate::wire::exchange::Exchange;

/// The name of one case of a scenario: stable between runs, unique in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct CaseName {
    /// The API, first folder under `scenarios/`.
    pub api: String,
    /// The scenario's file name without its ending, or the operation whose violations are generated.
    pub scenario: String,
    /// The case: a row of the table or a generated violation. Empty for a scenario without cases.
    pub case: String,
}

impl std::fmt::Display for CaseName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // A script that was named alone belongs to no API.
        if !self.api.is_empty() {
            write!(f, "{} / ", self.api)?;
        }
        f.write_str(&self.scenario)?;
        if self.case.is_empty() { Ok(()) } else { write!(f, " / {}", self.case) }
    }
}

/// One event of a run. Cases are reported in the order of the plan, whatever the order in which
/// they ran, so that the same seed gives the same events.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "event")]
pub enum Event {
    /// The run begins.
    RunStarted(RunStarted),
    /// A case has ended.
    CaseFinished(Arc<CaseFinished>),
    /// The run has ended.
    RunFinished(Arc<RunFinished>),
}

/// What is about to run.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct RunStarted {
    /// The target's title.
    pub target: String,
    /// The seed of everything random.
    pub seed: u64,
    /// How many cases are planned.
    pub cases: usize,
    /// Files of scenarios.
    pub scenarios: usize,
    /// The judged target, for a tape.
    #[serde(skip)]
    pub judged: Box<JudgedTarget>,
    /// The contracts that it is judged by.
    #[serde(skip)]
    pub contracts: Arc<Contracts>,
}

/// The result of one case.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct CaseFinished {
    /// Which case.
    #[serde(flatten)]
    pub name: CaseName,
    /// The scenario's title.
    pub title: String,
    /// How it ended.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// Clauses that were judged in this case and passed.
    pub held: Vec<String>,
    /// Those of them that the case is about: its scenario or a step names the clause, or a step expects its code.
    #[serde(skip)]
    pub about: Vec<String>,
    /// Transitions that happened: `payment/paid`.
    pub rows: Vec<String>,
    /// Everything recorded, calls and notifications in the order in which they started.
    #[serde(skip)]
    pub record: Vec<Arc<Exchange>>,
    /// The same with the actions of the world in between: the content of a tape.
    #[serde(skip)]
    pub entries: Vec<RecordEntry>,
    /// The exchanges, by their numbers, that show nothing of their operation: an unknown path has the same answer.
    #[serde(skip)]
    pub(crate) as_unknown_path: BTreeSet<usize>,
    /// How it ends instead if the run shows that an operation is not there, by operation.
    #[serde(skip)]
    pub(crate) unless_there: Vec<UnlessThere>,
    /// Wall time. Not part of the machine-readable events, which are the same for the same seed.
    #[serde(skip)]
    pub elapsed: Duration,
}

/// The result of a case for a target that lacks an operation: of what was judged before the operation was called.
#[derive(Clone, Debug)]
pub(crate) struct UnlessThere {
    /// The operation, whose path is assumed.
    pub(crate) operation: String,
    /// How the case ends.
    pub(crate) verdict: Verdict,
    /// Clauses that were judged and passed.
    pub(crate) held: Vec<String>,
    /// Those of them that the case is about.
    pub(crate) about: Vec<String>,
    /// Transitions that happened.
    pub(crate) rows: Vec<String>,
}

impl CaseFinished {
    /// A case without any result yet.
    pub(crate) fn begun(name: CaseName, title: String) -> Self {
        Self {
            name,
            title,
            verdict: Verdict::Passed,
            held: Vec::new(),
            about: Vec::new(),
            rows: Vec::new(),
            record: Vec::new(),
            entries: Vec::new(),
            as_unknown_path: BTreeSet::new(),
            unless_there: Vec::new(),
            elapsed: Duration::ZERO,
        }
    }
}

/// A run at its end.
#[derive(Clone, Debug, Default, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct RunFinished {
    /// Cases by verdict.
    pub counts: Counts,
    /// The standing of each clause, in the order of `contracts/clauses`.
    pub clauses: Vec<ClauseOutcome>,
    /// The transitions and how often each happened.
    pub rows: Vec<RowOutcome>,
    /// Why the run proves less than requested; empty if it proves everything.
    #[schemars(with = "Vec<String>")]
    pub inconclusive: Vec<Missing>,
    /// Requests sent.
    pub requests: usize,
    /// Notifications received.
    pub notifications: usize,
    /// Notifications that belong to no case.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unexpected: Vec<Unexpected>,
    /// Wall time.
    #[serde(skip)]
    pub elapsed: Duration,
}

/// Cases by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Counts {
    /// Everything judged, nothing found.
    pub passed: usize,
    /// Something found.
    pub failed: usize,
    /// Not run.
    pub skipped: usize,
    /// Could not be judged.
    #[serde(rename = "broken")]
    pub not_judged: usize,
}

/// The result of a run for one clause.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ClauseOutcome {
    /// Its id.
    pub id: String,
    /// Its standing.
    #[serde(flatten)]
    pub standing: Standing,
}

/// The standing of a clause after a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "standing")]
pub enum Standing {
    /// It held every time, and at least one case is about it and injected no fault.
    Passed {
        /// How many cases judged it.
        times: usize,
        /// How many cases about it injected a fault on purpose.
        #[serde(skip_serializing_if = "is_zero")]
        injected: usize,
        /// How many are about something else and judged it in passing.
        #[serde(rename = "in-passing", skip_serializing_if = "is_zero")]
        in_passing: usize,
    },
    /// It held every time, but each case about it injected a fault on purpose.
    Injected {
        /// How many cases judged it.
        times: usize,
        /// How many are about something else and judged it in passing.
        #[serde(rename = "in-passing", skip_serializing_if = "is_zero")]
        in_passing: usize,
    },
    /// It held every time, but no case is about it: all that judged it are about something else.
    InPassing {
        /// How many cases judged it.
        times: usize,
    },
    /// Broken at least once.
    Failed {
        /// How many cases broke it.
        times: usize,
    },
    /// Broken, but only as accepted.
    Known {
        /// How many cases broke it.
        times: usize,
    },
    /// Everything that carries it was skipped.
    Skipped {
        /// Why.
        #[schemars(with = "String")]
        reason: OpenReason,
    },
    /// It cannot be checked from outside.
    Unchecked {
        /// Why.
        reason: String,
    },
    /// No case touched it.
    Untouched,
}

/// Why no case judged a clause that some case names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OpenReason {
    /// The case was skipped.
    Skipped(SkipReason),
    /// The case could not be judged.
    NotJudged(NotJudgedReason),
    /// The target differs from the case where we assume a rule; the assumption.
    Assumed(String),
    /// The target never sent the field, which it may leave out.
    NeverSent,
}

impl fmt::Display for OpenReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Skipped(reason) => reason.fmt(f),
            Self::NotJudged(reason) => reason.fmt(f),
            Self::Assumed(why) => write!(f, "assumed: {why}"),
            Self::NeverSent => f.write_str("the target never sent the field, which is optional"),
        }
    }
}

/// Serialises as the sentence.
impl Serialize for OpenReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Standing {
    /// The standing of a clause that held in all the cases that judged it, by how they judged it.
    pub fn held(times: usize, injected: usize, in_passing: usize) -> Self {
        match times.saturating_sub(injected + in_passing) {
            0 if injected > 0 => Self::Injected { times, in_passing },
            0 => Self::InPassing { times },
            _ => Self::Passed { times, injected, in_passing },
        }
    }

    /// Whether the clause was judged and never broken.
    pub fn has_held(&self) -> bool {
        matches!(self, Self::Passed { .. } | Self::Injected { .. } | Self::InPassing { .. })
    }

    /// Its kind.
    pub fn kind(&self) -> StandingKind {
        match self {
            Self::Passed { .. } => StandingKind::Passed,
            Self::Injected { .. } => StandingKind::Injected,
            Self::InPassing { .. } => StandingKind::InPassing,
            Self::Failed { .. } => StandingKind::Failed,
            Self::Known { .. } => StandingKind::Known,
            Self::Skipped { .. } => StandingKind::Skipped,
            Self::Unchecked { .. } => StandingKind::Unchecked,
            Self::Untouched => StandingKind::Untouched,
        }
    }

    /// The word for it in all reports.
    pub fn word(&self) -> &'static str {
        self.kind().word()
    }
}

/// The standing of a clause without its numbers and reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandingKind {
    /// By a case that is about it and injects no fault.
    Passed,
    /// By cases that inject a fault.
    Injected,
    /// By cases that are about something else.
    InPassing,
    /// Violated.
    Failed,
    /// Violated as accepted.
    Known,
    /// Not judged.
    Skipped,
    /// Not checkable from outside.
    Unchecked,
    /// Touched by no case.
    Untouched,
}

impl StandingKind {
    /// Every kind, in the order in which totals name them.
    pub const ALL: [Self; 8] =
        [Self::Passed, Self::Injected, Self::InPassing, Self::Failed, Self::Known, Self::Skipped, Self::Unchecked, Self::Untouched];

    /// The word for it in all reports. A clause has passed only by a case that is about it and injects no fault.
    pub fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Injected => "injected",
            Self::InPassing => "in passing",
            Self::Failed => "failed",
            Self::Known => "known",
            Self::Skipped => "skipped",
            Self::Unchecked => "not checkable",
            Self::Untouched => "untouched",
        }
    }

    /// Whether totals name it even where there is none.
    pub fn is_always_named(self) -> bool {
        !matches!(self, Self::Injected | Self::InPassing | Self::Known)
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// How often a transition happened.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct RowOutcome {
    /// `payment/paid`.
    pub row: String,
    /// The number of cases in which it happened.
    #[serde(rename = "taken")]
    pub times: usize,
}
