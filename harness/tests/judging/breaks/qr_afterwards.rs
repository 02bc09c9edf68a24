//! QR payments that are right when they are new, and wrong afterwards: extended, by another method, paid, refunded, or a day later.

use serde_json::{Value, json};

use super::{Break, time_passes};
use crate::support::proxy::{Message, ObservedRequest, WorldAction, remember};

const FOREIGN: &str = "a-payment-is-foreign-to-others-whatever-was-done-with-it / crowns of another merchant";
const FOREIGN_EUROS: &str = "a-payment-is-foreign-to-others-whatever-was-done-with-it / euros of another merchant";
const ANY_CURRENCY: &str = "a-token-is-for-one-merchant-in-any-currency / euros";
const ALTERED: &str = "a-token-that-was-altered-opens-no-call-at-all / without its signature";
const AGAIN: &str = "a-new-token-opens-all-calls-beside-the-earlier-one / crowns";
const KINDS: &str = "a-test-payment-of-any-kind-has-the-threshold / 2 000 CZK";
const HELLER: &str = "a-test-refund-of-any-payment-ends-by-its-amount / 0.01 CZK";
const WHOLE: &str = "a-payment-that-was-refunded-as-a-whole-is-paid-days-later / crowns";
const WEEK: &str = "an-extension-of-a-payment-with-another-method-lasts-seven-days";
const GIVEN_UP: &str = "a-cancelled-payment-with-another-method-stays-cancelled / euros";
const BANKS: &str = "a-code-of-any-bank-asks-for-the-amount / whole units";
const SQUARE: &str = "a-change-to-pay-by-square-draws-another-code / whole units";
const AGED: &str = "a-payment-that-was-created-long-ago-is-pending-and-paid / a month ago";
const MONTHS: &str = "a-payment-of-months-ago-is-refunded / crowns";
const REASONS: &str = "a-payment-with-another-method-has-the-reason-for-which-it-failed / crowns";
const REASONS_EUROS: &str = "a-payment-with-another-method-has-the-reason-for-which-it-failed / euros";
const EUROS_OF_ANOTHER: &str = "another-merchant-is-offered-both-methods-for-euros-when-asked-for";
const TWO: &str = "two-payments-by-any-method-have-two-codes / in the middle";

pub fn all() -> Vec<Break> {
    let money = [tests(), test_refunds(), refunds(), codes()];
    let states = [of_paid_payments(), extensions(), of_cancelled_payments(), methods()];
    [foreign(), tokens(), texts(), reasons(), months_later()].into_iter().chain(money).chain(states).flatten().collect()
}

/// Grants what is refused because it is another merchant's.
fn opened(asked: &ObservedRequest<'_>, message: &mut Message, call: &str) {
    if asked.is(call) && message.status == 403 {
        message.grant(asked);
    }
}

/// The same, once a fact is known.
fn opened_once(asked: &ObservedRequest<'_>, message: &mut Message, fact: &str, call: &str) {
    if asked.knows(fact) {
        opened(asked, message, call);
    }
}

/// Remembers that a call has succeeded.
fn succeeds(asked: &ObservedRequest<'_>, message: &Message, call: &str) {
    if asked.is(call) && message.fulfils() {
        asked.first_time(call);
    }
}

/// Remembers that a call has succeeded for a payment, or at its creation.
fn notes(asked: &ObservedRequest<'_>, message: &Message, call: &str) {
    if asked.is(call) && message.fulfils() {
        asked.note(call, message.get("transId"));
    }
}

/// Whether this call is about the payment that was noted.
fn is_about(asked: &ObservedRequest<'_>, note: &str) -> bool {
    !asked.recall(note).is_empty() && asked.text("transId") == asked.recall(note)
}

/// Reports another state.
fn becomes(message: &mut Message, state: &str) {
    if message.has("status") {
        message.set("status", state);
        message.remove("paymentRejectedReason");
    }
}

/// The same, where it has this state.
fn turns(message: &mut Message, from: &str, to: &str) {
    if message.get("status") == from {
        becomes(message, to);
    }
}

fn passes_a_day(deed: &mut WorldAction<'_>) {
    if deed.action == "clock.advances" && deed.with["seconds"] == json!(90000) {
        remember(deed.memory, "later");
    }
}

fn passes_a_week(deed: &mut WorldAction<'_>) {
    if deed.action == "clock.advances" && deed.with["seconds"] == json!(700_000) {
        remember(deed.memory, "later");
    }
}

fn pays(deed: &mut WorldAction<'_>) {
    if deed.action == "payer.pays" {
        remember(deed.memory, "paid");
    }
}

fn pays_late(deed: &mut WorldAction<'_>) {
    if deed.action == "payer.pays-late" {
        remember(deed.memory, "late");
    }
}

fn does_not_pay(deed: &mut WorldAction<'_>) {
    if deed.action == "payer.pays" {
        deed.does_not_happen();
    }
}

/// Changes the refunds of a status.
fn listed(asked: &ObservedRequest<'_>, message: &mut Message, change: impl FnOnce(&mut Vec<Value>)) {
    if let Some(Value::Array(refunds)) = message.fields.get_mut("refunds").filter(|_| asked.is("qr.status")) {
        change(refunds);
    }
}

/// Changes a part of the QR data.
fn drawn(message: &mut Message, part: &str, otherwise: &str) {
    let data = message.get("paymentData").replace(part, otherwise);
    message.replace("paymentData", data);
}

fn foreign() -> Vec<Break> {
    breaks! {
        "a payment that was extended is cancelled by others" in FOREIGN => "qr.token.other-payment":
            response(|asked, message| {
                succeeds(asked, message, "qr.extend");
                opened_once(asked, message, "qr.extend", "qr.cancel");
            });
        "a payment whose method was changed is extended by others" in FOREIGN_EUROS => "qr.token.other-payment":
            response(|asked, message| {
                succeeds(asked, message, "change-method");
                opened_once(asked, message, "change-method", "qr.extend");
            });
        "a payment that was extended is changed by others" in FOREIGN_EUROS => "qr.token.other-payment":
            response(|asked, message| {
                succeeds(asked, message, "qr.extend");
                opened_once(asked, message, "qr.extend", "change-method");
            });
        "a paid payment is read by others" in FOREIGN => "qr.token.other-payment":
            world(pays),
            response(|asked, message| opened_once(asked, message, "paid", "qr.status"));
        "a paid payment in euros is extended by others" in FOREIGN_EUROS => "qr.token.other-payment":
            world(pays),
            response(|asked, message| opened_once(asked, message, "paid", "qr.extend"));
        "a paid payment of another merchant is refunded by the first one" in FOREIGN => "qr.token.other-payment":
            response(|asked, message| opened(asked, message, "refund.create"));
        "a refund in euros is read by others" in FOREIGN_EUROS => "qr.token.other-payment":
            response(|asked, message| opened(asked, message, "refund.status"));
        "a cancelled payment in euros is cancelled by others" in "a-payment-that-was-cancelled-is-foreign-to-others / euros"
            => "qr.token.other-payment":
            response(|asked, message| opened(asked, message, "qr.cancel"));
        "a cancelled payment is refunded by others" in "a-payment-that-was-cancelled-is-foreign-to-others / of another merchant"
            => "qr.token.other-payment":
            response(|asked, message| opened(asked, message, "refund.create"));
        "a paid payment is refunded by others a day later" in "a-paid-payment-is-foreign-to-others-days-later / crowns"
            => "qr.token.other-payment":
            world(passes_a_day),
            response(|asked, message| opened_once(asked, message, "later", "refund.create"));
        "a payment in euros is cancelled by others a day later" in "a-foreign-payment-is-answered-403-days-later / euros"
            => "qr.token.other-payment":
            world(passes_a_day),
            response(|asked, message| opened_once(asked, message, "later", "qr.cancel"));
        "an expired payment of another merchant is read by the first one"
            in "a-foreign-payment-is-answered-403-days-later / of another merchant" => "qr.token.other-payment":
            response(|asked, message| opened(asked, message, "qr.status"));
        "methods in euros are listed for another merchant" in ANY_CURRENCY => "qr.token.other-merchant":
            response(|asked, message| opened(asked, message, "qr.methods"));
        "payments in euros are created for another merchant" in ANY_CURRENCY => "qr.token.other-merchant":
            response(|asked, message| opened(asked, message, "qr.create"));
    }
}

fn tokens() -> Vec<Break> {
    breaks! {
        "anything extends a payment" in "qr / no-call-is-answered-without-a-token" => "qr.authenticate.first":
            response(|asked, message| if asked.is("qr.extend") && asked.token == "garbage" { message.grant(asked) });
        "anything refunds a payment" in "qr / no-call-is-answered-without-a-token" => "qr.authenticate.first":
            response(|asked, message| if asked.is("refund.create") && asked.token == "garbage" { message.grant(asked) });
        "Basic credentials extend a payment" in "basic-credentials-open-no-call-but-one" => "qr.authenticate.first":
            response(|asked, message| if asked.is("qr.extend") && !asked.credentials.0.is_empty() { message.grant(asked) });
        "Basic credentials refund a payment" in "basic-credentials-refund-nothing" => "qr.authenticate.first":
            response(|asked, message| if asked.is("refund.create") && !asked.credentials.0.is_empty() { message.grant(asked) });
        "a token without a signature refunds a payment" in ALTERED => "qr.token.carried":
            response(|asked, message| if asked.is("refund.create") && message.status == 401 { message.grant(asked) });
        "a token without a signature creates a payment" in ALTERED => "qr.token.carried":
            response(|asked, message| if asked.is("qr.create") && message.status == 401 { message.grant(asked) });
        "the login of another merchant ends a token" in AGAIN => "qr.token.bearer":
            response(|asked, message| if asked.is("qr.authenticate") && asked.is_by_another_merchant() {
                asked.first_time("another login");
            } else if asked.is("refund.create") && asked.knows("another login") {
                message.objects(asked, 401, "");
            });
        "a second token refunds nothing" in AGAIN => "qr.token.again":
            response(|asked, message| if asked.is("qr.authenticate") && !asked.first_time("once") {
                asked.first_time("again");
            } else if asked.is("refund.create") && asked.knows("again") {
                message.objects(asked, 401, "");
            });
        "an expired token of another merchant refunds a payment" in "an-expired-token-of-another-merchant-opens-nothing"
            => "qr.token.expired":
            response(|asked, message| if asked.is("refund.create") && message.status == 401 { message.grant(asked) });
    }
}

fn tests() -> Vec<Break> {
    breaks! {
        "a test payment without a reference has no threshold" in "a-test-payment-of-any-kind-has-the-threshold / above 2 000 CZK"
            => "qr.test.cancelled":
            response(|asked, message| if asked.is("qr.create") && !asked.has("refId") {
                asked.note("bare", message.get("transId"));
            } else if asked.is("qr.status") && is_about(asked, "bare") {
                turns(message, "CANCELLED", "PAID");
            });
        "a test payment with a symbol has no threshold" in "a-test-payment-of-any-kind-has-the-threshold / above 80 EUR"
            => "qr.test.cancelled":
            response(|asked, message| if asked.is("qr.create") && asked.has("variableSymbol") {
                asked.note("symbol", message.get("transId"));
            } else if asked.is("qr.status") && is_about(asked, "symbol") {
                turns(message, "CANCELLED", "PAID");
            });
        "a test payment that was extended has no threshold" in "a-test-payment-of-any-kind-has-the-threshold / above 2 000 CZK"
            => "qr.test.cancelled":
            response(|asked, message| {
                notes(asked, message, "qr.extend");
                if asked.is("qr.status") && is_about(asked, "qr.extend") {
                    turns(message, "CANCELLED", "PAID");
                }
            });
        "a test payment with another method has no threshold" in "a-test-payment-of-any-kind-has-the-threshold / above 80 EUR"
            => "qr.test.cancelled":
            response(|asked, message| {
                notes(asked, message, "change-method");
                if asked.is("qr.status") && is_about(asked, "change-method") {
                    turns(message, "CANCELLED", "PAID");
                }
            });
        "a test payment in euros ends as it is extended" in "a-test-payment-of-any-kind-has-the-threshold / 80 EUR" => "qr.test.time":
            response(|asked, message| {
                notes(asked, message, "qr.extend");
                if asked.is("qr.status") && is_about(asked, "qr.extend") {
                    turns(message, "PENDING", "PAID");
                }
            });
        "a paid test payment is cancelled a day later" in KINDS => "qr.payment.states":
            world(passes_a_day),
            response(|asked, message| if asked.is("qr.status") && asked.knows("later") { turns(message, "PAID", "CANCELLED") });
        "a cancelled test payment in euros ends paid" in "a-cancelled-test-payment-stays-cancelled / euros" => "qr.payment.states":
            world(time_passes),
            response(|asked, message| if asked.is("qr.status") && asked.knows("later") { turns(message, "CANCELLED", "PAID") });
        "a cancelled test payment is paid a day later" in "a-cancelled-test-payment-stays-cancelled / crowns" => "qr.payment.states":
            world(passes_a_day),
            response(|asked, message| if asked.is("qr.status") && asked.knows("later") { turns(message, "CANCELLED", "PAID") });
    }
}

fn test_refunds() -> Vec<Break> {
    breaks! {
        "a test refund of a heller without a reference is refunded" in HELLER => "qr.test.refund.cancelled":
            response(|asked, message| if asked.is("refund.create") && !asked.has("refId") {
                asked.note("bare", message.get("transRefundId"));
            } else if asked.is("refund.status") && asked.text("transRefundId") == asked.recall("bare") {
                turns(message, "CANCELLED", "REFUNDED");
            });
        "a test refund of a cent of a payment with another method is refunded"
            in "a-test-refund-of-any-payment-ends-by-its-amount / 0.01 EUR" => "qr.test.refund.cancelled":
            response(|asked, message| {
                notes(asked, message, "change-method");
                if asked.is("refund.create") && is_about(asked, "change-method") {
                    asked.note("refund", message.get("transRefundId"));
                } else if asked.is("refund.status") && asked.text("transRefundId") == asked.recall("refund") {
                    turns(message, "CANCELLED", "REFUNDED");
                }
            });
        "a test refund of a payment that was extended is pending for ever" in HELLER => "qr.test.refund.cancelled":
            response(|asked, message| {
                notes(asked, message, "qr.extend");
                if asked.is("refund.create") && is_about(asked, "qr.extend") {
                    asked.note("refund", message.get("transRefundId"));
                } else if asked.is("refund.status") && asked.text("transRefundId") == asked.recall("refund") {
                    message.replace("status", "PENDING");
                }
            });
        "the last test refund in euros is cancelled" in "each-test-refund-ends-by-its-own-amount / euros" => "qr.test.refund.refunded":
            response(|asked, message| if asked.is("refund.status") { turns(message, "REFUNDED", "CANCELLED") });
    }
}

fn refunds() -> Vec<Break> {
    breaks! {
        "one refund in euros is listed" in "a-payment-in-euros-lists-its-refunds / by EPC" => "qr.status.refunds.order":
            response(|asked, message| listed(asked, message, |refunds| refunds.truncate(1)));
        "all refunds in Slovak euros have the first amount" in "a-payment-in-euros-lists-its-refunds / by PAY by square"
            => "qr.status.refunds.amount.value":
            response(|asked, message| listed(asked, message, |refunds| {
                let first = refunds.first().map(|refund| refund["amount"].clone());
                refunds.iter_mut().for_each(|refund| refund["amount"] = first.clone().into());
            }));
        "the third refund in euros is not checked" in "a-payment-in-euros-lists-its-refunds / by EPC" => "qr.refund.sum":
            response(|asked, message| if asked.is("refund.create") { message.grant(asked) });
        "a second refund in euros is pending for ever" in "each-refund-has-a-status-of-its-own / euros" => "qr.refund.rejected":
            world(|deed| if deed.action == "bank.rejects" { deed.does_not_happen() });
        "the refunds of payments with one reference are one sum" in "a-refund-belongs-to-its-payment / crowns" => "qr.refund.path":
            instead(|asked| (asked.is("refund.create") && asked.text("amount") == "5000").then(|| Message::objection(asked, 400, "")));
        "a refund in euros is read under any payment" in "a-refund-belongs-to-its-payment / euros" => "qr.refund.path":
            response(|asked, message| if asked.is("refund.status") { message.grant(asked) });
        "less than nothing is refunded in euros" in "a-refund-of-nothing-is-refused / euros" => "qr.refund.amount.min":
            response(|asked, message| if asked.is("refund.create") && asked.text("amount") == "-1000" { message.grant(asked) });
        "a refund of all Slovak euros ends by itself" in "a-refund-waits-for-its-bank / all Slovak euros" => "qr.refund.states":
            response(|asked, message| if asked.is("refund.status") { message.replace("status", "REFUNDED") });
        "a payment that was refunded as a whole is cancelled a day later" in WHOLE => "qr.payment.states":
            world(passes_a_day),
            response(|asked, message| if asked.is("qr.status") && asked.knows("later") { becomes(message, "CANCELLED") });
        "a payment that was refunded as a whole is refunded again a day later"
            in "a-payment-that-was-refunded-as-a-whole-is-paid-days-later / euros" => "qr.refund.sum":
            world(passes_a_day),
            response(|asked, message| if asked.is("refund.create") && asked.knows("later") { message.grant(asked) });
        "refunds that were sent back are listed for a week" in WHOLE => "qr.status.refunds.creation":
            world(passes_a_week),
            response(|asked, message| if asked.knows("later") { listed(asked, message, Vec::clear) });
        "what the provider gave up is refunded" in "late-money-revives-no-payment-that-was-given-up / by the provider"
            => "qr.refund.only-paid":
            response(|asked, message| if asked.is("refund.create") { message.grant(asked) });
        "an expired payment that nobody has read is refunded" in "an-expired-payment-has-expired-whoever-asks" => "qr.refund.only-paid":
            response(|asked, message| if asked.is("refund.create") { message.grant(asked) });
    }
}

fn of_paid_payments() -> Vec<Break> {
    breaks! {
        "a paid payment in euros is extended further at the second attempt" in "a-paid-payment-is-not-extended-further / euros"
            => "qr.payment.extend-of-paid":
            response(|asked, message| if asked.is("qr.extend") && message.get("status") == "PAID" && !asked.first_time("extended") {
                message.set("expiration", "2040-01-01T10:00:00Z");
            });
        "a note extends a paid payment of another merchant" in "a-paid-payment-is-not-extended-further / of another merchant"
            => "qr.payment.extend-of-paid":
            response(|asked, message| if asked.is("qr.extend") && message.get("status") == "PAID" && asked.has("note") {
                message.set("expiration", "2040-01-01T10:00:00Z");
            });
        "a paid payment that was not extended is extended" in "a-paid-payment-that-was-not-extended-is-not-extended-later / euros"
            => "qr.payment.extend-of-paid":
            response(|asked, message| if asked.is("qr.extend") && message.get("status") == "PAID" {
                message.set("expiration", "2040-01-01T10:00:00Z");
            });
        "a paid payment in euros is extended a day later" in "a-paid-payment-keeps-its-extended-expiry / euros"
            => "qr.payment.extend-of-paid":
            world(|deed| if deed.action == "clock.advances" && deed.with["seconds"] == json!(86400) { _ = remember(deed.memory, "later") }),
            response(|asked, message| if asked.is("qr.extend") && asked.knows("later") {
                message.set("expiration", "2040-01-01T10:00:00Z");
            });
    }
}

fn extensions() -> Vec<Break> {
    breaks! {
        "a later extension adds seven days" in "an-extension-may-be-repeated / crowns" => "qr.extend.seven-days":
            world(time_passes),
            response(|asked, message| if asked.is("qr.extend") && asked.knows("later") {
                message.replace("expiration", "2040-01-01T10:00:00Z");
            });
        "a payment in euros that was extended again never expires" in "an-extension-may-be-repeated / euros" => "qr.extend.seven-days":
            response(|asked, message| if asked.is("qr.status") { turns(message, "CANCELLED", "PENDING") });
        "a later extension in Slovak euros shortens" in "an-extension-may-be-repeated / Slovak euros" => "qr.extend.not-shortened":
            world(time_passes),
            response(|asked, message| if asked.is("qr.extend") && asked.knows("later") {
                message.replace("expiration", "2026-01-18T12:15:00Z");
            });
        "a change of method shortens an extension days later" in "a-change-of-method-shortens-nothing / euros"
            => "qr.change-method.not-shortened":
            world(time_passes),
            response(|asked, message| if asked.is("change-method") && asked.knows("later") {
                message.replace("expiration", "2026-01-18T12:15:00Z");
            });
        "a payment with another method is extended for ever" in WEEK => "qr.extend.seven-days":
            response(|asked, message| if asked.is("qr.status") { turns(message, "CANCELLED", "PENDING") });
        "money that arrives days later pays no payment with another method" in WEEK => "qr.extend.matchable":
            world(does_not_pay);
        "an extension in euros after a change of method has no end" in "an-extension-ends-in-seven-days / euros"
            => "qr.extend.seven-days":
            response(|asked, message| if asked.is("qr.extend") { message.replace("expiration", "2040-01-01T10:00:00Z") });
        "euros pay nothing days after an extension" in "an-extended-payment-is-still-paid / euros" => "qr.extend.matchable":
            world(does_not_pay);
        "an extension in euros shortens" in "an-extension-is-never-shorter / euros" => "qr.extend.not-shortened":
            setting(|settings| { settings.insert("qr-expiration-seconds".to_owned(), json!(900)); });
        "a payment above the threshold of tests ends by itself" in "qr / an-unpaid-payment-expires / 3 000 CZK" => "qr.payment.expired":
            response(|asked, message| if asked.is("qr.status") { turns(message, "PENDING", "CANCELLED") });
    }
}

fn of_cancelled_payments() -> Vec<Break> {
    breaks! {
        "an expired payment in euros is extended" in "an-expired-payment-is-not-extended / euros" => "qr.payment.extend-of-cancelled":
            response(|asked, message| if asked.is("qr.extend") { message.grant(asked) });
        "an expired payment with another method is extended" in "an-expired-payment-is-not-extended / crowns"
            => "qr.payment.extend-of-cancelled":
            response(|asked, message| {
                notes(asked, message, "change-method");
                if asked.is("qr.extend") && is_about(asked, "change-method") {
                    message.grant(asked);
                }
            });
        "late money revives an expired payment with another method" in "late-money-revives-no-expired-payment / euros"
            => "qr.extend.late-money":
            world(pays_late),
            response(|asked, message| {
                notes(asked, message, "change-method");
                if asked.is("qr.status") && is_about(asked, "change-method") && asked.knows("late") {
                    becomes(message, "PAID");
                }
            });
        "a cancelled payment with another method is extended" in GIVEN_UP => "qr.payment.extend-of-cancelled":
            response(|asked, message| if asked.is("qr.extend") { message.grant(asked) });
        "a cancelled payment is changed again" in GIVEN_UP => "qr.change-method.pending":
            response(|asked, message| if asked.is("change-method") && !message.fulfils() { message.grant(asked) });
        "late money revives a payment with another method" in GIVEN_UP => "qr.extend.late-money":
            world(pays_late),
            response(|asked, message| if asked.is("qr.status") && asked.knows("late") { becomes(message, "PAID") });
        "late money for a payment with another method is refunded by the call" in GIVEN_UP => "qr.refund.only-paid":
            world(pays_late),
            response(|asked, message| if asked.is("refund.create") && asked.knows("late") { message.grant(asked) });
        "a cancelled payment is extended a week later" in "a-cancelled-payment-is-cancelled-days-later / euros"
            => "qr.payment.extend-of-cancelled":
            world(time_passes),
            response(|asked, message| if asked.is("qr.extend") && asked.knows("later") { message.grant(asked) });
        "money that is a day late revives a payment" in "money-that-is-days-late-revives-no-payment / Slovak euros"
            => "qr.extend.late-money":
            world(pays_late),
            response(|asked, message| if asked.is("qr.status") && asked.knows("late") { becomes(message, "PAID") });
        "late money is refunded by the call a day later" in "money-that-is-days-late-revives-no-payment / crowns" => "qr.refund.only-paid":
            response(|asked, message| if asked.is("refund.create") { message.grant(asked) });
        "a cancelled payment is refunded a week later" in "a-cancelled-payment-is-cancelled-days-later / euros" => "qr.refund.only-paid":
            response(|asked, message| if asked.is("refund.create") { message.grant(asked) });
    }
}

fn codes() -> Vec<Break> {
    breaks! {
        "the code of a bank asks for tenths" in "a-code-of-any-bank-asks-for-the-amount / hundredths" => "qr.paymentData.SPAYD.amount":
            response(|asked, message| if asked.is("qr.create") && asked.text("method") == "BANK_CZ_T_KB" {
                drawn(message, "AM:0.09", "AM:0.9");
            });
        "the code of a bank that is drawn again asks for whole crowns" in "a-code-of-any-bank-asks-for-the-amount / units and hundredths"
            => "qr.paymentData.SPAYD.amount":
            response(|asked, message| if asked.is("change-method") && asked.text("method") == "BANK_CZ_T_KB" {
                drawn(message, "AM:123.45", "AM:123.00");
            });
        "a large amount that is drawn again is a short floating point"
            in "large-amounts-are-asked-for-and-refunded-exactly / crowns with nine digits" => "qr.paymentData.SPAYD.amount":
            response(|asked, message| if asked.is("change-method") { drawn(message, "AM:1234567.89", "AM:1234568.00") });
        "the code of a bank is in euros" in BANKS => "qr.paymentData.SPAYD.currency":
            response(|asked, message| if asked.text("method") == "BANK_CZ_T_CS" { drawn(message, "CC:CZK", "CC:EUR") });
        "a code for euros that is drawn again asks for a tenth" in SQUARE => "qr.paymentData.EPC.amount":
            response(|asked, message| if asked.is("change-method") { drawn(message, "EUR70.00", "EUR7.00") });
        "a payment by EPC has no other code" in SQUARE => "qr.change-method.paymentData.format":
            response(|asked, message| if message.has("paymentData") {
                message.replace("paymentData", asked.noted("drawn", message.get("paymentData")));
            });
        "money for a code by PAY by square that was drawn again does not arrive" in SQUARE => "qr.payment.method-changed":
            world(does_not_pay);
        "one symbol for all payments by a bank" in TWO => "qr.create.symbol.own":
            response(|asked, message| if asked.is("qr.create") && asked.text("method") == "BANK_CZ_T_KB" {
                message.replace("paymentData", asked.noted("code", message.get("paymentData")));
            });
        "two merchants have one symbol in euros" in "two-payments-by-any-method-have-two-codes / euros" => "qr.create.symbol.own":
            response(|asked, message| if asked.is("qr.create") && asked.text("merchantId") == "M100001" {
                asked.note("code", message.get("paymentData"));
            } else if asked.is("qr.create") {
                message.replace("paymentData", asked.recall("code"));
            });
    }
}

fn methods() -> Vec<Break> {
    breaks! {
        "a change to PAY by square restarts nothing" in "a-change-to-a-method-for-euros-restarts-the-expiry / from EPC to PAY by square"
            => "qr.change-method.restarted":
            response(|asked, message| if asked.is("change-method") {
                message.replace("expiration", asked.noted("expiration", message.get("expiration")));
            });
        "a payment by PAY by square that was changed never expires"
            in "a-change-to-a-method-for-euros-restarts-the-expiry / from PAY by square to EPC" => "qr.payment.expired":
            response(|asked, message| if asked.is("qr.status") { turns(message, "CANCELLED", "PENDING") });
        "a refused change takes the code away" in "a-payment-whose-change-of-method-was-refused-is-paid / an unknown method for euros"
            => "qr.change-method.refused":
            world(does_not_pay);
        "a payment of nothing in euros" in "a-payment-of-nothing-is-refused / euros" => "qr.create.amount.min":
            response(|asked, message| if asked.is("qr.create") { message.grant(asked) });
        "methods for nothing in Slovak euros" in "a-payment-of-nothing-is-refused / Slovak euros" => "qr.methods.amount.min":
            response(|asked, message| if asked.is("qr.methods") { message.grant(asked) });
    }
}

fn texts() -> Vec<Break> {
    breaks! {
        "a suspicion in euros is of nothing in particular" in "a-suspicion-of-fraud-is-the-reason / euros"
            => "qr.status.reason.fraud-suspected":
            response(|_, message| message.replace("paymentRejectedReason", "Not specified"));
        "who gives up an extended payment is the merchant" in "qr / a-payer-who-cancels-is-the-reason / an extended payment"
            => "qr.status.reason.by-payer":
            response(|_, message| message.replace("paymentRejectedReason", "Canceled by merchant"));
        "a note of 1000 characters is refused in euros" in "a-longer-note-on-a-payment-in-euros-is-refused / euros"
            => "qr.payment.extended":
            instead(|asked| (asked.is("qr.extend") && asked.text("note").len() == 1000).then(|| Message::objection(asked, 400, "")));
        "a symbol of 128 characters is refused in euros" in "a-variable-symbol-leaves-the-reference / 128 digits of euros"
            => "qr.create.variableSymbol.refId":
            instead(|asked| {
                let is_long = asked.is("qr.create") && asked.text("variableSymbol").len() == 128;
                is_long.then(|| Message::objection(asked, 400, ""))
            });
        "a paid payment in euros has the reference of its refund" in "a-reference-is-in-the-status-of-a-paid-payment / euros"
            => "qr.status.refId.value":
            response(|asked, message| if asked.is("qr.status") && message.get("refunds") != "[]" {
                message.replace("refId", "refund-2050");
            });
        "the symbol of the operator stands for the reference of a paid payment in euros"
            in "a-variable-symbol-leaves-the-reference / a text of Slovak euros" => "qr.create.variableSymbol.refId":
            response(|asked, message| if asked.is("qr.status") && message.get("status") == "PAID" { message.remove("refId") });
    }
}

/// Reports another reason than this one.
fn reasons_otherwise(asked: &ObservedRequest<'_>, message: &mut Message, reason: &str, otherwise: &str) {
    if asked.is("qr.status") && message.get("paymentRejectedReason") == reason {
        message.set("paymentRejectedReason", otherwise);
    }
}

fn reasons() -> Vec<Break> {
    breaks! {
        "a payment with another method is never under suspicion" in REASONS => "qr.status.reason.fraud-suspected":
            response(|asked, message| reasons_otherwise(asked, message, "Fraud suspected", "Not specified"));
        "a payer who cancels a payment with another method is the merchant" in REASONS_EUROS => "qr.status.reason.by-payer":
            response(|asked, message| reasons_otherwise(asked, message, "Canceled by payer", "Canceled by merchant"));
        "a provider that cancels a payment with another method is the payer" in REASONS => "qr.status.reason.by-provider":
            response(|asked, message| reasons_otherwise(asked, message, "Canceled by provider", "Canceled by payer"));
        "a provider in delay with another method is the customer" in REASONS_EUROS => "qr.status.reason.provider-timeout":
            response(|asked, message| reasons_otherwise(asked, message, "Provider timeout", "Customer timeout"));
    }
}

fn months_later() -> Vec<Break> {
    breaks! {
        "a payment expires by the time at which it says that it was created" in AGED => "qr.payment.created":
            response(|asked, message| if asked.is("qr.status") { turns(message, "PENDING", "CANCELLED") });
        "money pays no payment that says that it is old" in AGED => "qr.payment.paid":
            world(does_not_pay);
        "a payment is refunded within a month" in MONTHS => "qr.refund.created-pending":
            world(time_passes),
            response(|asked, message| if asked.is("refund.create") && asked.knows("later") { message.objects(asked, 400, "") });
        "a payment in euros is refunded within three months" in "a-payment-of-months-ago-is-refunded / euros"
            => "qr.refund.created-pending":
            world(|deed| if deed.with.get("seconds") == Some(&json!(5_875_200)) { _ = remember(deed.memory, "later") }),
            response(|asked, message| if asked.is("refund.create") && asked.knows("later") { message.objects(asked, 400, "") });
        "refunds are listed for two months" in MONTHS => "qr.status.refunds.creation":
            response(|asked, message| listed(asked, message, |refunds| if refunds.len() == 2 { _ = refunds.remove(0) }));
        "a refund of months ago is not in the sum" in "a-payment-of-months-ago-is-refunded / Slovak euros" => "qr.refund.sum":
            response(|asked, message| if asked.is("refund.create") && asked.text("amount") == "1" { message.grant(asked) });
        "a test refund of a whole heller is refunded" in "a-test-refund-of-1-minor-unit-is-cancelled / all of 0.01 CZK"
            => "qr.test.refund.cancelled":
            response(|asked, message| if asked.is("refund.status") { turns(message, "CANCELLED", "REFUNDED") });
        "a test refund of a whole cent is pending for ever" in "a-test-refund-of-1-minor-unit-is-cancelled / all of 0.01 EUR"
            => "qr.test.refund.cancelled":
            response(|asked, message| if asked.is("refund.status") { turns(message, "CANCELLED", "PENDING") });
        "another merchant is offered one method for euros" in EUROS_OF_ANOTHER => "qr.methods.bothEurQr.effect":
            response(|asked, message| match message.fields.get_mut("methods") {
                Some(Value::Array(methods)) if asked.is("qr.methods") => methods.retain(|method| method["id"] != "BANK_EUR_T_OTHER"),
                _ => {}
            });
    }
}
