//! Lies of the gateway that only a third look finds: rules kept for test payments and those created in the background.

use serde_json::json;

use super::Break;
use crate::support::proxy::{Message, remember};

const BUTTON: &str = "an-outage-of-some-methods-leaves-the-gateway-ok / payment button";
const CHECKED_V1: &str = "a-test-refund-of-a-production-payment-is-checked-like-a-real-one / v1.0";
const CHECKED_V2: &str = "a-test-refund-of-a-production-payment-is-checked-like-a-real-one / v2.0";
const VALID_V1: &str = "a-redirect-creation-with-valid-values-sends-the-payer-on / v1.0";
const VALID_V2: &str = "a-redirect-creation-with-valid-values-sends-the-payer-on / v2.0";

pub fn all() -> Vec<Break> {
    [redirects(), values(), refunds(), captures(), releases(), creations(), notifications(), outages()].into_iter().flatten().collect()
}

/// What is refused in the background, and sent on to be paid by redirect.
fn redirects() -> Vec<Break> {
    breaks! {
        "crowns go with PL by redirect" in "a-refused-redirect-creation-shows-an-error-page / crowns in Poland in v1.0"
            => "gateway.create.redirect.answer":
            response(|asked, message| if asked.text("country") == "PL" { message.becomes_a_redirect("/ZZZZ-0000-0001") });
        "zlotys go with SK by redirect" in "a-refused-redirect-creation-shows-an-error-page / zlotys in Slovakia in v2.0"
            => "gateway.create.redirect.answer":
            response(|asked, message| if asked.text("curr") == "PLN" { message.becomes_a_redirect("/ZZZZ-0000-0001") });
        "an empty label goes by redirect" in "a-refused-redirect-creation-shows-an-error-page / empty label in v2.0"
            => "gateway.create.redirect.answer":
            response(|asked, message| if asked.is("paymentRedirect") && asked.text("label").is_empty() {
                message.becomes_a_redirect("/ZZZZ-0000-0001");
            });
        "two units of the expiry go by redirect" in "a-refused-redirect-creation-shows-an-error-page / expiry in two units in v1.0"
            => "gateway.create.redirect.answer":
            response(|asked, message| if asked.text("expirationTime") == "1h30m" { message.becomes_a_redirect("/ZZZZ-0000-0001") });
        "an expiry without a unit goes by redirect" in "a-refused-redirect-creation-shows-an-error-page / expiry without a unit in v2.0"
            => "gateway.create.redirect.answer":
            response(|asked, message| if asked.text("expirationTime") == "90" { message.becomes_a_redirect("/ZZZZ-0000-0001") });
        "no time to pay by redirect" in "a-refused-redirect-creation-shows-an-error-page / no time to pay in v1.0"
            => "gateway.create.redirect.answer":
            response(|asked, message| if asked.text("expirationTime") == "0h" { message.becomes_a_redirect("/ZZZZ-0000-0001") });
        "a negative price goes by redirect" in "a-refused-redirect-creation-shows-an-error-page / negative price in v2.0"
            => "gateway.create.redirect.answer":
            response(|asked, message| if asked.text("price") == "-10000" { message.becomes_a_redirect("/ZZZZ-0000-0001") });
        "a fraction of a unit goes by redirect" in "a-refused-redirect-creation-shows-an-error-page / fraction of a unit in v1.0"
            => "gateway.create.redirect.answer":
            response(|asked, message| if asked.text("price") == "1000.5" { message.becomes_a_redirect("/ZZZZ-0000-0001") });
        "a text is a price by redirect" in "a-refused-redirect-creation-shows-an-error-page / price that is a text in v2.0"
            => "gateway.create.redirect.answer":
            response(|asked, message| if asked.text("price") == "abc" { message.becomes_a_redirect("/ZZZZ-0000-0001") });
        "a price by redirect is cut to 32 bits" in "a-refused-redirect-creation-shows-an-error-page / price beyond 32 bits in v1.0"
            => "gateway.create.redirect.answer":
            response(|asked, message| if asked.text("price").len() > 9 { message.becomes_a_redirect("/ZZZZ-0000-0001") });
        "euros go without a country by redirect" in "a-redirect-creation-in-another-currency-needs-its-country / EUR in v1.0"
            => "gateway.create.country.default":
            response(|asked, message| if asked.is("create") && !asked.has("country") { message.becomes_a_redirect("/ZZZZ-0000-0001") });
        "zlotys go without a country by redirect" in "a-redirect-creation-in-another-currency-needs-its-country / PLN in v2.0"
            => "gateway.create.country.default":
            response(|asked, message| if asked.is("paymentRedirect") && !asked.has("country") {
                message.becomes_a_redirect("/ZZZZ-0000-0001");
            });
        "no lower bound in dollars by redirect" in "a-redirect-creation-holds-the-limits-of-the-price / USD in v1.0"
            => "gateway.create.redirect.answer":
            response(|asked, message| if asked.text("price") == "99" { message.becomes_a_redirect("/ZZZZ-0000-0001") });
        "no upper bound in forints by redirect" in "a-redirect-creation-holds-the-limits-of-the-price / HUF in v2.0"
            => "gateway.create.redirect.answer":
            response(|asked, message| if asked.text("price") == "1250000100" { message.becomes_a_redirect("/ZZZZ-0000-0001") });
        "without test a payment by redirect is a test" in "a-redirect-creation-without-test-is-a-production-payment / v2.0"
            => "gateway.create.test.default":
            onward(|asked, sent| if asked.is("paymentRedirect") { sent.set("test", true) });
        "every payment by redirect goes to the default account" in "a-redirect-creation-keeps-its-account / v1.0"
            => "gateway.notification.account.value":
            onward(|asked, sent| if asked.is("create") { sent.replace("account", "cz-main") });
        "a 3D Secure preference is lost by redirect" in "a-redirect-creation-keeps-its-3d-secure-preference"
            => "gateway.v2.paymentRedirect.parameters":
            onward(|asked, sent| if asked.is("paymentRedirect") { sent.set("threeDSPreference", "STANDARD") });
    }
}

/// What is valid, and shown as an error by redirect.
fn values() -> Vec<Break> {
    breaks! {
        "the highest price in Swedish crowns is refused by redirect" in "a-redirect-creation-holds-the-limits-of-the-price / SEK in v2.0"
            => "gateway.create.redirect":
            response(|asked, message| if asked.text("price") == "39000000" { message.becomes_a_page(400, "<h1>Error</h1>") });
        "the least price in euros is refused by redirect" in "a-redirect-creation-holds-the-limits-of-the-price / EUR in v1.0"
            => "gateway.create.redirect":
            response(|asked, message| if asked.text("price") == "10" { message.becomes_a_page(400, "<h1>Error</h1>") });
        "a language is refused by redirect" in VALID_V1 => "gateway.create.redirect":
            response(|asked, message| if asked.text("lang") == "vi" { message.becomes_a_page(400, "<h1>Error</h1>") });
        "a pickup is refused by redirect" in VALID_V2 => "gateway.create.redirect":
            response(|asked, message| if asked.text("delivery") == "PICKUP" { message.becomes_a_page(400, "<h1>Error</h1>") });
        "a phone alone is refused by redirect" in VALID_V2 => "gateway.create.redirect":
            response(|asked, message| if asked.is("paymentRedirect") && !asked.has("email") {
                message.becomes_a_page(400, "<h1>Error</h1>");
            });
        "seven days in minutes are refused by redirect" in VALID_V1 => "gateway.create.redirect":
            response(|asked, message| if asked.text("expirationTime") == "10080m" { message.becomes_a_page(400, "<h1>Error</h1>") });
    }
}

fn refunds() -> Vec<Break> {
    breaks! {
        "a test refund of a pending production payment" in CHECKED_V1 => "gateway.refund.test.checks":
            response(|asked, message| if asked.is("refund") && asked.text("test") == "true" { message.accept() });
        "a test refund of more than is left" in CHECKED_V2 => "gateway.refund.test.checks":
            response(|asked, message| if asked.text("amount") == "6001" { message.accept() });
        "a test refund of a production payment in forints need not end with 00"
            in "a-refund-in-forints-ends-with-00 / test of a production payment in v1.0" => "gateway.refund.hundreds.HUF":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "what the payer gave up is refunded" in "a-payment-that-the-payer-gave-up-is-not-refunded / production in v1.0"
            => "gateway.refund.only-paid":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "a pre-authorization that was given up is refunded"
            in "a-payment-that-the-payer-gave-up-is-not-refunded / pre-authorization in v2.0" => "gateway.refund.only-paid":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "a rejected pre-authorization is refunded" in "a-rejected-pre-authorization-is-cancelled / v2.0"
            => "gateway.payment.refund-of-cancelled":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "what was created by redirect is cancelled once it is paid" in "a-payment-created-by-redirect-is-paid-and-refunded / test in v1.0"
            => "gateway.cancel.paid":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "a paid payment in euros is cancelled" in "a-paid-payment-is-not-cancelled / EUR in v1.0" => "gateway.cancel.paid":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "what was paid by bank is cancelled" in "a-payment-by-bank-is-refunded-like-any-other / v1.0" => "gateway.cancel.paid":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "refunds of what was paid by bank have no end" in "a-payment-by-bank-is-refunded-like-any-other / v2.0" => "gateway.refund.sum":
            response(|asked, message| if asked.text("amount") == "6001" { message.accept() });
        "refunds by redirect are not added up" in "refunds-of-a-payment-created-by-redirect-are-counted / v2.0" => "gateway.refund.sum":
            response(|asked, message| if asked.text("amount") == "6001" { message.accept() });
        "refunds of days ago are forgotten" in "refunds-are-counted-days-later / v1.0" => "gateway.refund.sum":
            response(|asked, message| if asked.text("amount") == "6001" { message.accept() });
        "an initiation payment is refunded beyond its price" in "an-initiation-payment-is-refunded-like-any-other / v1.0"
            => "gateway.refund.beyond":
            response(|asked, message| if asked.text("amount") == "10001" { message.accept() });
        "refunds of an initiation payment are not added up" in "an-initiation-payment-is-refunded-like-any-other / v2.0"
            => "gateway.refund.sum":
            response(|asked, message| if asked.text("amount") == "6001" { message.accept() });
        "a pending pre-authorization is refunded" in "a-pending-payment-is-not-refunded / pre-authorization in v2.0"
            => "gateway.refund.only-paid":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "a payer without e-mail gets nothing back" in "a-payment-by-phone-alone-is-cancelled-and-refunded / v1.0" => "gateway.refund.full":
            instead(|asked| asked.is("refund").then(|| Message::refusal(asked, 1400)));
        "a refund in dollars beyond the price" in "refunds-are-counted-in-every-currency / USD in v2.0" => "gateway.refund.beyond":
            response(|asked, message| if asked.text("amount") == "2600" { message.accept() });
        "refunds of another merchant are not added up" in "a-payment-of-another-merchant-holds-the-same-rules / v1.0"
            => "gateway.refund.sum":
            response(|asked, message| if asked.text("amount") == "6001" { message.accept() });
    }
}

fn captures() -> Vec<Break> {
    breaks! {
        "a rejected pre-authorization is captured" in "a-rejected-pre-authorization-is-cancelled / v1.0"
            => "gateway.capturePreauth.only-authorized":
            response(|asked, message| if asked.is("capturePreauth") { message.accept() });
        "a production pre-authorization is captured in full only" in "an-authorized-payment-is-captured-in-part / production in v1.0"
            => "gateway.capturePreauth.amount.partial":
            instead(|asked| asked.is("capturePreauth").then(|| Message::refusal(asked, 1400)));
        "a pre-authorization in forints is captured in full only" in "an-authorized-payment-is-captured-in-part / HUF in v2.0"
            => "gateway.capturePreauth.amount.partial":
            instead(|asked| asked.is("capturePreauth").then(|| Message::refusal(asked, 1400)));
        "a capture in production needs an amount" in "a-capture-needs-no-amount / production in v2.0"
            => "gateway.capturePreauth.amount.optional":
            instead(|asked| asked.is("capturePreauth").then(|| Message::refusal(asked, 1400)));
        "a capture in forints needs an amount" in "a-capture-needs-no-amount / HUF in v1.0" => "gateway.capturePreauth.amount.optional":
            instead(|asked| asked.is("capturePreauth").then(|| Message::refusal(asked, 1400)));
        "a pre-authorization by redirect is captured beyond its amount" in "a-pre-authorization-by-redirect-is-captured / v1.0"
            => "gateway.capturePreauth.amount.max":
            response(|asked, message| if asked.text("amount") == "10001" { message.accept() });
        "a pre-authorization by redirect is captured in full only" in "a-pre-authorization-by-redirect-is-captured / a part in v2.0"
            => "gateway.payment.captured":
            instead(|asked| (asked.is("capturePreauth") && asked.text("amount") == "4000").then(|| Message::refusal(asked, 1400)));
        "a pending production payment is captured" in "only-an-authorized-payment-is-captured / production in v1.0"
            => "gateway.capturePreauth.only-authorized":
            response(|asked, message| if asked.is("capturePreauth") { message.accept() });
        "a released production payment is captured" in "a-released-payment-moves-no-money-any-more / production in v2.0"
            => "gateway.cancelPreauth.money":
            response(|asked, message| if asked.is("capturePreauth") { message.accept() });
        "a released payment by redirect is captured" in "a-pre-authorization-by-redirect-is-released / v2.0"
            => "gateway.cancelPreauth.money":
            response(|asked, message| if asked.is("capturePreauth") { message.accept() });
        "what a capture by redirect changes is not notified" in "a-pre-authorization-by-redirect-is-captured / v2.0"
            => "gateway.notification.change":
            push(|_, push| if push.message.get("status") == "PAID" { push.times = 0 });
    }
}

/// What is not released or cancelled, and reasons of what was cancelled or not.
fn releases() -> Vec<Break> {
    breaks! {
        "a production pre-authorization is not released" in "an-authorized-payment-is-released / production in v1.0"
            => "gateway.payment.released":
            instead(|asked| asked.is("cancelPreauth").then(|| Message::refusal(asked, 1400)));
        "a pre-authorization in euros is not released" in "an-authorized-payment-is-released / EUR in v1.0" => "gateway.payment.released":
            instead(|asked| asked.is("cancelPreauth").then(|| Message::refusal(asked, 1400)));
        "a pre-authorization by redirect is not released" in "a-pre-authorization-by-redirect-is-released / v1.0"
            => "gateway.payment.released":
            instead(|asked| asked.is("cancelPreauth").then(|| Message::refusal(asked, 1400)));
        "an authorized payment by redirect is cancelled" in "a-pre-authorization-by-redirect-is-released / v2.0"
            => "gateway.cancel.not-pending":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "a pending pre-authorization is not cancelled"
            in "a-pre-authorization-without-a-card-is-cancelled-by-the-merchant / production in v1.0" => "gateway.cancel.pending":
            instead(|asked| asked.is("cancel").then(|| Message::refusal(asked, 1400)));
        "a pre-authorization is cancelled without a notification"
            in "a-pre-authorization-without-a-card-is-cancelled-by-the-merchant / v2.0" => "gateway.notification.cancellation":
            push(|_, push| push.times = 0);
        "a payment in dollars is not cancelled" in "a-pending-payment-is-cancelled / USD in v2.0" => "gateway.cancel.pending":
            instead(|asked| asked.is("cancel").then(|| Message::refusal(asked, 1400)));
        "a payment in forints is cancelled without a notification" in "a-pending-payment-is-cancelled / HUF in v1.0"
            => "gateway.notification.cancellation":
            push(|_, push| push.times = 0);
        "a payment is not cancelled days later" in "the-page-of-a-payment-opens-days-later / v1.0" => "gateway.cancel.pending":
            instead(|asked| asked.is("cancel").then(|| Message::refusal(asked, 1400)));
        "an authorized payment has a reason of a rejection" in "a-paid-payment-tells-no-rejection / authorized in v2.0"
            => "gateway.status.paymentErrorReason.only":
            response(|asked, message| if asked.is("v2.status") && message.get("status") == "AUTHORIZED" {
                message.set("paymentErrorReason", "NOT_SPECIFIED");
            });
        "a failed payment by redirect shows another reason" in "a-payment-created-by-redirect-that-fails-is-cancelled / v1.0"
            => "gateway.status.paymentErrorReason.value":
            everywhere(|message| message.replace("paymentErrorReason", "UNAVAILABLE"));
        "a failed initiation payment shows another reason" in "an-initiation-payment-that-fails-is-cancelled / v2.0"
            => "gateway.status.paymentErrorReason.value":
            everywhere(|message| message.replace("paymentErrorReason", "UNAVAILABLE"));
        "a rejected pre-authorization shows another reason" in "a-rejected-pre-authorization-is-cancelled / v1.0"
            => "gateway.status.paymentErrorReason.value":
            everywhere(|message| message.replace("paymentErrorReason", "UNAVAILABLE"));
        "a recurring payment has a reason of a rejection" in "a-recurring-payment-is-of-the-payer-of-its-initiation / v1.0"
            => "gateway.status.paymentErrorReason.only":
            response(|asked, message| if asked.is("v2.status") { message.set("paymentErrorReason", "NO_FUNDS") });
    }
}

/// Limits of production payments and reservations, and credentials where they open nothing.
fn creations() -> Vec<Break> {
    breaks! {
        "a production payment with a long label" in "a-production-creation-in-v1-holds-its-limits / label: longer than 16 characters"
            => "gateway.create.label.max":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "a production payment with two units of the expiry" in "a-production-creation-in-v2-holds-its-limits / expirationTime: two units"
            => "gateway.create.expirationTime.unit":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "a pre-authorization that waits for eight days"
            in "a-pre-authorization-in-v1-holds-its-limits / expirationTime: a day above 7 days" => "gateway.create.expirationTime.max":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "a pre-authorization in dollars has no upper bound"
            in "a-pre-authorization-in-v2-holds-its-limits / price: above its maximum 4500000 (USD)" => "gateway.create.price.max.USD":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "a recurring production payment with a long label"
            in "a-recurring-production-payment-in-v1-holds-its-limits / label: longer than 16 characters" => "gateway.recurring.label.max":
            response(|asked, message| if asked.is("recurring") { message.accept_creation() });
        "a recurring production payment without a reference"
            in "a-recurring-production-payment-in-v2-holds-its-limits / refId: absent" => "gateway.recurring.refId.required":
            response(|asked, message| if asked.is("recurring") { message.accept_creation() });
        "a production payment in a language that is not supported" in "a-language-that-is-not-supported-has-its-code / production in v1.0"
            => "gateway.create.lang.enum":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "euros go with CZ in production" in "a-country-goes-with-its-currency-for-any-payment / production in v1.0"
            => "gateway.create.country.CZ":
            response(|asked, message| if asked.text("country") == "CZ" { message.accept_creation() });
        "crowns go with SK for a pre-authorization" in "a-country-goes-with-its-currency-for-any-payment / pre-authorization in v2.0"
            => "gateway.create.country.SK":
            response(|asked, message| if asked.text("country") == "SK" { message.accept_creation() });
        "crowns go with PL for an initiation" in "a-country-goes-with-its-currency-for-any-payment / initiation in v1.0"
            => "gateway.create.country.PL":
            response(|asked, message| if asked.text("country") == "PL" { message.accept_creation() });
        "any production payment initiates" in "a-recurring-payment-needs-its-initiation / production in v1.0" => "gateway.recurring.bound":
            response(|asked, message| if asked.is("recurring") && asked.text("initRecurringId") != "XXXX-XXXX-XXXX" {
                message.accept_creation();
            });
        "credentials in the query of v2.0 read a payment" in "v2-calls-without-credentials-are-refused" => "gateway.v2.credentials":
            response(|asked, message| if asked.is("v2.status") && !asked.query_parameter("secret").is_empty() {
                message.accept_status(&asked.text("transId"));
            });
        "the account of another merchant is paid out to" in "an-account-of-another-merchant-is-refused / v1.0"
            => "gateway.create.account.known":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "a payment of another merchant has a long label" in "a-payment-of-another-merchant-holds-the-same-rules / v2.0"
            => "gateway.create.label.max":
            response(|asked, message| if asked.text("label") == "Beach ball, blue!" { message.accept_creation() });
    }
}

/// Notifications that count as acknowledged whatever the merchant answers.
fn notifications() -> Vec<Break> {
    breaks! {
        "a failed payment is notified once" in "a-failed-payment-is-notified-again / failed in v1.0"
            => "gateway.notification.unacknowledged":
            push(|_, push| push.message.status = 200);
        "a rejected pre-authorization is notified once" in "a-failed-payment-is-notified-again / rejected pre-authorization in v2.0"
            => "gateway.notification.unacknowledged":
            push(|_, push| push.message.status = 200);
        "an initiation payment is notified once" in "an-initiation-payment-is-notified-again / paid in v1.0"
            => "gateway.notification.unacknowledged":
            push(|_, push| push.message.status = 200);
        "an initiation payment that was given up is notified once" in "an-initiation-payment-is-notified-again / given up in v2.0"
            => "gateway.notification.unacknowledged":
            push(|_, push| push.message.status = 200);
        "a payment by redirect is notified once" in "a-payment-created-by-redirect-is-notified-again / v2.0"
            => "gateway.notification.unacknowledged":
            push(|_, push| push.message.status = 200);
        "a payment by bank is notified once" in "a-payment-by-bank-is-notified-again / v1.0" => "gateway.notification.unacknowledged":
            push(|_, push| push.message.status = 200);
        "an expiry in the background is notified once" in "an-expiry-in-the-background-is-notified-again / pre-authorization in v1.0"
            => "gateway.notification.unacknowledged":
            push(|_, push| push.message.status = 200);
        "a payer without e-mail cancels, which is notified once" in "a-payment-by-phone-alone-is-cancelled-and-refunded / v2.0"
            => "gateway.notification.unacknowledged":
            push(|_, push| push.message.status = 200);
        "a payment in zlotys is notified once" in "every-kind-of-payment-is-notified-again / PLN in v2.0"
            => "gateway.notification.unacknowledged":
            push(|_, push| push.message.status = 200);
        "an expiry in euros is not notified" in "an-unpaid-payment-expires-by-its-own-time / EUR in v1.0" => "gateway.notification.expiry":
            push(|_, push| push.times = 0);
        "no mail says that the attempts for an authorization failed" in "when-every-attempt-for-any-kind-of-payment-fails-the-contacts-are-notified / authorized in v1.0"
            => "gateway.notification.retry.mail":
            world(|deed| if deed.action == "merchant.reads-mail" { deed.response = Some(json!({ "count": 0, "mail": [] })) });
        "the status shows the payer of another payment" in "the-account-of-a-payer-is-not-shown-of-another / v1.0"
            => "gateway.status.payerName.value":
            response(|asked, message| if asked.is("v2.status") && message.get("status") == "PENDING" {
                message.set("payerName", "Zdislava Cizí");
            });
    }
}

fn outages() -> Vec<Break> {
    breaks! {
        "an outage of QR codes is listed as planned" in "an-outage-of-some-methods-leaves-the-gateway-ok / QR code"
            => "status.outages.scheduled.value":
            response(|asked, message| if asked.is("outages") { message.each(|outage| outage["scheduled"] = json!(true)) });
        "an outage of a method is forgotten once it is over" in BUTTON => "status.outages.resolved":
            world(|deed| if deed.action == "outage.ends" { _ = remember(deed.memory, "over") }),
            response(|asked, message| if asked.is("outages") && asked.knows("over") { message.records(Vec::clear) });
        "an outage that is over names no methods" in BUTTON => "status.outages.methods.value":
            world(|deed| if deed.action == "outage.ends" { _ = remember(deed.memory, "over") }),
            response(|asked, message| if asked.is("outages") && asked.knows("over") {
                message.each(|outage| outage["methods"] = json!([]));
            });
        "each outage names the methods of all" in "every-outage-has-an-identifier-of-its-own" => "status.outages.methods.value":
            response(|asked, message| if asked.is("outages") {
                message.each(|outage| outage["methods"] = json!(["BANK_CZ_RB", "BANK_CZ_CS_P"]));
            });
        "maintenance of a method is described in Czech only"
            in "an-outage-of-any-kind-is-described-in-three-languages / planned maintenance of a method" => "status.outages.languages":
            response(|asked, message| if asked.is("outages") {
                message.each(|outage| outage["detail_en"] = outage["detail_cs"].clone());
            });
        "maintenance of the gateway has no Slovak name"
            in "an-outage-of-any-kind-is-described-in-three-languages / planned maintenance of the gateway" => "status.outages.languages":
            response(|asked, message| if asked.is("outages") { message.each(|outage| outage["name_sk"] = json!("")) });
    }
}
