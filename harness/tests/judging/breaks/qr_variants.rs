//! QR payments that are right in crowns, at first, or before an extension, and wrong otherwise.

use serde_json::Value;

use super::Break;
use crate::support::proxy::Message;

const CHANGED: &str = "the-method-of-a-pending-payment-is-changed";
const NO_MID: &str = "an-authentication-without-mid-is-a-bad-request";

pub fn all() -> Vec<Break> {
    [currencies(), states(), repetitions(), texts()].into_iter().flatten().collect()
}

fn currencies() -> Vec<Break> {
    breaks! {
        "a cancellation in euros cancels nothing" in "qr / a-pending-payment-is-cancelled / euros" => "qr.payment.states":
            instead(|asked| asked.is("qr.cancel").then(|| Message::granted(asked.sound())));
        "a Slovak payment has no reference" in "qr / a-reference-is-in-every-response / Slovak euros" => "qr.create.answer.refId.value":
            response(|asked, message| if asked.is("qr.create") { message.remove("refId") });
        "one reference for all payments in euros" in "qr / every-payment-has-an-identifier-of-its-own / euros" => "qr.create.symbol.own":
            response(|asked, message| if asked.is("qr.create") {
                message.set("paymentData", "BCD\n002\n1\nSCT\n\nShop\nCZ6508000000192000145399\nEUR50.00\n\nRF18539007547034");
            });
        "an amount of 32 bits" in "large-amounts-are-asked-for-and-refunded-exactly / euros" => "qr.paymentData.EPC.amount":
            response(|asked, message| if asked.is("qr.create") {
                message.replace("paymentData", message.get("paymentData").replace("EUR42949772.96", "EUR100.00"));
            });
    }
}

fn states() -> Vec<Break> {
    breaks! {
        "an extended payment is refunded before it is paid" in "only-a-paid-payment-is-refunded / an extended payment" => "qr.refund.only-paid":
            response(|asked, message| if asked.is("qr.refund.create") { message.grant(asked) });
        "an extended payment keeps its method" in "a-change-of-method-keeps-an-extension" => "qr.change-method.not-shortened":
            instead(|asked| asked.is("change-method").then(|| Message::objection(asked, 409, "")));
        "a change revives an expired payment" in "an-expired-payment-is-not-extended" => "qr.change-method.pending":
            response(|asked, message| if asked.is("change-method") { message.grant(asked) });
        "a paid payment with a refund is not extended" in "a-paid-payment-is-extended-to-no-effect" => "qr.payment.extend-of-paid":
            instead(|asked| (asked.is("qr.extend") && !asked.first_time("extended")).then(|| Message::objection(asked, 400, "")));
        "a refund of 1 minor unit is cancelled by itself" in "a-refund-waits-for-its-bank / 1 minor unit" => "qr.refund.states":
            response(|asked, message| if asked.is("refund.status") { message.replace("status", "CANCELLED") });
        "the symbol stands for the reference of a paid payment" in "a-variable-symbol-leaves-the-reference / 10 digits"
            => "qr.create.variableSymbol.refId":
            response(|asked, message| if asked.is("qr.status") && message.get("status") == "PAID" { message.remove("refId") });
        "the operator's symbol after a change" in "a-variable-symbol-is-not-in-the-code" => "qr.create.variableSymbol.not-in-code":
            response(|asked, message| if asked.is("change-method") {
                message.replace("paymentData", "SPD*1.0*ACC:CZ6508000000192000145399*AM:123.45*CC:CZK*X-VS:2026000123");
            });
    }
}

fn repetitions() -> Vec<Break> {
    breaks! {
        "ten changes of method at most" in CHANGED => "qr.change-method.unlimited":
            instead(|asked| {
                let is_refused = asked.is("change-method") && !(0..10).any(|count| asked.first_time(&format!("change {count}")));
                is_refused.then(|| Message::objection(asked, 409, ""))
            });
        "equal refunds are listed once" in "refunds-are-listed-in-their-order" => "qr.status.refunds.order":
            response(|asked, message| if let Some(Value::Array(refunds)) = message.fields.get_mut("refunds").filter(|_| asked.is("qr.status")) {
                refunds.truncate(3);
            });
    }
}

fn texts() -> Vec<Break> {
    breaks! {
        "no mid stands for any merchant" in NO_MID => "qr.authenticate.mid.required":
            response(|asked, message| if asked.has("mid") && asked.text("mid").is_empty() { message.grant(asked) });
        "a symbol has no emoji" in "a-variable-symbol-leaves-the-reference / an emoji" => "qr.create.variableSymbol.refId":
            instead(|asked| asked.text("variableSymbol").contains('🎁').then(|| Message::objection(asked, 400, "")));
    }
}
