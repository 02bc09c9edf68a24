//! What a load test's numbers come to: the verdict, its reasons, and how the process ends.

use super::report::format::{count, measured, rate};
use super::result::{Early, ErrorKind, LoadResult, LoadVerdict, ThresholdResult};
use crate::exit::Exit;

/// The verdict and its reasons, one sentence each: first what failed, then what is missing. It follows from
/// the counts, findings and evaluated thresholds; the result's own `verdict` and `reasons` are not looked at.
///
/// A threshold that fails where the generator was the limit says nothing of the target: it makes the run
/// inconclusive. What the target answered wrongly counts all the same.
pub fn verdict(result: &LoadResult) -> (LoadVerdict, Vec<String>) {
    let limited = result.generator.limit.is_some();
    let mut failures: Vec<_> = killed(result).into_iter().collect();
    failures.extend(findings(result));
    failures.extend(notifications(result));
    failures.extend(conservation(result));
    failures.extend(no_capacity(result));
    if !limited {
        failures.extend(broken_thresholds(result));
    }
    let mut doubts = missing(result);
    if limited {
        doubts.extend(broken_thresholds(result));
    }
    let verdict = match (failures.is_empty(), doubts.is_empty()) {
        (false, _) => LoadVerdict::Failed,
        (true, false) => LoadVerdict::Inconclusive,
        (true, true) => LoadVerdict::Passed,
    };
    failures.extend(doubts);
    (verdict, failures)
}

/// How a process ends with this result. That a target could not be reached at all is known to the caller alone.
pub fn exit(result: &LoadResult) -> Exit {
    if result.ended_early == Some(Early::Interrupted) {
        return Exit::Interrupted;
    }
    match result.verdict {
        LoadVerdict::Passed => Exit::Passed,
        LoadVerdict::Failed => Exit::Findings,
        LoadVerdict::Inconclusive => Exit::Inconclusive,
    }
}

fn broken_thresholds(result: &LoadResult) -> Vec<String> {
    let failed = result.thresholds.iter().filter(|t| t.verdict == LoadVerdict::Failed);
    failed.map(|t| format!("`{}` does not hold: {}", t.rule, told(t))).collect()
}

/// `it was 61.2 ms`
fn told(threshold: &ThresholdResult) -> String {
    threshold.observed.map_or_else(|| "nothing was measured".to_owned(), |number| format!("it was {}", measured(number, threshold.unit)))
}

fn killed(result: &LoadResult) -> Option<String> {
    let (requests, errors) = (requests(result), errors(result));
    let text = format!("too many calls failed, so the run was ended early: {} of {}", count(errors), count(requests));
    (result.ended_early == Some(Early::Killswitch)).then_some(text)
}

/// A search that found nothing. Otherwise its thresholds are those of the highest rate that held.
fn no_capacity(result: &LoadResult) -> Option<String> {
    let lowest = result.trials.iter().map(|trial| trial.rate).min_by(f64::total_cmp)?;
    let found = result.trials.iter().any(|trial| trial.held);
    (!found && result.generator.limit.is_none())
        .then(|| format!("no rate was found that holds: {} was the lowest that was tried", rate(lowest)))
}

/// Answers that break a contract, and answers that tell something else than they should.
fn findings(result: &LoadResult) -> Vec<String> {
    let kinds = [(ErrorKind::Contract, "broke the documents"), (ErrorKind::Business, "told something else than the scenarios expect")];
    let told = kinds.into_iter().map(|(kind, what)| {
        let causes: Vec<_> = result.findings.iter().filter(|cause| cause.kind == kind).collect();
        let times: u64 = causes.iter().map(|cause| cause.count).sum();
        let first = causes.first().map(|cause| cause.clauses.first().unwrap_or(&cause.operation));
        first.map(|first| format!("the target {what} {}, where it never may; most often {first}", times_of(times)))
    });
    told.flatten().collect()
}

fn notifications(result: &LoadResult) -> Vec<String> {
    let Some(n) = &result.notifications else { return Vec::new() };
    let classes = [(n.lost, "never came"), (n.contradicting, "told something else than the status call")];
    let wrong = classes.into_iter().filter(|(wrong, _)| *wrong > 0);
    wrong.map(|(wrong, what)| format!("{} of {} notifications {what}, where none may", count(wrong), count(n.expected))).collect()
}

fn conservation(result: &LoadResult) -> Option<String> {
    let looked = result.conservation.as_ref().filter(|c| c.held < c.examined)?;
    let (broken, of) = (looked.examined - looked.held, count(looked.examined));
    Some(format!("{} of {of} iterations did not hold when they were looked at again, where all must", count(broken)))
}

/// Why the run proves less than was asked for.
fn missing(result: &LoadResult) -> Vec<String> {
    let mut reasons = Vec::new();
    if result.ended_early == Some(Early::Interrupted) {
        reasons.push(format!("the user ended the run after {:.1} s of measuring", result.seconds));
    }
    reasons.extend(result.generator.limit.as_ref().map(|why| format!("the generator was the limit: {why}")));
    reasons.extend(absent_shards(result));
    reasons.extend(nothing_measured(result));
    let blind = result.thresholds.iter().filter(|t| t.verdict == LoadVerdict::Inconclusive);
    reasons.extend(blind.map(|t| format!("`{}` can't be told: too little was measured for it", t.rule)));
    reasons
}

fn absent_shards(result: &LoadResult) -> Option<String> {
    let absent: Vec<_> = (1..=result.shards.of).filter(|part| !result.shards.parts.contains(part)).collect();
    let named: Vec<_> = absent.iter().take(5).map(u32::to_string).collect();
    let more = if absent.len() > named.len() { " and more" } else { "" };
    let text = format!("{} of {} parts of the load are missing: {}{more}", absent.len(), result.shards.of, named.join(", "));
    (!absent.is_empty()).then_some(text)
}

/// Calls that nobody answered measure nothing.
fn nothing_measured(result: &LoadResult) -> Option<String> {
    let (requests, transport) = (requests(result), errors_of(result, ErrorKind::Transport));
    match requests {
        0 => Some("nothing was measured: no call was made".to_owned()),
        _ if requests <= transport => Some(format!("nothing was measured: none of {} calls was answered", count(requests))),
        _ => None,
    }
}

fn requests(result: &LoadResult) -> u64 {
    result.operations.iter().map(|o| o.requests).sum()
}

fn errors(result: &LoadResult) -> u64 {
    result.operations.iter().flat_map(|o| o.errors.values()).sum()
}

fn errors_of(result: &LoadResult, kind: ErrorKind) -> u64 {
    result.operations.iter().filter_map(|o| o.errors.get(&kind)).sum()
}

fn times_of(times: u64) -> String {
    if times == 1 { "once".into() } else { format!("{} times", count(times)) }
}

#[cfg(test)]
mod tests;
