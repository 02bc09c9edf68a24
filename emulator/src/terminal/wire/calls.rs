//! The calls: each reads its request, authenticates the caller and runs the core.

use std::sync::Arc;

use super::{records, requests};
use crate::common::freedoms::Behaviour;
use crate::common::{Merchant, PaymentId, RefundId, Refusal, TerminalStatus};
use crate::terminal::core::{Call, Currency, Terminal, Violation};
use crate::wire::{Context, JsonRecord, Record as _, credentials, result};
use crate::world::{Operation, PayerEmail, World};

/// Carries a call out, unless a fault meets it; `id` is the transaction in the path.
pub(super) fn perform(context: Context<'_>, call: Call, id: &str, body: &[u8]) -> Result<JsonRecord, Refusal> {
    if let Some(fault) = context.world.faults().take_refusal(Operation::Terminal(call)) {
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

fn check_currency(merchant: &Merchant, currency: Currency) -> Result<(), Violation> {
    if merchant.takes_currency(currency.as_str()) { Ok(()) } else { Err(Violation::UnknownCurrency) }
}

/// Some terminals take one transaction at a time.
fn check_free(context: Context<'_>, merchant: &Merchant) -> Result<(), Violation> {
    if !context.world.behaves(Behaviour::CreationBusyWhilePending) {
        return Ok(());
    }
    let is_busy = |terminal: &mut Terminal, now| Ok(terminal.status(TerminalStatus::Online, now) == TerminalStatus::Busy);
    if context.world.with_terminal(merchant, is_busy)? { Err(Violation::Busy) } else { Ok(()) }
}

type CallResult = Result<JsonRecord, Violation>;

fn create(context: Context<'_>, merchant: &Merchant, _: &str, body: &[u8]) -> CallResult {
    let fields = requests::fields(context, body)?;
    let order = requests::payment(&fields)?.order()?;
    check_currency(merchant, order.currency)?;
    check_free(context, merchant)?;
    let id = context.world.start_on_terminal(merchant, |terminal, ids, now| terminal.create_payment(&order, ids, now))?;
    Ok(created(&id.to_string()))
}

fn status(context: Context<'_>, merchant: &Merchant, id: &str, _: &[u8]) -> CallResult {
    let id = PaymentId::parse(id).ok_or(Violation::PaymentNotFound)?;
    let fee = records::Fee { set: merchant.settings.fee.as_deref(), nights: nights(context.world) };
    context.world.with_terminal(merchant, |terminal, now| Ok(records::payment(ok(256), terminal.payment(id, now)?, fee, now)))
}

fn cancel(context: Context<'_>, merchant: &Merchant, id: &str, body: &[u8]) -> CallResult {
    let email = requests::email(context, body)?;
    let id = PaymentId::parse(id).ok_or(Violation::PaymentNotFound)?;
    context.world.reverse_on_terminal(merchant, |terminal, now| terminal.cancel_payment(id, now))?;
    mail(context, email, "cancelled-payment", &id.to_string());
    Ok(ok(32))
}

fn refund_create(context: Context<'_>, merchant: &Merchant, _: &str, body: &[u8]) -> CallResult {
    let fields = requests::fields(context, body)?;
    let request = requests::refund(&fields)?;
    let order = request.order()?;
    check_currency(merchant, order.currency)?;
    check_free(context, merchant)?;
    let id = context.world.start_on_terminal(merchant, |terminal, ids, now| terminal.create_refund(&order, ids, now))?;
    mail(context, request.email.map(str::to_owned), "refund", &id.to_string());
    Ok(created(&id.to_string()))
}

fn refund_status(context: Context<'_>, merchant: &Merchant, id: &str, _: &[u8]) -> CallResult {
    let id = RefundId::parse(id).ok_or(Violation::RefundNotFound)?;
    context.world.with_terminal(merchant, |terminal, now| Ok(records::refund(ok(256), terminal.refund(id, now)?)))
}

fn refund_cancel(context: Context<'_>, merchant: &Merchant, id: &str, body: &[u8]) -> CallResult {
    let email = requests::email(context, body)?;
    let id = RefundId::parse(id).ok_or(Violation::RefundNotFound)?;
    context.world.reverse_on_terminal(merchant, |terminal, now| terminal.cancel_refund(id, now))?;
    mail(context, email, "cancelled-refund", &id.to_string());
    Ok(ok(32))
}

/// "Payer e-mail for notification": sends it where there is an address.
fn mail(context: Context<'_>, to: Option<String>, kind: &'static str, id: &str) {
    if let Some(to) = to {
        context.world.mail_payer(PayerEmail { to, kind, trans_id: id.to_owned() });
    }
}

/// The document shows `status` alone here, and says of every call that it responds with code and message: it has all three.
fn state(context: Context<'_>, merchant: &Merchant, _: &str, _: &[u8]) -> CallResult {
    let status = context.world.with_terminal(merchant, |terminal, now| Ok(terminal.status(merchant.terminal_status, now)))?;
    let mut record = ok(64);
    record.text("status", status.as_str());
    Ok(record)
}

/// Only the header is documented, so the body is not read.
fn closing(context: Context<'_>, merchant: &Merchant, _: &str, _: &[u8]) -> CallResult {
    requests::check_type(context)?;
    let close = |terminal: &mut Terminal, now| {
        let busy = context.world.behaves(Behaviour::ClosingBusyWhilePending);
        let status = if busy { terminal.status(merchant.terminal_status, now) } else { merchant.terminal_status };
        terminal.close(status).map_err(Violation::NotClosed)
    };
    let closing = context.world.with_terminal(merchant, close)?;
    let behaves = |behaviour| context.world.behaves(behaviour);
    let style = records::TotalsStyle { swapped: behaves(Behaviour::ClosingSidesSwapped), signed: behaves(Behaviour::ClosingSigned) };
    Ok(records::closing(ok(256), &closing, style))
}

/// How many nights the processor takes to report a fee; `None`: it never does.
fn nights(world: &World) -> Option<i64> {
    if world.behaves(Behaviour::TerminalFeeNever) {
        return None;
    }
    Some(if world.behaves(Behaviour::TerminalFeeLate) { 2 } else { 1 })
}

/// The merchant of the terminal, unless the address is not allowed or the credentials are wrong.
fn authenticated(context: Context<'_>, call: Call) -> Result<Arc<Merchant>, Violation> {
    if !context.is_caller_allowed() {
        return Err(Violation::AddressNotAllowed);
    }
    let credentials = credentials::basic(&context.head.headers).ok_or(Violation::WrongSecret)?;
    // Only creation has a code for it.
    let unknown = if matches!(call, Call::Create | Call::RefundCreate) { Violation::UnknownTerminal } else { Violation::WrongSecret };
    let merchant = context.world.merchants().find_by_terminal(&credentials.merchant).ok_or(unknown)?;
    if credentials.secret == merchant.settings.terminal_secret { Ok(merchant) } else { Err(Violation::WrongSecret) }
}

/// Begins the record of a call that succeeded.
fn ok(bytes: usize) -> JsonRecord {
    result::ok(JsonRecord::with_capacity(bytes))
}

fn created(id: &str) -> JsonRecord {
    let mut record = ok(64);
    record.text("transId", id);
    record
}
