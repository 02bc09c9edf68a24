//! The bank decides on refunds of QR payments that are not tests.

use serde::Deserialize;
use serde_json::json;

use super::context::{ActionContext, ActionResult};
use crate::common::TransId;
use crate::control::error::ControlError;
use crate::qr::core::refund::RefundStatus;
use crate::qr::core::{QrPayment, State, Violation};

/// The refund.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Decides {
    trans_refund_id: String,
}

/// The money was sent back.
pub(super) async fn refunds(context: ActionContext, with: Decides) -> ActionResult {
    decide(&context, &with.trans_refund_id, RefundStatus::Refunded)
}

/// The bank won't send it back.
pub(super) async fn rejects(context: ActionContext, with: Decides) -> ActionResult {
    decide(&context, &with.trans_refund_id, RefundStatus::Cancelled)
}

fn decide(context: &ActionContext, code: &str, status: RefundStatus) -> ActionResult {
    let unknown = || ControlError::unknown(format!("there is no refund {code} of a QR payment in this world"));
    let refund = TransId::parse(code).ok_or_else(unknown)?;
    // Refunds are few, and this is not one of the APIs: no index is kept.
    let holders = context.world.list_qr_payments(|payment| payment.refunds().iter().any(|each| each.id == refund).then_some(payment.id));
    let payment = holders.into_iter().flatten().next().ok_or_else(unknown)?;
    let decided = context.world.with_qr_payment(payment, |payment, _| decided(payment, refund, status)).ok_or_else(unknown)?;
    decided.map_err(|_| ControlError::conflict(format!("the refund {code} is final")))?;
    Ok(json!({ "transRefundId": code, "status": status.as_str() }))
}

fn decided(payment: &mut QrPayment, refund: TransId, status: RefundStatus) -> Result<(), Violation> {
    let State::Paid { refunds } = &mut payment.state else { return Err(Violation::RefundNotFound) };
    refunds.iter_mut().find(|each| each.id == refund).ok_or(Violation::RefundNotFound)?.decide(status)
}
