//! Notifications that are missing, wrong or too frequent.

use serde_json::json;

use super::{Break, READ_V1, READ_V2, TEXTS_V2, mangled};
use crate::support::OTHER;
use crate::support::proxy::{Memory, Message, Push};

/// Notifications that are missing, wrong or too frequent.
pub fn all() -> Vec<Break> {
    breaks! {
        "no notification of a payment" in READ_V1 => "gateway.notification.completion":
            push(|_, push| push.times = 0);
        "no notification of an expiry" in "an-unpaid-payment-expires-by-its-own-time / 30m in v1.0"
            => "gateway.notification.expiry":
            push(|_, push| push.times = 0);
        "no notification of a cancellation" in "a-pending-payment-is-cancelled / v2.0" => "gateway.notification.cancellation":
            push(|_, push| push.times = 0);
        "a notification tells another symbol" in "a-payment-has-one-variable-symbol / v2.0" => "gateway.status.vs.value":
            push(|_, push| push.message.replace("vs", "1"));
        "malformed JSON" in READ_V2 => "gateway.v2.notification.call":
            push(|_, push| push.message.raw("{\"transId\": "));
        "a malformed form" in READ_V1 => "gateway.v1.notification.call":
            push(|_, push| push.message.raw(push.message.body_text() + "&name=%E9"));
        "a broken percent escape" in READ_V1 => "gateway.v1.notification.call":
            push(|_, push| push.message.raw(push.message.body_text() + "&name=50%"));
        "a repeated key in the form" in READ_V1 => "gateway.v1.notification.call":
            push(|_, push| push.message.raw(push.message.body_text() + "&status=PAID"));
        "a notification in an array" in READ_V2 => "gateway.v2.notification.call":
            push(|_, push| push.message.raw(format!("[{}]", push.message.body_text())));
        "no body" in READ_V2 => "gateway.v2.notification.call":
            push(|_, push| push.message.raw(""));
        "no media type" in READ_V1 => "gateway.v1.notification.call":
            push(|_, push| drop(push.message.headers.remove("content-type")));
        "a media type that is no form" in READ_V1 => "gateway.v1.notification.call":
            push(|_, push| push.message.header("content-type", "text/plain"));
        "by PUT" in READ_V1 => "gateway.v1.notification.call":
            push(|_, push| push.method = "PUT");
        "a required field is missing, v1.0" in READ_V1 => "gateway.notification.email.required":
            push(|_, push| push.message.remove("email"));
        "a required field is missing, v2.0" in READ_V2 => "gateway.notification.full_name.required":
            push(|_, push| push.message.remove("full_name"));
        "the identifier is missing" in READ_V2 => "gateway.notification.transId.required":
            push(|_, push| push.message.remove("transId"));
        "the state is missing" in READ_V1 => "gateway.notification.status.required":
            push(|_, push| push.message.remove("status"));
        "the secret is missing" in READ_V1 => "gateway.notification.secret.required":
            push(|_, push| push.message.remove("secret"));
        "a wrong secret" in READ_V2 => "gateway.notification.secret.value":
            push(|_, push| push.message.replace("secret", "guessed"));
        "the secret of another merchant" in READ_V1 => "gateway.notification.secret.value":
            push(|_, push| push.message.replace("secret", OTHER.1));
        "another merchant" in READ_V2 => "gateway.notification.merchant.value":
            push(|_, push| push.message.replace("merchant", OTHER.0));
        "about a payment that nobody created" in READ_V1 => "gateway.notification.known":
            push(|_, push| push.message.replace("transId", "ZZZZ-0000-0001"));
        "besides, about a payment that nobody created" in READ_V2 => "gateway.notification.known":
            push(|_, push| besides(push, |message| message.replace("transId", "ZZZZ-0000-0001")));
        "JSON for a payment of v1.0" in READ_V1 => "gateway.notification.format":
            push(|_, push| push.message.as_json());
        "a form for a payment of v2.0" in READ_V2 => "gateway.notification.format":
            push(|_, push| push.message.as_form());
        "an unknown state" in READ_V2 => "gateway.notification.status.enum":
            push(|_, push| push.message.replace("status", "DONE"));
        "PENDING is nothing to notify" in READ_V1 => "gateway.notification.status.enum":
            push(|_, push| besides(push, |message| message.replace("status", "PENDING")));
        "a string is a number" in READ_V2 => "gateway.notification.price.type":
            push(|_, push| push.message.replace("price", 12300));
        "a string is a boolean" in READ_V2 => "gateway.notification.test.enum":
            push(|_, push| push.message.replace("test", true));
        "about a payment that is still pending" in "a-pending-payment-is-cancelled / v1.0" => "gateway.notification.agrees":
            push(|_, push| besides(push, |message| message.replace("status", "PAID")));
        "in Latin-2" in TEXTS_V2 => "gateway.v2.notification.call":
            push(|_, push| push.message.raw(latin(&push.message.body_text())));
        "one secret for all merchants" in "another-merchant-is-notified-with-its-own-secret / v2.0" => "gateway.notification.secret.value":
            push(|_, push| push.message.replace("secret", "secret-of-the-first-merchant"));
        "to the e-mail of another payer" in "what-a-payer-has-not-given-is-not-another-payers / v2.0" => "gateway.notification.email.value":
            push(|_, push| push.message.set("email", "another.payer@example.com"));
        "another price" in "a-notification-carries-the-secret-of-its-merchant / v1.0" => "gateway.notification.price.value":
            push(|_, push| push.message.replace("price", "1"));
        "another name of the payer" in READ_V2 => "gateway.notification.full_name.value":
            push(|_, push| push.message.replace("full_name", "Jan Novak"));
        "a label in the wrong encoding" in "a-notification-carries-the-secret-of-its-merchant / v2.0"
            => "gateway.notification.label.value":
            push(|_, push| push.message.replace("label", mangled("Žluťoučký kůň")));
        "another story than the status call tells" in "a-paid-payment-tells-how-and-by-whom / v2.0"
            => "gateway.notification.agrees":
            push(|_, push| push.message.replace("payer_name", "Somebody Else"));
        "another state than the status call tells" in READ_V2 => "gateway.notification.agrees":
            push(|_, push| besides(push, |message| message.replace("status", "CANCELLED")));
        "a label of 17 characters" in READ_V2 => "gateway.notification.label.length":
            push(|_, push| push.message.replace("label", "Beach ball, blue!"));
        "a payment that is delivered again with another price" in READ_V1 => "gateway.notification.price.value":
            push(|_, push| besides(push, |message| message.replace("price", "1")));
        "a capture is not notified" in "an-authorized-payment-is-captured-in-full / v1.0" => "gateway.notification.change":
            push(|_, push| if push.message.get("status") == "PAID" { push.times = 0 });
        "a capture of a part is not notified" in "an-authorized-payment-is-captured-in-part / v2.0" => "gateway.notification.change":
            push(|_, push| if push.message.get("status") == "PAID" { push.times = 0 });
        "a release is not notified" in "an-authorized-payment-is-released / v2.0" => "gateway.notification.change":
            push(|_, push| if push.message.get("status") == "CANCELLED" { push.times = 0 });
        "the sixth attempt is the last one" in "retries-go-on-until-acknowledged / authorized in v1.0" => "gateway.notification.retry":
            push(|memory, push| {
                let mut memory = memory.lock().unwrap();
                let attempts = memory.entry("attempts".to_owned()).or_default();
                attempts.push('|');
                if attempts.len() == 6 {
                    push.message.status = 200;
                }
            });
        "a cancellation is not sent again" in "retries-go-on-until-acknowledged / cancelled in v2.0" => "gateway.notification.retry":
            push(|_, push| if push.message.get("status") == "CANCELLED" { push.message.status = 200 });
        "304 taken for an acknowledgement" in "any-other-answer-does-not-acknowledge / 304 in v2.0"
            => "gateway.notification.unacknowledged":
            push(|_, push| push.message.status = 200);
        "208 taken for an acknowledgement" in "any-other-answer-does-not-acknowledge / 208 in v1.0"
            => "gateway.notification.unacknowledged":
            push(|_, push| push.message.status = 200);
        "226 taken for an acknowledgement" in "any-other-answer-does-not-acknowledge / 226 in v2.0"
            => "gateway.notification.unacknowledged":
            push(|_, push| push.message.status = 200);
        "a conflict taken for an acknowledgement" in "any-other-answer-does-not-acknowledge / 409 in v2.0"
            => "gateway.notification.unacknowledged":
            push(|_, push| push.message.status = 200);
        "the thousandth attempt is not made" in "a-notification-is-attempted-1000-times / v2.0"
            => "gateway.notification.retry.attempts":
            push(|memory, push| {
                let mut memory = memory.lock().unwrap();
                let attempts = memory.entry("attempts".to_owned()).or_default();
                attempts.push('|');
                if attempts.len() == 999 {
                    push.message.status = 200;
                }
            });
        "nobody is told that all attempts failed" in "a-notification-is-attempted-1000-times / v1.0" => "gateway.notification.retry.mail":
            world(|deed| if deed.action == "merchant.reads-mail" { deed.response = Some(json!({"count": 0, "mail": []})) });
        "the payer's name in the wrong encoding" in "a-notification-tells-by-whom-it-was-paid / v1.0"
            => "gateway.notification.payer_name.value":
            push(|_, push| push.message.replace("payer_name", mangled("Žofie Malá")));
        "the payer's account without its prefix" in "a-notification-tells-by-whom-it-was-paid / v2.0"
            => "gateway.notification.payer_acc.value":
            push(|_, push| push.message.replace("payer_acc", "2000145399/0800"));
        "every reason is told as none" in "a-failed-payment-tells-the-reason / LIMIT_EXCEEDED in v1.0"
            => "gateway.notification.paymentErrorReason.value":
            push(|_, push| push.message.replace("paymentErrorReason", "NOT_SPECIFIED"));
        "acknowledged by 200 and sent again" in "an-answer-200-acknowledges-a-notification / v1.0"
            => "gateway.notification.acknowledged.200":
            push(|memory, push| once(memory, push, 500));
        "acknowledged by 204 and sent again" in "an-answer-204-acknowledges-a-notification / v2.0"
            => "gateway.notification.acknowledged.204":
            push(|memory, push| once(memory, push, 500));
        "not acknowledged and not sent again" in "any-other-answer-does-not-acknowledge / 500 in v2.0"
            => "gateway.notification.unacknowledged":
            push(|_, push| push.message.status = 200);
        "a redirect taken for an acknowledgement" in "any-other-answer-does-not-acknowledge / 302 in v1.0"
            => "gateway.notification.unacknowledged":
            push(|_, push| push.message.status = 200);
    }
}

/// Every letter beyond ASCII as one byte, as an old server would send it.
fn latin(text: &str) -> Vec<u8> {
    text.chars().map(|c| if c.is_ascii() { c as u8 } else { 0xb9 }).collect()
}

/// Delivers a changed copy first.
fn besides(push: &mut Push, change: impl FnOnce(&mut Message)) {
    let mut message = push.message.clone();
    change(&mut message);
    push.besides.push(message);
}

/// Reports another status to the gateway, once.
fn once(memory: &Memory, push: &mut Push, status: u16) {
    if memory.lock().unwrap().insert("told".to_owned(), String::new()).is_none() {
        push.message.status = status;
    }
}
