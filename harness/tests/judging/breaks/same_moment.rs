//! Two equal calls at the same moment, and a server that checks both before either takes effect, or that loses one of them.

use serde_json::Value;

use super::Break;
use crate::planted::races::{enters, key, leaves};
use crate::support::proxy::{Message, ObservedRequest};

pub fn all() -> Vec<Break> {
    [gateway(), qr()].into_iter().flatten().collect()
}

/// Accepts what was refused because another call of this name met it.
fn accepts_both(asked: &ObservedRequest<'_>, message: &mut Message, call: &str) {
    if asked.is(call) && leaves(asked) && !message.succeeds() {
        message.accept();
    }
}

fn gateway() -> Vec<Break> {
    breaks! {
        "two refunds that meet are both paid back, in v1.0" in "two-refunds-at-the-same-moment-never-exceed-the-price / v1.0" => "gateway.refund.sum":
            overlaps(|asked| asked.is("refund")),
            onward(|asked, _| if asked.is("refund") { enters(asked) }),
            response(|asked, message| accepts_both(asked, message, "refund"));
        "two refunds that meet are both paid back, in v2.0" in "two-refunds-at-the-same-moment-never-exceed-the-price / v2.0" => "gateway.refund.sum":
            overlaps(|asked| asked.is("refund")),
            onward(|asked, _| if asked.is("refund") { enters(asked) }),
            response(|asked, message| accepts_both(asked, message, "refund"));
        "two refunds of a terminal payment that meet are both paid back"
            in "two-refunds-of-a-terminal-payment-at-the-same-moment-never-exceed-it / v1.0" => "gateway.refundPos.amount.part":
            overlaps(|asked| asked.is("refundPos")),
            onward(|asked, _| if asked.is("refundPos") { enters(asked) }),
            response(|asked, message| accepts_both(asked, message, "refundPos"));
        "two captures that meet both take money" in "two-captures-at-the-same-moment-take-the-money-once / v1.0" => "gateway.capturePreauth.money":
            overlaps(|asked| asked.is("capturePreauth")),
            onward(|asked, _| if asked.is("capturePreauth") { enters(asked) }),
            response(|asked, message| {
                if asked.is("capturePreauth") && leaves(asked) { asked.first_time("taken twice"); }
                if asked.is("detail") && asked.knows("taken twice") {
                    message.records(|items| items.iter_mut().for_each(|item| item["Potvrzená částka"] = "160,00".into()));
                }
            });
    }
}

fn qr() -> Vec<Break> {
    breaks! {
        "two QR refunds that meet are both created" in "two-refunds-at-the-same-moment-never-exceed-the-payment" => "qr.refund.sum":
            overlaps(|asked| asked.is("refund.create")),
            onward(|asked, _| if asked.is("refund.create") { enters(asked) }),
            response(|asked, message| {
                if asked.is("refund.create") && leaves(asked) && !message.fulfils() { message.becomes_a_response(&asked.sound()) }
            });
        "of QR refunds that meet only one is listed" in "refunds-that-were-created-at-the-same-moment-are-all-listed"
            => "qr.status.refunds.transRefundId.recovered":
            overlaps(|asked| asked.is("refund.create")),
            onward(|asked, _| if asked.is("refund.create") { enters(asked) }),
            response(|asked, message| {
                if asked.is("refund.create") && leaves(asked) { asked.note(&key(asked, "lost"), "1") }
                if asked.is("qr.status") && asked.knows(&key(asked, "lost")) {
                    message.fields.get_mut("refunds").and_then(Value::as_array_mut).map(Vec::pop);
                }
            });
    }
}
