//! Lies of transfers about a second transfer, a second payment, a long reference, and of ABO files that are asked for in another way.

use jiff::civil::DateTime;
use jiff::{Span, ToSpan};
use serde_json::{Value, json};

use super::Break;
use crate::support::proxy::{Message, ObservedRequest};

const BOTH: &str = "two-payments-of-a-transfer-have-their-own-symbols";
const CLIENTS: &str = "a-statement-names-the-client-ids";
const DAY: &str = "a-day-has-one-file-for-each-transfer";
const FOREIGN: &str = "a-foreign-transfer-is-not-told";
const LETTERS: &str = "an-abo-statement-is-written-in-the-encoding-asked-for";
const WITHOUT_CREDENTIALS: &str = "a-real-transfer-is-told-to-nobody-else / without credentials";
const TERMINAL: &str = "the-card-of-a-terminal-payment-is-told";
const TIMES: &str = "a-terminal-payment-tells-its-times / EUR";
const TWO: &str = "two-transfers-are-told-apart";
const UNNAMED: &str = "a-payment-without-a-product-has-none";
const WRONG_SECRET: &str = "a-real-transfer-is-told-to-nobody-else / with a wrong secret";

pub fn all() -> Vec<Break> {
    [transfers(), times(), payments(), client_ids(), no_samples(), abo()].into_iter().flatten().collect()
}

/// Changes the items of a detail.
fn details(asked: &ObservedRequest<'_>, message: &mut Message, change: impl FnOnce(&mut Vec<Value>)) {
    if asked.is("transfers.detail") {
        message.records(change);
    }
}

fn transfers() -> Vec<Break> {
    breaks! {
        "the second transfer of a day has the symbol of the first" in DAY => "transfers.detail.transfer-vs.value":
            response(|asked, message| if asked.is("transfers.list") {
                message.records(|items| if items.len() > 1 { items[1]["variableSymbol"] = items[0]["variableSymbol"].clone() });
            });
        "a transfer in euros has another symbol in the detail" in DAY => "transfers.detail.transfer-vs.value":
            response(|asked, message| details(asked, message, |items| {
                items.iter_mut().filter(|item| item["Měna"] == "EUR").for_each(|item| item["Variabilní symbol převodu"] = json!("9"));
            }));
        "a transfer in euros is of another day" in DAY => "transfers.detail.transferred.value":
            response(|asked, message| details(asked, message, |items| {
                items.iter_mut().filter(|item| item["Měna"] == "EUR").for_each(|item| item["Datum převodu"] = json!("2026-01-01"));
            }));
    }
}

/// Moves a time back.
fn earlier(item: &mut Value, field: &str, by: Span) {
    let time: DateTime = item[field].as_str().unwrap().parse().unwrap();
    item[field] = json!((time - by).strftime("%Y-%m-%d %H:%M:%S").to_string());
}

fn times() -> Vec<Break> {
    breaks! {
        "a terminal payment was created a month before" in TERMINAL => "transfers.detail.created.value":
            response(|asked, message| details(asked, message, |items| {
                items.iter_mut().for_each(|item| earlier(item, "Datum založení", 30.days()));
            }));
        "a terminal payment in euros was created years ago" in "the-detail-tells-the-day-of-a-terminal-payment / EUR"
            => "transfers.detail.created.value":
            response(|asked, message| details(asked, message, |items| {
                items.iter_mut().filter(|item| item["Měna"] == "EUR").for_each(|item| item["Datum založení"] = json!("2020-01-01 00:00:00"));
            }));
        "a terminal payment was paid before it was created" in "the-detail-tells-the-day-of-a-terminal-payment / CZK"
            => "transfers.detail.paid.value":
            response(|asked, message| details(asked, message, |items| {
                items.iter_mut().for_each(|item| item["Datum zaplacení"] = json!("2020-01-01 00:00:00"));
            }));
        "a terminal payment was created and paid the day before" in TIMES => "transfers.detail.created.value":
            response(|asked, message| details(asked, message, |items| items.iter_mut().for_each(|item| {
                earlier(item, "Datum založení", 1.day());
                earlier(item, "Datum zaplacení", 1.day());
            })));
    }
}

fn payments() -> Vec<Break> {
    breaks! {
        "a payment without a product has that of the one before" in UNNAMED => "transfers.detail.product.value":
            response(|asked, message| details(asked, message, |items| {
                let mut last = Value::Null;
                for item in items {
                    match item["Produkt"].as_str() {
                        Some(product) if !product.is_empty() => last = json!(product),
                        _ => item["Produkt"] = last.clone(),
                    }
                }
            }));
        "the first payment has the card of the last" in BOTH => "transfers.detail.card.value":
            response(|asked, message| details(asked, message, |items| {
                let last = items.len() - 1;
                let (first_card, last_card) = (items[0]["Typ karty"].clone(), items[last]["Typ karty"].clone());
                items[0]["Typ karty"] = last_card;
                items[last]["Typ karty"] = first_card;
            }));
        "a reference of a terminal payment in ASCII" in TERMINAL => "transfers.detail.refId.value":
            response(|asked, message| details(asked, message, |items| items.iter_mut().for_each(|item| {
                let reference = item["ID od klienta"].as_str().unwrap_or_default();
                item["ID od klienta"] = json!(reference.chars().map(|c| if c.is_ascii() { c } else { '?' }).collect::<String>());
            })));
    }
}

/// Changes every client ID of a CSV statement.
fn client_id(asked: &ObservedRequest<'_>, message: &mut Message, change: fn(&str) -> String) {
    message.table(asked, |table| {
        let column = table.column("ID od klienta");
        table.payments().iter_mut().for_each(|row| row[column] = change(&row[column]));
    });
}

fn client_ids() -> Vec<Break> {
    breaks! {
        "a client ID is cut to 50 characters" in CLIENTS => "transfers.csvDay.files":
            response(|asked, message| client_id(asked, message, |id| id.chars().take(50).collect()));
        "a client ID is a number of 15 digits" in CLIENTS => "terminal.create.refId.csv":
            response(|asked, message| client_id(asked, message, |id| match id.bytes().all(|byte| byte.is_ascii_digit()) {
                true => format!("{id:.15}{}", "0".repeat(id.len().saturating_sub(15))),
                false => id.to_owned(),
            }));
    }
}

/// Whoever asks for no sample is given the transfer of the main merchant.
fn opened(asked: &ObservedRequest<'_>, sent: &mut Message, call: &str) {
    if asked.is(call) && asked.query_parameter("test") == "false" {
        sent.in_the_name_of_main(asked);
    }
}

fn no_samples() -> Vec<Break> {
    breaks! {
        "test=false opens a detail without credentials" in WITHOUT_CREDENTIALS => "transfers.credentials":
            onward(|asked, sent| opened(asked, sent, "transfers.detail"));
        "test=false opens a CSV statement without credentials" in WITHOUT_CREDENTIALS => "transfers.credentials":
            onward(|asked, sent| opened(asked, sent, "csv"));
        "test=false opens the list for a wrong secret" in WRONG_SECRET => "transfers.credentials":
            onward(|asked, sent| opened(asked, sent, "transfers.list"));
        "test=false opens the detail of a foreign transfer" in FOREIGN => "transfers.access.foreign":
            onward(|asked, sent| opened(asked, sent, "transfers.detail"));
        "test=false opens the ABO statement of a foreign transfer" in FOREIGN => "transfers.access.foreign":
            onward(|asked, sent| opened(asked, sent, "abo"));
    }
}

fn abo() -> Vec<Break> {
    breaks! {
        "test=false is a sample ABO statement" in TWO => "transfers.abo.agrees":
            way(|asked, path| if asked.is("abo") { path.replace("test=false", "test=true") } else { path.to_owned() });
        "test=false is an archive of sample ABO files" in DAY => "transfers.aboDay.files":
            way(|asked, path| if asked.is("aboDay") { path.replace("test=false", "test=true") } else { path.to_owned() });
        "every ABO file of a day has the first transfer" in DAY => "transfers.aboDay.files":
            response(|asked, message| if asked.is("aboDay") {
                message.archive(|files| {
                    let first = files[0].1.clone();
                    files.iter_mut().for_each(|(_, bytes)| bytes.clone_from(&first));
                });
            });
        "no ABO file of the last transfer of a day" in DAY => "transfers.aboDay.files":
            response(|asked, message| if asked.is("aboDay") { message.archive(|files| files.truncate(1)) });
        "a summed statement in windows-1250 is in ASCII" in LETTERS => "transfers.abo.encoding.win1250":
            response(|asked, message| if asked.query_parameter("type") == "v2" && asked.query_parameter("encoding") == "win1250" {
                message.statement(asked, |statement| {
                    statement.records.iter_mut().flatten().filter(|c| !c.is_ascii()).for_each(|c| *c = '?');
                });
            });
    }
}
