//! `until`: asks while the answer is pending, stops at once on a wrong final state.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

use std::process::{Command, Output};

use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

const CREATED: &str = r#"{"code":0,"message":"OK","transId":"AB12-CD34-EF56","redirect":"https://pay1.example.com/AB12-CD34-EF56"}"#;

fn status(state: &str) -> String {
    format!(
        r#"{{"code":0,"message":"OK","test":"true","price":"10000","curr":"CZK","label":"Beach ball","refId":"order-1001",
            "email":"payer@example.com","transId":"AB12-CD34-EF56","status":"{state}"}}"#
    )
}

fn json(body: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_raw(body.to_owned(), "application/json")
}

/// A gateway whose payment goes through these states, one per question; the last one stays.
async fn gateway(states: &[&str]) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("POST")).and(path("/v2.0/payment.json")).respond_with(json(CREATED)).mount(&server).await;
    let (last, earlier) = states.split_last().unwrap();
    for state in earlier {
        let answer = Mock::given(method("GET")).respond_with(json(&status(state))).up_to_n_times(1);
        answer.mount(&server).await;
    }
    Mock::given(method("GET")).respond_with(json(&status(last))).mount(&server).await;
    server
}

async fn asked(server: &MockServer) -> usize {
    server.received_requests().await.unwrap().iter().filter(|r| r.method.as_str() == "GET").count()
}

async fn verify(server: &MockServer, until: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        file
    };
    let target = write(
        "target.yaml",
        format!(
            "title: scripted\nbase: {}\ncredentials: {{ main: {{ merchant: '1', secret: a-secret }} }}\npoll-every: 1ms\npoll-within: 20ms\n",
            server.uri()
        ),
    );
    let script = write(
        "waits.yaml",
        format!(
            "title: Waits\nclauses: [gateway.payment.paid]\nsteps:\n  - call: gateway.v2.create\n    keep: {{ payment: transId }}\n  \
             - call: gateway.v2.status\n    with: {{ transId: '{{{{ payment }}}}' }}\n    until: {until}\n"
        ),
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_paycheck"));
    command.args(["verify", "--target"]).arg(target).arg(script);
    tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[tokio::test(flavor = "multi_thread")]
async fn it_asks_while_the_answer_is_pending() {
    let server = gateway(&["PENDING", "PENDING", "PAID"]).await;
    let output = verify(&server, "{ status: PAID }").await;
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(asked(&server).await, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn it_stops_at_once_on_a_wrong_final_state() {
    let server = gateway(&["PENDING", "CANCELLED", "PAID"]).await;
    let output = verify(&server, "{ status: PAID }").await;
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("gateway.payment.paid"), "{}", said(&output));
    assert_eq!(asked(&server).await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn it_gives_up_when_the_time_is_over() {
    let server = gateway(&["PENDING"]).await;
    let output = verify(&server, "{ status: PAID }").await;
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("PENDING"), "{}", said(&output));
}
