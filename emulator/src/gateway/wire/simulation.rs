//! The merchant plays the payer of a test payment. It is not in the documents, but public clients send it.

use crate::common::{Merchant, Refusal, TransId};
use crate::gateway::core::Violation;
use crate::gateway::core::payer::Payer;
use crate::wire::{Context, Fields};

/// `subject=payment, transId, task=PAID|AUTHORIZED`.
pub(super) fn play(context: Context<'_>, merchant: &Merchant, fields: &Fields<'_>) -> Result<(), Refusal> {
    if fields.text("subject")? != Some("payment") {
        return Err(Violation::Malformed("subject").into());
    }
    let id = fields.text("transId")?.ok_or(Violation::Missing("transId"))?;
    let authorizes = match fields.text("task")? {
        Some("PAID") => false,
        Some("AUTHORIZED") => true,
        _ => return Err(Violation::Malformed("task").into()),
    };
    context.world.with_payment_of(merchant, TransId::parse(id), |payment, now| {
        if !payment.order.test {
            return Err(Violation::NotATest);
        }
        if payment.order.preauth != authorizes {
            return Err(Violation::Malformed("task"));
        }
        payment.pay(Payer::default(), now)
    })
}
