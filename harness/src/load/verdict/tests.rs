use super::*;
use crate::load::example_results::{self as sample, judged};
use crate::load::result::{ConservationResult, NotificationResult, Shards};

fn verdict_of(result: &LoadResult) -> (LoadVerdict, String) {
    let (verdict, reasons) = verdict(result);
    (verdict, reasons.join("\n"))
}

#[test]
fn the_reasons_of_each_kind_of_result() {
    let mut killed = sample::passed();
    killed.ended_early = Some(Early::Killswitch);
    let mut split = sample::passed();
    split.shards = Shards { of: 9, parts: vec![2, 4] };
    let mut nothing_found = sample::capacity();
    nothing_found.trials.retain(|trial| !trial.held);
    let mut search_interrupted = nothing_found.clone();
    search_interrupted.ended_early = Some(Early::Interrupted);
    let results = [
        ("passed", sample::passed()),
        ("failed thresholds", sample::failed_thresholds()),
        ("findings", sample::findings()),
        ("limited by the generator", sample::limited()),
        ("interrupted", sample::interrupted()),
        ("killed", killed),
        ("parts missing", split),
        ("a search that found something", sample::capacity()),
        ("a search that found nothing", nothing_found),
        ("a search that was interrupted before it found something", search_interrupted),
        ("empty", sample::empty()),
    ];
    let lines = results.map(|(name, result)| {
        let result = judged(result);
        format!("{name}: {:?}\n  {}\n", result.verdict, result.reasons.join("\n  "))
    });
    insta::assert_snapshot!(lines.concat());
}

#[test]
fn transport_failures_alone_are_left_to_the_thresholds_unless_there_is_nothing_else() {
    let mut result = sample::passed();
    result.findings = vec![sample::cause("", ErrorKind::Transport, 5)];
    for operation in &mut result.operations {
        operation.errors.insert(ErrorKind::Transport, operation.requests - 1);
    }
    assert_eq!(verdict_of(&result).0, LoadVerdict::Passed);
    for operation in &mut result.operations {
        operation.errors.insert(ErrorKind::Transport, operation.requests);
    }
    let (verdict, why) = verdict_of(&result);
    assert_eq!((verdict, why.as_str()), (LoadVerdict::Inconclusive, "nothing was measured: none of 13,200 calls got a response"));
}

#[test]
fn what_the_target_answered_wrongly_counts_whatever_the_generator_did() {
    let mut result = sample::findings();
    result.generator.limit = Some("no CPU was left".into());
    assert_eq!(verdict_of(&result).0, LoadVerdict::Failed);
    result.findings.clear();
    result.notifications = None;
    result.conservation = None;
    assert_eq!(verdict_of(&result).0, LoadVerdict::Inconclusive);
}

#[test]
fn one_lost_or_contradicting_notification_is_enough_and_late_ones_are_left_to_the_thresholds() {
    let with = |n: NotificationResult| {
        let mut result = sample::passed();
        result.notifications = Some(n);
        verdict_of(&result).0
    };
    let base = NotificationResult { expected: 5, once: 4, ..NotificationResult::default() };
    assert_eq!(with(NotificationResult { late: 1, duplicated: 1, unexpected: 1, ..base.clone() }), LoadVerdict::Passed);
    assert_eq!(with(NotificationResult { lost: 1, ..base.clone() }), LoadVerdict::Failed);
    assert_eq!(with(NotificationResult { contradicting: 1, ..base }), LoadVerdict::Failed);
}

#[test]
fn one_iteration_that_does_not_hold_afterwards_is_enough() {
    let with = |held| {
        let mut result = sample::passed();
        result.conservation = Some(ConservationResult { complete: true, examined: 9, held });
        verdict_of(&result).0
    };
    assert_eq!((with(9), with(8)), (LoadVerdict::Passed, LoadVerdict::Failed));
}

#[test]
fn a_number_just_beyond_a_threshold_is_not_rounded_to_it() {
    let mut result = sample::passed();
    result.thresholds = vec![sample::threshold("rate >= 20", crate::load::result::Unit::PerSecond, Some(19.96), LoadVerdict::Failed)];
    assert_eq!(verdict_of(&result).1, "`rate >= 20` does not hold: it was 19.96/s");
    result.thresholds[0].rule = "a rule of another version".to_owned();
    assert_eq!(verdict_of(&result).1, "`a rule of another version` does not hold: it was 20/s");
}

#[test]
fn a_threshold_without_samples_makes_a_run_inconclusive() {
    let mut result = sample::passed();
    result.thresholds[0].verdict = LoadVerdict::Inconclusive;
    result.thresholds[0].observed = None;
    let (verdict, why) = verdict_of(&result);
    assert_eq!((verdict, why.as_str()), (LoadVerdict::Inconclusive, "`errors < 0.1%` was not judged: too little was measured for it"));
    result.thresholds[0].reason = Some("no call ended in the measured time".to_owned());
    assert_eq!(verdict_of(&result).1, "`errors < 0.1%` was not judged: no call ended in the measured time");
}

#[test]
fn a_search_whose_lowest_rate_could_not_be_judged_has_found_nothing_out() {
    let mut result = sample::capacity();
    result.trials.retain(|trial| !trial.held);
    assert_eq!(verdict_of(&result).0, LoadVerdict::Failed);
    result.thresholds[0] = sample::threshold("p99 < 50ms", crate::load::result::Unit::Microseconds, None, LoadVerdict::Inconclusive);
    assert_eq!(verdict_of(&result).0, LoadVerdict::Inconclusive);
}
