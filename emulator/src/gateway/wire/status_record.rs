//! The payment status record, in the order of the document's table.

use crate::gateway::core::receipt::InitiationCard;
use crate::gateway::core::{Interface, Payment};
use crate::wire::Record;

/// Writes everything after `code` and `message`. v1.0 also has merchant and secret, and sends known fields without a
/// value empty; v2.0 leaves those out.
pub(super) fn write(record: &mut impl Record, payment: &Payment, interface: Interface, secret: &str) {
    let blank = match interface {
        Interface::V1 => Some(""),
        Interface::V2 => None,
    };
    let order = &payment.order;
    let receipt = payment.receipt_if_any();
    let mut digits = itoa::Buffer::new();
    if interface == Interface::V1 {
        record.text("merchant", payment.merchant.id());
    }
    record.text("test", if order.test { "true" } else { "false" });
    record.text("price", digits.format(order.price));
    record.text("curr", order.currency.as_str());
    record.text("label", &order.label);
    record.text("refId", &order.ref_id);
    record.optional("payerId", order.payer_id.as_deref().or(blank));
    record.optional("method", receipt.map(|receipt| receipt.method.id).or(blank));
    record.optional("account", payment.account().or(blank));
    record.text("email", order.email.as_deref().unwrap_or_default());
    record.optional("name", order.name.as_deref().or(blank));
    record.optional("phone", order.phone.as_deref().or(blank));
    record.text("transId", payment.id.text().as_str());
    if interface == Interface::V1 {
        record.text("secret", secret);
    }
    record.text("status", payment.state.as_str());
    record.optional("payerName", receipt.and_then(|receipt| receipt.payer_name.as_deref()).or(blank));
    record.optional("payerAcc", receipt.and_then(|receipt| receipt.payer_account.as_deref()).or(blank));
    record.text("fee", payment.merchant.settings.fee.as_deref().unwrap_or("unknown"));
    record.text("vs", digits.format(payment.variable_symbol));
    if let Some(card) = receipt.and_then(|receipt| receipt.card.as_ref()) {
        write_card(record, card);
    } else if let Some(blank) = blank {
        record.text("cardValid", blank);
        record.text("cardNumber", blank);
    }
    write_surcharge(record, payment);
    record.optional("paymentErrorReason", payment.error_reason().map(|reason| reason.as_str()));
    if let Some(three_ds) = receipt.and_then(|receipt| receipt.three_ds) {
        record.text("threeDSPreference", three_ds.status_name());
        record.flag("threeDSApplied", three_ds.applied());
    }
}

/// The card of an initiation payment, as in the notification.
pub(super) fn write_card(record: &mut impl Record, card: &InitiationCard) {
    record.text("cardValid", &card.valid);
    record.text("cardNumber", &card.number);
}

/// The surcharge of an unregulated card, as in the notification.
pub(super) fn write_surcharge(record: &mut impl Record, payment: &Payment) {
    if let Some(fee) = payment.receipt_if_any().and_then(|receipt| receipt.applied_fee) {
        record.integer("appliedFee", i64::from(fee.amount));
        record.text("appliedFeeType", fee.kind.as_str());
    }
}
