//! Changes a response or a notification on the wire: status, headers, bytes.

use super::body::{received, spelled};
use crate::base::pointer;
use crate::engine::recorder::Recorder;
use crate::spec::contract::Operation;
use crate::wire::exchange::{Body, Direction, Exchange, ExchangeOutcome, Request, Response};
use crate::wire::format::Places;

/// Replaces the value of any other header.
pub(super) const ANOTHER: &str = "mutant";

/// How bytes may be damaged.
#[derive(Clone, Copy, Debug)]
pub(super) enum Damage {
    Emptied,
    Cut,
    InvalidByte,
    ByteOrderMark,
    Twice,
    More,
    Page,
}

impl Damage {
    pub(super) const ALL: [Self; 7] =
        [Self::Emptied, Self::Cut, Self::InvalidByte, Self::ByteOrderMark, Self::Twice, Self::More, Self::Page];

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Emptied => "emptied",
            Self::Cut => "cut in the middle",
            Self::InvalidByte => "an invalid byte in it",
            Self::ByteOrderMark => "a byte order mark before it",
            Self::Twice => "twice",
            Self::More => "more after it",
            Self::Page => "a page instead",
        }
    }

    pub(super) fn apply(self, text: &str) -> Vec<u8> {
        let text = text.as_bytes();
        let (head, tail) = text.split_at(text.len() / 2);
        match self {
            Self::Emptied => Vec::new(),
            Self::Cut => head.to_vec(),
            Self::InvalidByte => [head, b"\xff", tail].concat(),
            Self::ByteOrderMark => [b"\xef\xbb\xbf", text].concat(),
            Self::Twice => [text, text].concat(),
            Self::More => [text, b"}"].concat(),
            Self::Page => b"<!doctype html><title>Oops</title>".to_vec(),
        }
    }
}

/// Whether the recorded text is the text on the wire.
pub(super) fn is_text(body: &Body) -> bool {
    !body.text.is_empty() && body.places == Places::Unknown
}

/// The headers with which the target sent it.
pub(super) fn carried(exchange: &Exchange) -> &[(String, String)] {
    match (exchange.direction, exchange.response()) {
        (Direction::Notification, _) => &exchange.request.headers,
        (Direction::Call, Some(response)) => &response.headers,
        (Direction::Call, None) => &[],
    }
}

/// The body with a top-level field repeated with another value.
pub(super) fn repeat_field(text: &str, pointer: &str) -> Option<Vec<u8>> {
    let name = pointer::unescaped(pointer.strip_prefix('/')?);
    let trimmed = text.trim();
    Some(match trimmed.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')) {
        Some(inner) => format!("{{{inner},{}:\"mutant\"}}", serde_json::Value::from(name)).into_bytes(),
        None => format!("{text}&{name}=mutant").into_bytes(),
    })
}

/// The exchange with another HTTP status.
pub(super) fn with_status(operation: &Operation, exchange: &Exchange, status: u16, recorder: &Recorder) -> Option<Exchange> {
    let mut response = exchange.response()?.clone();
    response.status = status;
    if status == 204 {
        // Such a response has no body on the wire, whatever its headers promise.
        response.body = Body::default();
    } else if is_text(&response.body) {
        let text = std::mem::take(&mut response.body.text);
        response = received(operation, exchange, response, text.as_bytes(), recorder);
    }
    Some(exchange.with_outcome(ExchangeOutcome::Response(response)))
}

/// The exchange with another value of a header, or without it.
pub(super) fn with_header(operation: &Operation, exchange: &Exchange, name: &str, value: Option<&str>, recorder: &Recorder) -> Exchange {
    let changed = carried(exchange).iter().filter_map(|(n, v)| {
        let value = if n == name { value } else { Some(v.as_str()) };
        value.map(|value| (n.clone(), value.to_owned()))
    });
    let headers: Vec<_> = changed.collect();
    match (exchange.direction, exchange.response()) {
        (Direction::Notification, _) => {
            let changed = exchange.with_request(Request { headers, ..exchange.request.clone() });
            spelled(operation, &changed, exchange.request.body.text.as_bytes(), recorder).unwrap_or(changed)
        }
        (Direction::Call, Some(response)) => {
            let mut changed = Response { status: response.status, headers, body: Body::default() };
            if is_text(&response.body) {
                changed = received(operation, exchange, changed, response.body.text.as_bytes(), recorder);
            } else {
                changed.body = response.body.clone();
            }
            exchange.with_outcome(ExchangeOutcome::Response(changed))
        }
        (Direction::Call, None) => exchange.clone(),
    }
}
