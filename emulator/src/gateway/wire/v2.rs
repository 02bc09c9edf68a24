//! v2.0: JSON in, JSON out, merchant and secret in the Basic header.

use std::sync::Arc;

use http::StatusCode;

use super::{Context, ok, refused, requests, status_record};
use crate::gateway::core::creation::Mode;
use crate::gateway::core::{Call, Cancellation, Interface, Merchant, Refusal, Release, TransId, Violation};
use crate::wire::{Fields, JsonRecord, Record as _, Reply, body, credentials, json};
use crate::world::Operation;

/// Answers any call of v2.0; `id` is the payment in the path of calls that have one there.
pub(super) fn call(context: Context<'_>, call: Call, id: Option<TransId>, body: &[u8]) -> Reply {
    let answer = match call {
        Call::Create => create(context, body),
        Call::Status => status(context, id),
        Call::Cancel => cancel(context, id),
        Call::Refund => refund(context, body),
        Call::RefundPos => refund_pos(context, body),
        Call::Recurring => recurring(context, body),
        Call::CapturePreauth => capture(context, id, body),
        Call::CancelPreauth => release(context, id),
    };
    reply(context, answer)
}

fn read<'b>(context: Context<'_>, bytes: &'b [u8]) -> Result<Fields<'b>, Refusal> {
    if !body::is_of_type(&context.head.headers, "application/json") {
        return Err(Violation::Unreadable("v2.0 takes application/json").into());
    }
    Ok(json::decode(bytes)?)
}

fn create(context: Context<'_>, body: &[u8]) -> Result<JsonRecord, Refusal> {
    let merchant = admitted(context, Call::Create, Violation::UnknownMerchant)?;
    let fields = read(context, body)?;
    let request = requests::read_creation(&fields, Interface::V2, Mode::Background, context.world)?;
    let id = context.world.create(&merchant, Interface::V2, &request)?;
    let mut record = ok(JsonRecord::with_capacity(128));
    record.text("transId", id.letters().as_str());
    record.text("redirect", &context.page_of(id));
    Ok(record)
}

fn recurring(context: Context<'_>, body: &[u8]) -> Result<JsonRecord, Refusal> {
    let merchant = admitted(context, Call::Recurring, Violation::UnknownMerchant)?;
    let fields = read(context, body)?;
    let request = requests::read_recurring(&fields, context.world.settings().tolerant)?;
    let id = context.world.repeat(&merchant, Interface::V2, &request)?;
    let mut record = ok(JsonRecord::default());
    record.text("transId", id.letters().as_str());
    Ok(record)
}

fn status(context: Context<'_>, id: Option<TransId>) -> Result<JsonRecord, Refusal> {
    let merchant = admitted(context, Call::Status, Violation::WrongSecret)?;
    let mut record = ok(JsonRecord::with_capacity(384));
    context.world.with_payment_of(&merchant, id, |payment, _| {
        status_record::write(&mut record, payment, Interface::V2, "");
        Ok(&[])
    })?;
    Ok(record)
}

fn cancel(context: Context<'_>, id: Option<TransId>) -> Result<JsonRecord, Refusal> {
    let merchant = admitted(context, Call::Cancel, Violation::WrongSecret)?;
    context.world.with_payment_of(&merchant, id, |payment, _| Cancellation.apply(payment))?;
    Ok(ok(JsonRecord::default()))
}

/// Without a body, or without an amount, all is captured.
fn capture(context: Context<'_>, id: Option<TransId>, body: &[u8]) -> Result<JsonRecord, Refusal> {
    let merchant = admitted(context, Call::CapturePreauth, Violation::WrongSecret)?;
    let fields = read(context, if body.is_empty() { b"{}" } else { body })?;
    let request = requests::read_capture(&fields)?;
    context.world.with_payment_of(&merchant, id, |payment, _| request.apply(payment))?;
    Ok(ok(JsonRecord::default()))
}

fn release(context: Context<'_>, id: Option<TransId>) -> Result<JsonRecord, Refusal> {
    let merchant = admitted(context, Call::CancelPreauth, Violation::WrongSecret)?;
    context.world.with_payment_of(&merchant, id, |payment, _| Release.apply(payment))?;
    Ok(ok(JsonRecord::default()))
}

fn refund_pos(context: Context<'_>, body: &[u8]) -> Result<JsonRecord, Refusal> {
    let merchant = admitted(context, Call::RefundPos, Violation::WrongSecret)?;
    let fields = read(context, body)?;
    context.world.refund_pos(&merchant, &requests::read_refund_pos(&fields)?)?;
    Ok(ok(JsonRecord::default()))
}

fn refund(context: Context<'_>, body: &[u8]) -> Result<JsonRecord, Refusal> {
    let merchant = admitted(context, Call::Refund, Violation::WrongSecret)?;
    let fields = read(context, body)?;
    let id = fields.text("transId")?.ok_or(Violation::Missing("transId"))?;
    let request = requests::read_refund(&fields)?;
    context.world.with_payment_of(&merchant, TransId::parse(id), |payment, now| request.apply(payment, now))?;
    Ok(ok(JsonRecord::default()))
}

/// The merchant, unless a fault strikes, the address is not allowed or the credentials are wrong.
fn admitted(context: Context<'_>, call: Call, unknown: Violation) -> Result<Arc<Merchant>, Refusal> {
    if let Some(fault) = context.world.faults().strike(Operation::Gateway { interface: Interface::V2, call }) {
        return Err(fault);
    }
    authenticated(context, unknown)
}

/// The fields of a call that is not the documents' own, and the merchant who makes it.
pub(super) fn identified<'b>(context: Context<'_>, body: &'b [u8]) -> Result<(Fields<'b>, Arc<Merchant>), Refusal> {
    let merchant = authenticated(context, Violation::WrongSecret)?;
    let fields = if body.is_empty() { Fields::default() } else { read(context, body)? };
    Ok((fields, merchant))
}

fn authenticated(context: Context<'_>, unknown: Violation) -> Result<Arc<Merchant>, Refusal> {
    context.check_address()?;
    let credentials = credentials::basic(&context.head.headers).ok_or(Violation::WrongSecret)?;
    let merchant = context.world.merchants().find(&credentials.merchant).ok_or(unknown)?;
    if credentials.secret == merchant.settings.secret { Ok(merchant) } else { Err(Violation::WrongSecret.into()) }
}

fn reply(context: Context<'_>, answer: Result<JsonRecord, Refusal>) -> Reply {
    match answer {
        Ok(record) => Reply::json(StatusCode::OK, record.into_bytes()),
        Err(refusal) => refused(Interface::V2, error_status(context), &refusal),
    }
}

/// "HTTP status codes used for gateway errors: not shown." A setting of the world.
pub(super) fn error_status(context: Context<'_>) -> StatusCode {
    context.world.error_status()
}
