//! Lies about details of terminals and transfers: prices at the bounds, references and reasons that are none, later closings.

use serde_json::{Value, json};

use super::Break;
use crate::support::proxy::{Message, ObservedRequest};

const BOTH: &str = "a-closing-of-both-currencies-counts-payments-and-refunds";
const ENDED: &str = "a-terminal-is-free-once-a-transaction-has-ended";
const EUROS: &str = "the-method-and-the-card-of-a-payment-in-euros-are-shown";
const OWN: &str = "each-terminal-has-a-status-of-its-own";
const REFUND: &str = "a-pending-refund-leaves-the-terminal-reachable";

pub fn all() -> Vec<Break> {
    [prices(), fees(), references(), reasons(), returns(), closings(), terminals(), transfers()].into_iter().flatten().collect()
}

/// Refuses to cancel what has this price.
fn keep_price(asked: &ObservedRequest<'_>, message: &mut Message, cancel: &str, price: &str) {
    if asked.is("create") {
        asked.note("price", asked.text("price"));
    } else if asked.is(cancel) && asked.recall("price") == price {
        message.refuse(1400);
    }
}

fn prices() -> Vec<Break> {
    breaks! {
        "a payment of the lowest price in crowns is not cancelled" in "a-payment-of-any-price-is-cancelled / lowest in CZK"
            => "terminal.cancel.paid":
            response(|asked, message| keep_price(asked, message, "terminal.cancel", "100"));
        "a payment of the highest price in crowns is not cancelled" in "a-payment-of-any-price-is-cancelled / highest in CZK"
            => "terminal.cancel.paid":
            response(|asked, message| keep_price(asked, message, "terminal.cancel", "100000000"));
        "a payment of the highest price in euros is not cancelled" in "a-payment-of-any-price-is-cancelled / highest in EUR"
            => "terminal.cancel.paid":
            response(|asked, message| keep_price(asked, message, "terminal.cancel", "4000000"));
        "a refund of the highest price in crowns is not cancelled" in "a-payment-of-any-price-is-cancelled / highest in CZK"
            => "terminal.refund.cancel.paid":
            response(|asked, message| keep_price(asked, message, "refund.cancel", "100000000"));
        "a refund of the lowest price in euros is not cancelled" in "a-payment-of-any-price-is-cancelled / lowest in EUR"
            => "terminal.refund.cancel.paid":
            response(|asked, message| keep_price(asked, message, "refund.cancel", "10"));
    }
}

fn fees() -> Vec<Break> {
    breaks! {
        "a fee is known once a refund was made" in "a-refund-is-no-report-of-the-processor / CZK" => "terminal.status.fee.next-day":
            response(|asked, message| if asked.is("refund.create") {
                asked.first_time("refund");
            } else if asked.is("terminal.status") && asked.knows("refund") {
                message.replace("fee", "120");
            });
        "the fee of a payment without a reference is known at once" in "a-refund-is-no-report-of-the-processor / EUR"
            => "terminal.status.fee.next-day":
            response(|asked, message| if asked.is("terminal.create") && !asked.has("refId") {
                asked.first_time("nameless");
            } else if asked.is("terminal.status") && asked.knows("nameless") && message.get("status") == "PAID" {
                message.replace("fee", "120");
            });
    }
}

/// Shows the last reference where there is none.
fn with_the_last(asked: &ObservedRequest<'_>, message: &mut Message, create: &str, status: &str) {
    if asked.is(create) && asked.has("refId") {
        asked.note("reference", asked.text("refId"));
    } else if asked.is(status) && message.get("refId").is_empty() {
        message.replace("refId", asked.recall("reference"));
    }
}

fn references() -> Vec<Break> {
    breaks! {
        "a payment without a reference has that of the one before" in "what-has-no-reference-has-that-of-no-other / CZK"
            => "terminal.status.refId.value":
            response(|asked, message| with_the_last(asked, message, "terminal.create", "terminal.status"));
        "a refund without a reference has that of the one before" in "what-has-no-reference-has-that-of-no-other / EUR"
            => "terminal.refund.status.refId.value":
            response(|asked, message| with_the_last(asked, message, "refund.create", "refund.status"));
    }
}

/// Says of every payment that came to nothing that the card holder lacked the money.
fn lacks_money(asked: &ObservedRequest<'_>, message: &mut Message) {
    if asked.is("terminal.status") && message.get("status") == "CANCELLED" {
        message.set("paymentErrorReason", "NO_FUNDS");
    }
}

fn reasons() -> Vec<Break> {
    breaks! {
        "who gave up on the terminal lacked the money" in "what-was-not-rejected-has-no-reason-of-a-bank / given up"
            => "terminal.status.paymentErrorReason.value":
            response(lacks_money);
        "who did not complete a payment lacked the money" in "what-was-not-rejected-has-no-reason-of-a-bank / not completed"
            => "terminal.status.paymentErrorReason.value":
            response(lacks_money);
        "who left the terminal lacked the money" in "what-was-not-rejected-has-no-reason-of-a-bank / timed out"
            => "terminal.status.paymentErrorReason.value":
            response(lacks_money);
        "a paid payment in euros has a reason" in "what-was-not-rejected-has-no-reason-of-a-bank / given up"
            => "terminal.status.paymentErrorReason.value":
            response(|asked, message| if asked.is("terminal.status") && message.get("status") == "PAID" && message.get("curr") == "EUR" {
                message.set("paymentErrorReason", "NO_FUNDS");
            });
    }
}

/// Takes a refund for a return of the payment.
fn returned(asked: &ObservedRequest<'_>, message: &mut Message) {
    if asked.is("refund.create") {
        asked.note("returned", asked.text("price"));
    } else if asked.is("terminal.status") && asked.knows("returned") {
        message.set("amountRefunded", asked.recall("returned"));
    }
}

fn returns() -> Vec<Break> {
    breaks! {
        "a refund in euros is a return of a payment in crowns"
            in "a-closing-counts-a-refund-in-its-own-currency / CZK and a refund in EUR" => "terminal.status.amountRefunded.value":
            response(returned);
        "a refund in crowns is a return of a payment in euros"
            in "a-closing-counts-a-refund-in-its-own-currency / EUR and a refund in CZK" => "terminal.status.amountRefunded.value":
            response(returned);
    }
}

/// Counts the closings, with a mark for each.
fn count_closings(asked: &ObservedRequest<'_>, message: &Message) -> usize {
    if asked.is("closing") && message.succeeds() {
        asked.note("closings", asked.recall("closings") + "x");
        return asked.recall("closings").len();
    }
    0
}

fn closings() -> Vec<Break> {
    breaks! {
        "the third closing counts what the first one counted" in "each-of-four-closings-counts-its-own / CZK"
            => "terminal.closing.summary":
            response(|asked, message| match count_closings(asked, message) { // one before prepares the rest
                2 => asked.note("totals", message.get("batchData")),
                4 => message.set("batchData", serde_json::from_str::<Value>(&asked.recall("totals")).unwrap()),
                _ => {}
            });
        "the fourth closing counts nothing" in "each-of-four-closings-counts-its-own / EUR" => "terminal.closing.summary":
            response(|asked, message| if count_closings(asked, message) == 5 { message.set("batchData", json!([])) });
        "the refunds of two currencies change places" in BOTH => "terminal.closing.batchData.currencies":
            response(|asked, message| if asked.is("closing")
                && let Some(totals) = message.fields.get_mut("batchData").and_then(Value::as_array_mut)
                && let [first, second] = totals.as_mut_slice()
            {
                for field in ["debitsAmount", "debitsCount"] {
                    std::mem::swap(&mut first[field], &mut second[field]);
                }
            });
        "a closing has the totals of one currency" in BOTH => "terminal.closing.batchData.currencies":
            response(|asked, message| if asked.is("closing")
                && let Some(totals) = message.fields.get_mut("batchData").and_then(Value::as_array_mut)
            {
                totals.truncate(1);
            });
    }
}

/// Shows a terminal as busy once this call gave it something to do.
fn busy_ever_after(asked: &ObservedRequest<'_>, message: &mut Message, create: &str) {
    if asked.is(create) {
        asked.first_time("used");
    } else if asked.is("state") && asked.knows("used") {
        message.replace("status", "BUSY");
    }
}

fn terminals() -> Vec<Break> {
    breaks! {
        "a terminal is busy after each transaction" in ENDED => "terminal.state.BUSY":
            response(|asked, message| busy_ever_after(asked, message, "create"));
        "a terminal is busy after a refund" in "a-terminal-is-free-once-a-transaction-has-ended / a refund"
            => "terminal.state.BUSY":
            response(|asked, message| busy_ever_after(asked, message, "refund.create"));
        "a terminal with a pending refund is away" in REFUND => "terminal.state.status.enum":
            response(|asked, message| if asked.is("state") { message.replace("status", "OFFLINE") });
        "a terminal with a pending refund is never busy" in REFUND => "terminal.state.BUSY":
            response(|asked, message| if asked.is("state") { message.replace("status", "ONLINE") });
        "each terminal is as the first that was asked for" in OWN => "terminal.state.OFFLINE":
            response(|asked, message| if asked.is("state") {
                let first = asked.noted("state", message.get("status"));
                message.replace("status", first);
            });
        "a terminal stays as it was when it was first asked for" in OWN => "terminal.state.ONLINE":
            response(|asked, message| if asked.is("state") && asked.is_by_another_merchant() {
                let first = asked.noted("state", message.get("status"));
                message.replace("status", first);
            });
    }
}

/// Changes the payments in euros in the details of a transfer.
fn in_euros(asked: &ObservedRequest<'_>, message: &mut Message, heading: &str, value: &str) {
    if asked.is("transfers.detail") {
        message.each(|item| {
            if item["Měna"] == "EUR" {
                item[heading] = json!(value)
            }
        });
    }
}

fn transfers() -> Vec<Break> {
    breaks! {
        "a payment in euros was paid by any method" in EUROS => "transfers.detail.method.value":
            response(|asked, message| in_euros(asked, message, "Metoda", "ALL"));
        "a payment in euros was paid by a card of no type" in EUROS => "transfers.detail.card.value":
            response(|asked, message| in_euros(asked, message, "Typ karty", ""));
    }
}
