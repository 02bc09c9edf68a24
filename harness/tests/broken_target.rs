//! Each rule is broken once, by a proxy between the harness and an emulator that keeps all of them.
//! Every break must be found, and the finding must name the clause that was broken.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod support;

use std::sync::Arc;
use std::time::Duration;

use harness::event::InstanceFinished;
use harness::runner::Instance;
use harness::scenario::Verb;
use harness::verdict::Verdict;
use serde_json::{Value, json};
use support::proxy::{Ending, Memory, Message, Push, Tamper};
use support::{emulator, findings, judge_through, sentence, shipped, story, troubles};
use tokio::sync::OnceCell;

/// One way to break one rule.
struct Break {
    /// What the target does wrong.
    name: &'static str,
    /// The instance that must notice.
    instance: &'static str,
    /// The clause that must come first in a finding.
    clause: &'static str,
    tamper: Tamper,
}

// Instances that many breaks share.
const READ_V1: &str = "a-paid-payment-is-notified-and-reads-as-paid / v1.0";
const READ_V2: &str = "a-paid-payment-is-notified-and-reads-as-paid / v2.0";
const FAILED_V2: &str = "a-failed-payment-tells-the-reason / NO_FUNDS in v2.0";
const PREFERENCE: &str = "a-3d-secure-preference-is-told-with-its-effect / FORCE";
const TEXTS_V1: &str = "texts-come-back-as-they-were-sent / Czech by v1.0";
const TEXTS_V2: &str = "texts-come-back-as-they-were-sent / Czech by v2.0";
const REFUSED_V1: &str = "a-price-too-high-has-its-code / v1.0";
const REFUSED_V2: &str = "a-price-too-high-has-its-code / v2.0";

macro_rules! breaks {
    ($($name:literal in $instance:expr => $clause:literal: $kind:ident($closure:expr);)*) => {
        vec![$(Break { name: $name, instance: $instance, clause: $clause, tamper: breaks!(@$kind $closure) }),*]
    };
    (@answer $closure:expr) => { Tamper { answer: Some($closure), ..Tamper::default() } };
    (@push $closure:expr) => { Tamper { push: Some($closure), ..Tamper::default() } };
    (@instead $closure:expr) => { Tamper { instead: Some($closure), ..Tamper::default() } };
    (@silence $closure:expr) => {
        Tamper { answer: Some($closure), timeout: Some(Duration::from_millis(300)), ..Tamper::default() }
    };
}

/// Answers whose form is wrong.
fn malformed_answers() -> Vec<Break> {
    breaks! {
        "a required field is missing in the status" in READ_V2 => "gateway.status.refId.required":
            answer(|asked, told| if asked.is("v2.status") { told.remove("refId") });
        "the status lacks its state" in READ_V2 => "gateway.status.status.required":
            answer(|asked, told| if asked.is("v2.status") { told.remove("status") });
        "the status lacks the e-mail" in READ_V2 => "gateway.status.email.required":
            answer(|asked, told| if asked.is("v2.status") { told.remove("email") });
        "a string is a number" in READ_V2 => "gateway.status.price.type":
            answer(|asked, told| if asked.is("v2.status") { told.replace("price", 12300) });
        "a string is a boolean" in READ_V2 => "gateway.status.test.enum":
            answer(|asked, told| if asked.is("v2.status") { told.replace("test", true) });
        "a boolean is a string" in PREFERENCE => "gateway.status.threeDSApplied.type":
            answer(|asked, told| if asked.is("v2.status") { told.replace("threeDSApplied", "true") });
        "one of two fields that come together" in PREFERENCE => "gateway.status.threeDSApplied.together":
            answer(|asked, told| if asked.is("v2.status") { told.remove("threeDSApplied") });
        "an unknown state" in READ_V2 => "gateway.status.status.enum":
            answer(|asked, told| if asked.is("v2.status") { told.replace("status", "DONE") });
        "an unknown reason" in FAILED_V2 => "gateway.status.paymentErrorReason.enum":
            answer(|asked, told| if asked.is("v2.status") { told.replace("paymentErrorReason", "BAD_LUCK") });
        "a fee with a decimal comma" in "a-fee-that-is-deducted-is-told / v2.0" => "gateway.status.fee.type":
            answer(|asked, told| if asked.is("v2.status") { told.replace("fee", "1,50") });
        "a code outside the list of the status" in "an-unknown-payment-has-no-status / v2.0" => "gateway.status.codes":
            answer(|asked, told| if asked.is("v2.status") { told.set("code", 1234) });
        "a code outside the list of the creation" in REFUSED_V1 => "gateway.create.codes":
            answer(|asked, told| if asked.is("create") { told.set("code", 1401) });
        "a code outside the list of the cancellation" in "a-paid-payment-is-not-cancelled / v2.0" => "gateway.cancel.codes":
            answer(|asked, told| if asked.is("cancel") { told.set("code", 1402) });
        "a code outside the list of the refund" in "a-refund-beyond-the-price-is-refused / v1.0" => "gateway.refund.codes":
            answer(|asked, told| if asked.is("refund") && !told.succeeds() { told.set("code", 1403) });
        "a code as a text in JSON" in READ_V2 => "gateway.status.code.type":
            answer(|asked, told| if asked.is("v2.status") { told.set("code", "0") });
        "a code as a word in a form" in READ_V1 => "gateway.create.answer.code.type":
            answer(|asked, told| if asked.is("create") { told.set("code", "OK") });
        "no code" in READ_V1 => "gateway.create.answer.code.required":
            answer(|asked, told| if asked.is("create") { told.remove("code") });
        "no message in the status" in READ_V2 => "gateway.status.message.required":
            answer(|asked, told| if asked.is("v2.status") { told.remove("message") });
        "no message in the creation" in READ_V1 => "gateway.create.answer.message.required":
            answer(|asked, told| if asked.is("create") { told.remove("message") });
        "no message in a refusal" in "a-paid-payment-is-not-cancelled / v1.0" => "gateway.answer.message.required":
            answer(|asked, told| if asked.is("cancel") { told.remove("message") });
        "an accepted creation has no transId" in READ_V1 => "gateway.create.answer.transId.present":
            answer(|asked, told| if asked.is("create") { told.remove("transId") });
        "an accepted creation has an empty transId" in READ_V2 => "gateway.create.answer.transId.type":
            answer(|asked, told| if asked.is("create") { told.set("transId", "") });
        "an accepted creation has no redirect" in READ_V2 => "gateway.create.answer.redirect.present":
            answer(|asked, told| if asked.is("create") { told.remove("redirect") });
        "a redirect that is no URL" in READ_V2 => "gateway.create.answer.redirect.url":
            answer(|asked, told| if asked.is("create") { told.replace("redirect", "/pay/here") });
        "a refused creation has a transId" in REFUSED_V1 => "gateway.create.answer.refused":
            answer(|asked, told| if asked.is("create") { told.set("transId", "ZZZZ-0000-0001") });
        "a refused creation has a redirect" in REFUSED_V2 => "gateway.create.answer.refused":
            answer(|asked, told| if asked.is("create") { told.set("redirect", "http://pay.example/x") });
        "a field of v1.0 in v2.0" in READ_V2 => "gateway.v2.create.answer.no-applepay":
            answer(|asked, told| if asked.is("create") { told.set("applepay", "PAID") });
        "an unknown outcome of Apple Pay" in READ_V1 => "gateway.v1.create.answer.applepay.enum":
            answer(|asked, told| if asked.is("create") { told.set("applepay", "MAYBE") });
        "a code with a blank in a form" in READ_V1 => "gateway.create.answer.code.type":
            answer(|asked, told| if asked.is("create") { told.raw(told.body_text().replacen("code=0", "code=+0", 1)) });
        "a code in another case" in READ_V2 => "gateway.status.code.required":
            answer(|asked, told| if asked.is("v2.status") {
                told.remove("code");
                told.set("Code", 0);
            });
        "no code at all, but null" in READ_V2 => "gateway.create.answer.code.type":
            answer(|asked, told| if asked.is("create") { told.set("code", json!(null)) });
        "a state in small letters" in READ_V2 => "gateway.status.status.enum":
            answer(|asked, told| if asked.is("v2.status") { told.replace("status", told.get("status").to_lowercase()) });
        "a price with a decimal point" in READ_V2 => "gateway.status.price.type":
            answer(|asked, told| if asked.is("v2.status") { told.replace("price", "123.00") });
        "a redirect that runs a script" in READ_V1 => "gateway.create.answer.redirect.url":
            answer(|asked, told| if asked.is("create") { told.replace("redirect", "javascript:alert(1)") });
        "JSON that is no object" in READ_V2 => "gateway.v2.status.call":
            answer(|asked, told| if asked.is("v2.status") { told.raw("[0, \"OK\"]") });
    }
}

/// Answers whose form is right and whose content is not.
fn wrong_answers() -> Vec<Break> {
    breaks! {
        "another price in the status of v1.0" in READ_V1 => "gateway.status.price.value":
            answer(|asked, told| if asked.is("v1.status") { told.replace("price", "12301") });
        "another price in the status of v2.0" in READ_V2 => "gateway.status.price.value":
            answer(|asked, told| if asked.is("v2.status") { told.replace("price", "12301") });
        "the price in major units" in READ_V2 => "gateway.status.price.value":
            answer(|asked, told| if asked.is("v2.status") { told.replace("price", "123") });
        "another currency" in READ_V2 => "gateway.status.curr.value":
            answer(|asked, told| if asked.is("v2.status") { told.replace("curr", "EUR") });
        "a test payment reads as production" in READ_V2 => "gateway.status.test.value":
            answer(|asked, told| if asked.is("v2.status") { told.replace("test", "false") });
        "a label in the wrong encoding, v2.0" in TEXTS_V2 => "gateway.status.label.value":
            answer(|asked, told| if asked.is("status") { told.replace("label", mangled(&told.get("label"))) });
        "a label in the wrong encoding, v1.0" in TEXTS_V1 => "gateway.status.label.value":
            answer(|asked, told| if asked.is("status") { told.replace("label", mangled(&told.get("label"))) });
        "a label cut in the middle" in TEXTS_V2 => "gateway.status.label.value":
            answer(|asked, told| if asked.is("status") { told.replace("label", "Žluť") });
        "the status of another payment" in READ_V2 => "gateway.status.transId.value":
            answer(|asked, told| if asked.is("v2.status") { told.replace("transId", "ZZZZ-0000-0001") });
        "two payments with one identifier" in "every-payment-has-an-identifier-of-its-own / v2.0"
            => "gateway.create.answer.transId.unique":
            answer(|asked, told| if asked.is("create") {
                let first = asked.memory.lock().unwrap().entry("first".to_owned()).or_insert(told.get("transId")).clone();
                told.replace("transId", first);
            });
        "a production payment reads as a test" in "a-payment-without-test-is-a-production-payment / v2.0"
            => "gateway.create.test.default":
            answer(|asked, told| if asked.is("status") { told.replace("test", "true") });
        "another reason than the merchant's own" in "a-merchant-who-cancels-is-the-reason / v2.0"
            => "gateway.status.paymentErrorReason.value":
            answer(|asked, told| if asked.is("status") { told.replace("paymentErrorReason", "CUSTOMER_CLICK") });
        "a fee where none is deducted" in "a-fee-that-is-not-deducted-is-unknown / v2.0" => "gateway.status.fee.unknown":
            answer(|asked, told| if asked.is("status") { told.replace("fee", "0") });
        "a payment that is born paid" in "a-pending-payment-is-cancelled / v2.0" => "gateway.payment.created":
            answer(|asked, told| if told.get("status") == "PENDING" && asked.is("status") { told.set("status", "PAID") });
        "a payment that is born cancelled" in "a-pre-authorization-is-authorized / v1.0" => "gateway.payment.created":
            answer(|asked, told| if told.get("status") == "PENDING" && asked.is("status") { told.set("status", "CANCELLED") });
        "a paid payment that is pending again" in READ_V2 => "gateway.payment.states":
            answer(|asked, told| if told.get("status") == "PAID" && !asked.first_time("paid") { told.set("status", "PENDING") });
        "a cancelled payment that is paid" in "a-cancelled-payment-is-not-refunded / v2.0" => "gateway.payment.states":
            answer(|asked, told| if told.get("status") == "CANCELLED" && !asked.first_time("cancelled") {
                told.set("status", "PAID");
            });
        "an accepted cancellation that cancels nothing" in "a-cancelled-payment-is-not-refunded / v1.0"
            => "gateway.payment.cancelled":
            instead(|asked| asked.is("cancel").then(|| Message::answer_to(asked, json!({"code": 0, "message": "OK"}))));
        "a cancelled payment reads as pending" in "a-pending-payment-is-cancelled / v2.0" => "gateway.cancel.pending":
            answer(|_, told| if told.get("status") == "CANCELLED" { told.set("status", "PENDING") });
        "a payment that does not expire" in "an-unpaid-payment-expires-by-its-own-time / 30m in v2.0"
            => "gateway.create.expirationTime.effect":
            answer(|_, told| if told.get("status") == "CANCELLED" { told.set("status", "PENDING") });
        "an authorized payment reads as paid" in "a-pre-authorization-is-authorized / v2.0" => "gateway.payment.authorized":
            answer(|_, told| if told.get("status") == "AUTHORIZED" { told.set("status", "PAID") });
    }
}

/// What must be refused and is accepted.
fn accepted_although() -> Vec<Break> {
    breaks! {
        "a refund beyond the price, v1.0" in "a-refund-beyond-the-price-is-refused / v1.0" => "gateway.refund.beyond":
            answer(|asked, told| if asked.is("refund") { told.accept() });
        "a refund beyond the price, v2.0" in "a-refund-beyond-the-price-is-refused / v2.0" => "gateway.refund.beyond":
            answer(|asked, told| if asked.is("refund") { told.accept() });
        "refunds that sum up beyond the price" in "a-paid-payment-is-refunded-in-parts / v1.0" => "gateway.refund.sum":
            answer(|asked, told| if asked.is("refund") { told.accept() });
        "a refund of a cancelled payment" in "a-cancelled-payment-is-not-refunded / v2.0" => "gateway.refund.only-paid":
            answer(|asked, told| if asked.is("refund") { told.accept() });
        "a refund of a pending payment" in "a-pending-payment-is-not-refunded / v1.0" => "gateway.refund.only-paid":
            answer(|asked, told| if asked.is("refund") { told.accept() });
        "a refund in forints that does not end with 00" in "a-refund-in-forints-ends-with-00 / v2.0"
            => "gateway.refund.hundreds.HUF":
            answer(|asked, told| if asked.is("refund") { told.accept() });
        "a refund of nobody knows what" in "an-unknown-payment-is-not-refunded / v2.0" => "gateway.refund.unknown":
            answer(|asked, told| if asked.is("refund") { told.accept() });
        "a cancellation of a paid payment, v1.0" in "a-paid-payment-is-not-cancelled / v1.0" => "gateway.cancel.paid":
            answer(|asked, told| if asked.is("cancel") { told.accept() });
        "a cancellation of a paid payment, v2.0" in "a-paid-payment-is-not-cancelled / v2.0" => "gateway.cancel.paid":
            answer(|asked, told| if asked.is("cancel") { told.accept() });
        "a second cancellation" in "a-payment-is-cancelled-once / v2.0" => "gateway.cancel.not-pending":
            answer(|asked, told| if asked.is("cancel") { told.accept() });
        "a cancellation of nobody knows what" in "an-unknown-payment-is-not-cancelled / v1.0" => "gateway.cancel.unknown":
            answer(|asked, told| if asked.is("cancel") { told.accept() });
        "the status of nobody knows what" in "an-unknown-payment-has-no-status / v2.0" => "gateway.status.unknown":
            answer(|asked, told| if asked.is("status") { told.accept_status(&asked.text("transId")) });
        "a price just above the maximum, v1.0" in "create-in-v1-holds-its-limits / price: above its maximum 100000000"
            => "gateway.create.price.max.CZK":
            answer(|asked, told| if asked.is("create") { told.accept_creation() });
        "a price just above the maximum, v2.0" in "create-in-v2-holds-its-limits / price: above its maximum 4000000 (EUR)"
            => "gateway.create.price.max.EUR":
            answer(|asked, told| if asked.is("create") { told.accept_creation() });
        "a price just below the minimum" in "create-in-v2-holds-its-limits / price: below its minimum 500 (RON)"
            => "gateway.create.price.min.RON":
            answer(|asked, told| if asked.is("create") { told.accept_creation() });
        "a price in forints that does not end with 00" in "create-in-v1-holds-its-limits / price: not a multiple of 100 (HUF)"
            => "gateway.create.price.hundreds.HUF":
            answer(|asked, told| if asked.is("create") { told.accept_creation() });
        "a price at the maximum is refused" in "create-in-v2-holds-its-limits / price: at its maximum 100000000"
            => "gateway.create.price.max.CZK":
            answer(|asked, told| if asked.is("create") { told.refuse(1107) });
        "a label of 17 characters" in "create-in-v2-holds-its-limits / label: longer than 16 characters"
            => "gateway.create.label.max":
            answer(|asked, told| if asked.is("create") { told.accept_creation() });
        "a label of 17 characters of three bytes" in "a-label-is-counted-in-characters / Chinese"
            => "gateway.create.label.characters":
            answer(|asked, told| if asked.is("create") && !told.succeeds() { told.accept_creation() });
        "neither e-mail nor phone, v1.0" in "an-email-or-a-phone-is-enough / v1.0" => "gateway.create.contact.required":
            answer(|asked, told| if asked.is("create") && !told.succeeds() { told.accept_creation() });
        "neither e-mail nor phone, v2.0" in "create-in-v2-holds-its-limits / email, phone: none of them"
            => "gateway.create.contact.required":
            answer(|asked, told| if asked.is("create") { told.accept_creation() });
        "no name" in "create-in-v1-holds-its-limits / fullName: absent" => "gateway.create.fullName.required":
            answer(|asked, told| if asked.is("create") { told.accept_creation() });
        "an unknown currency" in "an-unknown-currency-has-its-code / v2.0" => "gateway.create.curr.enum":
            answer(|asked, told| if asked.is("create") { told.accept_creation() });
        "a creation with a wrong secret, v1.0" in "v1-calls-with-a-wrong-secret-are-refused" => "gateway.v1.credentials":
            answer(|asked, told| if asked.is("create") && !told.succeeds() { told.accept_creation() });
        "a status with a wrong secret, v2.0" in "v2-calls-with-a-wrong-secret-are-refused" => "gateway.v2.credentials":
            answer(|asked, told| if asked.is("status") && !told.succeeds() { told.accept_status(&asked.text("transId")) });
        "a creation without credentials" in "v2-calls-without-credentials-are-refused" => "gateway.v2.credentials":
            answer(|asked, told| if asked.is("create") && !told.succeeds() { told.accept_creation() });
        "a cancellation with a wrong secret" in "v2-calls-with-a-wrong-secret-are-refused" => "gateway.cancel.unauthorized":
            answer(|asked, told| if asked.is("cancel") { told.accept() });
        "another merchant reads a payment, v1.0" in "a-foreign-payment-is-not-read / v1.0" => "gateway.access.foreign":
            answer(|asked, told| if asked.is("status") && asked.by_stranger() { told.accept_status(&asked.text("transId")) });
        "another merchant reads a payment, v2.0" in "a-foreign-payment-is-not-read / v2.0" => "gateway.access.foreign":
            answer(|asked, told| if asked.is("status") && asked.by_stranger() { told.accept_status(&asked.text("transId")) });
        "another merchant refunds a payment" in "a-foreign-payment-is-not-refunded / v1.0" => "gateway.access.foreign":
            answer(|asked, told| if asked.is("refund") && asked.by_stranger() { told.accept() });
        "a real refund of a test payment" in "a-test-payment-is-refunded-by-test-refunds-only / v1.0" => "gateway.refund.test.only":
            answer(|asked, told| if asked.is("refund") { told.accept() });
        "a test refund is not checked" in "a-test-refund-leaves-the-payment / v2.0" => "gateway.refund.test.checks":
            answer(|asked, told| if asked.is("refund") { told.accept() });
        "a country that does not go with the currency" in "country-cz-goes-with-czk-only / EUR in v2.0"
            => "gateway.create.country.CZ":
            answer(|asked, told| if asked.is("create") { told.accept_creation() });
        "an initiation payment without the service" in "an-initiation-payment-needs-the-service / v1.0"
            => "gateway.create.initRecurring.service":
            answer(|asked, told| if asked.is("create") { told.accept_creation() });
        "an unknown method" in "an-unknown-method-has-its-code / v2.0" => "gateway.create.method.known":
            answer(|asked, told| if asked.is("create") { told.accept_creation() });
        "an expiry of 29 minutes" in "create-in-v2-holds-its-limits / expirationTime: a minute below 30 minutes"
            => "gateway.create.expirationTime.min":
            answer(|asked, told| if asked.is("create") { told.accept_creation() });
        "a price too high is refused with another code" in REFUSED_V2 => "gateway.create.price.max.CZK":
            answer(|asked, told| if asked.is("create") { told.set("code", 1500) });
    }
}

/// Answers that can't be read, or never come.
fn unreadable_answers() -> Vec<Break> {
    breaks! {
        "HTML instead of JSON" in READ_V2 => "gateway.v2.status.call":
            answer(|asked, told| if asked.is("v2.status") { told.header("content-type", "text/html") });
        "JSON instead of a form" in READ_V1 => "gateway.v1.create.call":
            answer(|asked, told| if asked.is("create") { told.as_json() });
        "a truncated body" in READ_V2 => "gateway.v2.status.call":
            answer(|asked, told| if asked.is("v2.status") { told.ending = Ending::Cut });
        "half a JSON text" in READ_V2 => "gateway.v2.status.call":
            answer(|asked, told| if asked.is("v2.status") { told.raw("{\"code\": 0, \"mess") });
        "JSON that is not UTF-8" in READ_V2 => "gateway.v2.create.call":
            answer(|asked, told| if asked.is("create") { told.raw(b"{\"code\": 0, \"message\": \"\xe9\"}") });
        "a form that is not UTF-8" in READ_V1 => "gateway.v1.status.call":
            answer(|asked, told| if asked.is("v1.status") { told.raw("code=0&message=%E9&status=PENDING") });
        "a broken percent escape" in READ_V1 => "gateway.v1.status.call":
            answer(|asked, told| if asked.is("v1.status") { told.raw(told.body_text() + "&name=50%") });
        "a repeated key in a form" in READ_V1 => "gateway.v1.create.call":
            answer(|asked, told| if asked.is("create") { told.raw(told.body_text() + "&code=0") });
        "a repeated key in JSON" in READ_V2 => "gateway.v2.create.call":
            answer(|asked, told| if asked.is("create") { told.raw(told.body_text().replacen('{', "{\"code\":0,", 1)) });
        "no body" in READ_V1 => "gateway.v1.create.call":
            answer(|asked, told| if asked.is("create") { told.raw("") });
        "HTTP 500 with a page" in READ_V2 => "gateway.v2.create.call":
            answer(|asked, told| if asked.is("create") {
                told.status = 500;
                told.header("content-type", "text/html; charset=utf-8");
                told.raw("<html><body>Internal Server Error</body></html>");
            });
        "HTTP 200 with a page" in READ_V1 => "gateway.v1.create.call":
            answer(|asked, told| if asked.is("create") {
                told.header("content-type", "text/html");
                told.raw("<html><body>Welcome</body></html>");
            });
        "a redirect instead of an answer" in READ_V1 => "gateway.v1.create.call":
            answer(|asked, told| if asked.is("create") {
                told.status = 302;
                told.header("location", &told.get("redirect"));
                told.header("content-type", "text/html");
                told.raw("");
            });
        "no answer at all" in READ_V2 => "gateway.v2.create.call":
            silence(|asked, told| if asked.is("create") { told.ending = Ending::Never });
        "the connection is reset" in READ_V1 => "gateway.v1.create.call":
            answer(|asked, told| if asked.is("create") { told.ending = Ending::Reset });
    }
}

/// Notifications that don't come, come wrong or come too often.
fn broken_notifications() -> Vec<Break> {
    breaks! {
        "no notification of a payment" in READ_V1 => "gateway.notification.completion":
            push(|_, push| push.times = 0);
        "no notification of an expiry" in "an-unpaid-payment-expires-by-its-own-time / 30m in v1.0"
            => "gateway.notification.expiry":
            push(|_, push| push.times = 0);
        "no notification of a cancellation" in "a-pending-payment-is-cancelled / v2.0" => "gateway.notification.cancellation":
            push(|_, push| push.times = 0);
        "malformed JSON" in READ_V2 => "gateway.v2.notification.call":
            push(|_, push| push.message.raw("{\"transId\": "));
        "a malformed form" in READ_V1 => "gateway.v1.notification.call":
            push(|_, push| push.message.raw(push.message.body_text() + "&name=%E9"));
        "a broken percent escape" in READ_V1 => "gateway.v1.notification.call":
            push(|_, push| push.message.raw(push.message.body_text() + "&name=50%"));
        "a repeated key in the form" in READ_V1 => "gateway.v1.notification.call":
            push(|_, push| push.message.raw(push.message.body_text() + "&status=PAID"));
        "no body" in READ_V2 => "gateway.v2.notification.call":
            push(|_, push| push.message.raw(""));
        "no media type" in READ_V1 => "gateway.v1.notification.call":
            push(|_, push| drop(push.message.headers.remove("content-type")));
        "a media type that is no form" in READ_V1 => "gateway.v1.notification.call":
            push(|_, push| push.message.header("content-type", "text/plain"));
        "by PUT" in READ_V1 => "gateway.v1.notification.call":
            push(|_, push| push.method = "PUT");
        "a required field is missing, v1.0" in READ_V1 => "gateway.notification.email.required":
            push(|_, push| push.message.remove("email"));
        "a required field is missing, v2.0" in READ_V2 => "gateway.notification.full_name.required":
            push(|_, push| push.message.remove("full_name"));
        "the identifier is missing" in READ_V2 => "gateway.notification.transId.required":
            push(|_, push| push.message.remove("transId"));
        "the state is missing" in READ_V1 => "gateway.notification.status.required":
            push(|_, push| push.message.remove("status"));
        "the secret is missing" in READ_V1 => "gateway.notification.secret.required":
            push(|_, push| push.message.remove("secret"));
        "a wrong secret" in READ_V2 => "gateway.notification.secret.value":
            push(|_, push| push.message.replace("secret", "guessed"));
        "the secret of another merchant" in READ_V1 => "gateway.notification.secret.value":
            push(|_, push| push.message.replace("secret", support::OTHER.1));
        "another merchant" in READ_V2 => "gateway.notification.merchant.value":
            push(|_, push| push.message.replace("merchant", support::OTHER.0));
        "about a payment that nobody created" in READ_V1 => "gateway.notification.known":
            push(|_, push| push.message.replace("transId", "ZZZZ-0000-0001"));
        "besides, about a payment that nobody created" in READ_V2 => "gateway.notification.known":
            push(|_, push| besides(push, |message| message.replace("transId", "ZZZZ-0000-0001")));
        "JSON for a payment of v1.0" in READ_V1 => "gateway.notification.format":
            push(|_, push| push.message.as_json());
        "a form for a payment of v2.0" in READ_V2 => "gateway.notification.format":
            push(|_, push| push.message.as_form());
        "an unknown state" in READ_V2 => "gateway.notification.status.enum":
            push(|_, push| push.message.replace("status", "DONE"));
        "PENDING is nothing to notify" in READ_V1 => "gateway.notification.status.enum":
            push(|_, push| besides(push, |message| message.replace("status", "PENDING")));
        "a string is a number" in READ_V2 => "gateway.notification.price.type":
            push(|_, push| push.message.replace("price", 12300));
        "a string is a boolean" in READ_V2 => "gateway.notification.test.enum":
            push(|_, push| push.message.replace("test", true));
        "about a payment that is still pending" in "a-pending-payment-is-cancelled / v1.0" => "gateway.notification.agrees":
            push(|_, push| besides(push, |message| message.replace("status", "PAID")));
        "in Latin-2" in TEXTS_V2 => "gateway.v2.notification.call":
            push(|_, push| push.message.raw(latin(&push.message.body_text())));
        "another price" in "a-notification-carries-the-secret-of-its-merchant / v1.0" => "gateway.notification.price.value":
            push(|_, push| push.message.replace("price", "1"));
        "another name of the payer" in READ_V2 => "gateway.notification.full_name.value":
            push(|_, push| push.message.replace("full_name", "Jan Novak"));
        "a label in the wrong encoding" in "a-notification-carries-the-secret-of-its-merchant / v2.0"
            => "gateway.notification.label.value":
            push(|_, push| push.message.replace("label", mangled("Žluťoučký kůň")));
        "another story than the status call tells" in "a-paid-payment-tells-how-and-by-whom / v2.0"
            => "gateway.notification.agrees":
            push(|_, push| push.message.replace("payer_name", "Somebody Else"));
        "another state than the status call tells" in READ_V2 => "gateway.notification.agrees":
            push(|_, push| besides(push, |message| message.replace("status", "CANCELLED")));
        "a label of 17 characters" in READ_V2 => "gateway.notification.label.length":
            push(|_, push| push.message.replace("label", "Beach ball, blue!"));
        "a payment that is delivered again with another price" in READ_V1 => "gateway.notification.price.value":
            push(|_, push| besides(push, |message| message.replace("price", "1")));
        "the thousandth attempt is not made" in "a-notification-is-attempted-1000-times / v2.0"
            => "gateway.notification.retry.attempts":
            push(|memory, push| {
                let mut memory = memory.lock().unwrap();
                let attempts = memory.entry("attempts".to_owned()).or_default();
                attempts.push('|');
                if attempts.len() == 999 {
                    push.message.status = 200;
                }
            });
        "acknowledged by 200 and sent again" in "an-answer-200-acknowledges-a-notification / v1.0"
            => "gateway.notification.acknowledged.200":
            push(|memory, push| once(memory, push, 500));
        "acknowledged by 204 and sent again" in "an-answer-204-acknowledges-a-notification / v2.0"
            => "gateway.notification.acknowledged.204":
            push(|memory, push| once(memory, push, 500));
        "not acknowledged and not sent again" in "any-other-answer-does-not-acknowledge / 500 in v2.0"
            => "gateway.notification.unacknowledged":
            push(|_, push| push.message.status = 200);
        "a redirect taken for an acknowledgement" in "any-other-answer-does-not-acknowledge / 302 in v1.0"
            => "gateway.notification.unacknowledged":
            push(|_, push| push.message.status = 200);
    }
}

/// UTF-8 taken for Latin-1, the classic.
fn mangled(text: &str) -> String {
    text.bytes().map(char::from).collect()
}

/// Every letter beyond ASCII as one byte, as an old server would send it.
fn latin(text: &str) -> Vec<u8> {
    text.chars().map(|c| if c.is_ascii() { c as u8 } else { 0xb9 }).collect()
}

/// Delivers a changed copy first.
fn besides(push: &mut Push, change: impl FnOnce(&mut Message)) {
    let mut message = push.message.clone();
    change(&mut message);
    push.besides.push(message);
}

/// Tells the gateway once that it was answered otherwise.
fn once(memory: &Memory, push: &mut Push, status: u16) {
    if memory.lock().unwrap().insert("told".to_owned(), String::new()).is_none() {
        push.message.status = status;
    }
}

fn all_breaks() -> Vec<Break> {
    [malformed_answers(), wrong_answers(), accepted_although(), unreadable_answers(), broken_notifications()]
        .into_iter()
        .flatten()
        .collect()
}

/// What is wrong with the judgement of one break; nothing if it was named.
async fn unnamed(emulator: &emulator::Emulator, row: &Break, seed: u64) -> Option<String> {
    let finished = judge_through(emulator, row.tamper, shipped(&[row.instance]), seed).await;
    let found: Vec<_> = finished.iter().flat_map(|instance| findings(instance)).collect();
    if found.iter().any(|finding| finding.clause() == row.clause) {
        return None;
    }
    let judged: Vec<_> = match found.as_slice() {
        [] => finished.iter().map(|instance| story(instance)).collect(),
        found => found.iter().map(|finding| sentence(finding)).collect(),
    };
    Some(format!("{} ({})\n  expected {}\n  named    {}", row.name, row.instance, row.clause, judged.join("\n           ")))
}

async fn every_one_is_named(rows: Vec<Break>) {
    let emulator = emulator().await;
    let judged = rows.iter().enumerate().map(|(index, row)| unnamed(&emulator, row, index as u64));
    let unnamed: Vec<String> = futures::future::join_all(judged).await.into_iter().flatten().collect();
    assert!(unnamed.is_empty(), "{} of {} breaks are not named:\n\n{}\n", unnamed.len(), rows.len(), unnamed.join("\n\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_malformed_answer_is_named() {
    every_one_is_named(malformed_answers()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_answer_is_named() {
    every_one_is_named(wrong_answers()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_accepted_although_it_must_be_refused_is_named() {
    every_one_is_named(accepted_although()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_cannot_be_read_is_named() {
    every_one_is_named(unreadable_answers()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broken_notification_is_named() {
    every_one_is_named(broken_notifications()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn through_a_proxy_that_changes_nothing_nothing_is_found() {
    let mut names: Vec<_> = all_breaks().iter().map(|row| row.instance).collect();
    names.sort_unstable();
    names.dedup();
    let finished = judge_through(&emulator().await, Tamper::default(), shipped(&names), 0).await;
    assert!(finished.len() >= names.len());
    assert_eq!(troubles(&finished), Vec::<String>::new());
}

/// Breaks one field in the way that the proxy was told of: `field` → `how`.
fn break_field(memory: &Memory, message: &mut Message) {
    for (field, how) in memory.lock().unwrap().iter().filter_map(|(key, how)| Some((key.strip_prefix("break ")?, how.as_str()))) {
        match how {
            "absent" => message.remove(field),
            "another type" if ["code", "appliedFee", "threeDSApplied"].contains(&field) => message.set(field, "some text"),
            "another type" => message.set(field, 7),
            _ => message.set(field, "NOT-IN-THE-LIST"),
        }
    }
}

/// Every way to break a field of a schema that is in the JSON of v2.0, with the clause that its file gives it.
fn breaks_of(schema: &str, tamper: Tamper) -> Vec<Break> {
    let path = format!("{}/../contracts/schemas/gateway/{schema}.json", env!("CARGO_MANIFEST_DIR"));
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let required = |field: &str| {
        let lists = [schema.get("required"), schema.pointer("/then/required")];
        lists.into_iter().flatten().any(|list| list.as_array().unwrap().iter().any(|name| name == field))
    };
    let mut rows = Vec::new();
    for (field, property) in schema["properties"].as_object().unwrap() {
        let mut row = |how: &'static str, keyword: &str| {
            let clause = property.pointer(&format!("/x-clauses/{keyword}")).or(property.get("x-clause")).unwrap().as_str().unwrap();
            let leaked = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
            let fact = Some((leaked(format!("break {field}")), how));
            rows.push(Break {
                name: leaked(format!("{field}: {how}")),
                instance: READ_V2,
                clause: leaked(clause.to_owned()),
                tamper: Tamper { fact, ..tamper },
            });
        };
        if required(field) {
            row("absent", "required");
        }
        row("another type", "type");
        if property.get("enum").is_some() || property.get("$ref").is_some() {
            row("another value", "enum");
        }
    }
    rows
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_rule_for_a_field_of_the_status_is_named() {
    let status = Tamper {
        answer: Some(|asked, told| {
            if asked.is("v2.status") {
                break_field(asked.memory, told)
            }
        }),
        ..Tamper::default()
    };
    let rows = breaks_of("status-record", status);
    assert!(rows.len() > 40, "{}", rows.len());
    every_one_is_named(rows).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_rule_for_a_field_of_the_notification_is_named() {
    let notification = Tamper { push: Some(|memory, push| break_field(memory, &mut push.message)), ..Tamper::default() };
    let rows = breaks_of("notification", notification);
    assert!(rows.len() > 50, "{}", rows.len());
    every_one_is_named(rows).await;
}

/// Everything there is, judged as it is.
static SOUND: OnceCell<Vec<Arc<InstanceFinished>>> = OnceCell::const_new();

/// Everything there is, once as it is and once tampered with; answers what still passes although the
/// untampered run says that it must not.
async fn unnoticed(tamper: Tamper, concerns: fn(&Instance, &InstanceFinished) -> bool) -> Vec<String> {
    let mut plan = shipped(&["gateway / "]);
    // A thousand attempts take their time, and have a row of their own.
    plan.retain(|instance| !instance.name.scenario.ends_with("1000-times"));
    let sound = SOUND.get_or_init(|| async { judge_through(&emulator().await, Tamper::default(), plan.clone(), 1).await }).await;
    assert_eq!(troubles(sound), Vec::<String>::new());
    let broken = judge_through(&emulator().await, tamper, plan.clone(), 1).await;
    let concerned = plan.iter().zip(sound).zip(&broken).filter(|((instance, sound), _)| concerns(instance, sound));
    let judged: Vec<_> = concerned.map(|(_, broken)| broken).collect();
    assert!(judged.len() > 100, "{} instances are concerned", judged.len());
    judged.into_iter().filter(|i| !matches!(i.verdict, Verdict::Failed { .. })).map(|i| story(i)).collect()
}

/// Whether a call was answered with a code that this holds for.
fn answered(instance: &InstanceFinished, code: fn(i64) -> bool) -> bool {
    instance.record.iter().filter_map(|exchange| exchange.answered()?.get("code")?.as_i64()).any(code)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_target_that_accepts_everything_fails_wherever_something_must_be_refused() {
    let lenient = Tamper {
        answer: Some(|asked, told| match asked.operation {
            _ if told.succeeds() => {}
            "gateway.v1.create" | "gateway.v2.create" | "gateway.v1.recurring" | "gateway.v2.recurring" => told.accept_creation(),
            "gateway.v1.status" | "gateway.v2.status" => told.accept_status(&asked.text("transId")),
            _ => told.accept(),
        }),
        ..Tamper::default()
    };
    assert_eq!(unnoticed(lenient, |_, sound| answered(sound, |code| code != 0)).await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_target_that_refuses_everything_fails_wherever_something_must_be_accepted() {
    let strict = Tamper {
        answer: Some(|_, told| {
            if told.succeeds() {
                told.refuse(1400)
            }
        }),
        ..Tamper::default()
    };
    assert_eq!(unnoticed(strict, |_, sound| answered(sound, |code| code == 0)).await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_target_that_notifies_nothing_fails_wherever_something_must_be_notified() {
    let silent = Tamper { push: Some(|_, push| push.times = 0), ..Tamper::default() };
    let waits = |instance: &Instance, _: &InstanceFinished| instance.steps.iter().any(|s| matches!(s.verb, Verb::Notification(_)));
    assert_eq!(unnoticed(silent, waits).await, Vec::<String>::new());
}

#[test]
fn the_table_breaks_many_different_rules() {
    let rows = all_breaks();
    let clauses: std::collections::BTreeSet<_> = rows.iter().map(|row| row.clause).collect();
    assert!(clauses.len() >= 30, "{} clauses", clauses.len());
    let declared = &support::contracts().clauses;
    let unknown: Vec<_> = clauses.iter().filter(|clause| !declared.contains_key(**clause)).collect();
    assert_eq!(unknown, Vec::<&&str>::new());
}
