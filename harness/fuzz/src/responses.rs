//! Bodies of responses.

use std::sync::LazyLock;
use std::time::Duration;

use harness::engine::recorder::{Received, Recorder};
use harness::judge::check;
use harness::spec::contract::{Contracts, Files};
use harness::wire::exchange::{Direction, Exchange, ExchangeOutcome, Request, Response, Vault, decode_form, decode_json, encode_form};
use serde_json::Value;

static CONTRACTS: LazyLock<Contracts> = LazyLock::new(|| Contracts::read(&Files::contracts()).expect("the contracts are sound"));
static RECORDER: LazyLock<Recorder> = LazyLock::new(Recorder::default);

/// Forms: what is read without a fault reads the same when it is written again.
pub fn form(bytes: &[u8]) {
    let Ok((fields, faults)) = decode_form(bytes) else { return };
    if faults.is_empty() {
        let pairs = fields.iter().map(|(key, value)| (key.as_str(), value.as_str().expect("fields of a form are texts")));
        assert_eq!(decode_form(encode_form(pairs).as_bytes()).expect("what was written is a form"), (fields.clone(), Vec::new()));
    }
}

/// JSON: what is read without a fault reads the same when it is written again, and is JSON for others too.
pub fn json(bytes: &[u8]) {
    let Ok((value, faults)) = decode_json(bytes) else { return };
    if faults.is_empty() {
        let others: Value = serde_json::from_slice(bytes).expect("what is read without a fault is JSON");
        assert!(is_the_same(&value, &others), "{value} is read, and {others} by others");
        assert_eq!(decode_json(value.to_string().as_bytes()).expect("what was written is JSON"), (value, Vec::new()));
    }
}

/// Whether two values are equal; a whole number is one however it is written.
fn is_the_same(ours: &Value, others: &Value) -> bool {
    match (ours, others) {
        (Value::Number(ours), Value::Number(others)) => ours == others || ours.as_f64() == others.as_f64(),
        (Value::Array(ours), Value::Array(others)) => {
            ours.len() == others.len() && ours.iter().zip(others).all(|(one, other)| is_the_same(one, other))
        }
        (Value::Object(ours), Value::Object(others)) => {
            ours.len() == others.len() && ours.iter().all(|(key, value)| others.get(key).is_some_and(|other| is_the_same(value, other)))
        }
        _ => ours == others,
    }
}

/// Answers: whatever a target says to whichever call, it is recorded and judged, at once or while it is read. The
/// first line says call, status and how it is read (`whole` or `long`); the rest is the body.
pub fn response(bytes: &[u8]) {
    let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else { return };
    let (head, body) = (String::from_utf8_lossy(&bytes[..end]), &bytes[end + 1..]);
    let mut words = head.split(' ');
    let (Some(call), Some(Ok(status)), Some(way)) = (words.next(), words.next().map(str::parse), words.next()) else { return };
    let Some(operation) = CONTRACTS.operations.get(call) else { return };
    let (request, vault) = (Request::default(), Vault::default());
    let content = operation.documented(&request, status).first().copied();
    let media_type = content.map(|content| content.media_type.as_str());
    let received = Received { media_type, content, fact_rules: &operation.fact_rules, request: &request, vault: &vault };
    let body = if way == "whole" {
        RECORDER.response(body, received)
    } else {
        let (head, mut rest) = body.split_at(body.len() / 2);
        RECORDER.long_response(head, &mut rest, received)
    };
    let headers = media_type.map(|media_type| ("content-type".to_owned(), media_type.to_owned())).into_iter().collect();
    let exchange = Exchange {
        number: 0,
        arrived: 0,
        direction: Direction::Call,
        operation: operation.id.clone(),
        identity: "main".to_owned(),
        request: request.clone(),
        outcome: ExchangeOutcome::Response(Response { status, headers, body }),
        elapsed: Duration::ZERO,
    };
    let judgement = check::response(operation, &exchange);
    assert!(judgement.findings.iter().all(|finding| !finding.message.is_empty() && !finding.clause().is_empty()));
}
