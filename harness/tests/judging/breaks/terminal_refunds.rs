//! Refunds on the card terminal: creation, status, payout and cancellation that differ from the documents.

use serde_json::json;

use super::Break;
use crate::support::proxy::{Message, remember};

const PAID: &str = "a-refund-is-paid-back-and-cancelled / CZK";
const REFERENCES: &str = "two-refunds-may-have-the-same-reference";

/// Refunds on the card terminal that break a rule.
pub fn all() -> Vec<Break> {
    [creations(), responses(), transitions(), cancellations(), days()].into_iter().flatten().collect()
}

fn creations() -> Vec<Break> {
    breaks! {
        "two refunds with one identifier" in "every-payment-and-refund-has-an-identifier-of-its-own"
            => "terminal.refund.create.answer.transId.unique":
            response(|asked, message| if asked.is("refund.create") {
                let first = asked.memory.lock().unwrap().entry("first".to_owned()).or_insert(message.get("transId")).clone();
                message.replace("transId", first);
            });
        "no refund without a reference" in REFERENCES => "terminal.refund.create.refId.optional":
            instead(|asked| (asked.is("refund.create") && !asked.has("refId")).then(|| Message::refusal(asked, 1400)));
        "a second refund under one reference is refused" in REFERENCES => "terminal.refund.create.refId.repeated":
            instead(|asked| {
                let again = asked.is("refund.create") && !asked.first_time(&asked.text("refId"));
                again.then(|| Message::refusal(asked, 1400))
            });
        "no refund with an e-mail" in "a-refund-may-carry-an-e-mail" => "terminal.refund.create.email.optional":
            instead(|asked| (asked.is("refund.create") && asked.has("email")).then(|| Message::refusal(asked, 1400)));
        "the amount of a refund is cut to an int32" in "terminal / create-of-a-refund-holds-its-limits / price: 10000 once cut to an int32"
            => "terminal.refund.create.price.type":
            onward(|asked, sent| if asked.is("refund.create") && asked.text("price") == "4294977296" { sent.set("price", 10000) });
        "a refund of an unknown currency" in "create-of-a-refund-holds-its-limits / curr: no currency"
            => "terminal.refund.create.curr.enum":
            onward(|asked, sent| if asked.is("refund.create") && asked.text("curr") == "ABC" { sent.set("curr", "EUR") });
    }
}

fn responses() -> Vec<Break> {
    breaks! {
        "another price" in PAID => "terminal.refund.status.price.value":
            response(|asked, message| if asked.is("refund.status") { message.replace("price", "4001") });
        "a price as a number" in PAID => "terminal.refund.status.price.type":
            response(|asked, message| if asked.is("refund.status") { message.replace("price", 4000) });
        "another currency" in PAID => "terminal.refund.status.curr.value":
            response(|asked, message| if asked.is("refund.status") { message.replace("curr", "EUR") });
        "another reference" in PAID => "terminal.refund.status.refId.value":
            response(|asked, message| if asked.is("refund.status") { message.replace("refId", "2026000999") });
        "the status of another refund" in PAID => "terminal.refund.status.transId.value":
            response(|asked, message| if asked.is("refund.status") { message.replace("transId", "AAAA-BBBB") });
        "the whole number of the card" in "a-card-is-told-in-part" => "terminal.refund.status.cardNumber.partial":
            response(|asked, message| if asked.is("refund.status") { message.replace("cardNumber", "4111 1100 0000 6789") });
        "a refund reads as reversed that was not" in PAID => "terminal.refund.status.reversed.value":
            response(|asked, message| if asked.is("refund.status") { message.replace("reversed", true) });
        "an authorized refund" in PAID => "terminal.refund.status.status.enum":
            response(|asked, message| if asked.is("refund.status") { message.replace("status", "AUTHORIZED") });
    }
}

fn transitions() -> Vec<Break> {
    breaks! {
        "nobody is told of a refund" in "the-payer-is-notified-by-mail" => "terminal.refund.create.email.mail":
            world(|deed| if deed.action == "payer.reads-mail" && deed.with["email"].as_str().is_some_and(|to| to.starts_with("refund")) {
                deed.response = Some(json!({"count": 0, "mail": []}));
            });
        "nobody is told that a refund is cancelled" in "the-payer-is-notified-by-mail" => "terminal.refund.cancel.email.mail":
            way(|asked, path| if asked.is("refund.cancel") { path.split('?').next().unwrap().to_owned() } else { path.to_owned() });
        "nobody is told that a payment is cancelled" in "the-payer-is-notified-by-mail" => "terminal.cancel.email.mail":
            way(|asked, path| if asked.is("terminal.cancel") { path.split('?').next().unwrap().to_owned() } else { path.to_owned() });
        "a refund that is rejected is paid" in "a-rejected-refund-is-cancelled" => "terminal.refund.ended":
            world(|deed| if deed.action == "cardholder.is-declined" { deed.action = "cardholder.pays".to_owned() });
        "a refund given up on the terminal is paid" in "a-payment-given-up-on-the-terminal-is-cancelled" => "terminal.refund.ended":
            world(|deed| if deed.action == "cardholder.cancels" && !remember(deed.memory, "payment") {
                deed.action = "cardholder.pays".to_owned();
            });
        "a refund that is born paid" in PAID => "terminal.refund.created":
            response(|asked, message| if asked.is("refund.status") { message.replace("status", "PAID") });
        "a refund that is never paid back" in PAID => "terminal.refund.ended":
            world(|deed| if deed.action == "cardholder.pays" { deed.does_not_happen() });
        "a refund that is pending again" in PAID => "terminal.refund.states":
            response(|asked, message| if asked.is("refund.status") && message.get("status") == "PAID" && !asked.first_time("paid") {
                message.set("status", "PENDING");
            });
        "a reversed refund reads as cancelled" in "what-follows-a-reversal-is-as-assumed" => "terminal.refund.reversed":
            response(|asked, message| if asked.is("refund.status") && message.get("reversed") == "true" { message.set("status", "CANCELLED") });
        "a reversal that does not reverse" in "a-reversal-is-told-by-the-status" => "terminal.refund.reversed.reported":
            instead(|asked| asked.is("refund.cancel").then(|| Message::success(asked)));
    }
}

fn cancellations() -> Vec<Break> {
    breaks! {
        "a refund is never cancelled" in PAID => "terminal.refund.cancel.paid":
            instead(|asked| asked.is("refund.cancel").then(|| Message::refusal(asked, 1400)));
        "a refund that was just paid back is not cancelled" in "a-reversal-is-told-by-the-status" => "terminal.refund.cancel.code.0":
            instead(|asked| asked.is("refund.cancel").then(|| Message::refusal(asked, 1400)));
        "a pending refund is cancelled" in "a-pending-refund-is-not-cancelled" => "terminal.refund.cancel.not-paid":
            response(|asked, message| if asked.is("refund.cancel") { message.accept() });
        "a refund of nobody knows what is cancelled" in "an-unknown-refund-is-neither-read-nor-cancelled"
            => "terminal.refund.cancel.unknown":
            response(|asked, message| if asked.is("refund.cancel") { message.accept() });
        "a cancel with an e-mail is refused" in "a-cancel-may-carry-an-e-mail" => "terminal.refund.cancel.email":
            instead(|asked| (asked.is("refund.cancel") && !asked.query_parameter("email").is_empty()).then(|| Message::refusal(asked, 1400)));
        "a cancel is refused with code 1401" in "a-pending-refund-is-not-cancelled" => "terminal.refund.cancel.codes":
            response(|asked, message| if asked.is("refund.cancel") { message.set("code", 1401) });
        "a cancel answers an error, and reverses" in "cancel-of-a-refund-answers-its-documented-code" => "terminal.answer.success":
            world(|deed| if deed.action == "gateway.fails" { deed.does_not_happen() }),
            response(|asked, message| if asked.is("refund.cancel") && asked.first_time("refused") { message.refuse(1400) });
    }
}

/// "Only on the same day" is the calendar of Prague: neither 24 hours nor the day of another place.
fn days() -> Vec<Break> {
    breaks! {
        "the next day is accepted" in "cancelled-on-its-day-only / the day before summer time, past its end"
            => "terminal.refund.cancel.same-day":
            response(|asked, message| if asked.is("refund.cancel") { message.accept() });
        "24 hours are accepted" in "cancelled-on-its-day-only / two minutes later in winter" => "terminal.refund.cancel.same-day":
            response(|asked, message| if asked.is("refund.cancel") { message.accept() });
        "the day of UTC is accepted" in "cancelled-on-its-day-only / a minute after midnight in summer"
            => "terminal.refund.cancel.same-day":
            response(|asked, message| if asked.is("refund.cancel") { message.accept() });
        "the day that begins summer time has 24 hours" in "cancelled-on-its-day-only / the day that begins summer time, past its end"
            => "terminal.refund.cancel.same-day":
            response(|asked, message| if asked.is("refund.cancel") { message.accept() });
        "the day of the month is compared" in "cancelled-on-its-day-only / on the same day of the next month"
            => "terminal.refund.cancel.same-day":
            response(|asked, message| if asked.is("refund.cancel") { message.accept() });
        "the day of the year is compared" in "cancelled-on-its-day-only / on the same day of the next year"
            => "terminal.refund.cancel.same-day":
            response(|asked, message| if asked.is("refund.cancel") { message.accept() });
        "a year ends with UTC" in "cancelled-on-its-day-only / a minute after the end of a year" => "terminal.refund.cancel.same-day":
            response(|asked, message| if asked.is("refund.cancel") { message.accept() });
        "the day that ends summer time has 24 hours" in "cancelled-on-its-day-only / the day that ends summer time, to its end"
            => "terminal.refund.cancel.same-day":
            response(|asked, message| if asked.is("refund.cancel") { message.refuse(1400) });
    }
}
