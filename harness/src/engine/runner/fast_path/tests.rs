//! Proves that the fast path never finds less: of all responses recorded in a run of the suite, broken in every field, in their
//! bytes and in their headers, none is fine in which `verify` would have found a fault.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use http::HeaderValue;
use http::header::CONTENT_TYPE;
use proptest::prelude::*;
use serde_json::{Map, json};

use super::documented::needs_record;
use super::*;
use crate::base::source::Source;
use crate::engine::event::Event;
use crate::engine::recorder::Received;
use crate::engine::recorder::Recorder;
use crate::engine::runner::{Case, Context, Limits, Selection, UserClient, plan, run};
use crate::engine::testing::TARGET;
use crate::judge::check;
use crate::judge::record::redirected;
use crate::spec::{scenario, target};
use crate::wire::exchange::{Body, Coding, Decoded, Direction, ExchangeOutcome, Request, Response, Vault, encode_form};

/// The records of a run of the suite, without slow scripts.
async fn recorded(contracts: &Arc<Contracts>) -> Vec<Arc<Exchange>> {
    let emulator = emulator::Emulator::start(emulator::Config::default()).await.unwrap();
    let text = TARGET.replace("BASE", &emulator.base_url());
    let target = target::parse(&Source::new("target.yaml", text), contracts, &|_| None).unwrap_or_else(|e| panic!("{}", e.render(false)));
    let scenarios = scenario::shipped();
    let mut cases: Vec<Case> = plan(&scenarios, contracts, &Selection::default());
    cases.retain(|case| !case.name.scenario.contains("1000-times") && !case.name.scenario.contains("of-many"));
    // Most cases have exchanges of the same shapes, and each shape is compared once.
    let cases = cases.into_iter().step_by(3).collect();
    let context = Arc::new(Context::start(Arc::clone(contracts), target, Vec::new(), 1).await.unwrap());
    let mut exchanges = Vec::new();
    let ran = run(context, cases, BTreeSet::new(), Limits { jobs: 64 }, std::future::pending(), |event| {
        if let Event::CaseFinished(case) = event {
            exchanges.extend(case.record.iter().cloned());
        }
        Ok::<(), std::convert::Infallible>(())
    });
    let _ = ran.await;
    exchanges
}

/// The names that are there, at any depth.
fn places(value: &Value) -> Vec<String> {
    let below = |name: &str, inner: &Value| places(inner).into_iter().map(|place| format!("{name}/{place}")).collect::<Vec<_>>();
    match value {
        Value::Object(map) => map.iter().flat_map(|(name, inner)| [vec![name.clone()], below(name, inner)].concat()).collect(),
        Value::Array(items) => items.first().map(|first| [vec!["items".to_owned()], below("0", first)].concat()).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// One response of each operation, status and shape.
fn shapes(exchanges: &[Arc<Exchange>]) -> Vec<&Arc<Exchange>> {
    let mut shapes = BTreeMap::new();
    for exchange in exchanges.iter().filter(|exchange| exchange.direction == Direction::Call) {
        let Some(response) = exchange.response() else { continue };
        let code = exchange.response_value().and_then(|value| value.get("code")).map(Value::to_string);
        let shape = (exchange.operation.clone(), response.status, code, exchange.response_value().map(places));
        shapes.entry(shape).or_insert(exchange);
    }
    shapes.into_values().collect()
}

/// A value with one place changed, at any depth.
fn broken(value: &Value) -> Vec<Value> {
    let instead =
        [json!({"not": "a text"}), json!([1]), json!(-1), json!(0.5), json!(true), json!(""), json!("no such"), Value::Null, json!(0)];
    let mut all: Vec<Value> = instead.into_iter().filter(|other| other != value).collect();
    match value {
        Value::Object(map) => {
            for (name, inner) in map {
                let mut without = map.clone();
                without.shift_remove(name);
                all.push(Value::Object(without));
                all.extend(broken(inner).into_iter().map(|inner| with(map, name, inner)));
            }
            all.extend(["code", "errorCode", "status", "transId", "unknown"].map(|name| with(map, name, json!("PAID"))));
        }
        Value::Array(items) => {
            all.push(Value::Array([items.clone(), items.clone()].concat()));
            for inner in items.first().map(broken).unwrap_or_default() {
                all.push(Value::Array([vec![inner], items.get(1..).unwrap_or_default().to_vec()].concat()));
            }
        }
        Value::String(text) => all.extend([json!(format!("{text}x")), json!(text.to_lowercase()), json!("x".repeat(3000))]),
        Value::Number(number) => all.extend([json!(number.to_string()), json!(4711), json!(-7)]),
        Value::Null | Value::Bool(_) => {}
    }
    all
}

fn with(map: &Map<String, Value>, name: &str, value: Value) -> Value {
    let mut changed = map.clone();
    changed.insert(name.to_owned(), value);
    Value::Object(changed)
}

/// A value as such a response writes it.
fn spelled(coding: Coding, value: &Value) -> Vec<u8> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match (coding, value) {
        (Coding::Form, Value::Object(fields)) => {
            let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), text(value))).collect();
            encode_form(fields.iter().map(|(name, value)| (*name, value.as_str()))).into_bytes()
        }
        _ => value.to_string().into_bytes(),
    }
}

/// Damaged bytes.
fn damaged(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> =
        [0, 1, bytes.len() / 2, bytes.len().saturating_sub(1)].map(|end| bytes.get(..end).unwrap_or(bytes).to_vec()).into();
    let join = |parts: &[&[u8]]| parts.concat();
    all.extend([
        join(&[b"\xef\xbb\xbf", bytes]),
        join(&[b" \n", bytes, b"\n "]),
        join(&[bytes, b"}"]),
        join(&[bytes, bytes]),
        join(&[bytes, b"\0"]),
        join(&[bytes, b"&code=1"]),
        join(&[bytes, b"&%zz=%"]),
        join(&[bytes, b"\xff"]),
    ]);
    if let Some((b'{', rest)) = bytes.split_first() {
        // A repeated name, an unknown name, and another spelling of a number.
        all.extend(
            [&b"\"code\":1,"[..], b"\"code\":0,", b"\"code\":0.0,", b"\"more\":1,", b"\"\xff\":1,"].map(|field| join(&[b"{", field, rest])),
        );
        let text = String::from_utf8_lossy(bytes);
        all.extend(
            ["\"code\":0.0", "\"code\":0e0", "\"code\":-0", "\"code\":00"].map(|code| text.replace("\"code\":0", code).into_bytes()),
        );
    }
    all
}

fn heads(response: &Response) -> Vec<HeaderMap> {
    let of = |types: &[&[u8]]| types.iter().map(|value| (CONTENT_TYPE, HeaderValue::from_bytes(value).unwrap())).collect::<HeaderMap>();
    let own = response.header("content-type").unwrap_or_default().as_bytes();
    vec![
        of(&[]),
        of(&[own]),
        of(&[b""]),
        of(&[b"application/json"]),
        of(&[b"APPLICATION/JSON ; charset=utf-8"]),
        of(&[b"application/json; charset=iso-8859-1"]),
        of(&[b"application/problem+json"]),
        of(&[b"application/x-www-form-urlencoded"]),
        of(&[b"text/html"]),
        of(&[b"text/\xe9"]),
        of(&[b"application/json\xff"]),
        of(&[b"application/json;\xff"]),
        of(&[b"text/html", b"application/json"]),
        of(&[b"application/json", b"text/html"]),
    ]
}

/// The responses compared.
#[derive(Default)]
struct Proof {
    asked: usize,
    decoded: Value,
    fine: BTreeMap<String, usize>,
}

impl Proof {
    /// Compares both judges on one response.
    fn holds(&mut self, operation: &Operation, exchange: &Exchange, status: u16, headers: &HeaderMap, bytes: &[u8]) -> bool {
        self.asked += 1;
        // The memory still holds another response, as under load.
        let documented = Documented::for_request(operation, || exchange.request.clone());
        let Some(form) = success(operation, &documented, (status, headers, bytes), &mut self.decoded) else { return false };
        let (recorder, vault) = (Recorder::default(), Vault::default());
        let media_type = headers.get(CONTENT_TYPE).map(|value| String::from_utf8_lossy(value.as_bytes()));
        let content = operation.content(&exchange.request, status, media_type.as_deref(), bytes);
        let received = Received {
            media_type: media_type.as_deref(),
            content,
            fact_rules: &operation.fact_rules,
            request: &exchange.request,
            vault: &vault,
        };
        let body = recorder.response(bytes, received);
        let outcome = ExchangeOutcome::Response(Response { status, headers: recorder.headers(headers, &vault), body });
        let judged = Exchange { outcome, ..exchange.clone() };
        let found = check::response_findings(operation, &judged);
        let shown = String::from_utf8_lossy(bytes);
        assert!(found.is_empty(), "{} {status} {headers:?} {shown} is fine, and has {found:#?}", operation.id);
        if form == SuccessForm::Redirect {
            assert!(redirected(operation, &judged), "{} {shown} is no redirect", operation.id);
            return true;
        }
        assert_eq!(judged.response_value(), (form == SuccessForm::Value).then_some(&self.decoded), "{} {shown}", operation.id);
        assert!(operation.accepted(&judged), "{} {shown} is fine, and no success", operation.id);
        *self.fine.entry(operation.id.clone()).or_default() += 1;
        true
    }

    /// A response, broken in every place.
    fn everywhere(&mut self, operation: &Operation, exchange: &Exchange, response: &Response) {
        let coding = response.header("content-type").map_or(Coding::Json, Coding::from_media_type);
        let own = heads(response).swap_remove(1);
        let bytes = match exchange.response_value() {
            Some(value) => spelled(coding, value),
            None => response.body.text.clone().into_bytes(),
        };
        let was_fine = self.holds(operation, exchange, response.status, &own, &bytes);
        let content = operation.content_of(exchange);
        let fast = content.is_some_and(|content| needs_record(content).is_none());
        let good =
            fast && !operation.empty_response && operation.accepted(exchange) && check::response_findings(operation, exchange).is_empty();
        assert!(was_fine || !good, "{} is judged slowly: {}", operation.id, String::from_utf8_lossy(&bytes));
        if !operation.empty_response && !operation.response.iter().any(|content| needs_record(content).is_none()) {
            return;
        }
        for value in exchange.response_value().map(broken).unwrap_or_default() {
            self.holds(operation, exchange, response.status, &own, &spelled(coding, &value));
        }
        for bytes in damaged(&bytes) {
            self.holds(operation, exchange, response.status, &own, &bytes);
        }
        for status in [200, 201, 202, 204, 206, 299, 300, 302, 304, 400, 401, 404, 429, 500, 503] {
            for head in heads(response) {
                self.holds(operation, exchange, status, &head, &bytes);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_fast_path_never_finds_less() {
    let contracts = Contracts::shipped();
    let exchanges = recorded(&contracts).await;
    let mut proof = Proof::default();
    for exchange in shapes(&exchanges) {
        let (Some(operation), Some(response)) = (contracts.operations.get(&exchange.operation), exchange.response()) else { continue };
        proof.everywhere(operation, exchange, response);
    }
    // The calls that the profiles in the binary put load on were compared, and often.
    for operation in
        ["gateway.v1.create", "gateway.v2.create", "gateway.v1.status", "gateway.v2.status", "terminal.status", "status.health"]
    {
        assert!(proof.fine.get(operation).is_some_and(|times| *times > 20), "{operation}: {:?}", proof.fine);
    }
    assert!(proof.asked > 10_000, "{}", proof.asked);
}

/// The request depends on earlier responses, so it is checked against the target's rules each time.
#[tokio::test]
async fn no_money_moves_on_a_live_target_because_a_request_is_made_late() {
    let contracts = Contracts::shipped();
    let text = "title: Twice\nclauses: [gateway.versions]\nsteps:\n  - call: gateway.v2.create\n    keep: { payment: transId }\n  - call: gateway.v2.create\n    with: { refId: '{{ payment }}', test: false }\n";
    let path = "scenarios/gateway/twice.yaml";
    let scenario =
        scenario::parse(path, &Source::new(path, text), &contracts).unwrap_or_else(|problems| panic!("{}", problems.render(false)));
    let case = plan(&[Arc::new(scenario)], &contracts, &Selection::default()).remove(0);
    let live = "title: live\nbase: http://192.0.2.1\ncredentials: { main: { merchant: '1', secret: not-a-secret-0 } }\n";
    for (allow, refused) in [("", true), ("allow: { production: true }\n", false)] {
        let target = target::parse(&Source::new("target.yaml", format!("{live}{allow}")), &contracts, &|_| None).unwrap();
        let context = Arc::new(Context::start(Arc::clone(&contracts), target, Vec::new(), 1).await.unwrap());
        let client = UserClient::new(&context);
        let user = UserSession::open(context, Arc::new(case.clone()), ("user", 1), &client).await.unwrap();
        let script = FastScript::compile(&user).unwrap();
        let mut variables = user.first().variables.clone();
        variables.insert("payment".to_owned(), json!("AB12"));
        let request = script.calls.last().unwrap().request(&user, &variables);
        assert_eq!(request.is_err(), refused, "{request:?}");
    }
}

/// A constant request is checked once: the fast path does not take it, and the slow one refuses it.
#[tokio::test]
async fn a_constant_request_without_test_is_no_fast_path_on_a_live_target() {
    let contracts = Contracts::shipped();
    let path = "scenarios/gateway/once.yaml";
    let live = "title: live\nbase: http://192.0.2.1\ncredentials: { main: { merchant: '1', secret: not-a-secret-0 } }\n";
    for (step, fast) in [
        ("expect: { code: 0 }", true),
        ("body: '{\"test\": true}'", true),
        ("body: '{\"price\": 1}'", false),
        ("query: { test: 'false' }", false),
        ("with: { test: 'true' }", false),
    ] {
        let text = format!("title: Once\nclauses: [gateway.versions]\nsteps:\n  - call: gateway.v2.create\n    {step}\n");
        let script = scenario::parse(path, &Source::new(path, text), &contracts).unwrap_or_else(|e| panic!("{}", e.render(false)));
        let case = plan(&[Arc::new(script)], &contracts, &Selection::default()).remove(0);
        let target = target::parse(&Source::new("target.yaml", live), &contracts, &|_| None).unwrap();
        let context = Arc::new(Context::start(Arc::clone(&contracts), target, Vec::new(), 1).await.unwrap());
        let client = UserClient::new(&context);
        let user = UserSession::open(context, Arc::new(case), ("user", 1), &client).await.unwrap();
        assert_eq!(FastScript::compile(&user).is_some(), fast, "{step}");
        if !fast {
            let played = user.play().await;
            assert!(played.stopped.as_ref().is_some_and(|why| why.contains("allow: { production: true }")), "{step}: {played:?}");
        }
    }
}

fn creation(prepare_only: Option<&Value>) -> Exchange {
    let fields = prepare_only.map(|value| ("prepareOnly".to_owned(), value.clone())).into_iter().collect();
    let body = Body { decoded: Decoded::Value(Value::Object(fields), Vec::new()), ..Body::default() };
    let request = Request { method: "POST".into(), url: String::new(), body, ..Request::default() };
    let outcome = ExchangeOutcome::Response(Response { status: 200, headers: Vec::new(), body: Body::default() });
    Exchange {
        number: 0,
        arrived: 0,
        direction: Direction::Call,
        operation: "gateway.v1.create".into(),
        identity: "main".into(),
        request,
        outcome,
        elapsed: Duration::ZERO,
    }
}

/// A form, with fields of a creation's response that may be anything.
fn forms() -> impl Strategy<Value = String> {
    let field = |name: &'static str, values: &'static [&'static str]| prop_oneof![1 => Just(String::new()), 4 => prop::sample::select(values).prop_map(move |value| format!("&{name}={value}"))];
    let code = field("code", &["0", "00", "1400", "", "x", "-0", "0.0", "4711"]);
    let message = field("message", &["OK", "", "%4f", "%zz"]);
    let payment = field("transId", &["AB12-CD34-EF56", "", "x"]);
    let redirect = field("redirect", &["https%3A%2F%2Fpay.example%2Fa", "http", ""]);
    let more = field("more", &["1"]);
    (code, message, payment, redirect, more).prop_map(|(a, b, c, d, e)| [a, b, c, d, e].concat().trim_start_matches('&').to_owned())
}

proptest! {
    /// Documented success depends on the request: a response is never fine for another request than its own.
    #[test]
    fn a_response_to_any_creation_is_fine_only_where_verify_finds_nothing(
        prepare_only in prop::option::of(prop::sample::select(vec![json!(true), json!(false), json!("true"), json!(1), Value::Null])),
        status in prop::sample::select(vec![200u16, 201, 204, 299, 301, 302, 303, 307, 400, 500]),
        media_type in prop::option::of(prop::sample::select(vec![
            "application/x-www-form-urlencoded", "application/x-www-form-urlencoded; charset=utf-8", "text/html", "application/json", ""
        ])),
        location in prop::option::of(prop::sample::select(vec!["https://pay.example/a", ""])),
        form in forms(),
    ) {
        let contracts = Contracts::shipped();
        let operation = contracts.operations.get("gateway.v1.create").unwrap();
        let heads = [(CONTENT_TYPE, media_type), (http::header::LOCATION, location)];
        let heads: HeaderMap = heads.into_iter().filter_map(|(name, value)| Some((name, HeaderValue::from_static(value?)))).collect();
        let exchange = creation(prepare_only.as_ref());
        let mut proof = Proof::default();
        let was_fine = proof.holds(operation, &exchange, status, &heads, form.as_bytes());
        if was_fine && status < 300 {
            prop_assert_eq!(&prepare_only, &Some(json!(true)), "only this one is answered with a form");
        }
        prop_assert!(!was_fine || status < 300 || location.is_some_and(|location| !location.is_empty()));
    }
}
