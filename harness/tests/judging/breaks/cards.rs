//! Cards and 3D Secure preferences that are shown where they must not be, or in full.

use super::Break;

/// A number that everybody may read, and must not.
const WHOLE: &str = "4111 1111 1111 1111";
const PARTIAL: &str = "516844******1234";

/// Cards and 3D Secure preferences that are shown where they must not be, or in full.
pub fn all() -> Vec<Break> {
    breaks! {
        "the whole card number in the status" in "an-initiation-payment-tells-a-part-of-its-card / v1.0"
            => "gateway.status.cardNumber.partial":
            response(|asked, message| if asked.is("v2.status") { message.set("cardNumber", WHOLE) });
        "the whole card number in the notification" in "an-initiation-payment-tells-a-part-of-its-card / v2.0"
            => "gateway.notification.cardNumber.partial":
            push(|_, push| push.message.set("cardNumber", WHOLE));
        "the card of a bank payment" in "a-bank-payment-tells-no-card / v2.0" => "gateway.status.card":
            response(|asked, message| if asked.is("v2.status") { message.set("cardNumber", PARTIAL) });
        "the card of an ordinary payment in the notification" in "a-card-payment-tells-no-card / v1.0" => "gateway.notification.card":
            push(|_, push| push.message.set("cardNumber", PARTIAL));
        "the card of a pre-authorization" in "a-card-payment-tells-no-card / pre-authorization in v2.0" => "gateway.status.card":
            response(|asked, message| if asked.is("v2.status") { message.set("cardNumber", PARTIAL) });
        "the card of a recurring payment in the notification" in "a-recurring-payment-tells-no-card / v1.0" => "gateway.notification.card":
            push(|_, push| push.message.set("cardNumber", PARTIAL));
        "the expiry of the card of a recurring payment" in "a-recurring-payment-tells-no-card / v2.0" => "gateway.status.card":
            response(|asked, message| if asked.is("v2.status") { message.set("cardValid", "12/29") });
        "the expiry of the card in a wallet" in "an-initiation-payment-by-a-wallet-tells-no-card-expiry / Apple Pay in v2.0"
            => "gateway.status.card":
            response(|asked, message| if asked.is("v2.status") { message.set("cardValid", "12/29") });
        "3D Secure of a bank payment in the notification" in "a-bank-payment-tells-no-card / v2.0"
            => "gateway.notification.threeDSPreference.setting":
            push(|_, push| {
                push.message.set("threeDSPreference", "AUTO");
                push.message.set("threeDSApplied", true);
            });
        "3D Secure is not allowed, though nobody asked" in "without-the-setting-no-3d-secure-preference-is-told / v2.0"
            => "gateway.status.threeDSPreference.setting":
            response(|asked, message| if asked.is("v2.status") {
                message.set("threeDSPreference", "NOT_ALLOWED");
                message.set("threeDSApplied", false);
            });
    }
}
