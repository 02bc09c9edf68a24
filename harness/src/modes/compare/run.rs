//! A run, in the form that is compared.

use std::sync::Arc;

use crate::base::verdict::Verdict;
use crate::engine::event::CaseName;
use crate::engine::missing::OtherSide;
use crate::wire::exchange::Exchange;

/// A run, in the form that is compared.
#[derive(Clone, Debug, Default)]
pub struct PlayedRun {
    /// The target's title.
    pub target: String,
    /// Its cases, in the order of the plan.
    pub cases: Vec<PlayedCase>,
}

/// One case of a run.
#[derive(Clone, Debug)]
pub struct PlayedCase {
    /// Which case.
    pub name: CaseName,
    /// Its verdict.
    pub verdict: Verdict,
    /// Everything recorded, calls and notifications.
    pub record: Vec<Arc<Exchange>>,
}

impl PlayedCase {
    /// Why it cannot be compared, if so.
    pub(super) fn not_judged(&self) -> Option<OtherSide> {
        match &self.verdict {
            Verdict::Passed | Verdict::Failed { .. } => None,
            Verdict::Skipped { reason } => Some(OtherSide::Skipped(reason.clone())),
            Verdict::NotJudged { reason } => Some(OtherSide::NotJudged(reason.to_string())),
        }
    }
}
