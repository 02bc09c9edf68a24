//! Payments, notifications and e-mails of a world.

use std::sync::Arc;

use axum::extract::State;
use serde_json::{Value, json};

use super::error::ControlError;
use super::http::{ControlResponse, Path, world_response};
use super::lookup::{find_world, read_trans_id};
use crate::gateway::core::refunded::{Refunded, total};
use crate::gateway::core::{Payment, State as PaymentState};
use crate::wire::shape::IdentifierSpelling;
use crate::world::{Attempt, DeliveryResult, Email, World, Worlds};

/// The most payments, attempts or e-mails of one list.
pub(super) const MOST_LISTED: usize = 10_000;

pub(super) async fn payments(State(worlds): State<Arc<Worlds>>, Path(name): Path<String>) -> ControlResponse {
    let world = find_world(&worlds, &name)?;
    let (payments, older) = world.newest_payments(MOST_LISTED, payment_view);
    world_response(&world, &json!({ "payments": payments, "older": older }))
}

pub(super) async fn payment(State(worlds): State<Arc<Worlds>>, Path((name, id)): Path<(String, String)>) -> ControlResponse {
    let world = find_world(&worlds, &name)?;
    let inside = IdentifierSpelling::chosen_in(world.freedoms()).map_or_else(|| id.clone(), |identifiers| identifiers.inward_text(&id));
    let view = world.read_payment(read_trans_id(&inside)?, |payment, _| payment_view(payment));
    world_response(&world, &view.ok_or_else(|| ControlError::unknown_payment(id))?)
}

pub(super) async fn notifications(State(worlds): State<Arc<Worlds>>, Path(name): Path<String>) -> ControlResponse {
    let world = find_world(&worlds, &name)?;
    let (attempts, older) = world.outbox().newest_attempts(MOST_LISTED);
    world_response(&world, &json!({ "notifications": attempts.iter().map(attempt_view).collect::<Vec<_>>(), "older": older }))
}

pub(super) async fn mail(State(worlds): State<Arc<Worlds>>, Path(name): Path<String>) -> ControlResponse {
    let world = find_world(&worlds, &name)?;
    let (mail, older) = emails(&world);
    world_response(&world, &json!({ "mail": mail, "older": older }))
}

/// The newest e-mails of a world, oldest first, and how many older ones there are.
pub(super) fn emails(world: &World) -> (Vec<Value>, usize) {
    let (emails, older) = world.outbox().newest_emails(MOST_LISTED);
    (emails.iter().map(email_view).collect(), older)
}

pub(super) fn payment_view(payment: &Payment) -> Value {
    let refunds = refunds_of(payment);
    json!({
        "transId": payment.id.to_string(),
        "merchant": payment.merchant.id(),
        "status": payment.state.as_str(),
        "test": payment.order.test,
        "price": payment.order.price,
        "curr": payment.order.currency.as_str(),
        "label": payment.order.label,
        "refId": payment.order.ref_id,
        "paymentErrorReason": payment.error_reason().map(|reason| reason.as_str()),
        "created": payment.created,
        "expires": payment.expires(),
        "refunded": total(refunds),
        "refunds": refunds.iter().map(refund_view).collect::<Vec<_>>(),
    })
}

fn refunds_of(payment: &Payment) -> &[Refunded] {
    match &payment.state {
        PaymentState::Paid { refunds, .. } => refunds,
        PaymentState::Pending | PaymentState::Authorized { .. } | PaymentState::Cancelled { .. } => &[],
    }
}

fn refund_view(refund: &Refunded) -> Value {
    json!({ "amount": refund.amount, "refId": refund.ref_id, "at": refund.at })
}

pub(super) fn attempt_view(attempt: &Attempt) -> Value {
    let response = match &attempt.result {
        DeliveryResult::Status(status) => json!({ "status": status }),
        DeliveryResult::TransportError(error) => json!({ "error": error }),
    };
    json!({
        "transId": attempt.trans_id.to_string(),
        "status": attempt.status,
        "attempt": attempt.attempt,
        "at": attempt.at,
        "answer": response,
        "acknowledged": attempt.result.acknowledges(),
    })
}

pub(super) fn email_view(email: &Email) -> Value {
    json!({
        "to": email.to,
        "kind": "notification-given-up",
        "transId": email.trans_id.to_string(),
        "status": email.status,
        "attempts": email.attempts,
        "at": email.at,
        "text": email.text,
    })
}
