//! What a world looks like from outside.

use axum::extract::{Path, State};
use http::StatusCode;
use serde_json::{Value, json};

use super::error::{ControlError, read_trans_id};
use super::routes::{Answer, json_answer};
use super::worlds::find;
use crate::app::AppState;
use crate::gateway::core::refund::{Refunded, total};
use crate::gateway::core::{Payment, State as PaymentState};
use crate::world::{Answer as DeliveryAnswer, Attempt, Mail, World};

pub(super) async fn payments(State(state): State<AppState>, Path(name): Path<String>) -> Answer {
    let world = find(&state, &name)?;
    json_answer(StatusCode::OK, &json!({ "payments": world.list_payments(payment_view) }))
}

pub(super) async fn payment(State(state): State<AppState>, Path((name, id)): Path<(String, String)>) -> Answer {
    let world = find(&state, &name)?;
    let view = world.with_payment(read_trans_id(&id)?, |payment, _| (payment_view(payment), <&[_]>::default()));
    json_answer(StatusCode::OK, &view.ok_or_else(|| ControlError::unknown_payment(id))?)
}

pub(super) async fn notifications(State(state): State<AppState>, Path(name): Path<String>) -> Answer {
    let attempts = find(&state, &name)?.outbox().attempts();
    json_answer(StatusCode::OK, &json!({ "notifications": attempts.iter().map(attempt_view).collect::<Vec<_>>() }))
}

pub(super) async fn mail(State(state): State<AppState>, Path(name): Path<String>) -> Answer {
    json_answer(StatusCode::OK, &json!({ "mail": mails(&*find(&state, &name)?) }))
}

/// The mail of a world, oldest first.
pub(super) fn mails(world: &World) -> Vec<Value> {
    world.outbox().mails().iter().map(mail_view).collect()
}

fn payment_view(payment: &Payment) -> Value {
    let refunds = refunds_of(payment);
    json!({
        "transId": payment.id.to_string(),
        "merchant": payment.merchant.id(),
        "status": payment.state.word(),
        "test": payment.order.test,
        "price": payment.order.price,
        "curr": payment.order.currency.word(),
        "label": payment.order.label,
        "refId": payment.order.ref_id,
        "paymentErrorReason": payment.error_reason().map(|reason| reason.word()),
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

fn attempt_view(attempt: &Attempt) -> Value {
    let answer = match &attempt.answer {
        DeliveryAnswer::Status(status) => json!({ "status": status }),
        DeliveryAnswer::TransportError(error) => json!({ "error": error }),
    };
    json!({
        "transId": attempt.trans_id.to_string(),
        "status": attempt.status,
        "attempt": attempt.attempt,
        "at": attempt.at,
        "answer": answer,
        "acknowledged": attempt.answer.acknowledges(),
    })
}

fn mail_view(mail: &Mail) -> Value {
    json!({
        "to": mail.to,
        "kind": "notification-given-up",
        "transId": mail.trans_id.to_string(),
        "status": mail.status,
        "attempts": mail.attempts,
        "at": mail.at,
        "text": mail.text,
    })
}
