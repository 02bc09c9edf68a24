//! The payer of a QR payment, whose code may be given to the actions of any payer.

use serde_json::json;

use super::{At, ControlError, Outcome};
use crate::gateway::core::TransId;
use crate::qr::core::{QrPayment, Violation};

/// Decides a pending QR payment; `None` if the code is not that of one.
pub(super) fn decides(at: &At, trans_id: &str, deed: impl FnOnce(&mut QrPayment) -> Result<(), Violation>) -> Option<Outcome> {
    let id = TransId::parse(trans_id)?;
    at.world.with_qr(id, |payment, _| {
        let done = deed(payment);
        let status = payment.state.word();
        done.map_err(|_| ControlError::conflict(format!("the payment is final: {trans_id} is {status}")))?;
        Ok(json!({ "transId": trans_id, "status": status }))
    })
}
