//! Transfers of other payments, on other days, and wrong details.

use serde_json::{Value, json};

use super::Break;
use crate::support::proxy::{Message, ObservedRequest, remember};

const LISTED: &str = "a-transfer-is-listed-on-its-day";
const SENT: &str = "the-detail-repeats-what-was-sent";
const PAID: &str = "the-detail-tells-how-and-when-it-was-paid";
const STORY: &str = "a-payment-tells-one-story-everywhere / CZK";

/// Transfers that break a rule.
pub fn all() -> Vec<Break> {
    [payments(), lists(), days(), details(), amounts()].into_iter().flatten().collect()
}

/// Changes each item of a list of transfers.
fn listed(asked: &ObservedRequest<'_>, message: &mut Message, change: impl Fn(&mut Value)) {
    if asked.is("transfers.list") {
        message.each(change);
    }
}

/// Puts a value under a key of each item of a detail.
fn detailed(asked: &ObservedRequest<'_>, message: &mut Message, key: &str, value: &str) {
    if asked.is("transfers.detail") {
        message.each(|item| item[key] = json!(value));
    }
}

/// Puts what is transferred in the middle of a month a day or more later.
fn dated(asked: &ObservedRequest<'_>, message: &mut Message, days: i8) {
    let later = |date: &Value| {
        let (month, day) = date.as_str().unwrap().split_at(8);
        json!(format!("{month}{:02}", day.parse::<i8>().unwrap() + days))
    };
    let key = match asked.operation {
        "transfers.list" => "transferDate",
        "transfers.detail" => "Datum převodu",
        _ => return,
    };
    message.each(|item| item[key] = later(&item[key]));
}

const AGAIN: &str = "a-transfer-is-told-the-same-whenever-it-is-asked-for";

/// Requests another day.
fn on_another_day(path: &str, day: &str, other: &str) -> String {
    if path.contains(day) { path.replace(day, other) } else { path.replace(other, day) }
}

fn payments() -> Vec<Break> {
    breaks! {
        "a rejected payment is transferred" in "an-unpaid-payment-is-not-transferred" => "transfers.only-paid":
            world(|deed| if deed.action == "cardholder.is-declined" { deed.action = "cardholder.pays".to_owned() });
        "a payment is listed before it is transferred" in "a-payment-that-is-not-transferred-is-not-listed"
            => "transfers.only-transferred":
            response(|asked, message| if asked.is("transfers.list") {
                message.records(|transfers| if transfers.is_empty() {
                    transfers.push(json!({"transferId": 1, "transferDate": asked.text("date")}));
                });
            });
        "a test payment is transferred" in "a-test-payment-is-never-transferred" => "transfers.only-production":
            onward(|asked, sent| if asked.is("v2.create") { sent.set("test", false) }),
            response(|_, message| message.replace("test", "true")),
            push(|_, push| push.message.replace("test", "true"));
        "a test payment is listed" in "a-test-payment-is-never-transferred" => "transfers.only-production":
            response(|asked, message| if asked.is("transfers.list") {
                message.records(|transfers| transfers.push(json!({"transferId": 1, "transferDate": asked.text("date")})));
            });
    }
}

fn lists() -> Vec<Break> {
    breaks! {
        "a list told as a page" in LISTED => "transfers.list.call":
            response(|asked, message| if asked.is("transfers.list") { message.becomes_a_page(200, "<table></table>") });
        "a list in an object" in LISTED => "transfers.list.array":
            response(|asked, message| if asked.is("transfers.list") { message.raw(format!("{{\"transfers\":{}}}", message.body_text())) });
        "a transfer is listed every day" in LISTED => "transfers.list.day":
            way(|asked, path| if asked.is("transfers.list") {
                path.replace("2001-01-02", &asked.noted("day", asked.text("date")))
            } else {
                path.to_owned()
            });
        "a transfer is not listed" in LISTED => "transfers.list.day":
            response(|asked, message| if asked.is("transfers.list") { message.records(Vec::clear) });
        "a transfer without the account it came from" in LISTED => "transfers.list.item":
            response(|asked, message| listed(asked, message, |item| _ = item.as_object_mut().unwrap().shift_remove("accountOutgoing")));
        "a transfer of the day before" in LISTED => "transfers.list.transferDate.value":
            response(|asked, message| listed(asked, message, |item| item["transferDate"] = json!("2026-03-01")));
        "a day in the Czech way" in LISTED => "transfers.list.transferDate.type":
            response(|asked, message| listed(asked, message, |item| item["transferDate"] = json!("2. 3. 2026")));
        "a transfer's number as a text" in LISTED => "transfers.list.transferId.type":
            response(|asked, message| listed(asked, message, |item| item["transferId"] = json!(item["transferId"].to_string())));
        "a variable symbol as a number" in LISTED => "transfers.list.variableSymbol.type":
            response(|asked, message| listed(asked, message, |item| item["variableSymbol"] = json!(4000100001_i64)));
        "no sample transfer" in "a-sample-transfer-is-listed" => "transfers.list.test":
            way(|asked, path| if asked.is("transfers.list") { path.replace("test=true", "test=false") } else { path.to_owned() });
        "the sample transfer, asked for or not" in "a-sample-transfer-is-listed" => "transfers.list.test":
            way(|asked, path| if asked.is("transfers.list") && asked.query.is_empty() { format!("{path}?test=true") } else { path.to_owned() });
        "no sample details" in "sample-details-are-shown" => "transfers.detail.test":
            way(|_, path| path.replace("test=true", "test=false"));
    }
}

/// Days are those of Prague, and a day's payments are listed in the morning after the next business day.
fn days() -> Vec<Break> {
    breaks! {
        "listed in the afternoon" in "a-transfer-is-listed-the-morning-after / paid on a Monday" => "transfers.available":
            response(|asked, message| if asked.is("transfers.list") { message.records(Vec::clear) });
        "transferred at the weekend" in "a-transfer-is-listed-the-morning-after / paid on a Friday" => "transfers.available":
            response(|asked, message| listed(asked, message, |item| item["transferDate"] = json!("2026-03-07")));
        "the days of UTC in winter" in "of-prague-in-winter / after midnight" => "transfers.prague.winter":
            way(|_, path| on_another_day(path, "2026-01-15", "2026-01-14"));
        "summer time begins at midnight" in "of-prague-in-winter / after midnight of the day that begins summer time"
            => "transfers.prague.winter":
            way(|_, path| on_another_day(path, "2026-03-29", "2026-03-28"));
        "a year begins with UTC" in "of-prague-in-winter / after midnight of the first day of a year" => "transfers.prague.winter":
            way(|_, path| on_another_day(path, "2027-01-01", "2026-12-31"));
        "a year has no leap day" in "of-prague-in-winter / before midnight of a leap day" => "transfers.prague.winter":
            way(|_, path| on_another_day(path, "2028-02-29", "2028-03-01"));
        "the days of UTC in summer" in "of-prague-in-summer / after midnight" => "transfers.prague.summer":
            way(|_, path| on_another_day(path, "2026-07-15", "2026-07-14"));
        "winter time in summer" in "of-prague-in-summer / after midnight of the day after" => "transfers.prague.summer":
            way(|_, path| on_another_day(path, "2026-03-30", "2026-03-29"));
        "only the files are those of UTC" in "of-prague-in-summer / after midnight" => "transfers.prague.summer":
            way(|asked, path| if asked.is("csvDay") { on_another_day(path, "2026-07-15", "2026-07-14") } else { path.to_owned() });
        "winter time in July" in "a-summer-night-of-any-year" => "transfers.prague.summer":
            response(|asked, message| dated(asked, message, -1));
        "summer time in January" in "a-winter-evening-of-any-year" => "transfers.prague.winter":
            response(|asked, message| dated(asked, message, 1));
        "a download of two days" in "a-download-is-of-one-day" => "transfers.csvDay.one-day":
            response(|asked, message| if asked.is("csvDay") { with_another_file(message) });
        "a download of the day before" in "a-download-is-of-one-day" => "transfers.csvDay.one-day":
            way(|asked, path| if asked.is("csvDay") { on_another_day(path, "2026-03-03", "2026-03-02") } else { path.to_owned() });
        "an ABO download of two days" in "a-download-is-of-one-day" => "transfers.aboDay.one-day":
            response(|asked, message| if asked.is("aboDay") { with_another_file(message) });
        "an ABO download of the day before" in "a-download-is-of-one-day" => "transfers.aboDay.one-day":
            way(|asked, path| if asked.is("aboDay") { on_another_day(path, "2026-03-03", "2026-03-02") } else { path.to_owned() });
    }
}

/// The first file once more, under another name.
fn with_another_file(message: &mut Message) {
    message.archive(|files| {
        let (name, bytes) = files[0].clone();
        files.push((format!("prevod-2026-03-01-{name}"), bytes));
    });
}

fn details() -> Vec<Break> {
    breaks! {
        "a detail told as a page" in SENT => "transfers.detail.call":
            response(|asked, message| if asked.is("transfers.detail") { message.becomes_a_page(200, "<table></table>") });
        "a key without its diacritics" in SENT => "transfers.detail.confirmed.key":
            response(|asked, message| if asked.is("transfers.detail") { message.raw(message.body_text().replace("Potvrzená částka", "Potvrzena castka")) });
        "a detail in another encoding" in SENT => "transfers.detail.call":
            response(|asked, message| if asked.is("transfers.detail") {
                let text = message.body_text();
                message.raw(encoding_rs::WINDOWS_1250.encode(&text).0.into_owned());
            });
        "another shop" in SENT => "transfers.detail.merchant.value":
            response(|asked, message| detailed(asked, message, "Merchant", "200002"));
        "another product" in SENT => "transfers.detail.product.value":
            response(|asked, message| detailed(asked, message, "Produkt", "ball-43"));
        "a product where there is none" in "a-payment-without-a-product-has-none" => "transfers.detail.product.value":
            response(|asked, message| detailed(asked, message, "Produkt", "-"));
        "the product in place of the label" in SENT => "transfers.detail.label.value":
            response(|asked, message| detailed(asked, message, "Popis", "ball-42"));
        "a label of 17 characters" in SENT => "transfers.detail.label.type":
            response(|asked, message| detailed(asked, message, "Popis", "Beach ball, large"));
        "another payer" in SENT => "transfers.detail.email.value":
            response(|asked, message| detailed(asked, message, "E-mail plátce", "another@example.com"));
        "the payment's own identifier in place of the reference" in SENT => "transfers.detail.refId.value":
            response(|asked, message| detailed(asked, message, "ID od klienta", "AB12-CD34-EF56"));
        "another currency" in SENT => "transfers.detail.currency.value":
            response(|asked, message| detailed(asked, message, "Měna", "EUR"));
        "a currency by its sign" in SENT => "transfers.detail.currency.format":
            response(|asked, message| detailed(asked, message, "Měna", "Kč"));
        "when it was created is when it was paid" in PAID => "transfers.detail.created.value":
            response(|asked, message| detailed(asked, message, "Datum založení", "2026-03-03 11:00:00"));
        "a time without seconds" in PAID => "transfers.detail.created.format":
            response(|asked, message| detailed(asked, message, "Datum založení", "2026-03-02 11:00"));
        "when it was paid is when it was created" in PAID => "transfers.detail.paid.value":
            response(|asked, message| detailed(asked, message, "Datum zaplacení", "2026-03-02 11:00:00"));
        "transferred the day before" in PAID => "transfers.detail.transferred.value":
            response(|asked, message| detailed(asked, message, "Datum převodu", "2026-03-02"));
        "the day of the transfer is not the one it was listed on" in "a-transfer-is-listed-the-morning-after / paid on a Monday"
            => "transfers.detail.transferred.value":
            response(|asked, message| detailed(asked, message, "Datum převodu", "2026-03-04"));
        "the method that was allowed, not the one used" in PAID => "transfers.detail.method.value":
            response(|asked, message| detailed(asked, message, "Metoda", "ALL"));
        "another variable symbol of the payment" in PAID => "transfers.detail.vs.value":
            response(|asked, message| detailed(asked, message, "Variabilní symbol plátce", "1234567890"));
        "another variable symbol of the transfer" in LISTED => "transfers.detail.transfer-vs.value":
            response(|asked, message| detailed(asked, message, "Variabilní symbol převodu", "1234567890"));
        "one identifier for all payments" in "every-payment-of-a-transfer-has-an-identifier" => "transfers.detail.id.unique":
            response(|asked, message| detailed(asked, message, "ID Service", "AAAABBBBCCCC"));
        "a payment told twice" in "every-payment-of-a-transfer-has-an-identifier" => "transfers.detail.id.unique":
            response(|asked, message| if asked.is("transfers.detail") {
                message.records(|items| items.insert(0, items[0].clone()));
            });
        "a transfer of another day when it is asked for again" in AGAIN => "transfers.list.again":
            response(|asked, message| if asked.is("transfers.list") && !remember(asked.memory, "listed") {
                message.each(|item| item["variableSymbol"] = json!("4711"));
            });
        "a payment by another method when it is asked for again" in AGAIN => "transfers.detail.again":
            response(|asked, message| if asked.is("transfers.detail") && !remember(asked.memory, "told") && !remember(asked.memory, "twice") {
                message.each(|item| item["Merchant"] = json!("another"));
            });
        "an identifier with hyphens" in SENT => "transfers.detail.id.length":
            response(|asked, message| detailed(asked, message, "ID Service", "AAAA-BBBB-CCCC"));
    }
}

fn amounts() -> Vec<Break> {
    breaks! {
        "another amount" in SENT => "transfers.detail.confirmed.value":
            response(|asked, message| detailed(asked, message, "Potvrzená částka", "123,46"));
        "an amount with a decimal point" in SENT => "transfers.detail.confirmed.format":
            response(|asked, message| detailed(asked, message, "Potvrzená částka", "123.45"));
        "an amount as a number" in SENT => "transfers.detail.confirmed.type":
            response(|asked, message| if asked.is("transfers.detail") { message.each(|item| item["Potvrzená částka"] = json!(123.45)) });
        "the fee is not taken off" in STORY => "transfers.detail.amount.value":
            response(|asked, message| detailed(asked, message, "Převedená částka", "123,45"));
        "a fee that is more than its parts" in STORY => "transfers.detail.fee.value":
            response(|asked, message| detailed(asked, message, "Poplatek celkem", "1,51"));
        "a higher fee than the status tells" in STORY => "transfers.detail.fee.reported":
            response(|asked, message| {
                detailed(asked, message, "Poplatek celkem", "2,50");
                detailed(asked, message, "Poplatek mezibankovní", "2,50");
                detailed(asked, message, "Poplatek asociace", "0,00");
                detailed(asked, message, "Poplatek zpracovatel", "0,00");
                detailed(asked, message, "Převedená částka", "120,95");
            });
    }
}
