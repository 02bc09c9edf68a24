use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::load::example_results;
use crate::load::meter::{Iteration, MeasuredCall, Meter, ResultCode, Tick};
use crate::load::result::{
    ConnectionResult, ConservationResult, ErrorKind, Generator, Latency, LoadCause, LoadExample, Moment, NotificationResult,
    OperationResult, ResponseCount, Trial, Unit,
};
use crate::load::verdict;

/// One thing that happened, in a second of the run.
#[derive(Clone, Debug)]
enum Sample {
    Call { operation: usize, service: u64, late: u64, error: Option<ErrorKind> },
    Iteration { service: u64, passed: bool },
    Begun { scheduling: Option<u64>, late: u64 },
    Lag(u64),
}

fn samples() -> impl Strategy<Value = Sample> {
    let error = prop_oneof![Just(None), Just(Some(ErrorKind::Transport)), Just(Some(ErrorKind::Contract)), Just(Some(ErrorKind::Business))];
    prop_oneof![
        4 => (0_usize..2, 0_u64..3_000_000, 0_u64..30_000, error)
            .prop_map(|(operation, service, late, error)| Sample::Call { operation, service, late, error }),
        1 => (0_u64..9_000_000, any::<bool>()).prop_map(|(service, passed)| Sample::Iteration { service, passed }),
        1 => (prop::option::of(0_u64..2_000), 0_u64..30_000).prop_map(|(scheduling, late)| Sample::Begun { scheduling, late }),
        1 => (0_u64..90_000).prop_map(Sample::Lag),
    ]
}

fn play(meter: &Meter, sample: &Sample) {
    match *sample {
        Sample::Call { operation, service, late, error } => {
            let (service, late) = (Duration::from_micros(service), Duration::from_micros(late));
            meter.call(operation, MeasuredCall { service, late, error, status: Some(200), code: ResultCode::None });
        }
        Sample::Iteration { service, passed } => {
            meter.iteration(0, Iteration { service: Duration::from_micros(service), late: Duration::ZERO, passed });
        }
        Sample::Begun { scheduling, late } => meter.started(scheduling.map(Duration::from_micros), Duration::from_micros(late)),
        Sample::Lag(lag) => meter.lag(Duration::from_micros(lag)),
    }
}

/// The result of a process that measured these, second by second.
fn run<'s>(parts: &[u32], of: u32, seconds: impl Iterator<Item = Vec<&'s Sample>>) -> LoadResult {
    let meter = Meter::new(vec!["a.create".to_owned(), "a.status".to_owned()], vec!["a/one".to_owned()], 1);
    let mut at = Duration::ZERO;
    for second in seconds {
        second.into_iter().for_each(|sample| play(&meter, sample));
        at += Duration::from_secs(1);
        meter.tick(Tick { at, users: 2 * parts.len() as u64, intended: Some(parts.len() as u64) }, |_| ());
    }
    let measured = meter.finish(at);
    LoadResult {
        arrivals: measured.arrivals,
        iterations: measured.iterations,
        operations: measured.operations,
        scenarios: measured.scenarios,
        timeline: measured.timeline,
        notifications: Some(NotificationResult { lag: measured.lag, ..NotificationResult::default() }),
        generator: Generator { scheduling: measured.scheduling, ..Generator::default() },
        seconds: at.as_secs_f64(),
        ..empty(parts, of)
    }
}

fn empty(parts: &[u32], of: u32) -> LoadResult {
    LoadResult {
        profile: "steady".to_owned(),
        title: "Steady load".to_owned(),
        shards: Shards { of, parts: parts.to_vec() },
        started: format!("2026-11-22T01:00:0{}Z", parts[0]),
        seconds: 10.0,
        verdict: LoadVerdict::Passed,
        ..example_results::empty()
    }
}

fn part(result: LoadResult) -> ResultPart {
    ResultPart { file: format!("{}.json", result.shards.described().replace(' ', "-")), result }
}

fn merged(results: impl IntoIterator<Item = LoadResult>) -> Result<LoadResult, MergeError> {
    merge(results.into_iter().map(part).collect(), |_| Vec::new(), |_| (LoadVerdict::Passed, Vec::new()))
}

proptest! {
    // Histograms are large: a debug build takes a second for that many.
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn split_samples_come_to_the_same_as_those_of_one_meter(
        seconds in prop::collection::vec(prop::collection::vec((0_u32..3, samples()), 0..30), 1..5),
        backwards in any::<bool>(),
    ) {
        let of = |shard: u32| {
            run(&[shard + 1], 3, seconds.iter().map(move |second| {
                second.iter().filter(|(of, _)| *of == shard).map(|(_, sample)| sample).collect()
            }))
        };
        let whole = run(&[1, 2, 3], 3, seconds.iter().map(|second| second.iter().map(|(_, sample)| sample).collect()));
        let mut parts = vec![of(0), of(1), of(2)];
        if backwards {
            parts.reverse();
        }
        // Each process counts the iterations that it drops itself.
        let mut sum = merged(parts).unwrap();
        let (own, all) = (sum.arrivals.as_mut().unwrap(), whole.arrivals.as_ref().unwrap());
        prop_assert!(own.dropped >= all.dropped && own.intended - own.dropped == all.started);
        (own.dropped, own.intended) = (all.dropped, all.intended);
        prop_assert!(sum.iterations.cut_off >= whole.iterations.cut_off);
        sum.iterations.cut_off = whole.iterations.cut_off;
        prop_assert_eq!(sum, whole);
    }
}

#[test]
fn a_whole_result_stays_as_it_is() {
    let samples = [Sample::Lag(5), Sample::Call { operation: 0, service: 70, late: 3, error: None }];
    let whole = run(&[1], 1, [samples.iter().collect()].into_iter());
    assert_eq!(merged([whole.clone()]).unwrap(), whole);
}

#[test]
fn thresholds_are_judged_by_the_sums() {
    let one = LoadResult { verdict: LoadVerdict::Failed, reasons: vec!["of part 1".to_owned()], ..empty(&[1], 2) };
    let held = example_results::threshold("errors = 0", Unit::Share, Some(0.0), LoadVerdict::Passed);
    let sum = merge(
        vec![part(one), part(empty(&[2], 2))],
        |sum| {
            assert_eq!(sum.shards.parts, [1, 2]);
            vec![held.clone()]
        },
        |sum| {
            assert_eq!(sum.thresholds, std::slice::from_ref(&held));
            (LoadVerdict::Inconclusive, vec!["of all".to_owned()])
        },
    )
    .unwrap();
    assert_eq!((sum.verdict, sum.reasons), (LoadVerdict::Inconclusive, vec!["of all".to_owned()]));
}

/// A part in which a call was made.
fn measured(parts: &[u32], of: u32) -> LoadResult {
    LoadResult { operations: vec![example_results::operation("a.create", 1, 1)], ..empty(parts, of) }
}

#[test]
fn missing_parts_make_it_inconclusive_and_are_a_reason_once() {
    let judged = |results: Vec<LoadResult>| merge(results.into_iter().map(part).collect(), |_| Vec::new(), verdict::verdict).unwrap();
    let sum = judged(vec![measured(&[3], 4), measured(&[1], 4)]);
    assert_eq!((sum.verdict, &sum.shards.parts), (LoadVerdict::Inconclusive, &vec![1, 3]));
    assert_eq!(sum.reasons, ["2 of 4 parts of the load are missing: 2, 4"]);
    assert_eq!(judged(vec![sum, measured(&[2, 4], 4)]).reasons, [""; 0]);
}

#[test]
fn parts_that_were_played_one_after_another_are_no_load_together() {
    let late = |started: &str| LoadResult { started: started.to_owned(), ..measured(&[2], 2) };
    let limit = |started| merged([measured(&[1], 2), late(started)]).unwrap().generator.limit;
    assert_eq!(limit("2026-11-22T01:00:05Z"), None);
    let why = limit("2026-11-22T01:10:01Z").unwrap();
    assert!(why.starts_with("part 2 began 10 min 00 s after the first part"), "{why}");
}

#[test]
fn many_parts_are_counted() {
    let parts: Vec<u32> = (2..15).collect();
    assert_eq!(empty(&parts, 20).shards.described(), "parts 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 3 more");
}

#[test]
fn what_is_not_of_one_load_is_refused() {
    let refusal = |one: LoadResult, other: LoadResult| merged([one, other]).unwrap_err().to_string();
    let rule = |rule: &str| vec![example_results::threshold(rule, Unit::Share, None, LoadVerdict::Inconclusive)];
    let trial = Trial { rate: 5.0, held: true, note: String::new() };
    let broken = |of: u32| {
        let mut result = run(&[of], 2, [vec![&Sample::Call { operation: 1, service: 1, late: 1, error: None }]].into_iter());
        result.operations[1].service.histogram.truncate(40);
        result
    };
    let unlike = |change: fn(&mut LoadResult)| {
        let mut other = empty(&[2], 2);
        change(&mut other);
        refusal(empty(&[1], 2), other)
    };
    insta::assert_snapshot!([
        merged([]).unwrap_err().to_string(),
        unlike(|other| other.format = 3),
        unlike(|other| other.profile = "other".to_owned()),
        unlike(|other| other.title = "Other".to_owned()),
        unlike(|other| other.kind = "soak".to_owned()),
        unlike(|other| other.target = "staging".to_owned()),
        unlike(|other| other.seed = 8),
        unlike(|other| other.warm_up = 5.0),
        unlike(|other| other.shards.of = 3),
        refusal(empty(&[1], 2), LoadResult { thresholds: rule("p99 < 1s"), ..empty(&[2], 2) }),
        unlike(|other| other.shards.parts = vec![1]),
        unlike(|other| other.shards.parts = vec![2, 2]),
        unlike(|other| other.shards.parts = vec![3]),
        unlike(|other| other.shards.parts = vec![0]),
        merged([empty(&[1], u32::MAX)]).unwrap_err().to_string(),
        refusal(empty(&[1], 2), LoadResult { trials: vec![trial], ..empty(&[2], 2) }),
        unlike(|other| other.started = "yesterday".to_owned()),
        refusal(broken(1), broken(2)),
        unlike(|other| other.timeline = vec![Moment { at: 3.0, histogram: "!".to_owned(), ..Moment::default() }]),
    ].join("\n"), @r"
        there is no result to merge; name the JSON files of the parts
        part-1.json and part-2.json are not of one load: their format version differs, 2 and 3; merge only the parts of one `--shard` run
        part-1.json and part-2.json are not of one load: their profile differs, steady and other; merge only the parts of one `--shard` run
        part-1.json and part-2.json are not of one load: their title differs, Steady load and Other; merge only the parts of one `--shard` run
        part-1.json and part-2.json are not of one load: their kind differs, constant-arrival-rate and soak; merge only the parts of one `--shard` run
        part-1.json and part-2.json are not of one load: their target differs, emulator and staging; merge only the parts of one `--shard` run
        part-1.json and part-2.json are not of one load: their seed differs, 7 and 8; merge only the parts of one `--shard` run
        part-1.json and part-2.json are not of one load: their warm-up differs, 0.0 s and 5.0 s; merge only the parts of one `--shard` run
        part-1.json and part-2.json are not of one load: their number of parts differs, 2 and 3; merge only the parts of one `--shard` run
        part-1.json and part-2.json are not of one load: their set of thresholds differs, none and `p99 < 1s`; merge only the parts of one `--shard` run
        part-1.json holds part 1 twice; name each file once
        parts-2-and-2.json holds part 2 twice; name each file once
        part-3.json says it is part 3 of 2; parts are numbered from 1 to 2
        part-0.json says it is part 0 of 2; parts are numbered from 1 to 2
        part-1.json says its load has 4294967295 parts; there are at most 10000
        part-1.json is of a capacity search: each part has looked for its own rate, so there is no common one; run it unsplit
        part-2.json: `started` is `yesterday`; it must be like 2026-01-31T12:00:00Z
        part-1.json: the histogram of the service time of a.status is cut short, or no HdrHistogram; write the result again with this version, and don't change it
        part-2.json: the histogram of the timeline at 3 s is no base64; write the result again with this version, and don't change it
        ");
}

#[test]
fn findings_of_one_cause_are_one_finding() {
    // The messages of both results contain their own values.
    let cause = |at: &str, count: u64, seconds: &[f64]| LoadCause {
        clauses: vec!["a.b".to_owned()],
        operation: "a.create".to_owned(),
        message: format!("{} is wrong", seconds.len()),
        kind: ErrorKind::Contract,
        count,
        examples: seconds
            .iter()
            .map(|&second| LoadExample { second, at: Some(at.to_owned()), expected: None, got: None, curl: None })
            .collect(),
    };
    let one = LoadResult { findings: vec![cause("x", 9, &[4.0, 5.0, 6.0]), cause("y", 7, &[1.0])], ..empty(&[1], 2) };
    let other = LoadResult { findings: vec![cause("y", 8, &[0.5]), cause("x", 2, &[1.0, 2.0, 7.0])], ..empty(&[2], 2) };
    let findings = merged([one, other]).unwrap().findings;
    let worded = |mut cause: LoadCause, of: usize| {
        cause.message = format!("{of} is wrong");
        cause
    };
    assert_eq!(findings, [worded(cause("y", 15, &[0.5, 1.0]), 1), worded(cause("x", 11, &[1.0, 2.0, 4.0, 5.0, 6.0]), 3)]);
}

#[test]
fn other_numbers_are_added_or_the_worst_is_kept() {
    let mut one = empty(&[1], 2);
    one.ended_early = Some(Early::Interrupted);
    one.conservation = Some(ConservationResult { complete: true, examined: 10, held: 9 });
    one.notifications = Some(NotificationResult { expected: 5, once: 4, lost: 1, ..NotificationResult::default() });
    one.generator = Generator { cpu_seconds: 1.5, cores: 2, peak_memory: 100, ..Generator::default() };
    let spoken = |protocol: &str, opened, streams| ConnectionResult { protocol: protocol.to_owned(), opened, streams };
    one.connections = vec![spoken("HTTP/2", 2, 9)];
    let mut other = empty(&[2], 2);
    other.connections = vec![spoken("HTTP/1.1", 5, 1), spoken("HTTP/2", 3, 7)];
    other.seconds = 12.0;
    other.started = "2026-11-22T00:59:59.5Z".to_owned();
    other.ended_early = Some(Early::Killswitch);
    other.conservation = Some(ConservationResult { complete: false, examined: 3, held: 3 });
    other.notifications = Some(NotificationResult {
        expected: 6,
        once: 1,
        duplicated: 2,
        late: 3,
        unexpected: 4,
        contradicting: 5,
        ..NotificationResult::default()
    });
    other.generator =
        Generator { cpu_seconds: 2.0, cores: 4, peak_memory: 70, limit: Some("too slow".to_owned()), scheduling: Latency::default() };
    let sum = merged([one, other]).unwrap();
    assert_eq!((sum.seconds, sum.started.as_str(), sum.ended_early), (12.0, "2026-11-22T00:59:59.5Z", Some(Early::Killswitch)));
    assert_eq!(sum.connections, [spoken("HTTP/2", 5, 9), spoken("HTTP/1.1", 5, 1)]);
    assert_eq!(sum.conservation, Some(ConservationResult { complete: false, examined: 13, held: 12 }));
    let notifications = NotificationResult { lag: Latency::default(), ..sum.notifications.unwrap() };
    let expected = NotificationResult {
        expected: 11,
        once: 5,
        duplicated: 2,
        late: 3,
        lost: 1,
        contradicting: 5,
        unexpected: 4,
        lag: Latency::default(),
    };
    assert_eq!(notifications, expected);
    let generator = sum.generator;
    assert_eq!((generator.cpu_seconds, generator.cores, generator.peak_memory), (3.5, 6, 100));
    assert_eq!(generator.limit.as_deref(), Some("part 2: too slow"));
}

#[test]
fn rates_are_over_the_common_time_and_nothing_that_only_one_has_is_left_out() {
    let operation = |name: &str, requests: u64| OperationResult {
        operation: name.to_owned(),
        requests,
        rate: 99.0,
        errors: [(ErrorKind::Transport, 1)].into(),
        responses: vec![
            ResponseCount { calls: 1, ..ResponseCount::default() },
            ResponseCount { status: Some(200), code: Some("0".to_owned()), calls: requests - 1 },
        ],
        response: Latency::default(),
        service: Latency::default(),
        timeline: Vec::new(),
    };
    let one = LoadResult { operations: vec![operation("a", 4)], ..empty(&[1], 2) };
    let other = LoadResult { operations: vec![operation("b", 5), operation("a", 6)], seconds: 20.0, ..empty(&[2], 2) };
    let sum = merged([one, other]).unwrap();
    let operations: Vec<_> = sum.operations.iter().map(|result| (result.operation.as_str(), result.requests, result.rate)).collect();
    assert_eq!(operations, [("a", 10, 0.5), ("b", 5, 0.25)]);
    assert_eq!(sum.operations[0].errors, [(ErrorKind::Transport, 2)].into());
}

/// Timelines of one call a moment, given by their starts and lengths; `(at, seconds, requests, users)` of the sum.
fn overlaid(timelines: [&[(f64, f64)]; 2]) -> Vec<(f64, f64, u64, u64)> {
    let results = timelines.iter().zip(1..).map(|(spans, part)| {
        let moment = |&(at, seconds): &(f64, f64)| Moment { at, seconds, requests: 1, users: u64::from(part) * 10, ..Moment::default() };
        LoadResult { timeline: spans.iter().map(moment).collect(), ..empty(&[part], 2) }
    });
    merged(results).unwrap().timeline.iter().map(|moment| (moment.at, moment.seconds, moment.requests, moment.users)).collect()
}

#[test]
fn ticks_need_not_be_at_the_same_instant() {
    let (one, other) = ([(0.0, 1.001), (1.001, 0.999), (2.0, 0.4)], [(0.0, 0.998), (0.998, 1.0), (1.998, 0.5)]);
    assert_eq!(overlaid([&one, &other]), [(0.0, 1.001, 2, 30), (1.001, 0.999, 2, 30), (2.0, 0.4, 2, 30)]);
}

#[test]
fn the_coarsest_timeline_sets_the_intervals() {
    let fine: Vec<_> = (0..7).map(|second| (f64::from(second), 1.0)).collect();
    let coarse = [(0.0, 2.0), (2.0, 2.0)];
    let expected = [(0.0, 2.0, 3, 30), (2.0, 2.0, 3, 30), (4.0, 2.0, 2, 10), (6.0, 1.0, 1, 10)];
    assert_eq!(overlaid([&fine, &coarse]), expected.map(|(at, seconds, requests, users)| (at, seconds, requests, users)));
}

#[test]
fn a_timeline_that_can_not_be_ends_all_the_same() {
    let sum = overlaid([&[(0.0, 1.0), (1.0, 1.0)], &[(0.0, 1.0), (1e300, 1.0)]]);
    assert_eq!(sum.iter().map(|moment| moment.2).sum::<u64>(), 4);
    assert_eq!(overlaid([&[(0.0, 0.0)], &[]]), [(0.0, 0.0, 1, 10)]);
    assert_eq!(overlaid([&[], &[]]), []);
}
