//! The card terminal over HTTP: JSON in, JSON out, the terminal's login and secret in the Basic header.

mod records;
mod requests;
mod routes;

use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;
use http::request::Parts;

use self::routes::ask;
use super::core::{Call, PaymentId, RefundId, Terminal, Violation};
use crate::attend::attend;
use crate::gateway::core::{Merchant, Refusal};
use crate::gateway::wire::{Caller, Disconnected};
use crate::wire::body::BodyError;
use crate::wire::{JsonRecord, Record as _, Reply, credentials};
use crate::world::{Operation, World};
pub(crate) use routes::owns;

/// A call as the terminal sees it: everything but the body.
#[derive(Clone, Copy)]
struct Context<'a> {
    world: &'a World,
    caller: Caller,
    head: &'a Parts,
}

/// Answers a call of a terminal, whose path has to be one that it [`owns`].
pub(crate) async fn answer<B>(world: &World, caller: Caller, head: &Parts, path: &str, body: B) -> Result<Reply, Disconnected>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let Some((call, id)) = ask(&head.method, path) else {
        let why = Violation::Unreadable("the HTTP method is not that of this call").refusal(Call::Status);
        return Ok(refused(StatusCode::METHOD_NOT_ALLOWED, &why));
    };
    let context = Context { world, caller, head };
    attend(world, Some(Operation::Terminal(call)), body, |body| match body {
        Ok(body) => reply(context, call, id, &body),
        Err(error) => unread(call, error),
    })
    .await
}

fn reply(context: Context<'_>, call: Call, id: &str, body: &[u8]) -> Reply {
    match carried_out(context, call, id, body) {
        Ok(record) => Reply::json(StatusCode::OK, record.into_bytes()),
        Err(refusal) => refused(context.world.error_status(), &refusal),
    }
}

fn carried_out(context: Context<'_>, call: Call, id: &str, body: &[u8]) -> Result<JsonRecord, Refusal> {
    if let Some(fault) = context.world.faults().strike(Operation::Terminal(call)) {
        return Err(fault);
    }
    let perform = match call {
        Call::Create => create,
        Call::Status => status,
        Call::Cancel => cancel,
        Call::RefundCreate => refund_create,
        Call::RefundStatus => refund_status,
        Call::RefundCancel => refund_cancel,
        Call::State => state,
        Call::Closing => closing,
    };
    let done = authenticated(context, call).and_then(|merchant| perform(context, &merchant, id, body));
    done.map_err(|violation| violation.refusal(call))
}

type Answer = Result<JsonRecord, Violation>;

fn create(context: Context<'_>, merchant: &Merchant, _: &str, body: &[u8]) -> Answer {
    let fields = requests::fields(context.head, body)?;
    let order = requests::payment(&fields)?.order()?;
    let id = context.world.start_on_terminal(merchant, |terminal, minted, now| terminal.create_payment(&order, minted, now))?;
    Ok(created(&id.to_string()))
}

fn status(context: Context<'_>, merchant: &Merchant, id: &str, _: &[u8]) -> Answer {
    let id = PaymentId::parse(id).ok_or(Violation::PaymentNotFound)?;
    let fee = merchant.settings.fee.as_deref();
    context.world.with_terminal(merchant, |terminal, now| Ok(records::payment(ok(256), terminal.payment(id, now)?, fee, now)))
}

fn cancel(context: Context<'_>, merchant: &Merchant, id: &str, body: &[u8]) -> Answer {
    requests::check_email(context.head, body)?;
    let id = PaymentId::parse(id).ok_or(Violation::PaymentNotFound)?;
    context.world.reverse_on_terminal(merchant, |terminal, now| terminal.cancel_payment(id, now))?;
    Ok(ok(32))
}

fn refund_create(context: Context<'_>, merchant: &Merchant, _: &str, body: &[u8]) -> Answer {
    let fields = requests::fields(context.head, body)?;
    let order = requests::refund(&fields)?.order()?;
    let id = context.world.start_on_terminal(merchant, |terminal, minted, now| terminal.create_refund(&order, minted, now))?;
    Ok(created(&id.to_string()))
}

fn refund_status(context: Context<'_>, merchant: &Merchant, id: &str, _: &[u8]) -> Answer {
    let id = RefundId::parse(id).ok_or(Violation::RefundNotFound)?;
    context.world.with_terminal(merchant, |terminal, now| Ok(records::refund(ok(256), terminal.refund(id, now)?)))
}

fn refund_cancel(context: Context<'_>, merchant: &Merchant, id: &str, body: &[u8]) -> Answer {
    requests::check_email(context.head, body)?;
    let id = RefundId::parse(id).ok_or(Violation::RefundNotFound)?;
    context.world.reverse_on_terminal(merchant, |terminal, now| terminal.cancel_refund(id, now))?;
    Ok(ok(32))
}

/// The document shows `status` alone here, and says of every call that it answers code and message: it has all three.
fn state(context: Context<'_>, merchant: &Merchant, _: &str, _: &[u8]) -> Answer {
    let status = context.world.with_terminal(merchant, |terminal, now| Ok(terminal.status(merchant.terminal_status, now)))?;
    let mut record = ok(64);
    record.text("status", status.word());
    Ok(record)
}

/// Nothing is asked but the header, so whatever the body holds is not looked at.
fn closing(context: Context<'_>, merchant: &Merchant, _: &str, _: &[u8]) -> Answer {
    requests::check_type(context.head)?;
    let close = |terminal: &mut Terminal, _| terminal.close(merchant.terminal_status).map_err(Violation::NotClosed);
    Ok(records::closing(ok(256), &context.world.with_terminal(merchant, close)?))
}

/// The merchant of the terminal, unless the address is not allowed or the credentials are wrong.
fn authenticated(context: Context<'_>, call: Call) -> Result<Arc<Merchant>, Violation> {
    if !context.world.allows(context.caller.address) {
        return Err(Violation::AddressNotAllowed);
    }
    let credentials = credentials::basic(&context.head.headers).ok_or(Violation::WrongSecret)?;
    // Only creation has a code for it.
    let unknown = if matches!(call, Call::Create | Call::RefundCreate) { Violation::UnknownTerminal } else { Violation::WrongSecret };
    let merchant = context.world.merchants().of_terminal(&credentials.merchant).ok_or(unknown)?;
    if credentials.secret == merchant.settings.terminal_secret { Ok(merchant) } else { Err(Violation::WrongSecret) }
}

fn unread(call: Call, error: BodyError) -> Reply {
    let (status, why) = match error {
        BodyError::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "the body is larger than 1 MiB"),
        BodyError::Broken => (StatusCode::BAD_REQUEST, "the body broke off"),
    };
    refused(status, &Violation::Unreadable(why).refusal(call))
}

/// Code and message alone.
pub(crate) fn refused(status: StatusCode, refusal: &Refusal) -> Reply {
    let mut record = JsonRecord::with_capacity(96);
    record.integer("code", i64::from(refusal.code.number()));
    record.text("message", &refusal.message);
    Reply::json(status, record.into_bytes())
}

/// The beginning of an answer that went well.
fn ok(bytes: usize) -> JsonRecord {
    let mut record = JsonRecord::with_capacity(bytes);
    record.integer("code", 0);
    record.text("message", "OK");
    record
}

fn created(id: &str) -> JsonRecord {
    let mut record = ok(64);
    record.text("transId", id);
    record
}
