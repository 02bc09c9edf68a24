use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;
use crate::load::latency::{add, decode, histogram};
use crate::load::result::{Arrivals, ErrorKind};

const fn micros(micros: u64) -> Duration {
    Duration::from_micros(micros)
}

fn call(service: u64, late: u64, error: Option<ErrorKind>) -> MeasuredCall {
    MeasuredCall { service: micros(service), late: micros(late), error, status: Some(200), code: ResultCode::None }
}

fn tick(second: u64) -> Tick {
    Tick { at: Duration::from_secs(second), users: second * 10, intended: Some(3) }
}

fn meter(slots: usize) -> Meter {
    Meter::new(vec!["a.create".to_owned(), "a.status".to_owned()], vec!["a/one".to_owned()], slots)
}

#[test]
fn response_time_is_counted_from_the_intended_start_and_service_time_from_the_sending() {
    let meter = meter(2);
    meter.call(0, call(100, 0, None));
    meter.call(0, call(100, 900, Some(ErrorKind::Contract)));
    meter.call(0, call(300, 0, Some(ErrorKind::Transport)));
    meter.tick(tick(2), |_| ());
    let measured = meter.finish(Duration::from_secs(2));
    let create = &measured.operations[0];
    assert_eq!((create.operation.as_str(), create.requests, create.rate), ("a.create", 3, 1.5));
    assert_eq!(create.errors, [(ErrorKind::Transport, 1), (ErrorKind::Contract, 1)].into());
    assert_eq!((create.response.min, create.response.max), (100, 1000));
    assert_eq!((create.service.min, create.service.p50, create.service.p99, create.service.max), (100, Some(100), None, 300));
    assert_eq!((measured.operations[1].requests, measured.operations[1].rate), (0, 0.0));
}

#[test]
fn iterations_arrivals_and_lags_are_counted() {
    let meter = meter(1);
    meter.started(Some(micros(40)), Duration::ZERO);
    meter.started(None, DELAYED + micros(1));
    meter.started(None, DELAYED);
    meter.iteration(0, Iteration { service: micros(500), late: micros(100), passed: true });
    meter.iteration(0, Iteration { service: micros(700), late: Duration::ZERO, passed: false });
    meter.lag(micros(77));
    meter.tick(tick(1), |_| ());
    meter.tick(tick(2), |_| ());
    let measured = meter.finish(Duration::from_secs(2));
    assert_eq!(measured.arrivals, Some(Arrivals { intended: 6, started: 3, delayed: 1, dropped: 3 }));
    let one = &measured.scenarios[0];
    assert_eq!((one.scenario.as_str(), one.passed, one.failed, one.response.min, one.response.max), ("a/one", 1, 1, 600, 700));
    assert_eq!((measured.scheduling.count, measured.scheduling.max), (1, 40));
    assert_eq!((measured.lag.count, measured.lag.max), (1, 77));
}

#[test]
fn closed_load_has_no_arrivals() {
    let meter = meter(1);
    meter.started(None, Duration::ZERO);
    meter.tick(Tick { intended: None, ..tick(1) }, |_| ());
    let measured = meter.finish(Duration::from_secs(1));
    assert_eq!((measured.arrivals, measured.timeline[0].intended, measured.timeline[0].started), (None, None, 1));
}

#[test]
fn an_interval_holds_what_came_since_the_last_one() {
    let meter = meter(2);
    meter.call(0, call(100, 0, None));
    meter.call(1, call(500, 0, Some(ErrorKind::Business)));
    meter.tick(tick(1), |interval| {
        assert_eq!((interval.at, interval.length), (Duration::ZERO, Duration::from_secs(1)));
        assert_eq!((interval.metrics.requests(), interval.metrics.errors(), interval.response.len()), (2, 1, 2));
        assert_eq!(interval.operations, ["a.create", "a.status"]);
    });
    meter.call(0, call(200, 0, None));
    let seen = meter.tick(tick(3), |interval| {
        assert_eq!((interval.at, interval.length, interval.users), (Duration::from_secs(1), Duration::from_secs(2), 30));
        assert_eq!((interval.metrics.requests(), interval.response.max(), interval.totals.requests()), (1, 200, 3));
        "handed back"
    });
    assert_eq!(seen, "handed back");
    let timeline = meter.finish(Duration::from_secs(3)).timeline;
    let numbers: Vec<_> = timeline.iter().map(|moment| (moment.at, moment.seconds, moment.requests, moment.errors, moment.users)).collect();
    assert_eq!(numbers, [(0.0, 1.0, 2, 1, 10), (1.0, 2.0, 1, 0, 30)]);
    assert_eq!((timeline[0].p50, timeline[0].max, timeline[1].p99, timeline[0].lag_p99), (Some(100), 500, None, None));
}

#[test]
fn a_snapshot_is_what_was_measured_until_the_last_tick() {
    let meter = meter(1);
    meter.call(1, call(100, 0, None));
    assert_eq!(meter.snapshot().totals.requests(), 0);
    meter.tick(tick(4), |_| ());
    meter.call(1, call(100, 0, None));
    let snapshot = meter.snapshot();
    assert_eq!((snapshot.at, snapshot.users, snapshot.intended), (Duration::from_secs(4), 40, Some(3)));
    assert_eq!((snapshot.totals.requests(), snapshot.totals.operations[1].response.len()), (1, 1));
}

#[test]
fn nothing_of_the_warm_up_is_left() {
    let meter = meter(2);
    for second in 1..4 {
        meter.call(0, call(100, 0, Some(ErrorKind::Transport)));
        meter.iteration(0, Iteration { service: micros(1), late: micros(1), passed: true });
        meter.started(Some(micros(1)), Duration::from_secs(1));
        meter.lag(micros(1));
        meter.tick(tick(second), |_| ());
    }
    meter.call(0, call(100, 0, None));
    meter.forget(Some(2));
    let measured = meter.finish(Duration::ZERO);
    let carried = MeasuredTotals { arrivals: measured.arrivals.clone(), ..self::meter(1).finish(Duration::ZERO) };
    assert_eq!(measured, carried, "but what was due and has not started");
    meter.call(0, call(7, 0, None));
    meter.tick(tick(1), |interval| assert_eq!((interval.at, interval.length), (Duration::ZERO, Duration::from_secs(1))));
    let measured = meter.finish(Duration::from_secs(1));
    assert_eq!((measured.operations[0].requests, measured.operations[0].response.max), (1, 7));
    assert_eq!(measured.arrivals, Some(Arrivals { intended: 11, started: 0, delayed: 0, dropped: 11 }), "8 of the warm-up, and 3");
}

#[test]
fn no_sample_of_any_thread_is_lost_or_counted_twice() {
    const THREADS: u64 = 4;
    const SAMPLES: u64 = 2_000;
    let meter = Arc::new(meter(2));
    let users: Vec<_> = (0..THREADS)
        .map(|user| {
            let meter = Arc::clone(&meter);
            thread::spawn(move || {
                for sample in 0..SAMPLES {
                    meter.call(0, call(user * SAMPLES + sample, 1, None));
                }
            })
        })
        .collect();
    let mut seen = histogram();
    let mut at = 0;
    while !users.iter().all(thread::JoinHandle::is_finished) {
        at += 1;
        meter.tick(tick(at), |interval| add(&mut seen, &interval.metrics.operations[0].service));
    }
    users.into_iter().for_each(|user| user.join().unwrap());
    meter.tick(tick(at + 1), |interval| add(&mut seen, &interval.metrics.operations[0].service));
    let mut expected = histogram::<u64>();
    (0..THREADS * SAMPLES).for_each(|value| expected.record(value).unwrap());
    assert_eq!(seen, expected);
    assert_eq!(meter.finish(Duration::from_secs(1)).operations[0].service.times().unwrap(), expected);
}

#[test]
#[should_panic = "the meter has no number 2"]
fn a_sample_with_an_unknown_index_panics_in_tests() {
    meter(1).call(2, call(1, 0, None));
}

proptest! {
    // Histograms are large: a debug build takes a second for that many.
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn intervals_add_up_to_the_results(samples in prop::collection::vec((0_usize..2, 0_u64..5_000_000, 0_u64..9, 0_u8..8), 0..60)) {
        let meter = meter(3);
        let mut second = 0;
        for (operation, service, late, then) in samples {
            meter.call(operation, call(service, late, (then == 1).then_some(ErrorKind::Business)));
            if then == 0 {
                second += 1;
                meter.tick(tick(second), |_| ());
            }
        }
        meter.tick(tick(second + 1), |_| ());
        let measured = meter.finish(Duration::from_secs(second + 1));
        let (mut all, mut moments) = (histogram(), histogram());
        measured.operations.iter().for_each(|operation| add(&mut all, &operation.response.times().unwrap()));
        measured.timeline.iter().for_each(|moment| add(&mut moments, &decode(&moment.histogram).unwrap()));
        prop_assert_eq!(&all, &moments);
        prop_assert_eq!(all.len(), measured.timeline.iter().map(|moment| moment.requests).sum::<u64>());
        prop_assert_eq!(
            measured.operations.iter().flat_map(|operation| operation.errors.values()).sum::<u64>(),
            measured.timeline.iter().map(|moment| moment.errors).sum::<u64>()
        );
    }
}

/// `cargo test --release -p harness --lib nanoseconds -- --ignored --nocapture`
#[test]
#[ignore = "a measurement: meaningless in a debug build or on a busy machine"]
#[allow(clippy::print_stdout)]
fn nanoseconds_per_sample() {
    const SAMPLES: u32 = 5_000_000;
    for threads in [1, 2] {
        let meter = Arc::new(meter(threads));
        let start = Instant::now();
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    for sample in 0..SAMPLES {
                        meter.call(0, call(u64::from(sample.wrapping_mul(2_654_435_761) >> 12), 5, None));
                    }
                });
            }
        });
        println!("{threads} threads: {:.1} ns a call", start.elapsed().as_nanos() as f64 / f64::from(SAMPLES));
        let start = Instant::now();
        meter.tick(tick(1), |_| ());
        println!("{threads} threads: {:?} a tick of 2 operations, one of them called", start.elapsed());
    }
}

#[test]
fn calls_are_counted_by_status_and_result_code_and_add_up() {
    let meter = meter(2).naming(vec![vec!["0".to_owned(), "1402".to_owned(), "200".to_owned()]]);
    let answers = [
        (Some(200), ResultCode::Documented(1)),
        (Some(200), ResultCode::Documented(0)),
        (Some(200), ResultCode::Undocumented),
        (Some(200), ResultCode::Documented(2)),
        (None, ResultCode::None),
        (Some(502), ResultCode::None),
        (Some(200), ResultCode::Documented(0)),
    ];
    for (second, (status, code)) in (1..).zip(answers) {
        meter.call(0, MeasuredCall { status, code, ..call(100, 0, None) });
        meter.tick(tick(second), |_| ());
    }
    let operations = meter.finish(Duration::from_secs(7)).operations;
    let counted: Vec<_> = operations[0].responses.iter().map(|found| (found.status, found.code.as_deref(), found.calls)).collect();
    let ok = Some(200);
    let by_value = [(ok, Some("0"), 2), (ok, Some("200"), 1), (ok, Some("1402"), 1), (ok, Some("undocumented"), 1)];
    assert_eq!(counted, [&[(None, None, 1)], &by_value[..], &[(Some(502), None, 1)]].concat());
    assert!(operations[1].responses.is_empty(), "it was not called");
}
