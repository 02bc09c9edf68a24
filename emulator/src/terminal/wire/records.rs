//! Records about payments, refunds and closings, in the order of the document's tables.

use jiff::Timestamp;

use crate::base::prague;
use crate::common::fees;
use crate::terminal::core::{Closing, Payment, Refund, Totals};
use crate::wire::{JsonRecord, Record as _};

/// The fee of a transaction.
#[derive(Clone, Copy)]
pub(super) struct Fee<'f> {
    /// As set in the portal.
    pub(super) set: Option<&'f str>,
    /// How many nights pass until it is known; `None`: it never is.
    pub(super) nights: Option<i64>,
}

/// A payment.
pub(super) fn payment(mut record: JsonRecord, payment: &Payment, fee: Fee<'_>, now: Timestamp) -> JsonRecord {
    let (order, charge) = (&payment.order, payment.charge());
    let mut digits = itoa::Buffer::new();
    record.text("price", digits.format(order.price));
    if let Some(tip) = order.tip {
        record.integer("tip", tip);
    }
    record.text("curr", order.currency.as_str());
    record.text("refId", &order.ref_id);
    record.text("transId", &payment.id.to_string());
    record.text("status", payment.state.as_str());
    record.text("fee", known_fee(payment, fee, now).map_or("unknown", |fee| digits.format(fee)));
    if let Some(charge) = charge {
        record.text("cardValid", &charge.card.valid);
        record.text("cardNumber", &charge.card.number);
    }
    record.optional("paymentErrorReason", payment.error_reason());
    record.flag("reversed", charge.is_some_and(|charge| charge.reversed));
    if let Some(refunded) = charge.map(|charge| charge.amount_refunded()).filter(|amount| *amount > 0) {
        record.text("amountRefunded", digits.format(refunded));
    }
    record
}

/// "Fees are available the next day at the earliest, from processor reports": from midnight in Prague on.
fn known_fee(payment: &Payment, fee: Fee<'_>, now: Timestamp) -> Option<i64> {
    let charge = payment.charge()?;
    let known = prague::date(charge.at).checked_add(jiff::Span::new().days(fee.nights?)).ok()?;
    (known <= prague::date(now)).then(|| fees::total(payment.order.price, fee.set))
}

/// A refund.
pub(super) fn refund(mut record: JsonRecord, refund: &Refund) -> JsonRecord {
    let (order, payout) = (&refund.order, refund.payout());
    record.text("price", itoa::Buffer::new().format(order.price));
    record.text("curr", order.currency.as_str());
    record.text("refId", &order.ref_id);
    record.text("transId", &refund.id.to_string());
    record.text("status", refund.state.as_str());
    record.optional("cardNumber", payout.map(|payout| &*payout.card.number));
    record.flag("reversed", payout.is_some_and(|payout| payout.reversed.is_some()));
    record
}

/// How the totals of a closing are written.
#[derive(Clone, Copy, Debug)]
pub(super) struct TotalsStyle {
    /// They take the card holder's side.
    pub swapped: bool,
    /// Money that went is below zero.
    pub signed: bool,
}

/// A closing.
pub(super) fn closing(mut record: JsonRecord, closing: &Closing, style: TotalsStyle) -> JsonRecord {
    record.integer("batchNumber", i64::from(closing.number));
    record.objects("batchData", closing.totals.iter().map(|sums| totals(sums, style)));
    record
}

fn totals(totals: &Totals, style: TotalsStyle) -> JsonRecord {
    let (came, mut went) = (totals.credits, totals.debits);
    if style.signed {
        went.amount = -went.amount;
    }
    let (credits, debits) = if style.swapped { (went, came) } else { (came, went) };
    let mut record = JsonRecord::with_capacity(128);
    record.text("curr", totals.currency.as_str());
    record.integer("creditsAmount", credits.amount);
    record.integer("creditsCount", credits.count);
    record.integer("debitsAmount", debits.amount);
    record.integer("debitsCount", debits.count);
    record
}
