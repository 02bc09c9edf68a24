//! Rules of document 3 that are kept today, by a terminal, or by the usual method and merchant, and broken otherwise.

use serde_json::{Value, json};

use super::Break;
use crate::support::proxy::{Message, ObservedRequest, WorldAction, remember};

const SUMS: &str = "the-sum-of-refunds-is-checked-for-any-method / in the middle";
const DAYS: &str = "the-sum-of-refunds-is-checked-days-later / euros";
const ENDED: &str = "a-refund-that-has-ended-stays-so / rejected";
const CANCELLED: &str = "a-cancelled-payment-is-cancelled-days-later / crowns";
const SET: &str = "an-app-has-what-is-set-for-it / what is not permitted";
const KNOWN: &str = "what-is-known-of-an-unknown-record-is-kept";
const OPEN: &str = "no-endpoint-answers-without-a-token / catalog";
const UNREADABLE: &str = "a-body-that-is-not-json-is-a-bad-request / logs";

pub fn all() -> Vec<Break> {
    [sums(), days(), methods(), symbols(), access(), settings(), apps(), uploads()].into_iter().flatten().collect()
}

/// Remembers that time has passed.
fn passes(deed: &mut WorldAction<'_>) {
    if deed.action == "clock.advances" {
        remember(deed.memory, "later");
    }
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
            world(passes),
            response(|asked, message| if asked.is("refund.create") && asked.knows("later") { message.grant(asked) });
    }
}

fn days() -> Vec<Break> {
    breaks! {
        "refunds are listed for some days" in DAYS => "qr.status.refunds.creation":
            world(passes),
            response(|asked, message| if asked.is("qr.status") && asked.knows("later") { message.replace("refunds", json!([])) });
        "a refund that was sent back is cancelled later" in "a-refund-that-has-ended-stays-so / sent back" => "qr.refund.states":
            world(passes),
            response(|asked, message| later(asked, message, "refund.status", "CANCELLED"));
        "a rejected refund is sent back later" in "a-refund-that-has-ended-stays-so / rejected" => "qr.refund.states":
            world(passes),
            response(|asked, message| later(asked, message, "refund.status", "REFUNDED"));
        "the refunds of a day are listed" in ENDED => "qr.status.refunds.creation":
            world(passes),
            response(|asked, message| if asked.is("qr.status") && asked.knows("later") { message.replace("refunds", json!([])) });
        "a test refund is pending again" in "a-test-refund-ends-by-itself / all crowns" => "qr.refund.states":
            world(passes_an_hour),
            response(|asked, message| later(asked, message, "refund.status", "PENDING"));
        "a cancelled test refund is sent back later" in "a-test-refund-of-1-minor-unit-is-cancelled / 0.01 CZK" => "qr.refund.states":
            world(passes_an_hour),
            response(|asked, message| later(asked, message, "refund.status", "REFUNDED"));
        "a cancelled payment is pending an hour later" in CANCELLED => "qr.payment.states":
            world(passes),
            response(|asked, message| later(asked, message, "qr.status", "PENDING"));
        "a reason is forgotten" in CANCELLED => "qr.status.reason.by-merchant":
            world(passes),
            response(|asked, message| if asked.is("qr.status") && asked.knows("later") {
                message.replace("paymentRejectedReason", "Not specified");
            });
        "a foreign payment is read a day later" in "a-foreign-payment-is-answered-403-days-later" => "qr.token.other-payment":
            response(|asked, message| if asked.is("qr.status") { message.grant(asked) });
        "a cancelled payment is extended at the second attempt" in "a-cancelled-payment-is-not-extended / crowns"
            => "qr.payment.extend-of-cancelled":
            response(|asked, message| if asked.is("qr.extend") && !asked.first_time("refused") { message.grant(asked) });
    }
}

fn methods() -> Vec<Break> {
    breaks! {
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
    }
}

fn settings() -> Vec<Break> {
    breaks! {
        "an app addresses production" in SET => "device.config.env.enum":
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
    }
}

fn apps() -> Vec<Break> {
    breaks! {
        "no logs of an app" in "logs-are-asked-for-from-an-app" => "device.authenticate.requestDebugLogs.only":
            response(|asked, message| if asked.is("device.authenticate") { message.remove("requestDebugLogs") });
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
    }
}
