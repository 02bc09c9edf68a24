//! A server that breaks the contract occasionally: every violation is counted, by cause.

use harness::load::result::{ErrorKind, LoadVerdict};
use serde_json::{Value, json};

use super::server::{Server, created};
use super::stage::Stage;
use super::support::MAIN;
use super::support::raw::Raw;

/// A response; its number's remainder selects what is wrong with it, if anything.
const EVERY: u64 = 50;
const BREAKS: [(u64, &str); 3] =
    [(0, "gateway.create.answer.transId.present"), (10, "gateway.create.codes"), (20, "gateway.create.answer.redirect.url")];

fn mostly(number: u64) -> Value {
    let mut response = created(number);
    match number % EVERY {
        0 => _ = response.as_object_mut().unwrap().remove("transId"),
        10 => response = json!({"code": 4711, "message": "nobody knows"}),
        20 => response["redirect"] = json!("no address"),
        _ => {}
    }
    response
}

const PROFILE: &str = "kind: constant-arrival-rate
rate: 300
users: 8
for: 2s
conservation: off
killswitch: { errors: 100%, after: 1 }
mix: [{ scenario: ./gateway/creation.yaml }]
";

#[tokio::test(flavor = "multi_thread")]
async fn every_response_that_breaks_the_contract_is_counted_by_its_cause() {
    let server = Server::responding(mostly).await;
    let stage = Stage::at(&server.url);
    let html = stage.path("result.html");
    let loaded = stage.load(PROFILE, &["--html", html.to_str().unwrap()]).await;
    loaded.ended_with(1);
    let asked = server.asked();
    assert_eq!(loaded.requests(), asked);
    assert!(asked > EVERY, "each cause at least once: {asked}");
    let mut broken = 0;
    for (remainder, clause) in BREAKS {
        let times = (1..=asked).filter(|number| number % EVERY == remainder).count() as u64;
        let cause = loaded.cause(clause);
        assert_eq!((cause.count, cause.kind, cause.operation.as_str()), (times, ErrorKind::Contract, "gateway.v2.create"), "{clause}");
        assert!((1..=5).contains(&cause.examples.len()), "{clause}: {} examples", cause.examples.len());
        for example in &cause.examples {
            assert!(example.curl.as_deref().unwrap().starts_with("curl "), "{example:?}");
        }
        broken += times;
    }
    let others = loaded.result.findings.iter().filter(|cause| cause.kind == ErrorKind::Contract).count() - BREAKS.len();
    assert_eq!(others, 0, "{:#?}", loaded.result.findings);
    assert_eq!((loaded.all_errors(), loaded.errors(ErrorKind::Contract)), (broken, broken));
    let [scenario] = loaded.result.scenarios.as_slice() else { panic!("{:?}", loaded.result.scenarios) };
    assert_eq!((scenario.failed, scenario.passed), (broken, asked - broken));
    contains_no_secret(&[&loaded.json, &loaded.ended.out, &loaded.ended.err, &std::fs::read_to_string(html).unwrap()]);
}

fn contains_no_secret(texts: &[&str]) {
    let (merchant, secret) = MAIN;
    let header = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, format!("{merchant}:{secret}"));
    for text in texts {
        assert!(!text.contains(secret) && !text.contains(&header), "a secret is in:\n{text}");
    }
}

/// A script that expects five fields of the response.
const FIELDS: &str = "title: A payment is created and read
clauses: [gateway.status.code.0]
steps:
  - call: gateway.v2.status
    with: { transId: AB12-CD34-EF56 }
    expect: { code: 0, transId: AB12-CD34-EF56, status: PENDING, price: \"12300\", curr: CZK }
    clause: gateway.status.code.0
";

#[tokio::test(flavor = "multi_thread")]
async fn a_response_without_a_body_is_one_cause_whatever_the_step_expects() {
    for broken in [
        "HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 8\r\n\r\n{\"code\":",
    ] {
        let server = Raw::saying(broken).await;
        let stage = Stage::at(server.url.as_str().trim_end_matches('/'));
        stage.script("fields", FIELDS);
        let profile = PROFILE.replace("for: 2s", "for: 200ms").replace("creation", "fields");
        let loaded = stage.load(&profile, &[]).await;
        let [cause] = loaded.ended_with(1).result.findings.as_slice() else { panic!("{broken}: {:#?}", loaded.result.findings) };
        assert_eq!((cause.kind, cause.count), (ErrorKind::Contract, loaded.requests()), "{cause:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_wrong_response_of_all_is_enough() {
    let server = Server::responding(|number| if number == 77 { json!({"code": "zero"}) } else { created(number) }).await;
    let loaded = Stage::at(&server.url).load(PROFILE, &[]).await;
    assert_eq!((loaded.ended_with(1).errors(ErrorKind::Contract), loaded.result.verdict), (1, LoadVerdict::Failed));
    assert!(loaded.result.findings.iter().all(|cause| cause.count == 1), "{:#?}", loaded.result.findings);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_wrong_response_in_ten_thousand_is_found() {
    let server = Server::responding(|number| if number.is_multiple_of(10_000) { json!({"code": "zero"}) } else { created(number) }).await;
    let stage = Stage::at(&server.url);
    let closed = "kind: constant-users\nusers: 16\nfor: 10m\nconservation: off\nmix: [{ scenario: ./gateway/creation.yaml }]\n";
    let loaded = stage.interrupted(closed, server.was_asked(10_000)).await;
    assert_eq!((loaded.errors(ErrorKind::Contract), loaded.result.verdict), (server.asked() / 10_000, LoadVerdict::Failed));
}
