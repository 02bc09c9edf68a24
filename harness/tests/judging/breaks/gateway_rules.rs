//! Rules of the gateway that hold for the common payment, and are broken for another currency, size, kind or caller.

use serde_json::json;

use super::Break;
use crate::support::MAIN;
use crate::support::proxy::{Message, ObservedRequest};

const CURRENCIES: &str = "refunds-are-counted-in-every-currency";
const RELEASED: &str = "a-released-payment-moves-no-money-any-more";
const REDIRECTED: &str = "a-payment-created-by-redirect-is-paid-and-refunded";
const NO_MAIL: &str = "no-error-mail-while-attempts-are-left / v1.0";
const RECURRING_DETAIL: &str = "the-detail-repeats-what-a-recurring-payment-was-sent";

pub fn all() -> Vec<Break> {
    let parts = [
        secrets(),
        identifiers(),
        refunds(),
        captures(),
        redirects(),
        production(),
        limits(),
        refusals(),
        notifications(),
        retries(),
        products(),
        outages(),
    ];
    parts.into_iter().flatten().collect()
}

/// Whether the secret is the beginning of the right one, or the right one its beginning.
fn begins_alike(asked: &ObservedRequest<'_>) -> bool {
    let (given, right) = (&asked.credentials.1, asked.credentials_of_main().1);
    right.starts_with(given.as_str()) || given.starts_with(&right)
}

fn with_a_secret_that_begins_alike(asked: &ObservedRequest<'_>, sent: &mut Message) {
    if !begins_alike(asked) {
        return;
    }
    if sent.has("secret") {
        sent.set("secret", asked.credentials_of_main().1);
    } else {
        sent.in_the_name_of_main(asked);
    }
}

fn secrets() -> Vec<Break> {
    breaks! {
        "a refund takes a secret that is cut" in "a-refund-in-v1-with-a-wrong-secret-is-refused / the last character missing"
            => "gateway.v1.credentials":
            onward(with_a_secret_that_begins_alike);
        "a refund takes a secret that goes on" in "a-refund-in-v2-with-a-wrong-secret-is-refused / one character more"
            => "gateway.v2.credentials":
            onward(with_a_secret_that_begins_alike);
        "a refund takes no secret" in "a-refund-in-v1-with-a-wrong-secret-is-refused / empty" => "gateway.v1.credentials":
            onward(with_a_secret_that_begins_alike);
        "a recurring payment takes a secret that is cut"
            in "a-recurring-payment-in-v2-needs-credentials / with the last character of the secret missing" => "gateway.v2.credentials":
            onward(with_a_secret_that_begins_alike);
        "a capture takes a secret that goes on"
            in "capture-and-release-in-v1-need-credentials / with one character more than the secret" => "gateway.v1.credentials":
            onward(with_a_secret_that_begins_alike);
        "a refund of a terminal payment takes no secret"
            in "a-refund-of-a-terminal-payment-in-v2-needs-credentials / with an empty secret" => "gateway.v2.credentials":
            onward(with_a_secret_that_begins_alike);
        "a refund takes credentials in the body of v2.0" in "credentials-in-the-body-of-v2-move-no-money" => "gateway.v2.credentials":
            onward(|asked, sent| if asked.is("v2.refund") && asked.has("secret") { sent.in_the_name_of_main(asked) });
        "a capture takes credentials in the body of v2.0" in "credentials-in-the-body-of-v2-move-no-money" => "gateway.v2.credentials":
            onward(|asked, sent| if asked.is("v2.capturePreauth") && asked.has("secret") { sent.in_the_name_of_main(asked) });
        "a recurring payment takes credentials in the body of v2.0" in "credentials-in-the-body-of-v2-charge-nothing"
            => "gateway.v2.credentials":
            onward(|asked, sent| if asked.is("v2.recurring") && asked.has("secret") { sent.in_the_name_of_main(asked) });
    }
}

fn identifiers() -> Vec<Break> {
    breaks! {
        "the beginning of an identifier is enough to read" in "a-near-identifier-is-of-no-payment / v2.0" => "gateway.status.unknown":
            response(|asked, message| if asked.is("status") { message.accept_status(&asked.text("transId")) });
        "the beginning of an identifier is enough to cancel" in "a-near-identifier-is-of-no-payment / v1.0" => "gateway.cancel.unknown":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "what follows an identifier is ignored in a refund" in "a-near-identifier-moves-no-money / v1.0" => "gateway.refund.unknown":
            response(|asked, message| if asked.is("refund") && asked.text("transId").ends_with('X') { message.accept() });
        "what follows an identifier is ignored in a capture" in "a-near-identifier-moves-no-money / v2.0"
            => "gateway.capturePreauth.only-authorized":
            response(|asked, message| if asked.is("capturePreauth") { message.accept() });
        "the beginning of an identifier is enough to release" in "a-near-identifier-moves-no-money / v1.0"
            => "gateway.cancelPreauth.only-authorized":
            response(|asked, message| if asked.is("cancelPreauth") { message.accept() });
        "the beginning of an identifier initiates" in "a-near-identifier-initiates-nothing / v1.0"
            => "gateway.recurring.initRecurringId.known":
            response(|asked, message| if asked.is("recurring") { message.accept_creation() });
    }
}

fn refunds() -> Vec<Break> {
    breaks! {
        "refunds in euros are not added up" in "refunds-are-counted-in-every-currency / EUR in v1.0" => "gateway.refund.sum":
            response(|asked, message| if asked.is("refund") && asked.text("amount") == "1050" { message.accept() });
        "refunds of large payments are not added up" in "refunds-are-counted-in-every-currency / a million CZK in v1.0"
            => "gateway.refund.sum":
            response(|asked, message| if asked.text("amount") == "100000000" { message.accept() });
        "one unit is no refund" in CURRENCIES => "gateway.refund.partial":
            instead(|asked| (asked.is("refund") && asked.text("amount") == "1").then(|| Message::refusal(asked, 1400)));
        "a real refund in forints need not end with 00" in "a-refund-in-forints-ends-with-00 / real in v1.0"
            => "gateway.refund.hundreds.HUF":
            response(|asked, message| if asked.is("refund") && asked.text("test") == "false" { message.accept() });
        "a refund beyond int32 is cut to 32 bits" in "a-refund-beyond-the-price-is-refused / v1.0" => "gateway.refund.amount.type":
            response(|asked, message| if asked.text("amount").len() > 9 { message.accept() });
        "one unit of a terminal payment is not refunded" in "a-terminal-payment-is-refunded / v1.0" => "gateway.refundPos.partial":
            instead(|asked| (asked.is("refundPos") && asked.text("amount") == "1").then(|| Message::refusal(asked, 1400)));
        "a refund of a terminal payment is cut to 32 bits" in "a-terminal-payment-is-refunded / v2.0" => "gateway.refundPos.amount.type":
            response(|asked, message| if asked.text("amount").len() > 9 { message.accept() });
        "what was released is refunded" in RELEASED => "gateway.refund.only-paid":
            response(|asked, message| if asked.is("refund") { message.accept() });
    }
}

fn captures() -> Vec<Break> {
    breaks! {
        "one unit is no capture" in "one-unit-of-an-authorized-amount-is-captured / v2.0" => "gateway.capturePreauth.amount.partial":
            instead(|asked| asked.is("capturePreauth").then(|| Message::refusal(asked, 1400)));
        "a capture beyond int32 is cut to 32 bits" in "a-capture-holds-its-limits / v1.0" => "gateway.capturePreauth.amount.type":
            response(|asked, message| if asked.text("amount").len() > 9 { message.accept() });
        "more than was authorized in euros is captured" in "a-capture-holds-its-limits-in-every-currency / EUR in v2.0"
            => "gateway.capturePreauth.amount.max":
            response(|asked, message| if asked.text("amount") == "1051" { message.accept() });
        "what was released is captured" in RELEASED => "gateway.cancelPreauth.money":
            response(|asked, message| if asked.is("capturePreauth") { message.accept() });
        "what was released is cancelled" in RELEASED => "gateway.cancel.not-pending":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "what was captured is cancelled" in "what-is-captured-is-not-captured-again / v1.0" => "gateway.cancel.not-pending":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "a second capture that is refused takes the whole" in "what-is-captured-is-not-captured-again / v2.0"
            => "gateway.capturePreauth.money":
            response(|asked, message| if asked.is("transfers.detail") {
                message.each(|item| if item["Potvrzená částka"] == "40,00" { item["Potvrzená částka"] = json!("123,45") });
            });
    }
}

fn redirects() -> Vec<Break> {
    breaks! {
        "every payment by redirect is a test" in "a-payment-created-by-redirect-is-paid-and-refunded / real in v2.0"
            => "gateway.status.test.value":
            onward(|asked, sent| if asked.is("paymentRedirect") { sent.set("test", true) });
        "what was created by redirect is paid without a notification" in REDIRECTED => "gateway.notification.completion":
            push(|_, push| push.times = 0);
        "what was created by redirect is not refunded" in REDIRECTED => "gateway.refund.full":
            instead(|asked| (asked.is("refund") && asked.text("amount") == "12300").then(|| Message::refusal(asked, 1400)));
        "refunds of what was created by redirect have no end" in REDIRECTED => "gateway.refund.beyond":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "a redirect creation of v2.0 is notified as a form" in "a-payment-created-by-redirect-is-paid-and-refunded / test in v2.0"
            => "gateway.notification.format":
            push(|_, push| push.message.as_form());
        "a redirect creation forgets the pre-authorization" in "a-pre-authorization-by-redirect-is-captured / v2.0"
            => "gateway.payment.authorized":
            onward(|asked, sent| if asked.is("paymentRedirect") { sent.remove("preauth") });
        "a redirect creation initiates nothing" in "an-initiation-by-redirect-has-recurring-payments / v1.0"
            => "gateway.create.initRecurring.redirect":
            onward(|asked, sent| if asked.is("create") { sent.remove("initRecurring") });
        "the address that a payer is sent to has the secret" in "a-redirect-creation-tells-no-secret / v2.0" => "gateway.access.no-query":
            response(|asked, message| if asked.is("paymentRedirect") && let Some(page) = location(message) {
                message.header("location", &format!("{page}?secret={}", MAIN.1));
            });
        "what was created by redirect is not cancelled" in "a-payment-created-by-redirect-is-cancelled / v2.0" => "gateway.cancel.pending":
            instead(|asked| asked.is("cancel").then(|| Message::refusal(asked, 1400)));
    }
}

fn production() -> Vec<Break> {
    breaks! {
        "a production payment fails for another reason in its notification"
            in "a-production-payment-that-fails-shows-the-reason / failed in v1.0" => "gateway.notification.paymentErrorReason.value":
            push(|_, push| push.message.replace("paymentErrorReason", "NOT_SPECIFIED"));
        "a production payment fails for another reason in its status"
            in "a-production-payment-that-fails-shows-the-reason / failed in v2.0" => "gateway.status.paymentErrorReason.value":
            response(|asked, message| if asked.is("v2.status") { message.replace("paymentErrorReason", "NOT_SPECIFIED") });
        "a production payment fails without a notification"
            in "a-production-payment-that-fails-shows-the-reason / rejected pre-authorization in v2.0" => "gateway.notification.failure":
            push(|_, push| push.times = 0);
        "a pre-authorization is given up without a notification"
            in "a-production-payment-that-the-payer-gives-up-is-cancelled / pre-authorization given up in v1.0"
            => "gateway.notification.cancellation":
            push(|_, push| push.times = 0);
        "a production payment is never cancelled" in "a-production-payment-is-cancelled-or-expires / v1.0" => "gateway.payment.cancelled":
            instead(|asked| asked.is("cancel").then(|| Message::refusal(asked, 1400)));
        "a production payment never expires" in "a-production-payment-is-cancelled-or-expires / v2.0" => "gateway.notification.expiry":
            onward(|asked, sent| if asked.has("expirationTime") { sent.set("expirationTime", "7d") });
        "a production pre-authorization is authorized without a notification" in "a-production-pre-authorization-is-authorized / v2.0"
            => "gateway.notification.authorization":
            push(|_, push| push.times = 0);
    }
}

/// Limits and required fields of production payments.
fn limits() -> Vec<Break> {
    breaks! {
        "a production payment of less than the minimum" in "a-price-out-of-bounds-is-refused-for-any-payment / production in v1.0"
            => "gateway.create.price.min.CZK":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "a production payment of nobody" in "what-is-required-is-required-of-every-kind / production in v2.0"
            => "gateway.create.fullName.required":
            response(|asked, message| if asked.is("create") && !asked.has("fullName") { message.accept_creation() });
        "a production payment without a label" in "an-empty-label-has-its-code / production in v1.0" => "gateway.create.label.min":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "a production payment in forints that does not end with 00" in "a-price-in-forints-ends-with-00 / production in v2.0"
            => "gateway.create.price.hundreds.HUF":
            response(|asked, message| if asked.is("create") && !message.succeeds() { message.accept_creation() });
        "a recurring production payment of less than the minimum" in "a-recurring-price-has-no-maximum / production in v1.0"
            => "gateway.recurring.price.min.CZK":
            response(|asked, message| if asked.is("recurring") && !message.succeeds() { message.accept_creation() });
        "a production pre-authorization is captured beyond its amount" in "a-capture-holds-its-limits / production in v2.0"
            => "gateway.capturePreauth.amount.max":
            response(|asked, message| if asked.is("capturePreauth") { message.accept() });
        "a 3D Secure preference in small letters" in "create-in-v2-holds-its-limits / threeDSPreference: in small letters"
            => "gateway.v2.create.threeDSPreference.enum":
            response(|asked, message| if asked.text("threeDSPreference") == "skip" { message.accept_creation() });
        "too many euros by redirect" in "a-refused-redirect-creation-shows-an-error-page / too many euros in v2.0"
            => "gateway.create.redirect.answer":
            response(|asked, message| if asked.text("price") == "4000001" { message.becomes_a_redirect("/ZZZZ-0000-0001") });
        "a payment by redirect never expires by the setting" in "a-payment-created-by-redirect-expires-by-the-setting / v2.0"
            => "gateway.notification.expiry":
            onward(|asked, sent| if asked.is("paymentRedirect") { sent.set("expirationTime", "7d") });
        "a pre-authorization never expires by the setting" in "an-unpaid-payment-expires-by-the-setting / pre-authorization in v1.0"
            => "gateway.notification.expiry":
            onward(|asked, sent| if asked.is("create") { sent.set("expirationTime", "7d") });
    }
}

/// Real refunds of what was never paid.
fn refusals() -> Vec<Break> {
    breaks! {
        "a pending production payment is refunded" in "a-pending-payment-is-not-refunded / production in v1.0" => "gateway.refund.only-paid":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "a cancelled production payment is refunded" in "a-cancelled-payment-is-not-refunded / production in v2.0"
            => "gateway.refund.only-paid":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "an authorized production payment is refunded"
            in "an-authorized-payment-is-neither-refunded-nor-cancelled / production in v1.0" => "gateway.refund.only-paid":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "an authorized production payment is cancelled"
            in "an-authorized-payment-is-neither-refunded-nor-cancelled / production in v2.0" => "gateway.cancel.not-pending":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "a failed production payment is refunded" in "a-failed-payment-is-not-refunded / production in v1.0" => "gateway.refund.only-paid":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "an expired production payment is refunded" in "an-expired-payment-is-not-refunded / production in v1.0"
            => "gateway.refund.only-paid":
            response(|asked, message| if asked.is("refund") { message.accept() });
    }
}

/// Notifications that count as acknowledged whatever the merchant answers.
fn retries() -> Vec<Break> {
    breaks! {
        "a production payment is notified once" in "every-kind-of-payment-is-notified-again / production in v1.0"
            => "gateway.notification.unacknowledged":
            push(|_, push| push.message.status = 200);
        "a payment in forints is notified once" in "every-kind-of-payment-is-notified-again / HUF in v2.0"
            => "gateway.notification.unacknowledged":
            push(|_, push| push.message.status = 200);
        "a recurring payment is notified once" in "a-recurring-payment-is-notified-again / v2.0" => "gateway.notification.unacknowledged":
            push(|_, push| push.message.status = 200);
        "the expiry of a payment by redirect is notified once" in "an-expiry-is-notified-again / v1.0"
            => "gateway.notification.unacknowledged":
            push(|_, push| push.message.status = 200);
    }
}

fn notifications() -> Vec<Break> {
    breaks! {
        "a production payment is paid without a notification" in "a-refund-without-test-is-real / v2.0" => "gateway.notification.change":
            push(|_, push| push.times = 0);
        "a notification has the secret in its query" in super::READ_V1 => "gateway.access.no-query":
            push(|_, push| push.query = Some(format!("?secret={}", push.message.get("secret"))));
        "a notification in JSON has the secret in its query" in super::READ_V2 => "gateway.access.no-query":
            push(|_, push| push.query = Some(format!("?secret={}", push.message.get("secret"))));
        "no notification of a capture while that of the authorization is not acknowledged"
            in "a-further-state-is-notified-though-the-last-was-not-acknowledged / v2.0" => "gateway.notification.change":
            push(|_, push| if push.message.get("status") == "PAID" { push.times = 0 });
        "a production payment is paid out to another account" in "an-account-of-the-merchant-is-accepted / production in v1.0"
            => "gateway.status.account.value":
            response(|asked, message| if asked.is("v2.status") { message.replace("account", "cz-main") });
        "a production payment has another fee" in "a-fee-that-is-deducted-is-told / production in v2.0" => "gateway.status.fee.set":
            everywhere(|message| if message.has("fee") { message.set("fee", "151") });
        "a production payment by another method" in "a-paid-payment-tells-how-and-by-whom / production in v1.0"
            => "gateway.notification.method.value":
            everywhere(|message| message.replace("method", "CARD_CZ_CSOB_2"));
        "a paid production payment is cancelled" in "a-paid-payment-is-not-cancelled / production in v2.0" => "gateway.cancel.paid":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "an error message goes out after the first attempt" in NO_MAIL => "gateway.notification.retry.mail":
            world(reports);
    }
}

/// Where a response sends the payer.
fn location(message: &Message) -> Option<String> {
    message.headers.get("location").map(|page| page.to_str().unwrap().to_owned())
}

/// Reports a failure of every payment to the merchant.
fn reports(deed: &mut crate::support::proxy::WorldAction<'_>) {
    if deed.action == "payer.pays" {
        let id = deed.with["transId"].as_str().unwrap_or_default().to_owned();
        deed.memory.lock().unwrap().insert("paid".to_owned(), id);
    }
    if deed.action == "merchant.reads-mail" {
        let id = deed.memory.lock().unwrap().get("paid").cloned();
        deed.response =
            Some(json!({ "count": 1, "mail": [{ "to": ["payments@example.com"], "kind": "x", "transId": id, "attempts": 1 }] }));
    }
}

fn products() -> Vec<Break> {
    breaks! {
        "the product of a recurring payment is lost" in RECURRING_DETAIL => "transfers.detail.product.value":
            onward(|asked, sent| if asked.is("recurring") { sent.remove("name") });
        "a recurring payment is paid out under the label of its initiation" in RECURRING_DETAIL => "transfers.detail.label.value":
            response(|asked, message| if asked.is("transfers.detail") { message.each(|item| item["Popis"] = json!("Beach ball")) });
        "the product of a payment by redirect is lost" in "the-detail-repeats-what-was-sent-by-redirect / v2.0"
            => "transfers.detail.product.value":
            onward(|asked, sent| if asked.is("paymentRedirect") { sent.remove("name") });
        "a product of v1.0 loses its letters" in "the-detail-repeats-letters-and-signs / v1.0" => "transfers.detail.product.value":
            onward(|asked, sent| if asked.is("v1.create") { sent.set("name", super::mangled("míč+42")) });
    }
}

fn outages() -> Vec<Break> {
    breaks! {
        "the health is OK once one of two outages has ended" in "the-health-is-outage-until-the-last-complete-outage-ends"
            => "status.health.gateway.OUTAGE":
            response(|asked, message| if asked.is("health") { message.set("gateway", "OK") });
        "planned maintenance of a method is not listed" in "planned-maintenance-of-some-methods-is-told-before-it-begins / payment button"
            => "status.outages.planned":
            response(|asked, message| if asked.is("outages") { message.records(|outages| outages.retain(|o| o["scheduled"] != true)) });
        "planned maintenance of a method is an outage of the gateway"
            in "planned-maintenance-of-some-methods-is-told-before-it-begins / QR code" => "status.health.gateway.OK":
            response(|asked, message| if asked.is("health") { message.set("gateway", "OUTAGE") });
    }
}
