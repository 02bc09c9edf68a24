//! The calls: each reads its request, authenticates the caller and runs the core.

use std::sync::Arc;

use http::StatusCode;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::bodies::{Cancelled, Changed, Created, Extended, RefundView, StatusView};
use super::requests::{self, read, read_optional};
use super::responses::ok;
use super::{authentication, methods};
use crate::common::freedoms::Behaviour;
use crate::common::{Merchant, TransId};
use crate::qr::core::{Call, Cancellation, QrPayment, Refusal, Violation};
use crate::wire::{ApiResponse, Context, PathParts};

/// Carries a call out, unless a fault meets it.
pub(super) fn perform(context: Context<'_>, call: Call, path: &PathParts<'_>, body: &[u8]) -> Result<ApiResponse, Refusal> {
    if let Some(fault) = context.world.qr().faults().take_refusal(call) {
        return Err(fault);
    }
    let named = || Named::read(context, path);
    match call {
        Call::AuthPing | Call::Ping => ping(context),
        Call::Authenticate => authentication::authenticate(context, body),
        Call::Methods => methods::list(context, body),
        Call::Create => create(context, body),
        Call::Status => named()?.then(|payment, _| Ok(StatusView::new(payment))),
        Call::Cancel => cancel(&named()?, body),
        Call::ChangeMethod => change_method(&named()?, body),
        Call::Extend => extend(&named()?, body),
        Call::CreateRefund => create_refund(&named()?, body),
        Call::RefundStatus => named()?.then(|payment, _| RefundView::find(payment, TransId::parse(path.get("transRefundId")))),
    }
}

/// "Input: none." Whether that means no token either is left open.
fn ping(context: Context<'_>) -> Result<ApiResponse, Refusal> {
    if context.world.behaves(Behaviour::QrPingNeedsToken) {
        authentication::admitted(context)?;
    }
    Ok(ApiResponse::empty(StatusCode::OK))
}

/// The payment in the path, and the merchant of the token.
struct Named<'a> {
    context: Context<'a>,
    merchant: Arc<Merchant>,
    /// `None` where the path holds what can't be a code.
    payment: Option<TransId>,
}

impl<'a> Named<'a> {
    fn read(context: Context<'a>, path: &PathParts<'_>) -> Result<Self, Refusal> {
        Ok(Self { context, merchant: authentication::admitted(context)?, payment: TransId::parse(path.get("transId")) })
    }

    /// Does something with the payment, if there is one and it is the merchant's.
    fn then<A: Serialize>(&self, action: impl FnOnce(&mut QrPayment, Timestamp) -> Result<A, Violation>) -> Result<ApiResponse, Refusal> {
        let id = self.payment.ok_or(Violation::PaymentNotFound)?;
        let done = self.context.world.with_qr_payment(id, |payment, now| {
            if payment.belongs_to(&self.merchant.settings.mid) { action(payment, now) } else { Err(Violation::ForeignPayment) }
        });
        Ok(ok(&done.ok_or(Violation::PaymentNotFound)??))
    }
}

/// How long a payment waits for its money.
fn waits(context: Context<'_>) -> SignedDuration {
    SignedDuration::from_secs(i64::from(context.world.settings().qr_expiration_seconds))
}

fn create(context: Context<'_>, body: &[u8]) -> Result<ApiResponse, Refusal> {
    let merchant = authentication::admitted(context)?;
    let fields = read(context, body)?;
    let mut request = requests::read_creation(&fields)?;
    request.method = methods::behind_button(context, request.method);
    request.symbol_in_characters = context.world.behaves(Behaviour::SymbolsInCharacters);
    let id = context.world.create_qr_payment(|ids, now| request.apply(&merchant, waits(context), ids, now))?;
    let created = context.world.with_qr_payment(id, |payment, _| ok(&Created::new(payment)));
    Ok(created.ok_or(Violation::PaymentNotFound)?)
}

/// There is nothing to send; what is sent all the same has to be JSON.
fn cancel(named: &Named<'_>, body: &[u8]) -> Result<ApiResponse, Refusal> {
    read_optional(named.context, body)?;
    named.then(|payment, _| Cancellation.apply(payment).map(|()| Cancelled::new(payment)))
}

fn change_method(named: &Named<'_>, body: &[u8]) -> Result<ApiResponse, Refusal> {
    let fields = read(named.context, body)?;
    let mut request = requests::read_change(&fields)?;
    request.method = methods::behind_button(named.context, request.method);
    if request.method.is_some_and(|method| !named.merchant.offers_by_qr(method)) {
        return Err(Violation::UnknownMethod.into());
    }
    named.then(|payment, now| request.apply(payment, waits(named.context), now).map(|()| Changed::new(payment)))
}

fn extend(named: &Named<'_>, body: &[u8]) -> Result<ApiResponse, Refusal> {
    let fields = read_optional(named.context, body)?;
    let request = requests::read_extension(&fields)?;
    named.then(|payment, now| request.apply(payment, now).map(|()| Extended::new(payment)))
}

fn create_refund(named: &Named<'_>, body: &[u8]) -> Result<ApiResponse, Refusal> {
    let fields = read(named.context, body)?;
    let request = requests::read_refund(&fields)?;
    let id = named.context.world.draw_code();
    named.then(|payment, now| {
        request.apply(payment, id, now)?;
        RefundView::find(payment, Some(id))
    })
}
