//! Journeys on the fast path are judged as on the slow one: the same script is played on both against the same responses and
//! notifications, and the ledger receives the same.

use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;

use super::super::*;
use crate::base::source::Source;
use crate::base::verdict::Finding;
use crate::engine::notification_observer::NotificationObserver;
use crate::engine::runner::Context;
use crate::load::meter::Tick;
use crate::load::profile;
use crate::load::result::ResponseCount;
use crate::load::shard::Shard;
use crate::spec::contract::Contracts;
use crate::spec::{scenario, target};

const SCRIPT: &str = "title: A payment is paid and notified
clauses: [gateway.versions]
steps:
  - call: gateway.v2.create
    expect: { code: 0 }
    keep: { payment: transId }
  - world: payer.pays
    with: { transId: '{{ payment }}' }
  - notification: { transId: '{{ payment }}', status: PAID }
    clause: gateway.notification.completion
  - call: gateway.v2.status
    with: { transId: '{{ payment }}' }
    until: { status: PAID }
";

/// What never arrives is waited for briefly: a notification is sent before the action of the payer is over.
const TARGET: &str = "title: an emulator
base: BASE
timeout: 20s
poll-every: 1ms
poll-within: 20s
world: { emulator: BASE }
notifications: { listen: '127.0.0.1:0', within: 20ms }
credentials:
  main: { merchant: '100001', secret: not-a-secret-0 }
";

/// A response or a notification, and whether all its faults show without the messages before it.
#[derive(Clone, Copy, Debug)]
struct Served {
    status: u16,
    method: &'static str,
    media_type: &'static str,
    body: &'static str,
    alone: bool,
}

const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";

const fn fine(body: &'static str) -> Served {
    Served { status: 200, method: "POST", media_type: JSON, body, alone: true }
}

const CREATED: Served = fine(r#"{"code":0,"message":"OK","transId":"AB12-CD34-EF56","redirect":"https://pay.example/a"}"#);
const CREATIONS: [Served; 4] = [
    fine(r#"{"code":1400,"message":"bad request"}"#),
    fine(r#"{"code":0,"message":"OK","redirect":"https://pay.example/a"}"#),
    fine(r#"{"code":0"#),
    Served { status: 500, ..fine("") },
];

macro_rules! payment {
    ($status:literal, $price:literal, $more:literal) => {
        concat!(
            r#"{"code":0,"message":"OK","test":"true","price":""#,
            $price,
            r#"","curr":"CZK","label":"Beach ball","refId":"order-1001","email":"payer@example.com","transId":"AB12-CD34-EF56","#,
            r#""fee":"unknown","vs":"809814646","status":""#,
            $status,
            r#"""#,
            $more,
            "}"
        )
    };
}

const PAID: Served = fine(payment!("PAID", "10000", ""));
const STATES: [Served; 7] = [
    Served { alone: false, ..fine(payment!("PENDING", "10000", "")) },
    Served { alone: false, ..fine(payment!("CANCELLED", "10000", "")) },
    Served { alone: false, ..fine(payment!("PAID", "12300", "")) },
    fine(payment!("DONE", "10000", "")),
    fine(r#"{"code":1500,"message":"unexpected error"}"#),
    fine(r#"{"code":0"#),
    Served { status: 404, media_type: "text/html", ..fine("<p>nothing here</p>") },
];

macro_rules! push {
    ($payment:literal, $status:literal, $price:literal, $merchant:literal) => {
        concat!(
            r#"{"merchant":""#,
            $merchant,
            r#"","secret":"not-a-secret-0","test":"true","price":""#,
            $price,
            r#"","curr":"CZK","label":"Beach ball","refId":"order-1001","method":"CARD_CZ_CSOB_2","email":"payer@example.com","#,
            r#""phone":"+420777123456","fee":"unknown","full_name":"Jan Novák","vs":"809814646","transId":""#,
            $payment,
            r#"","status":""#,
            $status,
            r#""}"#
        )
    };
}

const PUSH: Served = fine(push!("AB12-CD34-EF56", "PAID", "10000", "100001"));
const PUSHES: [Served; 9] = [
    fine(push!("AB12-CD34-EF57", "PAID", "10000", "100001")),
    fine(push!("AB12-CD34-EF56", "CANCELLED", "10000", "100001")),
    fine(push!("AB12-CD34-EF56", "DONE", "10000", "100001")),
    Served { alone: false, ..fine(push!("AB12-CD34-EF56", "PAID", "12300", "100001")) },
    fine(push!("AB12-CD34-EF56", "PAID", "10000", "200002")),
    fine(r#"{"transId":"AB12-CD34-EF56","status":"PAID"}"#),
    fine(r#"{"transId":"AB12"#),
    Served { method: "PUT", ..PUSH },
    Served { media_type: FORM, ..fine("transId=AB12-CD34-EF56&status=PAID&merchant=100001") },
];

/// What is served in an iteration: the responses to creations and to status calls, in order, and what the payer's action pushes. After the
/// last one every response is an empty refusal.
#[derive(Clone, Debug, Default)]
struct Responses {
    calls: [Vec<Served>; 2],
    pushes: Vec<Served>,
}

/// The remaining responses of the target, and what it was asked for.
#[derive(Default)]
struct Stage {
    responses: Responses,
    asked: Vec<String>,
    told: Vec<String>,
    inbox: String,
    is_alone: bool,
}

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Stage>>);

impl Shared {
    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, what: String) {
        self.stage().told.push(what);
    }
}

/// Notes what the ledger receives, without its times.
impl NotificationObserver for Shared {
    fn due(&self, resource: &str, state: &str, _: Instant) {
        self.tell(format!("due {resource} {state}"));
    }

    fn received(&self, resource: &str, state: &str, _: Instant, acknowledged: bool) {
        self.tell(format!("received {resource} {state} {acknowledged}"));
    }

    fn status_seen(&self, resource: &str, state: &str, _: Instant) {
        self.tell(format!("status {resource} {state}"));
    }
}

async fn serve(State(shared): State<Shared>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 100_000).await.unwrap();
    let path = head.uri.path();
    if path.starts_with("/__emulator") {
        return axum::Json(control(&shared, path, &body).await).into_response();
    }
    let mut stage = shared.stage();
    stage.asked.push(format!("{} {path} {:?} {}", head.method, head.headers.get("authorization"), String::from_utf8_lossy(&body)));
    let responses = &mut stage.responses.calls[usize::from(head.method != "POST")];
    if responses.is_empty() {
        return axum::http::StatusCode::INTERNAL_SERVER_ERROR.into_response();
    }
    let served = responses.remove(0);
    stage.is_alone &= served.alone;
    Response::builder().status(served.status).header("content-type", served.media_type).body(served.body.into()).unwrap()
}

/// The control API of an emulator with one world.
async fn control(shared: &Shared, path: &str, body: &[u8]) -> Value {
    match path {
        "/__emulator/actions" => return json!({ "actions": ["payer.pays"] }),
        "/__emulator/worlds" => {
            let settings: Value = serde_json::from_slice(body).unwrap();
            shared.stage().inbox = settings["merchants"][0]["notification-url"].as_str().unwrap().to_owned();
            return json!({ "path": "/w/one", "control": "/__emulator/worlds/one" });
        }
        _ => {}
    }
    if path.ends_with("/actions/payer.pays") {
        let (inbox, pushes) = {
            let mut stage = shared.stage();
            (stage.inbox.clone(), std::mem::take(&mut stage.responses.pushes))
        };
        for push in pushes {
            shared.stage().is_alone &= push.alone;
            let request = reqwest::Client::new().request(push.method.parse().unwrap(), &inbox).header("content-type", push.media_type);
            request.body(push.body).send().await.unwrap();
        }
    }
    json!({})
}

/// A run whose only user plays the script.
struct Players {
    shared: Shared,
    run: Arc<RunState>,
}

/// The outcome of playing twice.
#[derive(Clone, Debug, Default, PartialEq)]
struct TwoIterations {
    passed: Vec<bool>,
    found: Vec<Vec<String>>,
    stopped: Vec<Option<String>>,
    calls: Vec<(usize, Option<ErrorKind>)>,
    /// Counts of the responses to each operation.
    response_counts: Vec<Vec<ResponseCount>>,
    asked: Vec<String>,
    told: Vec<String>,
}

impl Players {
    async fn start() -> Self {
        let contracts = &Contracts::shipped();
        let shared = Shared::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let router = axum::Router::new().fallback(serve).with_state(shared.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        let path = "scenarios/gateway/journey.yaml";
        let script = scenario::parse(path, &Source::new(path, SCRIPT), contracts).unwrap_or_else(|e| panic!("{}", e.render(false)));
        let scripts = [Arc::new(script)];
        let text = "title: one\nkind: constant-users\nusers: 1\nfor: 1s\nconservation: off\nmix: [{ scenario: gateway/journey }]\n";
        let profile = profile::parse(&Source::new("one.yaml", text), contracts, &scripts).unwrap_or_else(|e| panic!("{}", e.render(false)));
        let played = profile::scripts(&profile, contracts, &scripts).unwrap_or_else(|e| panic!("{}", e.render(false)));
        let cases = played.into_iter().map(|script| Arc::new(script.into_case())).collect();
        let source = Source::new("target.yaml", TARGET.replace("BASE", &base));
        let target = target::parse(&source, contracts, &|_| None).unwrap_or_else(|e| panic!("{}", e.render(false)));
        let observer = Some(Arc::new(shared.clone()) as Arc<dyn NotificationObserver>);
        let context = Context::start_observed(Arc::clone(contracts), target, Vec::new(), 1, observer).await.unwrap();
        let run = Arc::new(RunState::new(Arc::new(context), Arc::new(profile), cases, None, Shard::WHOLE, true));
        Self { shared, run }
    }

    /// Plays two iterations of a new user. Returns also whether all faults show without the messages before them.
    async fn play(&self, responses: &[Responses; 2], fast: bool) -> (TwoIterations, bool) {
        let mut user = VirtualUser::ready(Arc::clone(&self.run), 0).await.unwrap();
        let entry = &mut user.sessions[0];
        assert!(entry.journey.is_some(), "this script is for the fast path");
        let mut outcome = TwoIterations::default();
        self.run.meter.forget(None);
        self.shared.stage().is_alone = true;
        for responses in responses {
            self.shared.stage().responses = responses.clone();
            // Every hundredth iteration is recorded: the first one is.
            entry.iterations = u64::from(fast);
            let mut recorder = CallRecorder { run: &self.run, late: Duration::ZERO, calls: &mut user.calls };
            let played = entry.play(false, &mut recorder).await.played;
            if fast && played.passed() && responses.pushes.len() == 1 {
                assert!(played.record.entries.is_empty(), "nothing is recorded of what is fine: {responses:#?}");
            }
            outcome.passed.push(played.passed());
            let mut found: Vec<String> = played.findings.iter().chain(&played.unexpected).map(shown).collect();
            found.sort();
            found.dedup();
            outcome.found.push(found);
            outcome.stopped.push(played.stopped);
        }
        outcome.calls = user.calls.iter().map(|call| (call.operation, call.error)).collect();
        user.leave().await;
        self.run.meter.tick(Tick { at: Duration::from_secs(1), users: 1, intended: None }, |_| ());
        let measured = self.run.meter.finish(Duration::from_secs(1));
        outcome.response_counts = measured.operations.into_iter().map(|operation| operation.responses).collect();
        let mut stage = self.shared.stage();
        (outcome.asked, outcome.told) = (std::mem::take(&mut stage.asked), std::mem::take(&mut stage.told));
        (outcome, stage.is_alone)
    }

    /// Plays the same on both paths and compares the outcomes.
    async fn agree(&self, responses: &[Responses; 2]) -> TwoIterations {
        let (slow, is_alone) = self.play(responses, false).await;
        let (fast, _) = self.play(responses, true).await;
        assert_eq!((&fast.asked, &fast.told), (&slow.asked, &slow.told), "the same happens: {responses:#?}");
        for (fast, slow) in fast.found.iter().zip(&slow.found) {
            assert!(fast.iter().all(|finding| slow.contains(finding)), "only the fast path finds {fast:#?}, not {slow:#?}: {responses:#?}");
        }
        if is_alone {
            assert_eq!(fast, slow, "what shows in one message alone is seen on the fast path: {responses:#?}");
        }
        slow
    }
}

/// A finding without the number of its exchange.
fn shown(finding: &Finding) -> String {
    let Finding { clauses, operation, message, at, expected, got, step, assumed, .. } = finding;
    format!("{clauses:?} {operation} {message} {at:?} {expected:?} {got:?} {step:?} {assumed:?}")
}

fn good() -> Responses {
    Responses { calls: [vec![CREATED], vec![PAID, PAID]], pushes: vec![PUSH] }
}

/// Mostly good messages, with others in between.
fn responses() -> impl Strategy<Value = Responses> {
    let one = |good: Served, others: &'static [Served]| prop_oneof![4 => Just(good), 1 => prop::sample::select(others)];
    let creations = prop::collection::vec(one(CREATED, &CREATIONS), 1);
    let states = prop::collection::vec(one(PAID, &STATES), 1..5);
    let pushes = prop_oneof![
        5 => prop::collection::vec(one(PUSH, &PUSHES), 1),
        1 => prop::collection::vec(one(PUSH, &PUSHES), 0..3),
    ];
    (creations, states, pushes).prop_map(|(creations, states, pushes)| Responses { calls: [creations, states], pushes })
}

#[tokio::test]
async fn a_good_journey_passes_on_both_paths_and_a_second_notification_is_judged() {
    let players = Players::start().await;
    let outcome = players.agree(&[good(), Responses { pushes: vec![PUSH, PUSH], ..good() }]).await;
    assert_eq!(outcome.passed, [true, true], "{outcome:#?}");
    assert_eq!((outcome.asked.len(), outcome.calls.len(), outcome.told.len()), (6, 6, 7), "{outcome:#?}");
    for push in PUSHES {
        let outcome = players.agree(&[Responses { pushes: vec![push], ..good() }, good()]).await;
        assert_eq!(outcome.passed, [false, true], "{push:?}: {outcome:#?}");
    }
}

/// A notification with one place broken, in every way that shows in it alone; and without each of its fields, which may not.
fn broken() -> Vec<Served> {
    let whole: Value = serde_json::from_str(PUSH.body).unwrap();
    let names: Vec<String> = whole.as_object().unwrap().keys().cloned().collect();
    let mut all = Vec::new();
    for name in &names {
        for other in [json!({ "not": "a text" }), json!([1]), json!(4711)] {
            let mut body = whole.clone();
            body[name] = other;
            all.push((body.to_string(), true));
        }
        let mut without = whole.clone();
        without.as_object_mut().unwrap().shift_remove(name);
        all.push((without.to_string(), false));
    }
    let text = PUSH.body;
    all.extend([
        (text[..text.len() / 2].to_owned(), true),
        (format!("{text}}}"), true),
        (format!("{text}{text}"), true),
        (format!("\u{feff}{text}"), true),
        (text.replacen('{', "{\"status\":\"PAID\",", 1), true),
        (text.replacen('{', "{\"status\":\"CANCELLED\",", 1), true),
        (text.replacen("\"PAID\"", "\"paid\"", 1), true),
        (text.replacen("not-a-secret-0", "not-a-secret-1", 1), true),
        (text.replacen('{', "{\"more\":1,", 1), false),
        ("null".to_owned(), true),
        ("[]".to_owned(), true),
    ]);
    // What a test holds until it ends.
    let mut served: Vec<Served> = all.into_iter().map(|(body, alone)| Served { alone, ..fine(Box::leak(body.into_boxed_str())) }).collect();
    let types = ["text/plain", "application/problem+json", "application/json; charset=utf-8", FORM];
    served.extend(types.map(|media_type| Served { media_type, ..PUSH }));
    served
}

#[tokio::test]
async fn a_broken_notification_is_found_on_both_paths() {
    let players = Players::start().await;
    let mut found = 0;
    for push in broken() {
        let outcome = players.agree(&[Responses { pushes: vec![push], ..good() }, good()]).await;
        found += usize::from(!outcome.passed[0]);
        assert!(outcome.passed[1], "{push:?}: {outcome:#?}");
    }
    assert!(found > 50, "{found} were found");
}

#[test]
fn journeys_are_judged_as_on_the_slow_path() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let players = runtime.block_on(Players::start());
    let mut runner = TestRunner::new(Config { cases: 48, failure_persistence: None, ..Config::default() });
    let counts = std::cell::RefCell::new([0, 0]);
    let all = runner.run(&[responses(), responses()], |both| {
        for one in runtime.block_on(players.agree(&both)).passed {
            counts.borrow_mut()[usize::from(one)] += 1;
        }
        Ok(())
    });
    all.unwrap();
    let [failed, passed] = counts.into_inner();
    assert!(passed > 10 && failed > 10, "{passed} iterations passed, {failed} failed");
}
