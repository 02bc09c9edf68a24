//! Lies of a till that only another record, or a clock beside the target, finds.

use serde_json::json;

use super::Break;
use crate::support::proxy::Message;

const KINDS: &str = "a-refund-is-no-payment";
const ONCE: &str = "a-payment-is-transferred-once";
const OTHERS: &str = "a-token-of-another-api-opens-nothing";
const REFUSED: &str = "a-refused-extension-extends-nothing";
const YEAR: &str = "times-at-the-end-of-a-year-are-of-their-year";
const WEEK: &str = "an-extension-ends-in-seven-days";

pub fn all() -> Vec<Break> {
    [records(), times(), lives(), effects(), tokens(), versions(), statements()].into_iter().flatten().collect()
}

fn records() -> Vec<Break> {
    breaks! {
        "a refund is read as a payment" in KINDS => "terminal.status.unknown":
            response(|asked, message| if asked.is("terminal.status") && !message.succeeds() { message.accept_terminal_status(&asked.text("transId")) });
        "a refund is cancelled as a payment" in KINDS => "terminal.cancel.unknown":
            response(|asked, message| if asked.is("terminal.cancel") { message.accept() });
        "a payment is read as a refund" in KINDS => "terminal.refund.status.unknown":
            response(|asked, message| if asked.is("refund.status") && !message.succeeds() { message.accept_terminal_status(&asked.text("transId")) });
        "a payment is cancelled as a refund" in KINDS => "terminal.refund.cancel.unknown":
            response(|asked, message| if asked.is("refund.cancel") { message.accept() });
        "a payment is counted before it is paid" in "a-closing-counts-no-pending-payment" => "terminal.closing.totals.payments":
            response(|asked, message| if asked.is("closing") {
                message.set("batchData", json!([{ "curr": "CZK", "creditsAmount": 3100, "creditsCount": 1, "debitsAmount": 0, "debitsCount": 0 }]));
            });
    }
}

fn times() -> Vec<Break> {
    breaks! {
        "six days" in WEEK => "qr.extend.seven-days":
            response(|asked, message| if asked.is("qr.extend") { message.replace("expiration", "2026-01-21T12:00:00Z") });
        "nine days" in WEEK => "qr.extend.seven-days":
            response(|asked, message| if asked.is("qr.extend") { message.replace("expiration", "2026-01-24T12:00:00Z") });
        "the year of the week" in YEAR => "qr.extend.seven-days":
            response(|asked, message| if asked.is("qr.extend") {
                message.replace("expiration", message.get("expiration").replace("2027-01-02", "2026-01-02"));
            });
        "a token has the year of the week" in YEAR => "qr.authenticate.expiry.value":
            response(|asked, message| if asked.is("qr.authenticate") { message.set("expiry", message.get("expiry").replace("2027-01-02", "2026-01-02")) });
        "a reference is used once" in "a-refund-needs-no-reference" => "qr.create.call":
            instead(|asked| asked.is("qr.create").then(|| Message::objection(asked, 409, "")));
        "a minute later, the same" in "a-later-change-of-method-sets-a-later-expiry" => "qr.change-method.restarted":
            response(|asked, message| if asked.is("change-method") { message.replace("expiration", "2026-01-15T12:15:00Z") });
        "a token of yesterday" in "a-new-token-has-not-expired" => "qr.authenticate.expiry.value":
            response(|asked, message| if asked.is("qr.authenticate") { message.replace("expiry", "2026-01-14T12:00:00Z") });
        "a token of an hour ago" in "a-new-token-has-not-expired" => "qr.authenticate.expiry.value":
            response(|asked, message| if asked.is("qr.authenticate") { message.replace("expiry", "2026-01-15T11:00:00Z") });
    }
}

fn lives() -> Vec<Break> {
    breaks! {
        "a token of a device of an hour ago" in "a-new-token-of-a-device-has-not-expired" => "device.authenticate.expiry.value":
            response(|asked, message| if asked.is("device.authenticate") { message.replace("expiry", "2026-01-15T11:00:00Z") });
        "a token of a device that ends early" in "a-token-expires-and-is-exchanged-again / configuration"
            => "device.authenticate.expiry.value":
            instead(|asked| asked.is("device.config").then(|| Message::objection(asked, 401, "TOKEN_EXPIRED")));
        "a token of another zone" in "a-token-says-when-it-expires" => "qr.authenticate.expiry.value":
            response(|asked, message| if asked.is("qr.authenticate") { message.replace("expiry", "2026-01-15T14:10:00Z") });
        "a change of another zone" in "a-change-of-method-restarts-the-expiry / crowns" => "qr.change-method.expiration.value":
            response(|asked, message| if asked.is("change-method") { message.replace("expiration", "2026-01-15T14:25:00Z") });
        "a change that stores another expiry than it returns" in "a-change-of-method-keeps-an-extension"
            => "qr.change-method.not-shortened":
            response(|asked, message| if asked.is("change-method") && !asked.first_time("changed") {
                message.replace("expiration", "2026-01-15T12:15:00Z");
            });
    }
}

fn effects() -> Vec<Break> {
    breaks! {
        "a refused extension has an effect" in REFUSED => "qr.extend.note.max":
            response(|asked, message| if asked.is("change-method") && !asked.first_time("changed") {
                message.replace("expiration", "2099-01-22T12:00:00Z");
            });
        "an extension by another merchant has an effect" in REFUSED => "qr.token.other-payment":
            response(|asked, message| if asked.is("change-method") && !asked.first_time("once") && !asked.first_time("twice") {
                message.replace("expiration", "2099-01-22T12:00:00Z");
            });
        "any identifier is that of a refund" in "a-refund-belongs-to-its-payment" => "qr.refund.path":
            response(|asked, message| if asked.is("qr.refund.status") && asked.text("transRefundId") == "no-such-refund" { message.grant(asked) });
        "no refunds of euros" in "a-payment-in-euros-lists-its-refunds / by EPC" => "qr.status.refunds.transRefundId.recovered":
            response(|asked, message| if asked.is("qr.status") { message.set("refunds", json!([])) });
        "what the payer cancelled is extended" in "a-payment-that-another-cancelled-is-not-extended / by the payer"
            => "qr.payment.extend-of-cancelled":
            response(|asked, message| if asked.is("qr.extend") { message.grant(asked) });
        "the device token before the one before" in "an-activation-may-be-repeated" => "device.activate.superseded":
            response(|asked, message| if asked.is("device.authenticate") && !message.fulfils() && !asked.first_time("once") && !asked.first_time("twice") {
                message.grant(asked);
            });
        "a reset of the PIN is a report" in "a-pin-reset-is-told-with-its-time" => "device.config.terminalReportedAt.null":
            response(|asked, message| if asked.is("device.config") { message.set("terminalReportedAt", 1_768_478_400_000_i64) });
    }
}

fn tokens() -> Vec<Break> {
    breaks! {
        "a token of QR payments reads a configuration" in OTHERS => "device.token.kinds":
            response(|asked, message| if asked.is("device.config") { message.becomes_a_response(&json!({ "configVersion": 1 })) });
        "a token of QR payments is exchanged" in OTHERS => "device.token.kinds":
            response(|asked, message| if asked.is("device.authenticate") && !message.fulfils() { message.becomes_a_response(&json!({ "token": "a.b.c" })) });
        "any platform is activated" in "an-app-of-no-platform-is-not-activated" => "device.activate.platform.enum":
            response(|asked, message| if asked.is("device.activate") { message.becomes_a_response(&json!({ "deviceToken": "a-token" })) });
        "a token of a device lists methods" in OTHERS => "qr.token.carried":
            response(|asked, message| if asked.is("qr.methods") && !message.fulfils() { message.becomes_a_response(&json!({ "methods": [] })) });
    }
}

fn versions() -> Vec<Break> {
    breaks! {
        "a reset and a report show in no version" in "an-event-has-another-version" => "device.authenticate.configVersion.changes":
            response(|asked, message| if asked.is("device.authenticate") { message.replace("configVersion", 1) });
        "a catalog changes its version once" in "a-changed-catalog-has-another-version" => "device.authenticate.catalogVersion.changes":
            response(|asked, message| if asked.is("device.authenticate") && message.get("catalogVersion") != "0" { message.replace("catalogVersion", 1) });
    }
}

fn statements() -> Vec<Break> {
    breaks! {
        "a payment is transferred twice" in ONCE => "transfers.detail.id.unique":
            response(|asked, message| if asked.is("transfers.detail") {
                message.records(|records| {
                    let first = records.first().cloned();
                    records.extend(first);
                });
            });
        "the method that was asked for" in ONCE => "transfers.detail.method.value":
            response(|asked, message| if asked.is("transfers.detail") { message.each(|item| item["Metoda"] = json!("CARD_ALL")) });
    }
}
