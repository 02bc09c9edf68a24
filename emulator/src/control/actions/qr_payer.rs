//! The payer of a QR payment, whose code may be given to the actions of any payer.

use serde_json::json;

use super::context::{ActionContext, ActionResult};
use crate::common::TransId;
use crate::control::error::ControlError;
use crate::qr::core::{QrPayment, State, Violation};

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

/// "Late money goes through the standard refund process": it changes nothing here. `None` if the code is not that of a QR payment.
pub(super) fn pays_late(context: &ActionContext, trans_id: &str) -> Option<ActionResult> {
    let id = TransId::parse(trans_id)?;
    context.world.with_qr_payment(id, |payment, _| {
        let status = payment.state.as_str();
        late_for(trans_id, status, matches!(payment.state, State::Cancelled { .. }))
    })
}

/// Money comes late for what was cancelled, and only for that.
pub(super) fn late_for(trans_id: &str, status: &str, cancelled: bool) -> ActionResult {
    if !cancelled {
        return Err(ControlError::conflict(format!("money is late for a cancelled payment only: {trans_id} is {status}")));
    }
    Ok(json!({ "transId": trans_id, "status": status }))
}
