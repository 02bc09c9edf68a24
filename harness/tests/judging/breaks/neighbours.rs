//! Lies that take one record for its neighbour: the first payment of a transfer, the payment before, the other refund, a version of before.

use serde_json::{Value, json};

use super::Break;
use crate::support::proxy::{Message, ObservedRequest};

const EACH: &str = "each-payment-of-a-transfer-tells-its-own";
const REFUNDED: &str = "money-that-is-refunded-goes-back / of a part";
const NEXT: &str = "what-happened-to-one-payment-is-not-told-of-the-next";
const NOTHING: &str = "a-refused-payment-starts-nothing / CZK";
const CONFIGURATION: &str = "a-changed-configuration-has-another-version";
const CATALOG: &str = "a-changed-catalog-has-another-version";

pub fn all() -> Vec<Break> {
    [transfers(), refunds(), payments(), cancelled(), refusals(), devices(), revocations(), optional()].into_iter().flatten().collect()
}

/// Gives every item of a transfer what the first one has in this field.
fn as_the_first(asked: &ObservedRequest<'_>, message: &mut Message, field: &str) {
    if asked.is("transfers.detail") {
        message.records(|items| {
            let first = items[0][field].clone();
            items.iter_mut().for_each(|item| item[field] = first.clone());
        });
    }
}

/// Changes the refunds among the items of a transfer.
fn each_refund(asked: &ObservedRequest<'_>, message: &mut Message, change: impl Fn(&mut Value)) {
    if asked.is("transfers.detail") {
        message.each(|item| {
            if item["Potvrzená částka"].as_str().is_some_and(|amount| amount.starts_with('-')) {
                change(item);
            }
        });
    }
}

/// Shows in this field what the payment before had in it.
fn of_before(asked: &ObservedRequest<'_>, message: &mut Message, field: &str) {
    if !asked.is("terminal.status") {
        return;
    }
    match message.get(field) {
        none if none.is_empty() => message.set(field, asked.recall(field)),
        now => asked.note(field, now),
    }
}

/// A version that starts again after three.
fn cycles(message: &mut Message, field: &str) {
    if let Some(version) = message.fields.get(field).and_then(Value::as_i64) {
        message.set(field, version % 3);
    }
}

fn transfers() -> Vec<Break> {
    breaks! {
        "the label of the first payment for each" in EACH => "transfers.detail.label.value":
            response(|asked, message| as_the_first(asked, message, "Popis"));
        "the product of the first payment for each" in EACH => "transfers.detail.product.value":
            response(|asked, message| as_the_first(asked, message, "Produkt"));
        "the payer of the first payment for each" in EACH => "transfers.detail.email.value":
            response(|asked, message| as_the_first(asked, message, "E-mail plátce"));
        "the method of the first payment for each" in EACH => "transfers.detail.method.value":
            response(|asked, message| as_the_first(asked, message, "Metoda"));
        "the number of the card as its type" in EACH => "transfers.detail.card.value":
            response(|asked, message| if asked.is("transfers.detail") {
                message.each(|item| item["Typ karty"] = json!("4532 0100 0000 1234"));
            });
        "the card of the first payment for each" in EACH => "transfers.detail.card.value":
            response(|asked, message| as_the_first(asked, message, "Typ karty"));
    }
}

fn refunds() -> Vec<Break> {
    breaks! {
        "a refund was created before its payment" in REFUNDED => "transfers.detail.created.value":
            response(|asked, message| each_refund(asked, message, |item| item["Datum založení"] = json!("2001-01-01 00:00:00")));
        "a refund was paid before its payment" in REFUNDED => "transfers.detail.paid.value":
            response(|asked, message| each_refund(asked, message, |item| item["Datum zaplacení"] = json!("2001-01-01 00:00:00")));
        "a refund of another shop" in REFUNDED => "transfers.detail.merchant.value":
            response(|asked, message| each_refund(asked, message, |item| item["Merchant"] = json!("999999")));
        "a refund in euros has no sign" in "money-that-is-refunded-goes-back / of a part in euros" => "transfers.detail.confirmed.value":
            response(|asked, message| each_refund(asked, message, |item| if item["Měna"] == "EUR" {
                item["Potvrzená částka"] = json!("40,00");
                item["Převedená částka"] = json!("40,00");
            }));
        "the cancel of a refund reverses all" in "a-reversal-is-told-by-the-status / CZK" => "terminal.refund.status.reversed.value":
            response(|asked, message| if asked.is("refund.cancel") && message.succeeds() {
                asked.note("reversed", "all");
            } else if asked.is("refund.status") && !asked.recall("reversed").is_empty() {
                message.set("reversed", true);
            });
    }
}

fn payments() -> Vec<Break> {
    breaks! {
        "a reason of the payment before" in NEXT => "terminal.status.paymentErrorReason.value":
            response(|asked, message| if message.get("status") == "PAID" || message.has("paymentErrorReason") {
                of_before(asked, message, "paymentErrorReason");
            });
        "the card of the payment before" in NEXT => "terminal.status.cardNumber.value":
            response(|asked, message| of_before(asked, message, "cardNumber"));
        "the expiry of the card before" in NEXT => "terminal.status.cardValid.value":
            response(|asked, message| of_before(asked, message, "cardValid"));
        "the return of the payment before" in NEXT => "terminal.status.amountRefunded.value":
            response(|asked, message| of_before(asked, message, "amountRefunded"));
    }
}

fn cancelled() -> Vec<Break> {
    const LEFT: &str = "a-card-holder-leaves";
    breaks! {
        "the card of a payment without one" in LEFT => "terminal.status.cardNumber.value":
            response(|_, message| if message.get("status") == "CANCELLED" { message.set("cardNumber", "453201******0123") });
        "the expiry of a card that was not used" in LEFT => "terminal.status.cardValid.value":
            response(|_, message| if message.get("status") == "CANCELLED" { message.set("cardValid", "11/29") });
        "what was never paid counts" in LEFT => "terminal.payment.timed-out":
            response(|asked, message| if let Some(Value::Array(totals)) = message.fields.get_mut("batchData").filter(|_| asked.is("closing")) {
                totals.iter_mut().for_each(|total| total["creditsCount"] = json!(2));
            });
        "what was never paid is returned" in LEFT => "terminal.status.amountRefunded.value":
            response(|_, message| if message.get("status") == "CANCELLED" { message.set("amountRefunded", message.get("price")) });
    }
}

fn refusals() -> Vec<Break> {
    breaks! {
        "a refused payment occupies the terminal" in NOTHING => "terminal.create.answer.refused":
            response(|asked, message| if asked.is("terminal.create") && !message.succeeds() {
                asked.note("refused", "yes");
            } else if asked.is("terminal.state") && !asked.recall("refused").is_empty() {
                message.set("status", "BUSY");
            });
        "a refused refund occupies the terminal" in NOTHING => "terminal.refund.create.answer.refused":
            response(|asked, message| if asked.is("refund.create") && !message.succeeds() {
                asked.note("refused", "yes");
            } else if asked.is("terminal.state") && !asked.recall("refused").is_empty() {
                message.set("status", "BUSY");
            });
        "a refused payment counts" in NOTHING => "terminal.create.answer.refused":
            response(|asked, message| if let Some(Value::Array(totals)) = message.fields.get_mut("batchData").filter(|_| asked.is("closing")) {
                totals.iter_mut().for_each(|total| total["creditsCount"] = json!(2));
            });
    }
}

fn devices() -> Vec<Break> {
    breaks! {
        "versions of the configuration come again" in CONFIGURATION => "device.authenticate.configVersion.changes":
            response(|_, message| {
                cycles(message, "configVersion");
                if let Some(Value::Object(config)) = message.fields.get_mut("config") {
                    let version = config["configVersion"].as_i64().unwrap_or_default();
                    config.insert("configVersion".to_owned(), json!(version % 3));
                }
            });
        "versions of the catalog come again" in CATALOG => "device.authenticate.catalogVersion.changes":
            response(|_, message| if message.fields.get("catalogVersion").and_then(Value::as_i64).is_some_and(|version| version > 2) {
                message.set("catalogVersion", 1);
            });
        "a higher lowest version is not told" in "a-lowest-version-of-the-app-is-for-all-devices"
            => "device.authenticate.minAppVersionCode.value":
            response(|asked, message| if message.get("minAppVersionCode") == "130" && asked.is("device.authenticate") {
                message.set("minAppVersionCode", 120);
            });
        "the first record of a batch stays" in "a-lower-sync-version-is-dropped" => "device.transactions.syncVersion.higher":
            onward(|asked, sent| if let Some(Value::Array(records)) = sent.fields.get_mut("transactions").filter(|_| asked.is("device.transactions")) {
                records.truncate(1);
            });
        "a third activation is of another connection" in "an-activation-may-be-repeated" => "device.connectionId.same":
            response(|asked, message| if asked.is("device.activate") && !asked.first_time("once") && !asked.first_time("twice") {
                message.fields["config"]["connectionId"] = json!(4711);
            });
    }
}

/// An error of this call is told as a revocation, and the app deactivates itself.
fn told_as_revoked(asked: &ObservedRequest<'_>, message: &mut Message, call: &str, code: &str) {
    if asked.is(call) && message.get("errorCode") == code {
        message.set("errorCode", "DEVICE_REVOKED");
    }
}

fn revocations() -> Vec<Break> {
    const MANY: &str = "too-many-requests-are-refused";
    breaks! {
        "too many uploads are a revocation" in MANY => "device.code.RATE_LIMITED":
            response(|asked, message| told_as_revoked(asked, message, "device.transactions", "RATE_LIMITED"));
        "too many logs are a revocation" in MANY => "device.code.RATE_LIMITED":
            response(|asked, message| told_as_revoked(asked, message, "device.logs", "RATE_LIMITED"));
        "a failure of the catalog is a revocation" in "every-error-code-is-answered / INTERNAL_ERROR in catalog" => "device.errorCode.present":
            response(|asked, message| told_as_revoked(asked, message, "device.catalog", "INTERNAL_ERROR"));
    }
}

fn optional() -> Vec<Break> {
    breaks! {
        "an empty variable symbol is refused" in "a-variable-symbol-leaves-the-reference / nothing" => "qr.create.variableSymbol.refId":
            instead(|asked| (asked.is("qr.create") && asked.has("variableSymbol") && asked.text("variableSymbol").is_empty())
                .then(|| Message::objection(asked, 400, "")));
        "a payment in euros needs a reference" in "two-payments-may-have-the-same-reference / EUR" => "terminal.create.refId.optional":
            instead(|asked| (asked.is("terminal.create") && !asked.has("refId") && asked.text("curr") == "EUR")
                .then(|| Message::refusal(asked, 1400)));
    }
}
