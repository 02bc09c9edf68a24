//! The gateway over HTTP: routes, credentials, and the two syntaxes over one core.

mod link;
mod methods;
pub(crate) mod notification;
mod page;
mod redirect;
mod requests;
mod routes;
mod simulation;
mod status_record;
mod v1;
mod v2;

use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;
use http::request::Parts;

use self::routes::{Ask, Astray, ask};
use super::core::{Code, Interface, Merchant, Refusal, Violation};
use crate::attend::attend;
use crate::wire::body::BodyError;
use crate::wire::fields::{Malformed, Unreadable};
use crate::wire::{Fields, FormRecord, JsonRecord, Record, Reply};
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

/// A fault of the world: the call gets no answer, its connection is to be closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Disconnected;

impl std::fmt::Display for Disconnected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("disconnected by a fault placed in the world")
    }
}

impl std::error::Error for Disconnected {}

/// Answers a call of the gateway; `None` if the path is none of its own.
pub(crate) async fn answer<B>(world: &Arc<World>, caller: Caller, head: &Parts, path: &str, body: B) -> Result<Option<Reply>, Disconnected>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let context = Context { world, caller, head };
    let ask = match ask(&head.method, path) {
        Ok(ask) => ask,
        Err(Astray::Method(interface)) => return Ok(Some(wrong_method(interface))),
        Err(Astray::Path) => return Ok(None),
    };
    let answer = |body: Result<Bytes, _>| body.map_or_else(|error| unread(ask.interface(), error), |body| reply(context, &ask, &body));
    attend(world, ask.operation(), body, answer).await.map(Some)
}

fn reply(context: Context<'_>, ask: &Ask<'_>, body: &[u8]) -> Reply {
    match *ask {
        Ask::V1(call) => v1::call(context, call, body),
        Ask::V2(call, id) => v2::call(context, call, id, body),
        Ask::Redirect(merchant) => redirect::create(context, merchant, body),
        Ask::Methods(interface) => extra(context, interface, body, |_, merchant| Ok(methods::list(merchant))),
        Ask::Simulation(interface) => extra(context, interface, body, |fields, merchant| {
            simulation::play(context, merchant, fields)?;
            Ok(refused(interface, StatusCode::OK, &Refusal::of(Code::OK)))
        }),
        Ask::Show(id) => page::show(context, id),
        Ask::Press(id) => page::press(context, id, body),
    }
}

/// A call outside of the documents: merchant and secret as in those of its interface.
fn extra(
    context: Context<'_>,
    interface: Interface,
    body: &[u8],
    call: impl FnOnce(&Fields<'_>, &Arc<Merchant>) -> Result<Reply, Refusal>,
) -> Reply {
    let identified = match interface {
        Interface::V1 => v1::identified(context, body),
        Interface::V2 => v2::identified(context, body),
    };
    let status = match interface {
        Interface::V1 => StatusCode::OK,
        Interface::V2 => v2::error_status(context),
    };
    identified.and_then(|(fields, merchant)| call(&fields, &merchant)).unwrap_or_else(|refusal| refused(interface, status, &refusal))
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
