//! Payments with wrong transitions: documented ones that are not taken, and undocumented ones that are.

use serde_json::json;

use super::{Break, READ_V2};
use crate::support::proxy::{Message, ObservedRequest};

/// Reports another state of the payment after a call.
fn from_then_on(asked: &ObservedRequest<'_>, message: &mut Message, call: &str, state: &str) {
    if asked.is(call) {
        asked.first_time(call);
    } else if asked.is("status") && asked.knows(call) {
        message.replace("status", state);
    }
}

/// Payments with wrong transitions.
pub fn all() -> Vec<Break> {
    breaks! {
        "a payment that is born paid" in "a-pending-payment-is-cancelled / v2.0" => "gateway.payment.created":
            response(|asked, message| if message.get("status") == "PENDING" && asked.is("status") { message.set("status", "PAID") });
        "a payment that is born cancelled" in "a-pre-authorization-is-authorized / v1.0" => "gateway.payment.created":
            response(|asked, message| if message.get("status") == "PENDING" && asked.is("status") { message.set("status", "CANCELLED") });
        "a paid payment that is pending again" in READ_V2 => "gateway.payment.states":
            response(|asked, message| if message.get("status") == "PAID" && !asked.first_time("paid") { message.set("status", "PENDING") });
        "the payer pays, and it stays pending" in "a-bank-payment-has-no-3d-secure-preference" => "gateway.payment.paid":
            world(|deed| if deed.action == "payer.pays" { deed.does_not_happen() });
        "the payer cancels, and it stays pending" in "a-payer-who-cancels-is-the-reason / v1.0" => "gateway.payment.failed":
            world(|deed| if deed.action == "payer.cancels" { deed.does_not_happen() });
        "a payment that fails is paid" in "a-failed-payment-tells-the-reason / REJECTED_BY_BANK in v2.0" => "gateway.payment.failed":
            world(|deed| if deed.action == "payer.fails" {
                deed.action = "payer.pays".to_owned();
                deed.with.remove("reason");
            });
        "a payment that expires is paid" in "an-unpaid-payment-expires-by-its-own-time / 30m in v2.0" => "gateway.payment.expired":
            everywhere(|message| if message.get("status") == "CANCELLED" { message.set("status", "PAID") });
        "a payment that does not expire" in "an-unpaid-payment-expires-by-its-own-time / 30m in v2.0"
            => "gateway.create.expirationTime.effect":
            response(|_, message| if message.get("status") == "CANCELLED" { message.set("status", "PENDING") });
        "an accepted cancellation that cancels nothing" in "a-cancelled-payment-is-not-refunded / v1.0"
            => "gateway.payment.cancelled":
            instead(|asked| asked.is("cancel").then(|| Message::success(asked)));
        "a cancelled payment reads as pending" in "a-pending-payment-is-cancelled / v2.0" => "gateway.cancel.pending":
            response(|_, message| if message.get("status") == "CANCELLED" { message.set("status", "PENDING") });
        "a cancellation that is refused cancels a paid payment" in "a-paid-payment-is-not-cancelled / v1.0"
            => "gateway.payment.cancel-of-paid":
            response(|asked, message| from_then_on(asked, message, "cancel", "CANCELLED"));
        "a refund cancels the payment" in "a-paid-payment-is-refunded-in-full / v2.0" => "gateway.payment.refunded":
            response(|asked, message| from_then_on(asked, message, "refund", "CANCELLED"));
        "a refund that is refused revives a cancelled payment" in "a-cancelled-payment-is-not-refunded / v2.0"
            => "gateway.payment.refund-of-cancelled":
            response(|asked, message| from_then_on(asked, message, "refund", "PAID"));
        "an authorized payment reads as paid" in "a-pre-authorization-is-authorized / v2.0" => "gateway.payment.authorized":
            response(|_, message| if message.get("status") == "AUTHORIZED" { message.set("status", "PAID") });
        "a rejected pre-authorization reads as pending" in "a-rejected-pre-authorization-is-cancelled / v1.0"
            => "gateway.payment.preauth-rejected":
            response(|_, message| if message.get("status") == "CANCELLED" { message.set("status", "PENDING") });
        "a captured payment is gone" in "an-authorized-payment-is-captured-in-full / v1.0" => "gateway.payment.captured":
            response(|asked, message| if asked.is("capturePreauth") {
                asked.first_time("captured");
            } else if asked.is("status") && asked.knows("captured") {
                message.refuse(1400);
            });
        "an authorized amount is not released" in "an-authorized-payment-is-released / v2.0" => "gateway.payment.released":
            instead(|asked| asked.is("cancelPreauth").then(|| Message::refusal(asked, 1400)));
        "a test recurring payment of the test address is paid" in "test-recurring-payments-of-the-test-address-are-cancelled / v2.0"
            => "gateway.recurring.test.cancelled":
            everywhere(|message| if message.get("status") == "CANCELLED" { message.set("status", "PAID") });
        "a recurring call that makes no payment" in "a-recurring-payment-is-refunded-like-any-other / v1.0" => "gateway.payment.recurring":
            instead(|asked| asked.is("recurring").then(|| {
                Message::response_to(asked, json!({"code": 0, "message": "OK", "transId": "ZZZZ-0000-0001"}))
            }));
    }
}
