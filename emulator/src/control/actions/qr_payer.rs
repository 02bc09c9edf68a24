//! The payer of a QR payment, whose code may be given to the actions of any payer.

use serde_json::json;

use super::context::{ActionContext, ActionResult};
use crate::common::TransId;
use crate::control::error::ControlError;
use crate::qr::core::{QrPayment, Violation};

/// Decides a pending QR payment; `None` if the code is not that of one.
pub(super) fn decides(
    context: &ActionContext,
    trans_id: &str,
    action: impl FnOnce(&mut QrPayment) -> Result<(), Violation>,
) -> Option<ActionResult> {
    let id = TransId::parse(trans_id)?;
    context.world.with_qr_payment(id, |payment, _| {
        let done = action(payment);
        let status = payment.state.as_str();
        done.map_err(|_| ControlError::conflict(format!("the payment is final: {trans_id} is {status}")))?;
        Ok(json!({ "transId": trans_id, "status": status }))
    })
}
