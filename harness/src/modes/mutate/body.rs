//! A body with another value.

use serde_json::Value;

use crate::engine::recorder::{Received, Recorder};
use crate::spec::contract::{Content, Operation};
use crate::wire::exchange::{Body, Coding, Decoded, Direction, Exchange, ExchangeOutcome, Response, Vault, encode_form};

/// The body that the target sent: of a response, or of a notification.
pub(super) fn sent(exchange: &Exchange) -> Option<&Body> {
    match (exchange.direction, &exchange.outcome) {
        (Direction::Notification, _) => Some(&exchange.request.body),
        (Direction::Call, ExchangeOutcome::Response(response)) => Some(&response.body),
        (Direction::Call, ExchangeOutcome::Failed(_)) => None,
    }
}

/// Its documented content.
pub(super) fn content<'o>(operation: &'o Operation, exchange: &Exchange) -> Option<&'o Content> {
    match exchange.direction {
        Direction::Notification => operation.request.as_ref(),
        Direction::Call => operation.judged_content(exchange),
    }
}

/// The exchange with this value as its body.
pub(super) fn saying(operation: &Operation, exchange: &Exchange, value: Value, recorder: &Recorder) -> Option<Exchange> {
    let content = content(operation, exchange);
    let coding = coding(operation, exchange);
    let is_file = content.is_some_and(|content| content.format.is_some() || !content.schema.has_no_files());
    match (coding, &value) {
        (Coding::Json, _) if !is_file => spelled(operation, exchange, value.to_string().as_bytes(), recorder),
        (Coding::Form, Value::Object(fields)) => {
            let text = |value: &Value| crate::wire::expression::text_of(value).unwrap_or_else(|| value.to_string());
            let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), text(value))).collect();
            let form = encode_form(fields.iter().map(|(name, value)| (*name, value.as_str())));
            spelled(operation, exchange, form.as_bytes(), recorder)
        }
        (Coding::Form, _) => None,
        // The content of a file is changed in the decoded view.
        (Coding::Json | Coding::Other, _) => Some(decoded(exchange, value)),
    }
}

fn coding(operation: &Operation, exchange: &Exchange) -> Coding {
    let media_type = match exchange.direction {
        Direction::Notification => exchange.request.header("content-type"),
        Direction::Call => exchange.response().and_then(|response| response.header("content-type")),
    };
    let documented = content(operation, exchange).filter(|content| !content.is_any()).map(|content| content.coding);
    documented.unwrap_or_else(|| media_type.map_or(Coding::Other, Coding::from_media_type))
}

fn decoded(exchange: &Exchange, value: Value) -> Exchange {
    let mut changed = exchange.clone();
    let body = match (changed.direction, &mut changed.outcome) {
        (Direction::Call, ExchangeOutcome::Response(response)) => &mut response.body,
        (Direction::Call | Direction::Notification, _) => &mut changed.request.body,
    };
    let faults = match std::mem::take(&mut body.decoded) {
        Decoded::Value(_, faults) => faults,
        Decoded::Empty | Decoded::Unreadable(_) | Decoded::Opaque => Vec::new(),
    };
    body.decoded = Decoded::Value(value, faults);
    changed
}

/// The exchange with these bytes as its body.
pub(super) fn spelled(operation: &Operation, exchange: &Exchange, bytes: &[u8], recorder: &Recorder) -> Option<Exchange> {
    match (exchange.direction, &exchange.outcome) {
        (Direction::Notification, _) => {
            let coding = Coding::from_media_type(exchange.request.header("content-type").unwrap_or_default());
            let content = operation.request.as_ref().filter(|content| content.coding == coding);
            let body = recorder.body(bytes, coding, content);
            Some(exchange.with_request(exchange.request.with_body(body)))
        }
        (Direction::Call, ExchangeOutcome::Response(response)) => {
            let head = Response { status: response.status, headers: response.headers.clone(), body: Body::default() };
            let received = received(operation, exchange, head, bytes, recorder);
            Some(exchange.with_outcome(ExchangeOutcome::Response(received)))
        }
        (Direction::Call, ExchangeOutcome::Failed(_)) => None,
    }
}

/// A response with the status and the headers of `head`, its body decoded anew.
pub(super) fn received(operation: &Operation, exchange: &Exchange, head: Response, bytes: &[u8], recorder: &Recorder) -> Response {
    let vault = Vault::default();
    let media_type = head.header("content-type");
    let content = operation.content(&exchange.request, head.status, media_type, bytes);
    let received = Received { media_type, content, fact_rules: &operation.fact_rules, request: &exchange.request, vault: &vault };
    let body = recorder.response(bytes, received);
    Response { body, ..head }
}
