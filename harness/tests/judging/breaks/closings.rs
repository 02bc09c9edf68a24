//! Closings of the terminal with wrong totals, and a terminal that reports a wrong state.

use serde_json::{Value, json};

use super::Break;
use crate::support::proxy::{Message, ObservedRequest, remember};

const PAYMENTS: &str = "a-closing-counts-payments";
const BUSY: &str = "a-terminal-that-is-busy-is-not-closed";
const AWAY: &str = "a-terminal-that-is-away-is-not-closed";
const PENDING: &str = "a-pending-payment-keeps-the-terminal-busy";
const CURRENCIES: &str = "a-closing-tells-each-currency-apart";

/// Closings and states of the terminal that break a rule.
pub fn all() -> Vec<Break> {
    [totals(), messages(), states(), untimely()].into_iter().flatten().collect()
}

/// Changes the totals of a closing.
fn totals_of(asked: &ObservedRequest<'_>, message: &mut Message, change: impl FnOnce(&mut Vec<Value>)) {
    if let Some(Value::Array(totals)) = message.fields.get_mut("batchData").filter(|_| asked.is("closing")) {
        change(totals);
    }
}

/// Adds up the totals of two currencies as if they were one.
fn without_currencies(totals: &mut Vec<Value>) {
    let rest: Vec<Value> = totals.drain(totals.len().min(1)..).collect();
    for (more, field) in rest.iter().flat_map(|more| ["creditsAmount", "creditsCount", "debitsAmount", "debitsCount"].map(|f| (more, f))) {
        totals[0][field] = json!(totals[0][field].as_i64().unwrap() + more[field].as_i64().unwrap());
    }
}

fn totals() -> Vec<Break> {
    breaks! {
        "a closing tells nothing but OK" in "a-closing-tells-what-was-done" => "terminal.closing.summary":
            response(|asked, message| if asked.is("closing") {
                message.remove("batchNumber");
                message.remove("batchData");
            });
        "a closing in crowns" in PAYMENTS => "terminal.closing.totals.payments":
            response(|asked, message| totals_of(asked, message, |totals| totals.iter_mut().for_each(|total| {
                total["creditsAmount"] = json!(total["creditsAmount"].as_i64().unwrap() / 100);
            })));
        "a closing forgets a payment" in PAYMENTS => "terminal.closing.totals.payments":
            response(|asked, message| totals_of(asked, message, |totals| totals.iter_mut().for_each(|total| {
                total["creditsAmount"] = json!(total["creditsAmount"].as_i64().unwrap() - 10000);
                total["creditsCount"] = json!(total["creditsCount"].as_i64().unwrap() - 1);
            })));
        "a closing that does not clear" in PAYMENTS => "terminal.closing.clears":
            response(|asked, message| totals_of(asked, message, |totals| if !totals.is_empty() {
                let first = json!(totals).to_string();
                let first = asked.memory.lock().unwrap().entry("batch".to_owned()).or_insert(first).clone();
                *totals = serde_json::from_str(&first).unwrap();
            }));
        "a number that stays" in "a-closing-after-a-closing-counts-nothing" => "terminal.closing.batchNumber.value":
            response(|asked, message| if asked.is("closing") { message.replace("batchNumber", 1) });
        "numbers that go down" in "a-closing-after-a-closing-counts-nothing" => "terminal.closing.batchNumber.value":
            response(|asked, message| if asked.is("closing") {
                message.replace("batchNumber", 100 - message.fields["batchNumber"].as_i64().unwrap());
            });
        "crowns and euros in one sum" in CURRENCIES => "terminal.closing.batchData.currencies":
            response(|asked, message| totals_of(asked, message, without_currencies));
        "a refund is counted in the currency of the payments" in "a-closing-counts-a-refund-in-its-own-currency / CZK and a refund in EUR"
            => "terminal.closing.batchData.currencies":
            response(|asked, message| totals_of(asked, message, without_currencies));
        "a refund in crowns is counted in euros" in "a-closing-counts-a-refund-in-its-own-currency / EUR and a refund in CZK"
            => "terminal.closing.batchData.currencies":
            response(|asked, message| totals_of(asked, message, without_currencies));
        "money of a currency that nobody paid in" in "a-closing-counts-a-refund-alone / CZK" => "terminal.closing.batchData.currencies":
            response(|asked, message| totals_of(asked, message, |totals| if !totals.is_empty() {
                totals.push(json!({"curr": "EUR", "creditsAmount": 1050, "creditsCount": 1, "debitsAmount": 0, "debitsCount": 0}));
            }));
        "a refund without a payment is not counted" in "a-closing-counts-a-refund-alone / EUR" => "terminal.closing.totals.refunds":
            response(|asked, message| totals_of(asked, message, |totals| totals.retain(|total| total["debitsCount"] != 1)));
        "a reversed payment in euros is counted as paid" in "a-closing-leaves-out-what-the-status-tells-as-reversed / EUR"
            => "terminal.closing.totals.reversals":
            response(|asked, message| totals_of(asked, message, |totals| totals.iter_mut().for_each(|total| {
                *total = json!({"curr": "EUR", "creditsAmount": 25000, "creditsCount": 2, "debitsAmount": 0, "debitsCount": 0});
            })));
        "a reversed payment with a tip is counted as paid" in "a-closing-leaves-out-what-the-status-tells-as-reversed / CZK with a tip"
            => "terminal.closing.totals.reversals":
            response(|asked, message| totals_of(asked, message, |totals| totals.iter_mut().for_each(|total| {
                *total = json!({"curr": "CZK", "creditsAmount": 25000, "creditsCount": 2, "debitsAmount": 0, "debitsCount": 0});
            })));
        "what waits in euros is counted in no closing" in "a-payment-that-waits-for-a-closing-counts-in-the-next / EUR"
            => "terminal.closing.totals.payments":
            response(|asked, message| totals_of(asked, message, |totals| totals.retain(|total| total["creditsAmount"] != 3200)));
        "a refund that waits is counted in no closing" in "a-refund-that-waits-for-a-closing-counts-in-the-next / CZK"
            => "terminal.closing.totals.refunds":
            response(|asked, message| totals_of(asked, message, |totals| totals.iter_mut().for_each(|total| {
                total["debitsAmount"] = json!(0);
                total["debitsCount"] = json!(0);
            })));
        "a refund in euros that waits is counted in no closing" in "a-refund-that-waits-for-a-closing-counts-in-the-next / EUR"
            => "terminal.closing.totals.refunds":
            response(|asked, message| totals_of(asked, message, |totals| totals.iter_mut().for_each(|total| {
                total["debitsAmount"] = json!(0);
                total["debitsCount"] = json!(0);
            })));
        "the second refund is a unit short" in "a-closing-counts-each-of-two-refunds / CZK" => "terminal.closing.totals.refunds":
            response(|asked, message| totals_of(asked, message, |totals| totals.iter_mut().filter(|total| total["debitsCount"] == 2).for_each(|total| {
                total["debitsAmount"] = json!(total["debitsAmount"].as_i64().unwrap() - 1);
            })));
        "the second payment in euros counts twice" in "a-closing-counts-payments / EUR" => "terminal.closing.totals.payments":
            response(|asked, message| totals_of(asked, message, |totals| totals.iter_mut().filter(|total| total["creditsCount"] == 2).for_each(|total| {
                total["creditsCount"] = json!(3);
            })));
        "a closing forgets refunds" in "a-closing-counts-refunds" => "terminal.closing.totals.refunds":
            response(|asked, message| totals_of(asked, message, |totals| totals.iter_mut().for_each(|total| {
                total["debitsAmount"] = json!(0);
                total["debitsCount"] = json!(0);
            })));
        "refunds on the side of payments" in "a-closing-counts-refunds" => "terminal.closing.totals.refunds":
            response(|asked, message| totals_of(asked, message, |totals| totals.iter_mut().for_each(|total| {
                *total = json!({"curr": "CZK", "creditsAmount": 29000, "creditsCount": 2, "debitsAmount": 0, "debitsCount": 0});
            })));
        "a reversed payment is counted as paid" in "a-closing-counts-no-reversed-money" => "terminal.closing.totals.reversals":
            response(|asked, message| totals_of(asked, message, |totals| totals.iter_mut().for_each(|total| {
                total["debitsAmount"] = json!(0);
                total["debitsCount"] = json!(0);
            })));
        "an amount as a text" in PAYMENTS => "terminal.closing.batchData.creditsAmount.type":
            response(|asked, message| totals_of(asked, message, |totals| totals.iter_mut().for_each(|total| {
                total["creditsAmount"] = json!(total["creditsAmount"].to_string());
            })));
        "a closing that answers an error, and clears" in "a-closing-of-a-busy-terminal-is-refused" => "terminal.answer.success":
            world(|deed| if deed.action == "gateway.fails" {
                deed.does_not_happen();
                deed.memory.lock().unwrap().insert("fails".to_owned(), String::new());
            }),
            response(|asked, message| if asked.is("closing") && asked.memory.lock().unwrap().remove("fails").is_some() {
                message.refuse(1500);
                message.set("message", "Terminal busy");
            });
    }
}

fn messages() -> Vec<Break> {
    breaks! {
        "a busy terminal is said to be unconnected" in "a-closing-of-a-busy-terminal-is-refused" => "terminal.closing.message.busy":
            response(|asked, message| if asked.is("closing") && !message.succeeds() { message.set("message", "Terminal not connected") });
        "an unconnected terminal is said to be busy" in "a-closing-of-a-terminal-that-is-not-connected-is-refused"
            => "terminal.closing.message.not-connected":
            response(|asked, message| if asked.is("closing") && !message.succeeds() { message.set("message", "Terminal busy") });
        "an unfinished closing is said to lack its provider" in "a-closing-may-stay-unfinished" => "terminal.closing.message.unfinished":
            response(|asked, message| if asked.is("closing") && !message.succeeds() { message.set("message", "Provider unavailable") });
        "a closing without its provider is said to be unfinished" in "a-closing-without-its-provider-is-refused"
            => "terminal.closing.message.unavailable":
            response(|asked, message| if asked.is("closing") && !message.succeeds() { message.set("message", "Closing unfinished") });
        "a fifth message" in "a-closing-of-a-busy-terminal-is-refused" => "terminal.closing.message.four":
            response(|asked, message| if asked.is("closing") && !message.succeeds() { message.set("message", "Try again later") });
        "an error without a word" in "a-closing-of-a-busy-terminal-is-refused" => "terminal.closing.message.details":
            response(|asked, message| if asked.is("closing") && !message.succeeds() {
                message.set("code", 1600);
                message.set("message", "");
            });
    }
}

fn states() -> Vec<Break> {
    breaks! {
        "a connected terminal is told as unknown" in "a-terminal-that-is-not-connected-is-offline" => "terminal.state.ONLINE":
            response(|asked, message| if asked.is("state") { message.replace("status", "UNKNOWN") });
        "a terminal without connection is told as online" in "a-terminal-that-is-not-connected-is-offline" => "terminal.state.OFFLINE":
            world(|deed| if deed.action == "terminal.changes" { deed.does_not_happen() });
        "a busy terminal is told as online" in "a-terminal-that-processes-a-transaction-is-busy" => "terminal.state.BUSY":
            world(|deed| if deed.action == "terminal.changes" { deed.does_not_happen() });
        "a terminal that nobody can check is told as online" in "a-terminal-that-cannot-be-checked-is-unknown"
            => "terminal.state.UNKNOWN":
            world(|deed| if deed.action == "terminal.changes" { deed.does_not_happen() });
    }
}

/// Closings while the terminal can't be closed, and closings that the harness spells otherwise.
fn untimely() -> Vec<Break> {
    breaks! {
        "a busy terminal is closed" in BUSY => "terminal.closing.code.1500":
            world(|deed| if deed.with.get("status") == Some(&json!("BUSY")) { deed.does_not_happen() });
        "a terminal that is away is closed" in AWAY => "terminal.closing.code.1500":
            world(|deed| if deed.with.get("status") == Some(&json!("OFFLINE")) { deed.does_not_happen() });
        "a busy terminal is said to be away" in BUSY => "terminal.closing.message.busy":
            response(|asked, message| if asked.is("closing") && !message.succeeds() { message.set("message", "Terminal not connected") });
        "a terminal that is away is said to be busy" in AWAY => "terminal.closing.message.not-connected":
            response(|asked, message| if asked.is("closing") && !message.succeeds() { message.set("message", "Terminal busy") });
        "a closing of a busy terminal answers an error, and closes" in BUSY => "terminal.closing.code.1500":
            world(|deed| if deed.with.get("status") == Some(&json!("BUSY")) {
                _ = remember(deed.memory, "busy");
                deed.does_not_happen();
            }),
            response(|asked, message| if asked.is("closing") && asked.knows("busy") && (asked.first_time("refused") || asked.first_time("again")) {
                message.refuse(1500);
                message.set("message", "Terminal busy");
            });
        "a terminal with a pending payment is away" in PENDING => "terminal.state.status.enum":
            response(|asked, message| if asked.is("state") { message.replace("status", "OFFLINE") });
        "a terminal with a pending payment is never busy" in PENDING => "terminal.state.BUSY":
            response(|asked, message| if asked.is("state") { message.replace("status", "ONLINE") });
        "a closing without a body is refused" in "a-closing-needs-no-body" => "terminal.closing.call":
            instead(|asked| (asked.is("closing") && !asked.first_time("closed")).then(|| Message::refusal(asked, 1400)));
    }
}
