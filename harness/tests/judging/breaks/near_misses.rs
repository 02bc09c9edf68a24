//! What a target refuses or returns right at first sight, and accepts or loses in the next form, currency or spelling.

use serde_json::json;

use super::Break;

const CLOSED: &str = "a-closed-payment-stays-closed";
const KINDS: &str = "what-is-required-is-required-of-every-kind";
const ABO: &str = "an-abo-statement-takes-its-parameters-in-either-form";

pub fn all() -> Vec<Break> {
    [kinds(), passwords(), tokens(), states(), devices(), spellings(), parameters()].into_iter().flatten().collect()
}

fn kinds() -> Vec<Break> {
    breaks! {
        "a pre-authorization of nobody" in KINDS => "gateway.create.fullName.required":
            response(|asked, message| if asked.text("preauth") == "true" && !asked.has("fullName") { message.accept_creation() });
        "a verification payment of nothing" in "what-is-required-is-required-of-every-kind / verification in v2.0"
            => "gateway.create.price.required":
            response(|asked, message| if !asked.has("price") && asked.is("create") { message.accept_creation() });
        "an initiation payment whose payer can't be reached" in "what-is-required-is-required-of-every-kind / initiation in v1.0"
            => "gateway.create.contact.required":
            response(|asked, message| if !asked.has("email") && asked.is("create") { message.accept_creation() });
        "a reason before anything was tried" in "a-paid-payment-tells-no-rejection / v1.0" => "gateway.status.paymentErrorReason.only":
            response(|asked, message| if asked.is("v2.status") && message.get("status") == "PENDING" {
                message.set("paymentErrorReason", "NOT_SPECIFIED");
            });
        "the reference of the initiation is taken" in "the-merchant-decides-when-and-how-much / v2.0"
            => "gateway.recurring.refId.repeated":
            response(|asked, message| if asked.is("recurring") && asked.text("refId") == "subscription-0" { message.refuse(1400) });
        "a recurring payment is what its initiation was" in "a-recurring-payment-without-test-is-a-production-payment / v1.0"
            => "gateway.recurring.test.type":
            onward(|asked, sent| if asked.is("recurring") && asked.text("test") == "true" { sent.set("test", false) });
    }
}

fn passwords() -> Vec<Break> {
    breaks! {
        "the beginning of a password opens the terminal" in "an-almost-right-password-opens-nothing / the last character missing"
            => "terminal.credentials":
            onward(|asked, sent| if asked.is("state") { sent.in_the_name_of_main(asked) });
        "a password in other case gets a token" in "an-almost-right-password-gets-no-token / in other case" => "qr.authenticate.basic":
            response(|asked, message| if asked.is("qr.authenticate") { message.grant(asked) });
        "no password activates" in "an-almost-right-password-activates-nothing / empty" => "device.activate.basic":
            response(|asked, message| if asked.is("activate") { message.becomes_a_response(&json!({ "deviceToken": "a-token" })) });
    }
}

fn tokens() -> Vec<Break> {
    breaks! {
        "the signature of a token is not checked" in "qr / a-token-that-was-altered-opens-nothing" => "qr.token.carried":
            response(|asked, message| if asked.is("qr.status") && message.status == 401 { message.grant(asked) });
        "the signature of the token of a device is not checked" in "device / a-token-that-was-altered-opens-nothing"
            => "device.token.bearer":
            response(|asked, message| if asked.is("device.config") && !message.fulfils() {
                message.becomes_a_response(&json!({ "configVersion": 1 }));
            });
        "the beginning of a device token is enough" in "device / a-token-that-was-altered-opens-nothing" => "device.authenticate.bearer":
            response(|asked, message| if asked.is("device.authenticate") && !message.fulfils() {
                message.becomes_a_response(&json!({ "token": "a.b.c" }));
            });
    }
}

fn states() -> Vec<Break> {
    breaks! {
        "the closing before the last is forgotten" in CLOSED => "terminal.cancel.closed":
            response(|asked, message| if asked.is("terminal.cancel") && !asked.first_time("cancelled") { message.accept() });
        "a closing closes crowns alone" in "a-closed-payment-stays-closed / EUR" => "terminal.cancel.closed":
            response(|asked, message| if asked.is("terminal.cancel") { message.accept() });
        "a part that went back is told as a cancellation" in "a-returned-amount-is-told" => "terminal.status.reversed.value":
            response(|asked, message| if asked.is("terminal.status") && message.get("amountRefunded") == "2500" { message.replace("reversed", true) });
        "a payment with a refund is cancelled" in "qr / a-refunded-payment-is-not-cancelled" => "qr.cancel.not-final":
            response(|asked, message| if asked.is("qr.cancel") && !message.fulfils() { message.grant(asked) });
    }
}

fn devices() -> Vec<Break> {
    breaks! {
        "a token of a month ago is accepted" in "a-token-of-long-ago-has-expired" => "device.token.short-lived":
            response(|asked, message| if asked.is("device.config") && !message.fulfils() {
                message.becomes_a_response(&json!({ "configVersion": 1 }));
            });
        "an expired token is told as revoked" in "a-token-of-long-ago-has-expired" => "device.code.TOKEN_EXPIRED":
            response(|asked, message| if asked.is("device.config") && !message.fulfils() { message.objects(asked, 401, "DEVICE_REVOKED") });
        "every reset of the PIN is the first" in "a-further-reset-of-the-pin-is-another-event" => "device.config.pinResetAt.changes":
            response(|asked, message| if asked.is("device.config") && message.get("pinResetAt") != "null" {
                message.replace("pinResetAt", 1_772_359_200_000_i64);
            });
    }
}

fn spellings() -> Vec<Break> {
    breaks! {
        "identifiers in small letters" in "ids-come-back-as-they-were-sent" => "device.transactions.accepted.value":
            response(|asked, message| if asked.is("device.transactions") { message.set("accepted", json!(["0007", "sale-ab1"])) });
        "an identifier of digits as a number" in "ids-come-back-as-they-were-sent" => "device.transactions.accepted.value":
            response(|asked, message| if asked.is("device.transactions") { message.set("accepted", json!([7, "Sale-Ab1"])) });
    }
}

fn parameters() -> Vec<Break> {
    breaks! {
        "the type counts in the envelope alone" in ABO => "transfers.abo.type.v2":
            way(|asked, path| if asked.query_parameter("download") == "true" { path.replace("type=v2", "type=v1") } else { path.to_owned() });
        "the type does not count in the archive" in ABO => "transfers.aboDay.type.v2":
            way(|asked, path| if asked.is("aboDay") { path.replace("type=v2", "type=v1") } else { path.to_owned() });
    }
}
