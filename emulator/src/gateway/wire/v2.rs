//! v2.0: JSON in, JSON out, merchant and secret in the Basic header.

use std::sync::Arc;

use http::StatusCode;

use super::{Context, creation, ok, refused, status_record};
use crate::gateway::core::creation::Mode;
use crate::gateway::core::{Call, Cancellation, Interface, Merchant, Refusal, TransId, Violation};
use crate::wire::{Fields, JsonRecord, Record as _, Reply, body, credentials, json};
use crate::world::Operation;

/// Answers a call with a body.
pub(super) fn call(context: Context<'_>, call: Call, body: &[u8]) -> Reply {
    let answer = read(context, body).and_then(|fields| match call {
        Call::Refund => refund(context, &fields),
        Call::Create | Call::Status | Call::Cancel => create(context, &fields),
    });
    reply(context, answer)
}

/// Answers the status call.
pub(super) fn status(context: Context<'_>, id: Option<TransId>) -> Reply {
    reply(context, status_of(context, id))
}

/// Answers the cancel call.
pub(super) fn cancel(context: Context<'_>, id: Option<TransId>) -> Reply {
    let cancelled = admitted(context, Call::Cancel, Violation::WrongSecret).and_then(|merchant| {
        context.world.with_payment_of(&merchant, id, |payment, _| Cancellation.apply(payment))?;
        Ok(ok(JsonRecord::default()))
    });
    reply(context, cancelled)
}

fn read<'b>(context: Context<'_>, bytes: &'b [u8]) -> Result<Fields<'b>, Refusal> {
    if !body::is_of_type(&context.head.headers, "application/json") {
        return Err(Violation::Unreadable("v2.0 takes application/json").into());
    }
    Ok(json::decode(bytes)?)
}

fn create(context: Context<'_>, fields: &Fields<'_>) -> Result<JsonRecord, Refusal> {
    let merchant = admitted(context, Call::Create, Violation::UnknownMerchant)?;
    let request = creation::read(fields, Interface::V2, Mode::Background, context.world.settings().tolerant)?;
    let id = context.world.create(&merchant, Interface::V2, &request)?;
    let mut record = ok(JsonRecord::with_capacity(128));
    record.text("transId", id.letters().as_str());
    record.text("redirect", &context.page_of(id));
    Ok(record)
}

fn status_of(context: Context<'_>, id: Option<TransId>) -> Result<JsonRecord, Refusal> {
    let merchant = admitted(context, Call::Status, Violation::WrongSecret)?;
    let mut record = ok(JsonRecord::with_capacity(384));
    context.world.with_payment_of(&merchant, id, |payment, _| {
        status_record::write(&mut record, payment, Interface::V2, "");
        Ok(&[])
    })?;
    Ok(record)
}

fn refund(context: Context<'_>, fields: &Fields<'_>) -> Result<JsonRecord, Refusal> {
    let merchant = admitted(context, Call::Refund, Violation::WrongSecret)?;
    let id = fields.text("transId")?.ok_or(Violation::Missing("transId"))?;
    let request = creation::read_refund(fields)?;
    context.world.with_payment_of(&merchant, TransId::parse(id), |payment, now| request.apply(payment, now))?;
    Ok(ok(JsonRecord::default()))
}

/// The merchant, unless a fault strikes, the address is not allowed or the credentials are wrong.
fn admitted(context: Context<'_>, call: Call, unknown: Violation) -> Result<Arc<Merchant>, Refusal> {
    if let Some(fault) = context.world.faults().strike(Operation { interface: Interface::V2, call }) {
        return Err(fault);
    }
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
fn error_status(context: Context<'_>) -> StatusCode {
    StatusCode::from_u16(context.world.settings().error_status).unwrap_or(StatusCode::OK)
}
