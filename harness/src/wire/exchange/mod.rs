//! One request and its response, recorded as sent and as received, secrets already masked.

mod body;
mod body_fault;
mod curl;
mod disguise;
mod fault;
mod form;
mod hide;
mod http_version;
mod json;
mod jwt;
mod long_json;
mod mask;
mod rest;
mod unescape;
mod vault;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::base::place::Message;

pub use body::{BinaryFile, Body, Coding, Decoded, MAX_BODY_BYTES, Omitted};
pub use body_fault::BodyFault;
pub(crate) use body_fault::{LISTED_FAULTS, MOST_FIELDS};
pub(crate) use curl::curl_of_bytes;
pub use curl::{ShellVariables, curl, curl_with, fetching_with, variable};
pub use fault::SchemaFault;
pub(crate) use form::decode_form_over;
pub use form::{decode_form, encode_form, escape};
pub(crate) use hide::hide_named;
pub use http_version::HttpVersion;
pub use json::decode_json;
pub(crate) use json::decode_json_over;
pub(crate) use jwt::is_jwt;
pub(crate) use long_json::read_json;
pub use mask::{Masker, Secret, UNKNOWN_SECRET, is_ordinary, mark_of};
pub(crate) use mask::{Masking, hide};
pub use rest::{NotKept, Rest};
pub use vault::Vault;

/// The direction of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// The harness sends the request, the target responds.
    Call,
    /// The target sends the notification, the inbox responds.
    Notification,
}

impl Direction {
    /// The message that the target sends.
    pub fn message(self) -> Message {
        match self {
            Self::Call => Message::Response,
            Self::Notification => Message::Notification,
        }
    }
}

/// One request and its response.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Exchange {
    /// Its place in the record of its world, from 0.
    pub number: usize,
    /// When it was complete, counted over all exchanges of its run. Not part of the transcript: it depends on timing.
    #[serde(skip)]
    pub arrived: u64,
    /// Its direction.
    pub direction: Direction,
    /// The operation called (`gateway.v2.status`), or the notification (`gateway.v1.notification`).
    pub operation: String,
    /// Whose credentials were sent: `main`, `nobody`, `wrong-secret`, another merchant's name.
    pub identity: String,
    /// What was sent.
    pub request: Request,
    /// What came back.
    pub outcome: ExchangeOutcome,
    /// The time from the first byte sent to the last byte received. Not part of the transcript.
    #[serde(skip)]
    pub elapsed: Duration,
}

impl Exchange {
    /// An exchange that no record holds yet: without a number, a place among the exchanges of its run and a duration.
    pub(crate) fn unnumbered(direction: Direction, operation: &str, identity: &str, request: Request, outcome: ExchangeOutcome) -> Self {
        let (operation, identity) = (operation.to_owned(), identity.to_owned());
        Self { number: 0, arrived: 0, direction, operation, identity, request, outcome, elapsed: Duration::ZERO }
    }
}

/// A recorded request.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Request {
    /// `POST`.
    pub method: String,
    /// The whole address, secrets in the query masked.
    pub url: String,
    /// The path parameters by name.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub path: Map<String, Value>,
    /// The query parameters by name.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub query: Map<String, Value>,
    /// Headers in the order sent, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Body,
    /// The version of HTTP that it was sent by. Not part of the transcript.
    #[serde(skip)]
    pub http: HttpVersion,
}

/// The outcome of a request.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[allow(clippy::large_enum_variant, reason = "nearly every outcome is a response")]
pub enum ExchangeOutcome {
    /// A complete HTTP response was received.
    Response(Response),
    /// No complete response was received.
    Failed(TransportFailure),
}

/// A recorded response.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Response {
    /// HTTP status.
    pub status: u16,
    /// Headers in the order received, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Body,
}

/// Why there is no complete response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct TransportFailure {
    /// The kind of failure.
    pub kind: TransportFailureKind,
    /// The library's own words, secrets masked.
    pub detail: String,
}

/// Kinds of transport failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TransportFailureKind {
    /// The connection was refused, or the name is unknown.
    Connect,
    /// No complete response within the target's time limit.
    Timeout,
    /// The connection ended before the response was complete.
    Broken,
    /// The body is larger than the harness reads.
    TooLarge,
    /// HTTP allows the response, and the harness does not read it.
    Unread,
}

impl Exchange {
    /// The response, if there was one.
    pub fn response(&self) -> Option<&Response> {
        match &self.outcome {
            ExchangeOutcome::Response(response) => Some(response),
            ExchangeOutcome::Failed(_) => None,
        }
    }

    /// Why there is no complete response, if so.
    pub fn failure(&self) -> Option<&TransportFailure> {
        match &self.outcome {
            ExchangeOutcome::Response(_) => None,
            ExchangeOutcome::Failed(failure) => Some(failure),
        }
    }

    /// What of the response the harness does not read although its format allows it, if so: nothing can be said of the body.
    pub fn unread(&self) -> Option<&BodyFault> {
        match &self.response()?.body.decoded {
            Decoded::Unreadable(fault) => Some(fault).filter(|fault| fault.unread),
            Decoded::Value(..) | Decoded::Empty | Decoded::Opaque => None,
        }
    }

    /// The same with another request.
    pub(crate) fn with_request(&self, request: Request) -> Self {
        let Self { number, arrived, direction, operation, identity, request: _, outcome, elapsed } = self;
        let (operation, identity, outcome) = (operation.clone(), identity.clone(), outcome.clone());
        Self { number: *number, arrived: *arrived, direction: *direction, operation, identity, request, outcome, elapsed: *elapsed }
    }

    /// The same with another outcome.
    pub(crate) fn with_outcome(&self, outcome: ExchangeOutcome) -> Self {
        let Self { number, arrived, direction, operation, identity, request, outcome: _, elapsed } = self;
        let (operation, identity, request) = (operation.clone(), identity.clone(), request.clone());
        Self { number: *number, arrived: *arrived, direction: *direction, operation, identity, request, outcome, elapsed: *elapsed }
    }

    /// The decoded body of the response.
    pub fn response_value(&self) -> Option<&Value> {
        self.response()?.body.value()
    }
}

impl Response {
    /// The first header of that (lower-case) name.
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }
}

impl Request {
    /// The same with another body.
    pub(crate) fn with_body(&self, body: Body) -> Self {
        Self { body, ..self.clone() }
    }

    /// The first header of that (lower-case) name.
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }
}

fn header<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    headers.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
}
