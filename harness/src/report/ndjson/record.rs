//! Exchanges in the form that is written: as recorded, with bounded bodies.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::base::text::first_bytes;
use crate::wire::exchange::{Body, Direction, Exchange, ExchangeOutcome, Request, TransportFailure};

/// The most bytes written of one body.
pub const MAX_RECORDED_BODY_BYTES: usize = 16 * 1024;

/// One request and its response.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) struct RecordedExchange<'e> {
    /// Its place in the record, from 0.
    number: usize,
    direction: Direction,
    /// The operation called, or the notification.
    operation: &'e str,
    /// Whose credentials were sent.
    identity: &'e str,
    request: RecordedRequest<'e>,
    outcome: RecordedOutcome<'e>,
}

/// What was sent.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
struct RecordedRequest<'e> {
    method: &'e str,
    /// The whole address, secrets in the query masked.
    url: &'e str,
    /// The path parameters by name.
    #[serde(skip_serializing_if = "Map::is_empty")]
    path: &'e Map<String, Value>,
    /// Headers in the order sent, names in lower case.
    headers: &'e [(String, String)],
    body: RecordedBody<'e>,
}

/// The outcome of the request.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum RecordedOutcome<'e> {
    /// An HTTP response was received whole.
    Response {
        /// HTTP status.
        status: u16,
        /// Headers in the order received, names in lower case.
        headers: &'e [(String, String)],
        body: RecordedBody<'e>,
    },
    /// No whole response was received.
    Failed(&'e TransportFailure),
}

/// A body, or its beginning.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
struct RecordedBody<'e> {
    /// The bytes as text, secrets masked.
    text: &'e str,
    /// What is left out here; absent if nothing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<String>,
}

impl<'e> RecordedExchange<'e> {
    /// The exchange, bodies bounded.
    pub(super) fn from_exchange(exchange: &'e Exchange) -> Self {
        Self {
            number: exchange.number,
            direction: exchange.direction,
            operation: &exchange.operation,
            identity: &exchange.identity,
            request: RecordedRequest::from_request(&exchange.request),
            outcome: RecordedOutcome::from_outcome(&exchange.outcome),
        }
    }
}

impl<'e> RecordedRequest<'e> {
    fn from_request(request: &'e Request) -> Self {
        Self {
            method: &request.method,
            url: &request.url,
            path: &request.path,
            headers: &request.headers,
            body: RecordedBody::from_body(&request.body),
        }
    }
}

impl<'e> RecordedOutcome<'e> {
    fn from_outcome(outcome: &'e ExchangeOutcome) -> Self {
        match outcome {
            ExchangeOutcome::Response(response) => {
                Self::Response { status: response.status, headers: &response.headers, body: RecordedBody::from_body(&response.body) }
            }
            ExchangeOutcome::Failed(failure) => Self::Failed(failure),
        }
    }
}

impl<'e> RecordedBody<'e> {
    fn from_body(body: &'e Body) -> Self {
        let text = first_bytes(&body.text, MAX_RECORDED_BODY_BYTES);
        let length = body.cut_from().unwrap_or(body.text.len());
        let truncated = (text.len() < length).then(|| format!("the first {} of {length} bytes", text.len()));
        Self { text, truncated }
    }
}
