//! The payer of a QR payment, whose code may be given to the actions of any payer.

use serde::Deserialize;
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

/// The QR payment whose money comes late.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PaysLate {
    trans_id: String,
}

/// "Late money goes through the standard refund process": it changes nothing here.
pub(super) async fn pays_late(context: ActionContext, with: PaysLate) -> ActionResult {
    let unknown = || ControlError::unknown(format!("there is no QR payment {} in this world", with.trans_id));
    let id = TransId::parse(&with.trans_id).ok_or_else(unknown)?;
    let (status, cancelled) = context
        .world
        .with_qr_payment(id, |payment, _| (payment.state.as_str(), matches!(payment.state, State::Cancelled { .. })))
        .ok_or_else(unknown)?;
    if !cancelled {
        return Err(ControlError::conflict(format!("money is late for a cancelled payment only: {} is {status}", with.trans_id)));
    }
    Ok(json!({ "transId": with.trans_id, "status": status }))
}
