//! Lies of the gateway about values that no scenario sent: long ones, those of another notation, those of a repeated notification and
//! of a payer who pays twice; and lies of the status API in summer, in the evening and about many outages.

use serde_json::json;

use super::Break;
use super::status_api::{an_hour_late, every_outage};
use crate::support::proxy::{Memory, Message, ObservedRequest, Push};

pub fn all() -> Vec<Break> {
    [long(), repeated(), customers(), notations(), acknowledgements(), summers(), outages()].into_iter().flatten().collect()
}

const LONG_V1: &str = "long-values-come-back-whole / v1.0";
const LONG_V2: &str = "long-values-come-back-whole / v2.0";
const REPEATED_V1: &str = "texts-are-the-same-in-a-repeated-notification / v1.0";
const REPEATED_V2: &str = "texts-are-the-same-in-a-repeated-notification / v2.0";
const TOGETHER: &str = "current-planned-and-resolved-outages-are-listed-together";

/// Cuts a text after so many characters.
fn cut(message: &mut Message, field: &str, longest: usize) {
    let cut: String = message.get(field).chars().take(longest).collect();
    message.replace(field, cut);
}

/// Cuts a text of the status.
fn cut_in_status(asked: &ObservedRequest<'_>, message: &mut Message, field: &str, longest: usize) {
    if asked.is("status") {
        cut(message, field, longest);
    }
}

/// Counts the attempts of a notification.
fn attempt(memory: &Memory) -> usize {
    let mut memory = memory.lock().unwrap();
    let attempts = memory.entry("attempts".to_owned()).or_default();
    attempts.push('|');
    attempts.len()
}

/// Changes a text in all attempts but the first.
fn changes_when_repeated(memory: &Memory, push: &mut Push, field: &str, change: fn(String) -> String) {
    if attempt(memory) > 1 {
        let changed = change(push.message.get(field));
        push.message.replace(field, changed);
    }
}

/// Shows what was notified first.
fn as_noted_first(memory: &Memory, push: &mut Push, field: &str) {
    let first = memory.lock().unwrap().entry(field.to_owned()).or_insert_with(|| push.message.get(field)).clone();
    push.message.replace(field, first);
}

/// Takes one value of a creation for another.
fn takes(asked: &ObservedRequest<'_>, sent: &mut Message, field: &str, value: &str, other: &str) {
    if asked.is("create") && sent.get(field) == value {
        sent.set(field, other);
    }
}

fn long() -> Vec<Break> {
    breaks! {
        "a product that is cut" in LONG_V2 => "gateway.status.name.value":
            response(|asked, message| cut_in_status(asked, message, "name", 16));
        "a product that is cut in the notification" in LONG_V1 => "gateway.notification.name.value":
            push(|_, push| cut(&mut push.message, "name", 16));
        "a reference that is cut" in LONG_V1 => "gateway.status.refId.value":
            response(|asked, message| cut_in_status(asked, message, "refId", 32));
        "a reference that is cut in the notification" in LONG_V2 => "gateway.notification.refId.value":
            push(|_, push| cut(&mut push.message, "refId", 32));
        "a payer's name that is cut" in LONG_V1 => "gateway.notification.full_name.value":
            push(|_, push| cut(&mut push.message, "full_name", 30));
        "a payer's e-mail that is cut" in LONG_V2 => "gateway.status.email.value":
            response(|asked, message| cut_in_status(asked, message, "email", 50));
        "a payer's e-mail that is cut in the notification" in LONG_V1 => "gateway.notification.email.value":
            push(|_, push| cut(&mut push.message, "email", 50));
        "a payer's phone that is cut" in LONG_V1 => "gateway.status.phone.value":
            response(|asked, message| cut_in_status(asked, message, "phone", 13));
        "a payer's phone that is cut in the notification" in LONG_V2 => "gateway.notification.phone.value":
            push(|_, push| cut(&mut push.message, "phone", 13));
        "a city that is cut" in LONG_V2 => "gateway.notification.billing_addr_city.value":
            push(|_, push| cut(&mut push.message, "billing_addr_city", 20));
        "a street that is cut" in LONG_V1 => "gateway.notification.billing_addr_street.value":
            push(|_, push| cut(&mut push.message, "billing_addr_street", 32));
        "a reference of digits is rounded" in "values-that-look-like-others-come-back / many digits by v2.0"
            => "gateway.notification.refId.value":
            push(|_, push| push.message.replace("refId", "20261124000123457536"));
    }
}

fn repeated() -> Vec<Break> {
    breaks! {
        "a repeated notification in Latin-1" in REPEATED_V2 => "gateway.utf8":
            push(|memory, push| changes_when_repeated(memory, push, "full_name", |text| {
                text.chars().map(|letter| if u32::from(letter) < 256 { letter } else { '?' }).collect()
            }));
        "a repeated notification without emoji" in REPEATED_V1 => "gateway.utf8":
            push(|memory, push| changes_when_repeated(memory, push, "label", |text| text.replace('🎁', "?")));
        "a repeated notification is escaped as a page" in REPEATED_V2 => "gateway.utf8":
            push(|memory, push| changes_when_repeated(memory, push, "label", |text| text.replace('&', "&amp;")));
        "a repeated notification is escaped as a page in its reference" in REPEATED_V1 => "gateway.utf8":
            push(|memory, push| changes_when_repeated(memory, push, "refId", |text| text.replace('&', "&amp;")));
    }
}

fn customers() -> Vec<Break> {
    breaks! {
        "an e-mail has one name" in "two-payers-with-one-address-are-two-payers / v1.0" => "gateway.notification.full_name.value":
            push(|memory, push| as_noted_first(memory, push, "full_name"));
        "an e-mail has one phone" in "two-payers-with-one-address-are-two-payers / v2.0" => "gateway.notification.phone.value":
            push(|memory, push| as_noted_first(memory, push, "phone"));
        "the phone of an e-mail is the last one" in "two-payers-with-one-address-are-two-payers / v1.0" => "gateway.status.phone.value":
            response(|asked, message| if asked.is("create") {
                asked.note("phone", asked.text("phone"));
            } else if asked.is("status") {
                message.replace("phone", asked.recall("phone"));
            });
    }
}

/// Values in a notation that is not documented.
fn notations() -> Vec<Break> {
    breaks! {
        "Czech by the code of the country" in "a-language-is-none-by-the-code-of-a-country / Czechia" => "gateway.create.lang.enum":
            onward(|asked, sent| takes(asked, sent, "lang", "cz", "cs"));
        "a language with a region" in "a-language-is-none-by-the-code-of-a-country / with a region" => "gateway.create.lang.enum":
            onward(|asked, sent| if asked.is("v2.create") { takes(asked, sent, "lang", "en-US", "en") });
        "a language in capitals" in "a-language-is-none-by-the-code-of-a-country / in capitals" => "gateway.create.lang.enum":
            onward(|asked, sent| takes(asked, sent, "lang", "EN", "en"));
        "an expiry as ISO 8601 has it" in "an-expiry-in-another-notation-is-refused / ISO 8601" => "gateway.create.expirationTime.pattern":
            onward(|asked, sent| takes(asked, sent, "expirationTime", "PT1H", "1h"));
        "an expiry in full-width digits" in "an-expiry-in-another-notation-is-refused / full-width digits"
            => "gateway.create.expirationTime.pattern":
            onward(|asked, sent| takes(asked, sent, "expirationTime", "１h", "1h"));
        "an expiry in days in capitals" in "an-expiry-in-another-notation-is-refused / days in capitals"
            => "gateway.create.expirationTime.pattern":
            onward(|asked, sent| if asked.is("v2.create") { takes(asked, sent, "expirationTime", "1D", "1d") });
        "an expiry of no days is the shortest" in "an-expiry-in-another-notation-is-refused / no days"
            => "gateway.create.expirationTime.pattern":
            onward(|asked, sent| takes(asked, sent, "expirationTime", "0d", "30m"));
        "Switzerland" in "a-country-that-is-not-listed-is-refused / CH" => "gateway.create.country.enum":
            onward(|asked, sent| takes(asked, sent, "country", "CH", "ALL"));
        "Germany by three letters" in "a-country-that-is-not-listed-is-refused / three letters" => "gateway.create.country.enum":
            onward(|asked, sent| takes(asked, sent, "country", "DEU", "DE"));
        "Australian dollars" in "an-unknown-currency-has-its-code / AUD in v1.0" => "gateway.create.curr.enum":
            onward(|asked, sent| takes(asked, sent, "curr", "AUD", "USD"));
        "crowns by number" in "an-unknown-currency-has-its-code / crowns by number in v2.0" => "gateway.create.curr.enum":
            onward(|asked, sent| takes(asked, sent, "curr", "203", "CZK"));
        "a price beyond int32 is taken" in "a-price-of-2147483648-or-with-a-separator-is-refused / v1.0" => "gateway.create.price.type":
            onward(|asked, sent| takes(asked, sent, "price", "2147483648", "10000"));
        "a price with a separator of thousands" in "a-price-of-2147483648-or-with-a-separator-is-refused / v1.0"
            => "gateway.create.price.type":
            onward(|asked, sent| takes(asked, sent, "price", "10,000", "10000"));
    }
}

fn acknowledgements() -> Vec<Break> {
    breaks! {
        "422 taken for an acknowledgement" in "any-other-answer-does-not-acknowledge / 422 in v2.0" => "gateway.notification.unacknowledged":
            push(|_, push| push.message.status = 200);
        "504 taken for an acknowledgement" in "any-other-answer-does-not-acknowledge / 504 in v1.0" => "gateway.notification.unacknowledged":
            push(|_, push| push.message.status = 200);
        "501 taken for an acknowledgement" in "retries-go-on-until-acknowledged / cancelled in v1.0" => "gateway.notification.retry":
            push(|memory, push| if attempt(memory) == 11 { push.message.status = 200 });
        "402 taken for an acknowledgement" in "retries-go-on-until-acknowledged / cancelled in v2.0" => "gateway.notification.retry":
            push(|memory, push| if attempt(memory) == 7 { push.message.status = 200 });
        "451 taken for an acknowledgement" in "retries-go-on-until-acknowledged / authorized in v1.0" => "gateway.notification.retry":
            push(|memory, push| if attempt(memory) == 10 { push.message.status = 200 });
        "511 taken for an acknowledgement" in "retries-go-on-until-acknowledged / authorized in v2.0" => "gateway.notification.retry":
            push(|memory, push| if attempt(memory) == 9 { push.message.status = 200 });
    }
}

fn summers() -> Vec<Break> {
    breaks! {
        "24 hours to pay are 23 in spring" in "hours-to-pay-are-the-same-when-summer-time-changes / 24h in spring in v1.0"
            => "gateway.create.expirationTime.effect":
            onward(|asked, sent| takes(asked, sent, "expirationTime", "24h", "23h"));
        "a day in minutes is an hour longer in autumn" in "hours-to-pay-are-the-same-when-summer-time-changes / 1440m in autumn in v2.0"
            => "gateway.notification.expiry":
            onward(|asked, sent| takes(asked, sent, "expirationTime", "1440m", "1500m"));
        "the health tells summer time" in "in-summer-the-health-tells-the-time-in-utc" => "status.health.date.value":
            response(|asked, message| if asked.is("health") && message.get("date").contains("-07-") {
                message.set("date", an_hour_late(&json!(message.get("date"))));
            });
        "an outage begins in summer time" in "maintenance-of-a-far-day-is-told-as-it-is-planned / in summer"
            => "status.outages.date_from.value":
            response(|asked, message| every_outage(asked, message, "date_from", an_hour_late));
        "an outage ends in summer time" in "maintenance-of-a-far-day-is-told-as-it-is-planned / in summer"
            => "status.outages.date_to.value":
            response(|asked, message| every_outage(asked, message, "date_to", an_hour_late));
        "the health tells the time in twelve hours" in "the-health-tells-the-time-of-the-server" => "status.health.date.value":
            response(|asked, message| if asked.is("health") { message.set("date", message.get("date").replace("T17:", "T05:")) });
    }
}

/// A record that is listed before it is published.
fn announced(asked: &ObservedRequest<'_>, message: &mut Message) {
    if asked.is("outages") {
        let (now, then) = ("2026-01-15T11:00:00Z", "2099-01-15T14:00:00Z");
        let mut record = json!({ "id": 77, "date_from": now, "date_to": then, "date_published": then, "methods": ["BANK_CZ_RB"] });
        for text in ["name_cs", "name_sk", "name_en", "detail_cs", "detail_sk", "detail_en"] {
            record[text] = json!("Údržba");
        }
        record["type"] = json!("QR_CODE");
        record["scheduled"] = json!(false);
        message.records(|records| records.push(record));
    }
}

fn outages() -> Vec<Break> {
    breaks! {
        "three outages at most" in TOGETHER => "status.outages.planned":
            response(|asked, message| if asked.is("outages") { message.records(|records| records.truncate(3)) });
        "the last three outages alone" in TOGETHER => "status.outages.resolved":
            response(|asked, message| if asked.is("outages") { message.records(|records| records.retain(|record| record["id"] != 1)) });
        "maintenance alone, where there is any" in TOGETHER => "status.outages.current":
            response(|asked, message| if asked.is("outages") { message.records(|records| records.retain(|record| record["scheduled"] == true)) });
        "an outage is listed before it is published" in "an-outage-of-the-gateway-is-listed" => "status.outages.date_published.value":
            response(announced);
    }
}
