//! QR payments: creation, status, cancellation, changes and extensions that differ from the documents.

use serde_json::json;

use super::Break;
use crate::support::proxy::{Message, ObservedRequest, remember};

const PAID: &str = "qr / money-that-arrives-pays";
const TEST_CZK: &str = "a-test-payment-above-the-threshold-is-cancelled / above 2 000 CZK";
const EXTENDED: &str = "an-extension-lasts-seven-days / crowns";
const CHANGED: &str = "the-method-of-a-pending-payment-is-changed";

/// QR payments that break a rule.
pub fn all() -> Vec<Break> {
    [creations(), responses(), transitions(), tests(), changes(), extensions()].into_iter().flatten().collect()
}

fn creations() -> Vec<Break> {
    breaks! {
        "two payments with one identifier" in "qr / every-payment-has-an-identifier-of-its-own / crowns" => "qr.create.answer.transId.unique":
            response(|asked, message| if asked.is("qr.create") {
                message.replace("transId", asked.noted("first", message.get("transId")));
            });
        "the reference comes back in capitals" in PAID => "qr.create.answer.refId.value":
            response(|asked, message| if asked.is("qr.create") { message.replace("refId", message.get("refId").to_uppercase()) });
        "no payment without a reference" in "qr / a-payment-needs-nothing-optional" => "qr.create.optional":
            instead(|asked| (asked.is("qr.create") && !asked.has("refId")).then(|| Message::objection(asked, 400, "")));
        "the reference is lost beside a symbol" in "a-variable-symbol-leaves-the-reference / 10 digits"
            => "qr.create.variableSymbol.refId":
            response(|_, message| if message.has("refId") { message.set("refId", json!(null)) });
        "a symbol of 129 characters is accepted" in "qr / create-holds-its-limits / variableSymbol" => "qr.create.variableSymbol.max":
            response(|asked, message| if asked.is("qr.create") { message.grant(asked) });
        "a pending payment has a reason" in PAID => "qr.create.answer.paymentRejectedReason.only":
            response(|asked, message| if asked.is("qr.create") { message.set("paymentRejectedReason", "Not specified") });
    }
}

fn responses() -> Vec<Break> {
    breaks! {
        "the status of another payment" in PAID => "qr.status.transId.value":
            response(|asked, message| if asked.is("qr.status") { message.replace("transId", "AAAA-0000-0001") });
        "another reference in the status" in PAID => "qr.status.refId.value":
            response(|asked, message| if asked.is("qr.status") { message.replace("refId", "order-1002") });
        "a paid payment has a reason" in PAID => "qr.status.paymentRejectedReason.only":
            response(|asked, message| if asked.is("qr.status") && message.get("status") == "PAID" {
                message.set("paymentRejectedReason", "Not specified");
            });
        "an expired payment was cancelled by the provider" in "qr / an-unpaid-payment-expires / crowns" => "qr.status.reason.customer-timeout":
            response(|_, message| message.replace("paymentRejectedReason", "Canceled by provider"));
        "whom the merchant cancelled was cancelled by the payer" in "qr / a-pending-payment-is-cancelled / crowns" => "qr.status.reason.by-merchant":
            response(|_, message| message.replace("paymentRejectedReason", "Canceled by payer"));
        "the cancellation of another payment" in "qr / a-pending-payment-is-cancelled / crowns" => "qr.cancel.transId.value":
            response(|asked, message| if asked.is("qr.cancel") { message.replace("transId", "AAAA-0000-0001") });
        "a sign of life with a text" in "qr / the-pings-answer-200" => "qr.ping.call":
            response(|asked, message| if asked.is("qr.ping") { message.becomes_a_page(200, "pong") });
        "a sign of life of the authentication with a text" in "qr / the-pings-answer-200" => "qr.auth-ping.call":
            response(|asked, message| if asked.is("auth-ping") { message.becomes_a_page(200, "pong") });
        "a sign of life without content" in "qr / the-pings-answer-200" => "qr.ping.status":
            response(|asked, message| if asked.is("qr.ping") { message.becomes_an_error(204) });
        "a cancellation is below /v1" in "qr / answers-are-json" => "qr.version.path":
            instead(|asked| asked.is("qr.cancel").then(|| Message::objection(asked, 404, "")));
        "an error is a page" in "qr / answers-are-json" => "qr.json":
            response(|_, message| if message.status >= 400 { message.becomes_a_page(message.status, "<h1>Bad Request</h1>") });
    }
}

/// Reports a state of a payment once a fact is known.
fn once_known(asked: &ObservedRequest<'_>, message: &mut Message, fact: &str, state: &str) {
    if asked.is("qr.status") && asked.knows(fact) {
        message.replace("status", state);
    }
}

fn transitions() -> Vec<Break> {
    breaks! {
        "a payment that is born cancelled" in PAID => "qr.payment.created":
            response(|asked, message| if asked.is("qr.create") {
                message.set("status", "CANCELLED");
                message.set("paymentRejectedReason", "Not specified");
                message.remove("paymentData");
            });
        "a payment is paid before the money arrives" in PAID => "qr.payment.states":
            response(|asked, message| if asked.is("qr.status") { message.replace("status", "PAID") });
        "the money arrives, and it stays pending" in PAID => "qr.status.result":
            world(|deed| if deed.action == "payer.pays" { deed.does_not_happen() });
        "a result that nobody is told" in "qr / slovak-euros-that-arrive-pay" => "qr.events.payment":
            world(|deed| if deed.action == "payer.pays" { deed.does_not_happen() });
        "a cancellation that cancels nothing" in "qr / a-pending-payment-is-cancelled / crowns" => "qr.payment.states":
            instead(|asked| asked.is("qr.cancel").then(|| Message::granted(asked.sound())));
        "an accepted cancellation leaves the payment pending" in "qr / a-pending-payment-is-cancelled / crowns" => "qr.payment.cancelled":
            response(|asked, message| if asked.is("qr.cancel") { message.replace("status", "PENDING") });
        "a payment expires ahead of its time" in "qr / an-unpaid-payment-expires / crowns" => "qr.payment.expired":
            setting(|settings| { settings.insert("qr-expiration-seconds".to_owned(), json!(880)); });
        "a refused cancellation cancels" in "qr / a-final-payment-is-not-cancelled / crowns" => "qr.cancel.not-final":
            response(|asked, message| {
                if asked.is("qr.cancel") {
                    asked.first_time("cancelled");
                }
                once_known(asked, message, "cancelled", "CANCELLED");
            });
        "a paid payment is cancelled" in "qr / a-final-payment-is-not-cancelled / crowns" => "qr.cancel.not-final":
            response(|asked, message| if asked.is("qr.cancel") { message.grant(asked) });
        "late money revives a payment" in "late-money-revives-no-payment" => "qr.payment.states":
            world(|deed| if deed.action == "payer.pays-late" { _ = remember(deed.memory, "late") }),
            response(|asked, message| if asked.is("qr.status") && asked.knows("late") {
                message.set("status", "PAID");
                message.remove("paymentRejectedReason");
            });
        "late money may be refunded by the call" in "late-money-revives-no-payment" => "qr.refund.only-paid":
            response(|asked, message| if asked.is("qr.refund.create") { message.grant(asked) });
        "a date with an offset is refused" in "qr / refund-holds-its-limits / created: the valid" => "qr.refund.created.format":
            instead(|asked| asked.is("qr.refund.create").then(|| Message::objection(asked, 400, "")));
        "a payment that never expires" in "qr / an-unpaid-payment-expires / crowns" => "qr.status.reason.customer-timeout":
            world(|deed| if deed.action == "clock.advances" { deed.does_not_happen() });
    }
}

fn tests() -> Vec<Break> {
    breaks! {
        "the threshold is not inclusive" in "a-test-payment-ends-by-itself / 2 000 CZK" => "qr.test.paid":
            onward(|asked, sent| if asked.is("qr.create") { sent.set("amount", 200001) }),
            response(|asked, message| if asked.is("qr.create") { message.replace("paymentData", message.get("paymentData").replace("2000.01", "2000.00")) });
        "the threshold is a heller too high" in TEST_CZK => "qr.test.cancelled":
            response(|asked, message| if asked.is("qr.status") && message.get("status") == "CANCELLED" {
                message.remove("paymentRejectedReason");
                message.set("status", "PAID");
            });
        "a cancelled test payment is paid later" in TEST_CZK => "qr.payment.test-cancelled":
            response(|asked, message| if asked.is("qr.status") && message.get("status") == "CANCELLED" && !asked.first_time("cancelled") {
                message.remove("paymentRejectedReason");
                message.set("status", "PAID");
            });
        "a test payment is cancelled that should be paid" in "a-test-refund-ends-by-itself / all crowns" => "qr.payment.test-paid":
            response(|asked, message| if asked.is("qr.status") && message.get("status") == "PAID" {
                message.set("status", "CANCELLED");
            });
        "a test payment ends at once" in TEST_CZK => "qr.test.time":
            world(|deed| if deed.action == "clock.advances" { _ = deed.with.insert("seconds".to_owned(), json!(12)) });
    }
}

fn changes() -> Vec<Break> {
    breaks! {
        "the change of another payment" in CHANGED => "qr.change-method.transId.value":
            response(|asked, message| if asked.is("change-method") { message.replace("transId", "AAAA-0000-0001") });
        "a change tells another reference" in "a-change-of-method-restarts-the-expiry / crowns" => "qr.change-method.refId.value":
            response(|asked, message| if asked.is("change-method") { message.replace("refId", "order-1002") });
        "a second change is refused" in CHANGED => "qr.change-method.unlimited":
            instead(|asked| (asked.is("change-method") && !asked.first_time("changed")).then(|| Message::objection(asked, 409, "")));
        "the response names another expiry than the one that counts" in "a-change-of-method-restarts-the-expiry / crowns"
            => "qr.change-method.expiration.value":
            world(|deed| if deed.action == "clock.advances" && deed.with["seconds"] == json!(20) { deed.does_not_happen() });
        "a change does not restart the expiry" in "a-change-of-method-restarts-the-expiry / crowns" => "qr.change-method.restarted":
            instead(|asked| asked.is("change-method").then(|| {
                let mut message = Message::granted(asked.sound());
                message.set("expiration", "2026-01-15T12:15:00Z");
                message
            }));
        "a change shortens an extension" in "a-change-of-method-shortens-nothing" => "qr.change-method.not-shortened":
            response(|asked, message| if asked.is("change-method") { message.replace("expiration", "2026-01-15T12:15:00Z") });
        "a change checks the limits again" in "a-change-of-method-checks-no-limits / 500 000 CZK" => "qr.change-method.limits":
            instead(|asked| (asked.is("change-method") && !asked.first_time("changed")).then(|| Message::objection(asked, 400, "")));
        "a refused change restarts the expiry" in "a-refused-change-of-method-restarts-nothing / an unknown" => "qr.change-method.refused":
            world(|deed| if deed.action == "clock.advances" && deed.with["seconds"] == json!(310) { deed.does_not_happen() });
        "the format of the old method" in "a-change-of-method-changes-the-format" => "qr.change-method.paymentData.format":
            response(|asked, message| if message.has("paymentData") {
                message.replace("paymentData", asked.noted("drawn", message.get("paymentData")));
            });
    }
}

fn extensions() -> Vec<Break> {
    breaks! {
        "the extension of another payment" in EXTENDED => "qr.extend.transId.value":
            response(|asked, message| if asked.is("qr.extend") { message.replace("transId", "AAAA-0000-0001") });
        "an extension tells another reference" in EXTENDED => "qr.extend.refId.value":
            response(|asked, message| if asked.is("qr.extend") { message.replace("refId", "order-1002") });
        "an extension of one day" in EXTENDED => "qr.extend.server":
            response(|asked, message| if asked.is("qr.extend") { message.replace("expiration", "2026-01-16T12:00:00Z") });
        "an extension that extends nothing" in EXTENDED => "qr.payment.extended":
            instead(|asked| asked.is("qr.extend").then(|| {
                let mut message = Message::granted(asked.sound());
                message.set("refId", "order-1001");
                message
            }));
        "no extension without a body" in EXTENDED => "qr.extend.note.optional":
            instead(|asked| {
                let again = asked.is("qr.extend") && !asked.has("note") && !asked.first_time("once");
                again.then(|| Message::objection(asked, 400, ""))
            });
        "a second extension extends further" in "an-extension-may-be-repeated" => "qr.extend.idempotent":
            response(|asked, message| if asked.is("qr.extend") && !asked.first_time("extended") {
                message.replace("expiration", "2027-03-01T10:00:00Z");
            });
        "an extension shortens" in "an-extension-is-never-shorter" => "qr.extend.not-shortened":
            setting(|settings| { settings.insert("qr-expiration-seconds".to_owned(), json!(900)); });
        "a cancelled payment is extended" in "a-cancelled-payment-is-not-extended / crowns" => "qr.payment.extend-of-cancelled":
            response(|asked, message| if asked.is("qr.extend") { message.grant(asked) });
        "an extension of a paid payment is refused" in "a-paid-payment-is-extended-to-no-effect" => "qr.payment.extend-of-paid":
            instead(|asked| asked.is("qr.extend").then(|| Message::objection(asked, 400, "")));
        "an extended payment is no longer matched" in "an-extended-payment-is-still-paid" => "qr.extend.matchable":
            world(|deed| {
                if deed.action == "clock.advances" { _ = remember(deed.memory, "days later") }
                if deed.action == "payer.pays" { deed.does_not_happen() }
            });
    }
}
