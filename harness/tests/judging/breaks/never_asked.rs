//! Lies about what is asked for seldom: the last refund, the other currency, a payment that was given up, a user of another name.

use serde_json::json;

use super::Break;
use crate::support::proxy::{Message, ObservedRequest, remember};

const REFUNDED: &str = "a-test-refund-leaves-the-payment / v1.0";
const GIVEN_UP: &str = "a-cancelled-payment-is-notified-with-what-was-sent / v1.0";
const REFERENCES: &str = "two-refunds-may-have-the-same-reference / v2.0";
const CONTACT: &str = "an-email-or-a-phone-is-enough / v1.0";
const ONE_BANK: &str = "a-payment-by-the-method-of-one-bank-is-cancelled / crowns";

pub fn all() -> Vec<Break> {
    [refunds(), kinds(), given_up(), creations(), users(), qr_refunds(), one_bank()].into_iter().flatten().collect()
}

/// Accepts a refund of one unit, whatever is left.
fn one_more(asked: &ObservedRequest<'_>, message: &mut Message) {
    if asked.is("refund") && asked.text("amount") == "1" {
        message.accept();
    }
}

fn refunds() -> Vec<Break> {
    breaks! {
        "the last refund of a recurring payment does not count" in "a-recurring-payment-is-refunded-in-parts / v1.0" => "gateway.refund.sum":
            response(one_more);
        "the last refund of a payment by redirect does not count" in "refunds-of-a-payment-created-by-redirect-are-counted / v2.0"
            => "gateway.refund.sum":
            response(one_more);
        "a test refund makes a test payment of it" in REFUNDED => "gateway.refund.test.leaves":
            response(|asked, message| {
                if asked.is("refund") && message.succeeds() { asked.first_time("refunded"); }
                if asked.is("v2.status") && asked.knows("refunded") { message.set("test", "true") }
            });
        "a reference of a refund is of plain letters" in REFERENCES => "gateway.refund.refId.repeated":
            instead(|asked| (asked.is("refund") && !asked.text("refId").is_ascii()).then(|| Message::refusal(asked, 1400)));
    }
}

fn kinds() -> Vec<Break> {
    breaks! {
        "a card is shown of a payment in euros" in "a-card-payment-tells-no-card / EUR in v1.0" => "gateway.status.card":
            response(|asked, message| if asked.is("v2.status") {
                message.set("cardNumber", "411111******1111");
                message.set("cardValid", "12/29");
            });
        "a pre-authorization is a test payment by default" in "a-payment-of-any-kind-without-test-is-a-production-payment / pre-authorization in v1.0"
            => "gateway.create.test.default":
            response(|asked, message| if asked.is("v2.status") { message.set("test", "true") });
        "an initiation is a test payment by default" in "a-payment-of-any-kind-without-test-is-a-production-payment / initiation in v2.0"
            => "gateway.create.test.default":
            response(|asked, message| if asked.is("v2.status") { message.set("test", "true") });
    }
}

fn given_up() -> Vec<Break> {
    breaks! {
        "the notification of a payment that was given up swaps street and city" in GIVEN_UP => "gateway.notification.billing_addr_city.value":
            push(|_, push| {
                let (city, street) = (push.message.get("billing_addr_city"), push.message.get("billing_addr_street"));
                push.message.replace("billing_addr_city", street);
                push.message.replace("billing_addr_street", city);
            });
        "the notification of a payment that was given up has no Greek letters" in GIVEN_UP => "gateway.notification.full_name.value":
            push(|_, push| push.message.replace("full_name", "Řehoř ?????"));
        "the notification of a payment that was given up writes the e-mail small" in GIVEN_UP => "gateway.notification.email.value":
            push(|_, push| push.message.replace("email", push.message.get("email").to_lowercase()));
        "a payment that was given up was to be delivered at home" in GIVEN_UP => "gateway.notification.home_delivery_country.value":
            push(|_, push| push.message.replace("home_delivery_country", "CZ"));
    }
}

fn creations() -> Vec<Break> {
    breaks! {
        "a pre-authorization needs an e-mail" in CONTACT => "gateway.create.contact.required":
            response(|asked, message| if asked.is("create") && asked.text("preauth") == "true" && !asked.has("email") { message.refuse(1400) });
        "an electronic delivery needs an e-mail" in CONTACT => "gateway.create.contact.required":
            response(|asked, message| if asked.is("create") && asked.has("delivery") && !asked.has("email") { message.refuse(1400) });
        "a secret creates in the background" in "a-redirect-creation-sends-the-payer-to-the-gateway" => "gateway.v1.create.prepareOnly.default":
            instead(|asked| (asked.is("v1.create") && asked.has("secret") && !asked.has("prepareOnly")).then(|| {
                Message::response_to(asked, json!({ "code": 0, "message": "OK", "transId": "AB12-CD34-EF56" }))
            }));
        "dynamic expiration goes with no other" in "flags-of-a-payment-may-be-set-either-way / true in v1.0"
            => "gateway.create.dynamicExpiration.accepted":
            response(|asked, message| if asked.is("create") && asked.has("dynamicExpiration") && asked.has("expirationTime") {
                message.refuse(1400);
            });
    }
}

fn users() -> Vec<Break> {
    breaks! {
        "any user gets a token with the password" in "an-almost-right-password-gets-no-token / of another user" => "qr.authenticate.basic":
            response(|asked, message| if asked.is("authenticate") { message.becomes_a_response(&asked.sound()) });
        "any user activates a device with the password" in "an-almost-right-password-activates-nothing / of another user"
            => "device.activate.basic":
            response(|asked, message| if asked.is("activate") { message.becomes_a_response(&asked.sound()) });
        "any terminal is known with the password" in "an-almost-right-password-opens-nothing / of an unknown terminal" => "terminal.credentials":
            response(|asked, message| if asked.is("terminal.status") && !message.succeeds() {
                message.accept_terminal_status(&asked.text("transId"));
            });
    }
}

fn qr_refunds() -> Vec<Break> {
    breaks! {
        "a refund that was sent back is read by others" in "a-refund-is-processed-by-the-bank / sent back" => "qr.token.other-payment":
            response(|asked, message| if asked.is("refund.status") && message.status == 403 { message.becomes_a_response(&asked.sound()) });
        "a refund that was rejected is not listed" in "a-refund-may-be-rejected-by-the-bank / rejected" => "qr.status.refunds.creation":
            world(|deed| if deed.action == "bank.rejects" { remember(deed.memory, "rejected"); }),
            response(|asked, message| if asked.is("qr.status") && asked.knows("rejected") { message.replace("refunds", json!([])) });
        "a third refund is refused where it is the rest" in "a-payment-of-60-is-refunded-in-three-exact-parts / crowns" => "qr.refund.sum":
            instead(|asked| (asked.is("refund.create") && asked.text("amount") == "30").then(|| Message::objection(asked, 400, "")));
        "a paid payment with two refunds is not extended" in "a-paid-payment-is-extended-to-no-effect" => "qr.payment.extend-of-paid":
            response(|asked, message| {
                if asked.is("refund.create") { asked.note("refunds", format!("{}|", asked.recall("refunds"))) }
                if asked.is("qr.extend") && asked.recall("refunds").len() > 1 { message.objects(asked, 400, "") }
            });
        "an apostrophe in the reference of a refund is doubled" in "a-reference-of-a-refund-comes-back-unchanged / an apostrophe"
            => "qr.refund.status.refId.value":
            response(|asked, message| if asked.is("refund.status") { message.replace("refId", message.get("refId").replace('\'', "''")) });
        "two blanks in a reference become one" in "a-reference-comes-back-unchanged / an apostrophe" => "qr.create.refId.unchanged":
            response(|_, message| message.replace("refId", message.get("refId").replace("  ", " ")));
        "others are told that a refund is above the amount" in "a-payment-is-foreign-to-others-whatever-was-done-with-it / crowns"
            => "qr.errors.403":
            response(|asked, message| if asked.is("refund.create") && asked.text("amount") == "5001" { message.objects(asked, 400, "") });
    }
}

fn one_bank() -> Vec<Break> {
    breaks! {
        "a payment by the method of a bank is not cancelled" in ONE_BANK => "qr.cancel.status.value":
            instead(|asked| asked.is("qr.cancel").then(|| Message::objection(asked, 400, "")));
        "a payment by the method of a bank is cancelled by its provider" in ONE_BANK => "qr.status.reason.by-merchant":
            response(|asked, message| if asked.is("qr.status") { message.replace("paymentRejectedReason", "Canceled by provider") });
        "a payment by the method of a bank is read by others" in ONE_BANK => "qr.token.other-payment":
            response(|asked, message| if asked.is("qr.status") && message.status == 403 { message.becomes_a_response(&asked.sound()) });
        "a note extends for another day" in "an-extension-ends-in-seven-days / crowns" => "qr.extend.seven-days":
            response(|asked, message| if asked.is("qr.extend") && asked.has("note") { message.set("expiration", "2099-01-01T00:00:00Z") });
    }
}
