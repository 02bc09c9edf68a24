//! Lies of a terminal about a second payment, a second card, a later day, a great number of refunds.

use serde_json::{Value, json};

use super::Break;
use crate::support::proxy::{Message, ObservedRequest, WorldAction, remember};

const CARDS: &str = "each-payment-and-refund-tells-its-own-card";
const CROWNS: &str = "a-closing-counts-many-refunds / CZK";
const EUROS: &str = "a-closing-counts-many-refunds / EUR";
const LATER: &str = "a-payment-may-be-cancelled-on-a-later-day / EUR";
const MAIL: &str = "the-payer-is-notified-by-mail / CZK";
const MAIL_IN_EUROS: &str = "the-payer-is-notified-by-mail / EUR";
const WAITED: &str = "what-is-paid-after-a-closing-is-cancelled";

pub fn all() -> Vec<Break> {
    [messages(), cards(), cancels(), closings(), mails()].into_iter().flatten().collect()
}

/// An error is explained as a success is.
fn explained_by(asked: &ObservedRequest<'_>, message: &mut Message, call: &str, text: &str) {
    if asked.is(call) && !message.succeeds() {
        message.replace("message", text);
    }
}

fn messages() -> Vec<Break> {
    breaks! {
        "a status explains an error with OK" in "an-unknown-payment-is-neither-read-nor-cancelled" => "terminal.status.message.explains":
            response(|asked, message| explained_by(asked, message, "terminal.status", "OK"));
        "a closing explains an error with ok" in "terminal / calls-without-the-right-credentials-are-refused / with a wrong secret"
            => "terminal.closing.message.details":
            response(|asked, message| explained_by(asked, message, "closing", "ok"));
    }
}

/// What is shown of the first card is shown of every one.
fn of_the_first(asked: &ObservedRequest<'_>, message: &mut Message, field: &str) {
    if asked.is("terminal.status") && message.has(field) {
        message.set(field, asked.noted(field, message.get(field)));
    }
}

fn cards() -> Vec<Break> {
    breaks! {
        "every payment has the number of the first card" in CARDS => "terminal.status.cardNumber.value":
            response(|asked, message| of_the_first(asked, message, "cardNumber"));
        "every payment has the expiry of the first card" in CARDS => "terminal.status.cardValid.value":
            response(|asked, message| of_the_first(asked, message, "cardValid"));
        "a payment by card has an empty number" in "a-card-is-told-in-part" => "terminal.status.cardNumber.value":
            response(|asked, message| if asked.is("terminal.status") { message.replace("cardNumber", "") });
        "a payment by card has an empty expiry" in "a-card-is-told-in-part" => "terminal.status.cardValid.value":
            response(|asked, message| if asked.is("terminal.status") { message.replace("cardValid", "") });
        "a refund has the card of the last payment" in CARDS => "terminal.refund.status.cardNumber.partial":
            response(|asked, message| if asked.is("terminal.status") && message.has("cardNumber") {
                asked.note("last", message.get("cardNumber"));
            } else if asked.is("refund.status") {
                message.replace("cardNumber", asked.recall("last"));
            });
    }
}

fn cancels() -> Vec<Break> {
    breaks! {
        "a payment is cancelled for two days" in LATER => "terminal.cancel.before-closing":
            world(|deed| if deed.with.get("seconds").and_then(Value::as_i64).is_some_and(|seconds| seconds > 172_800) {
                _ = remember(deed.memory, "days later");
            }),
            instead(|asked| (asked.is("terminal.cancel") && asked.knows("days later")).then(|| Message::refusal(asked, 1400)));
        "what was created before a closing is closed" in WAITED => "terminal.cancel.before-closing":
            response(|asked, _message| if asked.is("closing") { asked.note("closed", "yes") }),
            instead(|asked| (asked.is("terminal.cancel") && asked.knows("closed")).then(|| Message::refusal(asked, 1400)));
    }
}

/// Changes each total of a closing.
fn totals(asked: &ObservedRequest<'_>, message: &mut Message, change: impl Fn(&mut Value)) {
    if let Some(Value::Array(totals)) = message.fields.get_mut("batchData").filter(|_| asked.is("closing")) {
        totals.iter_mut().for_each(change);
    }
}

fn closings() -> Vec<Break> {
    breaks! {
        "closings are numbered from 1 each day" in "a-closing-of-the-next-day-has-another-number" => "terminal.closing.batchNumber.value":
            response(|asked, message| if asked.is("closing") { message.replace("batchNumber", 1) });
        "a sum of refunds that is cut to 31 bits" in CROWNS => "terminal.closing.totals.refunds":
            response(|asked, message| totals(asked, message, |total| {
                total["debitsAmount"] = json!(total["debitsAmount"].as_i64().unwrap().rem_euclid(1 << 31));
            }));
        "twenty refunds in euros at most" in EUROS => "terminal.closing.totals.refunds":
            response(|asked, message| totals(asked, message, |total| {
                total["debitsCount"] = json!(total["debitsCount"].as_i64().unwrap().min(20));
            }));
    }
}

/// Nothing has arrived at the addresses that begin so.
fn no_mail(deed: &mut WorldAction<'_>, to: &str) {
    if deed.action == "payer.reads-mail" && deed.with["email"].as_str().is_some_and(|email| email.starts_with(to)) {
        deed.response = Some(json!({"count": 0, "mail": []}));
    }
}

fn mails() -> Vec<Break> {
    breaks! {
        "nobody is told of a refund without a reference" in MAIL => "terminal.refund.create.email.mail":
            world(|deed| no_mail(deed, "nameless"));
        "nobody with a plus in the address is told of a refund" in MAIL_IN_EUROS => "terminal.refund.create.email.mail":
            world(|deed| no_mail(deed, "refund+"));
        "nobody is told that a payment in euros is cancelled" in MAIL_IN_EUROS => "terminal.cancel.email.mail":
            way(|asked, path| if asked.is("terminal.cancel") { path.split('?').next().unwrap().to_owned() } else { path.to_owned() });
    }
}
