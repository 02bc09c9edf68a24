//! Each call: who calls, what is asked, what the core says.

use std::sync::Arc;

use http::StatusCode;
use jiff::Timestamp;
use serde::Serialize;

use super::answers::{Cancelled, Changed, Created, Extended, RefundView, StatusView};
use super::routes::{About, QrCall};
use super::{Context, Failure, authentication, methods, ok, read, read_optional, requests};
use crate::gateway::core::{Merchant, TransId};
use crate::qr::core::{Cancellation, QrPayment, Violation};
use crate::wire::Reply;

/// Carries a call out, unless a fault strikes it.
pub(super) fn perform(context: Context<'_>, call: QrCall, about: About, body: &[u8]) -> Result<Reply, Failure> {
    if let Some(fault) = context.world.qr().faults().strike(call) {
        return Err(fault);
    }
    let named = || Named::by(context, about.payment);
    match call {
        QrCall::AuthPing | QrCall::Ping => Ok(Reply::empty(StatusCode::OK)),
        QrCall::Authenticate => authentication::authenticate(context, body),
        QrCall::Methods => methods::list(context, body),
        QrCall::Create => create(context, body),
        QrCall::Status => named()?.then(|payment, _| Ok(StatusView::of(payment))),
        QrCall::Cancel => cancel(&named()?, body),
        QrCall::ChangeMethod => change_method(&named()?, body),
        QrCall::Extend => extend(&named()?, body),
        QrCall::CreateRefund => create_refund(&named()?, body),
        QrCall::RefundStatus => named()?.then(|payment, _| RefundView::find(payment, about.refund)),
    }
}

/// The payment in the path, and the merchant of the token.
struct Named<'a> {
    context: Context<'a>,
    merchant: Arc<Merchant>,
    payment: Option<TransId>,
}

impl<'a> Named<'a> {
    fn by(context: Context<'a>, payment: Option<TransId>) -> Result<Self, Failure> {
        Ok(Self { context, merchant: authentication::admitted(context)?, payment })
    }

    /// Does something with the payment, if there is one and it is the merchant's.
    fn then<A: Serialize>(&self, deed: impl FnOnce(&mut QrPayment, Timestamp) -> Result<A, Violation>) -> Result<Reply, Failure> {
        let id = self.payment.ok_or(Violation::PaymentNotFound)?;
        let done = self.context.world.with_qr(id, |payment, now| {
            if payment.belongs_to(&self.merchant.settings.mid) { deed(payment, now) } else { Err(Violation::ForeignPayment) }
        });
        Ok(ok(&done.ok_or(Violation::PaymentNotFound)??))
    }
}

fn create(context: Context<'_>, body: &[u8]) -> Result<Reply, Failure> {
    let merchant = authentication::admitted(context)?;
    let fields = read(context, body)?;
    let request = requests::read_creation(&fields)?;
    let id = context.world.create_qr(|minted, now| request.apply(&merchant, context.waits(), minted, now))?;
    let created = context.world.with_qr(id, |payment, _| ok(&Created::of(payment)));
    Ok(created.ok_or(Violation::PaymentNotFound)?)
}

/// There is nothing to send; what is sent all the same has to be JSON.
fn cancel(named: &Named<'_>, body: &[u8]) -> Result<Reply, Failure> {
    read_optional(named.context, body)?;
    named.then(|payment, _| Cancellation.apply(payment).map(|()| Cancelled::of(payment)))
}

fn change_method(named: &Named<'_>, body: &[u8]) -> Result<Reply, Failure> {
    let fields = read(named.context, body)?;
    let request = requests::read_change(&fields)?;
    named.then(|payment, now| request.apply(payment, named.context.waits(), now).map(|()| Changed::of(payment)))
}

fn extend(named: &Named<'_>, body: &[u8]) -> Result<Reply, Failure> {
    let fields = read_optional(named.context, body)?;
    let request = requests::read_extension(&fields)?;
    named.then(|payment, now| request.apply(payment, now).map(|()| Extended::of(payment)))
}

fn create_refund(named: &Named<'_>, body: &[u8]) -> Result<Reply, Failure> {
    let fields = read(named.context, body)?;
    let request = requests::read_refund(&fields)?;
    let id = named.context.world.mint_code();
    named.then(|payment, now| {
        request.apply(payment, id, now)?;
        RefundView::find(payment, Some(id))
    })
}
