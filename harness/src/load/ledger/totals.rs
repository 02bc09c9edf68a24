//! The totals of a ledger.

use std::collections::BTreeSet;

use super::problem::{EXAMPLES, NotificationProblem, ProblemKind};
use crate::base::verdict::Finding;
use crate::load::result::NotificationResult;

/// The totals of all notifications.
#[derive(Clone, Debug, PartialEq)]
pub struct LedgerTotals {
    /// The numbers.
    ///
    /// `once` + those that are `duplicated` or `late` (one can be both) + `lost` = `expected`. These include notifications that were due
    /// and contradict the status call; one that was never due is either contradicting or unexpected. A state of a resource counts once,
    /// no matter how often it was notified.
    pub result: NotificationResult,
    /// Notifications that were due for too short a time to be lost when the ledger was closed. `expected` does not include them.
    pub undecided: u64,
    /// A few examples of each kind, the earliest first.
    pub problems: Vec<NotificationProblem>,
}

impl LedgerTotals {
    /// The problems that the documents forbid, as findings with their counts. The first finding of each kind also counts those of which
    /// no example was kept.
    pub(crate) fn findings(&self) -> Vec<(Finding, u64)> {
        let mut seen = BTreeSet::new();
        let forbidden = self.problems.iter().filter_map(|problem| Some((problem, problem.kind.sentence()?)));
        let findings = forbidden.map(|(problem, sentence)| {
            let finding = Finding::new("", "notification", sentence).compare(serde_json::Value::Null, problem.to_string());
            (finding, if seen.insert(problem.kind) { self.without_example(problem.kind) + 1 } else { 1 })
        });
        findings.collect()
    }

    fn without_example(&self, kind: ProblemKind) -> u64 {
        let examples = self.problems.iter().filter(|problem| problem.kind == kind).count();
        kind.count(&self.result).saturating_sub(u64::try_from(examples).unwrap_or(u64::MAX))
    }
}

/// The earliest problems of each kind that the result counts.
pub(super) fn few_of_each(mut problems: Vec<NotificationProblem>, result: &NotificationResult) -> Vec<NotificationProblem> {
    problems.sort();
    let (mut last, mut count) = (None, 0);
    problems.retain(|problem| {
        count = if last == Some(problem.kind) { count + 1 } else { 1 };
        last = Some(problem.kind);
        count <= EXAMPLES && problem.kind.count(result) > 0
    });
    problems
}
