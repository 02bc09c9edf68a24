//! A small API that is in none of the documents, and exchanges with it: the checks know no API.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::judge::record::{Record, RecordEntry};
use crate::spec::contract::{Contracts, Files};
use crate::wire::exchange::{Body, Coding, Decoded, Direction, Exchange, ExchangeOutcome, Request, Response};

const CLAUSES: &str = "
document: shop
clauses:
  shop.order.call: { section: s, says: Orders are made. }
  shop.order.code.0: { section: s, says: OK. }
  shop.order.code.9: { section: s, says: Sold out. }
  shop.order.codes: { section: s, says: No other codes. }
  shop.order.refused: { section: s, says: A refused order has no number. }
  shop.order.size: { section: s, says: At most 10. }
  shop.order.size.required: { section: s, says: A size must be given. }
  shop.read.call: { section: s, says: Orders are read. }
  shop.read.state: { section: s, says: OPEN or SENT or GONE. }
  shop.read.size: { section: s, says: The size is what was ordered. }
  shop.read.colour: { section: s, says: The colour is what was ordered. }
  shop.send.call: { section: s, says: Orders are sent. }
  shop.back.call: { section: s, says: Orders are taken back. }
  shop.list.call: { section: s, says: Orders are listed. }
  shop.list.agrees: { section: s, says: As the order itself says. }
  shop.push.call: { section: s, says: Changes are pushed. }
  shop.push.format: { section: s, says: In the format of its version. }
  shop.push.known: { section: s, says: About known orders. }
  shop.push.quiet: { section: s, says: No key in the query. }
  shop.push.key: { section: s, says: With the shop's key. }
  shop.push.agrees: { section: s, says: As the status call says. }
  shop.states: { section: s, says: No other changes. }
  shop.states.made: { section: s, says: made }
  shop.states.sent: { section: s, says: sent }
  shop.states.lost: { section: s, says: lost }
  shop.states.lost-in-red: { section: s, says: lost in red }
";

const OPENAPI: &str = "
openapi: 3.1.0
x-code-field: code
x-success: 0
paths:
  /order:
    post:
      operationId: shop.order
      x-clause: shop.order.call
      x-codes: { '0': { means: OK, clause: shop.order.code.0 }, '9': { means: sold out, clause: shop.order.code.9 } }
      x-other-code: shop.order.codes
      x-creates: { resource: order, id: $response.body#/number }
      x-refusal: { absent: [number], clause: shop.order.refused }
      requestBody:
        content:
          application/json:
            schema:
              type: object
              required: [size]
              properties:
                size:
                  type: integer
                  minimum: 1
                  maximum: 10
                  x-clause: shop.order.size
                  x-clauses: { required: shop.order.size.required }
                  x-refused-with: { maximum: [9] }
                colour: { type: string, maxLength: 3 }
            examples: { one: { value: { size: 1 } } }
      responses: { 2XX: { content: { application/json: { schema: { required: [code], properties: { code: { type: integer } } } } } } }
  /order/{number}:
    get:
      operationId: shop.read
      x-clause: shop.read.call
      x-codes: { '0': { means: OK, clause: shop.read.call }, '9': { means: unknown, clause: shop.read.call } }
      x-shows: { resource: order, id: $request.path.number, state: $response.body#/state }
      x-echoes:
        - { field: size, from: size, amended-by: { shop.send: size }, clause: shop.read.size }
        - { field: colour, from: colour, only-from: [shop.order], clause: shop.read.colour }
      x-facts:
        - { thing: order, id: $request.path.number, facts: { total: { field: cents, as: integer } }, clause: shop.read.call }
        - { thing: order, id: $request.path.number, facts: { weight: weight }, clause: shop.read.call }
      parameters: [{ name: number, in: path, required: true, schema: { type: string } }]
      responses:
        2XX:
          content:
            application/json:
              schema:
                required: [code]
                properties: { code: { type: integer }, state: { enum: [OPEN, SENT, GONE], x-clause: shop.read.state } }
        default: { content: { application/json: { schema: { required: [code] } } } }
    put:
      operationId: shop.send
      x-clause: shop.send.call
      x-codes: { '0': { means: OK, clause: shop.send.call }, '9': { means: gone, clause: shop.send.call } }
      x-acts-on: { resource: order, id: $request.path.number }
      parameters: [{ name: number, in: path, required: true, schema: { type: string } }]
      responses: { 2XX: { content: { application/json: { schema: { required: [code] } } } } }
  /back:
    post:
      operationId: shop.back
      x-clause: shop.back.call
      x-acts-on: { resource: order, id: $request.body#/number }
      x-assumed: The path is not shown.
      x-codes-assumed: The codes are listed for an earlier version.
      x-other-code: shop.order.codes
      x-codes: { '0': { means: OK, clause: shop.back.call }, '9': { means: gone, clause: shop.back.call } }
      responses:
        2XX:
          content:
            application/json:
              schema:
                allOf:
                  - { required: [code], properties: { code: { type: integer } } }
                  - { x-assumed: The note is not shown., required: [note], properties: { note: { type: string } } }
        default: { content: { application/json: { schema: { required: [code, message] } } } }
  /orders:
    get:
      operationId: shop.list
      x-clause: shop.list.call
      x-free: [{ place: header content-type, changes: [dropped], reason: No header is shown. }]
      x-facts:
        - thing: order
          each: $response.body
          id: number
          facts: { total: { field: total, as: comma, unless: [unknown] } }
          clause: shop.list.agrees
        - { thing: order, each: $response.body, id: number, facts: { weight: weight }, clause: shop.list.call }
      responses:
        '204': { description: no orders }
        2XX: { content: { application/json: { schema: { type: array } } } }
webhooks:
  push:
    post:
      operationId: shop.push
      x-clause: shop.push.call
      x-created-by: [shop.order]
      x-acknowledged-by: [200]
      x-format-clause: shop.push.format
      x-unknown: shop.push.known
      x-not-in-query: shop.push.quiet
      x-credentials: { key: key }
      x-shows: { resource: order, id: $request.body#/number, state: $request.body#/state }
      x-agrees-with:
        operation: shop.read
        with: { number: $request.body#/number }
        clause: shop.push.agrees
        fields: { state: state, size: size }
      requestBody:
        content:
          application/json:
            schema:
              type: object
              required: [number, state, key]
              properties: { number: { type: string }, state: { type: string }, key: { type: string, x-secret: true, x-clause: shop.push.key } }
";

const STATES: &str = "
resource: order
document: shop
section: s
states: { OPEN: { initial: true }, SENT: {}, GONE: {}, KEPT: {} }
undocumented: shop.states
rows:
  - { id: made, clause: shop.states.made, trigger: { call: shop.order, code: [0] }, to: OPEN }
  - { id: sent, clause: shop.states.sent, from: OPEN, trigger: { call: shop.send, code: [0] }, to: SENT }
  - { id: sent-again, clause: shop.states.sent, from: SENT, trigger: { call: shop.send, code: [0] }, to: any }
  - { id: kept, clause: shop.states.sent, from: SENT, trigger: { call: shop.send, code: [9] }, to: SENT }
  - { id: back, clause: shop.states.sent, from: KEPT, trigger: { call: shop.back, code: [0] }, to: KEPT }
  - { id: lost, clause: shop.states.lost, from: SENT, trigger: { world: post.loses }, to: GONE }
  - { id: lost-in-red, clause: shop.states.lost-in-red, from: SENT, when: { colour: red }, trigger: { world: post.loses }, to: GONE }
";

const WORLD: &str = "
actions:
  post.loses: { says: The parcel is lost., with: { number: { required: true } }, on: order, id: number }
";

/// The contracts of the small API.
pub(crate) fn contracts() -> Contracts {
    let files = Files::from_texts([
        ("clauses/shop.yaml", CLAUSES),
        ("shop.openapi.yaml", OPENAPI),
        ("states/order.yaml", STATES),
        ("world.yaml", WORLD),
    ]);
    Contracts::read(&files).unwrap_or_else(|problems| panic!("{}", problems.render(false)))
}

/// A call and its JSON response.
pub(super) fn call(operation: &str, number: &str, sent: Value, answered: Value) -> Exchange {
    let mut exchange = raw(operation, number, answered.to_string().as_bytes(), "application/json");
    exchange.request.body = json_body(&sent);
    exchange
}

/// A call and a response with these bytes.
pub(super) fn raw(operation: &str, number: &str, bytes: &[u8], media_type: &str) -> Exchange {
    let path = if number.is_empty() { Map::new() } else { Map::from_iter([("number".to_owned(), json!(number))]) };
    Exchange {
        number: 0,
        arrived: 0,
        direction: Direction::Call,
        operation: operation.to_owned(),
        identity: "main".to_owned(),
        request: Request {
            method: "GET".into(),
            url: "http://shop/order".into(),
            path,
            headers: Vec::new(),
            body: Body::default(),
            ..Request::default()
        },
        outcome: ExchangeOutcome::Response(Response {
            status: 200,
            headers: vec![("content-type".to_owned(), media_type.to_owned())],
            body: Body {
                text: String::from_utf8_lossy(bytes).into_owned(),
                decoded: Decoded::decode(Coding::from_media_type(media_type), bytes),
                ..Body::default()
            },
        }),
        elapsed: Duration::ZERO,
    }
}

/// The same response with another HTTP status.
pub(super) fn with_status(mut exchange: Exchange, status: u16) -> Exchange {
    if let ExchangeOutcome::Response(response) = &mut exchange.outcome {
        response.status = status;
    }
    exchange
}

/// A notification.
pub(crate) fn push(body: Value) -> Exchange {
    let mut exchange = raw("shop.push", "", b"", "text/plain");
    exchange.direction = Direction::Notification;
    exchange.request.method = "POST".to_owned();
    exchange.request.body = json_body(&body);
    exchange
}

fn json_body(value: &Value) -> Body {
    Body { text: value.to_string(), decoded: Decoded::Value(value.clone(), Vec::new()), ..Body::default() }
}

/// A record of exchanges, numbered in their order.
pub(crate) fn record(exchanges: impl IntoIterator<Item = Exchange>) -> Record {
    let numbered = exchanges.into_iter().enumerate().map(|(number, exchange)| {
        let arrived = u64::try_from(number).unwrap_or_default();
        RecordEntry::Exchange(Arc::new(Exchange { number, arrived, ..exchange }))
    });
    Record { entries: numbered.collect() }
}

/// The order with the number N1, of size 3.
pub(crate) fn order() -> Exchange {
    call("shop.order", "", json!({"size": 3}), json!({"code": 0, "number": "N1"}))
}

/// The response of the status call about N1.
pub(crate) fn read(response: Value) -> Exchange {
    call("shop.read", "N1", Value::Null, response)
}

/// The clauses that findings name.
pub(super) fn named(judgement: &super::Judgement) -> Vec<String> {
    judgement.findings.iter().map(|finding| finding.clause().to_owned()).collect()
}
