//! A small shop that is in none of the documents, and exchanges with it: a comparison knows no API.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{PlayedCase, PlayedRun};
use crate::base::place::Place;
use crate::base::verdict::{Finding, Verdict};
use crate::engine::event::CaseName;
use crate::spec::contract::{Contracts, Files};
use crate::wire::exchange::{Body, Coding, Decoded, Direction, Exchange, ExchangeOutcome, Request, Response};

const CLAUSES: &str = "
document: shop
clauses:
  shop.order: { section: s, says: Orders are made. }
  shop.read: { section: s, says: Orders are read. }
  shop.read.state: { section: s, says: OPEN or SENT. }
  shop.push: { section: s, says: Changes are pushed. }
";

const OPENAPI: &str = "
openapi: 3.1.0
x-code-field: code
x-success: 0
paths:
  /order:
    post:
      operationId: shop.order
      x-clause: shop.order
      x-codes: { '0': { means: OK, clause: shop.order }, '8': { means: too many, clause: shop.order }, '9': { means: sold out, clause: shop.order } }
      x-creates: { resource: order, id: $response.body#/number }
      responses: { 2XX: { content: { application/json: { schema: { $ref: schemas/record.json } } } } }
  /order/{number}:
    get:
      operationId: shop.read
      x-clause: shop.read
      x-codes: { '0': { means: OK, clause: shop.read }, '9': { means: unknown, clause: shop.read } }
      x-pending: { state: [OPEN] }
      x-shows: { resource: order, id: $request.path.number, state: $response.body#/state }
      parameters: [{ name: number, in: path, required: true, schema: { type: string } }]
      responses: { 2XX: { content: { application/json: { schema: { $ref: schemas/record.json } } } } }
webhooks:
  push:
    post:
      operationId: shop.push
      x-clause: shop.push
      x-created-by: [shop.order]
      x-acknowledged-by: [200]
      x-format-clause: shop.push
      x-unknown: shop.push
      x-shows: { resource: order, id: $request.body#/number, state: $request.body#/state }
      requestBody: { content: { application/json: { schema: { $ref: schemas/record.json } } } }
";

const RECORD: &str = r#"{
  "$id": "https://paycheck.invalid/schemas/record.json", "title": "t", "description": "d", "type": "object",
  "properties": {
    "code": { "type": "integer" },
    "message": { "type": "string" },
    "number": { "type": "string" },
    "state": { "type": "string", "enum": ["OPEN", "SENT"], "x-clause": "shop.read.state" },
    "cents": { "type": ["integer", "string"] },
    "until": { "type": "string", "pattern": "^[0-9]{4}-.*$" },
    "page": { "type": "string", "pattern": "^https?://" },
    "items": { "type": "array", "items": { "type": "object", "properties": { "cents": { "type": "integer" } } } }
  }
}"#;

/// The contracts of the small shop.
pub(super) fn contracts() -> Contracts {
    let files = Files::from_texts([("clauses/shop.yaml", CLAUSES), ("shop.openapi.yaml", OPENAPI), ("schemas/record.json", RECORD)]);
    Contracts::read(&files).unwrap_or_else(|problems| panic!("{}", problems.render(false)))
}

/// The creation of an order that gets this number.
pub(super) fn order(number: &str) -> Exchange {
    call("shop.order", "", &json!({"code": 0, "number": number}))
}

/// The response of the status call about N1.
pub(super) fn read(response: Value) -> Exchange {
    read_of("N1", response)
}

/// The response of the status call about an order.
pub(super) fn read_of(number: &str, response: Value) -> Exchange {
    call("shop.read", number, &response)
}

fn call(operation: &str, number: &str, response: &Value) -> Exchange {
    let path = if number.is_empty() { Map::new() } else { Map::from_iter([("number".to_owned(), json!(number))]) };
    let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    Exchange {
        number: 0,
        arrived: 0,
        direction: Direction::Call,
        operation: operation.to_owned(),
        identity: "main".to_owned(),
        request: Request { method: "GET".into(), url: "http://shop".into(), path, ..Request::default() },
        outcome: ExchangeOutcome::Response(Response { status: 200, headers, body: body(response) }),
        elapsed: Duration::ZERO,
    }
}

/// A notification.
pub(super) fn push(body_value: Value) -> Exchange {
    let mut exchange = call("shop.push", "", &Value::Null);
    exchange.direction = Direction::Notification;
    exchange.request.body = body(&body_value);
    exchange
}

fn body(value: &Value) -> Body {
    Body { text: value.to_string(), decoded: Decoded::decode(Coding::Json, value.to_string().as_bytes()), ..Body::default() }
}

/// The response of a call.
pub(super) fn response(exchange: &mut Exchange) -> &mut Response {
    match &mut exchange.outcome {
        ExchangeOutcome::Response(response) => response,
        ExchangeOutcome::Failed(failure) => panic!("{failure:?}"),
    }
}

/// The cases `shop / story / 1`, `2` … with these ends and records.
pub(super) fn run(target: &str, played: Vec<(Verdict, Vec<Exchange>)>) -> PlayedRun {
    let cases = played.into_iter().enumerate().map(|(number, (verdict, record))| PlayedCase {
        name: CaseName { api: "shop".into(), scenario: "story".into(), case: (number + 1).to_string() },
        verdict,
        record: record.into_iter().map(Arc::new).collect(),
    });
    PlayedRun { target: target.to_owned(), cases: cases.collect() }
}

/// One case that passed.
pub(super) fn passed(record: Vec<Exchange>) -> PlayedRun {
    run("shop", vec![(Verdict::Passed, record)])
}

/// One case with a finding at this place of the status response.
pub(super) fn failed(record: Vec<Exchange>, clause: &str, at: Place, got: Value) -> PlayedRun {
    let finding = Finding::new(clause, "shop.read", "that is not what the documents say").at(at).compare("x", got);
    run("shop", vec![(Verdict::Failed { findings: vec![finding] }, record)])
}
