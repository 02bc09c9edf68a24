//! Captures, refunds and recurring payments that are wrongly refused or accepted.

use super::Break;
use crate::support::MAIN;
use crate::support::proxy::{Message, ObservedRequest, remember};

/// Whether there is an amount that is not a whole number.
fn no_amount(asked: &ObservedRequest<'_>) -> bool {
    asked.has("amount") && asked.text("amount").parse::<i64>().is_err()
}

/// Supplies a missing secret.
fn supply_secret(asked: &ObservedRequest<'_>, sent: &mut Message) {
    if !asked.has("secret") {
        sent.set("secret", MAIN.1);
    }
}

const CAPTURE_FIELDS: &str = "capture-in-v1-needs-its-fields";
const POS_FIELDS: &str = "a-refund-of-a-terminal-payment-needs-its-fields";

/// Captures, refunds and recurring payments that are wrongly refused or accepted.
pub fn all() -> Vec<Break> {
    [captures(), refunds(), terminal_refunds(), recurring_payments()].into_iter().flatten().collect()
}

fn captures() -> Vec<Break> {
    breaks! {
        "less than the whole amount only" in "an-authorized-payment-is-captured-in-full / v2.0" => "gateway.capturePreauth.amount.full":
            instead(|asked| (asked.is("capturePreauth") && asked.text("amount") == "10000").then(|| Message::refusal(asked, 1402)));
        "the whole amount only" in "an-authorized-payment-is-captured-in-part / v1.0" => "gateway.capturePreauth.amount.partial":
            instead(|asked| (asked.is("capturePreauth") && asked.text("amount") != "10000").then(|| Message::refusal(asked, 1402)));
        "a capture that gives money away" in "a-capture-holds-its-limits / v1.0" => "gateway.capturePreauth.amount.positive":
            instead(|asked| (asked.is("capturePreauth") && asked.text("amount").starts_with('-')).then(|| Message::success(asked)));
        "an unreadable amount is taken for the whole" in "a-capture-holds-its-limits / v2.0" => "gateway.capturePreauth.amount.type":
            onward(|asked, sent| if asked.is("capturePreauth") && no_amount(asked) { sent.remove("amount") });
        "a part is captured, and all of it taken" in "what-is-captured-is-paid-out / v2.0" => "gateway.capturePreauth.money":
            onward(|asked, sent| if asked.is("capturePreauth") { sent.remove("amount") });
        "a release that takes the money" in "what-is-captured-is-paid-out / v1.0" => "gateway.cancelPreauth.money":
            way(|_, path| path.replace("/v1.0/cancelPreauth", "/v1.0/capturePreauth"));
        "the second account is paid out to" in "without-an-account-the-default-is-told / v2.0" => "gateway.create.account.default":
            everywhere(|message| message.replace("account", "cz-second"));
        "a capture of nobody knows what" in CAPTURE_FIELDS => "gateway.v1.capturePreauth.transId.required":
            instead(|asked| (asked.is("capturePreauth") && !asked.has("transId")).then(|| Message::success(asked)));
        "a capture without the secret" in CAPTURE_FIELDS => "gateway.v1.capturePreauth.secret.required":
            onward(|asked, sent| if asked.is("capturePreauth") { supply_secret(asked, sent) });
        "a release of nobody knows what" in "cancel-preauth-in-v1-needs-its-fields" => "gateway.v1.cancelPreauth.transId.required":
            instead(|asked| (asked.is("cancelPreauth") && !asked.has("transId")).then(|| Message::success(asked)));
    }
}

fn refunds() -> Vec<Break> {
    breaks! {
        "a refund that looks like the one before does not count" in "two-refunds-may-have-the-same-reference / v1.0" => "gateway.refund.sum":
            response(|asked, message| if asked.text("amount") == "6501" { message.accept() });
        "a payment that was refunded in part is cancelled" in "a-paid-payment-is-refunded-in-parts / v2.0" => "gateway.payment.refunded":
            response(|asked, message| if asked.is("v2.status") { message.replace("status", "CANCELLED") });
        "more is given back than was captured" in "a-refund-beyond-the-captured-amount-is-refused" => "gateway.refund.beyond.captured":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "a second refund under one reference is refused" in "two-refunds-may-have-the-same-reference / v1.0"
            => "gateway.refund.refId.repeated":
            instead(|asked| (asked.is("refund") && !asked.first_time(&asked.text("refId"))).then(|| Message::refusal(asked, 1400)));
        "a test refund that is real" in "a-test-refund-leaves-the-payment / v2.0" => "gateway.refund.test.leaves":
            onward(|asked, sent| if asked.is("refund") { sent.replace("test", false) });
        "every refund is taken for a real one" in "a-test-payment-is-refunded-by-test-refunds-only / v1.0" => "gateway.refund.test.type":
            onward(|asked, sent| if asked.is("refund") { sent.remove("test") });
    }
}

fn terminal_refunds() -> Vec<Break> {
    breaks! {
        "refunds of a recurring payment are not added up" in "a-recurring-payment-is-refunded-in-parts / v1.0" => "gateway.refund.sum":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "refunds of a terminal payment are not added up" in "a-terminal-payment-is-refunded / v2.0" => "gateway.refundPos.amount.part":
            response(|asked, message| if asked.text("amount") == "6001" { message.accept() });
        "never the whole amount" in "a-terminal-payment-is-refunded / v1.0" => "gateway.refundPos.full":
            instead(|asked| (asked.is("refundPos") && asked.text("amount") == "7700").then(|| Message::refusal(asked, 1402)));
        "without the secret" in POS_FIELDS => "gateway.v1.refundPos.secret.required":
            onward(|asked, sent| if asked.is("v1.refundPos") { supply_secret(asked, sent) });
        "of any payment" in POS_FIELDS => "gateway.refundPos.vs.required":
            instead(|asked| (asked.is("refundPos") && !asked.has("vs")).then(|| Message::success(asked)));
        "a missing amount is the whole" in POS_FIELDS => "gateway.refundPos.amount.required":
            onward(|asked, sent| if asked.is("refundPos") && !asked.has("amount") { sent.set("amount", 10000) });
        "an unreadable amount is nothing" in POS_FIELDS => "gateway.refundPos.amount.type":
            instead(|asked| (asked.is("refundPos") && no_amount(asked)).then(|| Message::success(asked)));
        "of any day" in POS_FIELDS => "gateway.refundPos.date.required":
            instead(|asked| (asked.is("refundPos") && !asked.has("date")).then(|| Message::success(asked)));
        "a date that is no text" in POS_FIELDS => "gateway.refundPos.date.type":
            instead(|asked| asked.fields.get("date").is_some_and(|date| date.is_object()).then(|| Message::success(asked)));
        "a variable symbol that is no text" in POS_FIELDS => "gateway.refundPos.vs.type":
            instead(|asked| asked.fields.get("vs").is_some_and(|vs| vs.is_object()).then(|| Message::success(asked)));
    }
}

fn recurring_payments() -> Vec<Break> {
    breaks! {
        "an initiation payment that was refunded in part is forgotten"
            in "a-recurring-payment-without-test-is-a-production-payment / v2.0" => "gateway.payment.refunded":
            response(|asked, message| {
                if asked.is("refund") {
                    asked.note("refunded", "in part");
                } else if asked.is("recurring") && asked.knows("refunded") {
                    message.refuse(1318);
                }
            });
        "a second recurring payment under one reference is refused" in "the-merchant-decides-when-and-how-much / v2.0"
            => "gateway.recurring.refId.repeated":
            instead(|asked| (asked.is("recurring") && !asked.first_time(&asked.text("refId"))).then(|| Message::refusal(asked, 1400)));
        "a recurring payment that sends the payer on" in "a-recurring-payment-is-paid-without-the-payer / v1.0"
            => "gateway.recurring.background":
            response(|asked, message| if asked.is("recurring") { message.set("redirect", "https://pay1.example.com/ZZZZ-0000-0001") });
        "a card is charged before the first payment is paid" in "a-recurring-payment-needs-a-paid-initiation / v2.0"
            => "gateway.recurring.initiation.paid":
            response(|asked, message| if asked.is("recurring") && !message.succeeds() { message.accept_creation() });
        "recurring forints that end with 10" in "a-recurring-price-in-forints-ends-with-00 / v2.0"
            => "gateway.recurring.price.hundreds.HUF":
            response(|asked, message| if asked.is("recurring") && !message.succeeds() { message.accept_creation() });
        "recurring payments in euros only" in "the-merchant-decides-when-and-how-much / v1.0" => "gateway.recurring.curr.CZK":
            instead(|asked| (asked.is("recurring") && asked.text("curr") != "EUR").then(|| Message::refusal(asked, 1310)));
        "a year later the consent is forgotten" in "a-recurring-payment-is-made-years-later / v1.0" => "gateway.recurring.timing":
            world(|deed| if deed.action == "clock.advances" { _ = remember(deed.memory, "a year later") }),
            instead(|asked| (asked.is("recurring") && asked.knows("a year later")).then(|| Message::refusal(asked, 1318)));
        "a test recurring payment reads as production" in "a-recurring-payment-without-test-is-a-production-payment / v2.0"
            => "gateway.recurring.test.type":
            response(|asked, message| match asked.is("recurring") {
                true if asked.text("test") == "true" => _ = asked.first_time(&message.get("transId")),
                true => {}
                false if asked.is("status") && asked.knows(&message.get("transId")) => message.replace("test", "false"),
                false => {}
            });
    }
}
