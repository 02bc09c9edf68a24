//! Lies of a till about the second of two: another activation, another device, an app, another version, a further refund.

use serde_json::{Value, json};

use super::Break;
use crate::support::proxy::{Message, ObservedRequest, WorldAction, remember};

const AGAIN: &str = "another-activation-takes-nothing-away";
const RECORDS: &str = "another-activation-loses-no-records";
const APP: &str = "an-app-is-a-device-like-a-terminal";
const PIN: &str = "the-default-pin-is-that-of-every-device";
const SHOP: &str = "two-devices-of-a-shop-are-two-devices";
const STORED: &str = "what-is-accepted-is-stored-as-it-was-sent";
const LOWEST: &str = "a-lowest-version-of-the-app-is-for-all-devices";
const REFUNDS: &str = "each-refund-has-a-status-of-its-own";

pub fn all() -> Vec<Break> {
    [activations(), records(), siblings(), apps(), versions(), uploads(), money(), tokens(), texts()].into_iter().flatten().collect()
}

/// Changes the configuration of an activation.
fn activated(asked: &ObservedRequest<'_>, message: &mut Message, change: impl FnOnce(&mut Value)) {
    if asked.is("device.activate") && message.has("config") && !asked.first_time("activated") {
        change(&mut message.fields["config"]);
    }
}

fn activations() -> Vec<Break> {
    breaks! {
        "another activation forgets a PIN reset" in AGAIN => "device.config.pinResetAt.value":
            response(|asked, message| activated(asked, message, |config| config["pinResetAt"] = Value::Null));
        "another activation forgets a report" in AGAIN => "device.config.terminalReportedAt.value":
            response(|asked, message| activated(asked, message, |config| config["terminalReportedAt"] = Value::Null));
        "another activation takes tips away" in AGAIN => "device.activate.repeated":
            response(|asked, message| activated(asked, message, |config| { config.as_object_mut().unwrap().remove("tip"); }));
        "another activation starts the versions again" in AGAIN => "device.activate.repeated":
            response(|asked, message| if asked.is("device.activate") && !asked.first_time("activated") { message.set("configVersion", 1) });
        "another activation forgets the announced deactivation" in AGAIN => "device.activate.repeated":
            response(|asked, message| if asked.is("device.activate") { message.set("connectionState", "ACTIVE") });
        "another activation forgets the lowest version" in LOWEST => "device.config.minAppVersionCode.same":
            response(|asked, message| activated(asked, message, |config| config["minAppVersionCode"] = Value::Null));
        "a third activation finds the code used" in "an-activation-of-an-app-may-be-repeated" => "device.activate.repeated":
            instead(|asked| (asked.is("device.activate") && !asked.first_time("once") && !asked.first_time("twice"))
                .then(|| Message::objection(asked, 409, "ACTIVATION_CODE_USED")));
        "a token is superseded once the next one is used" in "an-activation-of-an-app-may-be-repeated" => "device.activate.superseded":
            response(|asked, message| if asked.is("device.authenticate") && asked.first_time("exchanged") { message.grant(asked) });
    }
}

fn records() -> Vec<Break> {
    breaks! {
        "another activation forgets the marker of codes" in RECORDS => "device.authenticate.paymentCodesAt.null":
            response(|asked, message| if asked.is("device.activate") && !asked.first_time("once") {
                asked.first_time("again");
            } else if asked.is("device.authenticate") && asked.knows("again") {
                message.set("paymentCodesAt", Value::Null);
            });
        "another activation forgets the codes" in RECORDS => "device.activate.repeated":
            response(|asked, message| if asked.is("device.activate") && !asked.first_time("once") {
                asked.first_time("again");
            } else if asked.is("payment-codes") && asked.knows("again") {
                message.set("transactions", json!([]));
            });
        "another activation forgets the request for logs" in RECORDS => "device.authenticate.requestDebugLogs.repeats":
            response(|asked, message| if asked.is("device.activate") && !asked.first_time("once") {
                asked.first_time("again");
            } else if asked.is("device.authenticate") && asked.knows("again") {
                *message = Message::granted(json!({ "token": "a.b.c", "requestDebugLogs": null }));
            });
        "another activation loses the records" in RECORDS => "device.activate.repeated":
            world(|deed| if deed.action == "operator.reads-transactions" { deed.response = Some(json!({ "transactions": [] })) });
    }
}

/// Notes which connection was registered last, so that only the first is revoked.
fn revokes_the_shop(deed: &mut WorldAction<'_>) {
    if deed.action == "operator.revokes" {
        remember(deed.memory, "revoked");
    }
}

fn siblings() -> Vec<Break> {
    breaks! {
        "the activation of a device supersedes the other" in SHOP => "device.activate.last-wins":
            instead(|asked| (asked.is("device.authenticate") && asked.first_time("exchanged"))
                .then(|| Message::objection(asked, 401, "DEVICE_REVOKED")));
        "a revocation is that of the shop" in SHOP => "device.revoked.device-token":
            world(revokes_the_shop),
            instead(|asked| (asked.is("device.config") && asked.knows("revoked")).then(|| Message::objection(asked, 401, "DEVICE_REVOKED")));
        "receipts are set per shop" in SHOP => "device.config.receiptPrint.device":
            response(|asked, message| if asked.is("device.config") {
                message.replace("receiptPrint", "MERCHANT");
            });
        "options are set per shop" in SHOP => "device.config.qrMoreOptions.device":
            response(|asked, message| if asked.is("device.config") { message.replace("qrMoreOptions", true) });
        "two devices of a shop have one code" in "no-two-of-five-devices-have-the-same-document-code" => "device.config.documentDeviceCode.free":
            response(|asked, message| if asked.is("device.activate") && asked.text("platform") == "SOFTPOS" && message.has("config") {
                message.fields["config"]["documentDeviceCode"] = json!("77");
            });
        "the merchant of every device is the first" in "two-merchants-have-two-identifiers" => "device.config.merchantId.required":
            response(|asked, message| if asked.is("device.activate") && message.has("config") {
                let first = asked.noted("merchant", message.fields["config"]["merchantId"].as_str().unwrap_or_default());
                message.fields["config"]["merchantId"] = json!(first);
            });
        "the catalog is that of the first merchant" in "the-catalog-of-another-merchant-has-its-own-version"
            => "device.authenticate.catalogVersion.changes":
            response(|asked, message| if asked.is("device.authenticate") { message.replace("catalogVersion", 0) });
    }
}

fn apps() -> Vec<Break> {
    breaks! {
        "an app has a PIN of its own" in PIN => "device.config.defaultPin.product":
            response(|asked, message| if asked.is("device.activate") && asked.text("platform") == "SOFTPOS" && message.has("config") {
                message.fields["config"]["defaultPin"] = json!("987654");
            });
        "what an app uploads is lost" in APP => "device.transactions.accepted.value":
            world(|deed| if deed.action == "operator.reads-transactions" { deed.response = Some(json!({ "transactions": [] })) });
        "an app has no codes" in APP => "device.authenticate.paymentCodesAt.changes":
            response(|asked, message| if asked.is("device.authenticate") { message.replace("paymentCodesAt", Value::Null) });
        "an app has the head of receipts that is usual" in APP => "device.config.delivered":
            response(|asked, message| if asked.is("device.config") { message.replace("receiptHeader", "BASIC") });
        "a revoked app reads on" in "a-revoked-app-stops-at-once / configuration" => "device.revoked.at-once":
            response(|asked, message| if asked.is("device.config") { message.grant(asked) });
        "an app is activated before its connection is ready" in "an-app-is-activated-only-when-it-may-be"
            => "device.code.CONNECTION_NOT_READY":
            response(|asked, message| if message.get("errorCode") == "CONNECTION_NOT_READY" { message.grant(asked) });
        "an app of a deactivated connection is activated" in "an-app-is-activated-only-when-it-may-be"
            => "device.code.CONNECTION_DEACTIVATED":
            response(|asked, message| if message.get("errorCode") == "CONNECTION_DEACTIVATED" { message.grant(asked) });
        "an app is told of a lock once" in LOWEST => "device.authenticate.minAppVersionCode.value":
            response(|asked, message| if asked.is("device.authenticate") && message.get("minAppVersionCode") == "120"
                && !asked.first_time(&format!("told {}", asked.token)) { message.replace("minAppVersionCode", Value::Null) });
    }
}

fn versions() -> Vec<Break> {
    breaks! {
        "a permission of the shop is new to one device" in "a-permission-of-a-shop-shows-in-the-version-of-each-device / permitted"
            => "device.authenticate.configVersion.changes":
            response(|asked, message| if asked.is("device.authenticate") { message.replace("configVersion", 7) });
        "another default PIN shows in no version" in PIN => "device.authenticate.configVersion.changes":
            response(|asked, message| if asked.is("device.authenticate") { message.replace("configVersion", 7) });
        "what is taken away shows in no version" in "tips-are-told-only-when-set" => "device.authenticate.configVersion.changes":
            response(|asked, message| if asked.is("device.authenticate") { message.replace("configVersion", 7) });
        "a report is a reset of the PIN" in "a-reported-terminal-is-told-with-its-time" => "device.config.pinResetAt.null":
            response(|asked, message| if asked.is("device.config") { message.set("pinResetAt", 1_768_478_400_000_i64) });
        "a marker of whole seconds" in "the-first-code-of-a-device" => "device.authenticate.paymentCodesAt.changes":
            response(|asked, message| if asked.is("device.authenticate") && !message.get("paymentCodesAt").is_empty() {
                message.set("paymentCodesAt", asked.noted("marker", message.get("paymentCodesAt")).parse::<i64>().unwrap());
            });
        "the transactions themselves" in "only-card-payments-have-codes" => "device.payment-codes.transactions.pairs":
            response(|asked, message| if asked.is("payment-codes") {
                message.set("transactions", json!([{ "id": "sale-0001", "code": "AAAA", "amount": 12345 }]));
            });
    }
}

/// Changes the records on their way to the emulator.
fn sent(asked: &ObservedRequest<'_>, sent: &mut Message, change: impl Fn(&mut Value)) {
    if let Some(Value::Array(records)) = sent.fields.get_mut("transactions").filter(|_| asked.is("device.transactions")) {
        records.iter_mut().for_each(change);
    }
}

/// Rejects a record for what it says.
fn rejects(asked: &ObservedRequest<'_>, message: &mut Message, is_odd: impl Fn(&Value) -> bool) {
    let batch = asked.fields.get("transactions").and_then(Value::as_array).cloned().unwrap_or_default();
    if asked.is("device.transactions") && batch.iter().any(is_odd) {
        message.set("accepted", json!([]));
        message.set("rejected", Value::Array(batch.iter().map(|record| json!({ "id": record["id"] })).collect()));
    }
}

fn uploads() -> Vec<Break> {
    breaks! {
        "every amount is in crowns" in STORED => "device.transactions.accepted.value":
            onward(|asked, message| sent(asked, message, |record| record["currency"] = json!("CZK")));
        "a version has a byte" in STORED => "device.transactions.syncVersion.higher":
            onward(|asked, message| sent(asked, message, |record| record["syncVersion"] = json!(record["syncVersion"].as_i64().unwrap_or(0) % 256)));
        "a payment once paid stays so" in STORED => "device.transactions.syncVersion.higher":
            onward(|asked, message| sent(asked, message, |record| record["status"] = json!("PAID")));
        "a closing is lost" in "closings-and-logs-are-kept" => "device.closings.call":
            onward(|asked, message| if let Some(Value::Array(closings)) = message.fields.get_mut("closings").filter(|_| asked.is("device.closings")) {
                closings.truncate(1);
            });
        "logs are lost" in "closings-and-logs-are-kept" => "device.logs.call":
            world(|deed| if deed.action == "operator.reads-logs" { deed.response = Some(json!({ "logs": [] })) });
        "a record is accepted and rejected" in "a-record-is-accepted-or-rejected / an amount that is a text"
            => "device.transactions.rejected.value":
            response(|asked, message| if asked.is("device.transactions") { message.set("accepted", asked.uploaded()) });
        "an unknown type is rejected where others are taken" in "odd-records-are-accepted / an unknown type" => "device.transactions.type.unknown":
            response(|asked, message| rejects(asked, message, |record| record["type"] == "NO_SUCH_TYPE"));
        "a symbol against the rules is stored as digits" in "an-upload-against-the-rules-is-stored" => "device.config.variableSymbol.upload":
            onward(|asked, message| sent(asked, message, |record| if record["variableSymbol"] == "Stůl 7" { record["variableSymbol"] = json!("7") }));
        "a document takes the code away" in "the-first-code-of-a-device" => "device.payment-codes.matched":
            response(|asked, message| if asked.is("device.transactions") && !asked.first_time("once") {
                asked.first_time("again");
            } else if asked.is("payment-codes") && asked.knows("again") {
                message.set("transactions", json!([]));
            });
    }
}

fn money() -> Vec<Break> {
    breaks! {
        "the sum of refunds in euros is not checked" in "the-sum-of-refunds-is-checked-for-every-payment / euros" => "qr.refund.sum":
            response(|asked, message| if asked.is("refund.create") { message.grant(asked) });
        "the thirteenth refund is not checked" in "a-payment-lists-all-its-refunds" => "qr.refund.sum":
            response(|asked, message| if asked.is("refund.create") { message.grant(asked) });
        "the bank sends all refunds back at once" in REFUNDS => "qr.refund.states":
            world(|deed| if deed.action == "bank.refunds" { remember(deed.memory, "sent back"); }),
            response(|asked, message| if asked.is("refund.status") && asked.knows("sent back") { message.replace("status", "REFUNDED") });
        "a refund that was rejected is the last one" in "a-refund-may-be-rejected-by-the-bank" => "qr.refund.partial":
            instead(|asked| (asked.is("refund.create") && !asked.first_time("refunded")).then(|| Message::objection(asked, 409, "")));
        "no refund after a week" in "a-paid-payment-does-not-expire / crowns" => "qr.refund.created-pending":
            instead(|asked| asked.is("refund.create").then(|| Message::objection(asked, 409, "")));
        "a refund has the reference of its payment" in "a-refund-needs-no-reference" => "qr.refund.answer.refId.value":
            response(|asked, message| if asked.is("refund.create") && !asked.has("refId") { message.set("refId", "order-1001") });
        "late money for what the payer gave up" in "late-money-revives-no-payment-that-was-given-up / by the payer" => "qr.payment.states":
            world(|deed| if deed.action == "payer.pays-late" { remember(deed.memory, "late"); }),
            response(|asked, message| if asked.is("qr.status") && asked.knows("late") {
                message.set("status", "PAID");
                message.remove("paymentRejectedReason");
            });
        "what nobody read is cancelled by the merchant" in "an-expired-payment-has-expired-whoever-asks" => "qr.status.reason.customer-timeout":
            response(|asked, message| if asked.is("qr.status") { message.set("paymentRejectedReason", "Canceled by merchant") });
        "a test payment is not refunded before it is read" in "a-test-payment-is-refunded-at-once" => "qr.test.paid":
            instead(|asked| asked.is("refund.create").then(|| Message::objection(asked, 409, "")));
        "a rejected payment is extended" in "a-payment-that-is-rejected-at-once-has-no-code" => "qr.payment.extend-of-cancelled":
            response(|asked, message| if asked.is("qr.extend") { message.grant(asked) });
        "the threshold of another method" in "a-test-payment-of-any-method-has-the-threshold / above 2 000 CZK" => "qr.test.cancelled":
            response(|asked, message| if asked.is("qr.status") {
                message.set("status", "PAID");
                message.remove("paymentRejectedReason");
            });
    }
}

fn tokens() -> Vec<Break> {
    breaks! {
        "a QR token needs no signature" in "qr / a-token-that-was-altered-opens-nothing" => "qr.token.carried":
            response(|asked, message| if asked.is("qr.status") && asked.token.ends_with('.') { message.grant(asked) });
        "a device token needs no signature" in "device / a-token-that-was-altered-opens-nothing" => "device.token.bearer":
            response(|asked, message| if asked.is("device.config") && asked.token.starts_with("eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.") { message.grant(asked) });
        "an expired token extends a payment" in "an-expired-token-opens-nothing" => "qr.token.expired":
            response(|asked, message| if asked.is("qr.extend") && !asked.first_time("extended") { message.grant(asked) });
        "an expired token refunds a payment" in "an-expired-token-refunds-nothing" => "qr.token.expired":
            response(|asked, message| if asked.is("refund.create") && !asked.first_time("refunded") { message.grant(asked) });
        "any user has the password of the bootstrap" in "an-almost-right-password-activates-nothing / of another merchant"
            => "device.code.UNAUTHORIZED":
            response(|asked, message| if asked.is("device.activate") { message.replace("errorCode", "DEVICE_NOT_REGISTERED") });
    }
}

fn texts() -> Vec<Break> {
    breaks! {
        "a time has no offset" in "a-payment-was-created-at-any-time-of-iso-8601 / with an offset" => "qr.create.created.format":
            instead(|asked| (asked.is("qr.create") && asked.text("created").contains('+')).then(|| Message::objection(asked, 400, "")));
        "the last method of the list can't pay" in "a-listed-method-pays / CZK" => "qr.methods.id.used":
            instead(|asked| (asked.is("qr.create") && !asked.first_time("created")).then(|| Message::objection(asked, 409, "")));
        "the names are in the language of the last caller" in "the-names-of-methods-are-in-three-languages" => "qr.methods.lang.default":
            response(|asked, message| if asked.is("qr.methods") {
                if asked.has("lang") {
                    asked.note("methods", message.fields["methods"].to_string());
                } else if let Ok(methods) = serde_json::from_str::<Value>(&asked.recall("methods")) {
                    message.set("methods", methods);
                }
            });
        "a reference is cut" in "a-longer-reference-comes-back-unchanged / 300 characters" => "qr.create.refId.unchanged":
            response(|_, message| if message.has("refId") { message.replace("refId", message.get("refId").chars().take(255).collect::<String>()) });
        "a NUL in a longer text" in "a-variable-symbol-with-a-nul-is-a-bad-request / a longer text with a NUL" => "qr.errors.400":
            response(|asked, message| if asked.is("qr.create") { message.grant(asked) });
        "one code for all payments" in "every-payment-has-an-identifier-of-its-own / Slovak euros" => "qr.create.symbol.own":
            response(|asked, message| if asked.is("qr.create") { message.replace("paymentData", asked.noted("code", message.get("paymentData"))) });
        "the picture of a method is no vector" in "a-method-has-every-field / CZK" => "qr.methods.logoSvg.vector":
            response(|asked, message| if asked.is("qr.methods") {
                for method in message.fields["methods"].as_array_mut().unwrap() { method["logoSvg"] = method["logo"].clone(); }
            });
        "a method has no Slovak name" in "the-names-of-methods-are-in-three-languages" => "qr.methods.lang.effect":
            response(|asked, message| if asked.is("qr.methods") && asked.text("lang") == "sk" {
                for method in message.fields["methods"].as_array_mut().unwrap() { method["name"] = json!(""); }
            });
        "twenty changes of method at most" in "a-method-may-be-changed-many-times" => "qr.change-method.unlimited":
            instead(|asked| {
                let is_refused = asked.is("change-method") && !(0..20).any(|count| asked.first_time(&format!("change {count}")));
                is_refused.then(|| Message::objection(asked, 409, ""))
            });
        "a hundred changes of method at most" in "a-method-may-be-changed-many-times" => "qr.change-method.unlimited":
            instead(|asked| {
                let is_refused = asked.is("change-method") && !(0..100).any(|count| asked.first_time(&format!("change {count}")));
                is_refused.then(|| Message::objection(asked, 409, ""))
            });
    }
}
