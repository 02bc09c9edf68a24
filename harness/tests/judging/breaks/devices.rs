//! Devices: activation, configuration and refusals that differ from the documents.

use serde_json::json;

use super::Break;
use crate::support::proxy::{Message, ObservedRequest};

const REPEATED: &str = "device / an-activation-may-be-repeated";
const OPENED: &str = "the-token-opens-the-other-endpoints";
const ANNOUNCED: &str = "an-announced-deactivation-is-told";
const FAULTS: &str = "faults-of-the-service-have-their-codes";
const REVOKED: &str = "a-revoked-device-stops-at-once / configuration";
const PERMISSIONS: &str = "reversals-and-refunds-are-two-permissions / reversals only";

/// Devices that break a rule.
pub fn all() -> Vec<Break> {
    [activations(), tokens(), revocations(), codes(), configurations()].into_iter().flatten().collect()
}

/// Changes the configuration, in an activation and in a download.
fn configured(asked: &ObservedRequest<'_>, message: &mut Message, field: &str, value: impl Into<serde_json::Value>) {
    match asked.operation {
        "device.config" => message.replace(field, value),
        "device.activate" if message.has("config") => message.fields["config"][field] = value.into(),
        _ => {}
    }
}

fn activations() -> Vec<Break> {
    breaks! {
        "no activation without a version of the app" in "device / a-terminal-is-activated" => "device.activate.appVersion.optional":
            instead(|asked| (asked.is("activate") && !asked.has("appVersion")).then(|| Message::objection(asked, 400, "INVALID_REQUEST")));
        "an activation tells another version than its configuration" in "device / a-terminal-is-activated" => "device.activate.configVersion.value":
            response(|asked, message| if asked.is("activate") { message.replace("configVersion", message.fields["configVersion"].as_i64().unwrap() + i64::from(!asked.first_time("a"))) });
        "a second activation is refused" in "an-activation-of-an-app-may-be-repeated" => "device.activate.repeated":
            instead(|asked| (asked.is("activate") && !asked.first_time("once")).then(|| Message::objection(asked, 400, "ACTIVATION_CODE_USED")));
        "a second activation makes another connection" in REPEATED => "device.connectionId.same":
            response(|asked, message| if asked.is("activate") && !asked.first_time("once") { message.fields["config"]["connectionId"] = json!(9999) });
        "a terminal is activated as an app" in "device / an-app-is-activated" => "device.config.platform.value":
            response(|asked, message| configured(asked, message, "platform", "POS"));
        "an app that prints" in "device / an-app-is-activated" => "device.config.receiptPrint.SOFTPOS":
            response(|asked, message| configured(asked, message, "receiptPrint", "MERCHANT"));
        "the first device token wins" in REPEATED => "device.activate.last-wins":
            instead(|asked| (asked.is("device.authenticate") && asked.token != asked.noted("first", asked.token.clone()))
                .then(|| Message::objection(asked, 401, "DEVICE_REVOKED")));
        "the old device token still opens" in REPEATED => "device.superseded.device-token":
            response(|asked, message| if message.get("errorCode") == "DEVICE_REVOKED" { message.grant(asked) });
        "the token of the app before still opens" in "an-activation-of-an-app-may-be-repeated" => "device.activate.superseded":
            response(|asked, message| if message.get("errorCode") == "DEVICE_REVOKED" { message.grant(asked) });
        "a sign of life with a text" in "the-ping-answers-200" => "device.ping.call":
            response(|asked, message| if asked.is("device.ping") { message.becomes_a_page(200, "pong") });
    }
}

fn tokens() -> Vec<Break> {
    breaks! {
        "a device token dies within a year" in "device / a-device-token-lasts" => "device.activate.deviceToken.long-lived":
            instead(|asked| asked.is("device.authenticate").then(|| Message::objection(asked, 401, "")));
        "the liveness check fails" in "device / the-ping-answers-200" => "device.ping.status":
            instead(|asked| asked.is("device.ping").then(|| Message::objection(asked, 500, "")));
        "the device token is not exchanged" in OPENED => "device.authenticate.bearer":
            instead(|asked| asked.is("device.authenticate").then(|| Message::objection(asked, 401, "UNAUTHORIZED")));
        "a token that is no JWT" in OPENED => "device.authenticate.token.jwt":
            response(|asked, message| if asked.is("device.authenticate") { message.replace("token", message.get("token").replace('.', "-")) });
        "the credentials of the activation are exchanged" in "bootstrap-credentials-open-no-call-but-the-activation"
            => "device.authenticate.bearer":
            response(|asked, message| if asked.is("device.authenticate") && !asked.credentials.0.is_empty() { message.grant(asked) });
        "the credentials of the activation open the configuration"
            in "bootstrap-credentials-open-no-call-but-the-activation / configuration" => "device.token.bearer":
            response(|asked, message| if asked.is("device.config") && !asked.credentials.0.is_empty() { message.grant(asked) });
        "the configuration is not given" in OPENED => "device.config.delivered":
            instead(|asked| asked.is("device.config").then(|| Message::objection(asked, 401, "UNAUTHORIZED")));
        "the token does not open the payment codes" in OPENED => "device.authenticate.token.other-endpoints":
            instead(|asked| asked.is("payment-codes").then(|| Message::objection(asked, 401, "UNAUTHORIZED")));
        "the token does not open the uploads" in OPENED => "device.uploads.credentials":
            instead(|asked| asked.is("device.transactions").then(|| Message::objection(asked, 401, "UNAUTHORIZED")));
        "the token does not open the catalog" in OPENED => "device.catalog.credentials":
            instead(|asked| asked.is("catalog").then(|| Message::objection(asked, 401, "UNAUTHORIZED")));
        "a device token opens everything" in "each-token-has-its-purpose / configuration" => "device.token.kinds":
            response(|asked, message| if asked.is("device.config") { message.grant(asked) });
        "an expired token is accepted" in "a-token-expires-and-is-exchanged-again / configuration" => "device.token.short-lived":
            response(|asked, message| if message.get("errorCode") == "TOKEN_EXPIRED" { message.grant(asked) });
    }
}

fn revocations() -> Vec<Break> {
    breaks! {
        "a revoked device reads until its token expires" in REVOKED => "device.revoked.at-once":
            response(|asked, message| if asked.is("device.config") { message.grant(asked) });
        "a revocation is told once" in REVOKED => "device.revoked.every-call":
            response(|asked, message| if asked.is("device.config") && message.get("errorCode") == "DEVICE_REVOKED" && !asked.first_time("told") {
                message.grant(asked);
            });
        "DEVICE_REVOKED with 403" in REVOKED => "device.revoked.at-once":
            response(|_, message| if message.get("errorCode") == "DEVICE_REVOKED" { message.status = 403 });
        "a revoked device token is exchanged" in REVOKED => "device.revoked.device-token":
            response(|asked, message| if asked.is("device.authenticate") { message.grant(asked) });
        "a superseded device token by 403" in REPEATED => "device.superseded.device-token":
            response(|_, message| if message.get("errorCode") == "DEVICE_REVOKED" { message.status = 403 });
    }
}

fn codes() -> Vec<Break> {
    breaks! {
        "a request that is not valid has another code" in FAULTS => "device.code.INVALID_REQUEST":
            response(|_, message| if message.get("errorCode") == "INVALID_REQUEST" { message.set("errorCode", "INTERNAL_ERROR") });
        "a wrong platform has no code" in "the-platform-matches-the-connection" => "device.errorCode.present":
            response(|_, message| message.remove("errorCode"));
        "a wrong kind of token has no code" in "each-token-has-its-purpose / configuration" => "device.errorCode.present":
            response(|_, message| message.remove("errorCode"));
        "a used code is unknown" in FAULTS => "device.code.ACTIVATION_CODE_USED":
            response(|_, message| if message.get("errorCode") == "ACTIVATION_CODE_USED" { message.set("errorCode", "ACTIVATION_CODE_UNKNOWN") });
        "an error of the service is one of the request" in FAULTS => "device.code.INTERNAL_ERROR":
            response(|_, message| if message.get("errorCode") == "INTERNAL_ERROR" { message.set("errorCode", "INVALID_REQUEST") });
        "what is not JSON has an errorCode" in "a-body-that-is-not-json-is-a-bad-request / exchange" => "device.invalid-json.400":
            response(|_, message| if message.status == 400 { message.set("errorCode", "INVALID_REQUEST") });
        "what is not JSON is answered 422" in "a-body-that-is-not-json-is-a-bad-request / exchange" => "device.invalid-json.400":
            response(|_, message| if message.status == 400 { message.status = 422 });
    }
}

fn configurations() -> Vec<Break> {
    breaks! {
        "an announced deactivation is not told" in ANNOUNCED => "device.config.connectionState.announced":
            response(|asked, message| configured(asked, message, "connectionState", "ACTIVE"));
        "refunds follow reversals" in PERMISSIONS => "device.config.refundEnabled.value":
            response(|asked, message| if asked.is("activate") { configured(asked, message, "refundEnabled", true) });
        "another device of the shop keeps its permission" in "refunds-are-permitted-per-shop" => "device.config.refundEnabled.shop":
            response(|asked, message| if asked.text("serialNumber").ends_with("-2") { configured(asked, message, "refundEnabled", true) });
        "refunds are off for every shop" in "refunds-are-permitted-per-shop" => "device.config.refundEnabled.shop":
            response(|asked, message| configured(asked, message, "refundEnabled", false));
        "a document code that changes" in "each-device-has-a-document-code-of-its-own" => "device.config.documentDeviceCode.constant":
            response(|asked, message| if asked.is("device.config") { message.replace("documentDeviceCode", "77") });
        "an app prints as set" in "an-app-prints-nothing / for both" => "device.config.receiptPrint.SOFTPOS":
            response(|asked, message| if asked.is("device.config") { message.set("receiptPrint", "MERCHANT_AND_CUSTOMER") });
        "an automatic closing is not told" in "an-automatic-closing-is-told" => "device.config.autoClosing.reported":
            response(|asked, message| match message.fields.get_mut("config").and_then(serde_json::Value::as_object_mut) {
                Some(config) if asked.is("activate") => _ = config.shift_remove("autoClosing"),
                _ => message.remove("autoClosing"),
            });
        "without reversals no QR payment is refunded" in "permissions-for-cards-leave-qr-refunds" => "device.config.reversalEnabled.QR":
            instead(|asked| asked.is("qr.refund.create").then(|| Message::objection(asked, 403, "")));
        "without refunds no QR payment is refunded" in "permissions-for-cards-leave-qr-refunds" => "device.config.refundEnabled.cards":
            instead(|asked| (asked.is("qr.refund.create") && !asked.first_time("refunded")).then(|| Message::objection(asked, 403, "")));
        "each merchant has a default PIN of its own" in "two-merchants-have-the-same-default-pin" => "device.config.defaultPin.product":
            response(|asked, message| if !asked.first_time("activated") { configured(asked, message, "defaultPin", "987654") });
        "further options are off for everybody" in "some-settings-are-per-device" => "device.config.qrMoreOptions.device":
            response(|asked, message| configured(asked, message, "qrMoreOptions", false));
        "receipts are printed alike everywhere" in "some-settings-are-per-device" => "device.config.receiptPrint.device":
            response(|asked, message| configured(asked, message, "receiptPrint", "MERCHANT"));
    }
}
