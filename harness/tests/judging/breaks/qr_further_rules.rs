//! QR payments that are right where one looks first: by winter time, in crowns, for a few refunds, for whole amounts and for bodies that
//! are merely incomplete.

use std::cmp::Reverse;

use serde_json::Value;

use super::Break;
use crate::support::proxy::{Message, ObservedRequest};

const SUMMER: &str = "times-in-summer-are-no-hour-off";
const SYMBOL: &str = "a-variable-symbol-is-not-in-the-code";
const OWN: &str = "a-refund-belongs-to-its-payment / euros";
const BLANK: &str = "qr / create-holds-its-limits / variableSymbol: of 129 characters, the last ones blank";

pub fn all() -> Vec<Break> {
    [times(), codes(), names(), refunds(), tests(), creations(), further_bodies()].into_iter().flatten().collect()
}

/// Moves a time of the summer day to another hour.
fn at_another_hour(asked: &ObservedRequest<'_>, message: &mut Message, call: &str, field: &str, day: &str, hour: &str) {
    if asked.is(call) {
        message.replace(field, message.get(field).replace(&format!("{day}T12:"), &format!("{day}T{hour}:")));
    }
}

fn times() -> Vec<Break> {
    breaks! {
        "a token lasts an hour longer by summer time" in SUMMER => "qr.authenticate.expiry.value":
            response(|asked, message| at_another_hour(asked, message, "qr.authenticate", "expiry", "-07-01", "13"));
        "a token ends an hour earlier by summer time" in SUMMER => "qr.authenticate.expiry.value":
            response(|asked, message| at_another_hour(asked, message, "qr.authenticate", "expiry", "-07-01", "11"));
        "a payment waits an hour longer by summer time" in SUMMER => "qr.change-method.expiration.value":
            response(|asked, message| at_another_hour(asked, message, "qr.change-method", "expiration", "-07-01", "13"));
        "a payment waits an hour less by summer time" in SUMMER => "qr.change-method.expiration.value":
            response(|asked, message| at_another_hour(asked, message, "qr.change-method", "expiration", "-07-01", "11"));
        "an extension is told by summer time" in SUMMER => "qr.change-method.not-shortened":
            response(|asked, message| at_another_hour(asked, message, "qr.extend", "expiration", "-07-08", "13"));
        "an extended payment is timed out by its provider" in "an-extension-lasts-seven-days / crowns" => "qr.status.reason.customer-timeout":
            response(|asked, message| if asked.is("qr.status") { message.replace("paymentRejectedReason", "Provider timeout") });
    }
}

/// Appends to the code of a payment in crowns whose symbol this holds for.
fn appended(asked: &ObservedRequest<'_>, message: &mut Message, holds: fn(&str) -> bool, part: fn(&str) -> String) {
    let (symbol, code) = (asked.text("variableSymbol"), message.get("paymentData"));
    if asked.is("qr.create") && holds(&symbol) && code.starts_with("SPD") {
        message.set("paymentData", format!("{code}*{}", part(&symbol)));
    }
}

fn codes() -> Vec<Break> {
    breaks! {
        "a text of the operator is the message, in capitals and without accents" in SYMBOL => "qr.create.variableSymbol.not-in-code":
            response(|asked, message| {
                let capitals = |symbol: &str| format!("MSG:{}", symbol.replace('ů', "u").to_ascii_uppercase());
                appended(asked, message, |symbol| symbol.contains('ů'), capitals);
            });
        "a text of plain letters is the message" in SYMBOL => "qr.create.variableSymbol.not-in-code":
            response(|asked, message| {
                let is_plain = |symbol: &str| symbol.is_ascii() && symbol.contains("sedm");
                appended(asked, message, is_plain, |symbol| format!("MSG:{}", symbol[..10].to_ascii_uppercase()));
            });
        "a number in a text is the specific symbol" in SYMBOL => "qr.create.variableSymbol.not-in-code":
            response(|asked, message| appended(asked, message, |symbol| symbol.starts_with("Patro"), |_| "X-SS:2026000123".to_owned()));
        "of a long symbol the beginning is in the code" in SYMBOL => "qr.create.variableSymbol.not-in-code":
            response(|asked, message| if asked.is("qr.create") && asked.text("variableSymbol").len() == 11 {
                message.replace("paymentData", "SPD*1.0*ACC:CZ6508000000192000145399*AM:123.45*CC:CZK*X-VS:2026000123");
            });
        "of a long symbol for euros the beginning is in the code" in "a-variable-symbol-is-not-in-a-euro-code"
            => "qr.create.variableSymbol.not-in-code":
            response(|asked, message| if asked.is("qr.create") && asked.text("variableSymbol").len() == 11 {
                let data = message.get("paymentData");
                let mut lines: Vec<&str> = data.lines().collect();
                if lines.first() == Some(&"BCD") {
                    lines.resize(11, "");
                    (lines[9], lines[10]) = ("", "2026000123");
                    message.set("paymentData", lines.join("\n"));
                }
            });
    }
}

fn names() -> Vec<Break> {
    breaks! {
        "the names of methods for euros are Czech" in "names-for-euros-are-in-the-language-asked-for / by the country"
            => "qr.methods.lang.effect":
            onward(|asked, sent| if asked.is("qr.methods") { sent.remove("lang") });
        "where both methods are asked for, their names are Czech" in "names-for-euros-are-in-the-language-asked-for / both"
            => "qr.methods.lang.effect":
            onward(|asked, sent| if asked.text("bothEurQr") == "true" { sent.remove("lang") });
        "a picture is named by its file alone" in "a-method-has-every-field / CZK" => "qr.methods.logo.type":
            response(|asked, message| if let Some(Value::Array(methods)) = message.fields.get_mut("methods").filter(|_| asked.is("qr.methods")) {
                methods.iter_mut().for_each(|method| method["logo"] = "transfer.png".into());
            });
    }
}

/// Changes the list of refunds.
fn listed(asked: &ObservedRequest<'_>, message: &mut Message, change: impl FnOnce(&mut Vec<Value>)) {
    if let Some(Value::Array(refunds)) = message.fields.get_mut("refunds").filter(|_| asked.is("qr.status")) {
        change(refunds);
    }
}

fn refunds() -> Vec<Break> {
    breaks! {
        "fifty refunds are listed at most" in "a-payment-lists-sixty-refunds / crowns" => "qr.status.refunds.transRefundId.recovered":
            response(|asked, message| listed(asked, message, |refunds| refunds.truncate(50)));
        "the last ten refunds in euros are listed" in "a-payment-lists-sixty-refunds / euros" => "qr.status.refunds.transRefundId.recovered":
            response(|asked, message| listed(asked, message, |refunds| _ = refunds.drain(..refunds.len().saturating_sub(10))));
        "the newest of many refunds is listed first" in "a-payment-lists-sixty-refunds / crowns" => "qr.status.refunds.order":
            response(|asked, message| listed(asked, message, |refunds| if refunds.len() == 60 { refunds.reverse() }));
        "the refund that was created last by its own time is listed first" in "refunds-are-listed-in-their-order"
            => "qr.status.refunds.order":
            response(|asked, message| if asked.is("refund.create") {
                asked.note(&message.get("transRefundId"), asked.text("created"));
            } else {
                listed(asked, message, |refunds| {
                    refunds.sort_by_key(|refund| Reverse(asked.recall(refund["transRefundId"].as_str().unwrap_or_default())));
                });
            });
        "that there is no such refund is told before whose payment it is" in "a-foreign-payment-is-answered-403" => "qr.errors.403":
            response(|asked, message| if asked.is("qr.create") {
                asked.first_time(&message.get("transId"));
            } else if asked.is("refund.status") && asked.knows(&asked.text("transRefundId")) {
                message.objects(asked, 404, "");
            });
        "any refund is read under a payment that has one" in OWN => "qr.refund.path":
            response(|asked, message| if asked.is("refund.create") && message.fulfils() {
                // The second one is that of the other payment.
                if !asked.first_time("refunded") {
                    asked.first_time("both refunded");
                }
            } else if asked.is("refund.status") && asked.knows("both refunded") {
                message.grant(asked);
            });
    }
}

/// Answers a test refund that is over as cancelled.
fn is_cancelled(asked: &ObservedRequest<'_>, message: &mut Message) {
    if asked.is("refund.status") && message.get("status") == "REFUNDED" {
        message.set("status", "CANCELLED");
    }
}

/// Answers a test payment that is over as paid.
fn is_paid(asked: &ObservedRequest<'_>, message: &mut Message) {
    if asked.is("qr.status") && message.get("status") == "CANCELLED" {
        message.set("status", "PAID");
        message.remove("paymentRejectedReason");
    }
}

fn tests() -> Vec<Break> {
    breaks! {
        "a test refund of 10 minor units is cancelled" in "a-test-refund-ends-by-itself / 0.10 CZK" => "qr.test.refund.refunded":
            response(is_cancelled);
        "a test refund of 1 major unit is cancelled" in "a-test-refund-ends-by-itself / 1 CZK" => "qr.test.refund.refunded":
            response(is_cancelled);
        "a test refund that ends in 1 minor unit is cancelled" in "a-test-refund-ends-by-itself / 1.01 CZK" => "qr.test.refund.refunded":
            response(is_cancelled);
        "a test refund of 1 euro is cancelled" in "a-test-refund-ends-by-itself / 1 EUR" => "qr.test.refund.refunded": response(is_cancelled);
        "cents do not count in the threshold" in "a-test-payment-above-the-threshold-is-cancelled / 80.50 EUR" => "qr.test.cancelled":
            response(is_paid);
        "hellers do not count in the threshold" in "a-test-payment-above-the-threshold-is-cancelled / 2 000.50 CZK" => "qr.test.cancelled":
            response(is_paid);
    }
}

/// Whether a field is sent as null.
fn is_null(asked: &ObservedRequest<'_>, field: &str) -> bool {
    asked.fields.get(field) == Some(&Value::Null)
}

/// Whether a field is sent as a truth value.
fn is_flag(asked: &ObservedRequest<'_>, field: &str) -> bool {
    asked.fields.get(field).is_some_and(Value::is_boolean)
}

fn creations() -> Vec<Break> {
    breaks! {
        "a creation takes null for crowns" in "qr / create-holds-its-limits / currency: null" => "qr.create.currency.required":
            response(|asked, message| if is_null(asked, "currency") { message.grant(asked) });
        "a creation takes no method for any" in "qr / create-holds-its-limits / method: empty" => "qr.create.method.required":
            response(|asked, message| if asked.has("method") && asked.text("method").is_empty() { message.grant(asked) });
        "a creation takes a method of null for any" in "qr / create-holds-its-limits / method: null" => "qr.create.method.required":
            response(|asked, message| if is_null(asked, "method") { message.grant(asked) });
        "a creation takes an amount of null" in "qr / create-holds-its-limits / amount: null" => "qr.create.amount.required":
            response(|asked, message| if is_null(asked, "amount") { message.grant(asked) });
        "a creation takes true for 1" in "qr / create-holds-its-limits / amount: a truth value" => "qr.create.amount.type":
            response(|asked, message| if is_flag(asked, "amount") { message.grant(asked) });
        "a creation takes a currency in lower case" in "qr / create-holds-its-limits / currency: a currency in lower case"
            => "qr.create.currency.format":
            response(|asked, message| if asked.text("currency") == "czk" { message.grant(asked) });
        "a creation was made yesterday" in "qr / create-holds-its-limits / created: a word" => "qr.create.created.format":
            response(|asked, message| if asked.text("created") == "yesterday" { message.grant(asked) });
        "a symbol is as long as it is without its blanks" in BLANK => "qr.create.variableSymbol.max":
            response(|asked, message| if asked.text("variableSymbol").ends_with(' ') { message.grant(asked) });
    }
}

fn further_bodies() -> Vec<Break> {
    breaks! {
        "the methods for null are those for crowns" in "method-list-holds-its-limits / currency: null" => "qr.methods.currency.required":
            response(|asked, message| if is_null(asked, "currency") { message.grant(asked) });
        "the methods for an amount of null" in "method-list-holds-its-limits / amount: null" => "qr.methods.amount.required":
            response(|asked, message| if is_null(asked, "amount") { message.grant(asked) });
        "the methods for true are those for 1" in "method-list-holds-its-limits / amount: a truth value" => "qr.methods.amount.type":
            response(|asked, message| if is_flag(asked, "amount") { message.grant(asked) });
        "the methods for a currency in lower case" in "method-list-holds-its-limits / currency: a currency in lower case"
            => "qr.methods.currency.enum":
            response(|asked, message| if asked.text("currency") == "czk" { message.grant(asked) });
        "a change to null keeps the method" in "change-method-holds-its-limits / method: null" => "qr.change-method.method.required":
            response(|asked, message| if is_null(asked, "method") { message.grant(asked) });
        "a change to nothing keeps the method" in "change-method-holds-its-limits / method: empty" => "qr.change-method.method.required":
            response(|asked, message| if asked.has("method") && asked.text("method").is_empty() { message.grant(asked) });
        "a refund was created at no time" in "qr / refund-holds-its-limits / created: empty" => "qr.refund.created.required":
            response(|asked, message| if asked.has("created") && asked.text("created").is_empty() { message.grant(asked) });
        "a refund was created at null" in "qr / refund-holds-its-limits / created: null" => "qr.refund.created.required":
            response(|asked, message| if is_null(asked, "created") { message.grant(asked) });
        "a refund was created yesterday" in "qr / refund-holds-its-limits / created: a word" => "qr.refund.created.format":
            response(|asked, message| if asked.text("created") == "yesterday" { message.grant(asked) });
        "a refund of null is one of all" in "qr / refund-holds-its-limits / amount: null" => "qr.refund.amount.required":
            response(|asked, message| if is_null(asked, "amount") { message.grant(asked) });
        "a refund of true is one of 1" in "qr / refund-holds-its-limits / amount: a truth value" => "qr.refund.amount.type":
            response(|asked, message| if is_flag(asked, "amount") { message.grant(asked) });
    }
}
