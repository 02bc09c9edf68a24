//! Problems with single notifications.

use std::fmt;
use std::time::Duration;

use crate::load::result::NotificationResult;

/// How many examples of each kind of problem are kept.
pub(super) const EXAMPLES: usize = 5;

/// A notification with a problem.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NotificationProblem {
    /// What is wrong.
    pub kind: ProblemKind,
    /// When it was due, or when it was received if it was never due.
    pub at: Duration,
    /// The resource.
    pub resource: String,
    /// The state that was notified, or should have been.
    pub state: String,
    /// The state that the status call reports instead, for a contradiction.
    pub instead: Option<String>,
}

/// What is wrong with a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProblemKind {
    /// It was never received.
    Lost,
    /// It was received again although it had been acknowledged.
    Duplicated,
    /// It was received too late.
    Late,
    /// The status call reports another state.
    Contradicting,
    /// No change of state required it.
    Unexpected,
}

impl ProblemKind {
    /// The violation in one sentence; `None` where the documents leave it open: they allow repeated deliveries and set no time.
    pub fn sentence(self) -> Option<&'static str> {
        match self {
            Self::Lost => Some("a state that must be notified was reached, and no notification came"),
            Self::Contradicting => Some("a notification contradicts the status call"),
            Self::Duplicated | Self::Late | Self::Unexpected => None,
        }
    }

    /// The number of these problems in a result.
    pub fn count(self, result: &NotificationResult) -> u64 {
        match self {
            Self::Lost => result.lost,
            Self::Duplicated => result.duplicated,
            Self::Late => result.late,
            Self::Contradicting => result.contradicting,
            Self::Unexpected => result.unexpected,
        }
    }
}

impl fmt::Display for NotificationProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { resource, state, .. } = self;
        match (self.kind, &self.instead) {
            (ProblemKind::Lost, _) => write!(f, "{resource} became {state}, and no notification came"),
            (ProblemKind::Duplicated, _) => write!(f, "{state} of {resource} was notified again though it was acknowledged"),
            (ProblemKind::Late, _) => write!(f, "{state} of {resource} was notified late"),
            (ProblemKind::Contradicting, Some(instead)) => {
                write!(f, "{state} of {resource} was notified, and the status call says {instead}")
            }
            (ProblemKind::Contradicting, None) => write!(f, "{state} of {resource} was notified, and the status call contradicts it"),
            (ProblemKind::Unexpected, _) => write!(f, "{state} of {resource} was notified, but no response mentions it"),
        }
    }
}
