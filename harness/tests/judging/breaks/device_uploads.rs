//! Uploads that are not stored as documented, or get a wrong response.

use serde_json::{Value, json};

use super::Break;
use crate::support::proxy::{Message, ObservedRequest};

const KNOWN: &str = "a-record-is-known-by-its-id";
const LOWER: &str = "a-lower-sync-version-is-dropped";
const KINDS: &str = "unknown-kinds-count-as-unknown";
const TEXTS: &str = "texts-that-cannot-be-parsed-are-kept";
const STRICT: &str = "amounts-are-whole-and-currencies-alphabetic";

/// Changes the records on their way to the emulator.
fn records(asked: &ObservedRequest<'_>, sent: &mut Message, change: impl Fn(&mut Value)) {
    if let Some(Value::Array(records)) = sent.fields.get_mut("transactions").filter(|_| asked.is("device.transactions")) {
        records.iter_mut().for_each(change);
    }
}

/// Reports every uploaded record as accepted.
fn accepted(asked: &ObservedRequest<'_>, message: &mut Message) {
    if asked.is("device.transactions") {
        message.set("accepted", asked.uploaded());
        message.set("rejected", json!([]));
    }
}

/// Uploads that break a rule.
pub fn all() -> Vec<Break> {
    [responses(), stores()].into_iter().flatten().collect()
}

fn responses() -> Vec<Break> {
    breaks! {
        "a batch of 51 is accepted whole" in "a-batch-of-51-is-truncated" => "device.transactions.truncated.true":
            response(accepted);
        "a batch of 51 is not called truncated" in "a-batch-of-51-is-truncated" => "device.transactions.truncated.true":
            response(|asked, message| if asked.is("device.transactions") { message.set("truncated", false) });
        "the last 50 of a batch are processed" in "a-batch-of-51-is-truncated" => "device.transactions.limit":
            response(|asked, message| if asked.is("device.transactions") { message.set("accepted", asked.uploaded().split_off(1)) });
        "a small batch is called truncated" in STRICT => "device.transactions.truncated.false":
            response(|asked, message| if asked.is("device.transactions") { message.set("truncated", true) });
        "a broken amount is accepted" in STRICT => "device.transactions.amount":
            response(accepted);
        "a numeric currency is accepted" in STRICT => "device.transactions.currency":
            response(|asked, message| if asked.uploaded() == [json!("sale-0003")] { accepted(asked, message) });
        "what is wrong is neither accepted nor rejected" in "a-record-is-accepted-or-rejected / an amount that is a text"
            => "device.transactions.rejected.value":
            response(|asked, message| if asked.is("device.transactions") { message.replace("rejected", json!([])) });
        "what is accepted is told by number" in KNOWN => "device.transactions.accepted.value":
            response(|asked, message| if asked.is("device.transactions") { message.set("accepted", json!(["1"])) });
        "a record is not taken twice" in KNOWN => "device.transactions.upsert":
            response(|asked, message| if asked.is("device.transactions") && !asked.first_time("once") { message.set("accepted", json!([])) });
        "what is dropped is not acknowledged" in LOWER => "device.transactions.syncVersion.acknowledged":
            response(|asked, message| if asked.is("device.transactions") && !asked.first_time("once") { message.set("accepted", json!([])) });
    }
}

fn stores() -> Vec<Break> {
    breaks! {
        "a record that comes again is another one" in KNOWN => "device.transactions.identity":
            onward(|asked, sent| if asked.is("device.transactions") && !asked.first_time("once") {
                records(asked, sent, |record| record["id"] = json!("sale-0001-again"));
            }),
            response(accepted);
        "a higher syncVersion replaces nothing" in KNOWN => "device.transactions.syncVersion.higher":
            instead(|asked| (asked.is("device.transactions") && !asked.first_time("once")).then(|| Message::granted(asked.sound())));
        "a lower syncVersion overwrites" in LOWER => "device.transactions.syncVersion.lower":
            onward(|asked, sent| if asked.is("device.transactions") && !asked.first_time("once") {
                records(asked, sent, |record| record["syncVersion"] = json!(6));
            });
        "an unknown type is taken for a card payment" in KINDS => "device.transactions.type.unknown":
            onward(|asked, sent| records(asked, sent, |record| record["type"] = json!("CARD")));
        "an unknown status is taken for PAID" in KINDS => "device.transactions.status.unknown":
            onward(|asked, sent| records(asked, sent, |record| record["status"] = json!("PAID")));
        "saleJson is dropped" in TEXTS => "device.transactions.saleJson.verbatim":
            onward(|asked, sent| records(asked, sent, |record| { record.as_object_mut().unwrap().remove("saleJson"); }));
        "rawJson is dropped" in TEXTS => "device.transactions.rawJson.verbatim":
            onward(|asked, sent| records(asked, sent, |record| { record.as_object_mut().unwrap().remove("rawJson"); }));
    }
}
