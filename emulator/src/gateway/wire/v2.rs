//! v2.0: JSON in, JSON out, merchant and secret in the Basic header.

use std::sync::Arc;

use http::StatusCode;

use super::link::page_url;
use super::preauth::preauth;
use super::refusals::{check_address, refused};
use super::{requests, status_record};
use crate::common::freedoms::Behaviour;
use crate::common::{Merchant, Refusal, TransId};
use crate::gateway::core::creation::Mode;
use crate::gateway::core::{Call, Cancellation, Interface, NOTHING, Release, Violation};
use crate::wire::{ApiResponse, Context, Fields, JsonRecord, Record as _, body, credentials, json, result};
use crate::world::Operation;

/// Responds to any call of v2.0; `id` is the payment in the path of calls that have one there.
pub(super) fn respond(context: Context<'_>, call: Call, id: Option<TransId>, body: &[u8]) -> ApiResponse {
    let record = match call {
        Call::Create => create(context, body),
        Call::Status => status(context, id),
        Call::Cancel => cancel(context, id),
        Call::Refund => refund(context, body),
        Call::RefundPos => refund_pos(context, body),
        Call::Recurring => recurring(context, body),
        Call::CapturePreauth => capture(context, id, body),
        Call::CancelPreauth => release(context, id),
    };
    respond_with(context, record)
}

fn read<'b>(context: Context<'_>, bytes: &'b [u8]) -> Result<Fields<'b>, Refusal> {
    if !body::is_of_type(&context.head.headers, "application/json") {
        return Err(Violation::Unreadable("v2.0 takes application/json").into());
    }
    let fields = json::decode(bytes)?;
    Ok(if context.world.settings().tolerant { fields.loosely() } else { fields })
}

fn create(context: Context<'_>, body: &[u8]) -> Result<JsonRecord, Refusal> {
    let merchant = admitted(context, Call::Create, Violation::UnknownMerchant)?;
    let fields = read(context, body)?;
    let request = requests::read_creation(&fields, Interface::V2, Mode::Background, context.world)?;
    let id = context.world.create(&merchant, Interface::V2, &request)?;
    let mut record = result::ok(JsonRecord::with_capacity(128));
    record.text("transId", id.text().as_str());
    record.text("redirect", &page_url(context, id));
    Ok(record)
}

fn recurring(context: Context<'_>, body: &[u8]) -> Result<JsonRecord, Refusal> {
    let merchant = admitted(context, Call::Recurring, Violation::UnknownMerchant)?;
    let fields = read(context, body)?;
    let request = requests::read_recurring(context.world, &fields)?;
    let id = context.world.repeat(&merchant, Interface::V2, &request)?;
    let mut record = result::ok(JsonRecord::default());
    record.text("transId", id.text().as_str());
    Ok(record)
}

fn status(context: Context<'_>, id: Option<TransId>) -> Result<JsonRecord, Refusal> {
    let merchant = admitted(context, Call::Status, Violation::WrongSecret)?;
    let mut record = result::ok(JsonRecord::with_capacity(384));
    context.world.with_payment_of(&merchant, id, |payment, _| {
        status_record::write(&mut record, payment, Interface::V2, "");
        Ok(NOTHING)
    })?;
    Ok(record)
}

fn cancel(context: Context<'_>, id: Option<TransId>) -> Result<JsonRecord, Refusal> {
    let merchant = admitted(context, Call::Cancel, Violation::WrongSecret)?;
    context.world.with_payment_of(&merchant, id, |payment, _| Cancellation.apply(payment))?;
    Ok(result::ok(JsonRecord::default()))
}

/// Without a body, or without an amount, all is captured.
fn capture(context: Context<'_>, id: Option<TransId>, body: &[u8]) -> Result<JsonRecord, Refusal> {
    let merchant = admitted(context, Call::CapturePreauth, Violation::WrongSecret)?;
    let fields = read(context, if body.is_empty() { b"{}" } else { body })?;
    let request = requests::read_capture(&fields)?;
    context.world.with_payment_of(&merchant, id, |payment, _| {
        preauth(context, Behaviour::CapturedStaysAuthorized, payment, |payment| request.apply(payment))
    })?;
    Ok(result::ok(JsonRecord::default()))
}

fn release(context: Context<'_>, id: Option<TransId>) -> Result<JsonRecord, Refusal> {
    let merchant = admitted(context, Call::CancelPreauth, Violation::WrongSecret)?;
    context.world.with_payment_of(&merchant, id, |payment, _| {
        preauth(context, Behaviour::ReleasedStaysAuthorized, payment, |payment| Release.apply(payment))
    })?;
    Ok(result::ok(JsonRecord::default()))
}

fn refund_pos(context: Context<'_>, body: &[u8]) -> Result<JsonRecord, Refusal> {
    let merchant = admitted(context, Call::RefundPos, Violation::WrongSecret)?;
    let fields = read(context, body)?;
    context.world.refund_pos(&merchant, &requests::read_refund_pos(&fields)?)?;
    Ok(result::ok(JsonRecord::default()))
}

fn refund(context: Context<'_>, body: &[u8]) -> Result<JsonRecord, Refusal> {
    let merchant = admitted(context, Call::Refund, Violation::WrongSecret)?;
    let fields = read(context, body)?;
    let id = fields.text("transId")?.ok_or(Violation::Missing("transId"))?;
    let request = requests::read_refund(context.world, &fields)?;
    context.world.with_payment_of(&merchant, TransId::parse(id), |payment, now| request.apply(payment, now))?;
    Ok(result::ok(JsonRecord::default()))
}

/// The merchant, unless a fault meets the call, the address is not allowed or the credentials are wrong.
fn admitted(context: Context<'_>, call: Call, unknown: Violation) -> Result<Arc<Merchant>, Refusal> {
    if let Some(fault) = context.world.faults().take_refusal(Operation::Gateway { interface: Interface::V2, call }) {
        return Err(fault);
    }
    authenticated(context, unknown)
}

/// The fields of a call outside of the documents, and the merchant who makes it.
pub(super) fn identified<'b>(context: Context<'_>, body: &'b [u8]) -> Result<(Fields<'b>, Arc<Merchant>), Refusal> {
    let merchant = authenticated(context, Violation::WrongSecret)?;
    let fields = if body.is_empty() { Fields::default() } else { read(context, body)? };
    Ok((fields, merchant))
}

fn authenticated(context: Context<'_>, unknown: Violation) -> Result<Arc<Merchant>, Refusal> {
    check_address(context)?;
    let credentials = credentials::basic(&context.head.headers).ok_or(Violation::WrongSecret)?;
    let merchant = context.world.merchants().find(&credentials.merchant).ok_or(unknown)?;
    if credentials.secret == merchant.settings.secret { Ok(merchant) } else { Err(Violation::WrongSecret.into()) }
}

fn respond_with(context: Context<'_>, record: Result<JsonRecord, Refusal>) -> ApiResponse {
    match record {
        Ok(record) => ApiResponse::json(StatusCode::OK, record.into_bytes()),
        Err(refusal) => refused(Interface::V2, context.world.error_status(), &refusal),
    }
}
