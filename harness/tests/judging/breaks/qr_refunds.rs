//! QR refunds: creation, lists and processing that differ from the documents.

use serde_json::{Value, json};

use super::Break;
use crate::support::proxy::{Message, ObservedRequest};

const PARTS: &str = "qr / a-paid-payment-is-refunded-in-parts";
const LISTED: &str = "refunds-are-listed-in-their-order";
const LOST: &str = "a-lost-refund-is-recovered";
const REFERRED: &str = "a-refund-needs-no-reference";

/// QR refunds that break a rule.
pub fn all() -> Vec<Break> {
    [creations(), lists(), states()].into_iter().flatten().collect()
}

/// Changes the refunds of a status.
fn refunds(asked: &ObservedRequest<'_>, message: &mut Message, change: impl FnOnce(&mut Vec<Value>)) {
    if let Some(Value::Array(refunds)) = message.fields.get_mut("refunds").filter(|_| asked.is("qr.status")) {
        change(refunds);
    }
}

fn each(asked: &ObservedRequest<'_>, message: &mut Message, change: impl Fn(&mut Value)) {
    refunds(asked, message, |refunds| refunds.iter_mut().for_each(change));
}

fn creations() -> Vec<Break> {
    breaks! {
        "refunds beyond the amount" in PARTS => "qr.refund.sum":
            response(|asked, message| if asked.is("refund.create") { message.grant(asked) });
        "two refunds with one identifier" in PARTS => "qr.refund.answer.transRefundId.unique":
            response(|asked, message| if asked.is("refund.create") && message.fulfils() {
                message.replace("transRefundId", asked.noted("first", message.get("transRefundId")));
            });
        "the refund of another payment" in "a-refund-belongs-to-its-payment" => "qr.refund.answer.transId.value":
            response(|asked, message| if asked.is("refund.create") { message.replace("transId", "AAAA-0000-0001") });
        "a refund is read under any payment" in "a-refund-belongs-to-its-payment" => "qr.refund.path":
            response(|asked, message| if asked.is("refund.status") { message.grant(asked) });
        "a refund loses its reference" in REFERRED => "qr.refund.answer.refId.value":
            response(|asked, message| if asked.is("refund.create") { message.replace("refId", json!(null)) });
        "the status of a refund loses its reference" in REFERRED => "qr.refund.status.refId.value":
            response(|asked, message| if asked.is("refund.status") { message.replace("refId", json!(null)) });
        "the status of a refund names another payment" in REFERRED => "qr.refund.status.transId.value":
            response(|asked, message| if asked.is("qr.refund.status") { message.replace("transId", "AAAA-0000-0001") });
        "the status of another refund" in REFERRED => "qr.refund.status.transRefundId.value":
            response(|asked, message| if asked.is("refund.status") { message.replace("transRefundId", "AAAA-0000-0001-R9") });
        "a pending payment is refunded" in "qr / only-a-paid-payment-is-refunded / crowns" => "qr.refund.only-paid":
            response(|asked, message| if asked.is("refund.create") { message.grant(asked) });
    }
}

fn lists() -> Vec<Break> {
    breaks! {
        "a refund where there is none" in LISTED => "qr.status.refunds.empty":
            response(|asked, message| refunds(asked, message, |refunds| if refunds.is_empty() {
                refunds.push(json!({"transRefundId": "R0", "refId": null, "amount": 1}));
            }));
        "the last refund comes first" in LISTED => "qr.status.refunds.order":
            response(|asked, message| refunds(asked, message, |refunds| refunds.reverse()));
        "refunds in major units" in LISTED => "qr.status.refunds.amount.value":
            response(|asked, message| each(asked, message, |refund| refund["amount"] = json!(refund["amount"].as_i64().unwrap() / 100)));
        "refunds with the reference of the payment" in LISTED => "qr.status.refunds.refId.value":
            response(|asked, message| each(asked, message, |refund| refund["refId"] = json!("order-1001")));
        "the list forgets what was rejected" in "the-list-of-refunds-stays-as-created" => "qr.status.refunds.creation":
            world(|deed| if deed.action == "bank.rejects" { deed.memory.lock().unwrap().insert("rejected".to_owned(), String::new()); }),
            response(|asked, message| if asked.knows("rejected") { refunds(asked, message, |refunds| { refunds.remove(1); }) });
        "a refund without an identifier" in LOST => "qr.status.refunds.transRefundId.required":
            response(|asked, message| each(asked, message, |refund| { refund.as_object_mut().unwrap().remove("transRefundId"); }));
        "a refund with a number for an identifier" in LOST => "qr.status.refunds.transRefundId.type":
            response(|asked, message| each(asked, message, |refund| refund["transRefundId"] = json!(1)));
        "a refund without an amount" in LOST => "qr.status.refunds.amount.required":
            response(|asked, message| each(asked, message, |refund| { refund.as_object_mut().unwrap().remove("amount"); }));
        "a refund with a text for an amount" in LOST => "qr.status.refunds.amount.type":
            response(|asked, message| each(asked, message, |refund| refund["amount"] = json!("40.00")));
        "a refund with a number for a reference" in LOST => "qr.status.refunds.refId.type":
            response(|asked, message| each(asked, message, |refund| refund["refId"] = json!(1001)));
    }
}

/// Reports another state of a refund.
fn reads(asked: &ObservedRequest<'_>, message: &mut Message, from: &str, to: &str) {
    if asked.is("refund.status") && message.get("status") == from {
        message.set("status", to);
    }
}

fn states() -> Vec<Break> {
    breaks! {
        "a refund that is born refunded" in "a-refund-is-processed-by-the-bank" => "qr.refund.states":
            response(|asked, message| reads(asked, message, "PENDING", "REFUNDED"));
        "a refund is created as refunded" in REFERRED => "qr.refund.created-pending":
            response(|asked, message| if asked.is("refund.create") { message.replace("status", "REFUNDED") });
        "the money goes back, and the refund stays pending" in "a-refund-is-processed-by-the-bank" => "qr.events.refund":
            world(|deed| if deed.action == "bank.refunds" { deed.does_not_happen() });
        "a refund that was sent back reads as cancelled" in "a-refund-is-processed-by-the-bank" => "qr.refund.refunded":
            world(|deed| if deed.action == "bank.refunds" { deed.action = "bank.rejects".to_owned() });
        "a refund that was rejected stays pending" in "a-refund-may-be-rejected-by-the-bank" => "qr.refund.rejected":
            world(|deed| if deed.action == "bank.rejects" { deed.does_not_happen() });
        "a test refund of a heller is refunded" in "a-test-refund-of-1-minor-unit-is-cancelled / 0.01 CZK" => "qr.test.refund.cancelled":
            response(|asked, message| reads(asked, message, "CANCELLED", "REFUNDED"));
        "a cancelled test refund is refunded later" in "a-test-refund-of-1-minor-unit-is-cancelled / 0.01 EUR"
            => "qr.refund.test-cancelled":
            response(|asked, message| if message.get("status") == "CANCELLED" && !asked.first_time("cancelled") {
                reads(asked, message, "CANCELLED", "REFUNDED");
            });
        "a test refund of two hellers is cancelled" in "a-test-refund-ends-by-itself / 0.02 CZK" => "qr.test.refund.refunded":
            response(|asked, message| reads(asked, message, "REFUNDED", "CANCELLED"));
        "a test refund of all euros is cancelled" in "a-test-refund-ends-by-itself / all euros" => "qr.refund.test-refunded":
            response(|asked, message| reads(asked, message, "REFUNDED", "CANCELLED"));
        "a test refund ends at once" in "a-test-refund-ends-by-itself / 0.02 EUR" => "qr.test.refund.time":
            response(|asked, message| reads(asked, message, "PENDING", "REFUNDED"));
    }
}
