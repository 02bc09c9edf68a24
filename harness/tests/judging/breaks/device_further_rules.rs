//! Devices of a live shop: times an hour off, versions of an app, changes that do not arrive.

use serde_json::{Value, json};

use super::Break;
use crate::support::proxy::{Message, ObservedRequest};

const PIN: &str = "a-pin-reset-is-told-with-its-time";
const REPORTED: &str = "a-reported-terminal-is-told-with-its-time";
const VERSION: &str = "a-version-of-an-app-has-any-marks-and-a-limit";
const TEXTS: &str = "texts-that-cannot-be-parsed-are-kept";
const HOUR: i64 = 3_600_000;

pub fn all() -> Vec<Break> {
    [times(), changes(), versions(), uploads()].into_iter().flatten().collect()
}

/// Moves a time of the configuration.
fn moved(asked: &ObservedRequest<'_>, message: &mut Message, field: &str, by: i64) {
    if let Some(time) = message.fields.get(field).and_then(Value::as_i64).filter(|_| asked.is("device.config")) {
        message.set(field, time + by);
    }
}

/// Loses a text of each record that is this one.
fn lost(asked: &ObservedRequest<'_>, sent: &mut Message, field: &str, text: &str) {
    if let Some(Value::Array(records)) = sent.fields.get_mut("transactions").filter(|_| asked.is("device.transactions")) {
        for record in records.iter_mut().filter(|record| record[field] == json!(text)) {
            record.as_object_mut().unwrap().remove(field);
        }
    }
}

/// Refuses a version of the app with brackets.
fn plain(asked: &ObservedRequest<'_>, call: &str) -> Option<Message> {
    (asked.is(call) && asked.text("appVersion").contains('(')).then(|| Message::objection(asked, 400, "INVALID_REQUEST"))
}

fn times() -> Vec<Break> {
    breaks! {
        "a PIN reset is told an hour early" in PIN => "device.config.pinResetAt.value":
            response(|asked, message| moved(asked, message, "pinResetAt", -HOUR));
        "a PIN reset is told in local time" in PIN => "device.config.pinResetAt.value":
            response(|asked, message| moved(asked, message, "pinResetAt", HOUR));
        "a report is told an hour early" in REPORTED => "device.config.terminalReportedAt.value":
            response(|asked, message| moved(asked, message, "terminalReportedAt", -HOUR));
        "a report is told in local time" in REPORTED => "device.config.terminalReportedAt.value":
            response(|asked, message| moved(asked, message, "terminalReportedAt", HOUR));
        "a PIN reset in local time is later than the expiry" in "a-new-token-of-a-device-expires-after-an-event"
            => "device.config.pinResetAt.value":
            response(|asked, message| moved(asked, message, "pinResetAt", HOUR));
    }
}

fn changes() -> Vec<Break> {
    breaks! {
        "the environment stays what it was" in "the-environment-is-as-set / env ACC" => "device.config.delivered":
            response(|asked, message| if asked.is("device.config") { message.replace("env", "PROD") });
        "the head of receipts stays what it was" in "the-head-of-receipts-is-as-set / header BILLING" => "device.config.delivered":
            response(|asked, message| if asked.is("device.config") { message.replace("receiptHeader", "BASIC") });
        "an announced deactivation is not told by the exchange" in "an-announced-deactivation-is-told"
            => "device.authenticate.connectionState.announced":
            response(|asked, message| if asked.is("device.authenticate") { message.replace("connectionState", "ACTIVE") });
        "zero is no time since when there are codes" in "the-matching-job-finds-no-code-for-qr-payments-and-refunds / a QR payment"
            => "device.payment-codes.since.type":
            instead(|asked| (asked.is("payment-codes") && asked.query_parameter("since") == "0")
                .then(|| Message::objection(asked, 400, "INVALID_REQUEST")));
    }
}

fn versions() -> Vec<Break> {
    breaks! {
        "an app may have a version of 65 characters" in VERSION => "device.activate.appVersion.max":
            onward(|asked, sent| if asked.is("device.activate") { sent.replace("appVersion", "1.4.2") });
        "no app is activated with a version in brackets" in VERSION => "device.activate.appVersion.type":
            instead(|asked| plain(asked, "device.activate"));
        "no token is exchanged with a version in brackets" in VERSION => "device.authenticate.appVersion.type":
            instead(|asked| plain(asked, "device.authenticate"));
    }
}

fn uploads() -> Vec<Break> {
    breaks! {
        "an undefined saleJson is none" in TEXTS => "device.transactions.saleJson.verbatim":
            onward(|asked, sent| lost(asked, sent, "saleJson", "undefined"));
        "an undefined rawJson is none" in TEXTS => "device.transactions.rawJson.verbatim":
            onward(|asked, sent| lost(asked, sent, "rawJson", "undefined"));
        "the last of 50 records of an app is lost" in "a-batch-of-50-is-stored-whole / from an app" => "device.transactions.limit.full":
            onward(|asked, sent| if asked.is("device.transactions")
                && let Some(Value::Array(records)) = sent.fields.get_mut("transactions") {
                _ = records.pop();
            });
    }
}
