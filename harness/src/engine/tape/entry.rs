//! An entry of a record, as a tape holds it.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::judge::record::RecordEntry;
use crate::wire::exchange::{
    Body, BodyFault, Decoded, Direction, Exchange, ExchangeOutcome, HttpVersion, Omitted, Request, Response, TransportFailure,
};
use crate::wire::format::Places;

/// An entry as it is written.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "happened", deny_unknown_fields)]
pub(super) enum Written {
    World { action: String, with: Map<String, Value>, response: Value },
    Call(Box<WrittenExchange>),
    Notification(Box<WrittenExchange>),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct WrittenExchange {
    number: usize,
    arrived: u64,
    operation: String,
    identity: String,
    request: WrittenRequest,
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<WrittenResponse>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<TransportFailure>,
}

#[derive(Serialize, Deserialize)]
struct WrittenRequest {
    method: String,
    url: String,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    path: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    query: Map<String, Value>,
    headers: Vec<(String, String)>,
    body: WrittenBody,
    #[serde(default, skip_serializing_if = "is_false")]
    http2: bool,
}

#[derive(Serialize, Deserialize)]
struct WrittenResponse {
    status: u16,
    headers: Vec<(String, String)>,
    body: WrittenBody,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct WrittenBody {
    text: String,
    says: Says,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    faults: Vec<BodyFault>,
    #[serde(default, skip_serializing_if = "is_unknown")]
    places: Places,
    /// Whether the body was judged while it was read, and only its beginning is here.
    #[serde(default, skip_serializing_if = "is_false")]
    beginning: bool,
}

fn is_unknown(places: &Places) -> bool {
    *places == Places::Unknown
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// The decoded body.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Says {
    Nothing,
    /// Its text, read as JSON.
    Text,
    Value(Value),
    Unreadable(BodyFault),
    Opaque,
}

impl From<&RecordEntry> for Written {
    fn from(entry: &RecordEntry) -> Self {
        match entry {
            RecordEntry::World { action, with, response } => {
                Self::World { action: action.clone(), with: with.clone(), response: response.clone() }
            }
            RecordEntry::Exchange(exchange) => {
                let written = Box::new(WrittenExchange::from(exchange.as_ref()));
                match exchange.direction {
                    Direction::Call => Self::Call(written),
                    Direction::Notification => Self::Notification(written),
                }
            }
        }
    }
}

impl From<Written> for RecordEntry {
    fn from(written: Written) -> Self {
        match written {
            Written::World { action, with, response } => Self::World { action, with, response },
            Written::Call(exchange) => Self::Exchange(Arc::new(exchange.went(Direction::Call))),
            Written::Notification(exchange) => Self::Exchange(Arc::new(exchange.went(Direction::Notification))),
        }
    }
}

impl From<&Exchange> for WrittenExchange {
    fn from(exchange: &Exchange) -> Self {
        let request = &exchange.request;
        let response = exchange.response().map(|response| WrittenResponse {
            status: response.status,
            headers: response.headers.clone(),
            body: WrittenBody::from(&response.body),
        });
        Self {
            number: exchange.number,
            arrived: exchange.arrived,
            operation: exchange.operation.clone(),
            identity: exchange.identity.clone(),
            request: WrittenRequest {
                method: request.method.clone(),
                url: request.url.clone(),
                path: request.path.clone(),
                query: request.query.clone(),
                headers: request.headers.clone(),
                body: WrittenBody::from(&request.body),
                http2: request.http == HttpVersion::Two,
            },
            response,
            failed: exchange.failure().cloned(),
        }
    }
}

impl WrittenExchange {
    fn went(self, direction: Direction) -> Exchange {
        let outcome = match (self.response, self.failed) {
            (_, Some(failure)) => ExchangeOutcome::Failed(failure),
            (Some(response), None) => {
                ExchangeOutcome::Response(Response { status: response.status, headers: response.headers, body: response.body.into() })
            }
            (None, None) => ExchangeOutcome::Response(Response { status: 0, headers: Vec::new(), body: Body::default() }),
        };
        let request = self.request;
        Exchange {
            number: self.number,
            arrived: self.arrived,
            direction,
            operation: self.operation,
            identity: self.identity,
            request: Request {
                method: request.method,
                url: request.url,
                path: request.path,
                query: request.query,
                headers: request.headers,
                body: request.body.into(),
                http: if request.http2 { HttpVersion::Two } else { HttpVersion::One },
            },
            outcome,
            elapsed: Duration::ZERO,
        }
    }
}

impl From<&Body> for WrittenBody {
    fn from(body: &Body) -> Self {
        let (says, faults) = match &body.decoded {
            Decoded::Empty => (Says::Nothing, Vec::new()),
            Decoded::Value(value, faults) => {
                let is_text = serde_json::from_str::<Value>(&body.text).is_ok_and(|read| read == *value);
                (if is_text { Says::Text } else { Says::Value(value.clone()) }, faults.clone())
            }
            Decoded::Unreadable(fault) => (Says::Unreadable(fault.clone()), Vec::new()),
            Decoded::Opaque => (Says::Opaque, Vec::new()),
        };
        Self { text: body.text.clone(), says, faults, places: body.places.clone(), beginning: body.omitted.is_some() }
    }
}

impl From<WrittenBody> for Body {
    fn from(written: WrittenBody) -> Self {
        let decoded = match written.says {
            Says::Nothing => Decoded::Empty,
            Says::Text => Decoded::Value(serde_json::from_str(&written.text).unwrap_or_default(), written.faults),
            Says::Value(value) => Decoded::Value(value, written.faults),
            Says::Unreadable(fault) => Decoded::Unreadable(fault),
            Says::Opaque => Decoded::Opaque,
        };
        let omitted = written.beginning.then(|| Box::new(Omitted { rests: Vec::new(), cut_from: Some(written.text.len()) }));
        Self { text: written.text, decoded, places: written.places, omitted, file: None }
    }
}
