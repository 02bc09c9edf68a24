use super::*;
use crate::load::example_results as sample;
use crate::load::histogram::testing::latency;
use crate::load::result::{ConnectionResult, ErrorKind, Unit};

#[test]
fn a_run_does_not_differ_from_itself() {
    let comparison = compare(&sample::passed(), &sample::passed());
    assert_eq!(comparison.caveats, Vec::<String>::new());
    for change in comparison.operations.iter().flat_map(|o| [o.rate, o.errors, o.p50, o.p99]) {
        assert_eq!(change.difference, BaselineDifference::NotShown);
        assert!(change.ratio().is_none_or(|ratio| ratio == 1.0));
    }
    assert!(comparison.thresholds.iter().all(|t| t.difference == BaselineDifference::NotShown));
}

#[test]
fn slower_and_failing_operations_are_listed_with_their_ratio() {
    let (before, mut after) = (sample::passed(), sample::passed());
    after.operations[0].response = latency((0..6000).map(|n| 2000 + n));
    after.operations[0].errors.insert(ErrorKind::Contract, 60);
    let comparison = compare(&before, &after);
    let first = &comparison.operations[0];
    assert_eq!((first.p50.difference, first.p99.difference), (BaselineDifference::Worse, BaselineDifference::Worse));
    assert_eq!((first.errors.difference, first.rate.difference), (BaselineDifference::Worse, BaselineDifference::NotShown));
    assert!((4.0..6.0).contains(&first.p50.ratio().unwrap()), "{first:?}");
    assert_eq!(first.errors.ratio(), None, "of none there is no multiple");
    assert_eq!(comparison.operations[1].p50.difference, BaselineDifference::NotShown);
    assert_eq!(compare(&after, &before).operations[0].p99.difference, BaselineDifference::Better);
}

#[test]
fn few_samples_show_no_difference() {
    let (mut before, mut after) = (sample::passed(), sample::passed());
    for (result, slower) in [(&mut before, 1), (&mut after, 2)] {
        result.operations[0].response = latency((0..60).map(|n| (1000 + n) * slower));
    }
    let operation = compare(&before, &after).operations[0].clone();
    assert_eq!((operation.p50.difference, operation.p99.difference), (BaselineDifference::Worse, BaselineDifference::Unknown));
    assert_eq!((operation.p99.before, operation.p99.after), (None, None), "60 calls have no p99");
}

#[test]
fn operations_and_thresholds_of_either_run_are_listed() {
    let (mut before, mut after) = (sample::passed(), sample::passed());
    before.operations.remove(2);
    after.operations.remove(1);
    before.thresholds = vec![
        sample::threshold("a", Unit::Count, Some(1.0), LoadVerdict::Passed),
        sample::threshold("b", Unit::Count, Some(1.0), LoadVerdict::Failed),
        sample::threshold("c", Unit::Count, Some(1.0), LoadVerdict::Failed),
        sample::threshold("d", Unit::Count, None, LoadVerdict::Inconclusive),
        sample::threshold("gone", Unit::Count, Some(1.0), LoadVerdict::Passed),
    ];
    after.thresholds = vec![
        sample::threshold("a", Unit::Count, Some(2.0), LoadVerdict::Failed),
        sample::threshold("b", Unit::Count, Some(0.0), LoadVerdict::Passed),
        sample::threshold("c", Unit::Count, Some(2.0), LoadVerdict::Failed),
        sample::threshold("d", Unit::Count, Some(2.0), LoadVerdict::Failed),
        sample::threshold("new", Unit::Count, Some(2.0), LoadVerdict::Passed),
    ];
    let comparison = compare(&before, &after);
    let operations: Vec<_> = comparison.operations.iter().map(|o| (o.operation.as_str(), o.p50.difference)).collect();
    use BaselineDifference::{Better, NotShown, Unknown, Worse};
    assert_eq!(operations, [("gateway.v1.create", NotShown), ("terminal.refund.cancel", Unknown), ("gateway.v2.status", Unknown)]);
    let thresholds: Vec<_> = comparison.thresholds.iter().map(|t| (t.rule.as_str(), t.difference)).collect();
    assert_eq!(thresholds, [("a", Worse), ("b", Better), ("c", NotShown), ("d", Unknown), ("new", Unknown), ("gone", Unknown)]);
}

#[test]
fn reasons_against_a_comparison_are_listed() {
    let (mut before, mut after) = (sample::interrupted(), sample::limited());
    (after.target, after.profile, after.kind) = ("staging".into(), "spike".into(), "ramping-arrival-rate".into());
    (after.shards.of, after.generator.cores) = (2, 8);
    let spoken = |protocol: &str| vec![ConnectionResult { protocol: protocol.into(), opened: 1, streams: 1 }];
    (before.connections, after.connections) = (spoken("HTTP/1.1"), spoken("HTTP/2"));
    insta::assert_snapshot!(compare(&before, &after).caveats.join("\n"));
}
