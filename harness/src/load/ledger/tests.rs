use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

const ACCOUNTING: NotificationDeadlines = NotificationDeadlines { late: Duration::from_secs(1), lost: Duration::from_secs(10) };

fn at(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// expected, once, duplicated, late, lost, contradicting, unexpected.
fn counts(result: &NotificationResult) -> [u64; 7] {
    let r = result;
    [r.expected, r.once, r.duplicated, r.late, r.lost, r.contradicting, r.unexpected]
}

fn closed(report: impl FnOnce(&Ledger)) -> LedgerTotals {
    let ledger = Ledger::new(ACCOUNTING);
    report(&ledger);
    let closed = ledger.close(at(1_000_000));
    assert_eq!(ledger.outstanding(), 0);
    closed
}

fn sentences(closed: &LedgerTotals) -> Vec<String> {
    closed.problems.iter().map(NotificationProblem::to_string).collect()
}

#[test]
fn once_and_in_time_is_right() {
    let closed = closed(|ledger| {
        assert_eq!(ledger.due("A", "PAID", at(0)), None);
        assert_eq!(ledger.outstanding(), 1);
        assert_eq!(ledger.received("A", "PAID", at(1000), true), Some(at(1000)));
        assert_eq!(ledger.outstanding(), 0);
        ledger.status("A", "PAID", at(1001));
    });
    assert_eq!(counts(&closed.result), [1, 1, 0, 0, 0, 0, 0]);
    assert_eq!((closed.result.lag.count, closed.result.lag.min), (1, 999_936), "kept with three digits");
    assert_eq!(closed.problems, []);
}

#[test]
fn of_the_warm_up_only_what_is_wrong_counts_and_no_lag_is_measured() {
    let ledger = Ledger::new(ACCOUNTING);
    ledger.set_warm_up(true);
    for resource in ["on time", "late", "after it", "lost", "doubled"] {
        ledger.due(resource, "PAID", at(0));
    }
    assert_eq!(ledger.received("on time", "PAID", at(10), true), Some(at(10)), "it is shown while the warm-up goes on");
    ledger.received("late", "PAID", at(5_000), true);
    ledger.set_warm_up(false);
    assert_eq!(ledger.received("after it", "PAID", at(6_000), true), None);
    ledger.received("doubled", "PAID", at(6_000), true);
    ledger.received("doubled", "PAID", at(6_001), true);
    ledger.due("measured", "PAID", at(6_000));
    assert_eq!(ledger.received("measured", "PAID", at(6_002), true), Some(at(2)));
    let closed = ledger.close(at(1_000_000));
    assert_eq!(counts(&closed.result), [3, 1, 1, 0, 1, 0, 0]);
    assert_eq!((closed.result.lag.count, closed.result.lag.max), (1, 2_000));
    assert!(sentences(&closed).contains(&"lost became PAID, and no notification came".to_owned()), "{closed:?}");
}

#[test]
fn a_dropped_notification_is_lost() {
    let closed = closed(|ledger| {
        ledger.due("A", "PAID", at(5));
        ledger.due("B", "PAID", at(6));
        ledger.received("B", "PAID", at(7), true);
    });
    assert_eq!(counts(&closed.result), [2, 1, 0, 0, 1, 0, 0]);
    assert_eq!(sentences(&closed), ["A became PAID, and no notification came"]);
    assert_eq!(closed.result.lag.count, 1);
}

#[test]
fn one_that_came_a_moment_ago_is_not_lost_yet() {
    let ledger = Ledger::new(ACCOUNTING);
    ledger.due("A", "PAID", at(0));
    ledger.due("B", "PAID", at(1));
    let closed = ledger.close(at(10_000));
    assert_eq!((counts(&closed.result), closed.undecided), ([1, 0, 0, 0, 1, 0, 0], 1));
}

#[test]
fn a_doubled_notification_is_a_duplicate_if_it_was_acknowledged() {
    let closed = closed(|ledger| {
        for (resource, acknowledged) in [("A", true), ("B", false)] {
            ledger.due(resource, "PAID", at(0));
            for millis in 1..=3 {
                ledger.received(resource, "PAID", at(millis), acknowledged);
            }
        }
        ledger.received("B", "PAID", at(4), true);
    });
    assert_eq!(counts(&closed.result), [2, 1, 1, 0, 0, 0, 0]);
    assert_eq!(sentences(&closed), ["PAID of A was notified again though it was acknowledged"]);
    assert_eq!(closed.result.lag.count, 2, "only the first receipt is measured");
}

#[test]
fn a_delayed_notification_is_late() {
    let closed = closed(|ledger| {
        ledger.due("A", "PAID", at(0));
        ledger.received("A", "PAID", at(1001), true);
    });
    assert_eq!(counts(&closed.result), [1, 0, 0, 1, 0, 0, 0]);
    assert_eq!(sentences(&closed), ["PAID of A was notified late"]);
}

#[test]
fn a_notification_that_the_status_call_contradicts_is_contradicting() {
    let closed = closed(|ledger| {
        // Another state than the one reached.
        ledger.due("A", "PAID", at(0));
        ledger.received("A", "CANCELLED", at(1), true);
        ledger.status("A", "PAID", at(2));
        // The gateway contradicts itself.
        ledger.due("B", "PAID", at(0));
        ledger.received("B", "PAID", at(1), true);
        ledger.status("B", "PENDING", at(2));
    });
    assert_eq!(counts(&closed.result), [2, 1, 0, 0, 1, 2, 0]);
    let sentences = sentences(&closed);
    let expected = [
        "A became PAID, and no notification came",
        "PAID of B was notified, and the status call says PENDING",
        "CANCELLED of A was notified, and the status call says PAID",
    ];
    assert_eq!(sentences, expected);
}

#[test]
fn what_was_asked_before_or_has_moved_on_since_is_no_contradiction() {
    let closed = closed(|ledger| {
        ledger.due("A", "AUTHORIZED", at(0));
        ledger.status("A", "PENDING", at(0));
        ledger.received("A", "AUTHORIZED", at(1), true);
        ledger.due("A", "PAID", at(2));
        ledger.status("A", "PAID", at(3));
        ledger.received("A", "PAID", at(4), true);
    });
    assert_eq!(counts(&closed.result), [2, 2, 0, 0, 0, 0, 0]);
}

#[test]
fn a_push_before_the_report_of_its_change_is_expected() {
    let closed = closed(|ledger| {
        assert_eq!(ledger.received("A", "PAID", at(0), true), None);
        assert_eq!(ledger.outstanding(), 0);
        assert_eq!(ledger.due("A", "PAID", at(3)), Some(Duration::ZERO));
        assert_eq!(ledger.outstanding(), 0);
        // So early that it was counted as unexpected.
        ledger.received("B", "PAID", at(10), true);
        for other in 0..1_000 {
            ledger.received(&format!("other {other}"), "PAID", at(60_000), false);
            ledger.due(&format!("other {other}"), "PAID", at(60_000));
        }
        assert_eq!(ledger.due("B", "PAID", at(60_001)), Some(Duration::ZERO));
    });
    assert_eq!(counts(&closed.result), [1002, 1002, 0, 0, 0, 0, 0]);
    assert_eq!(closed.problems, []);
}

#[test]
fn a_push_without_a_change_is_unexpected_once() {
    let closed = closed(|ledger| {
        ledger.due("A", "PAID", at(0));
        ledger.received("A", "PAID", at(1), true);
        ledger.received("A", "CANCELLED", at(2), true);
        ledger.received("unknown", "PAID", at(2), true);
        ledger.received("unknown", "PAID", at(3), true);
    });
    assert_eq!(counts(&closed.result), [1, 1, 0, 0, 0, 0, 2]);
    assert_eq!(sentences(&closed).first().unwrap(), "CANCELLED of A was notified, but no response mentions it");
}

#[test]
fn a_duplicate_is_known_long_after_its_resource_was_counted() {
    let ledger = Ledger::new(ACCOUNTING);
    ledger.due("A", "PAID", at(0));
    ledger.received("A", "PAID", at(1), true);
    for other in 0..50_000 {
        let (name, now) = (format!("other {other}"), at(20_000 + other));
        ledger.due(&name, "PAID", now);
        ledger.received(&name, "PAID", now, true);
    }
    assert!(ledger.partitions.iter().all(|partition| locked(partition).open() < 1_000), "those of the last ten seconds only");
    ledger.received("A", "PAID", at(80_000), true);
    ledger.received("A", "PAID", at(80_001), true);
    let closed = ledger.close(at(100_000));
    assert_eq!(counts(&closed.result), [50_001, 50_000, 1, 0, 0, 0, 0]);
    assert_eq!(sentences(&closed), ["PAID of A was notified again though it was acknowledged"]);
}

#[test]
fn memory_is_bounded_and_what_was_given_up_is_late_when_it_comes() {
    let ledger = Ledger::new(ACCOUNTING);
    let many = 200_000;
    for number in 0..many {
        ledger.due(&number.to_string(), "PAID", at(0));
    }
    assert!(ledger.outstanding() <= 131_072, "{}", ledger.outstanding());
    for state in 0..100 {
        ledger.received("A", &state.to_string(), at(1), true);
    }
    for number in 0..many {
        ledger.received(&number.to_string(), "PAID", at(2), true);
    }
    let counted = counts(&ledger.close(at(100_000)).result);
    let [expected, once, duplicated, late, lost, contradicting, unexpected] = counted;
    assert_eq!((expected, duplicated, lost, contradicting, unexpected), (many, 0, 0, 0, 100));
    assert!(late >= many - 131_072 && once + late == many, "{counted:?}");
}

#[test]
fn counts_so_far_include_received_notifications() {
    let ledger = Ledger::new(NotificationDeadlines::default());
    for resource in ["a", "b", "c"] {
        ledger.due(resource, "PAID", at(0));
    }
    ledger.received("a", "PAID", at(5), true);
    ledger.received("b", "PAID", at(5_000), true);
    ledger.received("d", "PAID", at(6), true);
    let so_far = ledger.so_far();
    assert_eq!((so_far.expected, so_far.once, so_far.late, so_far.lost, so_far.unexpected), (2, 1, 1, 0, 1));
    assert_eq!((so_far.lag.count, ledger.outstanding()), (2, 1));
    let closed = ledger.close(at(60_000)).result;
    assert_eq!((closed.expected, closed.once, closed.late, closed.lost), (3, 1, 1, 1));
}

#[test]
fn closing_empties_it() {
    let ledger = Ledger::new(ACCOUNTING);
    ledger.due("A", "PAID", at(0));
    ledger.received("A", "PAID", at(1), true);
    ledger.close(at(5));
    ledger.received("A", "PAID", at(6), true);
    let closed = ledger.close(at(7));
    assert_eq!((counts(&closed.result), closed.result.lag.count), ([0, 0, 0, 0, 0, 0, 1], 0));
}

/// One report to the ledger.
#[derive(Clone, Debug)]
enum LedgerReport {
    Due(u8, u8),
    Received(u8, u8, bool),
    Status(u8, u8),
}

fn reports(statuses: bool) -> impl Strategy<Value = Vec<(LedgerReport, u64)>> {
    let pair = (0..3_u8, 0..3_u8);
    let due = pair.clone().prop_map(|(resource, state)| LedgerReport::Due(resource, state));
    let received = (pair.clone(), any::<bool>()).prop_map(|((resource, state), ok)| LedgerReport::Received(resource, state, ok));
    let status = pair.prop_map(|(resource, state)| LedgerReport::Status(resource, state));
    let report = prop_oneof![3 => due, 5 => received, if statuses { 2 } else { 0 } => status];
    prop::collection::vec((report, 0..1500_u64), 0..40)
}

fn report_to(ledger: &Ledger, reports: &[(LedgerReport, Duration)]) {
    for (report, now) in reports {
        match report {
            LedgerReport::Due(resource, state) => _ = ledger.due(&resource.to_string(), &state.to_string(), *now),
            LedgerReport::Received(resource, state, ok) => _ = ledger.received(&resource.to_string(), &state.to_string(), *now, *ok),
            LedgerReport::Status(resource, state) => ledger.status(&resource.to_string(), &state.to_string(), *now),
        }
    }
}

fn timed(reports: &[(LedgerReport, u64)]) -> Vec<(LedgerReport, Duration)> {
    let mut now = 0;
    reports
        .iter()
        .map(|(report, pause)| {
            now += pause;
            (report.clone(), at(now))
        })
        .collect()
}

/// The same counts by a model that keeps every report.
fn model(reports: &[(LedgerReport, Duration)], late: Duration) -> [u64; 7] {
    let due = |resource: u8, state: u8| {
        reports.iter().find(|(report, _)| matches!(report, LedgerReport::Due(r, s) if (*r, *s) == (resource, state))).map(|(_, at)| *at)
    };
    let mut counts = [0; 7];
    for (resource, state) in (0..3).flat_map(|resource| (0..3).map(move |state| (resource, state))) {
        let came: Vec<(usize, Duration, bool)> = reports
            .iter()
            .enumerate()
            .filter_map(|(index, (report, at))| match report {
                LedgerReport::Received(r, s, ok) if (*r, *s) == (resource, state) => Some((index, *at, *ok)),
                _ => None,
            })
            .collect();
        let due_at = due(resource, state);
        let contradicted = came.first().is_some_and(|(_, first, _)| {
            reports.iter().enumerate().any(|(index, (report, asked))| {
                let known = reports[..index]
                    .iter()
                    .any(|(w, _)| matches!(w, LedgerReport::Due(r, _) | LedgerReport::Received(r, _, _) if *r == resource));
                let LedgerReport::Status(r, s) = report else { return false };
                let moved_on = due_at.zip(due(resource, *s)).is_some_and(|(due, later)| later >= due);
                *r == resource && *s != state && known && asked >= first && !moved_on
            })
        });
        let again = came.iter().position(|(_, _, ok)| *ok).is_some_and(|index| index + 1 < came.len());
        let lag = came.first().zip(due_at).map(|((_, first, _), due)| first.saturating_sub(due));
        let is_late = lag.is_some_and(|lag| lag > late);
        let mut add = |index: usize, so: bool| counts[index] += u64::from(so);
        add(0, due_at.is_some());
        add(1, lag.is_some() && !again && !is_late);
        add(2, lag.is_some() && again);
        add(3, is_late);
        add(4, due_at.is_some() && came.is_empty());
        add(5, contradicted);
        add(6, due_at.is_none() && !came.is_empty() && !contradicted);
    }
    counts
}

proptest! {
    #[test]
    fn it_counts_like_a_model_that_keeps_everything(reports in reports(true)) {
        let reports = timed(&reports);
        let ledger = Ledger::new(NotificationDeadlines { lost: Duration::from_secs(1000), ..ACCOUNTING });
        report_to(&ledger, &reports);
        prop_assert_eq!(counts(&ledger.close(at(10_000_000)).result), model(&reports, ACCOUNTING.late));
    }

    /// Everything is counted at once and reopened all the time.
    #[test]
    fn it_counts_the_same_when_it_forgets_at_once(reports in reports(false)) {
        let reports = timed(&reports);
        let ledger = Ledger::new(NotificationDeadlines { lost: Duration::ZERO, ..ACCOUNTING });
        report_to(&ledger, &reports);
        prop_assert_eq!(counts(&ledger.close(at(10_000_000)).result), model(&reports, ACCOUNTING.late));
    }
}

#[test]
#[ignore = "a measurement: cargo test --release -p harness --lib a_report_is_cheap -- --ignored --nocapture"]
fn a_report_is_cheap() {
    let ledger = Ledger::new(ACCOUNTING);
    let names: Vec<String> = (0..1_000_000).map(|number| format!("AB12-CD34-{number:06}")).collect();
    let started = Instant::now();
    for (number, name) in (0..).zip(&names) {
        let now = Duration::from_micros(250 * number);
        ledger.due(name, "PAID", now);
        ledger.received(name, "PAID", now, true);
        ledger.status(name, "PAID", now);
    }
    let each = started.elapsed().as_nanos() / (3 * names.len() as u128);
    assert!(each < 1_000, "{each} ns a report");
    assert_eq!(ledger.close(Duration::from_secs(1000)).result.once, 1_000_000);
}
