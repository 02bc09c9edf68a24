//! Tills and QR payments that are right for the records, tokens, settings and languages that one tries first, and wrong for those
//! of another kind: with a symbol of the operator, in English, at the end of a list, of long ago, refused before.

use serde_json::{Value, json};

use super::{Break, time_passes};
use crate::support::proxy::{Message, ObservedRequest, remember};

const SYMBOL: &str = "a-payment-with-a-symbol-of-the-operator-is-like-any-other / crowns";
const SYMBOL_EUROS: &str = "a-payment-with-a-symbol-of-the-operator-is-like-any-other / euros";
const EXPIRY: &str = "a-token-of-another-merchant-says-when-it-expires";
const PROVIDER: &str = "a-payment-that-its-provider-cancelled-has-its-reason-days-later / euros";
const REFUSED_LOGS: &str = "logs-that-are-refused-answer-no-request / from a terminal";
const WRONG_TOKEN: &str = "what-comes-with-a-token-for-the-exchange-is-not-stored / from a terminal";
const SETTINGS: &str = "a-change-of-one-setting-leaves-the-others / of a terminal";
const SETTINGS_OF_APP: &str = "a-change-of-one-setting-leaves-the-others / of an app";
const OWN: &str = "the-configuration-names-the-own-terminal";
const LATE: &str = "a-code-that-is-found-late-is-returned";
const ANNOUNCED: &str = "an-announced-deactivation-closes-nothing";
const LOCKED: &str = "a-lowest-version-of-the-app-closes-nothing";
const OFTEN: &str = "a-device-token-is-exchanged-as-often-as-it-is-sent";
const CATALOG: &str = "a-catalog-of-a-dozen-items-is-downloaded-whole";

pub fn all() -> Vec<Break> {
    let payments = [symbols(), methods(), references(), reasons(), extensions(), merchants()];
    let uploads = [logs(), refused_uploads(), versions(), batches()];
    let tills = [settings(), configurations(), codes(), open(), tokens(), catalogs()];
    payments.into_iter().chain(uploads).chain(tills).flatten().collect()
}

/// How often something has happened before.
fn times(asked: &ObservedRequest<'_>, what: &str) -> usize {
    let before = asked.recall(what);
    asked.note(what, format!("{before}x"));
    before.len()
}

fn symbols() -> Vec<Break> {
    breaks! {
        "the symbol of the operator is the reference of what was cancelled" in SYMBOL => "qr.status.refId.value":
            response(|asked, message| if asked.is("qr.status") && message.get("status") == "CANCELLED" {
                message.replace("refId", "2026000123");
            });
        "a payment with a symbol is cancelled for no reason" in SYMBOL_EUROS => "qr.status.reason.by-merchant":
            response(|asked, message| if asked.is("qr.status") { message.replace("paymentRejectedReason", "Not specified") });
        "a payment with a symbol lists no refunds" in SYMBOL => "qr.status.refunds.transRefundId.recovered":
            response(|asked, message| if asked.is("qr.status") { message.replace("refunds", json!([])) });
        "a paid payment by the last method is cancelled" in SYMBOL => "qr.cancel.not-final":
            response(|asked, message| if asked.is("qr.cancel") { message.grant(asked) });
        "no sum of refunds of a payment with a symbol" in SYMBOL_EUROS => "qr.refund.sum":
            response(|asked, message| if asked.is("refund.create") { message.grant(asked) });
        "a symbol has any length by the method of a bank"
            in "a-variable-symbol-beyond-its-limits-is-a-bad-request / longer by the method of a bank" => "qr.errors.400":
            response(|asked, message| if asked.is("qr.create") { message.grant(asked) });
        "a symbol of digits has any length" in "a-variable-symbol-beyond-its-limits-is-a-bad-request / digits" => "qr.errors.400":
            response(|asked, message| if asked.is("qr.create") { message.grant(asked) });
    }
}

/// Changes the list of methods.
fn listed(asked: &ObservedRequest<'_>, message: &mut Message, change: fn(&mut Vec<Value>)) {
    if let Some(Value::Array(methods)) = message.fields.get_mut("methods").filter(|_| asked.is("qr.methods")) {
        change(methods);
    }
}

fn methods() -> Vec<Break> {
    breaks! {
        "the banks have no English names" in "the-list-is-as-long-in-any-language / English" => "qr.methods.banks":
            response(|asked, message| listed(asked, message, |methods| methods.truncate(1)));
        "the generic transfer has no Slovak name" in "the-list-is-as-long-in-any-language / Slovak" => "qr.methods.generic":
            response(|asked, message| listed(asked, message, |methods| _ = methods.remove(0)));
        "with a language bothEurQr has no effect" in "both-methods-for-euros-are-offered-in-any-language / English"
            => "qr.methods.bothEurQr.effect":
            onward(|asked, sent| if asked.is("qr.methods") && asked.has("lang") { sent.remove("bothEurQr") });
        "who asked for both methods for euros has them from then on" in "both-methods-for-euros-are-offered-in-any-language / Czech"
            => "qr.methods.EUR.SK":
            onward(|asked, sent| if asked.is("qr.methods") { sent.set("bothEurQr", true) });
        "only the first logo has a vector of its own" in "every-method-has-a-vector-of-its-own / in the middle"
            => "qr.methods.logoSvg.vector":
            response(|asked, message| listed(asked, message, |methods| {
                methods.iter_mut().skip(1).for_each(|method| method["logoSvg"] = method["logo"].clone());
            }));
    }
}

fn references() -> Vec<Break> {
    breaks! {
        "a reference of a refund has 128 characters" in "a-longer-reference-of-a-refund-comes-back-unchanged / 160 characters"
            => "qr.refund.status.refId.value":
            response(|asked, message| if asked.is("refund.status") && message.get("refId").len() > 128 {
                let beginning = message.get("refId")[..128].to_owned();
                message.set("refId", beginning);
            });
        "a reference of a refund is listed on one line" in "a-longer-reference-of-a-refund-comes-back-unchanged / two lines"
            => "qr.status.refunds.refId.value":
            response(|asked, message| if let Some(Value::Array(refunds)) = message.fields.get_mut("refunds")
                .filter(|_| asked.is("qr.status"))
            {
                for refund in refunds {
                    refund["refId"] = json!(refund["refId"].as_str().unwrap_or_default().replace("\r\n", " "));
                }
            });
        "a semicolon in a reference is a comma" in "qr / a-reference-comes-back-unchanged / signs that divide"
            => "qr.status.refId.value":
            response(|asked, message| if asked.is("qr.status") {
                let reference = message.get("refId").replace(';', ",");
                message.replace("refId", reference);
            });
        "a reference of the word null is none" in "qr / a-reference-comes-back-unchanged / a word of JSON"
            => "qr.create.refId.unchanged":
            response(|asked, message| if asked.is("qr.extend") && message.get("refId") == "null" {
                message.replace("refId", Value::Null);
            });
    }
}

fn reasons() -> Vec<Break> {
    breaks! {
        "that the payer cancelled is forgotten" in "a-payment-that-the-payer-cancelled-has-that-reason-days-later / crowns"
            => "qr.status.reason.by-payer":
            world(time_passes),
            response(|asked, message| if asked.is("qr.status") && asked.knows("later") {
                message.replace("paymentRejectedReason", "Customer timeout");
            });
        "that the provider cancelled is forgotten" in PROVIDER => "qr.status.reason.by-provider":
            world(time_passes),
            response(|asked, message| if asked.is("qr.status") && asked.knows("later") {
                message.replace("paymentRejectedReason", "Not specified");
            });
        "that the provider was in delay is forgotten" in PROVIDER => "qr.status.reason.provider-timeout":
            world(time_passes),
            response(|asked, message| if message.get("paymentRejectedReason") == "Provider timeout" && asked.knows("later") {
                message.set("paymentRejectedReason", "Customer timeout");
            });
        "a suspicion of fraud is forgotten" in PROVIDER => "qr.status.reason.fraud-suspected":
            world(time_passes),
            response(|asked, message| if message.get("paymentRejectedReason") == "Fraud suspected" && asked.knows("later") {
                message.set("paymentRejectedReason", "Not specified");
            });
    }
}

fn extensions() -> Vec<Break> {
    breaks! {
        "an extension by an altered token is refused, and extends" in "an-extension-without-a-right-token-extends-nothing / altered"
            => "qr.token.carried":
            response(|asked, message| if asked.is("qr.extend") && message.status == 401 {
                asked.first_time("extended");
            } else if asked.is("qr.change-method") && asked.knows("extended") {
                message.replace("expiration", "2099-01-22T12:00:00Z");
            });
        "a paid payment by the last method is not extended" in "an-extension-needs-no-body-in-any-state / the last method of crowns"
            => "qr.payment.extend-of-paid":
            response(|asked, message| if asked.is("qr.extend") && message.get("status") == "PAID" { message.deny(asked) });
        "a further extension needs a body" in "an-extension-needs-no-body-in-any-state / the last method of euros"
            => "qr.extend.note.optional":
            instead(|asked| (asked.is("qr.extend") && !asked.has("note")).then(|| Message::objection(asked, 400, "")));
        "a further extension loses the reference" in "an-extension-needs-no-body-in-any-state / the last method of crowns"
            => "qr.create.refId.unchanged":
            response(|asked, message| if asked.is("qr.extend") && times(asked, "extensions") > 0 { message.remove("refId"); });
        "a payment that expired has no reference" in "an-unpaid-payment-expires / euros" => "qr.create.refId.unchanged":
            response(|asked, message| if asked.is("qr.status") && message.get("status") == "CANCELLED" { message.remove("refId"); });
        "an extension of a cancelled payment without a body is a conflict"
            in "an-extension-needs-no-body-in-any-state / the first method of crowns" => "qr.errors.400":
            response(|asked, message| if asked.is("qr.extend") && message.status == 400 { message.status = 409 });
    }
}

fn merchants() -> Vec<Break> {
    breaks! {
        "a token of another merchant ends before it says" in EXPIRY => "qr.authenticate.expiry.value":
            response(|asked, message| if asked.is("qr.authenticate") { message.replace("expiry", "2026-01-15T13:10:00Z") });
        "a token of another merchant was over when it was given" in EXPIRY => "qr.authenticate.expiry.value":
            response(|asked, message| if asked.is("qr.authenticate") { message.replace("expiry", "2026-01-15T11:10:00Z") });
        "no body names any merchant" in "an-authentication-without-a-body-is-refused" => "qr.authenticate.mid.required":
            response(|asked, message| if asked.is("qr.authenticate") && asked.fields.is_empty() { message.grant(asked); });
    }
}

fn logs() -> Vec<Break> {
    breaks! {
        "logs that are refused answer the request" in REFUSED_LOGS => "device.authenticate.requestDebugLogs.done":
            response(|asked, message| if asked.is("device.logs") && message.status == 401 {
                asked.first_time("answered");
            } else if asked.is("device.authenticate") && asked.knows("answered") {
                message.remove("requestDebugLogs");
            });
        "any logs of an app with a request answer it" in "logs-that-are-refused-answer-no-request / from an app"
            => "device.authenticate.requestDebugLogs.done":
            response(|asked, message| if asked.is("device.logs") && message.fulfils() {
                asked.first_time("answered");
            } else if asked.is("device.authenticate") && asked.knows("answered") {
                message.remove("requestDebugLogs");
            });
        "a further request for logs is of the days of the first" in REFUSED_LOGS => "device.authenticate.requestDebugLogs.repeats":
            response(|asked, message| if asked.is("device.authenticate")
                && let Some(Value::Object(request)) = message.fields.get_mut("requestDebugLogs") {
                request.insert("days".to_owned(), json!(3));
            });
    }
}

fn refused_uploads() -> Vec<Break> {
    breaks! {
        "what comes with a device token is refused, and stored" in WRONG_TOKEN => "device.token.kinds":
            world(|deed| if deed.action == "operator.reads-transactions" {
                deed.response = Some(json!({ "transactions": [
                    { "id": "sale-0001", "syncVersion": 1, "amount": 12345 },
                    { "id": "sale-0002", "syncVersion": 3, "amount": 200 },
                ] }));
            });
        "what comes with a device token replaces what was uploaded before" in WRONG_TOKEN => "device.token.kinds":
            world(|deed| if deed.action == "operator.reads-transactions" {
                deed.response = Some(json!({ "transactions": [{ "id": "sale-0001", "syncVersion": 3, "amount": 100 }] }));
            });
        "closings that come with a device token are refused, and kept" in WRONG_TOKEN => "device.token.kinds":
            world(|deed| if deed.action == "operator.reads-closings" {
                deed.response = Some(json!({ "closings": [{ "id": "closing-0001" }] }));
            });
        "logs that come with a device token are refused, and kept" in WRONG_TOKEN => "device.token.kinds":
            world(|deed| if deed.action == "operator.reads-logs" {
                deed.response = Some(json!({ "logs": ["The app has started."] }));
            });
        "the version of what was refused counts"
            in "what-comes-with-a-token-for-the-exchange-is-not-stored / from an app" => "device.transactions.accepted.value":
            world(|deed| if deed.action == "operator.reads-transactions" {
                deed.response = Some(json!({ "transactions": [{ "id": "sale-0001", "syncVersion": 1, "amount": 12345 }] }));
            });
    }
}

fn settings() -> Vec<Break> {
    breaks! {
        "a later setting takes the head of receipts back" in SETTINGS => "device.config.delivered":
            response(|asked, message| if asked.is("device.config") { message.replace("receiptHeader", "BASIC") });
        "a later setting takes a permission of an app back" in SETTINGS_OF_APP => "device.config.delivered":
            response(|asked, message| if asked.is("device.config") { message.replace("reversalEnabled", true) });
        "a later setting takes tips back" in SETTINGS_OF_APP => "device.config.tip.only":
            response(|asked, message| if asked.is("device.config") { message.remove("tip") });
        "a later setting takes the rules for symbols back" in SETTINGS => "device.config.variableSymbol.only":
            response(|asked, message| if asked.is("device.config") { message.remove("variableSymbol") });
        "a report of the terminal has the time of the PIN reset" in SETTINGS => "device.config.pinResetAt.value":
            response(|asked, message| if asked.is("device.config")
                && let Some(reported) = message.fields.get("terminalReportedAt").filter(|at| !at.is_null()).cloned() {
                message.set("pinResetAt", reported);
            });
        "a report of the terminal ends the automatic closing" in SETTINGS_OF_APP => "device.config.autoClosing.reported":
            world(|deed| if deed.action == "operator.reports-terminal" { _ = remember(deed.memory, "reported") }),
            response(|asked, message| if asked.is("device.config") && asked.knows("reported") {
                message.replace("autoClosing", json!({}));
            });
    }
}

fn configurations() -> Vec<Break> {
    breaks! {
        "the configuration has the serial number of another terminal" in OWN => "device.config.serialNumber.required":
            response(|asked, message| if asked.is("device.config") { message.replace("serialNumber", "SN100001") });
        "an activation returns the serial number of another terminal" in OWN => "device.activate.config.same":
            response(|asked, message| if asked.is("device.activate") && message.has("config") {
                message.fields["config"]["serialNumber"] = json!("SN100001");
            });
        "the next device of the organization moves the document codes" in OWN => "device.config.documentDeviceCode.constant":
            response(|asked, message| if asked.is("device.config") { message.replace("documentDeviceCode", "77") });
    }
}

fn codes() -> Vec<Break> {
    breaks! {
        "a code of a payment of days ago is not returned" in LATE => "device.payment-codes.since.effect":
            response(|asked, message| if asked.is("payment-codes") { message.replace("transactions", json!([])) });
        "codes are returned again within a second" in LATE => "device.payment-codes.since.effect":
            way(|asked, path| match asked.query_parameter("since") {
                since if since.len() > 3 => path.replace(since, &format!("{}000", &since[..since.len() - 3])),
                _ => path.to_owned(),
            });
    }
}

/// Gives the records with one syncVersion another one on their way to the emulator.
fn version(asked: &ObservedRequest<'_>, sent: &mut Message, from: i64, to: i64) {
    if let Some(Value::Array(records)) = sent.fields.get_mut("transactions").filter(|_| asked.is("device.transactions")) {
        records.iter_mut().filter(|record| record["syncVersion"] == from).for_each(|record| record["syncVersion"] = json!(to));
    }
}

fn versions() -> Vec<Break> {
    breaks! {
        "a lower syncVersion overwrites a record in euros" in "a-lower-sync-version-of-any-record-is-dropped / in euros"
            => "device.transactions.syncVersion.lower":
            onward(|asked, sent| version(asked, sent, 4, 5));
        "a lower syncVersion overwrites a record of QR" in "a-lower-sync-version-of-any-record-is-dropped / by QR"
            => "device.transactions.syncVersion.lower":
            onward(|asked, sent| version(asked, sent, 4, 5));
        "a lower syncVersion brings a reversed payment back"
            in "a-lower-sync-version-of-any-record-is-dropped / a payment that was reversed"
            => "device.transactions.syncVersion.lower":
            onward(|asked, sent| version(asked, sent, 4, 5));
        "a lower syncVersion of an unknown record overwrites" in "a-lower-sync-version-of-any-record-is-dropped / an unknown one"
            => "device.transactions.syncVersion.lower":
            onward(|asked, sent| version(asked, sent, 4, 5));
        "a syncVersion beyond 1000 is lower" in "a-lower-sync-version-of-any-record-is-dropped / by far"
            => "device.transactions.syncVersion.higher":
            onward(|asked, sent| version(asked, sent, 1001, 2));
    }
}

fn batches() -> Vec<Break> {
    breaks! {
        "a batch of which a record is rejected is called truncated"
            in "a-batch-with-a-wrong-record-is-not-truncated / the number of a currency"
            => "device.transactions.truncated.false":
            response(|asked, message| if asked.is("device.transactions")
                && message.fields.get("rejected").and_then(Value::as_array).is_some_and(|rejected| !rejected.is_empty()) {
                message.replace("truncated", true);
            });
        "what comes again unchanged is not acknowledged"
            in "a-batch-with-a-wrong-record-is-not-truncated / an amount that is a text"
            => "device.transactions.upsert":
            response(|asked, message| if asked.is("device.transactions") && times(asked, "uploads") >= 2 {
                message.set("accepted", json!([]));
            });
    }
}

fn open() -> Vec<Break> {
    breaks! {
        "a device that is going to be deactivated uploads nothing" in ANNOUNCED => "device.uploads.credentials":
            instead(|asked| asked.is("device.transactions").then(|| Message::objection(asked, 403, "CONNECTION_DEACTIVATED")));
        "a device that is going to be deactivated has no codes" in ANNOUNCED => "device.authenticate.token.other-endpoints":
            instead(|asked| asked.is("payment-codes").then(|| Message::objection(asked, 403, "CONNECTION_DEACTIVATED")));
        "a device that is going to be deactivated is closed a day later" in ANNOUNCED => "device.authenticate.bearer":
            world(time_passes),
            instead(|asked| (asked.is("device.authenticate") && asked.knows("later"))
                .then(|| Message::objection(asked, 403, "CONNECTION_DEACTIVATED")));
        "a locked app uploads no closings" in LOCKED => "device.uploads.credentials":
            instead(|asked| asked.is("device.closings").then(|| Message::objection(asked, 403, "INVALID_REQUEST")));
        "a locked app downloads nothing" in LOCKED => "device.authenticate.token.other-endpoints":
            instead(|asked| asked.is("device.config").then(|| Message::objection(asked, 403, "INVALID_REQUEST")));
    }
}

fn tokens() -> Vec<Break> {
    breaks! {
        "a device token is exchanged twenty times" in OFTEN => "device.authenticate.bearer":
            instead(|asked| (asked.is("device.authenticate") && times(asked, "exchanges") >= 20)
                .then(|| Message::objection(asked, 401, "DEVICE_REVOKED")));
        "a token opens twenty times" in OFTEN => "device.authenticate.token.other-endpoints":
            instead(|asked| (asked.is("device.config") && times(asked, "downloads") >= 20)
                .then(|| Message::objection(asked, 401, "TOKEN_EXPIRED")));
    }
}

/// Changes the items of the catalog.
fn items(asked: &ObservedRequest<'_>, message: &mut Message, change: fn(&mut Vec<Value>)) {
    if let Some(Value::Array(items)) = message.fields.get_mut("items").filter(|_| asked.is("device.catalog")) {
        change(items);
    }
}

/// Whether an item was given another name.
fn is_changed(item: &Value) -> bool {
    item["name"].as_str().is_some_and(|name| name.starts_with("changed-"))
}

fn catalogs() -> Vec<Break> {
    breaks! {
        "a catalog has ten items at most" in CATALOG => "device.catalog.call":
            response(|asked, message| items(asked, message, |items| items.truncate(10)));
        "an item of the catalog keeps its first name" in CATALOG => "device.catalog.call":
            response(|asked, message| items(asked, message, |items| {
                items.iter_mut().filter(|item| is_changed(item)).for_each(|item| item["name"] = json!("Tea"));
            }));
        "the catalog is empty days later" in CATALOG => "device.catalog.call":
            world(time_passes),
            response(|asked, message| if asked.knows("later") { items(asked, message, Vec::clear) });
        "another activation takes the version of the catalog away" in CATALOG => "device.authenticate.catalogVersion.highest":
            response(|asked, message| if asked.is("device.activate") {
                if !asked.first_time("once") { asked.first_time("again"); }
            } else if asked.is("device.authenticate") && asked.knows("again") {
                message.replace("catalogVersion", 0);
            });
    }
}
