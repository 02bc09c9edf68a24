//! The fast path and the slow one judge the same: the same script is played on both against the same responses.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;
use crate::base::source::Source;
use crate::base::verdict::Finding;
use crate::engine::runner::Context;
use crate::load::meter::Tick;
use crate::load::profile;
use crate::load::result::ResponseCount;
use crate::load::shard::Shard;
use crate::spec::contract::Contracts;
use crate::spec::{scenario, target};
use crate::wire::exchange::decode_form;

/// A form whose response is a form, a call that is repeated while it is pending, and a call with a token.
const SCRIPT: &str = "title: Calls of every kind
clauses: [gateway.versions]
steps:
  - call: gateway.v1.create
    expect: { code: 0 }
    keep: { payment: transId }
  - call: gateway.v2.status
    with: { transId: '{{ payment }}' }
    expect: { test: 'true' }
    until: { status: PAID }
    keep: { state: status }
  - call: qr.status
    with: { transId: '{{ payment }}' }
    expect: { status: { $one-of: [PENDING, '{{ state }}'] } }
    http: { headers: { x-served-by: { $optional: here } } }
";

const TARGET: &str = "title: a target that is not alone
base: BASE
timeout: 20s
poll-every: 1ms
poll-within: WITHIN
credentials:
  main: { merchant: '100001', secret: not-a-secret-0, qr-user: qr-100001, qr-password: not-a-secret-1, mid: M100001, qr-terminal: Q100001 }
";

/// One response, and whether all its faults show without the exchanges before it.
#[derive(Clone, Copy, Debug)]
struct Served {
    status: u16,
    media_type: &'static str,
    body: &'static str,
    header: Option<(&'static str, &'static str)>,
    alone: bool,
}

const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";

const fn fine(media_type: &'static str, body: &'static str) -> Served {
    Served { status: 200, media_type, body, header: None, alone: true }
}

const CREATED: Served = fine(FORM, "code=0&message=OK&transId=AB12-CD34-EF56&redirect=https%3A%2F%2Fpay.example%2Fa");
const CREATIONS: [Served; 9] = [
    fine(FORM, "code=0&message=OK&transId=AB12-CD34-EF57&redirect=https%3A%2F%2Fpay.example%2Fa&more=1"),
    fine(FORM, "code=1400&message=bad+request"),
    fine(FORM, "code=4711&message=what"),
    fine(FORM, "code=0&message=OK&redirect=https%3A%2F%2Fpay.example%2Fa"),
    fine(FORM, "code=zero&message=OK&transId=AB12-CD34-EF56&redirect=https%3A%2F%2Fpay.example%2Fa"),
    fine(JSON, "{\"code\":0}"),
    fine(FORM, ""),
    Served { status: 500, ..CREATED },
    Served { status: 303, header: Some(("location", "https://pay.example/a")), ..CREATED },
];

macro_rules! record {
    ($status:literal, $price:literal, $test:literal) => {
        concat!(
            "{\"code\":0,\"message\":\"OK\",\"test\":",
            $test,
            ",\"price\":",
            $price,
            ",\"curr\":\"CZK\",\"label\":\"Beach ball\",\"refId\":\"REFERENCE\",\"email\":\"payer@example.com\",\"transId\":\"PAYMENT\",",
            "\"status\":\"",
            $status,
            "\",\"fee\":\"unknown\",\"vs\":\"809814646\"}"
        )
    };
}

const PAID: Served = fine(JSON, record!("PAID", "\"10000\"", "\"true\""));
const PENDING: Served = fine(JSON, record!("PENDING", "\"10000\"", "\"true\""));
const STATES: [Served; 12] = [
    // A faulty pending response is found, and the call is still repeated.
    fine(JSON, record!("PENDING", "true", "\"true\"")),
    Served { alone: false, ..fine(JSON, record!("PENDING", "\"10000\"", "\"false\"")) },
    fine(JSON, record!("CANCELLED", "\"10000\"", "\"true\"")),
    fine(JSON, record!("PAID", "10000.5", "\"true\"")),
    fine(JSON, record!("DONE", "\"10000\"", "\"true\"")),
    Served { alone: false, ..fine(JSON, record!("PAID", "\"12300\"", "\"true\"")) },
    Served { alone: false, ..fine(JSON, record!("PENDING", "\"12300\"", "\"true\"")) },
    fine(JSON, "{\"code\":1500,\"message\":\"unexpected error\"}"),
    fine(JSON, "{\"code\":0"),
    Served { status: 404, media_type: "text/html", body: "<p>nothing here</p>", header: None, alone: true },
    Served { media_type: FORM, ..PAID },
    Served { status: 500, ..PAID },
];

const TOKEN: Served = fine(JSON, "{\"token\":\"e30.e30.e30\",\"expiry\":\"2099-01-01T00:00:00Z\"}");
const TOKENS: [Served; 4] = [
    // An expired token is used as well: no other one can be requested.
    fine(JSON, "{\"token\":\"e30.e30.e31\",\"expiry\":\"2001-01-01T00:00:00Z\"}"),
    fine(JSON, "{\"expiry\":\"2099-01-01T00:00:00Z\"}"),
    fine(JSON, "{\"token\":\"not\\na token\",\"expiry\":\"soon\"}"),
    Served { status: 401, media_type: JSON, body: "{\"errorMessage\":\"who are you\"}", header: None, alone: true },
];

const CODE: Served = fine(JSON, "{\"transId\":\"PAYMENT\",\"status\":\"PENDING\",\"refunds\":[]}");
const CODES: [Served; 7] = [
    Served { header: Some(("x-served-by", "here")), ..CODE },
    Served { header: Some(("x-served-by", "elsewhere")), ..CODE },
    fine(JSON, "{\"transId\":\"PAYMENT\",\"status\":\"PAID\",\"refunds\":[]}"),
    fine(JSON, "{\"transId\":\"PAYMENT\",\"status\":\"CANCELLED\",\"refunds\":[]}"),
    fine(JSON, "{\"transId\":\"PAYMENT\",\"status\":\"PENDING\",\"paymentRejectedReason\":\"Canceled by merchant\",\"refunds\":[]}"),
    Served { alone: false, ..fine(JSON, "{\"transId\":\"ANOTHER\",\"status\":\"PENDING\",\"refunds\":[]}") },
    Served { status: 401, ..CODE },
];

/// The responses to the calls of each API, in order; after the last one every response is an empty refusal.
#[derive(Clone, Debug, Default)]
struct Responses([Vec<Served>; 4]);

/// The remaining responses of the target, and the requests that it received.
#[derive(Default)]
struct Stage {
    responses: Responses,
    asked: Vec<String>,
    reference: String,
    is_alone: bool,
}

type Shared = Arc<Mutex<Stage>>;

async fn serve(State(stage): State<Shared>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let body = String::from_utf8_lossy(&axum::body::to_bytes(body, 100_000).await.unwrap()).into_owned();
    let mut stage = stage.lock().unwrap_or_else(PoisonError::into_inner);
    let headers: BTreeMap<_, _> = head.headers.iter().map(|(name, value)| (name.as_str(), value)).collect();
    stage.asked.push(format!("{} {} {headers:?} {body}", head.method, head.uri));
    let path = head.uri.path();
    let queue = ["create", "/v2.0/", "auth-api", "qr-api"].iter().position(|part| path.contains(part)).unwrap();
    if queue == 0 {
        let (fields, _) = decode_form(body.as_bytes()).unwrap();
        stage.reference = fields["refId"].as_str().unwrap().to_owned();
    }
    let responses = &mut stage.responses.0[queue];
    if responses.is_empty() {
        return axum::http::StatusCode::INTERNAL_SERVER_ERROR.into_response();
    }
    let served = responses.remove(0);
    stage.is_alone &= served.alone;
    let payment = path.rsplit('/').next().unwrap().trim_end_matches(".json");
    let body = served.body.replace("PAYMENT", payment).replace("REFERENCE", &stage.reference);
    let builder = Response::builder().status(served.status).header("content-type", served.media_type);
    served.header.into_iter().fold(builder, |builder, (name, value)| builder.header(name, value)).body(body.into()).unwrap()
}

/// A run whose only user plays the script.
struct Players {
    stage: Shared,
    run: Arc<RunState>,
}

/// What outcome of playing twice.
#[derive(Clone, Debug, Default, PartialEq)]
struct TwoIterations {
    passed: Vec<bool>,
    found: Vec<Vec<String>>,
    stopped: Vec<Option<String>>,
    calls: Vec<(usize, Option<ErrorKind>)>,
    /// Counts of the responses to each operation.
    response_counts: Vec<Vec<ResponseCount>>,
    asked: Vec<String>,
}

impl Players {
    async fn start(within: &str) -> Self {
        let contracts = &Contracts::shipped();
        let stage = Shared::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let router = axum::Router::new().fallback(serve).with_state(Arc::clone(&stage));
        tokio::spawn(async move { axum::serve(listener, router).await });
        let source = Source::new("scenarios/gateway/every.yaml", SCRIPT);
        let script = scenario::parse("scenarios/gateway/every.yaml", &source, contracts).unwrap_or_else(|e| panic!("{}", e.render(false)));
        let scripts = [Arc::new(script)];
        let text = "title: one\nkind: constant-users\nusers: 1\nfor: 1s\nconservation: off\nmix: [{ scenario: gateway/every }]\n";
        let profile = profile::parse(&Source::new("one.yaml", text), contracts, &scripts).unwrap_or_else(|e| panic!("{}", e.render(false)));
        let played = profile::scripts(&profile, contracts, &scripts).unwrap_or_else(|e| panic!("{}", e.render(false)));
        let cases = played.into_iter().map(|script| Arc::new(script.into_case())).collect();
        let text = TARGET.replace("BASE", &base).replace("WITHIN", within);
        let target =
            target::parse(&Source::new("target.yaml", text), contracts, &|_| None).unwrap_or_else(|e| panic!("{}", e.render(false)));
        let context = Arc::new(Context::start(Arc::clone(contracts), target, Vec::new(), 1).await.unwrap());
        let run = Arc::new(RunState::new(context, Arc::new(profile), cases, None, Shard::WHOLE, true));
        Self { stage, run }
    }

    /// Plays two iterations of a new user: the second one may have a token. Returns also whether all faults of all responses show
    /// without the exchanges before them.
    async fn play(&self, responses: &[Responses; 2], path: JudgePath) -> (TwoIterations, bool) {
        let mut user = VirtualUser::ready(Arc::clone(&self.run), 0).await.unwrap();
        let entry = &mut user.sessions[0];
        if matches!(path, JudgePath::Client) {
            Arc::get_mut(&mut entry.session).unwrap().send_with_client();
        }
        let mut outcome = TwoIterations::default();
        self.run.meter.forget(None);
        self.stage().is_alone = true;
        for responses in responses {
            self.stage().responses = responses.clone();
            let mut recorder = CallRecorder { run: &self.run, late: Duration::ZERO, calls: &mut user.calls };
            let played = match (path, &mut entry.fast_path) {
                (JudgePath::Client | JudgePath::Slow, fast) => {
                    *fast = None;
                    entry.play(false, &mut recorder).await.played
                }
                (JudgePath::Fast { whole }, fast) => fast.as_mut().unwrap().play(&entry.session, whole, &mut recorder).await.0,
            };
            outcome.passed.push(played.passed());
            let mut found: Vec<String> = played.findings.iter().chain(&played.unexpected).map(shown).collect();
            found.sort();
            found.dedup();
            outcome.found.push(found);
            outcome.stopped.push(played.stopped);
        }
        outcome.calls = user.calls.iter().map(|call| (call.operation, call.error)).collect();
        self.run.meter.tick(Tick { at: Duration::from_secs(1), users: 1, intended: None }, |_| ());
        let measured = self.run.meter.finish(Duration::from_secs(1));
        outcome.response_counts = measured.operations.into_iter().map(|operation| operation.responses).collect();
        outcome.asked = std::mem::take(&mut self.stage().asked);
        (outcome, self.stage().is_alone)
    }

    fn stage(&self) -> std::sync::MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Plays the same responses on every path and compares the outcomes.
    async fn agree(&self, responses: &[Responses; 2]) -> TwoIterations {
        let (slow, is_alone) = self.play(responses, JudgePath::Slow).await;
        let (client, _) = self.play(responses, JudgePath::Client).await;
        assert_eq!(slow, client, "a connection of the user's own sends and records what the client does: {responses:#?}");
        let (whole, _) = self.play(responses, JudgePath::Fast { whole: true }).await;
        assert_eq!(whole, slow, "an iteration that is judged as a whole is judged as in verify: {responses:#?}");
        let (fast, _) = self.play(responses, JudgePath::Fast { whole: false }).await;
        if is_alone {
            // Only echoes need earlier exchanges; here they are wrong only together with another fault.
            let without = |outcome: &TwoIterations| TwoIterations { found: Vec::new(), ..outcome.clone() };
            assert_eq!(without(&fast), without(&slow), "what can be seen in one response alone is seen on the fast path: {responses:#?}");
        }
        for (fast, slow) in fast.found.iter().zip(&slow.found) {
            assert!(fast.iter().all(|finding| slow.contains(finding)), "only the fast path finds {fast:#?}, not {slow:#?}");
        }
        slow
    }
}

#[derive(Clone, Copy, Debug)]
enum JudgePath {
    /// Each iteration is recorded and judged whole, over the client of `verify`.
    Client,
    /// The same over connections of the user's own.
    Slow,
    Fast {
        whole: bool,
    },
}

/// A finding without the number of its exchange: on the fast path, not every exchange has one.
fn shown(finding: &Finding) -> String {
    let Finding { clauses, operation, message, at, expected, got, step, assumed, .. } = finding;
    format!("{clauses:?} {operation} {message} {at:?} {expected:?} {got:?} {step:?} {assumed:?}")
}

fn good() -> Responses {
    Responses([vec![CREATED], vec![PENDING, PENDING, PAID], vec![TOKEN], vec![CODE]])
}

/// Mostly good responses, with others in between.
fn responses() -> impl Strategy<Value = Responses> {
    let one = |good: &'static [Served], others: &'static [Served]| prop_oneof![4 => prop::sample::select(good), 1 => prop::sample::select(others)];
    let first = prop::collection::vec(one(&[CREATED], &CREATIONS), 1);
    let states = prop::collection::vec(one(&[PAID, PENDING], &STATES), 0..6);
    let tokens = prop::collection::vec(one(&[TOKEN], &TOKENS), 2);
    let codes = prop::collection::vec(one(&[CODE], &CODES), 1);
    (first, states, tokens, codes).prop_map(|(first, states, tokens, codes)| Responses([first, states, tokens, codes]))
}

#[tokio::test]
async fn a_token_is_requested_once_and_a_pending_call_is_repeated() {
    let players = Players::start("20s").await;
    let outcome = players.agree(&[good(), good()]).await;
    assert_eq!(outcome.passed, [true, true], "{outcome:#?}");
    let of = |part: &str| outcome.asked.iter().filter(|asked| asked.contains(part)).count();
    assert_eq!((of("create"), of("/v2.0/"), of("auth-api"), of("qr-api")), (2, 6, 1, 2), "{outcome:#?}");
    let counts = |code: Option<&str>, calls| vec![ResponseCount { status: Some(200), code: code.map(str::to_owned), calls }];
    assert_eq!(outcome.response_counts, [counts(Some("0"), 2), counts(Some("0"), 6), counts(None, 1), counts(None, 2)]);
    // Where no time is left to wait, the first pending response is judged as the last one.
    let hasty = Players::start("0s").await;
    let outcome = hasty.agree(&[good(), good()]).await;
    assert_eq!((outcome.passed, outcome.calls.len()), (vec![false, false], 4));
}

#[tokio::test]
async fn a_user_has_one_token_and_one_connection_in_whatever_it_plays() {
    let players = Players::start("20s").await;
    let Responses(each) = good();
    players.stage().responses = Responses(each.map(|responses| responses.repeat(2)));
    let (context, case) = (&players.run.context, &players.run.cases[0]);
    let client = UserClient::new(context);
    let mut connections = Vec::new();
    for name in ["one", "other"] {
        let mut session = UserSession::open(Arc::clone(context), Arc::clone(case), (name, 1), &client).await.unwrap();
        let (begun, played) = (session.begin().await, session.play().await);
        assert!(begun.passed() && played.passed(), "{played:#?}");
        connections.push(session.connection_to(session.base("gateway").unwrap()));
    }
    let asked = std::mem::take(&mut players.stage().asked);
    let of = |part: &str| asked.iter().filter(|asked| asked.contains(part)).count();
    assert_eq!((of("create"), of("auth-api"), of("qr-api")), (2, 1, 2), "{asked:#?}");
    assert!(Arc::ptr_eq(&connections[0], &connections[1]));
}

#[test]
fn the_fast_path_judges_as_the_slow_one_does() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let players = runtime.block_on(Players::start("20s"));
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
