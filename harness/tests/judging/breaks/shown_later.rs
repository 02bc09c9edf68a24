//! What is shown right at first, and wrong once something else has happened: another payment, another refund, a closing.

use serde_json::{Value, json};

use super::Break;
use crate::support::proxy::{Message, ObservedRequest, Table};

const REFUNDS: &str = "a-closing-counts-each-of-two-refunds / CZK";
const CARDS: &str = "each-payment-and-refund-tells-its-own-card";
const RETURNED: &str = "money-that-is-returned-on-the-terminal-goes-back / of a part";
const REFUNDED: &str = "money-that-is-refunded-goes-back / of a part";
const SYMBOLS: &str = "two-payments-of-a-transfer-have-their-own-symbols";
const REPEATED: &str = "a-csv-statement-repeats-the-detail";

pub fn all() -> Vec<Break> {
    [terminals(), closings(), details(), statements()].into_iter().flatten().collect()
}

/// How many payments have been created on the terminal.
fn created(asked: &ObservedRequest<'_>) -> usize {
    asked.recall("created").parse().unwrap_or(0)
}

/// Counts a creation, and notes which one it was.
fn note_creation(asked: &ObservedRequest<'_>, message: &Message) {
    if asked.is("terminal.create") && message.succeeds() {
        let count = created(asked) + 1;
        asked.note("created", count.to_string());
        asked.note(&message.get("transId"), count.to_string());
    }
}

/// Whether three have been created since.
fn is_old(asked: &ObservedRequest<'_>) -> bool {
    asked.recall(&asked.text("transId")).parse().is_ok_and(|number: usize| created(asked) >= number + 3)
}

fn terminals() -> Vec<Break> {
    breaks! {
        "only the last three payments have a status" in "a-closing-counts-many-payments" => "terminal.status.price.value":
            response(|asked, message| {
                note_creation(asked, message);
                if asked.is("terminal.status") && is_old(asked) { *message = Message::refusal(asked, 1400) }
            });
        "the price of a refund is that of the newest" in REFUNDS => "terminal.refund.status.price.value":
            response(|asked, message| {
                if asked.is("refund.create") { asked.note("newest", asked.text("price")) }
                if asked.is("refund.status") { message.replace("price", asked.recall("newest")) }
            });
        "the reference of a refund is that of the newest" in REFUNDS => "terminal.refund.status.refId.value":
            response(|asked, message| {
                if asked.is("refund.create") { asked.note("newest", asked.text("refId")) }
                if asked.is("refund.status") { message.replace("refId", asked.recall("newest")) }
            });
        "the currency of a payment is that of a later refund" in "a-closing-counts-a-refund-in-its-own-currency / CZK and a refund in EUR"
            => "terminal.status.curr.value":
            response(|asked, message| {
                if asked.is("refund.create") { asked.first_time("refunded"); }
                if asked.is("terminal.status") && asked.knows("refunded") { message.replace("curr", "EUR") }
            });
        "the card is another after a closing" in CARDS => "terminal.status.cardNumber.value":
            response(|asked, message| {
                if asked.is("closing") { asked.first_time("closed"); }
                if asked.is("terminal.status") && asked.knows("closed") { message.replace("cardNumber", "************0000") }
            });
        "the expiry is another after a closing" in CARDS => "terminal.status.cardValid.value":
            response(|asked, message| {
                if asked.is("closing") { asked.first_time("closed"); }
                if asked.is("terminal.status") && asked.knows("closed") { message.replace("cardValid", "01/20") }
            });
    }
}

/// Whether as much came as went.
fn is_even(total: &Value) -> bool {
    total["creditsAmount"] == total["debitsAmount"]
}

fn closings() -> Vec<Break> {
    breaks! {
        "a currency of which nothing is left is not in the closing" in "a-closing-counts-refunds / as much as was paid"
            => "terminal.closing.totals.refunds":
            response(|asked, message| if asked.is("closing")
                && let Some(totals) = message.fields.get_mut("batchData").and_then(Value::as_array_mut)
            {
                totals.retain(|total| !is_even(total));
            });
        "a closing of a refund has the number before" in "two-closings-have-two-numbers" => "terminal.closing.batchNumber.value":
            response(|asked, message| if asked.is("closing") && message.has("batchNumber") {
                let number = if asked.knows("refunded") { asked.recall("number") } else { message.get("batchNumber") };
                asked.note("number", number.clone());
                message.set("batchNumber", number.parse::<i64>().unwrap());
            } else if asked.is("refund.create") {
                asked.first_time("refunded");
            });
    }
}

/// Changes the rows of refunds in the details of a transfer.
fn refund_rows(asked: &ObservedRequest<'_>, message: &mut Message, key: &str, value: &str) {
    if asked.is("transfers.detail") {
        message.each(|item| {
            if item["Potvrzená částka"].as_str().is_some_and(|amount| amount.starts_with('-')) {
                item[key] = json!(value);
            }
        });
    }
}

fn details() -> Vec<Break> {
    breaks! {
        "what a terminal pays back has no symbol of the transfer" in RETURNED => "transfers.detail.transfer-vs.value":
            response(|asked, message| refund_rows(asked, message, "Variabilní symbol převodu", ""));
        "what a terminal pays back has no reference" in RETURNED => "transfers.detail.refId.value":
            response(|asked, message| refund_rows(asked, message, "ID od klienta", ""));
        "a refund has no symbol of the transfer" in REFUNDED => "transfers.detail.transfer-vs.value":
            response(|asked, message| refund_rows(asked, message, "Variabilní symbol převodu", ""));
        "a refund has no reference" in REFUNDED => "transfers.detail.refId.value":
            response(|asked, message| refund_rows(asked, message, "ID od klienta", ""));
        "what a terminal pays back was created years ago" in RETURNED => "transfers.detail.created.value":
            response(|asked, message| refund_rows(asked, message, "Datum založení", "2020-01-01 00:00:00"));
        "what a terminal pays back was paid years ago" in RETURNED => "transfers.detail.paid.value":
            response(|asked, message| refund_rows(asked, message, "Datum zaplacení", "2020-01-01 00:00:00"));
        "a refund has the e-mail of another payer" in REFUNDED => "transfers.detail.email.value":
            response(|asked, message| refund_rows(asked, message, "E-mail plátce", "second@example.com"));
        "a refund has the label of another payment" in REFUNDED => "transfers.detail.label.value":
            response(|asked, message| refund_rows(asked, message, "Popis", "Fishing net"));
        "a refund has the product of another payment" in REFUNDED => "transfers.detail.product.value":
            response(|asked, message| refund_rows(asked, message, "Produkt", "net-7"));
        "no payment of a transfer has a symbol" in SYMBOLS => "transfers.detail.vs.value":
            response(|asked, message| if asked.is("transfers.detail") {
                message.each(|item| item["Variabilní symbol plátce"] = json!(""));
            });
        "symbols of a transfer are cut" in SYMBOLS => "transfers.detail.vs.value":
            response(|asked, message| if asked.is("transfers.detail") {
                message.each(|item| item["Variabilní symbol plátce"] = json!(item["Variabilní symbol plátce"].as_str().unwrap()[..4]));
            });
        "an unknown transfer is shown as the last one" in "a-payment-is-transferred-once" => "transfers.detail.array":
            way(|asked, path| if asked.is("transfers.detail") {
                let id = asked.text("transferId");
                path.replace(&id, &asked.noted("the transfer", id.clone()))
            } else {
                path.to_owned()
            });
    }
}

/// Changes the product in CSV files.
fn other_product(asked: &ObservedRequest<'_>, message: &mut Message) {
    message.table(asked, |table: &mut Table| {
        table.lines.iter_mut().flatten().filter(|cell| *cell == "ball-42").for_each(|cell| *cell = "ball".to_owned())
    });
}

fn statements() -> Vec<Break> {
    breaks! {
        "the CSV file has another product than its envelope" in REPEATED => "transfers.csv.download.file":
            response(|asked, message| if asked.is("transfers.csv") && asked.query_parameter("download") == "true" { other_product(asked, message) });
        "the CSV files of the day have another product" in REPEATED => "transfers.csvDay.agrees":
            response(|asked, message| if asked.is("csvDay") { other_product(asked, message) });
    }
}
