//! Rules of document 3 that are kept today, by a terminal, or by the usual method and merchant, and broken otherwise.

use serde_json::{Value, json};

use super::{Break, time_passes};
use crate::support::proxy::{Message, ObservedRequest, WorldAction, remember};

const SUMS: &str = "the-sum-of-refunds-is-checked-for-any-method / in the middle";
const DAYS: &str = "the-sum-of-refunds-is-checked-days-later / euros";
const ENDED: &str = "a-refund-that-has-ended-stays-so / rejected";
const CANCELLED: &str = "a-cancelled-payment-is-cancelled-days-later / crowns";
const SET: &str = "an-app-has-what-is-set-for-it / what is not permitted";
const KNOWN: &str = "what-is-known-of-an-unknown-record-is-kept";
const STORED: &str = "what-is-accepted-is-stored-as-it-was-sent";
const OPEN: &str = "no-endpoint-answers-without-a-token / catalog";
const UNREADABLE: &str = "a-body-that-is-not-json-is-a-bad-request / logs";

pub fn all() -> Vec<Break> {
    [sums(), days(), methods(), symbols(), access(), settings(), apps(), uploads()].into_iter().flatten().collect()
}

/// Remembers that an hour has passed, and no mere seconds.
fn passes_an_hour(deed: &mut WorldAction<'_>) {
    if deed.action == "clock.advances" && deed.with["seconds"] == json!(3700) {
        remember(deed.memory, "later");
    }
}

/// Reports another state of what was asked for, once time has passed.
fn later(asked: &ObservedRequest<'_>, message: &mut Message, call: &str, state: &str) {
    if asked.is(call) && asked.knows("later") {
        message.replace("status", state);
        message.remove("paymentRejectedReason");
    }
}

/// Changes the records on their way to the emulator.
fn sent(asked: &ObservedRequest<'_>, sent: &mut Message, change: impl Fn(&mut Value)) {
    if let Some(Value::Array(records)) = sent.fields.get_mut("transactions").filter(|_| asked.is("device.transactions")) {
        records.iter_mut().for_each(change);
    }
}

fn sums() -> Vec<Break> {
    breaks! {
        "no sum of refunds after a change of method" in SUMS => "qr.refund.sum":
            response(|asked, message| if asked.is("change-method") {
                asked.note("changed", asked.text("transId"));
            } else if asked.is("refund.create") && asked.text("transId") == asked.recall("changed") {
                message.grant(asked);
            });
        "no sum of refunds of one method" in SUMS => "qr.refund.sum":
            response(|asked, message| if asked.is("qr.create") && asked.text("method") == "BANK_CZ_T_KB" {
                asked.note("one", message.get("transId"));
            } else if asked.is("refund.create") && asked.text("transId") == asked.recall("one") {
                message.grant(asked);
            });
        "no sum of refunds of another merchant" in "the-sum-of-refunds-is-checked-for-every-payment / of another merchant"
            => "qr.refund.sum":
            response(|asked, message| if asked.is("refund.create") { message.grant(asked) });
        "no sum of refunds after an hour" in "the-sum-of-refunds-is-checked-days-later / crowns" => "qr.refund.sum":
            world(time_passes),
            response(|asked, message| if asked.is("refund.create") && asked.knows("later") { message.grant(asked) });
        "no sum of refunds beyond 32 bits" in "large-amounts-are-asked-for-and-refunded-exactly / euros beyond 32 bits" => "qr.refund.sum":
            response(|asked, message| if asked.is("refund.create") { message.grant(asked) });
        "no second refund of another merchant in the list" in "a-payment-of-another-merchant-lists-its-refunds"
            => "qr.status.refunds.order":
            response(|asked, message| match message.fields.get_mut("refunds") {
                Some(Value::Array(refunds)) if asked.is("qr.status") => refunds.truncate(1),
                _ => {}
            });
        "no sum of refunds of another merchant in euros" in "a-payment-of-another-merchant-lists-its-refunds" => "qr.refund.sum":
            response(|asked, message| if asked.is("refund.create") { message.grant(asked) });
        "no sum of refunds without a reference" in "the-sum-of-refunds-without-a-reference-is-checked / crowns" => "qr.refund.sum":
            response(|asked, message| if asked.is("refund.create") && !asked.has("refId") { message.grant(asked) });
        "a changed payment is refunded before it is paid" in "a-pending-payment-with-another-method-is-not-refunded / crowns"
            => "qr.refund.only-paid":
            response(|asked, message| if asked.is("refund.create") { message.grant(asked) });
        "a rejected refund in euros was sent back" in "a-refund-may-be-rejected-by-the-bank / rejected in euros" => "qr.refund.rejected":
            response(|asked, message| if asked.is("refund.status") && message.get("status") == "CANCELLED" {
                message.set("status", "REFUNDED");
            });
        "the second test refund of a heller is refunded" in "each-test-refund-ends-by-its-own-amount" => "qr.test.refund.cancelled":
            response(|asked, message| if asked.is("refund.status") && message.get("status") == "CANCELLED" {
                message.set("status", "REFUNDED");
            });
        "a test refund of a heller of another merchant is refunded" in "a-test-refund-of-another-merchant-ends-by-itself / 0.01 CZK"
            => "qr.test.refund.cancelled":
            response(|asked, message| if asked.is("refund.status") { message.replace("status", "REFUNDED") });
        "the list forgets a test refund that was cancelled" in "each-test-refund-ends-by-its-own-amount" => "qr.status.refunds.creation":
            response(|asked, message| match message.fields.get_mut("refunds") {
                Some(Value::Array(refunds)) if asked.is("qr.status") => refunds.retain(|refund| refund["amount"] != 1),
                _ => {}
            });
        "the last test refund is cancelled" in "each-test-refund-ends-by-its-own-amount" => "qr.test.refund.refunded":
            response(|asked, message| if asked.is("refund.status") && message.get("status") == "REFUNDED" {
                message.set("status", "CANCELLED");
            });
    }
}

fn days() -> Vec<Break> {
    breaks! {
        "refunds are listed for some days" in DAYS => "qr.status.refunds.creation":
            world(time_passes),
            response(|asked, message| if asked.is("qr.status") && asked.knows("later") { message.replace("refunds", json!([])) });
        "a refund that was sent back is cancelled later" in "a-refund-that-has-ended-stays-so / sent back" => "qr.refund.states":
            world(time_passes),
            response(|asked, message| later(asked, message, "refund.status", "CANCELLED"));
        "a rejected refund is sent back later" in "a-refund-that-has-ended-stays-so / rejected" => "qr.refund.states":
            world(time_passes),
            response(|asked, message| later(asked, message, "refund.status", "REFUNDED"));
        "the refunds of a day are listed" in ENDED => "qr.status.refunds.creation":
            world(time_passes),
            response(|asked, message| if asked.is("qr.status") && asked.knows("later") { message.replace("refunds", json!([])) });
        "a test refund is pending again" in "a-test-refund-ends-by-itself / all crowns" => "qr.refund.states":
            world(passes_an_hour),
            response(|asked, message| later(asked, message, "refund.status", "PENDING"));
        "a cancelled test refund is sent back later" in "a-test-refund-of-1-minor-unit-is-cancelled / 0.01 CZK" => "qr.refund.states":
            world(passes_an_hour),
            response(|asked, message| later(asked, message, "refund.status", "REFUNDED"));
        "a cancelled payment is pending an hour later" in CANCELLED => "qr.payment.states":
            world(time_passes),
            response(|asked, message| later(asked, message, "qr.status", "PENDING"));
        "a reason is forgotten" in CANCELLED => "qr.status.reason.by-merchant":
            world(time_passes),
            response(|asked, message| if asked.is("qr.status") && asked.knows("later") {
                message.replace("paymentRejectedReason", "Not specified");
            });
        "a foreign payment is read a day later" in "a-foreign-payment-is-answered-403-days-later" => "qr.token.other-payment":
            response(|asked, message| if asked.is("qr.status") { message.grant(asked) });
        "a return is doubled the next day" in "a-returned-amount-stays-the-same-the-next-day / CZK" => "terminal.status.amountRefunded.value":
            world(time_passes),
            response(|asked, message| if asked.is("terminal.status") && asked.knows("later") { message.replace("amountRefunded", "5000") });
        "a refund is not cancelled an hour later" in "a-refund-is-cancelled-hours-later / an hour" => "terminal.refund.cancel.same-day":
            world(passes_an_hour),
            instead(|asked| (asked.is("refund.cancel") && asked.knows("later")).then(|| Message::refusal(asked, 1400)));
        "a cancelled payment is extended at the second attempt" in "a-cancelled-payment-is-not-extended / crowns"
            => "qr.payment.extend-of-cancelled":
            response(|asked, message| if asked.is("qr.extend") && !asked.first_time("refused") { message.grant(asked) });
        "a paid payment is cancelled at the second attempt" in "qr / a-final-payment-is-not-cancelled / crowns" => "qr.cancel.not-final":
            response(|asked, message| if asked.is("qr.cancel") && !asked.first_time("refused") { message.grant(asked) });
        "a cancellation by another merchant cancels nothing" in "qr / a-pending-payment-is-cancelled / of another merchant"
            => "qr.payment.states":
            instead(|asked| asked.is("qr.cancel").then(|| Message::granted(asked.sound())));
        "a cancelled payment is answered 422 when there is a note" in "a-cancelled-payment-is-not-extended / crowns" => "qr.errors.400":
            response(|asked, message| if asked.is("qr.extend") && asked.has("note") && message.status == 400 { message.status = 422 });
        "a longer note in euros" in "a-longer-note-on-a-payment-in-euros-is-refused / euros" => "qr.extend.note.max":
            response(|asked, message| if asked.is("qr.extend") { message.grant(asked) });
        "a second note is refused" in "an-extension-needs-no-note" => "qr.payment.extended":
            instead(|asked| (asked.is("qr.extend") && asked.text("note") == "Table 8").then(|| Message::objection(asked, 409, "")));
        "a payment that another merchant extended expires at once" in "a-payment-of-another-merchant-expires-and-is-extended"
            => "qr.payment.extended":
            response(|asked, message| if asked.is("qr.extend") && message.fulfils() {
                asked.note("extended", asked.text("transId"));
            } else if asked.is("qr.status") && asked.text("transId") == asked.recall("extended") {
                message.replace("status", "CANCELLED");
            });
        "a payment of another merchant never expires" in "a-payment-of-another-merchant-expires-and-is-extended" => "qr.payment.expired":
            response(|asked, message| if asked.is("qr.status") && message.get("status") == "CANCELLED" {
                message.set("status", "PENDING");
                message.remove("paymentRejectedReason");
            });
        "an expired payment of another merchant is extended" in "a-payment-of-another-merchant-expires-and-is-extended"
            => "qr.payment.extend-of-cancelled":
            response(|asked, message| if asked.is("qr.extend") { message.grant(asked) });
        "a payment that expired after its extension is extended again" in "an-extension-lasts-seven-days / crowns"
            => "qr.payment.extend-of-cancelled":
            response(|asked, message| if asked.is("qr.extend") { message.grant(asked) });
        "a payment under suspicion is extended" in "a-payment-that-another-cancelled-is-not-extended / under suspicion of fraud"
            => "qr.payment.extend-of-cancelled":
            response(|asked, message| if asked.is("qr.extend") { message.grant(asked) });
        "late money revives what was under suspicion" in "late-money-revives-no-payment-that-was-given-up / under suspicion of fraud"
            => "qr.payment.states":
            world(|deed| if deed.action == "payer.pays-late" { _ = remember(deed.memory, "late") }),
            response(|asked, message| if asked.is("qr.status") && asked.knows("late") {
                message.set("status", "PAID");
                message.remove("paymentRejectedReason");
            });
        "a PIN reset is forgotten after a day" in "a-pin-reset-is-an-event" => "device.config.pinResetAt.value":
            world(time_passes),
            response(|asked, message| if asked.is("device.config") && asked.knows("later") { message.replace("pinResetAt", Value::Null) });
        "a report of a terminal is forgotten after a day" in "a-reported-terminal-is-an-event" => "device.config.terminalReportedAt.value":
            world(time_passes),
            response(|asked, message| if asked.is("device.config") && asked.knows("later") {
                message.replace("terminalReportedAt", Value::Null);
            });
        "a payment that was refunded as a whole is cancelled" in "qr / a-refunded-payment-is-not-cancelled / as a whole" => "qr.cancel.not-final":
            response(|asked, message| if asked.is("qr.cancel") { message.grant(asked) });
        "a payment that was refunded as a whole is not extended" in "qr / a-refunded-payment-is-not-cancelled / as a whole"
            => "qr.payment.extend-of-paid":
            instead(|asked| asked.is("qr.extend").then(|| Message::objection(asked, 400, "")));
        "euros pay no payment that was extended" in "a-payment-is-paid-after-an-extension / euros" => "qr.extend.matchable":
            world(|deed| if deed.action == "payer.pays" { deed.does_not_happen() });
        "a change of method shortens an extension in euros" in "a-change-of-method-keeps-an-extension / euros"
            => "qr.change-method.not-shortened":
            response(|asked, message| if asked.is("change-method") { message.replace("expiration", "2026-01-15T12:15:00Z") });
        "a day more each time in euros" in "an-extension-repeated-at-once-shortens-nothing / euros" => "qr.extend.idempotent":
            response(|asked, message| if asked.is("qr.extend") && !asked.first_time("extended") {
                message.replace("expiration", "2030-01-01T10:00:00Z");
            });
        "refunds are listed the other way round a day later" in "the-list-of-refunds-stays-as-created" => "qr.status.refunds.creation":
            world(|deed| if deed.action == "clock.advances" && deed.with["seconds"] == json!(90000) { _ = remember(deed.memory, "later") }),
            response(|asked, message| match message.fields.get_mut("refunds") {
                Some(Value::Array(refunds)) if asked.is("qr.status") && asked.knows("later") => refunds.reverse(),
                _ => {}
            });
        "a document code is another one weeks later" in "a-document-code-is-the-same-weeks-later"
            => "device.config.documentDeviceCode.constant":
            response(|asked, message| if asked.is("device.config") { message.replace("documentDeviceCode", "77") });
        "a revoked device is let in a day later" in "a-revoked-device-is-revoked-a-day-later" => "device.revoked.device-token":
            world(time_passes),
            response(|asked, message| if asked.is("device.authenticate") && asked.knows("later") { message.grant(asked) });
    }
}

fn methods() -> Vec<Break> {
    breaks! {
        "a paid payment with another method is cancelled" in "a-payment-changes-to-a-method-of-the-offer / crowns" => "qr.cancel.not-final":
            response(|asked, message| if asked.is("qr.cancel") { message.grant(asked) });
        "a payment with another method lists no refunds" in "a-payment-changes-to-a-method-of-the-offer / euros" => "qr.status.refunds.transRefundId.recovered":
            response(|asked, message| if asked.is("qr.status") { message.replace("refunds", json!([])) });
        "no change to a method in the middle" in "a-payment-changes-to-any-method-of-the-offer / in the middle"
            => "qr.payment.method-changed":
            instead(|asked| asked.is("change-method").then(|| Message::objection(asked, 409, "")));
        "a Slovak payment has the time that it had" in "a-change-to-a-method-for-euros-restarts-the-expiry / Slovak euros"
            => "qr.change-method.restarted":
            response(|asked, message| if asked.is("change-method") {
                message.replace("expiration", asked.noted("expiration", message.get("expiration")));
            });
        "one method has no threshold" in "a-test-payment-of-any-method-has-the-threshold / above 2 000 CZK" => "qr.test.cancelled":
            response(|asked, message| if asked.is("qr.create") && asked.text("method") == "BANK_CZ_T_KB" {
                asked.note("one", message.get("transId"));
            } else if asked.is("qr.status") && asked.text("transId") == asked.recall("one") {
                message.set("status", "PAID");
                message.remove("paymentRejectedReason");
            });
        "an unknown method cancels a payment in euros" in "a-refused-change-of-method-writes-nothing / an unknown method for euros"
            => "qr.payment.method-refused":
            response(|asked, message| if asked.is("change-method") {
                asked.first_time("changed");
            } else if asked.is("qr.status") && asked.knows("changed") {
                message.replace("status", "CANCELLED");
            });
        "a refused change shortens" in "a-refused-change-of-method-shortens-nothing / an unknown method" => "qr.change-method.refused":
            response(|asked, message| if asked.is("qr.status") { message.replace("status", "CANCELLED") });
        "the method of a paid payment in euros is changed" in "the-method-of-a-paid-payment-is-not-changed / euros"
            => "qr.change-method.pending":
            response(|asked, message| if asked.is("change-method") { message.grant(asked) });
        "the method of a payment with a refund is changed" in "the-method-of-a-paid-payment-is-not-changed / crowns"
            => "qr.change-method.pending":
            response(|asked, message| if asked.is("change-method") && !asked.first_time("refused") { message.grant(asked) });
        "another merchant has no threshold" in "a-test-payment-of-another-merchant-ends-by-itself / above" => "qr.test.cancelled":
            response(|asked, message| if asked.is("qr.status") {
                message.set("status", "PAID");
                message.remove("paymentRejectedReason");
            });
    }
}

fn symbols() -> Vec<Break> {
    breaks! {
        "a longer symbol in euros" in "a-variable-symbol-beyond-its-limits-is-a-bad-request / longer in euros" => "qr.errors.400":
            response(|asked, message| if asked.is("qr.create") { message.grant(asked) });
        "a NUL in Slovak euros" in "a-variable-symbol-with-a-nul-is-a-bad-request / with a NUL in Slovak euros" => "qr.errors.400":
            response(|asked, message| if asked.is("qr.create") { message.grant(asked) });
        "a payment with a refund loses its reference" in "qr / a-reference-comes-back-unchanged / digits" => "qr.create.refId.unchanged":
            response(|asked, message| if asked.is("refund.create") {
                asked.first_time("refunded");
            } else if asked.is("qr.status") && asked.knows("refunded") {
                message.remove("refId");
            });
        "a second change loses the reference" in "qr / a-reference-is-in-every-response / crowns" => "qr.change-method.refId.value":
            response(|asked, message| if asked.is("change-method") && !asked.first_time("changed") { message.set("refId", Value::Null) });
        "a code for a rejected payment in euros" in "a-payment-that-is-rejected-at-once-has-no-code"
            => "qr.create.answer.paymentData.cancelled":
            response(|asked, message| if asked.text("currency") == "EUR" && message.get("status") == "CANCELLED" {
                message.set("paymentData", "SPD*1.0*ACC:CZ6508000000192000145399*AM:50.00*CC:EUR*X-VS:1234567890");
            });
        "the symbol of the operator in a code for euros that is drawn again" in "a-variable-symbol-is-not-in-a-euro-code"
            => "qr.create.variableSymbol.not-in-code":
            response(|asked, message| if asked.is("change-method") && message.get("paymentData").starts_with("BCD") {
                let data = message.get("paymentData");
                let mut lines: Vec<&str> = data.lines().collect();
                lines.resize(11, "");
                lines[9] = "";
                lines[10] = "2026000123";
                message.set("paymentData", lines.join("\n"));
            });
        "a text of the operator in a code that is drawn again" in "a-variable-symbol-is-not-in-the-code"
            => "qr.create.variableSymbol.not-in-code":
            response(|asked, message| if asked.is("change-method") {
                message.replace("paymentData", format!("{}*X-ID:sedm", message.get("paymentData")));
            });
        "two payments have the short symbol of the operator" in "two-payments-with-one-symbol-of-the-operator-have-two / 1 digit"
            => "qr.create.symbol.own":
            response(|asked, message| if asked.is("qr.create") {
                message.replace("paymentData", asked.noted("code", message.get("paymentData")));
            });
        "a text of the operator in a code for euros" in "a-variable-symbol-is-not-in-a-euro-code" => "qr.create.variableSymbol.not-in-code":
            response(|asked, message| if asked.text("variableSymbol").ends_with("sedm") && message.get("paymentData").starts_with("BCD") {
                let data = message.get("paymentData");
                let mut lines: Vec<&str> = data.lines().collect();
                lines.resize(11, "");
                lines[9] = "";
                lines[10] = "sedm";
                message.set("paymentData", lines.join("\n"));
            });
    }
}

fn access() -> Vec<Break> {
    breaks! {
        "an unknown merchant is taken for that of the token" in "qr / a-token-is-for-one-merchant" => "qr.token.other-merchant":
            response(|asked, message| if asked.text("merchantId").ends_with("-0") { message.grant(asked) });
        "closings of anybody" in "no-endpoint-answers-without-a-token / closings" => "device.token.bearer":
            response(|asked, message| if asked.is("device.closings") { message.grant(asked) });
        "logs of anybody" in "no-endpoint-answers-without-a-token / logs" => "device.token.bearer":
            response(|asked, message| if asked.is("device.logs") { message.grant(asked) });
        "a catalog for anybody" in OPEN => "device.token.bearer":
            response(|asked, message| if asked.is("device.catalog") { message.grant(asked) });
        "closings that are not JSON revoke the device" in "a-body-that-is-not-json-is-a-bad-request / closings"
            => "device.invalid-json.400":
            response(|asked, message| if asked.is("device.closings") && message.status == 400 {
                message.set("errorCode", "DEVICE_REVOKED");
            });
        "logs that are not JSON are answered 422" in UNREADABLE => "device.invalid-json.400":
            response(|asked, message| if asked.is("device.logs") && message.status == 400 { message.status = 422 });
        "an app of another merchant has the code of a terminal"
            in "no-two-devices-of-another-merchant-have-the-same-document-code" => "device.config.documentDeviceCode.free":
            response(|asked, message| if asked.is("device.activate") && message.has("config") {
                message.fields["config"]["documentDeviceCode"] = json!("77");
            });
        "no lock for another merchant" in "a-lowest-version-of-the-app-is-for-all-merchants"
            => "device.authenticate.minAppVersionCode.same":
            response(|asked, message| if asked.is("device.authenticate") { message.replace("minAppVersionCode", Value::Null) });
        "a token that expired a minute ago" in "a-new-token-of-a-device-expires-after-an-event" => "device.authenticate.expiry.value":
            response(|asked, message| if asked.is("device.authenticate") { message.replace("expiry", "2026-01-15T11:59:00Z") });
        "payments in euros are open to other merchants" in "a-payment-of-any-currency-is-foreign-to-others / euros"
            => "qr.token.other-payment":
            response(|asked, message| if message.status == 403 { message.grant(asked) });
        "payments of another merchant are open to the first one" in "a-payment-of-any-currency-is-foreign-to-others / of another merchant"
            => "qr.token.other-payment":
            response(|asked, message| if message.status == 403 { message.grant(asked) });
        "a cancelled payment is open to other merchants" in "a-payment-that-was-cancelled-is-foreign-to-others"
            => "qr.token.other-payment":
            response(|asked, message| if message.status == 403 { message.grant(asked) });
        "a refunded payment is open to other merchants" in "a-payment-that-was-refunded-is-foreign-to-others"
            => "qr.token.other-payment":
            response(|asked, message| if message.status == 403 { message.grant(asked) });
        "a form gets a token" in "a-form-is-not-taken" => "qr.json":
            response(|asked, message| if asked.is("qr.authenticate") { message.grant(asked) });
        "half a note extends a payment" in "a-form-is-not-taken" => "qr.json":
            response(|asked, message| if asked.is("qr.extend") { message.grant(asked) });
        "a superseded device of another merchant goes on" in "a-device-of-another-merchant-is-a-device-like-any-other"
            => "device.superseded.device-token":
            response(|asked, message| if asked.is("device.authenticate") { message.grant(asked) });
        "a revoked device of another merchant reads on" in "a-device-of-another-merchant-is-a-device-like-any-other"
            => "device.revoked.at-once":
            response(|asked, message| if asked.is("device.config") { message.grant(asked) });
        "a revoked device token is exchanged at the second attempt" in "a-revoked-device-stops-at-once / configuration"
            => "device.revoked.device-token":
            response(|asked, message| if asked.is("device.authenticate") && message.get("errorCode") == "DEVICE_REVOKED"
                && !asked.first_time("refused") { message.grant(asked) });
        "an expired token is revoked at the second attempt" in "a-token-of-long-ago-has-expired" => "device.code.TOKEN_EXPIRED":
            response(|asked, message| if message.get("errorCode") == "TOKEN_EXPIRED" && !asked.first_time("expired") {
                message.set("errorCode", "DEVICE_REVOKED");
            });
    }
}

fn settings() -> Vec<Break> {
    breaks! {
        "an app addresses production" in SET => "device.config.delivered":
            response(|asked, message| if asked.is("device.config") { message.replace("env", "PROD") });
        "an app may always reverse" in SET => "device.config.reversalEnabled.value":
            response(|asked, message| if asked.is("device.config") { message.replace("reversalEnabled", true) });
        "an app may always refund" in SET => "device.config.refundEnabled.value":
            response(|asked, message| if asked.is("device.config") { message.replace("refundEnabled", true) });
        "an app offers no tips" in SET => "device.config.tip.only":
            response(|asked, message| if asked.is("device.config") { message.remove("tip") });
        "an app has no rules for symbols" in SET => "device.config.variableSymbol.only":
            response(|asked, message| if asked.is("device.config") { message.remove("variableSymbol") });
        "the PIN of an app is never reset" in SET => "device.config.pinResetAt.value":
            response(|asked, message| if asked.is("device.config") { message.replace("pinResetAt", Value::Null) });
        "a device of another merchant addresses production" in "a-device-of-another-merchant-is-a-device-like-any-other"
            => "device.config.delivered":
            response(|asked, message| if asked.is("device.config") { message.replace("env", "PROD") });
        "a device of another merchant offers no tips" in "a-device-of-another-merchant-is-a-device-like-any-other"
            => "device.config.tip.only":
            response(|asked, message| if asked.is("device.config") { message.remove("tip") });
        "a report takes a PIN reset away" in "another-activation-takes-nothing-away" => "device.config.pinResetAt.value":
            response(|asked, message| if asked.is("device.config") { message.replace("pinResetAt", Value::Null) });
        "another activation has another PIN" in "another-activation-has-what-was-set" => "device.activate.config.same":
            response(|asked, message| if asked.is("device.activate") && message.has("config") {
                message.fields["config"]["defaultPin"] = json!("1234");
            });
        "another activation has no automatic closing" in "another-activation-has-what-was-set" => "device.activate.config.same":
            response(|asked, message| if asked.is("device.activate") && message.has("config") {
                message.fields["config"]["autoClosing"] = json!({});
            });
    }
}

fn apps() -> Vec<Break> {
    breaks! {
        "no logs of an app" in "logs-are-asked-for-from-an-app" => "device.authenticate.requestDebugLogs.only":
            response(|asked, message| if asked.is("device.authenticate") { message.remove("requestDebugLogs") });
        "an unknown type of an app is taken for a card payment" in "odd-records-of-an-app-are-kept" => "device.transactions.type.unknown":
            onward(|asked, message| sent(asked, message, |record| if record["type"] == "NO_SUCH_TYPE" {
                record["type"] = json!("CARD");
            }));
        "an unknown status of an app is taken for PAID" in "odd-records-of-an-app-are-kept" => "device.transactions.status.unknown":
            onward(|asked, message| sent(asked, message, |record| if record["status"] == "NO_SUCH_STATUS" {
                record["status"] = json!("PAID");
            }));
        "a text of an app that can't be parsed is dropped" in "odd-records-of-an-app-are-kept" => "device.transactions.saleJson.verbatim":
            onward(|asked, message| sent(asked, message, |record| if record["syncVersion"] == 2 {
                record["saleJson"] = json!("{}");
            }));
        "an expired token revokes the app" in "a-token-of-an-app-of-long-ago-has-expired / configuration"
            => "device.code.TOKEN_EXPIRED":
            response(|_, message| if message.get("errorCode") == "TOKEN_EXPIRED" { message.set("errorCode", "DEVICE_REVOKED") });
        "a batch of an app has no limit" in "a-batch-of-51-of-an-app-is-truncated" => "device.transactions.truncated.true":
            response(|asked, message| if asked.is("device.transactions") { message.set("truncated", false) });
        "a lower syncVersion of an app overwrites" in "a-lower-sync-version-of-an-app-is-dropped"
            => "device.transactions.syncVersion.lower":
            onward(|asked, message| if asked.is("device.transactions") && !asked.first_time("once") {
                sent(asked, message, |record| record["syncVersion"] = json!(6));
            });
    }
}

fn uploads() -> Vec<Break> {
    breaks! {
        "an unknown status takes the type with it" in KNOWN => "device.transactions.status.unknown":
            onward(|asked, message| sent(asked, message, |record| if record["status"] == "NO_SUCH_STATUS" {
                record["type"] = json!("NO_SUCH_TYPE");
            }));
        "an unknown type takes the status with it" in KNOWN => "device.transactions.type.unknown":
            onward(|asked, message| sent(asked, message, |record| if record["type"] == "NO_SUCH_TYPE" {
                record["status"] = json!("NO_SUCH_STATUS");
            }));
        "the first of two wrong records is rejected" in "each-record-that-is-wrong-is-rejected / an amount that is a text"
            => "device.transactions.rejected.value":
            response(|asked, message| match message.fields.get_mut("rejected") {
                Some(Value::Array(rejected)) if asked.is("device.transactions") => rejected.truncate(1),
                _ => {}
            });
        "a symbol is stored as a number" in "an-upload-against-the-rules-is-stored" => "device.config.variableSymbol.upload":
            onward(|asked, message| sent(asked, message, |record| if record["variableSymbol"] == "0000000042" {
                record["variableSymbol"] = json!("42");
            }));
        "identifiers are stored in lower case" in "ids-are-stored-as-they-were-sent" => "device.transactions.identity":
            onward(|asked, message| sent(asked, message, |record| {
                record["id"] = json!(record["id"].as_str().unwrap_or_default().to_lowercase());
            })),
            response(|asked, message| if asked.is("device.transactions") { message.set("accepted", asked.uploaded()) });
        "the last record of a batch is not stored" in "a-batch-of-50-is-stored-whole" => "device.transactions.accepted.value":
            onward(|asked, message| match message.fields.get_mut("transactions") {
                Some(Value::Array(records)) if asked.is("device.transactions") => records.truncate(49),
                _ => {}
            }),
            response(|asked, message| if asked.is("device.transactions") { message.set("accepted", asked.uploaded()) });
        "what is accepted beside a wrong record is not stored" in "what-is-accepted-beside-a-wrong-record-is-stored"
            => "device.transactions.accepted.value":
            onward(|asked, message| match message.fields.get_mut("transactions") {
                Some(Value::Array(records)) if asked.is("device.transactions") => records.retain(|record| record["id"] != "sale-0002"),
                _ => {}
            }),
            response(|asked, message| if asked.is("device.transactions") && asked.uploaded().len() == 2 {
                message.set("accepted", json!(["sale-0002"]));
            });
        "a lower syncVersion changes the status" in "a-lower-sync-version-is-dropped" => "device.transactions.syncVersion.lower":
            onward(|asked, message| sent(asked, message, |record| if record["status"] == "CANCELLED" {
                record["syncVersion"] = json!(6);
            }));
        "a QR payment stays as it was" in STORED => "device.transactions.syncVersion.higher":
            onward(|asked, message| sent(asked, message, |record| if record["type"] == "QR" && record["syncVersion"] == 2 {
                record["syncVersion"] = json!(0);
            }));
        "a payment in euros stays as it was" in STORED => "device.transactions.syncVersion.higher":
            onward(|asked, message| sent(asked, message, |record| if record["currency"] == "EUR" && record["syncVersion"] == 2 {
                record["syncVersion"] = json!(0);
            }));
        "a much higher syncVersion replaces nothing" in STORED => "device.transactions.syncVersion.higher":
            onward(|asked, message| sent(asked, message, |record| if record["syncVersion"] == 100_000 {
                record["syncVersion"] = json!(1);
            }));
        "a text that can't be parsed is dropped from a new record" in "texts-that-cannot-be-parsed-are-kept"
            => "device.transactions.rawJson.verbatim":
            onward(|asked, message| sent(asked, message, |record| if record["id"] == "sale-0002" {
                record["rawJson"] = json!("{}");
            }));
        "what follows a whole text is dropped" in "texts-that-cannot-be-parsed-are-kept" => "device.transactions.saleJson.verbatim":
            onward(|asked, message| sent(asked, message, |record| if record["id"] == "sale-0002" {
                record["saleJson"] = json!("{\"total\": 9900}");
            }));
        "logs that were asked for are not kept" in "logs-that-were-asked-for-are-kept" => "device.logs.call":
            instead(|asked| asked.is("device.logs").then(|| Message::granted(asked.sound())));
        "a batch of 60 is not called truncated" in "a-batch-of-60-is-truncated" => "device.transactions.truncated.true":
            response(|asked, message| if asked.is("device.transactions") { message.set("truncated", false) });
    }
}
