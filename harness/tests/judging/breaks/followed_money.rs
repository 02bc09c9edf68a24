//! Money that is captured, released, refunded, closed or paid by QR code, and is not what a transfer and its statements tell.

use serde_json::{Value, json};

use super::Break;
use crate::support::proxy::{Message, ObservedRequest, Statement, Table, WorldAction, remember};

const CAPTURED: &str = "money-that-is-captured-is-transferred / in part";
const REFUNDED: &str = "money-that-is-refunded-goes-back / of a part";
const RELEASED: &str = "money-that-is-released-is-not-transferred";
const UNPAID: &str = "an-unpaid-payment-is-not-transferred";
const RETURNED: &str = "money-that-is-returned-on-the-terminal-goes-back / of a part";
const QR_REFUNDED: &str = "qr-money-that-is-refunded-goes-back / of a part";
const CLOSED: &str = "what-a-closing-counts-is-transferred";
const QR: &str = "qr-money-is-transferred / crowns";
const DIGITS: &str = "a-symbol-of-the-operator-is-on-the-statement / ten digits";
const TEXT: &str = "a-symbol-of-the-operator-is-on-the-statement / text";
const COLUMN: &str = "a-short-symbol-has-a-column-of-its-own";
const CARD: &str = "the-card-of-a-payment-is-told";
const TWO: &str = "two-transfers-are-told-apart";
const DAY: &str = "a-day-has-one-file-for-each-transfer";

/// Transfers and statements that lose money, invent it, or mix it up.
pub fn all() -> Vec<Break> {
    [preauthorizations(), refunds(), returns(), qr_refunds(), closings(), qr_payments(), columns(), other_transfers(), samples()]
        .into_iter()
        .flatten()
        .collect()
}

/// Changes the details of a transfer.
fn details(asked: &ObservedRequest<'_>, message: &mut Message, change: impl FnOnce(&mut Vec<Value>)) {
    if asked.is("transfers.detail") {
        message.records(change);
    }
}

/// Adds a payment to the details: one like the first, of another reference and amount.
fn besides(items: &mut Vec<Value>, reference: &str, amount: &str) {
    let mut other = items[0].clone();
    other["ID Service"] = json!("ZZZZYYYYXXXX");
    other["ID od klienta"] = json!(reference);
    other["Potvrzená částka"] = json!(amount);
    items.push(other);
}

/// Puts another text in place of one, wherever the details have it.
fn replaced(items: &mut [Value], text: &str, other: &str) {
    let values = items.iter_mut().filter_map(Value::as_object_mut).flat_map(|item| item.values_mut());
    values.filter(|value| value.as_str() == Some(text)).for_each(|value| *value = json!(other));
}

/// The same in a CSV statement.
fn replaced_in_cells(table: &mut Table, text: &str, other: &str) {
    table.lines.iter_mut().flatten().filter(|cell| *cell == text).for_each(|cell| *cell = other.to_owned());
}

/// Replaces cells in the CSV files of this call.
fn cells(asked: &ObservedRequest<'_>, message: &mut Message, call: &str, text: &str, other: &str) {
    if asked.is(call) {
        message.table(asked, |table| replaced_in_cells(table, text, other));
    }
}

/// Changes the items of this amount in the ABO files of this call.
fn items(asked: &ObservedRequest<'_>, message: &mut Message, call: &str, amount: u64, change: impl Fn(&mut Vec<char>)) {
    if asked.is(call) {
        let of_amount = |item: &&mut Vec<char>| item[48..60].iter().collect::<String>().parse() == Ok(amount);
        message.statement(asked, |statement| statement.items().iter_mut().filter(of_amount).for_each(&change));
    }
}

/// Puts an amount into an item of an ABO file.
fn amounts_to(item: &mut [char], amount: u64) {
    Statement::put(item, 48, &format!("{amount:012}"));
}

/// Makes a transfer when nothing waits: after the one that empties the book.
fn transfers_early(deed: &mut WorldAction<'_>) {
    if deed.action == "bank.transfers" && !remember(deed.memory, "emptied") && remember(deed.memory, "moved") {
        deed.response = Some(json!({"transfers": [{"transferId": 1, "curr": "CZK"}]}));
    }
}

fn is_early(asked: &ObservedRequest<'_>) -> bool {
    asked.is("transfers.detail") && asked.text("transferId") == "1"
}

/// The early transfer is told like the sample.
fn early_detail(asked: &ObservedRequest<'_>, path: &str) -> String {
    if is_early(asked) { format!("{path}?test=true") } else { path.to_owned() }
}

/// The early transfer pays out this payment.
fn pays_out_early(asked: &ObservedRequest<'_>, message: &mut Message, reference: &str) {
    if is_early(asked) {
        message.records(|items| besides(items, reference, "100,00"));
    }
}

fn preauthorizations() -> Vec<Break> {
    breaks! {
        "a capture of a part pays out the whole" in CAPTURED => "transfers.detail.confirmed.value":
            onward(|asked, sent| if asked.is("capturePreauth") { sent.set("amount", 10000) });
        "what is authorized is paid out before it is captured" in CAPTURED => "transfers.only-paid":
            world(transfers_early),
            way(early_detail),
            response(|asked, message| pays_out_early(asked, message, "order-2040"));
        "what is captured is not in the CSV statement" in CAPTURED => "transfers.csv.agrees":
            response(|asked, message| message.table(asked, |table| replaced_in_cells(table, "40,00", "100,00")));
        "what is captured has another amount in the ABO statement" in CAPTURED => "transfers.abo.agrees":
            way(|asked, path| if asked.is("abo") { format!("{path}?test=true") } else { path.to_owned() });
        "what is captured is not in the CSV files of the day" in CAPTURED => "transfers.csvDay.agrees":
            response(|asked, message| cells(asked, message, "csvDay", "40,00", "100,00"));
        "what is captured has another amount in the ABO files of the day" in CAPTURED => "transfers.aboDay.agrees":
            response(|asked, message| items(asked, message, "aboDay", 4000, |item| amounts_to(item, 10000)));
        "what is released is paid out" in RELEASED => "transfers.only-paid":
            world(transfers_early),
            way(early_detail),
            response(|asked, message| pays_out_early(asked, message, "order-2041"));
        "what the payer cancelled is paid out" in UNPAID => "transfers.only-paid":
            world(transfers_early),
            way(early_detail),
            response(|asked, message| pays_out_early(asked, message, "order-2008"));
        "what is pending is paid out" in UNPAID => "transfers.only-paid":
            world(transfers_early),
            way(early_detail),
            response(|asked, message| pays_out_early(asked, message, "order-2007"));
        "what is released is paid out with the next payment" in RELEASED => "transfers.only-paid":
            response(|asked, message| details(asked, message, |items| besides(items, "order-2041", "777,00")));
        "what is released is in the CSV statement" in RELEASED => "transfers.only-paid":
            response(|asked, message| cells(asked, message, "csv", "order-2042", "order-2041"));
        "what is released is in the CSV files of the day" in RELEASED => "transfers.only-paid":
            response(|asked, message| cells(asked, message, "csvDay", "order-2042", "order-2041"));
    }
}

fn refunds() -> Vec<Break> {
    breaks! {
        "a refund is never taken off" in REFUNDED => "transfers.detail.confirmed.value":
            instead(|asked| asked.is("v2.refund").then(|| Message::success(asked)));
        "a refund takes everything off" in REFUNDED => "transfers.detail.confirmed.value":
            onward(|asked, sent| if asked.is("v2.refund") { sent.set("amount", 10000) });
        "a refund is paid out once more" in REFUNDED => "transfers.detail.confirmed.value":
            response(|asked, message| details(asked, message, |items| replaced(items, "-40,00", "40,00")));
        "a refund changes the transfer that was made" in REFUNDED => "transfers.detail.confirmed.value":
            response(|asked, message| details(asked, message, |items| replaced(items, "100,00", "60,00")));
        "a refund has no sign in the CSV statement" in REFUNDED => "transfers.csv.agrees":
            response(|asked, message| message.table(asked, |table| replaced_in_cells(table, "-40,00", "40,00")));
        "a refund is a payment in the ABO statement" in REFUNDED => "transfers.abo.agrees":
            response(|asked, message| message.statement(asked, |statement| {
                statement.items().iter_mut().filter(|item| item[48..60].iter().collect::<String>().ends_with("4000")).for_each(|item| item[60] = '2');
            }));
        "a refund has no sign in the CSV files of the day" in REFUNDED => "transfers.csvDay.agrees":
            response(|asked, message| cells(asked, message, "csvDay", "-40,00", "40,00"));
        "a refund is a payment in the ABO files of the day" in REFUNDED => "transfers.aboDay.agrees":
            response(|asked, message| items(asked, message, "aboDay", 4000, |item| item[60] = '2'));
    }
}

fn returns() -> Vec<Break> {
    breaks! {
        "what a terminal pays back is paid out" in RETURNED => "transfers.detail.confirmed.value":
            response(|asked, message| details(asked, message, |items| replaced(items, "-40,00", "40,00")));
        "what a terminal pays back has no sign in the CSV statement" in RETURNED => "transfers.csv.agrees":
            response(|asked, message| cells(asked, message, "csv", "-40,00", "40,00"));
        "what a terminal pays back is a payment in the ABO statement" in RETURNED => "transfers.abo.agrees":
            response(|asked, message| items(asked, message, "abo", 4000, |item| item[60] = '2'));
        "what a terminal pays back has no sign in the CSV files of the day" in RETURNED => "transfers.csvDay.agrees":
            response(|asked, message| cells(asked, message, "csvDay", "-40,00", "40,00"));
        "what a terminal pays back is a payment in the ABO files of the day" in RETURNED => "transfers.aboDay.agrees":
            response(|asked, message| items(asked, message, "aboDay", 4000, |item| item[60] = '2'));
    }
}

fn qr_refunds() -> Vec<Break> {
    breaks! {
        "a refund of a QR payment is paid out" in QR_REFUNDED => "transfers.detail.confirmed.value":
            response(|asked, message| details(asked, message, |items| replaced(items, "-40,00", "40,00")));
        "a refund of a QR payment has no sign in the CSV statement" in QR_REFUNDED => "transfers.csv.agrees":
            response(|asked, message| cells(asked, message, "csv", "-40,00", "40,00"));
        "a refund of a QR payment is a payment in the ABO statement" in QR_REFUNDED => "transfers.abo.agrees":
            response(|asked, message| items(asked, message, "abo", 4000, |item| item[60] = '2'));
        "a refund of a QR payment has no sign in the CSV files of the day" in QR_REFUNDED => "transfers.csvDay.agrees":
            response(|asked, message| cells(asked, message, "csvDay", "-40,00", "40,00"));
        "a refund of a QR payment is a payment in the ABO files of the day" in QR_REFUNDED => "transfers.aboDay.agrees":
            response(|asked, message| items(asked, message, "aboDay", 4000, |item| item[60] = '2'));
    }
}

fn closings() -> Vec<Break> {
    breaks! {
        "what a closing counts is not paid out" in CLOSED => "transfers.detail.confirmed.value":
            response(|asked, message| details(asked, message, |items| replaced(items, "2026000303", "2026000000")));
        "what a closing counts is paid out with another amount" in CLOSED => "transfers.detail.confirmed.value":
            response(|asked, message| details(asked, message, |items| replaced(items, "123,00", "200,00")));
        "what a closing counts has another amount in the CSV statement" in CLOSED => "transfers.csv.agrees":
            response(|asked, message| cells(asked, message, "csv", "123,00", "200,00"));
        "what a closing counts has another amount in the ABO statement" in CLOSED => "transfers.abo.agrees":
            response(|asked, message| items(asked, message, "abo", 12300, |item| amounts_to(item, 20000)));
        "what a closing counts has another amount in the CSV files of the day" in CLOSED => "transfers.csvDay.agrees":
            response(|asked, message| cells(asked, message, "csvDay", "123,00", "200,00"));
        "what a closing counts has another amount in the ABO files of the day" in CLOSED => "transfers.aboDay.agrees":
            response(|asked, message| items(asked, message, "aboDay", 12300, |item| amounts_to(item, 20000)));
        "a reversed payment is paid out" in CLOSED => "terminal.closing.totals.reversals":
            response(|asked, message| details(asked, message, |items| besides(items, "2026000304", "77,00")));
    }
}

fn qr_payments() -> Vec<Break> {
    breaks! {
        "a QR payment without its reference" in QR => "qr.create.refId.statement":
            response(|asked, message| details(asked, message, |items| replaced(items, "order-2046", "")));
        "a QR payment in crowns" in QR => "qr.create.minor-units":
            response(|asked, message| details(asked, message, |items| replaced(items, "123,45", "12345,00")));
        "a QR payment is not in the CSV statement" in QR => "qr.create.refId.statement":
            response(|asked, message| message.table(asked, |table| replaced_in_cells(table, "order-2046", "")));
        "a QR payment in crowns in the ABO statement" in QR => "transfers.abo.agrees":
            response(|asked, message| items(asked, message, "abo", 12345, |item| amounts_to(item, 123)));
        "a QR payment in crowns in the CSV files of the day" in QR => "transfers.csvDay.agrees":
            response(|asked, message| cells(asked, message, "csvDay", "123,45", "12345,00"));
        "a QR payment in crowns in the ABO files of the day" in QR => "transfers.aboDay.agrees":
            response(|asked, message| items(asked, message, "aboDay", 12345, |item| amounts_to(item, 123)));
        "the reference in place of the operator's symbol" in DIGITS => "qr.create.variableSymbol.statement":
            response(|asked, message| details(asked, message, |items| replaced(items, "2026000399", "order-2046")));
        "the reference beside the operator's symbol" in DIGITS => "qr.create.variableSymbol.statement":
            response(|asked, message| details(asked, message, |items| besides(items, "order-2046", "0,01")));
        "the operator's symbol without its letters" in TEXT => "qr.create.variableSymbol.statement":
            response(|asked, message| details(asked, message, |items| replaced(items, "Stůl č. 7, účet 15", "Stul c. 7, ucet 15")));
        "the operator's symbol in another encoding" in TEXT => "qr.create.variableSymbol.statement":
            response(|asked, message| message.table(asked, |table| replaced_in_cells(table, "Stůl č. 7, účet 15", &super::mangled("Stůl č. 7, účet 15"))));
        "late money is paid out" in QR => "qr.extend.late-money":
            response(|asked, message| details(asked, message, |items| besides(items, "order-2047", "100,00")));
        "a short symbol has no column of its own" in COLUMN => "qr.create.variableSymbol.column":
            response(|asked, message| details(asked, message, |items| items.iter_mut().for_each(|item| {
                item["Variabilní symbol plátce"] = json!("4711");
            })));
        "a symbol of eleven digits is in the column" in COLUMN => "qr.create.variableSymbol.column":
            response(|asked, message| details(asked, message, |items| items.iter_mut().for_each(|item| {
                item["Variabilní symbol plátce"] = item["ID od klienta"].clone();
            })));
    }
}

fn columns() -> Vec<Break> {
    breaks! {
        "no type of the card" in CARD => "transfers.detail.card.value":
            response(|asked, message| details(asked, message, |items| items.iter_mut().for_each(|item| item["Typ karty"] = json!(""))));
        "no type of a card on the terminal" in "the-card-of-a-terminal-payment-is-told" => "transfers.detail.card.value":
            response(|asked, message| details(asked, message, |items| {
                items.iter_mut().filter(|item| item["ID od klienta"] == "Účtenka č. 15").for_each(|item| item["Typ karty"] = json!(" "));
            }));
        "no type of the card in the CSV statement" in CARD => "transfers.csv.agrees":
            response(|asked, message| message.table(asked, |table| table.set("Typ karty", "")));
        "paid before it was created" in "the-detail-tells-its-times-in-order" => "transfers.detail.paid.value":
            response(|asked, message| details(asked, message, |items| items.iter_mut().for_each(|item| {
                item["Datum založení"] = json!("2099-12-31 10:17:00");
            })));
        "created at midnight" in "the-detail-tells-how-and-when-it-was-paid" => "transfers.detail.created.value":
            response(|asked, message| details(asked, message, |items| items.iter_mut().for_each(|item| {
                item["Datum založení"] = json!("2026-03-02 00:00:00");
            })));
        "paid at midnight" in "the-detail-tells-how-and-when-it-was-paid" => "transfers.detail.paid.value":
            response(|asked, message| details(asked, message, |items| items.iter_mut().for_each(|item| {
                item["Datum zaplacení"] = json!("2026-03-03 00:00:00");
            })));
    }
}

/// Requests the first transfer that was requested, in place of any other.
fn first(asked: &ObservedRequest<'_>, path: &str, call: &str) -> String {
    let number = asked.text("transferId");
    if number.is_empty() {
        return path.to_owned();
    }
    let first = asked.noted("first", number.as_str());
    if asked.is(call) { path.replace(&format!("/{number}."), &format!("/{first}.")) } else { path.to_owned() }
}

fn other_transfers() -> Vec<Break> {
    breaks! {
        "the detail of the first transfer, whichever is asked for" in TWO => "transfers.only-transferred":
            way(|asked, path| first(asked, path, "transfers.detail"));
        "the CSV statement of the first transfer, whichever is asked for" in TWO => "transfers.csv.agrees":
            way(|asked, path| first(asked, path, "csv"));
        "the ABO statement of the first transfer, whichever is asked for" in TWO => "transfers.abo.agrees":
            way(|asked, path| first(asked, path, "abo"));
        "all transfers in each detail" in TWO => "transfers.only-transferred":
            response(|asked, message| details(asked, message, |items| {
                let other = if items[0]["ID od klienta"] == "order-2031" { "order-2032" } else { "order-2031" };
                besides(items, other, "123,45");
            }));
        "each file of a day has the whole day" in DAY => "transfers.csvDay.files":
            response(|asked, message| if asked.is("csvDay") {
                message.archive(|files| {
                    let mut day = Table::read(std::str::from_utf8(&files[0].1).unwrap());
                    let mut other = Table::read(std::str::from_utf8(&files[1].1).unwrap());
                    day.lines.pop();
                    day.lines.extend(other.payments().iter().cloned());
                    files.iter_mut().for_each(|(_, bytes)| *bytes = day.write().into_bytes());
                });
            });
    }
}

/// A sample although `test` is false.
fn sample(asked: &ObservedRequest<'_>, path: &str, call: &str) -> String {
    if asked.is(call) { path.replace("test=false", "test=true") } else { path.to_owned() }
}

fn samples() -> Vec<Break> {
    breaks! {
        "sample details for test=false" in TWO => "transfers.only-transferred":
            way(|asked, path| sample(asked, path, "transfers.detail"));
        "a sample CSV statement for test=false" in TWO => "transfers.csv.agrees":
            way(|asked, path| sample(asked, path, "csv"));
        "a sample ABO statement for test=false" in TWO => "transfers.abo.agrees":
            way(|asked, path| sample(asked, path, "abo"));
        "the sample transfer for test=false" in DAY => "transfers.list.day":
            way(|asked, path| sample(asked, path, "transfers.list"));
        "sample files for test=false" in DAY => "transfers.csvDay.files":
            way(|asked, path| sample(asked, path, "csvDay"));
        "sample ABO files for test=false" in DAY => "transfers.aboDay.files":
            way(|asked, path| sample(asked, path, "aboDay"));
    }
}
