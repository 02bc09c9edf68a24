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
fn refunds(asked: &ObservedRequest<'_>, told: &mut Message, change: impl FnOnce(&mut Vec<Value>)) {
    if let Some(Value::Array(refunds)) = told.fields.get_mut("refunds").filter(|_| asked.is("qr.status")) {
        change(refunds);
    }
}

fn each(asked: &ObservedRequest<'_>, told: &mut Message, change: impl Fn(&mut Value)) {
    refunds(asked, told, |refunds| refunds.iter_mut().for_each(change));
}

fn creations() -> Vec<Break> {
    breaks! {
        "refunds beyond the amount" in PARTS => "qr.refund.sum":
            response(|asked, told| if asked.is("refund.create") { told.grant(asked) });
        "two refunds with one identifier" in PARTS => "qr.refund.answer.transRefundId.unique":
            response(|asked, told| if asked.is("refund.create") && told.fulfils() {
                told.replace("transRefundId", asked.noted("first", told.get("transRefundId")));
            });
        "the refund of another payment" in "a-refund-belongs-to-its-payment" => "qr.refund.answer.transId.value":
            response(|asked, told| if asked.is("refund.create") { told.replace("transId", "AAAA-0000-0001") });
        "a refund is read under any payment" in "a-refund-belongs-to-its-payment" => "qr.refund.path":
            response(|asked, told| if asked.is("refund.status") { told.grant(asked) });
        "a refund loses its reference" in REFERRED => "qr.refund.answer.refId.value":
            response(|asked, told| if asked.is("refund.create") { told.replace("refId", json!(null)) });
        "the status of a refund loses its reference" in REFERRED => "qr.refund.status.refId.value":
            response(|asked, told| if asked.is("refund.status") { told.replace("refId", json!(null)) });
        "the status of another refund" in REFERRED => "qr.refund.status.transRefundId.value":
            response(|asked, told| if asked.is("refund.status") { told.replace("transRefundId", "AAAA-0000-0001-R9") });
        "a pending payment is refunded" in "qr / only-a-paid-payment-is-refunded" => "qr.refund.only-paid":
            response(|asked, told| if asked.is("refund.create") { told.grant(asked) });
    }
}

fn lists() -> Vec<Break> {
    breaks! {
        "a refund where there is none" in LISTED => "qr.status.refunds.empty":
            response(|asked, told| refunds(asked, told, |refunds| if refunds.is_empty() {
                refunds.push(json!({"transRefundId": "R0", "refId": null, "amount": 1}));
            }));
        "the last refund comes first" in LISTED => "qr.status.refunds.order":
            response(|asked, told| refunds(asked, told, |refunds| refunds.reverse()));
        "refunds in major units" in LISTED => "qr.status.refunds.amount.value":
            response(|asked, told| each(asked, told, |refund| refund["amount"] = json!(refund["amount"].as_i64().unwrap() / 100)));
        "refunds with the reference of the payment" in LISTED => "qr.status.refunds.refId.value":
            response(|asked, told| each(asked, told, |refund| refund["refId"] = json!("order-1001")));
        "the list forgets what was rejected" in "the-list-of-refunds-stays-as-created" => "qr.status.refunds.creation":
            world(|deed| if deed.action == "bank.rejects" { deed.memory.lock().unwrap().insert("rejected".to_owned(), String::new()); }),
            response(|asked, told| if asked.knows("rejected") { refunds(asked, told, |refunds| { refunds.remove(1); }) });
        "a refund without an identifier" in LOST => "qr.status.refunds.transRefundId.required":
            response(|asked, told| each(asked, told, |refund| { refund.as_object_mut().unwrap().remove("transRefundId"); }));
        "a refund with a number for an identifier" in LOST => "qr.status.refunds.transRefundId.type":
            response(|asked, told| each(asked, told, |refund| refund["transRefundId"] = json!(1)));
        "a refund without an amount" in LOST => "qr.status.refunds.amount.required":
            response(|asked, told| each(asked, told, |refund| { refund.as_object_mut().unwrap().remove("amount"); }));
        "a refund with a text for an amount" in LOST => "qr.status.refunds.amount.type":
            response(|asked, told| each(asked, told, |refund| refund["amount"] = json!("40.00")));
        "a refund with a number for a reference" in LOST => "qr.status.refunds.refId.type":
            response(|asked, told| each(asked, told, |refund| refund["refId"] = json!(1001)));
    }
}

/// Reports another state of a refund.
fn reads(asked: &ObservedRequest<'_>, told: &mut Message, from: &str, to: &str) {
    if asked.is("refund.status") && told.get("status") == from {
        told.set("status", to);
    }
}

fn states() -> Vec<Break> {
    breaks! {
        "a refund that is born refunded" in "a-refund-is-processed-by-the-bank" => "qr.refund.states":
            response(|asked, told| reads(asked, told, "PENDING", "REFUNDED"));
        "a refund is created as refunded" in REFERRED => "qr.refund.created-pending":
            response(|asked, told| if asked.is("refund.create") { told.replace("status", "REFUNDED") });
        "the money goes back, and the refund stays pending" in "a-refund-is-processed-by-the-bank" => "qr.events.refund":
            world(|deed| if deed.action == "bank.refunds" { deed.does_not_happen() });
        "a refund that was sent back reads as cancelled" in "a-refund-is-processed-by-the-bank" => "qr.refund.refunded":
            world(|deed| if deed.action == "bank.refunds" { deed.action = "bank.rejects".to_owned() });
        "a refund that was rejected stays pending" in "a-refund-may-be-rejected-by-the-bank" => "qr.refund.rejected":
            world(|deed| if deed.action == "bank.rejects" { deed.does_not_happen() });
        "a test refund of a heller is refunded" in "a-test-refund-of-1-minor-unit-is-cancelled / 0.01 CZK" => "qr.test.refund.cancelled":
            response(|asked, told| reads(asked, told, "CANCELLED", "REFUNDED"));
        "a cancelled test refund is refunded later" in "a-test-refund-of-1-minor-unit-is-cancelled / 0.01 EUR"
            => "qr.refund.test-cancelled":
            response(|asked, told| if told.get("status") == "CANCELLED" && !asked.first_time("cancelled") {
                reads(asked, told, "CANCELLED", "REFUNDED");
            });
        "a test refund of two hellers is cancelled" in "a-test-refund-ends-by-itself / 0.02 CZK" => "qr.test.refund.refunded":
            response(|asked, told| reads(asked, told, "REFUNDED", "CANCELLED"));
        "a test refund of all euros is cancelled" in "a-test-refund-ends-by-itself / all euros" => "qr.refund.test-refunded":
            response(|asked, told| reads(asked, told, "REFUNDED", "CANCELLED"));
        "a test refund ends at once" in "a-test-refund-ends-by-itself / 0.02 EUR" => "qr.test.refund.time":
            response(|asked, told| reads(asked, told, "PENDING", "REFUNDED"));
    }
}
