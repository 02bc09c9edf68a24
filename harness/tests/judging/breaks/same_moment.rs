//! Two equal calls at the same moment, and a server that checks both before either takes effect, or that loses one of them.

use serde_json::Value;

use super::Break;
use crate::support::proxy::{Message, ObservedRequest};

pub fn all() -> Vec<Break> {
    [gateway(), qr()].into_iter().flatten().collect()
}

/// Whether the call asks for more than a half of what was paid: one of the two may have it.
fn exceeds(asked: &ObservedRequest<'_>) -> bool {
    (asked.is("refund") || asked.is("refundPos")) && asked.text("amount") == "6000"
        || asked.is("refund.create") && asked.text("amount") == "3000"
}

fn accepts_both(asked: &ObservedRequest<'_>, message: &mut Message) {
    if exceeds(asked) && !message.succeeds() {
        message.accept();
    }
}

fn gateway() -> Vec<Break> {
    breaks! {
        "two refunds that meet are both paid back, in v1.0" in "two-refunds-at-the-same-moment-never-exceed-the-price / v1.0" => "gateway.refund.sum":
            twins(exceeds),
            response(accepts_both);
        "two refunds that meet are both paid back, in v2.0" in "two-refunds-at-the-same-moment-never-exceed-the-price / v2.0" => "gateway.refund.sum":
            twins(exceeds),
            response(accepts_both);
        "two refunds of a terminal payment that meet are both paid back"
            in "two-refunds-of-a-terminal-payment-at-the-same-moment-never-exceed-it / v1.0" => "gateway.refundPos.amount.part":
            twins(exceeds),
            response(accepts_both);
        "two captures that meet both take money" in "two-captures-at-the-same-moment-take-the-money-once / v1.0" => "gateway.capturePreauth.money":
            twins(|asked| asked.is("capturePreauth")),
            response(|asked, message| {
                if asked.is("capturePreauth") { asked.first_time("taken twice"); }
                if asked.is("detail") && asked.knows("taken twice") {
                    message.records(|items| items.iter_mut().for_each(|item| item["Potvrzená částka"] = "160,00".into()));
                }
            });
    }
}

fn qr() -> Vec<Break> {
    breaks! {
        "two QR refunds that meet are both created" in "two-refunds-at-the-same-moment-never-exceed-the-payment" => "qr.refund.sum":
            twins(exceeds),
            response(|asked, message| if exceeds(asked) && !message.fulfils() { message.becomes_a_response(&asked.sound()) });
        "of QR refunds that meet only one is listed" in "refunds-that-were-created-at-the-same-moment-are-all-listed"
            => "qr.status.refunds.transRefundId.recovered":
            twins(|asked| asked.is("refund.create")),
            response(|asked, message| {
                if asked.is("refund.create") { asked.first_time("two refunds"); }
                if asked.is("qr.status") && asked.knows("two refunds") {
                    message.fields.get_mut("refunds").and_then(Value::as_array_mut).map(Vec::pop);
                }
            });
    }
}
