//! The QR payment API over HTTP: JSON in, JSON out, under `/pos/auth-api` and `/pos/qr-api`.

mod answers;
mod authentication;
mod calls;
mod logo;
mod methods;
mod requests;
mod routes;

use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;
use http::request::Parts;
use jiff::SignedDuration;
use serde::Serialize;

pub(crate) use routes::QrCall;

use self::routes::{Ask, Astray, ask};
use super::core::{Status, Violation};
use crate::gateway::wire::{Caller, Disconnected};
use crate::wire::body::{self, BodyError};
use crate::wire::fields::{Malformed, Unreadable};
use crate::wire::{Fields, Reply, host, json, troubled};
use crate::world::World;

/// What a call answers instead of being carried out: an HTTP status and a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
}

impl Failure {
    fn new(status: StatusCode, message: &str) -> Self {
        Self { status, message: message.to_owned() }
    }
}

/// A request as the API sees it: everything but the body.
#[derive(Clone, Copy)]
struct Context<'a> {
    world: &'a World,
    caller: Caller,
    head: &'a Parts,
}

impl Context<'_> {
    /// `{base_url}{path}`, absolute, on the host the request was made to.
    fn url_of(&self, path: &str) -> String {
        format!("{}://{}{}{path}", self.caller.scheme, host::of(self.head), self.world.prefix())
    }

    /// How long a payment waits for its money.
    fn waits(&self) -> SignedDuration {
        SignedDuration::from_secs(i64::from(self.world.settings().qr_expiration_seconds))
    }
}

/// Answers a call; `path` is what follows `/pos/`.
pub(crate) async fn answer<B>(world: &Arc<World>, caller: Caller, head: &Parts, path: &str, body: B) -> Result<Reply, Disconnected>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let context = Context { world, caller, head };
    let (call, about) = match ask(&head.method, path) {
        Ok(Ask::Call(call, about)) => (call, about),
        Ok(Ask::Logo(file)) => return Ok(logo::serve(file)),
        Err(astray) => return Ok(failed(astray.into())),
    };
    let reply = |body: Result<Bytes, BodyError>| {
        let answer = body.map_err(Failure::from).and_then(|body| calls::perform(context, call, about, &body));
        answer.unwrap_or_else(failed)
    };
    troubled::answer(world.qr().faults(), call, body, reply).await
}

/// The fields of a body that has to be there.
fn read<'b>(context: Context<'_>, bytes: &'b [u8]) -> Result<Fields<'b>, Failure> {
    if !body::is_of_type(&context.head.headers, "application/json") {
        return Err(Violation::Unreadable("the QR payment API takes application/json").into());
    }
    Ok(json::decode(bytes)?)
}

/// The fields of a body that may be missing.
fn read_optional<'b>(context: Context<'_>, bytes: &'b [u8]) -> Result<Fields<'b>, Failure> {
    if bytes.is_empty() { Ok(Fields::default()) } else { read(context, bytes) }
}

fn ok(answer: &impl Serialize) -> Reply {
    Reply::json(StatusCode::OK, serde_json::to_vec(answer).unwrap_or_default())
}

/// "Every error body carries `errorMessage`."
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ErrorBody {
    error_message: String,
}

fn failed(failure: Failure) -> Reply {
    let body = ErrorBody { error_message: failure.message };
    Reply::json(failure.status, serde_json::to_vec(&body).unwrap_or_default())
}

impl From<Violation> for Failure {
    fn from(violation: Violation) -> Self {
        let (status, sentence) = violation.ruling();
        let status = match status {
            Status::Invalid => StatusCode::BAD_REQUEST,
            Status::Unauthorized => StatusCode::UNAUTHORIZED,
            Status::Forbidden => StatusCode::FORBIDDEN,
            Status::NotFound => StatusCode::NOT_FOUND,
            Status::Conflict => StatusCode::CONFLICT,
        };
        Self { status, message: sentence.into_owned() }
    }
}

impl From<Malformed> for Failure {
    fn from(Malformed(field): Malformed) -> Self {
        Violation::Malformed(field).into()
    }
}

impl From<Unreadable> for Failure {
    fn from(Unreadable(why): Unreadable) -> Self {
        Violation::Unreadable(why).into()
    }
}

impl From<BodyError> for Failure {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::TooLarge => Self::new(StatusCode::PAYLOAD_TOO_LARGE, "the body is larger than 1 MiB"),
            BodyError::Broken => Self::new(StatusCode::BAD_REQUEST, "the body broke off"),
        }
    }
}

impl From<Astray> for Failure {
    fn from(astray: Astray) -> Self {
        match astray {
            Astray::Path => Self::new(StatusCode::NOT_FOUND, "there is nothing at this path"),
            Astray::Method => Self::new(StatusCode::METHOD_NOT_ALLOWED, "the HTTP method is not that of this call"),
        }
    }
}
