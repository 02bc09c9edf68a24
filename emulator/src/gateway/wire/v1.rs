//! v1.0: forms in, forms out, merchant and secret among the fields.

use std::sync::Arc;

use http::{StatusCode, header};

use super::link::page_url;
use super::preauth::preauth;
use super::refusals::{check_address, refused};
use super::{page, requests, status_record};
use crate::common::freedoms::Behaviour;
use crate::common::{Merchant, Refusal, TransId};
use crate::gateway::core::creation::Mode;
use crate::gateway::core::{Call, Cancellation, Interface, NOTHING, Release, Violation};
use crate::wire::{ApiResponse, Context, Fields, FormRecord, Record as _, body, credentials, form, multipart, result};
use crate::world::Operation;

/// Responds to any call of v1.0.
pub(super) fn respond(context: Context<'_>, call: Call, body: &[u8]) -> ApiResponse {
    let fields = match read(context, body) {
        Ok(fields) => fields,
        Err(refusal) => return refuse(&refusal),
    };
    match call {
        Call::Create => create(context, &fields),
        Call::Status => respond_with(status(context, &fields)),
        Call::Cancel => respond_with(cancel(context, &fields)),
        Call::Refund => respond_with(refund(context, &fields)),
        Call::RefundPos => respond_with(refund_pos(context, &fields)),
        Call::Recurring => respond_with(recurring(context, &fields)),
        Call::CapturePreauth => respond_with(capture(context, &fields)),
        Call::CancelPreauth => respond_with(release(context, &fields)),
    }
}

/// The fields of a call outside of the documents, and the merchant who makes it.
pub(super) fn identified<'b>(context: Context<'b>, body: &'b [u8]) -> Result<(Fields<'b>, Arc<Merchant>), Refusal> {
    let fields = read(context, body)?;
    let merchant = authenticated(context, &fields, Violation::WrongSecret, Mode::Background)?;
    Ok((fields, merchant))
}

/// A secret in the query string is ignored: parameters are in the body, except in tolerant worlds.
fn read<'b>(context: Context<'b>, bytes: &'b [u8]) -> Result<Fields<'b>, Refusal> {
    if !context.world.settings().tolerant {
        return read_form(context, bytes);
    }
    let fields = if bytes.is_empty() { form::decode(context.query())? } else { read_form(context, bytes)? };
    Ok(fields.loosely())
}

fn read_form<'b>(context: Context<'_>, bytes: &'b [u8]) -> Result<Fields<'b>, Refusal> {
    if let Some(boundary) = tolerated_boundary(context) {
        return Ok(multipart::decode(bytes, boundary)?);
    }
    if !body::is_of_type(&context.head.headers, "application/x-www-form-urlencoded") {
        return Err(Violation::Unreadable("v1.0 takes application/x-www-form-urlencoded").into());
    }
    Ok(form::decode(bytes)?)
}

/// "`multipart/form-data` is not supported", except by tolerant worlds.
fn tolerated_boundary<'c>(context: Context<'c>) -> Option<&'c str> {
    let media_type = context.head.headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    if context.world.settings().tolerant { multipart::boundary(media_type) } else { None }
}

fn create(context: Context<'_>, fields: &Fields<'_>) -> ApiResponse {
    let mode = match fields.flag("prepareOnly") {
        Ok(Some(true)) => Mode::Background,
        Ok(Some(false) | None) => Mode::Redirect,
        Err(malformed) => return refuse(&malformed.into()),
    };
    match (created(context, fields, mode), mode) {
        (Ok((id, merchant)), Mode::Background) => ApiResponse::form(creation_record(context, id, &merchant)),
        (Ok((id, _)), Mode::Redirect) => ApiResponse::redirect(&page_url(context, id)),
        (Err(refusal), Mode::Background) => refuse(&refusal),
        (Err(refusal), Mode::Redirect) => page::error(context, &refusal),
    }
}

fn created(context: Context<'_>, fields: &Fields<'_>, mode: Mode) -> Result<(TransId, Arc<Merchant>), Refusal> {
    check_faults(context, Call::Create)?;
    let merchant = authenticated(context, fields, Violation::UnknownMerchant, mode)?;
    let request = requests::read_creation(fields, Interface::V1, mode, context.world)?;
    let id = context.world.create(&merchant, Interface::V1, &request)?;
    Ok((id, merchant))
}

fn creation_record(context: Context<'_>, id: TransId, merchant: &Merchant) -> Vec<u8> {
    let mut record = result::ok(FormRecord::with_capacity(128));
    record.text("transId", id.text().as_str());
    record.text("redirect", &page_url(context, id));
    if let Some(outcome) = merchant.apple_pay {
        record.text("applepay", outcome.as_str());
        let message = merchant.settings.apple_pay_message.clone();
        record.text("applepayMessage", &message.unwrap_or_else(|| format!("Apple Pay: {}", outcome.as_str())));
    }
    record.into_bytes()
}

fn status(context: Context<'_>, fields: &Fields<'_>) -> Result<FormRecord, Refusal> {
    check_faults(context, Call::Status)?;
    let (merchant, id) = addressed(context, fields)?;
    let mut record = result::ok(FormRecord::with_capacity(512));
    context.world.with_payment_of(&merchant, id, |payment, _| {
        status_record::write(&mut record, payment, Interface::V1, &merchant.settings.secret);
        Ok(NOTHING)
    })?;
    Ok(record)
}

fn cancel(context: Context<'_>, fields: &Fields<'_>) -> Result<FormRecord, Refusal> {
    check_faults(context, Call::Cancel)?;
    let (merchant, id) = addressed(context, fields)?;
    context.world.with_payment_of(&merchant, id, |payment, _| Cancellation.apply(payment))?;
    Ok(result::ok(FormRecord::default()))
}

fn refund(context: Context<'_>, fields: &Fields<'_>) -> Result<FormRecord, Refusal> {
    check_faults(context, Call::Refund)?;
    let (merchant, id) = addressed(context, fields)?;
    let request = requests::read_refund(context.world, fields)?;
    context.world.with_payment_of(&merchant, id, |payment, now| request.apply(payment, now))?;
    Ok(result::ok(FormRecord::default()))
}

fn refund_pos(context: Context<'_>, fields: &Fields<'_>) -> Result<FormRecord, Refusal> {
    check_faults(context, Call::RefundPos)?;
    let merchant = authenticated(context, fields, Violation::WrongSecret, Mode::Background)?;
    context.world.refund_pos(&merchant, &requests::read_refund_pos(fields)?)?;
    Ok(result::ok(FormRecord::default()))
}

fn recurring(context: Context<'_>, fields: &Fields<'_>) -> Result<FormRecord, Refusal> {
    check_faults(context, Call::Recurring)?;
    let merchant = authenticated(context, fields, Violation::UnknownMerchant, Mode::Background)?;
    let request = requests::read_recurring(context.world, fields)?;
    let id = context.world.repeat(&merchant, Interface::V1, &request)?;
    let mut record = result::ok(FormRecord::default());
    record.text("transId", id.text().as_str());
    Ok(record)
}

fn capture(context: Context<'_>, fields: &Fields<'_>) -> Result<FormRecord, Refusal> {
    check_faults(context, Call::CapturePreauth)?;
    let (merchant, id) = addressed(context, fields)?;
    let request = requests::read_capture(fields)?;
    context.world.with_payment_of(&merchant, id, |payment, _| {
        preauth(context, Behaviour::CapturedStaysAuthorized, payment, |payment| request.apply(payment))
    })?;
    Ok(result::ok(FormRecord::default()))
}

fn release(context: Context<'_>, fields: &Fields<'_>) -> Result<FormRecord, Refusal> {
    check_faults(context, Call::CancelPreauth)?;
    let (merchant, id) = addressed(context, fields)?;
    context.world.with_payment_of(&merchant, id, |payment, _| {
        preauth(context, Behaviour::ReleasedStaysAuthorized, payment, |payment| Release.apply(payment))
    })?;
    Ok(result::ok(FormRecord::default()))
}

/// Merchant and payment of a call about a payment.
fn addressed(context: Context<'_>, fields: &Fields<'_>) -> Result<(Arc<Merchant>, Option<TransId>), Refusal> {
    let merchant = authenticated(context, fields, Violation::WrongSecret, Mode::Background)?;
    let id = fields.text("transId")?.ok_or(Violation::Missing("transId"))?;
    Ok((merchant, TransId::parse(id)))
}

/// Authenticates the merchant. Only redirect creation, which passes through the payer's browser, may do without
/// the secret; a wrong one is refused even there.
fn authenticated(context: Context<'_>, fields: &Fields<'_>, unknown: Violation, mode: Mode) -> Result<Arc<Merchant>, Refusal> {
    // In redirect mode the caller is the payer's browser, whose address can't be known.
    if mode == Mode::Background {
        check_address(context)?;
    }
    let id = fields.text("merchant")?.ok_or(Violation::Missing("merchant"))?;
    let merchant = context.world.merchants().find(id).ok_or(unknown)?;
    let in_header = tolerated_secret(context, id);
    match (fields.text("secret")?.or(in_header.as_deref()), mode) {
        (Some(secret), _) if secret == merchant.settings.secret => Ok(merchant),
        (None, Mode::Redirect) => Ok(merchant),
        _ => Err(Violation::WrongSecret.into()),
    }
}

/// Clients that know v2.0 send the Basic header to v1.0 as well, some of them in place of the secret.
fn tolerated_secret(context: Context<'_>, merchant: &str) -> Option<String> {
    let credentials = credentials::basic(&context.head.headers).filter(|_| context.world.settings().tolerant)?;
    (credentials.merchant == merchant).then_some(credentials.secret)
}

fn check_faults(context: Context<'_>, call: Call) -> Result<(), Refusal> {
    context.world.faults().take_refusal(Operation::Gateway { interface: Interface::V1, call }).map_or(Ok(()), Err)
}

fn respond_with(record: Result<FormRecord, Refusal>) -> ApiResponse {
    match record {
        Ok(record) => ApiResponse::form(record.into_bytes()),
        Err(refusal) => refuse(&refusal),
    }
}

fn refuse(refusal: &Refusal) -> ApiResponse {
    refused(Interface::V1, StatusCode::OK, refusal)
}
