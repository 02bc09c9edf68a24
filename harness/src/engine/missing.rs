//! Why a run proves less than requested.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::base::figures::count;
use crate::base::not_judged::NotJudgedReason;
use crate::base::skip::SkipReason;
use crate::base::text::{counted, list_first};

/// The most clauses and other names listed in a sentence.
const LISTED: usize = 5;

/// Missing evidence that was requested. Every command reports its reasons as values; only writers turn them into text.
#[derive(Clone, Debug, PartialEq)]
pub enum Missing {
    /// The selection is empty.
    NothingSelected,
    /// Not a single case was judged.
    NothingRan,
    /// The run ended before every planned case was played.
    EndedEarly {
        /// Cases that were not played.
        not_run: usize,
        /// Cases planned.
        planned: usize,
    },
    /// Fewer cases were reported than planned.
    Unfinished {
        /// Cases reported.
        finished: usize,
        /// Cases planned.
        planned: usize,
    },
    /// Cases were skipped.
    Skipped {
        /// How many.
        cases: usize,
        /// How many clauses nothing else judged.
        clauses: usize,
        /// What they need.
        reason: SkipReason,
    },
    /// Cases ran and could not be judged.
    NotJudged {
        /// How many.
        cases: usize,
        /// How many clauses nothing else judged.
        clauses: usize,
        /// Why.
        reason: NotJudgedReason,
    },
    /// Every case that called an operation was excused by an assumption of ours, so the operation was not judged.
    OperationExcused {
        /// The operation.
        operation: String,
        /// How many cases.
        cases: usize,
        /// The assumption.
        reason: String,
    },
    /// Clauses that no case judged, because the target differs from their cases where we assume a rule.
    ClausesExcused {
        /// How many.
        clauses: usize,
        /// The assumption.
        reason: String,
    },
    /// Clauses of fields that the target never sent, and may leave out.
    NeverSent {
        /// Their ids.
        clauses: Vec<String>,
    },
    /// Requested clauses that no case judged.
    Untouched {
        /// Their ids.
        clauses: Vec<String>,
    },
    /// Clauses that the target file says a run can judge, and that no case judged.
    ReachLost {
        /// Their ids.
        clauses: Vec<String>,
    },
    /// Transitions that never happened.
    NeverHappened {
        /// Their names.
        transitions: Vec<String>,
    },
    /// Two runs have no case in common that both judged.
    NothingCompared,
    /// Cases were judged on one side of a comparison only.
    OneSided {
        /// How many.
        cases: usize,
        /// The side that judged them.
        judged_on: ComparedSide,
        /// Why the other side did not.
        reason: OtherSide,
    },
    /// There is no mutant.
    NothingMutated,
    /// Recorded cases that did not pass, and were therefore not mutated.
    RecordingsNotPassed {
        /// How many.
        cases: usize,
    },
    /// Mutants that the checks could not judge.
    MutantsNotJudged {
        /// How many.
        mutants: usize,
    },
    /// The user ended the run before every mutant was tried.
    MutantsNotTried {
        /// How many; 0 if nothing was changed yet.
        mutants: usize,
    },
    /// Nothing was sent.
    NothingSent,
    /// Not one valid request succeeded, so the made-up ones met refusals alone.
    NothingAccepted,
    /// Operations or models that were left out.
    OperationsSkipped {
        /// Which ones.
        operations: Vec<String>,
        /// Why.
        reason: String,
    },
    /// Operations or models for which the run ended early.
    OperationsEndedEarly {
        /// Which ones.
        operations: Vec<String>,
        /// Why.
        reason: String,
    },
    /// The user ended a load.
    LoadInterrupted {
        /// Seconds measured before that.
        seconds: f64,
    },
    /// A load had not ended when this was written, and its end was lost.
    LoadUnfinished {
        /// Seconds measured until then.
        seconds: f64,
    },
    /// The generator, not the target, was the limit.
    GeneratorLimited {
        /// The symptom.
        why: String,
    },
    /// A threshold failed, but the generator was the limit.
    ThresholdInDoubt {
        /// The threshold and what was measured.
        rule: String,
    },
    /// Parts of a load that was split over machines.
    PartsMissing {
        /// Their numbers.
        parts: Vec<u32>,
        /// The number of parts.
        of: u32,
    },
    /// No call was made, or none got a response.
    NothingMeasured {
        /// Calls made.
        calls: u64,
    },
    /// Too few samples for a threshold.
    TooFewSamples {
        /// The threshold.
        rule: String,
        /// How many it needs, and how many there were.
        why: String,
    },
}

/// A side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ComparedSide {
    /// The first one.
    A,
    /// The second one.
    B,
}

impl fmt::Display for ComparedSide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::A => "A",
            Self::B => "B",
        })
    }
}

/// Why one side of a comparison has not judged a case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OtherSide {
    /// It lacks the case.
    NoSuchCase(ComparedSide),
    /// It skipped the case.
    Skipped(SkipReason),
    /// It could not judge the case.
    NotJudged(String),
}

impl fmt::Display for OtherSide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchCase(side) => write!(f, "{side} has no such case"),
            Self::Skipped(reason) => reason.fmt(f),
            Self::NotJudged(reason) => f.write_str(reason),
        }
    }
}

/// The row of a summary for a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MissingKind {
    /// Left out.
    Skipped,
    /// Played, but without a verdict.
    NotJudged,
    /// Cut short.
    EndedEarly,
    /// Any other evidence.
    Missing,
}

impl MissingKind {
    /// Every row, in the order of a summary.
    pub const ALL: [Self; 4] = [Self::Skipped, Self::NotJudged, Self::EndedEarly, Self::Missing];

    /// The label of the row.
    pub fn label(self) -> &'static str {
        match self {
            Self::Skipped => "skipped",
            Self::NotJudged => "not judged",
            Self::EndedEarly => "ended early",
            Self::Missing => "missing",
        }
    }
}

impl Missing {
    /// Its row.
    pub fn kind(&self) -> MissingKind {
        match self {
            Self::Skipped { .. } | Self::OperationsSkipped { .. } => MissingKind::Skipped,
            Self::NotJudged { .. }
            | Self::OperationExcused { .. }
            | Self::ClausesExcused { .. }
            | Self::NeverSent { .. }
            | Self::MutantsNotJudged { .. } => MissingKind::NotJudged,
            Self::EndedEarly { .. } | Self::OperationsEndedEarly { .. } => MissingKind::EndedEarly,
            _ => MissingKind::Missing,
        }
    }

    /// The reason without the words of its row: `2 cases, 1 clause: connection refused`.
    pub fn in_row(&self) -> String {
        let counts = |cases: usize, clauses: usize| {
            let counts = [(cases, "case"), (clauses, "clause")].into_iter().filter(|(count, _)| *count > 0);
            counts.map(|(count, noun)| counted(count, noun)).collect::<Vec<_>>().join(", ")
        };
        match self {
            Self::Skipped { cases, clauses, reason } => format!("{}: {reason}", counts(*cases, *clauses)),
            Self::NotJudged { cases, clauses, reason } => format!("{}: {reason}", counts(*cases, *clauses)),
            Self::OperationsSkipped { operations, reason } | Self::OperationsEndedEarly { operations, reason } => {
                format!("{}: {reason}", list_first(operations, LISTED))
            }
            Self::EndedEarly { not_run, planned } => not_run_of(*not_run, *planned),
            Self::MutantsNotJudged { mutants } => counted(*mutants, "mutant"),
            Self::ClausesExcused { clauses, reason } => format!("{} (assumed: {reason})", counted(*clauses, "clause")),
            Self::NeverSent { clauses } => {
                format!("{} of optional fields that never came: {}", counted(clauses.len(), "clause"), list_first(clauses, LISTED))
            }
            other => other.to_string(),
        }
    }

    /// The number of cases and clauses that it is about, for sorting.
    pub fn weight(&self) -> (usize, usize) {
        match self {
            Self::Skipped { cases, clauses, .. } | Self::NotJudged { cases, clauses, .. } => (*cases, *clauses),
            Self::OperationExcused { cases, .. } => (*cases, 0),
            Self::ClausesExcused { clauses, .. } => (0, *clauses),
            Self::NeverSent { clauses } => (0, clauses.len()),
            _ => (0, 0),
        }
    }

    /// Whether another reason says the same of the same cases: that nothing of their operation was judged.
    pub fn is_said_by(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::NotJudged { cases, reason, .. }, Self::OperationExcused { operation, cases: excused, reason: why }) => {
                reason.excused() == Some(operation) && cases <= excused && reason.to_string() == *why
            }
            _ => false,
        }
    }

    /// Whether it no longer counts once the target file names a `reach` without it.
    pub fn may_be_out_of_reach(&self) -> bool {
        matches!(
            self,
            Self::Skipped { .. }
                | Self::OperationExcused { .. }
                | Self::ClausesExcused { .. }
                | Self::NeverSent { .. }
                | Self::Untouched { .. }
        )
    }

    /// Whether a user may tolerate it (`--allow-skipped`): the target lacks what a case needs, or does otherwise where the documents
    /// leave it open. Whatever else is missing stays missing.
    pub fn may_be_tolerated(&self) -> bool {
        match self {
            Self::Skipped { .. } | Self::OperationExcused { .. } | Self::ClausesExcused { .. } | Self::NeverSent { .. } => true,
            Self::NotJudged { reason, .. } => reason.excused().is_some(),
            _ => false,
        }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingSelected => f.write_str("nothing was selected to run"),
            Self::NothingRan => f.write_str("nothing ran"),
            Self::EndedEarly { not_run, planned } => write!(f, "{}: the run ended early", not_run_of(*not_run, *planned)),
            Self::Unfinished { finished, planned } => write!(f, "only {finished} of {} ran to an end", counted(*planned, "planned case")),
            Self::Skipped { cases, reason, .. } => write!(f, "{cases} skipped: {reason}"),
            Self::NotJudged { cases, reason, .. } => write!(f, "{cases} not judged: {reason}"),
            Self::OperationExcused { operation, cases, reason } => write_excused(f, operation, *cases, reason),
            Self::ClausesExcused { clauses, reason } => write_excused_clauses(f, *clauses, reason),
            Self::NeverSent { .. } => write!(f, "not judged: {}", self.in_row()),
            Self::Untouched { clauses } => write_listed(f, &were(clauses, "clause", ""), "never touched", clauses),
            Self::ReachLost { clauses } => write_listed(f, &were(clauses, "clause", " within reach"), "not judged", clauses),
            Self::NeverHappened { transitions } => {
                write_listed(f, &counted(transitions.len(), "transition"), "never happened", transitions)
            }
            Self::NothingCompared => f.write_str("nothing could be compared"),
            Self::OneSided { cases, judged_on, reason } => write!(f, "{} judged on {judged_on} only: {reason}", counted(*cases, "case")),
            Self::NothingMutated => f.write_str("there was nothing to change"),
            Self::RecordingsNotPassed { cases } => write!(f, "{} did not pass and could not be used", counted(*cases, "recorded case")),
            Self::MutantsNotJudged { mutants } => write!(f, "{} could not be judged", counted(*mutants, "mutant")),
            Self::MutantsNotTried { mutants: 0 } => f.write_str("the user ended the run before anything was changed"),
            Self::MutantsNotTried { mutants } => write!(f, "the user ended the run before {} were tried", counted(*mutants, "mutant")),
            Self::NothingSent => f.write_str("nothing was sent"),
            Self::NothingAccepted => f.write_str("no valid request succeeded, so nothing behind a refusal was tried"),
            Self::OperationsSkipped { operations, reason } => write!(f, "{} skipped: {reason}", list_first(operations, LISTED)),
            Self::OperationsEndedEarly { operations, reason } => write!(f, "{} ended early: {reason}", list_first(operations, LISTED)),
            Self::LoadInterrupted { seconds } => write!(f, "the user ended the run after {seconds:.1} s of measuring"),
            Self::LoadUnfinished { seconds } => write_unfinished(f, *seconds),
            Self::GeneratorLimited { why } => write!(f, "generator-limited: {why}"),
            Self::ThresholdInDoubt { rule } => f.write_str(rule),
            Self::PartsMissing { parts, of } => write_parts(f, parts, *of),
            Self::NothingMeasured { calls } => write_unmeasured(f, *calls),
            Self::TooFewSamples { rule, why } => write!(f, "`{rule}` was not judged: {why}"),
        }
    }
}

/// `2 clauses within reach were`.
fn were(names: &[String], noun: &str, which: &str) -> String {
    let were = if names.len() == 1 { "was" } else { "were" };
    format!("{}{which} {were}", counted(names.len(), noun))
}

/// `2 of 3 cases did not run`.
fn not_run_of(not_run: usize, planned: usize) -> String {
    format!("{not_run} of {planned} cases did not run")
}

/// `2 clauses were never touched: a, b`.
fn write_listed(f: &mut fmt::Formatter<'_>, subject: &str, what: &str, names: &[String]) -> fmt::Result {
    write!(f, "{subject} {what}: {}", list_first(names, LISTED))
}

fn write_excused_clauses(f: &mut fmt::Formatter<'_>, clauses: usize, reason: &str) -> fmt::Result {
    write!(f, "{} not judged, because the target differs where we assume: {reason}", counted(clauses, "clause"))
}

fn write_unfinished(f: &mut fmt::Formatter<'_>, seconds: f64) -> fmt::Result {
    write!(f, "paycheck was stopped before the run ended: this is what it had measured after {seconds:.1} s")
}

fn write_unmeasured(f: &mut fmt::Formatter<'_>, calls: u64) -> fmt::Result {
    match calls {
        0 => f.write_str("nothing was measured: no call ended in the measured time"),
        calls => write!(f, "nothing was measured: none of {} calls got a response", count(calls)),
    }
}

fn write_excused(f: &mut fmt::Formatter<'_>, operation: &str, cases: usize, reason: &str) -> fmt::Result {
    let every = if cases == 1 { "its only case was excused" } else { "every one of its cases was excused" };
    write!(f, "nothing of {operation} was judged, {every} ({cases}): {reason}")
}

fn write_parts(f: &mut fmt::Formatter<'_>, parts: &[u32], of: u32) -> fmt::Result {
    let named: Vec<_> = parts.iter().take(LISTED).map(u32::to_string).collect();
    let more = if parts.len() > named.len() { " and more" } else { "" };
    let are = if parts.len() == 1 { "is" } else { "are" };
    write!(f, "{} of {of} parts of the load {are} missing: {}{more}", parts.len(), named.join(", "))
}

/// Serialises as the sentence.
impl Serialize for Missing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_of_an_operation_of_which_nothing_was_judged_are_not_named_again() {
        let reason = NotJudgedReason::NotThere { operation: "shop.send".into(), status: 404, assumed: "The path is not shown.".into() };
        let whole = |operation: &str| Missing::OperationExcused { operation: operation.to_owned(), cases: 2, reason: reason.to_string() };
        let cases = Missing::NotJudged { cases: 2, clauses: 1, reason: reason.clone() };
        assert!(cases.is_said_by(&whole("shop.send")) && !cases.is_said_by(&whole("shop.pay")) && !cases.is_said_by(&cases));
        let other = Missing::NotJudged { cases: 2, clauses: 1, reason: "no connection".into() };
        assert!(!other.is_said_by(&whole("shop.send")));
    }

    #[test]
    fn a_run_that_ended_early_is_named_in_the_row_of_its_kind() {
        let ended = Missing::EndedEarly { not_run: 2, planned: 3 };
        assert_eq!((ended.kind(), ended.in_row().as_str()), (MissingKind::EndedEarly, "2 of 3 cases did not run"));
        assert_eq!(ended.to_string(), "2 of 3 cases did not run: the run ended early");
    }
}
