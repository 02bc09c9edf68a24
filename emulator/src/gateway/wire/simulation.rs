//! The merchant plays the payer of a test payment. It is not in the documents, but public clients send it.

use crate::common::{Merchant, Refusal, TransId};
use crate::gateway::core::payer::Payer;
use crate::gateway::core::{Reason, Violation};
use crate::wire::{Context, Fields};

/// `subject=payment, transId, task=PAID|AUTHORIZED|CANCELLED`.
pub(super) fn play(context: Context<'_>, merchant: &Merchant, fields: &Fields<'_>) -> Result<(), Refusal> {
    if fields.text("subject")? != Some("payment") {
        return Err(Violation::Malformed("subject").into());
    }
    let id = fields.text("transId")?.ok_or(Violation::Missing("transId"))?;
    let task = fields.text("task")?.unwrap_or_default();
    context.world.with_payment_of(merchant, TransId::parse(id), |payment, now| {
        if !payment.order.test {
            return Err(Violation::NotATest);
        }
        match (task, payment.order.preauth) {
            ("PAID", false) | ("AUTHORIZED", true) => payment.pay(Payer::default(), now),
            ("CANCELLED", _) => payment.fail(Reason::CustomerClick),
            _ => Err(Violation::Malformed("task")),
        }
    })
}
