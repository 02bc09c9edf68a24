//! Document 2: the card terminal, its reversals, its refunds and its closing.

use serde_json::{Value, json};

use super::PlantedDefect;
use crate::support::proxy::{ObservedRequest, WorldAction};

fn key(asked: &ObservedRequest<'_>, fact: &str) -> String {
    format!("{fact} {}", asked.text("transId"))
}

/// Notes an action and its payment: `cardholder.pays AB12`.
fn note(deed: &mut WorldAction<'_>) {
    if let Some(id) = deed.with.get("transId").and_then(Value::as_str) {
        deed.memory.lock().unwrap().insert(format!("{} {id}", deed.action), String::new());
    }
}

fn known(asked: &ObservedRequest<'_>) -> bool {
    !asked.text("transId").starts_with("XXXX")
}

pub fn all() -> Vec<PlantedDefect> {
    [payments(), refunds(), closings(), occupation()].into_iter().flatten().collect()
}

fn payments() -> Vec<PlantedDefect> {
    planted! { "terminal":
        "a pending payment is cancelled" => "terminal.cancel.not-paid" in 2:
            response(|asked, message| if asked.is("terminal.cancel") && !message.succeeds() && known(asked) && !asked.is_by_another_merchant()
                && !asked.knows(&key(asked, "cardholder.pays")) { message.accept() }),
            world(note);
        "a payment is cancelled after a closing" => "terminal.cancel.closed" in 4:
            response(|asked, message| if asked.is("terminal.cancel") && !message.succeeds() && !asked.is_by_another_merchant()
                && asked.knows(&key(asked, "cardholder.pays")) { message.accept() }),
            world(note);
        "nobody knows it, and it is cancelled" => "terminal.cancel.unknown" in 1:
            response(|asked, message| if asked.is("terminal.cancel") && !known(asked) { message.accept() });
        "a paid payment can't be cancelled" => "terminal.payment.reversed" in 3:
            response(|asked, message| if asked.is("terminal.cancel") && message.succeeds() { message.refuse(1400) });
        "a reversal is not told" => "terminal.payment.reversed.reported" in 4:
            response(|asked, message| if asked.is("terminal.status") { message.replace("reversed", false) });
        "a declined payment reads as paid" => "terminal.payment.rejected" in 3:
            response(|asked, message| if asked.is("terminal.status") && asked.knows(&key(asked, "cardholder.is-declined")) {
                message.replace("status", "PAID");
            }),
            world(note);
        "a payment that was left is pending for ever" => "terminal.payment.timed-out" in 3:
            response(|asked, message| if asked.is("terminal.status") && asked.knows(&key(asked, "cardholder.leaves")) {
                message.replace("status", "PENDING");
            }),
            world(note);
        "anybody reads a payment" => "terminal.access.foreign" in 2:
            onward(|asked, sent| if asked.is("terminal.status") && asked.credentials.0 == "T200002" { sent.in_the_name_of_main(asked) });
    }
}

fn refunds() -> Vec<PlantedDefect> {
    planted! { "terminal":
        "a refund that was paid back reads as pending" => "terminal.refund.ended" in 3:
            response(|asked, message| if asked.is("refund.status") && message.get("status") == "PAID" { message.set("status", "PENDING") });
        "a refund is cancelled on a later day" => "terminal.refund.cancel.same-day" in 4:
            response(|asked, message| if asked.is("refund.cancel") && !message.succeeds() && !asked.is_by_another_merchant()
                && asked.knows(&key(asked, "cardholder.pays")) { message.accept() }),
            world(note);
        "a pending refund is cancelled" => "terminal.refund.cancel.not-paid" in 2:
            response(|asked, message| if asked.is("refund.cancel") && !message.succeeds() && known(asked) && !asked.is_by_another_merchant()
                && !asked.knows(&key(asked, "cardholder.pays")) { message.accept() }),
            world(note);
        "the reversal of a refund is not told" => "terminal.refund.reversed.reported" in 4:
            response(|asked, message| if asked.is("refund.status") { message.replace("reversed", false) });
    }
}

/// Adds one to every number of a closing from this one on.
fn counted_once_more(totals: &mut Value, from: u64) {
    for total in totals.as_array_mut().into_iter().flatten() {
        for field in ["creditsCount", "debitsCount"] {
            if let Some(count) = total[field].as_u64().filter(|count| *count >= from) {
                total[field] = json!(count + 1);
            }
        }
    }
}

fn closings() -> Vec<PlantedDefect> {
    planted! { "terminal":
        "every closing has the same number" => "terminal.closing.batchNumber.value" in 2:
            response(|asked, message| if asked.is("closing") { message.replace("batchNumber", 1) });
        "a second payment is counted twice" => "terminal.closing.totals.payments" in 5:
            response(|asked, message| if asked.is("closing") && let Some(totals) = message.fields.get_mut("batchData") { counted_once_more(totals, 2) });
        "refunds are not counted" => "terminal.closing.totals.payments" in 3:
            response(|asked, message| if asked.is("closing") && let Some(totals) = message.fields.get_mut("batchData") {
                for total in totals.as_array_mut().into_iter().flatten() {
                    total["debitsCount"] = json!(0);
                    total["debitsAmount"] = json!(0);
                    total["creditsCount"] = json!(0);
                    total["creditsAmount"] = json!(0);
                }
            });
    }
}

fn occupation() -> Vec<PlantedDefect> {
    planted! { "terminal":
        "the terminal is busy although nothing waits" => "terminal.payment.created" in 1:
            response(|asked, message| if asked.is("terminal.create") { message.refuse(1500) });
    }
}
