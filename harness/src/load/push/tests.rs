use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Mutex as Lock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::time::sleep;
use url::Url;

use super::sender::{PushSender, outcome_of_status};
use super::*;
use crate::base::verdict::Finding;
use crate::load::pacer::Due;
use crate::load::profile::{Killswitch, NotificationDeadlines};
use crate::load::result::{Early, ErrorKind, LoadResult, LoadVerdict, OperationResult};
use crate::load::run_loop::{GRACE, RunProgress};
use crate::load::shard::Shard;
use crate::load::threshold::{Comparator, Metric, Threshold};
use crate::spec::target::Credential;
use crate::wire::exchange::ExchangeOutcome;

/// Pushes at a fixed interval, this many in all.
#[derive(Clone, Copy)]
struct Every(Duration, u64);

impl IntendedStarts for Every {
    fn due(&self, number: u64) -> Option<Duration> {
        (number < self.1).then(|| self.0 * u32::try_from(number).unwrap())
    }
}

/// Releases pushes by Tokio's clock, which a test may pause.
struct Timed {
    every: Every,
    start: Instant,
    next: AtomicU64,
    ended: tokio::sync::watch::Sender<bool>,
}

impl send_slots::ReleaseQueue for Timed {
    async fn next(&self) -> Option<Due> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let at = self.every.due(number)?;
        let mut ended = self.ended.subscribe();
        tokio::select! {
            biased;
            _ = ended.wait_for(|ended| *ended) => None,
            () = tokio::time::sleep_until(self.start + at) => Some(Due { number, at }),
        }
    }
}

type Respond = Box<dyn Fn(u64, &PreparedPush) -> Pin<Box<dyn Future<Output = ExchangeOutcome> + Send>> + Send + Sync>;

/// A merchant without a network connection.
struct Pretended {
    respond: Respond,
    count: AtomicU64,
}

impl PushSender for Pretended {
    fn send(&self, written: &PreparedPush) -> impl Future<Output = ExchangeOutcome> + Send {
        (self.respond)(self.count.fetch_add(1, Ordering::Relaxed), written)
    }
}

fn options(connections: usize, duration: Duration) -> PushOptions {
    PushOptions {
        endpoint: Url::parse("http://127.0.0.1:1/").unwrap(),
        within: Duration::from_secs(10),
        connections,
        duplicates: 0.0,
        formats: Vec::new(),
        duration,
        deadlines: NotificationDeadlines::default(),
        thresholds: Vec::new(),
        killswitch: Killswitch::default(),
        seed: 1,
        shard: Shard::WHOLE,
        start_at: None,
    }
}

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Plays against such a merchant with Tokio's paused clock.
async fn pretended(options: &PushOptions, every: Every, stop: impl Future<Output = ()>, respond: Respond) -> LoadResult {
    let (prepared_sender, filled) = mpsc::channel(100_000);
    for number in 0..every.1 {
        let body = Bytes::from(number.to_string());
        prepared_sender.try_send(PreparedPush { format: 0, method: http::Method::POST, media_type: None, body }).unwrap();
    }
    let kinds = PushedNotifications {
        names: vec!["shop.notified".to_owned()],
        acknowledged_by: vec![vec![200]],
        judge: Box::new(|_, outcome| {
            Some(Finding::new("shop.acknowledged", "shop.notified", format!("{outcome:?}").split('(').next().unwrap()))
        }),
    };
    let start = Instant::now();
    let sender = Pretended { respond, count: AtomicU64::new(0) };
    let slots = Arc::new(SendSlots::new(options, kinds, sender, filled, start));
    let queue = Arc::new(Timed { every, start, next: AtomicU64::new(0), ended: tokio::sync::watch::Sender::new(false) });
    let about = RunInfo { target: "shop".to_owned(), started: Timestamp::UNIX_EPOCH, cpu: None, begun_late: Duration::ZERO };
    let play = PushLoop { slots: &slots, options, starts: &every, observer: &mut |_: &RunProgress<'_>| Ok(()), about: &about };
    let played = play.run(&queue, || _ = queue.ended.send_replace(true), stop).await.unwrap();
    summary::result(&slots, options, &played, &about)
}

fn after(delay: Duration, status: u16) -> Pin<Box<dyn Future<Output = ExchangeOutcome> + Send>> {
    Box::pin(async move {
        sleep(delay).await;
        outcome_of_status(status)
    })
}

fn only(result: &LoadResult) -> &OperationResult {
    let [operation] = result.operations.as_slice() else { panic!("{:?}", result.operations) };
    operation
}

#[tokio::test(start_paused = true)]
async fn a_merchant_that_is_right_is_measured() {
    let options = options(10, Duration::from_secs(3));
    let result = pretended(&options, Every(millis(10), 300), std::future::pending(), Box::new(|_, _| after(millis(5), 200))).await;
    let operation = only(&result);
    assert_eq!((operation.requests, operation.errors.len(), operation.response.max / 1000, operation.service.min / 1000), (300, 0, 5, 5));
    let arrivals = result.arrivals.clone().unwrap();
    assert_eq!((arrivals.intended, arrivals.started, arrivals.delayed, arrivals.dropped), (300, 300, 0, 0));
    let n = result.notifications.clone().unwrap();
    assert_eq!((n.expected, n.once, n.late, n.lost, n.lag.count), (300, 300, 0, 0, 300));
    assert_eq!((result.seconds, result.generator.limit, result.findings.len()), (3.0, None, 0));
    assert_eq!(result.timeline.iter().map(|moment| moment.intended.unwrap()).sum::<u64>(), 300);
}

#[tokio::test(start_paused = true)]
async fn thresholds_decide() {
    let below = |rule: &str, metric, bound| Threshold { rule: rule.into(), operation: None, metric, comparison: Comparator::Below, bound };
    let verdict = async |thresholds| {
        let options = PushOptions { thresholds, ..options(10, Duration::from_secs(1)) };
        pretended(&options, Every(millis(10), 100), std::future::pending(), Box::new(|_, _| after(millis(5), 200))).await.verdict
    };
    let (holds, fails) = (below("p99 < 10ms", Metric::Response(0.99), 10_000.0), below("lag p99 < 4ms", Metric::Lag(0.99), 4_000.0));
    assert_eq!(verdict(vec![holds.clone()]).await, LoadVerdict::Passed);
    assert_eq!(verdict(vec![holds, fails]).await, LoadVerdict::Failed);
    let blind = Threshold { operation: Some("shop.other".into()), ..below("shop.other p99 < 1s", Metric::Response(0.99), 1e6) };
    assert_eq!(verdict(vec![blind]).await, LoadVerdict::Inconclusive);
}

/// The merchant stops for two seconds: every push that is due meanwhile has a long response time, not only one.
#[tokio::test(start_paused = true)]
async fn a_stall_is_in_the_response_times_and_not_only_in_one() {
    let options = options(2, Duration::from_secs(10));
    let start = Instant::now();
    let stalling: Respond = Box::new(move |_, _| {
        let now = start.elapsed();
        let stalled = (millis(4000)..millis(6000)).contains(&now);
        after(if stalled { millis(6000) - now } else { millis(1) }, 200)
    });
    let result = pretended(&options, Every(millis(10), 1000), std::future::pending(), stalling).await;
    let operation = only(&result);
    let (service, response) = (operation.service.p99.unwrap(), operation.response.p90.unwrap());
    assert!(service < 3_000, "two sends only have seen the stall: {service}");
    assert!(response > 1_000_000, "a fifth of all has waited, a second on the average: {response}");
    assert!((1_990_000..=2_010_000).contains(&operation.response.max), "{}", operation.response.max);
    let n = result.notifications.clone().unwrap();
    assert!((90..=130).contains(&n.late) && n.once + n.late == 1000, "{n:?}");
    let arrivals = result.arrivals.clone().unwrap();
    assert!(arrivals.delayed > 190 && arrivals.dropped == 0, "{arrivals:?}");
    assert_eq!(result.generator.limit, None, "it was the merchant");
}

#[tokio::test(start_paused = true)]
async fn pushes_not_started_before_the_end_are_dropped() {
    let options = options(2, Duration::from_secs(1));
    let result = pretended(&options, Every(millis(10), 100), std::future::pending(), Box::new(|_, _| after(millis(100), 200))).await;
    let arrivals = result.arrivals.clone().unwrap();
    assert_eq!((arrivals.intended, arrivals.started + arrivals.dropped), (100, 100));
    assert!((20..=22).contains(&arrivals.started), "two at a time, ten times a second: {arrivals:?}");
    assert_eq!(only(&result).requests, arrivals.started, "what was under way has been awaited");
}

#[tokio::test(start_paused = true)]
async fn duplicates_come_only_after_the_acknowledgement() {
    let options = PushOptions { duplicates: 0.3, ..options(50, Duration::from_secs(2)) };
    let seen: Arc<Lock<Vec<(Bytes, bool)>>> = Arc::default();
    let seeing = Arc::clone(&seen);
    let respond: Respond = Box::new(move |number, written| {
        let (seeing, body) = (Arc::clone(&seeing), written.body.clone());
        Box::pin(async move {
            seeing.lock().unwrap().push((body.clone(), false));
            sleep(millis(50)).await;
            let taken = number % 3 != 0;
            seeing.lock().unwrap().push((body, taken));
            outcome_of_status(if taken { 200 } else { 503 })
        })
    });
    let result = pretended(&options, Every(millis(10), 200), std::future::pending(), respond).await;
    let seen = seen.lock().unwrap();
    let mut acknowledged = std::collections::HashSet::new();
    let mut begun = std::collections::HashSet::new();
    for (body, taken) in seen.iter() {
        if *taken {
            acknowledged.insert(body.clone());
        } else if !begun.insert(body.clone()) && !acknowledged.contains(body) {
            // The end of one that was refused, or a second push: only the former may be.
            assert_eq!(seen.iter().filter(|(other, _)| other == body).count(), 2, "{body:?}");
        }
    }
    let [new, again] = result.scenarios.as_slice() else { panic!("{:?}", result.scenarios) };
    let twice = again.passed + again.failed;
    assert!((40..=75).contains(&twice), "{twice}");
    assert_eq!(new.passed + new.failed + twice, 200);
    let n = result.notifications.clone().unwrap();
    assert_eq!((n.expected, n.lost, n.once), (new.passed + new.failed, new.failed, new.passed), "duplicates are not counted again");
    let messages: Vec<_> = result.findings.iter().map(|cause| (cause.message.as_str(), cause.count)).collect();
    assert_eq!(messages, [("Response", new.failed), ("Response, though it was acknowledged before", again.failed)]);
}

#[tokio::test(start_paused = true)]
async fn it_ends_when_it_is_stopped_and_when_it_has_become_pointless() {
    let options = options(10, Duration::from_secs(100));
    let every = Every(millis(10), 10_000);
    let stopped = pretended(&options, every, sleep(millis(2500)), Box::new(|_, _| after(millis(1), 200))).await;
    assert_eq!((stopped.ended_early, stopped.seconds), (Some(Early::Interrupted), 2.5));
    assert_eq!(stopped.arrivals.map(|a| (a.intended, a.started, a.dropped)), Some((250, 250, 0)));
    let pointless = pretended(&options, every, std::future::pending(), Box::new(|_, _| after(millis(1), 500))).await;
    assert_eq!((pointless.ended_early, pointless.seconds), (Some(Early::Killswitch), 1.0));
}

#[tokio::test(start_paused = true)]
async fn a_user_who_ends_it_waits_a_second_for_pushes_under_way() {
    let options = options(10, Duration::from_secs(100));
    let begun = tokio::time::Instant::now();
    let silent: Respond = Box::new(|_, _| Box::pin(std::future::pending()));
    let stopped = pretended(&options, Every(millis(10), 10_000), sleep(millis(2500)), silent).await;
    assert!(begun.elapsed() <= millis(2500) + GRACE + millis(10), "{:?}", begun.elapsed());
    assert_eq!((stopped.ended_early, stopped.seconds), (Some(Early::Interrupted), 2.5));
    let counted = stopped.notifications.map(|counted| (counted.expected, counted.lost));
    assert_eq!(counted, Some((0, 0)), "what was under way is neither acknowledged nor lost");
}

#[tokio::test(start_paused = true)]
async fn a_user_who_ends_it_after_its_time_waits_a_second_for_pushes_under_way() {
    let options = options(10, Duration::from_secs(1));
    let begun = tokio::time::Instant::now();
    let silent: Respond = Box::new(|_, _| Box::pin(std::future::pending()));
    let played = pretended(&options, Every(millis(100), 10), sleep(millis(5000)), silent);
    let stopped = tokio::time::timeout(millis(60_000), played).await.unwrap();
    assert!(begun.elapsed() <= millis(5000) + GRACE + millis(10), "{:?}", begun.elapsed());
    assert_eq!((stopped.ended_early, stopped.seconds), (None, 1.0), "it was played as planned");
}

/// How a merchant on a real socket behaves.
#[derive(Clone, Copy, PartialEq)]
enum Manner {
    Right,
    RefusesDuplicates,
    Drops,
}

/// The bodies of the notifications that a merchant has received.
type Notified = Arc<Lock<std::collections::HashSet<Bytes>>>;

async fn merchant(manner: Manner) -> (Url, Notified, Arc<AtomicU64>) {
    let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
    let url = Url::parse(&format!("http://{}/notified", listener.local_addr().unwrap())).unwrap();
    let (notified, connections) = (Notified::default(), Arc::new(AtomicU64::new(0)));
    let (shared, connecting) = (Arc::clone(&notified), Arc::clone(&connections));
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            connecting.fetch_add(1, Ordering::Relaxed);
            let notified = Arc::clone(&shared);
            let service = service_fn(move |request| respond(manner, Arc::clone(&notified), request));
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
    (url, notified, connections)
}

async fn respond(manner: Manner, notified: Notified, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, std::io::Error> {
    let body = request.into_body().collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let (new, count) = {
        let mut notified = notified.lock().unwrap();
        (notified.insert(body), notified.len())
    };
    match manner {
        Manner::Drops if count % 10 == 0 => Err(std::io::Error::other("dropped")),
        Manner::RefusesDuplicates if !new => Ok(Response::builder().status(500).body(Full::default()).unwrap()),
        Manner::Drops | Manner::RefusesDuplicates | Manner::Right => Ok(Response::new(Full::from("ok"))),
    }
}

/// 100 pushes within half a second, a quarter of them twice. The load is over when all of them have ended.
async fn judged(manner: Manner) -> (LoadOutcome, usize, u64) {
    let contracts = Contracts::shipped();
    let credential =
        Credential::from([("merchant".to_owned(), "100001".to_owned()), ("secret".to_owned(), "secret-of-the-shop".to_owned())]);
    let here = SocketAddr::from(([127, 0, 0, 1], 0));
    let gateway = Gateway::start_keeping(Arc::clone(&contracts), here, &credential, 7, Some(1000)).await.unwrap();
    let (endpoint, notified, connections) = merchant(manner).await;
    let options = PushOptions { endpoint, duplicates: 0.25, ..options(4, Duration::from_secs(60)) };
    let ended =
        run(&contracts, &gateway, &options, Schedule::constant(200.0, millis(500)), std::future::pending(), &mut |_: &RunProgress<'_>| {
            Ok(())
        })
        .await
        .unwrap();
    gateway.stop().await;
    let notified = notified.lock().unwrap().len();
    (ended, notified, connections.load(Ordering::Relaxed))
}

#[tokio::test]
async fn a_right_merchant_passes_in_both_formats_over_kept_connections() {
    let (LoadOutcome { result, unreachable }, notified, connections) = judged(Manner::Right).await;
    let names: Vec<_> = result.operations.iter().map(|operation| operation.operation.as_str()).collect();
    assert_eq!(names, ["gateway.v1.notification", "gateway.v2.notification"]);
    assert!(result.operations.iter().all(|operation| operation.requests > 20 && operation.errors.is_empty()), "{:?}", result.operations);
    assert_eq!((result.findings, unreachable), (Vec::new(), false));
    let n = result.notifications.unwrap();
    assert_eq!((n.expected, n.once + n.late, n.lost), (notified as u64, notified as u64, 0));
    assert!(notified < 100, "some came twice");
    assert!(connections <= 4, "{connections}");
}

#[tokio::test]
async fn a_merchant_that_refuses_duplicates_is_found_out() {
    let (LoadOutcome { result, .. }, ..) = judged(Manner::RefusesDuplicates).await;
    let passed = |part: &str, passed: bool| {
        let wanted = result.scenarios.iter().filter(|s| s.scenario.ends_with(part));
        wanted.map(|s| if passed { s.passed } else { s.failed }).sum::<u64>()
    };
    assert_eq!((passed("(new)", false), passed("(again)", true)), (0, 0));
    assert!(passed("(again)", false) > 10 && passed("(new)", true) > 50);
    for cause in &result.findings {
        assert_eq!(cause.message, "the response to a documented notification is 500, though it was acknowledged before");
        assert_eq!(
            (cause.clauses.as_slice(), cause.kind),
            (["gateway.notification.acknowledgement".to_owned()].as_slice(), ErrorKind::Contract)
        );
        let curl = cause.examples[0].curl.as_deref().unwrap();
        assert!(curl.contains("transId") && !curl.contains("secret-of-the-shop"), "{curl}");
        assert!(curl.contains("-H 'content-type: application/"), "it repeats the notification as it was sent: {curl}");
    }
    assert_eq!(result.findings.iter().map(|cause| cause.count).sum::<u64>(), passed("(again)", false));
    assert_eq!(result.notifications.unwrap().lost, 0);
}

#[tokio::test]
async fn dropped_connections_are_no_wrong_responses() {
    let (LoadOutcome { result, unreachable }, notified, _) = judged(Manner::Drops).await;
    let errors: u64 =
        result.operations.iter().flat_map(|o| &o.errors).map(|(kind, count)| if *kind == ErrorKind::Transport { *count } else { 0 }).sum();
    let all: u64 = result.operations.iter().flat_map(|o| o.errors.values()).sum();
    assert!(errors >= notified as u64 / 10 && errors == all, "{errors} {all} {notified}");
    let n = result.notifications.unwrap();
    assert!(n.lost > 0 && n.lost <= errors && n.once + n.late + n.lost == n.expected, "{n:?}");
    assert!(!unreachable);
    assert!(
        result.findings.iter().all(|cause| cause.message.starts_with("a documented notification gets no response that can be read")),
        "{:?}",
        result.findings
    );
}

#[tokio::test]
async fn an_endpoint_without_a_server_is_unreachable() {
    let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
    let endpoint = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
    drop(listener);
    let contracts = Contracts::shipped();
    let credential =
        Credential::from([("merchant".to_owned(), "100001".to_owned()), ("secret".to_owned(), "secret-of-the-shop".to_owned())]);
    let gateway = Gateway::start(Arc::clone(&contracts), SocketAddr::from(([127, 0, 0, 1], 0)), &credential, 7).await.unwrap();
    let options = PushOptions { endpoint, ..options(2, millis(50)) };
    let ended =
        run(&contracts, &gateway, &options, Schedule::constant(100.0, millis(50)), std::future::pending(), &mut |_: &RunProgress<'_>| {
            Ok(())
        })
        .await
        .unwrap();
    assert!(ended.unreachable);
    let unknown = PushOptions { formats: vec!["gateway.v9.notification".to_owned()], ..options };
    let refused =
        run(&contracts, &gateway, &unknown, Schedule::constant(100.0, millis(50)), std::future::pending(), &mut |_: &RunProgress<'_>| {
            Ok(())
        })
        .await;
    assert!(matches!(refused, Err(PushLoadError::Invalid(message)) if message.contains("gateway.v9.notification")));
    gateway.stop().await;
}
