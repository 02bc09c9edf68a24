//! Judges the numbers of a load test: what failed, and what is missing.

use super::result::{Early, ErrorKind, LoadResult, LoadVerdict, OperationResult, ThresholdResult};
use super::threshold::parse_written;
use crate::base::figures::{count, measured, measured_beside, rate};
use crate::engine::missing::Missing;

/// The judgement of a load test.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadJudgement {
    /// Why the target fails, one sentence each.
    pub failures: Vec<String>,
    /// Why the run proves less than was asked for.
    pub missing: Vec<Missing>,
}

/// Judges counts, findings and evaluated thresholds. The `verdict` and `reasons` of the result are not read.
///
/// If the run was generator-limited, a failed threshold does not count against the target and makes the run inconclusive. A wrong response
/// always counts.
pub fn judge(result: &LoadResult) -> LoadJudgement {
    let limited = result.generator.limit.is_some();
    let mut failures: Vec<_> = killed(result).into_iter().collect();
    failures.extend(findings(result));
    failures.extend(notifications(result));
    failures.extend(conservation(result));
    failures.extend(no_capacity(result));
    let mut missing = missing(result);
    match limited {
        false => failures.extend(broken_thresholds(result)),
        true => missing.extend(broken_thresholds(result).into_iter().map(|rule| Missing::ThresholdInDoubt { rule })),
    }
    LoadJudgement { failures, missing }
}

/// The verdict and its reasons, as in a result file: first what failed, then what is missing.
pub fn verdict(result: &LoadResult) -> (LoadVerdict, Vec<String>) {
    let LoadJudgement { failures, missing } = judge(result);
    let verdict = match (failures.is_empty(), missing.is_empty()) {
        (false, _) => LoadVerdict::Failed,
        (true, false) => LoadVerdict::Inconclusive,
        (true, true) => LoadVerdict::Passed,
    };
    (verdict, failures.into_iter().chain(missing.iter().map(Missing::to_string)).collect())
}

fn broken_thresholds(result: &LoadResult) -> Vec<String> {
    let failed = result.thresholds.iter().filter(|t| t.verdict == LoadVerdict::Failed);
    failed.map(|t| format!("`{}` does not hold: {}", t.rule, observed(t))).collect()
}

/// Why a threshold was not judged.
pub(crate) fn unjudged(threshold: &ThresholdResult) -> &str {
    // Results of earlier versions have no reason.
    threshold.reason.as_deref().unwrap_or("too little was measured for it")
}

/// A threshold's number, with as many digits as show on which side of the bound it is.
pub(crate) fn shown(threshold: &ThresholdResult, number: f64) -> String {
    // A rule that this version can't read has no bound to compare with.
    let bound = parse_written(&threshold.rule).map(|read| read.bound);
    bound.map_or_else(|| measured(number, threshold.unit), |bound| measured_beside(number, bound, threshold.unit))
}

/// `it was 61.2 ms`
fn observed(threshold: &ThresholdResult) -> String {
    threshold.observed.map_or_else(|| "nothing was measured".to_owned(), |number| format!("it was {}", shown(threshold, number)))
}

fn killed(result: &LoadResult) -> Option<String> {
    let text = match requests(result) {
        0 => "before measuring began".to_owned(),
        requests => format!("{} of {} measured ones", count(errors(result)), count(requests)),
    };
    (result.ended_early == Some(Early::Killswitch)).then(|| format!("too many calls failed, so the killswitch ended the run: {text}"))
}

/// The failure of a search in which no rate passed, that was not interrupted, and whose thresholds could be judged. Otherwise its
/// thresholds are those of the highest rate that passed.
fn no_capacity(result: &LoadResult) -> Option<String> {
    if result.ended_early == Some(Early::Interrupted) {
        return None;
    }
    let lowest = result.trials.iter().map(|trial| trial.rate).min_by(f64::total_cmp)?;
    let found = result.trials.iter().any(|trial| trial.held);
    let judged = result.thresholds.iter().all(|threshold| threshold.verdict != LoadVerdict::Inconclusive);
    let text =
        format!("no rate was found at which all thresholds hold: {} was the lowest that was tried; begin lower (`from`)", rate(lowest));
    (!found && judged && result.generator.limit.is_none()).then_some(text)
}

/// Counts of responses that break a contract, and of responses with another value than expected.
fn findings(result: &LoadResult) -> Vec<String> {
    let kinds = [(ErrorKind::Contract, "broke the documents"), (ErrorKind::Business, "returned other values than the scenarios expect")];
    let reasons = kinds.into_iter().map(|(kind, what)| {
        let causes: Vec<_> = result.findings.iter().filter(|cause| cause.kind == kind).collect();
        let times: u64 = causes.iter().map(|cause| cause.count).sum();
        let first = causes.first().map(|cause| cause.clauses.first().unwrap_or(&cause.operation));
        first.map(|first| format!("the target {what} {}, where it never may; most often {first}", times_of(times)))
    });
    reasons.flatten().collect()
}

fn notifications(result: &LoadResult) -> Vec<String> {
    let Some(n) = &result.notifications else { return Vec::new() };
    let classes = [(n.lost, "were lost"), (n.contradicting, "contradicted the status call")];
    let wrong = classes.into_iter().filter(|(wrong, _)| *wrong > 0);
    wrong.map(|(wrong, what)| format!("{} of {} notifications {what}, where none may", count(wrong), count(n.expected))).collect()
}

fn conservation(result: &LoadResult) -> Option<String> {
    let looked = result.conservation.as_ref().filter(|c| c.held < c.examined)?;
    let (broken, of) = (looked.examined - looked.held, count(looked.examined));
    Some(format!("{} of {of} iterations failed when they were re-checked, where none may", count(broken)))
}

fn missing(result: &LoadResult) -> Vec<Missing> {
    let seconds = result.seconds;
    let interrupted = match result.ended_early {
        Some(Early::Interrupted) => Some(Missing::LoadInterrupted { seconds }),
        Some(Early::Unfinished) => Some(Missing::LoadUnfinished { seconds }),
        Some(Early::Killswitch | Early::Unreachable) | None => None,
    };
    let mut missing: Vec<_> = interrupted.into_iter().collect();
    missing.extend(result.generator.limit.clone().map(|why| Missing::GeneratorLimited { why }));
    missing.extend(absent_parts(result));
    missing.extend(nothing_measured(result));
    let unmeasured = result.thresholds.iter().filter(|t| t.verdict == LoadVerdict::Inconclusive);
    missing.extend(unmeasured.map(|t| Missing::TooFewSamples { rule: t.rule.clone(), why: unjudged(t).to_owned() }));
    missing
}

fn absent_parts(result: &LoadResult) -> Option<Missing> {
    let of = result.shards.of;
    let parts: Vec<_> = (1..=of).filter(|part| !result.shards.parts.contains(part)).collect();
    (!parts.is_empty()).then_some(Missing::PartsMissing { parts, of })
}

/// Missing evidence if no call got a response.
fn nothing_measured(result: &LoadResult) -> Option<Missing> {
    let calls = requests(result);
    (calls <= errors_of(result, ErrorKind::Transport)).then_some(Missing::NothingMeasured { calls })
}

fn requests(result: &LoadResult) -> u64 {
    result.operations.iter().map(|o| o.requests).sum()
}

fn errors(result: &LoadResult) -> u64 {
    result.operations.iter().map(OperationResult::failed).sum()
}

fn errors_of(result: &LoadResult, kind: ErrorKind) -> u64 {
    result.operations.iter().filter_map(|o| o.errors.get(&kind)).sum()
}

fn times_of(times: u64) -> String {
    if times == 1 { "once".into() } else { format!("{} times", count(times)) }
}

#[cfg(test)]
mod tests;
