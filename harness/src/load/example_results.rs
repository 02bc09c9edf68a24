//! Results for tests.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::load::histogram::testing::latency;
use crate::load::result::{
    Arrivals, ConnectionResult, ConservationResult, Early, ErrorKind, FORMAT, Generator, IterationTotals, JudgedIterations, Latency,
    LoadCause, LoadExample, LoadResult, LoadVerdict, Moment, NotificationResult, OperationMoment, OperationResult, ResponseCount,
    ScenarioResult, Shards, ThresholdResult, Trial, Unit,
};
use crate::load::verdict::verdict;

/// Nothing was measured.
pub(crate) fn empty() -> LoadResult {
    LoadResult {
        format: FORMAT,
        profile: "journey".into(),
        title: "Payments from creation to notification, at a steady rate".into(),
        kind: "constant-arrival-rate".into(),
        target: "emulator".into(),
        seed: 7,
        shards: Shards { of: 1, parts: vec![1] },
        warm_up: 0.0,
        started: "2026-11-22T01:00:00Z".into(),
        seconds: 0.0,
        ended_early: None,
        arrivals: None,
        iterations: IterationTotals::default(),
        operations: Vec::new(),
        scenarios: Vec::new(),
        timeline: Vec::new(),
        notifications: None,
        judged: None,
        conservation: None,
        findings: Vec::new(),
        connections: Vec::new(),
        generator: Generator::default(),
        trials: Vec::new(),
        thresholds: Vec::new(),
        verdict: LoadVerdict::Inconclusive,
        reasons: Vec::new(),
    }
}

/// A minute in which everything passed.
pub(crate) fn passed() -> LoadResult {
    static PASSED: LazyLock<LoadResult> = LazyLock::new(|| {
        let connections = vec![ConnectionResult { protocol: "HTTP/2".into(), opened: 4, streams: 25 }];
        judged(LoadResult { connections, ..over(60) })
    });
    PASSED.clone()
}

/// A result of this many seconds in which everything passed.
fn over(seconds: u64) -> LoadResult {
    let create = operation("gateway.v1.create", 100 * seconds, 900);
    let p99 = create.response.p99.map(|p99| p99 as f64);
    LoadResult {
        warm_up: 5.0,
        seconds: seconds as f64,
        arrivals: Some(Arrivals { intended: 100 * seconds, started: 100 * seconds, delayed: 3, dropped: 0 }),
        iterations: IterationTotals { carried: 0, started: 100 * seconds, cut_off: 0 },
        operations: vec![
            create,
            operation("gateway.v2.status", 100 * seconds, 300),
            operation("terminal.refund.cancel", 20 * seconds, 4000),
        ],
        scenarios: vec![
            scenario("gateway/a-paid-payment-is-notified", 80 * seconds),
            scenario("terminal/a-refund-is-cancelled", 20 * seconds),
        ],
        timeline: (0..seconds).map(moment).collect(),
        notifications: Some(NotificationResult {
            expected: 80 * seconds,
            once: 80 * seconds,
            lag: spread(80 * seconds, 2000),
            ..NotificationResult::default()
        }),
        judged: Some(JudgedIterations { iterations: 100 * seconds, whole: seconds }),
        conservation: Some(ConservationResult { complete: false, examined: 400, held: 400 }),
        generator: Generator {
            scheduling: spread(100 * seconds, 60),
            cpu_seconds: 0.31 * seconds as f64,
            cores: 2,
            peak_memory: 48_200_000,
            limit: None,
        },
        thresholds: vec![
            threshold("errors < 0.1%", Unit::Share, Some(0.0), LoadVerdict::Passed),
            threshold("gateway.v1.create p99 < 50ms", Unit::Microseconds, p99, LoadVerdict::Passed),
        ],
        ..empty()
    }
}

/// The same, but two thresholds failed.
pub(crate) fn failed_thresholds() -> LoadResult {
    let mut result = passed();
    if let Some(second) = result.thresholds.get_mut(1) {
        (second.rule, second.verdict) = ("gateway.v1.create p99 < 1ms".into(), LoadVerdict::Failed);
    }
    result.thresholds.push(threshold("rate >= 500", Unit::PerSecond, Some(220.0), LoadVerdict::Failed));
    judged(result)
}

/// The same, but responses break the documents and notifications are missing.
pub(crate) fn findings() -> LoadResult {
    let mut result = passed();
    // The operation that fails is the last one, so that reports must move it to the front.
    result.operations.rotate_left(1);
    if let Some(last) = result.operations.last_mut() {
        last.errors = BTreeMap::from([(ErrorKind::Transport, 4), (ErrorKind::Contract, 12), (ErrorKind::Business, 2)]);
    }
    if let Some(errors) = result.thresholds.first_mut() {
        (errors.observed, errors.verdict) = (Some(18.0 / 13_200.0), LoadVerdict::Failed);
    }
    if let Some(first) = result.scenarios.first_mut() {
        (first.passed, first.failed) = (first.passed - 18, 18);
    }
    for moment in result.timeline.iter_mut().skip(30).take(9) {
        moment.errors = 2;
    }
    result.findings = vec![
        cause("gateway.create.answer.transid", ErrorKind::Contract, 12),
        cause("", ErrorKind::Transport, 4),
        cause("gateway.create.code.0", ErrorKind::Business, 2),
    ];
    let received = NotificationResult { duplicated: 5, late: 7, lost: 4, contradicting: 1, unexpected: 2, ..NotificationResult::default() };
    result.notifications = Some(NotificationResult { expected: 5000, once: 4983, lag: spread(4996, 2000), ..received });
    result.conservation = Some(ConservationResult { complete: true, examined: 6000, held: 5998 });
    judged(result)
}

/// The same, but the generator could not keep up.
pub(crate) fn limited() -> LoadResult {
    let mut result = failed_thresholds();
    result.arrivals = Some(Arrivals { intended: 6000, started: 5600, delayed: 900, dropped: 400 });
    result.iterations = IterationTotals { carried: 3, started: 5600, cut_off: 2 };
    if let Some(first) = result.scenarios.first_mut() {
        first.passed -= 399;
    }
    result.generator.limit = Some("iterations began up to 14.2 ms late (p99) though users were free".into());
    judged(result)
}

/// The user ended it after ten seconds.
pub(crate) fn interrupted() -> LoadResult {
    judged(LoadResult { ended_early: Some(Early::Interrupted), ..over(10) })
}

/// A capacity search.
pub(crate) fn capacity() -> LoadResult {
    let mut result = passed();
    result.kind = "capacity-search".into();
    result.trials = vec![
        Trial { rate: 100.0, held: true, note: "all thresholds held".into() },
        Trial { rate: 200.0, held: false, note: "`p99 < 50ms` does not hold: it was 61.2 ms".into() },
        Trial { rate: 150.0, held: true, note: "all thresholds held".into() },
    ];
    judged(result)
}

/// Every field and every variant that results have.
pub(crate) fn everything() -> LoadResult {
    let mut result = findings();
    result.trials = capacity().trials;
    result.ended_early = Some(Early::Killswitch);
    result.generator.limit = limited().generator.limit;
    result.thresholds.push(threshold("lag p99 < 1s", Unit::Microseconds, None, LoadVerdict::Inconclusive));
    result.thresholds.push(threshold("drift <= 1.5", Unit::Times, Some(1.02), LoadVerdict::Passed));
    result.thresholds.push(threshold("lost = 0", Unit::Count, Some(4.0), LoadVerdict::Failed));
    result.thresholds.push(threshold("rate >= 500", Unit::PerSecond, Some(220.0), LoadVerdict::Failed));
    judged(result)
}

/// The result with the verdict that follows from its numbers.
pub(crate) fn judged(mut result: LoadResult) -> LoadResult {
    (result.verdict, result.reasons) = verdict(&result);
    result
}

pub(crate) fn threshold(rule: &str, unit: Unit, observed: Option<f64>, verdict: LoadVerdict) -> ThresholdResult {
    let reason = (verdict == LoadVerdict::Inconclusive).then(|| "p99 needs at least 100 notifications, and 12 were received".into());
    ThresholdResult { rule: rule.into(), unit, observed, verdict, reason }
}

/// An operation whose calls take about this many microseconds, and started late now and then.
pub(crate) fn operation(name: &str, requests: u64, about: u64) -> OperationResult {
    OperationResult {
        operation: name.into(),
        requests,
        rate: if name.starts_with('t') { 20.0 } else { 100.0 },
        errors: BTreeMap::new(),
        response: latency(times(requests, about).map(|t| t + t / 8)),
        service: latency(times(requests, about)),
        responses: vec![ResponseCount { status: Some(200), code: name.starts_with('g').then(|| "0".to_owned()), calls: requests }],
        timeline: (0..6).map(|part| operation_moment(part, requests / 6, about)).collect(),
    }
}

/// Ten seconds of an operation.
fn operation_moment(part: u64, requests: u64, about: u64) -> OperationMoment {
    let service = latency(times(requests, about + 20 * part));
    let response = latency(times(requests, about + 40 * part));
    OperationMoment {
        at: (10 * part) as f64,
        seconds: 10.0,
        requests,
        errors: part % 2,
        p50: response.p50,
        p99: response.p99,
        service_p99: service.p99,
        response: response.histogram,
        service: service.histogram,
        partial: false,
    }
}

fn scenario(name: &str, passed: u64) -> ScenarioResult {
    ScenarioResult { scenario: name.into(), passed, failed: 0, response: spread(passed, 6000) }
}

pub(crate) fn spread(count: u64, about: u64) -> Latency {
    latency(times(count, about))
}

/// Times between half of `about` and one and a half of it; one in five hundred is ten times as long.
fn times(count: u64, about: u64) -> impl Iterator<Item = u64> {
    (0..count).map(move |n| {
        let time = about / 2 + (n * 7919) % about.max(1);
        if n % 500 == 499 { time * 10 } else { time }
    })
}

fn moment(second: u64) -> Moment {
    let stalled = if (24..27).contains(&second) { 40 } else { 1 };
    let response = latency(times(220, (900 + 10 * second) * stalled));
    let lag = spread(120, 2000 + 30 * second);
    Moment {
        at: second as f64,
        seconds: 1.0,
        requests: 220,
        errors: 0,
        intended: Some(100),
        started: if second == 24 { 60 } else { 100 },
        users: 12,
        p50: response.p50,
        p99: response.p99,
        max: response.max,
        lag_p99: lag.p99.filter(|_| second > 1),
        lag: (second > 1).then_some(lag.histogram),
        histogram: response.histogram,
        partial: false,
    }
}

pub(crate) fn cause(clause: &str, kind: ErrorKind, count: u64) -> LoadCause {
    let broken = !clause.is_empty();
    LoadCause {
        clauses: if broken { vec![clause.into()] } else { Vec::new() },
        operation: "gateway.v1.create".into(),
        message: if broken { format!("the response does not keep {clause}") } else { "the connection was reset".into() },
        kind,
        count,
        examples: vec![LoadExample {
            second: 31.25,
            at: broken.then(|| "response body /code".into()),
            expected: broken.then(|| serde_json::json!(0)),
            got: broken.then(|| serde_json::json!("<b>1100</b>")),
            curl: Some(
                "curl -i -X POST -u 'shop:[secret main]' --data-raw 'price=10000&curr=CZK' 'http://127.0.0.1:4010/v1.0/create'".into(),
            ),
        }],
    }
}
