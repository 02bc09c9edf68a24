//! Payments on the card terminal: creation, status, payment and cancellation that differ from the documents.

use super::Break;
use crate::support::proxy::{Message, ObservedRequest, remember};

const PAID: &str = "a-payment-is-paid-on-the-terminal / CZK";
const CARD: &str = "a-card-is-told-in-part";
const REFERENCES: &str = "two-payments-may-have-the-same-reference";
const CLOSED: &str = "a-payment-is-not-cancelled-after-a-closing";

/// Payments on the card terminal that break a rule.
pub fn all() -> Vec<Break> {
    [creations(), responses(), fees(), transitions(), cancellations()].into_iter().flatten().collect()
}

fn creations() -> Vec<Break> {
    breaks! {
        "two payments with one identifier" in "every-payment-and-refund-has-an-identifier-of-its-own"
            => "terminal.create.answer.transId.unique":
            response(|asked, message| if asked.is("terminal.create") {
                let first = asked.memory.lock().unwrap().entry("first".to_owned()).or_insert(message.get("transId")).clone();
                message.replace("transId", first);
            });
        "no payment without a tip" in "a-tip-is-lower-than-the-price / 1 CZK" => "terminal.create.tip.optional":
            instead(|asked| (asked.is("terminal.create") && !asked.has("tip")).then(|| Message::refusal(asked, 1400)));
        "the tip comes on top of the price" in "a-price-includes-the-tip" => "terminal.create.price.includes-tip":
            onward(|asked, sent| if asked.is("terminal.create") { sent.set("price", 12000) });
        "no payment without a reference" in REFERENCES => "terminal.create.refId.optional":
            instead(|asked| (asked.is("terminal.create") && !asked.has("refId")).then(|| Message::refusal(asked, 1400)));
        "a second payment under one reference is refused" in REFERENCES => "terminal.create.refId.repeated":
            instead(|asked| {
                let again = asked.is("terminal.create") && !asked.first_time(&asked.text("refId"));
                again.then(|| Message::refusal(asked, 1400))
            });
        "the price is taken for whole crowns" in "a-terminal-payment-is-transferred / 1234 CZK" => "terminal.create.price.minor-units":
            onward(|asked, sent| if asked.is("terminal.create") { sent.set("price", 12345600) });
        "a missing price is an error of the database" in "terminal / create-holds-its-limits / price: absent"
            => "terminal.create.price.required":
            response(|asked, message| if asked.is("terminal.create") && !message.succeeds() { message.refuse(1200) });
        "a price is cut to an int32" in "terminal / create-holds-its-limits / price: 10000 once cut to an int32"
            => "terminal.create.price.type":
            onward(|asked, sent| if asked.is("terminal.create") && asked.text("price") == "4294977296" { sent.set("price", 10000) });
        "a tip is cut to an int32" in "terminal / create-holds-its-limits / tip: 100 once cut to an int32" => "terminal.create.tip.type":
            onward(|asked, sent| if asked.is("terminal.create") && asked.text("tip") == "4294967396" { sent.set("tip", 100) });
        "a payment of an unknown currency" in "create-holds-its-limits / curr: a currency the terminal lacks"
            => "terminal.create.curr.enum":
            onward(|asked, sent| if asked.is("terminal.create") && asked.text("curr") == "USD" { sent.set("curr", "EUR") });
    }
}

fn responses() -> Vec<Break> {
    breaks! {
        "JSON told as text" in "every-answer-is-json" => "terminal.json":
            response(|asked, message| if asked.is_of_api("terminal") { message.header("content-type", "text/plain") });
        "another price" in PAID => "terminal.status.price.value":
            response(|asked, message| if asked.is("terminal.status") { message.replace("price", "12346") });
        "the price in crowns" in PAID => "terminal.status.price.type":
            response(|asked, message| if asked.is("terminal.status") { message.replace("price", "123.45") });
        "another currency" in PAID => "terminal.status.curr.value":
            response(|asked, message| if asked.is("terminal.status") { message.replace("curr", "EUR") });
        "another reference" in PAID => "terminal.status.refId.value":
            response(|asked, message| if asked.is("terminal.status") { message.replace("refId", "2026000999") });
        "a reference as a number" in PAID => "terminal.status.refId.type":
            response(|asked, message| if asked.is("terminal.status") { message.replace("refId", 2026000201) });
        "the status of another payment" in PAID => "terminal.status.transId.value":
            response(|asked, message| if asked.is("terminal.status") { message.replace("transId", "AAAA-BBBB-CCCC-DDDD") });
        "a tip that was left out" in "a-tip-is-told" => "terminal.status.tip.value":
            response(|asked, message| if asked.is("terminal.status") { message.replace("tip", 0) });
        "the card of another payer" in CARD => "terminal.status.cardNumber.value":
            response(|asked, message| if asked.is("terminal.status") { message.replace("cardNumber", "555555******1234") });
        "the whole number of the card" in CARD => "terminal.status.cardNumber.partial":
            response(|asked, message| if asked.is("terminal.status") { message.replace("cardNumber", "4111110000006789") });
        "the expiry of another card" in CARD => "terminal.status.cardValid.value":
            response(|asked, message| if asked.is("terminal.status") { message.replace("cardValid", "01/28") });
        "an expiry with year and month" in CARD => "terminal.status.cardValid.format":
            response(|asked, message| if asked.is("terminal.status") { message.replace("cardValid", "2029-11") });
        "another reason of the rejection" in "a-rejected-payment-tells-the-reason / NO_FUNDS"
            => "terminal.status.paymentErrorReason.value":
            response(|asked, message| if asked.is("terminal.status") { message.replace("paymentErrorReason", "REJECTED_BY_BANK") });
        "a payment reads as reversed that was not" in PAID => "terminal.status.reversed.value":
            response(|asked, message| if asked.is("terminal.status") { message.replace("reversed", true) });
        "only the last return is told" in "a-returned-amount-is-told" => "terminal.status.amountRefunded.value":
            response(|asked, message| if message.get("amountRefunded") == "10000" && asked.is("terminal.status") {
                message.set("amountRefunded", "7500");
            });
        "an error by HTTP 400 is a page" in "errors-may-have-any-http-status" => "terminal.http-status":
            response(|asked, message| if asked.is_of_api("terminal") && message.status == 400 { message.becomes_a_page(400, "<h1>Bad Request</h1>") });
    }
}

fn fees() -> Vec<Break> {
    breaks! {
        "a fee that is known at once" in "a-fee-is-known-the-next-day" => "terminal.status.fee.next-day":
            response(|asked, message| if asked.is("terminal.status") { message.replace("fee", "100") });
        "a fee that never is known" in "a-fee-is-known-the-next-day" => "terminal.status.fee.value":
            response(|asked, message| if asked.is("terminal.status") { message.replace("fee", "unknown") });
        "another fee than the transfer's" in "the-fee-of-a-terminal-payment-is-the-same-everywhere" => "transfers.detail.fee.reported":
            response(|asked, message| if asked.is("terminal.status") && message.get("fee") != "unknown" { message.replace("fee", "1") });
    }
}

/// Reports a state of a payment once a fact is known.
fn once_known(asked: &ObservedRequest<'_>, message: &mut Message, fact: &str, state: &str) {
    if asked.is("terminal.status") && asked.knows(fact) {
        message.replace("status", state);
    }
}

fn transitions() -> Vec<Break> {
    breaks! {
        "a payment that is born paid" in PAID => "terminal.payment.created":
            response(|asked, message| if asked.is("terminal.status") { message.replace("status", "PAID") });
        "a payment that nobody has to wait for" in PAID => "terminal.status.pending":
            response(|asked, message| if asked.is("terminal.status") { message.replace("status", "PAID") });
        "a paid payment reads as authorized" in PAID => "terminal.status.final":
            response(|asked, message| if asked.is("terminal.status") && message.get("status") == "PAID" { message.set("status", "AUTHORIZED") });
        "the card holder pays, and it stays pending" in PAID => "terminal.payment.paid":
            world(|deed| if deed.action == "cardholder.pays" { deed.does_not_happen() });
        "the bank rejects, and it stays pending" in "a-rejected-payment-is-not-cancelled" => "terminal.payment.cancelled":
            world(|deed| if deed.action == "cardholder.is-declined" { deed.does_not_happen() });
        "a rejected payment is paid" in "a-rejected-payment-is-cancelled" => "terminal.payment.rejected":
            world(|deed| if deed.action == "cardholder.is-declined" { deed.action = "cardholder.pays".to_owned() });
        "a payment given up on the terminal is paid" in "a-payment-given-up-on-the-terminal-is-cancelled" => "terminal.payment.given-up":
            world(|deed| if deed.action == "cardholder.cancels" { deed.action = "cardholder.pays".to_owned() });
        "a payment that is not completed is paid" in "a-payment-that-is-not-completed-is-cancelled" => "terminal.payment.incomplete":
            world(|deed| if deed.action == "cardholder.breaks-off" { deed.action = "cardholder.pays".to_owned() });
        "the terminal never gives up" in "a-payment-that-nobody-pays-times-out" => "terminal.payment.timed-out":
            world(|deed| if ["cardholder.leaves", "clock.advances"].contains(&deed.action.as_str()) { deed.does_not_happen() });
        "what is paid once is paid everywhere" in "two-payments-do-not-disturb-each-other" => "terminal.payment.states":
            response(|asked, message| {
                if message.get("status") == "PAID" {
                    asked.first_time("paid");
                }
                once_known(asked, message, "paid", "PAID");
            });
        "who does not poll cannot cancel" in "nobody-needs-to-poll" => "terminal.status.optional":
            instead(|asked| asked.is("terminal.cancel").then(|| Message::refusal(asked, 1400)));
        "a reversed payment reads as cancelled" in "what-follows-a-reversal-is-as-assumed" => "terminal.payment.reversed":
            response(|asked, message| {
                if asked.is("terminal.cancel") {
                    asked.first_time("cancelled");
                }
                once_known(asked, message, "cancelled", "CANCELLED");
            });
        "a reversal that does not reverse" in "a-reversal-is-told-by-the-status" => "terminal.payment.reversed.reported":
            instead(|asked| asked.is("terminal.cancel").then(|| Message::success(asked)));
        "a reversal of everything" in "a-reversal-is-told-by-the-status" => "terminal.status.reversed.value":
            response(|asked, message| if asked.is("terminal.status") { message.replace("reversed", true) });
    }
}

fn cancellations() -> Vec<Break> {
    breaks! {
        "a paid payment is never cancelled" in "a-paid-payment-is-cancelled" => "terminal.cancel.paid":
            instead(|asked| asked.is("terminal.cancel").then(|| Message::refusal(asked, 1400)));
        "a payment that was just paid is not cancelled" in "a-reversal-is-told-by-the-status" => "terminal.cancel.code.0":
            instead(|asked| asked.is("terminal.cancel").then(|| Message::refusal(asked, 1400)));
        "a cancel is refused with code 1401" in "a-pending-payment-is-not-cancelled" => "terminal.cancel.not-paid":
            response(|asked, message| if asked.is("terminal.cancel") { message.set("code", 1401) });
        "a payment is cancelled on its day only" in "a-payment-may-be-cancelled-on-a-later-day" => "terminal.cancel.before-closing":
            world(|deed| if deed.action == "clock.advances" { _ = remember(deed.memory, "a day later") }),
            instead(|asked| (asked.is("terminal.cancel") && asked.knows("a day later")).then(|| Message::refusal(asked, 1400)));
        "the closing of one terminal closes them all" in "a-closing-of-one-terminal-leaves-another-open"
            => "terminal.cancel.before-closing":
            onward(|asked, sent| if asked.is("closing") { sent.in_the_name_of_main(asked) });
        "a cancel after a closing is accepted" in CLOSED => "terminal.cancel.closed":
            response(|asked, message| if asked.is("terminal.cancel") { message.accept() });
        "a cancel after a closing is refused, and reverses" in CLOSED => "terminal.cancel.before-closing":
            response(|asked, message| if asked.is("terminal.status") && asked.knows("refused") {
                message.replace("reversed", true);
            } else if asked.is("terminal.cancel") {
                asked.first_time("refused");
            });
        "a cancel after a closing is refused, and cancels" in CLOSED => "terminal.payment.cancel-after-closing":
            response(|asked, message| {
                if asked.is("terminal.cancel") {
                    asked.first_time("refused");
                }
                once_known(asked, message, "refused", "CANCELLED");
            });
        "after a closing nothing is refunded" in CLOSED => "terminal.payment.refund-after-closing":
            instead(|asked| asked.is("refund.create").then(|| Message::refusal(asked, 1400)));
        "a cancel with an e-mail is refused" in "a-cancel-may-carry-an-e-mail" => "terminal.cancel.email":
            instead(|asked| (asked.is("terminal.cancel") && !asked.query_parameter("email").is_empty()).then(|| Message::refusal(asked, 1400)));
        "a cancel answers an error, and reverses" in "cancel-answers-its-documented-code" => "terminal.answer.success":
            world(|deed| if deed.action == "gateway.fails" { deed.does_not_happen() }),
            response(|asked, message| if asked.is("terminal.cancel") && asked.first_time("refused") { message.refuse(1400) });
        "a payment that does not exist has a status" in "an-unknown-payment-is-neither-read-nor-cancelled" => "terminal.status.unknown":
            response(|asked, message| if asked.is("terminal.status") { message.accept_terminal_status(&asked.text("transId")) });
        "a payment that does not exist is an error of the database" in "an-unknown-payment-is-neither-read-nor-cancelled"
            => "terminal.status.unknown":
            response(|asked, message| if asked.is("terminal.status") { message.refuse(1200) });
        "a payment that does not exist is cancelled" in "an-unknown-payment-is-neither-read-nor-cancelled" => "terminal.cancel.unknown":
            response(|asked, message| if asked.is("terminal.cancel") { message.accept() });
        "a creation answers an error and an identifier" in "create-answers-every-documented-code / code 1200"
            => "terminal.create.answer.refused":
            response(|asked, message| if asked.is("terminal.create") && !message.succeeds() { message.set("transId", "AAAA-BBBB-CCCC-DDDD") });
    }
}
