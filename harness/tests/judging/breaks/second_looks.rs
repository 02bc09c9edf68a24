//! Lies of a terminal and its transfers that only a second look finds: in euros, in the evening, after a closing, in another file.

use serde_json::{Value, json};

use super::Break;
use crate::support::proxy::{Message, ObservedRequest, Statement, remember};

const ABO: &str = "an-abo-statement-comes-in-an-envelope-or-as-a-file";
const AFTER_EUR: &str = "a-returned-amount-is-told-after-a-closing / EUR";
const AFTER_CZK: &str = "a-returned-amount-is-told-after-a-closing / CZK";
const BOUNDS: &str = "a-price-out-of-bounds-is-refused-with-a-tip-too";
const BOUNDS_IN_EUROS: &str = "a-price-out-of-bounds-in-euros-is-refused-with-a-tip-too";
const EACH: &str = "each-payment-of-a-transfer-tells-its-own";
const ELSEWHERE: &str = "a-refused-payment-starts-nothing / CZK on another terminal";
const FEE: &str = "the-fee-of-a-terminal-payment-in-euros-is-the-same-everywhere";
const IDENTIFIERS: &str = "another-amount-has-another-identifier / EUR";
const LATER: &str = "a-payment-may-be-cancelled-on-a-later-day";
const NONE: &str = "a-day-without-transfers-has-none / a day to come";
const NOTHING: &str = "a-payment-in-euros-that-comes-to-nothing-is-cancelled";
const SYMBOLS: &str = "two-payments-of-a-transfer-have-their-own-symbols";
const TIP: &str = "a-tip-in-euros-is-told-and-counted";
const YESTERDAY: &str = "a-refund-in-euros-is-not-cancelled-the-next-day";

pub fn all() -> Vec<Break> {
    [fees(), endings(), tips(), returns(), creations(), transfers(), files(), samples()].into_iter().flatten().collect()
}

fn fees() -> Vec<Break> {
    breaks! {
        "the fee of a payment in euros is known at once" in "a-fee-in-euros-is-not-known-on-its-day" => "terminal.status.fee.next-day":
            response(|asked, message| if asked.is("terminal.status") && message.get("status") == "PAID" { message.set("fee", "150") });
        "a fee is known in the evening" in "a-fee-is-not-known-in-the-evening / CZK" => "terminal.status.fee.next-day":
            world(|deed| if deed.with.get("seconds") == Some(&json!(50400)) { _ = remember(deed.memory, "evening") }),
            response(|asked, message| if asked.is("terminal.status") && asked.knows("evening") { message.set("fee", "150") });
        "another fee than the transfer's, in euros" in FEE => "transfers.detail.fee.reported":
            response(|asked, message| if asked.is("terminal.status") && message.get("fee") != "unknown" { message.replace("fee", "1") });
    }
}

/// What came to nothing is told as reversed.
fn reversed_when_cancelled(asked: &ObservedRequest<'_>, message: &mut Message) {
    if asked.is("terminal.status") && message.get("status") == "CANCELLED" {
        message.set("reversed", true);
    }
}

fn endings() -> Vec<Break> {
    const GIVEN_UP: &str = "a-payment-in-euros-that-comes-to-nothing-is-cancelled / given up";
    const INCOMPLETE: &str = "a-payment-in-euros-that-comes-to-nothing-is-cancelled / not completed";
    const LEFT: &str = "a-payment-in-euros-that-comes-to-nothing-is-cancelled / timed out";
    const REJECTED: &str = "a-payment-in-euros-that-comes-to-nothing-is-cancelled / rejected";
    breaks! {
        "a payment in euros that is given up is paid" in GIVEN_UP => "terminal.payment.cancelled":
            world(|deed| if deed.action == "cardholder.cancels" { deed.action = "cardholder.pays".to_owned() });
        "a payment in euros that is not completed is paid" in INCOMPLETE => "terminal.payment.cancelled":
            world(|deed| if deed.action == "cardholder.breaks-off" { deed.action = "cardholder.pays".to_owned() });
        "a payment in euros that nobody pays is paid" in LEFT => "terminal.payment.cancelled":
            world(|deed| if deed.action == "cardholder.leaves" { deed.action = "cardholder.pays".to_owned() });
        "a payment in euros that is rejected is paid" in REJECTED => "terminal.payment.cancelled":
            world(|deed| if deed.action == "cardholder.is-declined" { deed.action = "cardholder.pays".to_owned() });
        "what came to nothing in euros was reversed" in NOTHING => "terminal.status.reversed.value":
            response(reversed_when_cancelled);
        "what timed out was reversed" in "a-card-holder-leaves" => "terminal.status.reversed.value":
            response(reversed_when_cancelled);
        "a payment that is read often is given up" in "a-status-is-the-same-however-often-it-is-read / CZK" => "terminal.status.pending":
            response(|asked, message| read_often(asked, message, "PENDING", "CANCELLED"));
        "a payment that is read often is pending again" in "a-status-is-the-same-however-often-it-is-read / EUR"
            => "terminal.payment.states":
            response(|asked, message| read_often(asked, message, "PAID", "PENDING"));
        "a payment of yesterday is told as reversed" in LATER => "terminal.status.reversed.value":
            world(|deed| if deed.action == "clock.advances" { _ = remember(deed.memory, "a day later") }),
            response(|asked, message| if asked.is("terminal.status") && asked.knows("a day later") { message.set("reversed", true) });
    }
}

/// From the eleventh time on, another state is reported.
fn read_often(asked: &ObservedRequest<'_>, message: &mut Message, state: &str, other: &str) {
    if asked.is("terminal.status") && message.get("status") == state {
        let reads = asked.recall(state) + "|";
        if reads.len() > 10 {
            message.set("status", other);
        }
        asked.note(state, reads);
    }
}

/// A closing leaves the tip out of its total in euros.
fn without_the_tip(asked: &ObservedRequest<'_>, message: &mut Message) {
    if let Some(Value::Array(totals)) = message.fields.get_mut("batchData").filter(|_| asked.is("closing")) {
        totals.iter_mut().filter(|total| total["curr"] == "EUR").for_each(|total| total["creditsAmount"] = json!(1000));
    }
}

fn tips() -> Vec<Break> {
    breaks! {
        "the tip of a payment in euros is a cent more" in TIP => "terminal.status.tip.value":
            response(|asked, message| if asked.is("terminal.status") { message.replace("tip", 101) });
        "a closing leaves out a tip in euros" in TIP => "terminal.create.price.includes-tip":
            response(without_the_tip);
        "a payment with a tip is not cancelled" in "a-paid-payment-is-cancelled" => "terminal.cancel.paid":
            instead(|asked| (asked.is("terminal.cancel") && !asked.first_time("cancelled")).then(|| Message::refusal(asked, 1400)));
    }
}

/// What came to nothing is reported as paid back.
fn returned_when_cancelled(asked: &ObservedRequest<'_>, message: &mut Message) {
    if asked.is("terminal.status") && message.get("status") == "CANCELLED" {
        message.set("amountRefunded", message.get("price"));
    }
}

fn returns() -> Vec<Break> {
    breaks! {
        "what went back is told in whole euros" in AFTER_EUR => "terminal.status.amountRefunded.value":
            response(|asked, message| if asked.is("terminal.status") { message.replace("amountRefunded", "2") });
        "a closing forgets what went back" in AFTER_CZK => "terminal.status.amountRefunded.value":
            response(|asked, message| if asked.is("closing") {
                asked.note("closed", "yes");
            } else if asked.is("terminal.status") && asked.knows("closed") {
                message.replace("amountRefunded", "0");
            });
        "a reversal returns one unit" in "a-reversal-is-told-by-the-status / CZK" => "terminal.status.amountRefunded.value":
            response(|asked, message| if asked.is("terminal.status") && message.get("reversed") == "true" {
                message.set("amountRefunded", "1");
            });
        "a refund in euros of yesterday is cancelled" in YESTERDAY => "terminal.refund.cancel.same-day":
            response(|asked, message| if asked.is("refund.cancel") && !message.succeeds() { message.accept() });
        "what was rejected went back" in "a-rejected-payment-is-not-cancelled" => "terminal.status.amountRefunded.value":
            response(returned_when_cancelled);
        "what was given up went back" in "a-payment-given-up-on-the-terminal-is-cancelled" => "terminal.status.amountRefunded.value":
            response(returned_when_cancelled);
        "what was not completed went back" in "a-payment-that-is-not-completed-is-cancelled" => "terminal.status.amountRefunded.value":
            response(returned_when_cancelled);
        "what came to nothing in euros went back" in NOTHING => "terminal.status.amountRefunded.value":
            response(returned_when_cancelled);
        "a refund in euros is not cancelled after a closing" in "a-refund-is-cancelled-after-a-closing / EUR"
            => "terminal.refund.cancel.same-day":
            instead(|asked| asked.is("refund.cancel").then(|| Message::refusal(asked, 1400)));
        "a payment without a reference is not cancelled" in "a-paid-payment-is-cancelled" => "terminal.cancel.paid":
            instead(|asked| (asked.is("terminal.cancel") && !asked.first_time("once") && !asked.first_time("twice"))
                .then(|| Message::refusal(asked, 1400)));
    }
}

/// The creation of a payment below or above its bounds, brought within them.
fn within_bounds(asked: &ObservedRequest<'_>, sent: &mut Message, price: &str, bound: i64) {
    if asked.is("terminal.create") && asked.text("price") == price {
        sent.set("price", bound);
    }
}

/// A field that is sent as null, or as something else that is no value of it.
fn instead_of(asked: &ObservedRequest<'_>, sent: &mut Message, call: &str, field: &str, sent_as: &Value, value: Value) {
    if asked.is(call) && sent.fields.get(field) == Some(sent_as) {
        sent.set(field, value);
    }
}

/// Every creation without a reference has the identifier of the first.
fn of_the_first_without_reference(asked: &ObservedRequest<'_>, message: &mut Message, call: &str) {
    if asked.is(call) && !asked.has("refId") {
        message.replace("transId", asked.noted("nameless", message.get("transId")));
    }
}

/// Every creation of this kind has the identifier of the first.
fn of_the_first(asked: &ObservedRequest<'_>, message: &mut Message, call: &str) {
    if asked.is(call) {
        message.replace("transId", asked.noted("first", message.get("transId")));
    }
}

fn creations() -> Vec<Break> {
    breaks! {
        "a dear payment in euros has the identifier before" in IDENTIFIERS => "terminal.create.answer.transId.unique":
            response(|asked, message| of_the_first(asked, message, "terminal.create"));
        "a dear refund in euros has the identifier before" in IDENTIFIERS => "terminal.refund.create.answer.transId.unique":
            response(|asked, message| of_the_first(asked, message, "refund.create"));
        "a payment that an error prevented occupies the terminal" in "a-creation-that-fails-starts-nothing / an error of the database"
            => "terminal.create.answer.refused":
            response(|asked, message| if asked.is("terminal.create") {
                asked.note("refused", "yes");
            } else if asked.is("terminal.state") && asked.knows("refused") {
                message.set("status", "BUSY");
            });
        "a refund that an error prevented occupies the terminal" in "a-creation-that-fails-starts-nothing / an unexpected error"
            => "terminal.refund.create.answer.refused":
            response(|asked, message| if asked.is("refund.create") {
                asked.note("refused", "yes");
            } else if asked.is("terminal.state") && asked.knows("refused") {
                message.set("status", "BUSY");
            });
        "a low price counts with its tip" in BOUNDS => "terminal.create.price.min.CZK":
            onward(|asked, sent| within_bounds(asked, sent, "99", 149));
        "a high price counts without its tip" in BOUNDS => "terminal.create.price.max.CZK":
            onward(|asked, sent| within_bounds(asked, sent, "100000001", 99_999_001));
        "a low price in euros counts with its tip" in BOUNDS_IN_EUROS => "terminal.create.price.min.EUR":
            onward(|asked, sent| within_bounds(asked, sent, "9", 14));
        "a high price in euros counts without its tip" in BOUNDS_IN_EUROS => "terminal.create.price.max.EUR":
            onward(|asked, sent| within_bounds(asked, sent, "4000001", 3_999_001));
        "a tip that is a truth value" in "terminal / create-holds-its-limits / tip: a truth value" => "terminal.create.tip.type":
            onward(|asked, sent| instead_of(asked, sent, "terminal.create", "tip", &json!(true), json!(1)));
        "a payment has a price of its own without one" in "terminal / create-holds-its-limits / price: null"
            => "terminal.create.price.required":
            onward(|asked, sent| instead_of(asked, sent, "terminal.create", "price", &Value::Null, json!(10000)));
        "a payment without a currency is in crowns" in "terminal / create-holds-its-limits / curr: null" => "terminal.create.curr.required":
            onward(|asked, sent| instead_of(asked, sent, "terminal.create", "curr", &Value::Null, json!("CZK")));
        "a refund has a price of its own without one" in "terminal / create-of-a-refund-holds-its-limits / price: null"
            => "terminal.refund.create.price.required":
            onward(|asked, sent| instead_of(asked, sent, "refund.create", "price", &Value::Null, json!(10000)));
        "a refund without a currency is in crowns" in "terminal / create-of-a-refund-holds-its-limits / curr: null"
            => "terminal.refund.create.curr.required":
            onward(|asked, sent| instead_of(asked, sent, "refund.create", "curr", &Value::Null, json!("CZK")));
        "a reference of zero is none" in "terminal / a-reference-comes-back-unchanged / a zero" => "terminal.status.refId.value":
            response(|asked, message| if asked.is("terminal.status") && message.get("refId") == "0" { message.set("refId", "") });
        "a payment without a reference has the identifier before" in "two-payments-may-have-the-same-reference / CZK"
            => "terminal.create.answer.transId.unique":
            response(|asked, message| of_the_first_without_reference(asked, message, "terminal.create"));
        "a refund without a reference has the identifier before" in "terminal / two-refunds-may-have-the-same-reference"
            => "terminal.refund.create.answer.transId.unique":
            response(|asked, message| of_the_first_without_reference(asked, message, "refund.create"));
        "a payment has the identifier of the day before" in LATER => "terminal.create.answer.transId.unique":
            response(|asked, message| of_the_first(asked, message, "terminal.create"));
        "a refused payment occupies another terminal" in ELSEWHERE => "terminal.create.answer.refused":
            response(|asked, message| if asked.is("terminal.create") && !message.succeeds() {
                asked.note("refused", "yes");
            } else if asked.is("terminal.state") && asked.is_by_another_merchant() && asked.knows("refused") {
                message.set("status", "BUSY");
            });
    }
}

fn transfers() -> Vec<Break> {
    breaks! {
        "a test payment in euros is transferred" in "a-test-payment-in-euros-is-not-transferred" => "transfers.only-production":
            onward(|asked, sent| if asked.is("v2.create") { sent.set("test", false) }),
            response(|_, message| message.replace("test", "true")),
            push(|_, push| push.message.replace("test", "true"));
        "a payment that was given up is transferred" in "an-unpaid-payment-is-not-transferred" => "transfers.only-paid":
            world(|deed| if deed.action == "cardholder.cancels" { deed.action = "cardholder.pays".to_owned() }),
            response(|asked, message| if asked.is("terminal.status") { message.set("status", "CANCELLED") });
        "a payment that is not completed is transferred" in "an-unpaid-payment-is-not-transferred" => "transfers.only-paid":
            world(|deed| if deed.action == "cardholder.breaks-off" { deed.action = "cardholder.pays".to_owned() }),
            response(|asked, message| if asked.is("terminal.status") { message.set("status", "CANCELLED") });
        "a payment that timed out is transferred" in "a-payment-that-timed-out-is-not-transferred / CZK" => "transfers.only-paid":
            world(|deed| if deed.action == "cardholder.leaves" { deed.action = "cardholder.pays".to_owned() }),
            response(|asked, message| if asked.is("terminal.status") { message.set("status", "CANCELLED") });
        "a payment in euros that timed out is transferred" in "a-payment-that-timed-out-is-not-transferred / EUR" => "transfers.only-paid":
            world(|deed| if deed.action == "cardholder.leaves" { deed.action = "cardholder.pays".to_owned() }),
            response(|asked, message| if asked.is("terminal.status") { message.set("status", "CANCELLED") });
        "a product that is a zero is none" in "the-detail-repeats-a-zero / v1.0" => "transfers.detail.product.value":
            response(|asked, message| if asked.is("transfers.detail") { message.each(|item| item["Produkt"] = Value::Null) });
        "a reference that is a zero is none" in "the-detail-repeats-a-zero / v2.0" => "transfers.detail.refId.value":
            response(|asked, message| if asked.is("transfers.detail") { message.each(|item| item["ID od klienta"] = json!("")) });
        "captured money has another label" in "money-that-is-captured-is-transferred / in full" => "transfers.detail.label.value":
            response(|asked, message| if asked.is("transfers.detail") { message.each(|item| item["Popis"] = json!("Capture")) });
        "captured money is of another shop" in "money-that-is-captured-is-transferred / in part" => "transfers.detail.merchant.value":
            response(|asked, message| if asked.is("transfers.detail") { message.each(|item| item["Merchant"] = json!("another")) });
        "the second payment of a terminal is of another shop" in "money-that-is-returned-on-the-terminal-goes-back / of a part"
            => "transfers.detail.merchant.value":
            response(|asked, message| if asked.is("transfers.detail") {
                message.each(|item| if item["ID od klienta"] == "2026000307" { item["Merchant"] = json!("another") });
            });
        "a payment by bank in v1.0 was created when it was paid" in "two-payments-are-paid-at-their-own-times / by bank in v1.0"
            => "transfers.detail.created.value":
            response(|asked, message| if asked.is("transfers.detail") {
                message.each(|item| item["Datum založení"] = item["Datum zaplacení"].clone());
            });
        "a payment by bank has a symbol of nobody" in SYMBOLS => "transfers.detail.vs.value":
            response(|asked, message| if asked.is("transfers.detail") {
                message.each(|item| if item["Metoda"] == "BANK_CZ_RB" { item["Variabilní symbol plátce"] = json!("9876543210") });
            });
        "the symbol of the first payment for each" in SYMBOLS => "transfers.detail.vs.value":
            response(|asked, message| if asked.is("transfers.detail") {
                message.records(|items| {
                    let first = items[0]["Variabilní symbol plátce"].clone();
                    items.iter_mut().for_each(|item| item["Variabilní symbol plátce"] = first.clone());
                });
            });
    }
}

fn files() -> Vec<Break> {
    breaks! {
        "the file of a day lacks the last payment" in EACH => "transfers.csvDay.agrees":
            response(|asked, message| if asked.is("csvDay") {
                message.table(asked, |table| _ = table.lines.remove(table.lines.len() - 2));
            });
        "the file of a day has the first payment alone" in EACH => "transfers.csvDay.agrees":
            response(|asked, message| if asked.is("csvDay") {
                message.table(asked, |table| {
                    let last = table.lines.len() - 1;
                    _ = table.lines.drain(2..last);
                });
            });
        "a transfer of the day has two files" in "a-day-of-several-transfers" => "transfers.csvDay.files":
            response(|asked, message| if asked.is("csvDay") {
                message.archive(|files| {
                    let (name, bytes) = files[0].clone();
                    files.push((format!("again-{name}"), bytes));
                });
            });
        "the file of a day in other characters" in "the-detail-repeats-letters-and-signs / v2.0" => "transfers.csvDay.agrees":
            response(|asked, message| if asked.is("csvDay") {
                message.table(asked, |table| table.payments().iter_mut().flatten().for_each(|cell| *cell = super::mangled(cell)));
            });
        "the file has when a payment was created for when it was paid" in "two-payments-are-paid-at-their-own-times"
            => "transfers.csv.agrees":
            response(|asked, message| message.table(asked, |table| {
                let (created, paid) = (table.column("Datum založení"), table.column("Datum zaplacení"));
                table.payments().iter_mut().for_each(|row| row[paid] = row[created].clone());
            }));
        "the ABO file is not that of the envelope" in ABO => "transfers.abo.download.file":
            response(|asked, message| if asked.is("abo") && asked.query_parameter("download") == "true" {
                message.statement(asked, |statement| Statement::put(statement.payment(), 62, "0000000001"));
            });
    }
}

/// Asks for the sample.
fn sampled(asked: &ObservedRequest<'_>, path: &str, call: &str) -> String {
    if asked.is(call) && asked.query.is_empty() { format!("{path}?test=true") } else { path.to_owned() }
}

fn samples() -> Vec<Break> {
    breaks! {
        "the sample is listed for a day to come" in NONE => "transfers.list.day":
            way(|asked, path| sampled(asked, path, "transfers.list"));
        "sample files for a day to come" in NONE => "transfers.csvDay.test":
            way(|asked, path| sampled(asked, path, "csvDay"));
        "sample ABO files for a day to come" in NONE => "transfers.aboDay.test":
            way(|asked, path| sampled(asked, path, "aboDay"));
    }
}
