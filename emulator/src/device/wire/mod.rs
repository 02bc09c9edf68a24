//! The cash-register device API over HTTP: JSON in, JSON out, under `/pos/pokladna-api`.

mod activate;
mod authentication;
mod calls;
mod requests;
mod routes;

use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;
use http::request::Parts;
use serde::Serialize;

pub(crate) use routes::DeviceCall;

use self::routes::{Astray, ask};
use super::core::{ErrorCode, Refusal};
use crate::gateway::wire::Disconnected;
use crate::wire::body::BodyError;
use crate::wire::{Reply, troubled};
use crate::world::World;

/// A request as the API sees it: everything but the body.
#[derive(Clone, Copy)]
struct Context<'a> {
    world: &'a World,
    head: &'a Parts,
}

/// Why a call is not carried out.
#[derive(Debug)]
enum Failure {
    /// With a code that applications decide by.
    Refused(Refusal),
    /// "Rejected before dispatch", with a status and no code.
    BeforeDispatch(StatusCode, &'static str),
}

/// Answers a call; `path` is what follows `/pos/pokladna-api/`.
pub(crate) async fn answer<B>(world: &Arc<World>, head: &Parts, path: &str, body: B) -> Result<Reply, Disconnected>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let call = match ask(&head.method, path) {
        Ok(call) => call,
        Err(astray) => return Ok(failed(astray.into())),
    };
    let context = Context { world, head };
    let reply = |body: Result<Bytes, BodyError>| {
        let answer = body.map_err(Failure::from).and_then(|body| calls::perform(context, call, &body));
        answer.unwrap_or_else(failed)
    };
    troubled::answer(world.fleet().faults(), call, body, reply).await
}

fn ok(answer: &impl Serialize) -> Reply {
    Reply::json(StatusCode::OK, serde_json::to_vec(answer).unwrap_or_default())
}

/// "Error body carries `errorMessage` (string, for humans) and `errorCode`."
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ErrorBody<'a> {
    error_message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code: Option<&'static str>,
}

fn failed(failure: Failure) -> Reply {
    let (status, body) = match &failure {
        Failure::Refused(refusal) => {
            (status_of(refusal.code), ErrorBody { error_message: &refusal.message, error_code: Some(refusal.code.word()) })
        }
        Failure::BeforeDispatch(status, why) => (*status, ErrorBody { error_message: why, error_code: None }),
    };
    Reply::json(status, serde_json::to_vec(&body).unwrap_or_default())
}

/// "HTTP status per errorCode other than DEVICE_REVOKED: not shown."
const fn status_of(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::InvalidRequest | ErrorCode::AmbiguousInput => StatusCode::BAD_REQUEST,
        ErrorCode::Unauthorized | ErrorCode::TokenExpired | ErrorCode::DeviceRevoked => StatusCode::UNAUTHORIZED,
        ErrorCode::DeviceNotRegistered | ErrorCode::ActivationCodeUnknown => StatusCode::NOT_FOUND,
        ErrorCode::ActivationBlocked | ErrorCode::ConnectionDeactivated | ErrorCode::ConnectionNotReady | ErrorCode::ActivationCodeUsed => {
            StatusCode::CONFLICT
        }
        ErrorCode::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        ErrorCode::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<ErrorCode> for Failure {
    fn from(code: ErrorCode) -> Self {
        Self::Refused(code.into())
    }
}

impl From<BodyError> for Failure {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::TooLarge => Self::BeforeDispatch(StatusCode::PAYLOAD_TOO_LARGE, "the body is larger than 1 MiB"),
            BodyError::Broken => Self::BeforeDispatch(StatusCode::BAD_REQUEST, "the body broke off"),
        }
    }
}

impl From<Astray> for Failure {
    fn from(astray: Astray) -> Self {
        match astray {
            Astray::Path => Self::BeforeDispatch(StatusCode::NOT_FOUND, "there is nothing at this path"),
            Astray::Method => Self::BeforeDispatch(StatusCode::METHOD_NOT_ALLOWED, "the HTTP method is not that of this call"),
        }
    }
}
