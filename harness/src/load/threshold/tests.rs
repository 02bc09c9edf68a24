use std::collections::BTreeMap;

use super::*;
use crate::load::example_results::{empty, operation};
use crate::load::histogram::testing::latency;
use crate::load::result::{Arrivals, ErrorKind, LoadResult, LoadVerdict, Moment, NotificationResult, ThresholdResult, Unit};

/// Two operations in ten seconds: 900 fast calls of which 9 failed, and 100 slow ones.
fn measured() -> LoadResult {
    let mut fast = operation("a", 900, 0);
    fast.errors = BTreeMap::from([(ErrorKind::Transport, 4), (ErrorKind::Contract, 3), (ErrorKind::Business, 2)]);
    (fast.response, fast.service) = (latency((1..=900).map(|n| n + 100)), latency(1..=900));
    let mut slow = operation("b", 100, 0);
    (slow.response, slow.service) = (latency((1..=100).map(|_| 50_000)), latency((1..=100).map(|_| 20_000)));
    LoadResult {
        seconds: 10.0,
        operations: vec![fast, slow],
        arrivals: Some(Arrivals { intended: 1000, started: 995, delayed: 15, dropped: 5 }),
        notifications: Some(NotificationResult {
            expected: 100,
            once: 94,
            duplicated: 3,
            late: 2,
            lost: 1,
            lag: latency((1..=99).map(|n| n * 1000)),
            ..NotificationResult::default()
        }),
        ..empty()
    }
}

fn threshold(operation: Option<&str>, metric: Metric, comparison: Comparator, bound: f64) -> Threshold {
    Threshold { rule: format!("{metric:?}"), operation: operation.map(str::to_owned), metric, comparison, bound }
}

fn judged(result: &LoadResult, operation: Option<&str>, metric: Metric, comparison: Comparator, bound: f64) -> LoadVerdict {
    let results = evaluate(&[threshold(operation, metric, comparison, bound)], result);
    assert_eq!(results.len(), 1);
    results[0].verdict
}

/// The value of each metric in [`measured`].
const NUMBERS: [(Option<&str>, Metric, f64); 21] = [
    (Some("a"), Metric::Response(0.5), 550.0),
    (Some("a"), Metric::Response(0.99), 991.0),
    (Some("a"), Metric::Response(1.0), 1000.0),
    (None, Metric::Response(0.9), 1000.0),
    (None, Metric::Response(1.0), 50_000.0),
    (Some("a"), Metric::Service(0.5), 450.0),
    (Some("b"), Metric::Service(1.0), 20_000.0),
    (None, Metric::Service(1.0), 20_000.0),
    (None, Metric::Lag(1.0), 99_000.0),
    (Some("a"), Metric::Mean, 550.5),
    (None, Metric::Mean, 5495.45),
    (Some("a"), Metric::Errors, 0.01),
    (None, Metric::Errors, 0.009),
    (Some("b"), Metric::Errors, 0.0),
    (None, Metric::ErrorCount, 9.0),
    (None, Metric::Rate, 100.0),
    (Some("b"), Metric::Rate, 10.0),
    (None, Metric::Dropped, 0.02),
    (None, Metric::Lost, 1.0),
    (None, Metric::Duplicated, 3.0),
    (None, Metric::Late, 2.0),
];

#[test]
fn every_metric_passes_and_fails_at_its_number() {
    let result = measured();
    for (operation, metric, number) in NUMBERS {
        let judged = |comparison, bound| judged(&result, operation, metric, comparison, bound);
        // Means and HDR quantiles are exact to a thousandth.
        let near = number * 0.002;
        assert_eq!(judged(Comparator::Below, number + near + 0.001), LoadVerdict::Passed, "{metric:?} of {operation:?} below {number}");
        assert_eq!(judged(Comparator::Below, number - near - 0.001), LoadVerdict::Failed, "{metric:?} of {operation:?} below {number}");
        assert_eq!(judged(Comparator::AtLeast, number - near), LoadVerdict::Passed, "{metric:?} of {operation:?} at least {number}");
        assert_eq!(
            judged(Comparator::AtLeast, number + near + 0.001),
            LoadVerdict::Failed,
            "{metric:?} of {operation:?} at least {number}"
        );
    }
}

#[test]
fn a_bound_belongs_to_some_comparisons() {
    let result = measured();
    let verdicts = [Comparator::Below, Comparator::AtMost, Comparator::Equal, Comparator::AtLeast, Comparator::Above]
        .map(|comparison| judged(&result, None, Metric::Lost, comparison, 1.0));
    use LoadVerdict::{Failed, Passed};
    assert_eq!(verdicts, [Failed, Passed, Passed, Passed, Failed]);
}

#[test]
fn without_samples_nothing_passes() {
    let (mut result, measured) = (empty(), measured());
    result.seconds = 10.0;
    result.notifications = Some(NotificationResult::default());
    result.arrivals = Some(Arrivals::default());
    for (_, metric, _) in NUMBERS {
        for comparison in [Comparator::Below, Comparator::AtLeast, Comparator::Equal] {
            assert_eq!(judged(&result, None, metric, comparison, 0.0), LoadVerdict::Inconclusive, "{metric:?}");
        }
    }
    assert_eq!(judged(&measured, Some("c"), Metric::Response(0.99), Comparator::Below, 1e9), LoadVerdict::Inconclusive);
    assert_eq!(judged(&measured, Some("c"), Metric::Errors, Comparator::Equal, 0.0), LoadVerdict::Inconclusive);
}

/// The verdict and the reason of a threshold that any number would pass.
fn unjudged(result: &LoadResult, operation: Option<&str>, metric: Metric) -> (LoadVerdict, Option<f64>, String) {
    let ThresholdResult { verdict, observed, reason, .. } =
        evaluate(&[threshold(operation, metric, Comparator::AtLeast, 0.0)], result).remove(0);
    (verdict, observed, reason.unwrap_or_default())
}

#[test]
fn a_percentile_of_too_few_samples_is_not_judged_and_the_reason_says_how_many_it_needs() {
    let mut result = measured();
    let of_b = |times: u64, result: &mut LoadResult| {
        result.operations[1].response = latency((0..times).map(|_| 1000));
        result.operations[1].requests = times;
    };
    of_b(99, &mut result);
    let reasons = [0.99, 0.999].map(|share| unjudged(&result, Some("b"), Metric::Response(share)));
    let inconclusive = |reason: &str| (LoadVerdict::Inconclusive, None, reason.to_owned());
    assert_eq!(reasons[0], inconclusive("p99 needs at least 100 calls, and 99 were measured"));
    assert_eq!(reasons[1], inconclusive("p99.9 needs at least 1,000 calls, and 99 were measured"));
    assert_eq!(unjudged(&result, None, Metric::Lag(0.99)), inconclusive("p99 needs at least 100 notifications, and 99 were received"));
    assert_eq!(unjudged(&result, Some("b"), Metric::Response(0.95)).0, LoadVerdict::Passed);
    of_b(100, &mut result);
    assert_eq!(unjudged(&result, Some("b"), Metric::Response(0.99)), (LoadVerdict::Passed, Some(1000.0), String::new()));
    of_b(0, &mut result);
    assert_eq!(unjudged(&result, Some("b"), Metric::Response(0.5)), inconclusive("no call of b ended in the measured time"));
    assert_eq!(unjudged(&result, None, Metric::Drift).2, "the first and the last tenth of the load need at least 100 calls each");
}

#[test]
fn a_target_that_responds_to_nothing_keeps_no_threshold() {
    let mut dead = measured();
    for operation in &mut dead.operations {
        operation.errors = BTreeMap::from([(ErrorKind::Transport, operation.requests)]);
    }
    for (operation, metric, number) in NUMBERS {
        let share = if metric == Metric::Errors { 1.0 } else { number * 1000.0 };
        assert_ne!(judged(&dead, operation, metric, Comparator::AtMost, share), LoadVerdict::Passed, "{operation:?} {metric:?}");
    }
    assert_eq!(judged(&dead, None, Metric::Response(0.99), Comparator::Below, 100_000.0), LoadVerdict::Inconclusive);
    assert_eq!(judged(&dead, None, Metric::Errors, Comparator::Below, 0.01), LoadVerdict::Failed);
    // One response is enough, and the other operation is judged for itself.
    dead.operations[0].errors = BTreeMap::from([(ErrorKind::Transport, 899)]);
    assert_eq!(judged(&dead, Some("a"), Metric::Response(0.99), Comparator::Below, 100_000.0), LoadVerdict::Passed);
    assert_eq!(judged(&dead, Some("b"), Metric::Response(0.99), Comparator::Below, 100_000.0), LoadVerdict::Inconclusive);
}

#[test]
fn a_histogram_that_cant_be_read_is_no_evidence() {
    let mut result = measured();
    result.operations[0].response.histogram = "AAAA".into();
    assert_eq!(judged(&result, None, Metric::Response(0.99), Comparator::Below, 1e9), LoadVerdict::Inconclusive);
    assert_eq!(judged(&result, Some("b"), Metric::Response(0.99), Comparator::Below, 1e9), LoadVerdict::Passed);
}

#[test]
fn an_observed_number_has_its_unit() {
    let results = evaluate(
        &[threshold(None, Metric::Errors, Comparator::Below, 0.001), threshold(None, Metric::Lag(0.5), Comparator::Below, 1.0)],
        &measured(),
    );
    let results: Vec<_> = results.iter().map(|t| (t.rule.as_str(), t.unit, t.observed.map(|o| (o * 1000.0).round()))).collect();
    assert_eq!(results, [("Errors", Unit::Share, Some(9.0)), ("Lag(0.5)", Unit::Microseconds, Some(50_015_000.0))]);
}

/// The result of a soak's threshold.
fn drift(timeline: &[Moment], factor: f64) -> ThresholdResult {
    let result = LoadResult { timeline: timeline.to_vec(), ..empty() };
    evaluate(&[Threshold::drift(factor)], &result).remove(0)
}

#[test]
fn every_threshold_that_results_repeat_is_judged_or_inconclusive() {
    let recorded = ["drift <= 1.5", "errors = 0", "shop.pay errors = 0", "nothing of this version < 1"].map(|rule| ThresholdResult {
        rule: rule.to_owned(),
        unit: Unit::Count,
        observed: Some(0.0),
        verdict: LoadVerdict::Passed,
        reason: None,
    });
    // No contract knows the operation: it is one of the load's own contracts.
    let result = LoadResult { timeline: moments(|_| 1000, 20), operations: vec![operation("shop.pay", 9, 0)], ..empty() };
    let judged = evaluate_recorded(&recorded, &result);
    let results: Vec<_> = judged.iter().map(|threshold| (threshold.rule.as_str(), threshold.observed, threshold.verdict)).collect();
    let expected = [
        ("drift <= 1.5", Some(1.0), LoadVerdict::Passed),
        ("errors = 0", Some(0.0), LoadVerdict::Passed),
        ("shop.pay errors = 0", Some(0.0), LoadVerdict::Passed),
        ("nothing of this version < 1", None, LoadVerdict::Inconclusive),
    ];
    assert_eq!(results, expected);
}

fn moments(p99: impl Fn(u64) -> u64, samples: u64) -> Vec<Moment> {
    let histogram = |second| latency((0..samples).map(|_| p99(second))).histogram;
    (0..100).map(|second| Moment { at: second as f64, seconds: 1.0, histogram: histogram(second), ..Moment::default() }).collect()
}

#[test]
fn a_soak_may_not_become_slower() {
    let verdict = |timeline: &[Moment]| drift(timeline, 1.5).verdict;
    assert_eq!(verdict(&moments(|_| 1000, 20)), LoadVerdict::Passed);
    assert_eq!(verdict(&moments(|second| 1000 + 4 * second, 20)), LoadVerdict::Passed);
    assert_eq!(verdict(&moments(|second| 1000 + 10 * second, 20)), LoadVerdict::Failed);
    assert_eq!(verdict(&moments(|second| if second == 50 { 90_000 } else { 1000 }, 20)), LoadVerdict::Passed, "only the ends count");
    let drifted = drift(&moments(|second| 1000 + 10 * second, 20), 1.5);
    assert_eq!((drifted.rule.as_str(), drifted.unit), ("drift <= 1.5", Unit::Times));
    assert!((1.7..1.9).contains(&drifted.observed.unwrap()), "{drifted:?}");
}

#[test]
fn a_drift_needs_enough_calls_at_both_ends() {
    assert_eq!(drift(&moments(|_| 1000, 9), 1.5).verdict, LoadVerdict::Inconclusive);
    assert_eq!(drift(&moments(|_| 1000, 20)[..1], 1.5).verdict, LoadVerdict::Inconclusive);
    assert_eq!(drift(&moments(|second| if second < 50 { 0 } else { 1000 }, 20), 1.5).verdict, LoadVerdict::Inconclusive);
    assert_eq!(drift(&[], 1.5).verdict, LoadVerdict::Inconclusive);
}
