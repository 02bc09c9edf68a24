//! Lies about payments beside others of the same order, series, symbol or payer, and about what a refused call leaves behind.

use super::Break;
use crate::support::MAIN;
use crate::support::proxy::{Message, ObservedRequest};

pub fn all() -> Vec<Break> {
    [redirects(), series(), refusals(), afterwards(), releases(), terminals(), kinds(), orders()].into_iter().flatten().collect()
}

/// Where a response sends the payer.
fn location(message: &Message) -> Option<String> {
    message.headers.get("location").map(|page| page.to_str().unwrap().to_owned())
}

/// Sends every payer to the page of the first payment.
fn to_the_first(asked: &ObservedRequest<'_>, message: &mut Message) {
    if (asked.is("create") || asked.is("paymentRedirect"))
        && let Some(page) = location(message)
    {
        let first = asked.noted("page", page);
        message.header("location", &first);
    }
}

const ERROR: &str = "<h1>This payment cannot be created</h1>";
const SCRIPTS: &str = "a-redirect-creation-counts-the-label-in-characters";

/// What is known of creations in the background, of those by redirect.
fn redirects() -> Vec<Break> {
    breaks! {
        "a second creation by redirect with the same values is taken for the first"
            in "two-redirects-with-the-same-values-are-two-payments / v1.0" => "gateway.create.refId.repeated":
            response(to_the_first);
        "a second creation by redirect in v2.0 with the same values is taken for the first"
            in "two-redirects-with-the-same-values-are-two-payments / v2.0" => "gateway.create.refId.repeated":
            response(to_the_first);
        "a second creation by redirect with the same values is cancelled with the first"
            in "two-redirects-with-the-same-values-are-two-payments / v2.0" => "gateway.create.answer.transId.unique":
            response(|asked, message| if asked.is("cancel") {
                asked.first_time("cancelled");
            } else if asked.is("v2.status") && message.get("status") == "PENDING" && asked.knows("cancelled") {
                message.set("status", "CANCELLED");
            });
        "an initiation that is none by redirect" in "a-redirect-creation-that-says-no-is-an-ordinary-payment / production in v1.0"
            => "gateway.create.initRecurring.type":
            onward(|asked, sent| if asked.is("create") { sent.set("initRecurring", "true") });
        "an initiation that is none by redirect in v2.0"
            in "a-redirect-creation-that-says-no-is-an-ordinary-payment / production in v2.0"
            => "gateway.create.initRecurring.type":
            onward(|asked, sent| if asked.is("paymentRedirect") { sent.set("initRecurring", true) });
        "a label by redirect is counted in bytes" in SCRIPTS => "gateway.create.label.characters":
            response(|asked, message| if asked.text("label").len() > 16 { message.becomes_a_page(200, ERROR) });
        "a label by redirect has no limit in another script" in SCRIPTS => "gateway.create.label.characters":
            response(|asked, message| if asked.text("label").chars().count() > 16 {
                message.becomes_a_redirect("/ZZZZ-0000-0001");
            });
        "a label by redirect of one character" in SCRIPTS => "gateway.create.label.min":
            response(|asked, message| if asked.text("label").len() == 1 { message.becomes_a_page(200, ERROR) });
        "ALL is no country of a creation by redirect"
            in "a-redirect-creation-in-another-currency-has-any-other-country / USD for ALL in v2.0"
            => "gateway.create.country.others":
            response(|asked, message| if asked.text("country") == "ALL" { message.becomes_a_page(200, ERROR) });
        "dollars by redirect are for the United States"
            in "a-redirect-creation-in-another-currency-has-any-other-country / USD for DE in v1.0"
            => "gateway.create.country.others":
            response(|asked, message| if asked.text("country") == "DE" { message.becomes_a_page(200, ERROR) });
        "forints by redirect are for Hungary"
            in "a-redirect-creation-in-another-currency-has-any-other-country / HUF for AT in v2.0"
            => "gateway.create.country.others":
            response(|asked, message| if asked.text("country") == "AT" { message.becomes_a_page(200, ERROR) });
    }
}

/// Changes what the status shows of an initiation once its series has a recurring payment.
fn of_the_initiation(asked: &ObservedRequest<'_>, message: &mut Message, field: &str, value: &str) {
    if asked.is("recurring") {
        asked.first_time("repeated");
    } else if asked.is("v2.status") && message.get("label") == "First ball" && asked.knows("repeated") {
        message.replace(field, value);
    }
}

/// Notes the identifier of the last initiation.
fn note_series(asked: &ObservedRequest<'_>, message: &mut Message) {
    if asked.is("create") {
        asked.note("series", message.get("transId"));
    }
}

/// Takes a recurring payment for one of the last initiation.
fn to_the_last_series(asked: &ObservedRequest<'_>, sent: &mut Message) {
    if asked.is("recurring") {
        sent.set("initRecurringId", asked.recall("series"));
    }
}

/// What a recurring payment takes from its initiation, or leaves there.
fn series() -> Vec<Break> {
    breaks! {
        "an initiation has the price of the last recurring payment" in "an-initiation-payment-keeps-its-own-values / v1.0"
            => "gateway.status.price.value":
            response(|asked, message| of_the_initiation(asked, message, "price", "4000"));
        "an initiation in production has what was paid in its series"
            in "an-initiation-payment-keeps-its-own-values / production in v2.0"
            => "gateway.status.price.value":
            response(|asked, message| of_the_initiation(asked, message, "price", "16500"));
        "a recurring payment has the price of the one after it" in "an-initiation-payment-keeps-its-own-values / v2.0"
            => "gateway.status.price.value":
            response(|asked, message| if asked.is("v2.status") && message.get("price") == "2500" { message.set("price", "4000") });
        "an initiation has no method once it was repeated" in "an-initiation-payment-keeps-its-own-values / v1.0"
            => "gateway.status.method.value":
            response(|asked, message| of_the_initiation(asked, message, "method", "ALL"));
        "an initiation has another payer once it was repeated" in "an-initiation-payment-keeps-its-own-values / production in v1.0"
            => "gateway.status.payerName.value":
            response(|asked, message| of_the_initiation(asked, message, "payerName", "Jan Novák"));
        "the card of an initiation has another expiry once it was repeated" in "an-initiation-payment-keeps-its-own-values / v2.0"
            => "gateway.status.card":
            response(|asked, message| of_the_initiation(asked, message, "cardValid", "01/31"));
        "a recurring payment is of the payer of the last series" in "each-series-is-of-its-own-payer / v1.0"
            => "gateway.notification.email.value":
            onward(to_the_last_series), response(note_series);
        "a recurring production payment is of the payer of the last series"
            in "each-series-is-of-its-own-payer / production in v2.0" => "gateway.notification.email.value":
            onward(to_the_last_series), response(note_series);
        "a recurring payment of the second series is of the first payer" in "each-series-is-of-its-own-payer / v2.0"
            => "gateway.status.email.value":
            response(|asked, message| if asked.is("recurring") {
                asked.first_time("repeated");
            } else if asked.is("v2.status") && asked.knows("repeated") {
                message.replace("email", "rehor.stastny@example.com");
            });
    }
}

const READING: &str = "a-refused-reading-shows-nothing-of-the-payment / v1.0";
const WRONG: &str = "a-status-for-a-wrong-secret-shows-nothing-of-the-payment / v1.0";

/// Refuses a status in the code, and shows a field of the payment all the same.
fn shows(asked: &ObservedRequest<'_>, message: &mut Message, field: &str, value: &str) {
    if asked.is("status") && !message.succeeds() {
        message.set(field, value);
    }
}

/// What is refused, and shown or done all the same.
fn refusals() -> Vec<Break> {
    breaks! {
        "a foreign status that is refused shows the e-mail of the payer" in READING => "gateway.access.foreign":
            response(|asked, message| if asked.credentials.0 != MAIN.0 { shows(asked, message, "email", "private@example.com") });
        "a foreign status in v2.0 that is refused shows the order" in "a-refused-reading-shows-nothing-of-the-payment / v2.0"
            => "gateway.access.foreign":
            response(|asked, message| if asked.is("v2.status") && asked.credentials.0 != MAIN.0 {
                shows(asked, message, "label", "Private ball");
            });
        "a status for a wrong secret shows the phone of the payer" in WRONG => "gateway.v1.credentials":
            response(|asked, message| if asked.is("v1.status") && asked.credentials.0 == MAIN.0 {
                shows(asked, message, "phone", "+420602000001");
            });
        "a status in v2.0 for a wrong secret shows the name of the payer" in WRONG => "gateway.v2.credentials":
            response(|asked, message| if asked.is("v2.status") && asked.credentials.0 == MAIN.0 {
                shows(asked, message, "payerName", "Žofie Malá");
            });
        "an empty test makes a test refund of a test payment" in "a-test-payment-is-not-refunded-when-test-is-empty / v1.0"
            => "gateway.refund.test.only":
            response(|asked, message| if asked.is("refund") && asked.has("test") && asked.text("test").is_empty() {
                message.accept();
            });
        "a refused cancellation is the reason of a failure" in "a-refused-cancellation-is-not-the-reason / v1.0"
            => "gateway.status.paymentErrorReason.value":
            response(|asked, message| if asked.is("cancel") {
                asked.first_time("tried");
            } else if asked.is("v2.status") && asked.knows("tried") {
                message.replace("paymentErrorReason", "ESHOP_CANCELLED");
            });
        "a refused cancellation is the reason where the payer gave up"
            in "a-refused-cancellation-is-not-the-reason / production in v2.0"
            => "gateway.status.paymentErrorReason.value":
            response(|asked, message| if asked.is("v2.status") && message.get("paymentErrorReason") == "CUSTOMER_CLICK" {
                message.set("paymentErrorReason", "ESHOP_CANCELLED");
            });
        "a refused refund takes the reason of a failure away" in "a-refused-cancellation-is-not-the-reason / v2.0"
            => "gateway.status.paymentErrorReason.value":
            response(|asked, message| if asked.is("refund") {
                asked.first_time("tried");
            } else if asked.is("v2.status") && asked.knows("tried") {
                message.replace("paymentErrorReason", "NOT_SPECIFIED");
            });
    }
}

/// Refuses a call about a payment of which another call was refused before.
fn barred(asked: &ObservedRequest<'_>, message: &mut Message, by: &str, call: &str) {
    if asked.is(by) && !message.succeeds() {
        asked.note("barred", asked.text("transId"));
    } else if asked.is(call) && asked.recall("barred") == asked.text("transId") {
        message.refuse(1400);
    }
}

/// Changes a field of the status once the payment has a refund.
fn once_refunded(asked: &ObservedRequest<'_>, message: &mut Message, field: &str, value: &str) {
    if asked.is("refund") {
        asked.first_time("refunded");
    } else if asked.is("v2.status") && asked.knows("refunded") {
        message.replace(field, value);
    }
}

/// What a call takes away from a payment, refused or not.
fn afterwards() -> Vec<Break> {
    breaks! {
        "no refund after a capture that was refused" in "what-was-refused-takes-nothing-away / v1.0" => "gateway.refund.partial":
            response(|asked, message| barred(asked, message, "capturePreauth", "refund"));
        "no refund of a production payment after a release that was refused"
            in "what-was-refused-takes-nothing-away / production in v2.0"
            => "gateway.refund.partial":
            response(|asked, message| barred(asked, message, "cancelPreauth", "refund"));
        "no release after a capture that was refused" in "a-refused-capture-leaves-the-money-reserved / v2.0" => "gateway.payment.released":
            response(|asked, message| barred(asked, message, "capturePreauth", "cancelPreauth"));
        "a payment by bank has another account of its payer once it is refunded"
            in "a-refund-leaves-how-and-by-whom-it-was-paid / production in v1.0" => "gateway.status.payerAcc.value":
            response(|asked, message| once_refunded(asked, message, "payerAcc", "1/0100"));
        "a payment by bank has another payer once it has a test refund" in "a-refund-leaves-how-and-by-whom-it-was-paid / v2.0"
            => "gateway.status.payerName.value":
            response(|asked, message| once_refunded(asked, message, "payerName", "Jan Novák"));
        "a payment by bank has another method once it is refunded"
            in "a-refund-leaves-how-and-by-whom-it-was-paid / production in v2.0"
            => "gateway.status.method.value":
            response(|asked, message| once_refunded(asked, message, "method", "ALL"));
    }
}

/// Pre-authorizations that never reached AUTHORIZED.
fn releases() -> Vec<Break> {
    breaks! {
        "a rejected pre-authorization is released" in "what-never-was-authorized-has-nothing-to-release / v1.0"
            => "gateway.cancelPreauth.only-authorized":
            response(|asked, message| if asked.is("cancelPreauth") && asked.first_time("released") { message.accept() });
        "a production pre-authorization that was given up is released"
            in "what-never-was-authorized-has-nothing-to-release / production in v2.0" => "gateway.cancelPreauth.only-authorized":
            response(|asked, message| if asked.is("cancelPreauth") && !asked.first_time("released") { message.accept() });
        "an expired pre-authorization is released" in "an-expired-pre-authorization-is-over / v2.0"
            => "gateway.cancelPreauth.only-authorized":
            response(|asked, message| if asked.is("cancelPreauth") { message.accept() });
        "an expired pre-authorization is cancelled"
            in "an-expired-pre-authorization-is-over / v1.0" => "gateway.cancel.not-pending":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "no release of what was authorized days ago" in "an-authorized-payment-is-released-days-later / v1.0"
            => "gateway.payment.released":
            response(|asked, message| if asked.is("cancelPreauth") { message.refuse(1400) });
        "no release of production money that was reserved days ago"
            in "an-authorized-payment-is-released-days-later / production in v2.0" => "gateway.payment.released":
            response(|asked, message| if asked.is("cancelPreauth") { message.refuse(1400) });
    }
}

/// The merchant whose credentials a call carries.
fn merchant(asked: &ObservedRequest<'_>) -> String {
    asked.credentials.0.clone()
}

/// Terminal payments that are known by their variable symbol alone.
fn terminals() -> Vec<Break> {
    breaks! {
        "a terminal payment has the refunds of another merchant's" in "terminal-payments-of-two-merchants-are-refunded-apart / v1.0"
            => "gateway.refundPos.full":
            response(|asked, message| if asked.is("refundPos") && asked.noted("shop", merchant(asked)) != merchant(asked) {
                message.refuse(1402);
            });
        "a terminal payment is refunded up to the amount of another merchant's"
            in "terminal-payments-of-two-merchants-are-refunded-apart / v2.0" => "gateway.refundPos.amount.part":
            response(|asked, message| if asked.text("amount") == "7001" { message.accept() });
        "a terminal payment has the refunds of the day before" in "terminal-payments-of-two-days-are-refunded-apart / v2.0"
            => "gateway.refundPos.full":
            response(|asked, message| if asked.is("refundPos") && asked.noted("day", asked.text("date")) != asked.text("date") {
                message.refuse(1402);
            });
        "a terminal payment is refunded up to the amount of the day before"
            in "terminal-payments-of-two-days-are-refunded-apart / v1.0"
            => "gateway.refundPos.amount.part":
            response(|asked, message| if asked.text("amount") == "5001" { message.accept() });
        "a terminal payment of the day before has no refunds of its own"
            in "terminal-payments-of-two-days-are-refunded-apart / v2.0"
            => "gateway.refundPos.amount.part":
            response(|asked, message| if asked.text("amount") == "6001" { message.accept() });
    }
}

/// Payments of some kind that have an account, or the address of which every recurring payment is cancelled.
fn kinds() -> Vec<Break> {
    breaks! {
        "no account of a pre-authorization" in "an-account-is-kept-by-a-payment-of-any-kind / pre-authorization in v1.0"
            => "gateway.create.account.accepted":
            response(|asked, message| if asked.is("create") && asked.has("account") { message.refuse(1311) });
        "no account of a verification" in "an-account-is-kept-by-a-payment-of-any-kind / verification in v2.0"
            => "gateway.create.account.accepted":
            response(|asked, message| if asked.is("create") && asked.has("account") { message.refuse(1311) });
        "a pre-authorization is notified with the default account"
            in "an-account-is-kept-by-a-payment-of-any-kind / pre-authorization in v2.0" => "gateway.notification.account.value":
            push(|_, push| push.message.replace("account", "cz-main"));
        "a verification shows the default account" in "an-account-is-kept-by-a-payment-of-any-kind / verification in v1.0"
            => "gateway.status.account.value":
            response(|asked, message| if asked.is("v2.status") { message.replace("account", "cz-main") });
        "an ordinary payment of the test address is cancelled"
            in "payments-of-the-test-address-that-start-no-series-are-paid / v1.0"
            => "gateway.payment.created":
            response(|asked, message| if asked.is("v2.status") { message.replace("status", "CANCELLED") });
        "a pre-authorization of the test address is cancelled"
            in "payments-of-the-test-address-that-start-no-series-are-paid / v2.0"
            => "gateway.payment.created":
            response(|asked, message| if asked.is("create") {
                asked.note("reserved", asked.text("preauth"));
            } else if asked.is("v2.status") && asked.recall("reserved") == "true" {
                message.replace("status", "CANCELLED");
            });
    }
}

const ORDER: &str = "two-payments-of-one-order-are-paid-apart / v1.0";

/// Payments with the same reference that are taken for one, and a kind of payment that is not looked at.
fn orders() -> Vec<Break> {
    breaks! {
        "who pays one payment of an order pays the other" in ORDER => "gateway.create.refId.repeated":
            response(|asked, message| if asked.is("create") {
                asked.note("last", message.get("transId"));
            } else if asked.is("v2.status") && asked.text("transId") == asked.recall("last") {
                message.replace("status", "PAID");
            });
        "no further payment of an order that was paid" in "two-payments-of-one-order-are-paid-apart / production in v2.0"
            => "gateway.create.refId.repeated":
            response(|asked, message| if asked.is("refund") {
                asked.first_time("paid");
            } else if asked.is("create") && asked.knows("paid") {
                message.refuse(1400);
            });
        "the second payment of an order is not refunded" in "two-payments-of-one-order-are-paid-apart / v2.0"
            => "gateway.create.refId.repeated":
            response(|asked, message| if asked.is("refund") && !asked.first_time("refunded") { message.refuse(1402) });
        "a capture takes the other pre-authorizations of its order" in "two-pre-authorizations-of-one-order-end-apart / v1.0"
            => "gateway.create.refId.repeated":
            response(|asked, message| if asked.is("capturePreauth") {
                asked.first_time("captured");
            } else if asked.is("v2.status") && asked.knows("captured") {
                message.replace("status", "PAID");
            });
        "a release ends the other pre-authorizations of its order"
            in "two-pre-authorizations-of-one-order-end-apart / production in v2.0"
            => "gateway.payment.captured":
            response(|asked, message| if asked.is("cancelPreauth") {
                asked.first_time("released");
            } else if asked.is("capturePreauth") && asked.knows("released") {
                message.refuse(1400);
            });
        "no release beside a capture of the same order" in "two-pre-authorizations-of-one-order-end-apart / v2.0"
            => "gateway.payment.released":
            response(|asked, message| if asked.is("cancelPreauth") { message.refuse(1400) });
        "a verification in forints that ends with 50" in "a-verification-payment-in-forints-ends-with-00 / v1.0"
            => "gateway.create.price.hundreds.HUF":
            response(|asked, message| if asked.text("price") == "250050" { message.accept_creation() });
        "a verification in forints that ends with 01" in "a-verification-payment-in-forints-ends-with-00 / v2.0"
            => "gateway.create.price.hundreds.HUF":
            response(|asked, message| if asked.text("price") == "250001" { message.accept_creation() });
    }
}
