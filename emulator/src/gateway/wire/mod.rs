//! The gateway over HTTP: routes, credentials, and the two syntaxes over one core.

mod creation;
mod link;
pub(crate) mod notification;
mod page;
mod status_record;
mod v1;
mod v2;

use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;
use http::request::Parts;

use super::core::{Call, Code, Interface, Refusal, TransId, Violation};
use crate::wire::body::{self, BodyError};
use crate::wire::fields::{Malformed, Unreadable};
use crate::wire::{FormRecord, JsonRecord, Record, Reply};
use crate::world::World;

/// Where a request comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caller {
    /// The address that connected.
    pub(crate) address: IpAddr,
    /// `http` or `https`.
    pub(crate) scheme: &'static str,
}

/// A request as the gateway sees it: everything but the body.
#[derive(Clone, Copy)]
struct Context<'a> {
    world: &'a Arc<World>,
    caller: Caller,
    head: &'a Parts,
}

impl Context<'_> {
    fn check_address(&self) -> Result<(), Refusal> {
        if self.world.allows(self.caller.address) { Ok(()) } else { Err(Violation::AddressNotAllowed.into()) }
    }
}

/// What a path of the gateway names.
#[derive(Debug, PartialEq, Eq)]
enum Route<'p> {
    V1(Call),
    V2(Call),
    /// Status by GET, cancel by DELETE.
    Payment(&'p str),
}

fn route(path: &str) -> Option<Route<'_>> {
    if let Some(name) = path.strip_prefix("/v2.0/payment/transId/") {
        return name.strip_suffix(".json").filter(|id| !id.contains('/')).map(Route::Payment);
    }
    match path {
        "/v2.0/payment.json" => Some(Route::V2(Call::Create)),
        "/v2.0/refund.json" => Some(Route::V2(Call::Refund)),
        "/v1.0/create" => Some(Route::V1(Call::Create)),
        "/v1.0/status" => Some(Route::V1(Call::Status)),
        "/v1.0/cancel" => Some(Route::V1(Call::Cancel)),
        "/v1.0/refund" => Some(Route::V1(Call::Refund)),
        _ => None,
    }
}

/// Answers a call of the gateway; `None` if the path is none of its own.
pub(crate) async fn answer<B>(world: &Arc<World>, caller: Caller, head: &Parts, path: &str, body: B) -> Option<Reply>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let context = Context { world, caller, head };
    Some(match (route(path)?, head.method.as_str()) {
        (Route::Payment(id), "GET") => v2::status(context, TransId::parse(id)),
        (Route::Payment(id), "DELETE") => v2::cancel(context, TransId::parse(id)),
        (Route::V2(call), "POST") => match body::read(body).await {
            Ok(body) => v2::call(context, call, &body),
            Err(error) => unread(Interface::V2, error),
        },
        (Route::V1(call), "POST") => match body::read(body).await {
            Ok(body) => v1::call(context, call, &body),
            Err(error) => unread(Interface::V1, error),
        },
        (Route::Payment(_) | Route::V2(_), _) => wrong_method(Interface::V2),
        (Route::V1(_), _) => wrong_method(Interface::V1),
    })
}

fn wrong_method(interface: Interface) -> Reply {
    refused(interface, StatusCode::METHOD_NOT_ALLOWED, &Violation::Unreadable("the HTTP method is not that of this call").into())
}

fn unread(interface: Interface, error: BodyError) -> Reply {
    let (status, why) = match error {
        BodyError::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "the body is larger than 1 MiB"),
        BodyError::Broken => (StatusCode::BAD_REQUEST, "the body broke off"),
    };
    refused(interface, status, &Violation::Unreadable(why).into())
}

/// Code and message alone.
fn refused(interface: Interface, status: StatusCode, refusal: &Refusal) -> Reply {
    match interface {
        Interface::V1 => Reply { status, ..Reply::form(result(FormRecord::default(), refusal.code, &refusal.message).into_bytes()) },
        Interface::V2 => Reply::json(status, result(JsonRecord::default(), refusal.code, &refusal.message).into_bytes()),
    }
}

/// "Every call answers with `code` and `message`."
fn result<R: Record>(mut record: R, code: Code, message: &str) -> R {
    record.integer("code", i64::from(code.number()));
    record.text("message", message);
    record
}

/// The result of a call that went well.
fn ok<R: Record>(record: R) -> R {
    result(record, Code::OK, "OK")
}

impl From<Malformed> for Refusal {
    fn from(Malformed(field): Malformed) -> Self {
        Violation::Malformed(field).into()
    }
}

impl From<Unreadable> for Refusal {
    fn from(Unreadable(why): Unreadable) -> Self {
        Violation::Unreadable(why).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_the_document() {
        assert_eq!(route("/v2.0/payment/transId/AB12-CD34-EF56.json"), Some(Route::Payment("AB12-CD34-EF56")));
        assert_eq!(route("/v1.0/create"), Some(Route::V1(Call::Create)));
        for unknown in ["/", "/v1.0/create/", "/v2.0/payment/transId/a/b.json", "/v2.0/payment/transId/AB12-CD34-EF56", "/v3.0/create"] {
            assert_eq!(route(unknown), None, "{unknown}");
        }
    }
}
