//! Lies about one of several: the last amount of a statement, the second refund, the twelfth transfer, the other currency.

use serde_json::{Value, json};

use super::Break;
use crate::support::proxy::{Message, ObservedRequest, Statement, Table, remember};

const BUSY: &str = "a-terminal-that-is-busy-is-not-closed";
const CARDS: &str = "each-payment-and-refund-tells-its-own-card";
const CLEARED: &str = "a-closing-clears-refunds-and-every-currency / CZK";
const CLIENTS: &str = "a-statement-names-the-client-ids";
const CURRENCIES: &str = "a-closing-counts-a-refund-in-its-own-currency";
const MANY: &str = "a-day-of-many-transfers-is-listed-whole";
const ONCE: &str = "a-reversal-is-performed-once / CZK";
const OWN: &str = "each-payment-of-a-transfer-tells-its-own";
const REFUNDS: &str = "two-refunds-of-a-payment-go-back";
const REVERSED: &str = "a-reversal-is-told-by-the-status";
const SIGNS: &str = "the-detail-repeats-letters-of-any-alphabet / with signs";
const TEST: &str = "a-transfer-has-no-test-payment";
const THREE_CZK: &str = "an-abo-statement-has-the-fees-of-three-payments / CZK";
const THREE_EUR: &str = "an-abo-statement-has-the-fees-of-three-payments / EUR";

pub fn all() -> Vec<Break> {
    [abo(), fees(), csv(), refunds(), transfers(), references(), reversals(), closings(), later()].into_iter().flatten().collect()
}

/// The amount of an item of an ABO statement.
fn amount(item: &[char]) -> i64 {
    item[48..60].iter().collect::<String>().parse().unwrap()
}

/// Moves an amount from the first of the items of this kind to the last: their sum stays.
fn move_amount(statement: &mut Statement, kind: char, by: i64) {
    let mut items: Vec<&mut Vec<char>> = statement.items().iter_mut().filter(|item| item[60] == kind).collect();
    if items.len() > 1 {
        let last = items.len() - 1;
        for (index, change) in [(0, -by), (last, by)] {
            let changed = amount(&items[index][..]) + change;
            Statement::put(&mut items[index][..], 49, &format!("{changed:012}"));
        }
    }
}

fn abo() -> Vec<Break> {
    breaks! {
        "the last amount of an ABO statement is wrong" in THREE_CZK => "transfers.abo.agrees":
            response(|asked, message| if asked.is("abo") { message.statement(asked, |statement| move_amount(statement, '2', 100)) });
        "the last amount in windows-1250 is wrong" in THREE_EUR => "transfers.abo.agrees":
            response(|asked, message| if asked.is("abo") && asked.query_parameter("encoding") == "win1250" {
                message.statement(asked, |statement| move_amount(statement, '2', 100));
            });
        "the last amount in an ABO file is wrong" in THREE_EUR => "transfers.abo.agrees":
            response(|asked, message| if asked.is("abo") && asked.query_parameter("download") == "true" {
                message.statement(asked, |statement| move_amount(statement, '2', 100));
            });
        "the last amount in the ABO files of a day is wrong" in THREE_CZK => "transfers.aboDay.agrees":
            response(|asked, message| if asked.is("aboDay") { message.statement(asked, |statement| move_amount(statement, '2', 100)) });
    }
}

fn fees() -> Vec<Break> {
    breaks! {
        "the last fee in the ABO files of a day is wrong" in THREE_CZK => "transfers.aboDay.type.v1":
            response(|asked, message| if asked.is("aboDay") && asked.query_parameter("type") == "v1" {
                message.statement(asked, |statement| move_amount(statement, '1', 10));
            });
        "the ABO files of a day in euros list their fees" in THREE_EUR => "transfers.aboDay.type.v2":
            response(|asked, _message| if asked.is("terminal.create") { asked.note("curr", asked.text("curr")) }),
            way(|asked, path| match asked.is("aboDay") && asked.recall("curr") == "EUR" {
                true => path.replace("type=v2", "type=v1"),
                false => path.to_owned(),
            });
        "the last fee in the ABO files of a day is wrong unless asked for" in THREE_EUR => "transfers.aboDay.type.default":
            response(|asked, message| if asked.is("aboDay") && asked.query_parameter("type").is_empty() {
                message.statement(asked, |statement| move_amount(statement, '1', 10));
            });
    }
}

const AMOUNTS: [&str; 6] =
    ["Potvrzená částka", "Převedená částka", "Poplatek celkem", "Poplatek mezibankovní", "Poplatek asociace", "Poplatek zpracovatel"];

/// A decimal number in hundredths, if it is one.
fn hundredths(text: &str) -> Option<i64> {
    text.replace(',', "").parse().ok()
}

/// A decimal number with a comma.
fn decimal(hundredths: i64) -> String {
    let sign = if hundredths < 0 { "-" } else { "" };
    format!("{sign}{},{:02}", hundredths.abs() / 100, hundredths.abs() % 100)
}

/// Moves one crown from the first payment of a table to the last: the sums stay.
fn move_crown(table: &mut Table) {
    let columns = [table.column("Potvrzená částka"), table.column("Převedená částka")];
    let rows = table.payments();
    let last = rows.len() - 1;
    if last > 0 {
        for column in columns {
            for (index, change) in [(0, -100), (last, 100)] {
                rows[index][column] = decimal(hundredths(&rows[index][column]).unwrap() + change);
            }
        }
    }
}

/// The last payment of a table stands there twice, and is summed twice.
fn repeat_last(table: &mut Table) {
    if table.payments().len() > 1 {
        let row = table.payments().last().unwrap().clone();
        let columns = AMOUNTS.map(|heading| table.column(heading));
        let place = table.lines.len() - 1;
        for column in columns {
            let sum = hundredths(&table.lines[place][column]).zip(hundredths(&row[column]));
            if let Some((sum, further)) = sum {
                table.lines[place][column] = decimal(sum + further);
            }
        }
        table.lines.insert(place, row);
    }
}

/// A test payment stands beside the last payment of a table.
fn add_test(table: &mut Table) {
    let column = table.column("ID od klienta");
    let mut row = table.payments().last().unwrap().clone();
    row[column] = "order-2029".to_owned();
    table.lines.insert(1, row);
}

fn csv() -> Vec<Break> {
    breaks! {
        "the last amount of a CSV statement is wrong" in OWN => "transfers.csv.agrees":
            response(|asked, message| if asked.is("csv") { message.table(asked, move_crown) });
        "the last amount in a CSV file is wrong" in OWN => "transfers.csv.agrees":
            response(|asked, message| if asked.is("csv") && asked.query_parameter("download") == "true" { message.table(asked, move_crown) });
        "the last amount in the CSV files of a day is wrong" in OWN => "transfers.csvDay.agrees":
            response(|asked, message| if asked.is("csvDay") { message.table(asked, move_crown) });
        "the last payment of a CSV statement stands there twice" in OWN => "transfers.csv.agrees":
            response(|asked, message| if asked.is("csv") { message.table(asked, repeat_last) });
        "the last payment in the CSV files of a day stands there twice" in OWN => "transfers.csvDay.agrees":
            response(|asked, message| if asked.is("csvDay") { message.table(asked, repeat_last) });
        "a test payment stands in a CSV statement" in TEST => "transfers.only-production":
            response(|asked, message| if asked.is("csv") { message.table(asked, add_test) });
        "a test payment stands in the CSV files of a day" in TEST => "transfers.only-production":
            response(|asked, message| if asked.is("csvDay") { message.table(asked, add_test) });
        "a test payment stands in an ABO statement" in TEST => "transfers.only-production":
            response(|asked, message| if asked.is("abo") {
                message.statement(asked, |statement| {
                    let mut test = statement.payment().clone();
                    Statement::put(&mut test, 49, "000000077700");
                    statement.records.push(test);
                });
            });
    }
}

/// Changes the rows of refunds in the details of a transfer.
fn refund_rows(asked: &ObservedRequest<'_>, message: &mut Message, change: impl FnOnce(&mut Vec<Value>)) {
    if asked.is("transfers.detail") {
        message.records(|items| {
            let (mut refunds, others): (Vec<Value>, Vec<Value>) =
                items.drain(..).partition(|item| item["Potvrzená částka"].as_str().is_some_and(|amount| amount.starts_with('-')));
            if refunds.len() > 1 {
                change(&mut refunds);
            }
            items.extend(others);
            items.extend(refunds);
        });
    }
}

fn refunds() -> Vec<Break> {
    breaks! {
        "two refunds are shown as one" in REFUNDS => "transfers.detail.confirmed.value":
            response(|asked, message| refund_rows(asked, message, |refunds| {
                refunds.truncate(1);
                refunds[0]["Potvrzená částka"] = json!("-50,00");
                refunds[0]["Převedená částka"] = json!("-50,00");
            }));
        "the second refund has the reference of the first" in REFUNDS => "transfers.detail.refId.value":
            response(|asked, message| refund_rows(asked, message, |refunds| {
                refunds.iter_mut().for_each(|refund| refund["ID od klienta"] = json!("back-2091"));
            }));
        "the second refund is sent to the shop" in REFUNDS => "transfers.detail.amount.value":
            response(|asked, message| refund_rows(asked, message, |refunds| {
                let second = refunds.iter_mut().find(|refund| refund["ID od klienta"] == "back-2092").unwrap();
                second["Převedená částka"] = json!("20,00");
            }));
        "the second refund is in no CSV statement" in REFUNDS => "transfers.csv.agrees":
            response(|asked, message| message.table(asked, |table| {
                let column = table.column("Potvrzená částka");
                table.lines.retain(|row| row[column] != "-20,00");
            }));
        "the second refund is in no ABO statement" in REFUNDS => "transfers.abo.agrees":
            response(|asked, message| message.statement(asked, |statement| {
                let header = statement.records.remove(0);
                statement.records.retain(|item| item[60] != '1' || amount(item) != 2000);
                statement.records.insert(0, header);
            }));
    }
}

fn transfers() -> Vec<Break> {
    breaks! {
        "the list of a day ends after ten transfers" in MANY => "transfers.list.day":
            response(|asked, message| if asked.is("transfers.list") { message.records(|items| items.truncate(10)) });
        "the list of a day begins with the last ten transfers" in MANY => "transfers.list.day":
            response(|asked, message| if asked.is("transfers.list") {
                message.records(|items| _ = items.drain(..items.len().saturating_sub(10)));
            });
        "the archive of a day ends after ten files" in MANY => "transfers.csvDay.files":
            response(|asked, message| if asked.is("csvDay") { message.archive(|files| files.truncate(10)) });
        "a reversal takes a payment out once it is done" in "what-was-paid-out-stays-as-it-was-after-a-reversal / EUR"
            => "transfers.detail.again":
            world(|deed| if deed.action == "clock.advances" { _ = remember(deed.memory, "done") }),
            response(|asked, message| if asked.is("transfers.detail") && asked.knows("done") {
                message.records(|items| items.retain(|item| item["Potvrzená částka"] != "234,56"));
            });
    }
}

/// Changes every client ID in the details of a transfer.
fn client_ids(asked: &ObservedRequest<'_>, message: &mut Message, change: fn(&str) -> String) {
    if asked.is("transfers.detail") {
        message.each(|item| item["ID od klienta"] = json!(change(item["ID od klienta"].as_str().unwrap_or_default())));
    }
}

fn references() -> Vec<Break> {
    breaks! {
        "a plus in a reference is a blank" in SIGNS => "transfers.detail.refId.value":
            response(|asked, message| client_ids(asked, message, |id| id.replace('+', " ")));
        "a reference is decoded as an address" in SIGNS => "transfers.detail.refId.value":
            response(|asked, message| client_ids(asked, message, |id| id.replace("%41", "A")));
        "two blanks of a reference are one" in SIGNS => "transfers.detail.refId.value":
            response(|asked, message| client_ids(asked, message, |id| id.replace("  ", " ")));
        "a semicolon in a CSV statement is a comma" in SIGNS => "transfers.csv.agrees":
            response(|asked, message| if asked.is("csv") {
                message.table(asked, |table| table.lines.iter_mut().flatten().for_each(|cell| *cell = cell.replace(';', ",")));
            });
        "markup in a reference of the terminal is escaped" in "the-card-of-a-terminal-payment-is-told / signs"
            => "transfers.detail.refId.value":
            response(|asked, message| client_ids(asked, message, |id| id.replace('<', "&lt;")));
        "a reference of 30 characters at most in euros" in CLIENTS => "transfers.detail.refId.value":
            response(|asked, message| client_ids(asked, message, |id| id.chars().take(30).collect()));
    }
}

/// Changes the status of what was paid on the terminal once a closing was performed.
fn after_a_closing(asked: &ObservedRequest<'_>, message: &mut Message, call: &str, reversed: bool) {
    if asked.is("closing") {
        asked.first_time("closed");
    } else if asked.is(call) && asked.knows("closed") {
        message.replace("reversed", reversed);
    }
}

/// What was reversed reads as cancelled, and can be cancelled again.
fn cancelled_again(asked: &ObservedRequest<'_>, message: &mut Message) {
    if asked.is("status") && message.get("reversed") == "true" {
        message.replace("status", "CANCELLED");
    } else if asked.is("terminal.cancel") && !message.succeeds() {
        message.accept();
    }
}

fn reversals() -> Vec<Break> {
    breaks! {
        "a closing forgets the reversal of a payment" in REVERSED => "terminal.payment.reversed.reported":
            response(|asked, message| after_a_closing(asked, message, "terminal.status", false));
        "a closing forgets the reversal of a refund" in REVERSED => "terminal.refund.reversed.reported":
            response(|asked, message| after_a_closing(asked, message, "refund.status", false));
        "a closing reverses every payment" in REVERSED => "terminal.status.reversed.value":
            response(|asked, message| after_a_closing(asked, message, "terminal.status", true));
        "a closing reverses every refund" in REVERSED => "terminal.refund.status.reversed.value":
            response(|asked, message| after_a_closing(asked, message, "refund.status", true));
        "a refund of everything reverses the payment" in "money-that-is-returned-on-the-terminal-goes-back / of everything"
            => "terminal.status.reversed.value":
            response(|asked, message| if asked.is("refund.create") {
                asked.first_time("refunded");
            } else if asked.is("terminal.status") && asked.knows("refunded") {
                message.replace("reversed", true);
            });
        "a payment that reads as cancelled is cancelled" in ONCE => "terminal.cancel.not-paid":
            response(cancelled_again);
        "a second reversal returns the money again" in ONCE => "terminal.status.amountRefunded.value":
            response(|asked, message| if asked.is("terminal.cancel") {
                _ = asked.first_time("once") || asked.first_time("twice");
            } else if asked.is("terminal.status") && asked.knows("twice") {
                message.set("amountRefunded", "20000");
            });
    }
}

/// Each currency has the refunds of all of them.
fn refunds_of_all(totals: &mut [Value]) {
    for field in ["debitsAmount", "debitsCount"] {
        let sum: i64 = totals.iter().filter_map(|total| total[field].as_i64()).sum();
        totals.iter_mut().for_each(|total| total[field] = json!(sum));
    }
}

fn closings() -> Vec<Break> {
    breaks! {
        "each currency of a closing has the refunds of all" in CURRENCIES => "terminal.closing.batchData.currencies":
            response(|asked, message| if asked.is("closing")
                && let Some(totals) = message.fields.get_mut("batchData").and_then(Value::as_array_mut)
            {
                refunds_of_all(totals);
            });
        "a terminal is offline once a closing was refused" in BUSY => "terminal.state.OFFLINE":
            response(|asked, message| if asked.is("closing") && !message.succeeds() {
                asked.first_time("refused");
            } else if asked.is("terminal.state") && asked.knows("refused") {
                message.replace("status", "OFFLINE");
            });
    }
}

/// Notes what a creation on the terminal gave, as that of the newest.
fn note_newest(asked: &ObservedRequest<'_>, call: &str, field: &str) {
    if asked.is(call) {
        asked.note("newest", asked.text(field));
    }
}

/// Notes what was reversed.
fn note_cancelled(asked: &ObservedRequest<'_>, message: &Message) {
    if asked.is("terminal.cancel") && message.succeeds() {
        asked.note("reversed", asked.text("transId"));
    }
}

fn is_reversed(asked: &ObservedRequest<'_>) -> bool {
    asked.is("terminal.status") && asked.recall("reversed") == asked.text("transId")
}

/// Takes the symbols of all payments and fees.
fn without_symbols(statement: &mut Statement) {
    statement.items().iter_mut().for_each(|item| Statement::put(item, 62, "0000000000"));
}

fn later() -> Vec<Break> {
    breaks! {
        "the currency of a refund is that of the newest" in "two-refunds-may-have-the-same-reference" => "terminal.refund.status.curr.value":
            response(|asked, message| {
                note_newest(asked, "refund.create", "curr");
                if asked.is("refund.status") { message.replace("curr", asked.recall("newest")) }
            });
        "the reference of a payment is that of the newest" in CLEARED => "terminal.status.refId.value":
            response(|asked, message| {
                note_newest(asked, "terminal.create", "refId");
                if asked.is("terminal.status") { message.replace("refId", asked.recall("newest")) }
            });
        "a later payment takes the reference of a refund away" in CLEARED => "terminal.refund.status.refId.value":
            response(|asked, message| if asked.is("refund.create") {
                asked.first_time("refund");
            } else if asked.is("terminal.create") && asked.knows("refund") {
                asked.first_time("later");
            } else if asked.is("refund.status") && asked.knows("later") {
                message.replace("refId", "");
            });
        "a reversal changes the card" in CARDS => "terminal.status.cardNumber.value":
            response(|asked, message| {
                note_cancelled(asked, message);
                if is_reversed(asked) { message.replace("cardNumber", "************0000") }
            });
        "a reversal changes the expiry" in CARDS => "terminal.status.cardValid.value":
            response(|asked, message| {
                note_cancelled(asked, message);
                if is_reversed(asked) { message.replace("cardValid", "01/20") }
            });
        "a closing changes the card of a refund" in CARDS => "terminal.refund.status.cardNumber.partial":
            response(|asked, message| if asked.is("closing") {
                asked.first_time("closed");
            } else if asked.is("refund.status") && asked.knows("closed") {
                message.replace("cardNumber", "************0000");
            });
        "a refund that nobody polled is in no closing" in "nobody-needs-to-poll-a-refund" => "terminal.closing.totals.refunds":
            response(|asked, message| if asked.is("closing")
                && let Some(totals) = message.fields.get_mut("batchData").and_then(Value::as_array_mut)
            {
                totals.clear();
            });
        "a refund that nobody polled is not cancelled" in "nobody-needs-to-poll-a-refund" => "terminal.refund.cancel.paid":
            response(|asked, message| if asked.is("refund.cancel") { message.refuse(1400) });
        "no symbols where the fees are summed" in THREE_CZK => "transfers.abo.agrees":
            response(|asked, message| if asked.is("abo") && asked.query_parameter("type") == "v2" {
                message.statement(asked, without_symbols);
            });
        "no symbols in the ABO files of a day" in THREE_EUR => "transfers.aboDay.agrees":
            response(|asked, message| if asked.is("aboDay") {
                message.statement(asked, without_symbols);
            });
    }
}
