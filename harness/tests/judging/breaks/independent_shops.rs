//! Lies that stayed green when shops which others had written from the documents alone told them.

use super::{Break, time_passes};
use crate::support::proxy::Message;

const SYMBOL: &str = "a-variable-symbol-is-not-in-the-code";
const PINGS: &str = "qr / the-pings-answer-200";

pub fn all() -> Vec<Break> {
    [kinds_of_payments(), verifications(), ends(), terminals(), codes(), devices()].into_iter().flatten().collect()
}

/// What is refused of a payment, and taken of one of another kind.
fn kinds_of_payments() -> Vec<Break> {
    breaks! {
        "a verification payment in any language" in "a-language-that-is-not-listed-is-refused-of-every-kind / verification in v1.0"
            => "gateway.create.lang.enum":
            response(|asked, message| if asked.text("lang") == "xx" { message.accept_creation() });
        "an initiation of any country" in "what-no-payment-may-have-is-refused-of-every-kind / initiation in v2.0"
            => "gateway.create.country.enum":
            response(|asked, message| if asked.text("country") == "XX" { message.accept_creation() });
        "a verification payment in crowns in Slovakia" in "what-no-payment-may-have-is-refused-of-every-kind / verification in v2.0"
            => "gateway.create.country.SK":
            response(|asked, message| if asked.text("curr") == "CZK" && asked.text("country") == "SK" { message.accept_creation() });
        "an initiation that lasts a minute" in "what-no-payment-may-have-is-refused-of-every-kind / initiation in v1.0"
            => "gateway.create.expirationTime.min":
            response(|asked, message| if asked.text("expirationTime") == "1m" { message.accept_creation() });
        "a reservation that lasts eight days" in "what-no-payment-may-have-is-refused-of-every-kind / pre-authorization in v2.0"
            => "gateway.create.expirationTime.max":
            response(|asked, message| if asked.text("expirationTime") == "8d" { message.accept_creation() });
        "a verification payment has no upper bound in euros" in "a-price-above-the-maximum-in-euros-is-refused-of-every-kind / verification in v1.0"
            => "gateway.create.price.max.EUR":
            response(|asked, message| if asked.text("price") == "4000001" { message.accept_creation() });
        "an initiation has no upper bound in dollars" in "a-price-above-the-maximum-in-dollars-is-refused-of-every-kind / initiation in v1.0"
            => "gateway.create.price.max.USD":
            response(|asked, message| if asked.text("price") == "4500001" { message.accept_creation() });
        "any 3D Secure preference of a reservation"
            in "a-3d-secure-preference-that-is-not-listed-is-refused-of-every-kind / pre-authorization"
            => "gateway.v2.create.threeDSPreference.enum":
            response(|asked, message| if asked.text("threeDSPreference") == "BAD" { message.accept_creation() });
    }
}

fn verifications() -> Vec<Break> {
    breaks! {
        "a verification payment that was cancelled waits on" in "a-verification-payment-is-cancelled-like-any-other / v1.0"
            => "gateway.payment.cancelled":
            response(|asked, message| if asked.is("status") && message.get("status") == "CANCELLED" { message.replace("status", "PENDING") });
        "a verification payment is refunded really" in "a-verification-payment-is-cancelled-like-any-other / v2.0"
            => "gateway.refund.test.only":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "a verification payment never expires" in "a-verification-payment-expires-like-any-other / v1.0"
            => "gateway.create.expirationTime.effect":
            response(|asked, message| if asked.is("status") && message.get("status") == "CANCELLED" { message.replace("status", "PENDING") });
        "a verification payment that failed waits on" in "a-verification-payment-that-fails-is-cancelled / v2.0"
            => "gateway.payment.failed":
            response(|asked, message| if asked.is("status") && message.get("status") == "CANCELLED" { message.replace("status", "PENDING") });
        "a verification payment has no page" in "the-page-of-a-verification-payment-opens / v1.0"
            => "gateway.create.answer.redirect.url":
            response(|asked, message| if asked.is("page") { message.becomes_a_page(404, "<h1>Not found</h1>") });
        "a pre-authorization has no page" in "the-page-of-a-pre-authorization-opens / v2.0"
            => "gateway.create.answer.redirect.url":
            response(|asked, message| if asked.is("page") { message.becomes_a_page(404, "<h1>Not found</h1>") });
        "an initiation that waits is refunded" in "a-pending-initiation-is-not-refunded / v2.0" => "gateway.refund.only-paid":
            response(|asked, message| if asked.is("refund") { message.accept() });
    }
}

/// What is over, and yet goes on.
fn ends() -> Vec<Break> {
    breaks! {
        "a recurring payment is captured" in "a-recurring-payment-is-not-captured / v1.0" => "gateway.capturePreauth.only-authorized":
            response(|asked, message| if asked.is("capturePreauth") { message.accept() });
        "a recurring payment is released" in "a-recurring-payment-is-not-captured / v2.0" => "gateway.cancelPreauth.only-authorized":
            response(|asked, message| if asked.is("cancelPreauth") { message.accept() });
        "a cancelled recurring payment is cancelled again" in "a-cancelled-recurring-payment-is-not-refunded / v1.0"
            => "gateway.cancel.not-pending":
            response(|asked, message| if asked.operation.ends_with(".cancel") { message.accept() });
        "a rejected reservation is cancelled" in "a-rejected-pre-authorization-is-cancelled / v2.0" => "gateway.cancel.not-pending":
            response(|asked, message| if asked.operation.ends_with(".cancel") { message.accept() });
        "what was captured of a test is refunded really" in "a-captured-test-payment-is-refunded-by-test-refunds-only / v1.0"
            => "gateway.refund.test.only":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "what was captured was rejected" in "a-captured-test-payment-is-refunded-by-test-refunds-only / v2.0"
            => "gateway.status.paymentErrorReason.only":
            response(|asked, message| if asked.is("status") { message.set("paymentErrorReason", "NOT_SPECIFIED") });
        "a preference that the setting forbids is notified" in "a-3d-secure-preference-without-the-setting-is-not-allowed"
            => "gateway.notification.threeDSPreference.setting":
            push(|_, push| {
                push.message.set("threeDSPreference", "AUTO");
                push.message.set("threeDSApplied", true);
            });
        "a paid payment expires when its extension is over" in "a-paid-payment-that-was-extended-does-not-expire / crowns"
            => "qr.payment.states":
            world(time_passes),
            response(|asked, message| if asked.is("qr.status") && asked.knows("later") { message.replace("status", "CANCELLED") });
    }
}

fn terminals() -> Vec<Break> {
    breaks! {
        "a declined payment is paid after all" in "terminal / a-cancelled-payment-stays-cancelled" => "terminal.payment.states":
            response(|asked, message| if message.get("status") == "CANCELLED" && !asked.first_time("declined") {
                message.replace("status", "PAID");
            });
        "the price of a payment that waits is returned" in "nothing-is-returned-of-a-pending-payment / EUR"
            => "terminal.status.amountRefunded.value":
            response(|asked, message| if asked.is("terminal.status") { message.set("amountRefunded", message.get("price")) });
        "every closing has the same number" in "two-closings-have-two-numbers" => "terminal.closing.batchNumber.value":
            response(|asked, message| if asked.is("closing") { message.replace("batchNumber", 17) });
    }
}

fn codes() -> Vec<Break> {
    breaks! {
        "the symbol of the operator is a reference in the code" in SYMBOL => "qr.create.variableSymbol.not-in-code":
            response(|asked, message| if asked.is("qr.create") && asked.text("variableSymbol").len() == 10 {
                message.replace("paymentData", format!("{}*RN:{}", message.get("paymentData"), asked.text("variableSymbol")));
            });
        "a symbol that is too long for its column is in the code" in SYMBOL => "qr.create.variableSymbol.not-in-code":
            response(|asked, message| if asked.is("qr.create") && asked.text("variableSymbol").len() == 11 {
                message.replace("paymentData", format!("{}*X-ID:{}", message.get("paymentData"), asked.text("variableSymbol")));
            });
        "the refund of another merchant is shown" in "a-refund-of-another-merchant-is-not-read-under-an-own-payment" => "qr.refund.path":
            response(|asked, message| if asked.is("refund.status") { message.grant(asked) });
        "the liveness check of the authentication refuses everybody" in PINGS => "qr.auth-ping.status":
            response(|asked, message| if asked.is("auth-ping") { message.becomes_an_error(401) });
        "the liveness check refuses a token" in PINGS => "qr.ping.status":
            response(|asked, message| if asked.operation == "qr.ping" { message.becomes_an_error(401) });
    }
}

fn devices() -> Vec<Break> {
    breaks! {
        "a wrong password takes the device token away" in "a-refused-activation-takes-no-token-away / another password"
            => "device.activate.last-wins":
            instead(|asked| asked.is("device.authenticate").then(|| Message::objection(asked, 401, "DEVICE_REVOKED")));
        "an activation that is refused takes the device token away" in "a-refused-activation-takes-no-token-away / another platform"
            => "device.activate.last-wins":
            instead(|asked| asked.is("device.authenticate").then(|| Message::objection(asked, 401, "DEVICE_REVOKED")));
        "a superseded device token has another code a day later" in "a-superseded-token-stays-superseded"
            => "device.superseded.device-token":
            response(|_, message| if message.get("errorCode") == "DEVICE_REVOKED" { message.set("errorCode", "UNAUTHORIZED") });
    }
}
