//! Transfers, statements, closings and refunds that keep to every layout and still differ from what was paid.

use serde_json::{Value, json};

use super::Break;
use crate::support::proxy::{Message, ObservedRequest, Statement, remember};

const STRANGER: &str = "a-foreign-transfer-is-not-told";
const NAMES: &str = "a-statement-names-the-client-ids";
const PAYMENT: &str = "a-terminal-payment-is-transferred / 10 CZK";
const REFUNDED: &str = "money-that-is-refunded-goes-back / of a part";
const RETURNED: &str = "money-that-is-returned-on-the-terminal-goes-back / of a part";
const SIGNS: &str = "the-detail-repeats-letters-and-signs";
const NIGHT: &str = "a-night-in-prague-is-of-the-day-that-begins";
const TIMES: &str = "two-payments-are-paid-at-their-own-times";

/// The table.
pub fn all() -> Vec<Break> {
    [others(), details(), statements(), days(), terminal(), repeated()].into_iter().flatten().collect()
}

/// Changes each item of the details of a transfer.
fn each(asked: &ObservedRequest<'_>, message: &mut Message, change: impl Fn(&mut Value)) {
    if asked.is("transfers.detail") {
        message.each(change);
    }
}

/// Notes the reference of a production payment under its first letter.
fn note(asked: &ObservedRequest<'_>) {
    let reference = asked.text("refId");
    if asked.is("v2.create") && !reference.is_empty() {
        asked.note(&reference[..1], reference.as_str());
    }
}

/// Another merchant gets a file of a layout that is not known.
fn leaks(asked: &ObservedRequest<'_>, message: &mut Message, call: &str, text: &str) {
    if asked.is(call) && asked.is_by_another_merchant() && asked.query_parameter("download") == "true" {
        message.becomes_a_page(200, text);
    }
}

fn others() -> Vec<Break> {
    breaks! {
        "the money of another shop is paid out, too" in STRANGER => "transfers.access.foreign":
            onward(|asked, _sent| note(asked)),
            response(|asked, message| if asked.is("transfers.detail") {
                let other = asked.recall("o");
                message.records(|items| {
                    let mut item = items[0].clone();
                    item["ID Service"] = json!("ZZZZYYYYXXXX");
                    item["ID od klienta"] = json!(other);
                    items.push(item);
                });
            });
        "another merchant is given a CSV file of another layout" in STRANGER => "transfers.access.foreign":
            onward(|asked, _sent| note(asked)),
            response(|asked, message| leaks(asked, message, "csv", &format!("paid: {}", asked.recall("f"))));
        "another merchant is given an ABO file of another layout" in STRANGER => "transfers.access.foreign":
            response(|asked, message| leaks(asked, message, "abo", "paid: 000000987654"));
    }
}

fn details() -> Vec<Break> {
    breaks! {
        "a payment without its tip" in PAYMENT => "terminal.create.price.minor-units":
            response(|asked, message| each(asked, message, |item| if item["Potvrzená částka"] == "10,00" {
                item["Potvrzená částka"] = json!("9,00");
            }));
        "the login of the terminal is the shop" in PAYMENT => "transfers.detail.merchant.value":
            response(|asked, message| each(asked, message, |item| item["Merchant"] = json!("T100001")));
        "a refund has the reference of the payment" in REFUNDED => "transfers.detail.refId.value":
            response(|asked, message| each(asked, message, |item| if item["ID od klienta"] == "back-2043" {
                item["ID od klienta"] = json!("order-2043");
            }));
        "a refund is sent to the shop" in RETURNED => "transfers.detail.amount.value":
            response(|asked, message| each(asked, message, |item| if item["ID od klienta"] == "2026000308" {
                item["Převedená částka"] = json!("40,00");
            }));
        "the sixteenth character of a label is lost" in SIGNS => "transfers.detail.label.value":
            response(|asked, message| each(asked, message, |item| {
                item["Popis"] = json!(item["Popis"].as_str().unwrap_or_default().chars().take(15).collect::<String>());
            }));
        "an e-mail in small letters" in SIGNS => "transfers.detail.email.value":
            response(|asked, message| each(asked, message, |item| {
                item["E-mail plátce"] = json!(item["E-mail plátce"].as_str().unwrap_or_default().to_lowercase());
            }));
        "all payments are paid when they are paid out" in TIMES => "transfers.detail.paid.value":
            response(|asked, message| each(asked, message, |item| item["Datum zaplacení"] = json!("2099-03-02 10:17:00")));
        "a payment is created when it is paid" in TIMES => "transfers.detail.created.value":
            response(|asked, message| each(asked, message, |item| item["Datum založení"] = item["Datum zaplacení"].clone()));
    }
}

fn statements() -> Vec<Break> {
    breaks! {
        "a reference without its zeros" in NAMES => "terminal.create.refId.csv":
            response(|asked, message| message.table(asked, |table| {
                table.lines.iter_mut().flatten().filter(|cell| cell.starts_with("00")).for_each(|cell| _ = cell.drain(..2));
            }));
        "a statement of the first payment only" in RETURNED => "terminal.create.refId.csv":
            response(|asked, message| if asked.is("csv") { message.table(asked, |table| _ = table.lines.drain(2..)) });
        "a sample CSV file in an envelope" in "a-sample-csv-statement-is-answered" => "transfers.csv.download.file":
            way(|_, path| path.replace("download=true", "download=false"));
        "a sample ABO file in an envelope" in "a-sample-abo-statement-is-answered / v1 in utf8" => "transfers.abo.download.file":
            way(|_, path| path.replace("download=true", "download=false"));
        "the ABO files of a day sum the fees unless told otherwise" in "an-abo-statement-takes-its-parameters-in-either-form"
            => "transfers.aboDay.type.default":
            way(|asked, path| match asked.is("aboDay") && asked.query_parameter("type").is_empty() {
                true => format!("{}?type=v2", path.split('?').next().unwrap_or_default()),
                false => path.to_owned(),
            });
    }
}

/// The day before a date of ISO 8601.
fn yesterday(day: &Value) -> Value {
    let day: jiff::civil::Date = day.as_str().unwrap_or_default().parse().unwrap();
    json!(day.yesterday().unwrap().to_string())
}

/// Requests the real files of the day that was requested first.
fn first_day(asked: &ObservedRequest<'_>, path: &str, call: &str) -> String {
    if asked.is(call) && !path.contains("test=true") { asked.noted(call, path) } else { path.to_owned() }
}

fn days() -> Vec<Break> {
    breaks! {
        "a transfer is of the day in UTC" in NIGHT => "transfers.detail.transferred.value":
            response(|asked, message| each(asked, message, |item| item["Datum převodu"] = yesterday(&item["Datum převodu"])));
        "a real transfer as a sample" in NIGHT => "transfers.list.test":
            way(|asked, path| if asked.is("transfers.list") { path.replace("test=true", "test=false") } else { path.to_owned() });
        "CSV files of the day before" in NIGHT => "transfers.csvDay.one-day":
            way(|asked, path| first_day(asked, path, "csvDay"));
        "ABO files of the day before" in NIGHT => "transfers.aboDay.one-day":
            way(|asked, path| first_day(asked, path, "aboDay"));
    }
}

fn terminal() -> Vec<Break> {
    breaks! {
        "a closing forgets refunds in euros" in "a-closing-counts-refunds / EUR" => "terminal.closing.totals.refunds":
            response(|asked, message| if let Some(Value::Array(totals)) = message.fields.get_mut("batchData").filter(|_| asked.is("closing")) {
                totals.iter_mut().filter(|total| total["curr"] == "EUR").for_each(|total| {
                    total["debitsAmount"] = json!(0);
                    total["debitsCount"] = json!(0);
                });
            });
        "a refund that was rejected is cancelled" in "a-rejected-refund-is-cancelled" => "terminal.refund.cancel.not-paid":
            response(|asked, message| if asked.is("refund.cancel") { message.accept() });
        "an e-mail with a plus is refused" in "a-refund-may-carry-an-e-mail / with a tag" => "terminal.refund.create.email.optional":
            instead(|asked| (asked.is("refund.create") && asked.text("email").contains('+')).then(|| Message::refusal(asked, 1400)));
        "a blank before a currency does not matter" in "terminal / create-holds-its-limits / curr: a currency after a space"
            => "terminal.create.curr.enum":
            onward(|asked, sent| if asked.is("terminal.create") && asked.text("curr") == " CZK" { sent.set("curr", "CZK") });
        "a list of one payment is a payment" in "terminal / a-body-that-is-not-json-is-a-bad-request / a payment in a list"
            => "terminal.create.code.1400":
            response(|asked, message| if asked.is("terminal.create") { message.accept_creation() });
    }
}

/// Changes a text of each item of the details, character by character.
fn spelled(asked: &ObservedRequest<'_>, message: &mut Message, key: &str, change: impl Fn(char) -> char) {
    each(asked, message, |item| item[key] = json!(item[key].as_str().unwrap_or_default().chars().map(&change).collect::<String>()));
}

/// Divides the first fee of an ABO statement of this type between two rows.
fn divided(asked: &ObservedRequest<'_>, message: &mut Message, kind: &str) {
    if asked.query_parameter("type") == kind {
        message.statement(asked, |statement| {
            let fee = statement.items().iter_mut().find(|item| item[60] == '1').unwrap();
            let amount = fee[48..60].iter().collect::<String>().parse::<i64>().unwrap();
            let mut rest = fee.clone();
            Statement::put(fee, 49, &format!("{:012}", amount - 50));
            Statement::put(&mut rest, 49, "000000000050");
            statement.records.push(rest);
        });
    }
}

fn repeated() -> Vec<Break> {
    breaks! {
        "a return changes what was paid out" in "what-was-paid-out-stays-as-it-was / CZK" => "transfers.detail.again":
            world(|deed| if deed.action == "bank.returns" { _ = remember(deed.memory, "returned") }),
            response(|asked, message| if asked.knows("returned") {
                each(asked, message, |item| if item["Potvrzená částka"] == "123,45" {
                    let sent = item["Převedená částka"].as_str().unwrap_or_default().replace(',', "").parse::<i64>().unwrap() - 4000;
                    item["Potvrzená částka"] = json!("83,45");
                    item["Převedená částka"] = json!(format!("{},{:02}", sent / 100, sent % 100));
                });
            });
        "a reversal takes a payment out of a transfer that was paid out" in "what-was-paid-out-stays-as-it-was / EUR"
            => "transfers.detail.again":
            response(|asked, message| if asked.is("terminal.cancel") {
                asked.note("reversed", "");
            } else if asked.is("transfers.detail") && asked.knows("reversed") {
                message.records(|items| items.retain(|item| item["Potvrzená částka"] != "234,56"));
            });
        "a reference in letters of Latin alone" in "the-detail-repeats-letters-of-any-alphabet / Cyrillic"
            => "transfers.detail.refId.value":
            response(|asked, message| spelled(asked, message, "ID od klienta", |letter| if letter > 'ž' { '?' } else { letter }));
        "a label in letters of Latin alone" in "the-detail-repeats-letters-of-any-alphabet / Cyrillic by v1.0"
            => "transfers.detail.label.value":
            response(|asked, message| spelled(asked, message, "Popis", |letter| if letter > 'ž' { '?' } else { letter }));
        "a product without its emoji" in "the-detail-repeats-letters-of-any-alphabet / with an emoji" => "transfers.detail.product.value":
            response(|asked, message| spelled(asked, message, "Produkt", |letter| if letter > '\u{FFFF}' { '?' } else { letter }));
        "a product of twenty characters at most" in "the-detail-repeats-letters-of-any-alphabet / of sixty characters"
            => "transfers.detail.product.value":
            response(|asked, message| each(asked, message, |item| {
                item["Produkt"] = json!(item["Produkt"].as_str().unwrap_or_default().chars().take(20).collect::<String>());
            }));
        "a reference of 32 characters at most" in "the-detail-repeats-letters-of-any-alphabet / of sixty characters"
            => "transfers.detail.refId.value":
            response(|asked, message| each(asked, message, |item| {
                item["ID od klienta"] = json!(item["ID od klienta"].as_str().unwrap_or_default().chars().take(32).collect::<String>());
            }));
        "no fee for a tip" in "the-fee-of-a-payment-with-a-tip-is-the-same-everywhere" => "transfers.detail.fee.reported":
            response(|asked, message| if asked.is("terminal.status") && message.get("fee") != "unknown" { message.replace("fee", "1") });
        "the file has when a payment was paid for when it was created" in "a-csv-statement-repeats-when-each-payment-was-created"
            => "transfers.csv.agrees":
            response(|asked, message| message.table(asked, |table| {
                let (created, paid) = (table.column("Datum založení"), table.column("Datum zaplacení"));
                table.payments().iter_mut().for_each(|row| row[created] = row[paid].clone());
            }));
        "a fee in two rows" in "an-abo-statement-has-the-fees-of-three-payments / EUR" => "transfers.abo.type.v1":
            response(|asked, message| divided(asked, message, "v1"));
        "fees summed in two rows" in "an-abo-statement-has-the-fees-of-three-payments / CZK" => "transfers.abo.type.v2":
            response(|asked, message| divided(asked, message, "v2"));
        "the encoding does not count with a type of v1" in "an-abo-statement-takes-its-parameters-in-either-form"
            => "transfers.abo.encoding.win1250":
            way(|asked, path| match asked.is("abo") && asked.query_parameter("type") == "v1" {
                true => path.replace("encoding=win1250", "encoding=utf8"),
                false => path.to_owned(),
            });
    }
}
