//! Everything that happens in a run is an event. The runner emits them and knows no output format;
//! reporters consume them and know nothing of the runner.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::exchange::Exchange;
use crate::record::Entry;
use crate::tape::Judged;
use crate::verdict::Verdict;

/// The name of one instance of a scenario: stable between runs, unique in a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct InstanceName {
    /// The API, first folder under `scenarios/`.
    pub api: String,
    /// The scenario's file name without its ending, or the operation whose violations are generated.
    pub scenario: String,
    /// The case: a row of the table or a generated violation. Empty for a scenario without cases.
    pub case: String,
}

impl std::fmt::Display for InstanceName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} / {}", self.api, self.scenario)?;
        if self.case.is_empty() { Ok(()) } else { write!(f, " / {}", self.case) }
    }
}

/// One event of a run. Instances are reported in the order of the plan, whatever the order in which
/// they ran, so that the same seed gives the same events.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "event")]
pub enum Event {
    /// The run begins.
    RunStarted(RunStarted),
    /// An instance has ended.
    InstanceFinished(Arc<InstanceFinished>),
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
    /// How many instances are planned.
    pub instances: usize,
    /// Files of scenarios.
    pub scenarios: usize,
    /// Who is judged, for a tape.
    #[serde(skip)]
    pub judged: Judged,
}

/// What became of one instance.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct InstanceFinished {
    /// Which instance.
    #[serde(flatten)]
    pub name: InstanceName,
    /// The scenario's title.
    pub title: String,
    /// How it ended.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// Clauses that were really judged here and hold.
    pub held: Vec<String>,
    /// Rows of the transition tables that were taken: `payment/paid`.
    pub rows: Vec<String>,
    /// Everything recorded, calls and notifications in the order of their beginning.
    #[serde(skip)]
    pub record: Vec<Arc<Exchange>>,
    /// The same, with what was done in the world between the exchanges: what a tape keeps.
    #[serde(skip)]
    pub entries: Vec<Entry>,
    /// Wall time. Not part of the machine-readable events, which are the same for the same seed.
    #[serde(skip)]
    pub elapsed: Duration,
}

impl InstanceFinished {
    /// An instance of which nothing is known yet.
    pub(crate) fn begun(name: InstanceName, title: String) -> Self {
        Self {
            name,
            title,
            verdict: Verdict::Passed,
            held: Vec::new(),
            rows: Vec::new(),
            record: Vec::new(),
            entries: Vec::new(),
            elapsed: Duration::ZERO,
        }
    }
}

/// The run as a whole.
#[derive(Clone, Debug, Default, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct RunFinished {
    /// Instances by verdict.
    pub counts: Counts,
    /// What is known of each clause, in the order of `contracts/clauses`.
    pub clauses: Vec<ClauseOutcome>,
    /// Rows of the transition tables that were taken.
    pub rows: Vec<RowOutcome>,
    /// Why the run proves less than was asked for; empty when it proves all of it.
    pub inconclusive: Vec<String>,
    /// Requests sent.
    pub requests: usize,
    /// Notifications received.
    pub notifications: usize,
    /// Wall time.
    #[serde(skip)]
    pub elapsed: Duration,
}

/// Instances by verdict.
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
    pub broken: usize,
}

/// What a run says of one clause.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ClauseOutcome {
    /// Its id.
    pub id: String,
    /// What is known.
    #[serde(flatten)]
    pub standing: Standing,
}

/// What is known of a clause after a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "standing")]
pub enum Standing {
    /// Judged at least once, and held every time.
    Passed {
        /// How many instances judged it.
        times: usize,
    },
    /// Broken at least once.
    Failed {
        /// How many instances broke it.
        times: usize,
    },
    /// Broken, but every time as it was accepted.
    Known {
        /// How many instances broke it.
        times: usize,
    },
    /// Everything that carries it was skipped.
    Skipped {
        /// Why.
        reason: String,
    },
    /// It can't be checked from outside.
    Unchecked {
        /// Why.
        reason: String,
    },
    /// Nothing that ran touched it.
    Untouched,
}

/// Whether a row of a transition table was taken.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct RowOutcome {
    /// `payment/paid`.
    pub row: String,
    /// How many instances took it.
    pub taken: usize,
}
