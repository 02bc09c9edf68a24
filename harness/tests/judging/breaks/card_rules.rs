//! Lies of a card terminal and its transfers that only values beyond the everyday ones show.

use serde_json::json;

use super::Break;
use crate::support::proxy::{Message, remember};

const HIGH: &str = "a-high-price-is-told-to-the-last-unit / a payment below the maximum";
const HIGH_REFUND: &str = "a-high-price-is-told-to-the-last-unit / a refund below the maximum";
const SIGNS: &str = "the-detail-repeats-letters-and-signs";

pub fn all() -> Vec<Break> {
    [values(), creations(), terminals(), details()].into_iter().flatten().collect()
}

fn values() -> Vec<Break> {
    breaks! {
        "a price as a number of 32 bits with a point" in HIGH => "terminal.status.price.value":
            response(|asked, message| if asked.is("terminal.status") { message.replace("price", "100000000") });
        "a refund cut to 16 bits" in HIGH_REFUND => "terminal.refund.status.price.value":
            response(|asked, message| if asked.is("refund.status") { message.replace("price", (99_999_999 & 0xffff).to_string()) });
        "a reference written for a page" in "terminal / a-reference-comes-back-unchanged / markup" => "terminal.status.refId.value":
            response(|asked, message| if asked.is("terminal.status") { message.set("refId", message.get("refId").replace('&', "&amp;")) });
        "a reference read as a part of an address" in "terminal / a-reference-comes-back-unchanged / signs of addresses"
            => "terminal.status.refId.value":
            response(|asked, message| if asked.is("terminal.status") { message.set("refId", message.get("refId").replace("%41", "A")) });
        "a long reference is cut" in "terminal / a-reference-comes-back-unchanged / 64 characters" => "terminal.status.refId.value":
            response(|asked, message| if asked.is("terminal.status") { message.set("refId", &message.get("refId")[..50]) });
    }
}

fn creations() -> Vec<Break> {
    breaks! {
        "a tip of nothing is refused" in "a-tip-is-lower-than-the-price / 1 CZK" => "terminal.create.tip.lower":
            instead(|asked| (asked.is("terminal.create") && asked.text("tip") == "0").then(|| Message::refusal(asked, 1309)));
        "a form creates a payment" in "a-body-of-another-type-is-refused / a payment" => "terminal.json":
            response(|asked, message| if asked.is("terminal.create") && !message.succeeds() { message.accept_creation() });
        "a form creates a refund" in "a-body-of-another-type-is-refused / a refund" => "terminal.json":
            response(|asked, message| if asked.is("refund.create") && !message.succeeds() { message.accept_creation() });
        "a payment is read under a longer identifier" in "terminal / an-unknown-payment-is-neither-read" => "terminal.status.unknown":
            way(|asked, path| if asked.is("terminal.status") { path.replace("A.json", ".json") } else { path.to_owned() });
        "a refund is read under a longer identifier" in "terminal / an-unknown-refund-is-neither-read" => "terminal.refund.status.unknown":
            way(|asked, path| if asked.is("refund.status") { path.replace("A.json", ".json") } else { path.to_owned() });
    }
}

fn terminals() -> Vec<Break> {
    breaks! {
        "a closing clears another terminal" in "a-closing-counts-its-own-terminal" => "terminal.closing.clears":
            response(|asked, message| if asked.is("closing") && message.body_text().contains("77700") { message.set("batchData", json!([])) });
        "a closing that is refused makes payments final" in "a-refused-closing-makes-no-payment-final" => "terminal.cancel.before-closing":
            instead(|asked| asked.is("terminal.cancel").then(|| Message::refusal(asked, 1400)));
        "a payment keeps all terminals busy" in "a-busy-terminal-leaves-another-free" => "terminal.state.BUSY":
            response(|asked, message| {
                if asked.is("terminal.create") {
                    _ = remember(asked.memory, "pending");
                }
                if asked.is("terminal.state") && asked.knows("pending") {
                    message.set("status", "BUSY");
                }
            });
    }
}

fn details() -> Vec<Break> {
    breaks! {
        "the method is the choice that the payer was given" in "the-card-of-a-payment-is-told" => "transfers.detail.method.value":
            response(|asked, message| if asked.is("transfers.detail") { message.each(|item| item["Metoda"] = json!("ALL")) });
        "a transfer is told to its hundredth payment" in "a-transfer-of-many-payments-is-told-whole" => "transfers.detail.array":
            response(|asked, message| if asked.is("transfers.detail") { message.records(|items| items.truncate(100)) });
        "a reference without its letters" in SIGNS => "transfers.detail.refId.value":
            response(|asked, message| if asked.is("transfers.detail") { message.each(|item| item["ID od klienta"] = json!("c&1")) });
        "a product without its letters" in SIGNS => "transfers.detail.product.value":
            response(|asked, message| if asked.is("transfers.detail") { message.each(|item| item["Produkt"] = json!("mic+42")) });
        "a label without its letters" in SIGNS => "transfers.detail.label.value":
            response(|asked, message| if asked.is("transfers.detail") { message.each(|item| item["Popis"] = json!("Mic; \"zluty\"")) });
        "a plus that became a blank" in SIGNS => "transfers.detail.email.value":
            response(|asked, message| if asked.is("transfers.detail") { message.each(|item| item["E-mail plátce"] = json!("a b@example.com")) });
        "created hours after it was paid" in "the-detail-tells-its-times-in-order" => "transfers.detail.paid.value":
            response(|asked, message| if asked.is("transfers.detail") {
                message.each(|item| {
                    let day = item["Datum zaplacení"].as_str().unwrap_or_default()[..10].to_owned();
                    item["Datum zaplacení"] = json!(format!("{day} 00:00:01"));
                    item["Datum založení"] = json!(format!("{day} 23:59:58"));
                });
            });
    }
}
