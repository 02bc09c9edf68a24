//! Counts the cases that an assumption of ours excuses: an operation whose cases were all excused was not judged.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::verdict::{Finding, Verdict};
use crate::engine::event::CaseFinished;
use crate::engine::missing::Missing;

/// The cases of each operation, judged and excused.
#[derive(Debug, Default)]
pub(super) struct Excuses {
    operations: BTreeMap<String, Tally>,
}

#[derive(Debug, Default)]
struct Tally {
    judged: usize,
    excused: usize,
    /// The first assumption that excused a case.
    reason: Option<String>,
}

impl Excuses {
    /// Adds a case.
    pub(super) fn add(&mut self, case: &CaseFinished) {
        match &case.verdict {
            Verdict::Passed => self.judged(exchanged(case)),
            Verdict::Failed { findings } => {
                let counting: BTreeSet<&str> = findings.iter().filter(|f| f.assumed.is_none()).map(|f| f.operation.as_str()).collect();
                let excused = findings.iter().filter(|finding| !counting.contains(finding.operation.as_str()));
                let excused = excused.filter(|finding| !has_another_exchange(case, findings, &finding.operation));
                let excused: BTreeMap<&str, &Finding> = excused.map(|finding| (finding.operation.as_str(), finding)).collect();
                self.judged(exchanged(case).into_iter().filter(|operation| !excused.contains_key(operation)));
                for (operation, finding) in excused {
                    self.excused(operation, finding.assumed.clone().unwrap_or_default());
                }
            }
            Verdict::NotJudged { reason } => {
                if let Some(operation) = reason.excused() {
                    self.excused(operation, reason.to_string());
                }
            }
            Verdict::Skipped { .. } => {}
        }
    }

    fn judged<'o>(&mut self, operations: impl IntoIterator<Item = &'o str>) {
        for operation in operations {
            self.operations.entry(operation.to_owned()).or_default().judged += 1;
        }
    }

    fn excused(&mut self, operation: &str, reason: String) {
        let tally = self.operations.entry(operation.to_owned()).or_default();
        tally.excused += 1;
        tally.reason.get_or_insert(reason);
    }

    /// The operations with excused cases and no judged one.
    pub(super) fn of_whole_operations(&self) -> impl Iterator<Item = Missing> + '_ {
        let whole = self.operations.iter().filter(|(_, tally)| tally.judged == 0 && tally.excused > 0);
        whole.map(|(operation, tally)| Missing::OperationExcused {
            operation: operation.clone(),
            cases: tally.excused,
            reason: tally.reason.clone().unwrap_or_default(),
        })
    }
}

/// Whether a case has a second exchange of an operation, without a finding in it.
fn has_another_exchange(case: &CaseFinished, findings: &[Finding], operation: &str) -> bool {
    let about: BTreeSet<usize> = findings.iter().filter_map(|finding| finding.exchange).collect();
    case.record.iter().any(|exchange| exchange.operation == operation && !about.contains(&exchange.number))
}

/// The operations that a case called, and the notifications that it received.
fn exchanged(case: &CaseFinished) -> BTreeSet<&str> {
    case.record.iter().map(|exchange| exchange.operation.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::base::not_judged::NotJudgedReason;
    use crate::base::skip::SkipReason;
    use crate::engine::event::CaseName;
    use crate::wire::exchange::{Direction, Exchange, ExchangeOutcome, Request, TransportFailure, TransportFailureKind};

    fn exchange((number, operation): (usize, &&str)) -> Arc<Exchange> {
        Arc::new(Exchange {
            number,
            arrived: 0,
            direction: Direction::Call,
            operation: (*operation).to_owned(),
            identity: "main".to_owned(),
            request: Request::default(),
            outcome: ExchangeOutcome::Failed(TransportFailure { kind: TransportFailureKind::Timeout, detail: String::new() }),
            elapsed: Duration::ZERO,
        })
    }

    fn case(calls: &[&str], verdict: Verdict) -> CaseFinished {
        let name = CaseName { api: "shop".into(), scenario: "s".into(), case: String::new() };
        CaseFinished { verdict, record: calls.iter().enumerate().map(exchange).collect(), ..CaseFinished::begun(name, String::new()) }
    }

    fn failed(operation: &str, assumed: Option<&str>) -> Verdict {
        let finding = Finding::new("c", operation, "m");
        Verdict::Failed { findings: vec![Finding { assumed: assumed.map(str::to_owned), exchange: Some(1), ..finding }] }
    }

    fn gone(operation: &str) -> Verdict {
        let reason = NotJudgedReason::NotThere { operation: operation.into(), status: 404, assumed: "not shown".into() };
        Verdict::NotJudged { reason }
    }

    fn excused_operations(cases: Vec<CaseFinished>) -> Vec<(String, usize)> {
        let mut excuses = Excuses::default();
        cases.iter().for_each(|case| excuses.add(case));
        let missing = excuses.of_whole_operations().map(|missing| match missing {
            Missing::OperationExcused { operation, cases, .. } => (operation, cases),
            other => panic!("{other:?}"),
        });
        missing.collect()
    }

    #[test]
    fn an_operation_of_which_every_case_was_excused_is_named() {
        let excused = vec![case(&["read", "send"], gone("send")), case(&["read", "send"], failed("send", Some("not shown")))];
        assert_eq!(excused_operations(excused.clone()), [("send".to_owned(), 2)]);
        let one_judged = excused.into_iter().chain([case(&["send"], Verdict::Passed)]);
        assert_eq!(excused_operations(one_judged.collect()), []);
    }

    #[test]
    fn a_response_without_a_finding_judges_the_operation() {
        assert_eq!(excused_operations(vec![case(&["send", "send"], failed("send", Some("not shown")))]), []);
        assert_eq!(excused_operations(vec![case(&["read", "send"], failed("send", Some("not shown")))]), [("send".to_owned(), 1)]);
    }

    #[test]
    fn a_notification_without_a_finding_judges_its_operation() {
        let mut notified = case(&["send", "push"], Verdict::Passed);
        let push = Exchange { direction: Direction::Notification, ..(*notified.record[1]).clone() };
        notified.record[1] = Arc::new(push);
        assert_eq!(excused_operations(vec![notified, case(&["send", "push"], failed("push", Some("not shown")))]), []);
    }

    #[test]
    fn a_finding_that_counts_judges_and_what_else_stops_a_case_excuses_nothing() {
        assert_eq!(excused_operations(vec![case(&["send"], gone("send")), case(&["send"], failed("send", None))]), []);
        assert_eq!(excused_operations(vec![case(&["send"], Verdict::NotJudged { reason: "no connection".into() })]), []);
        assert_eq!(excused_operations(vec![case(&["send"], Verdict::Skipped { reason: SkipReason::Other("no payer".into()) })]), []);
    }
}
