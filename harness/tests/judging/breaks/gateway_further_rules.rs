//! Lies of the gateway about what comes later: after a refund, a capture or a month, by the other version, and of initiations and
//! verification payments.

use serde_json::Value;

use super::Break;
use crate::support::proxy::{Message, ObservedRequest, WorldAction, remember};

pub fn all() -> Vec<Break> {
    [versions(), countries(), bounds(), bounds_by_redirect(), afterwards(), later(), series(), references(), reasons(), payers()]
        .into_iter()
        .flatten()
        .collect()
}

/// Remembers that this long has passed at once.
fn passes(deed: &WorldAction<'_>, least: u64) {
    if deed.action == "clock.advances" && deed.with.get("seconds").and_then(Value::as_u64).is_some_and(|seconds| seconds >= least) {
        remember(deed.memory, "long ago");
    }
}

/// How many calls of this name there were, with this one.
fn so_far(asked: &ObservedRequest<'_>, call: &str) -> usize {
    let marks = format!("{}|", asked.recall(call));
    asked.note(call, marks.clone());
    marks.len()
}

/// Changes what the status shows once this call was made.
fn once(asked: &ObservedRequest<'_>, message: &mut Message, call: &str, change: impl FnOnce(&mut Message)) {
    if asked.is(call) {
        asked.first_time(call);
    } else if asked.is("v2.status") && asked.knows(call) {
        change(message);
    }
}

fn shows_a_card(message: &mut Message) {
    message.set("cardNumber", "411111******1111");
    message.set("cardValid", "12/29");
}

/// What one version has refunded is not known to the other.
fn versions() -> Vec<Break> {
    breaks! {
        "v2.0 adds up its own refunds alone" in "refunds-add-up-across-versions / v1.0 first" => "gateway.refund.sum":
            response(|asked, message| if asked.is("v2.refund") { message.accept() });
        "v1.0 adds up its own refunds alone" in "refunds-add-up-across-versions / v2.0 first" => "gateway.refund.sum":
            response(|asked, message| if asked.is("v1.refund") { message.accept() });
        "v2.0 refunds no payment of v1.0" in "a-foreign-payment-is-not-refunded / created by v1.0 and refunded by v2.0"
            => "gateway.refund.partial":
            instead(|asked| asked.is("v2.refund").then(|| Message::refusal(asked, 1400)));
        "a URL ends with a line feed" in "a-creation-is-answered-with-a-payment / v1.0" => "gateway.create.answer.redirect.url":
            response(|asked, message| if asked.is("v1.create") {
                let mut body = message.bytes();
                body.push(b'\n');
                message.raw(body);
            });
    }
}

/// Currencies of no region, in the countries of others.
fn countries() -> Vec<Break> {
    breaks! {
        "dollars go with CZ" in "a-currency-of-no-region-goes-with-none-of-their-countries / USD in v1.0"
            => "gateway.create.country.CZ":
            response(|asked, message| if asked.text("country") == "CZ" { message.accept_creation() });
        "forints go with SK" in "a-currency-of-no-region-goes-with-none-of-their-countries / HUF in v2.0"
            => "gateway.create.country.SK":
            response(|asked, message| if asked.text("country") == "SK" { message.accept_creation() });
        "pounds go with PL" in "a-currency-of-no-region-goes-with-none-of-their-countries / GBP in v1.0"
            => "gateway.create.country.PL":
            response(|asked, message| if asked.text("country") == "PL" { message.accept_creation() });
        "lei go without a country" in "a-currency-of-no-region-goes-with-none-of-their-countries / RON in v2.0"
            => "gateway.create.country.default":
            response(|asked, message| if asked.is("create") && !asked.has("country") { message.accept_creation() });
    }
}

/// Prices of verification payments.
fn bounds() -> Vec<Break> {
    breaks! {
        "a verification payment in euros has no lower bound" in "a-verification-payment-has-a-minimum-in-every-currency / v1.0"
            => "gateway.create.price.min.EUR":
            response(|asked, message| if asked.text("curr") == "EUR" { message.accept_creation() });
        "a verification payment in forints has no lower bound" in "a-verification-payment-has-a-minimum-in-every-currency / v2.0"
            => "gateway.create.price.min.HUF":
            response(|asked, message| if asked.text("curr") == "HUF" { message.accept_creation() });
    }
}

/// Prices of what is created by redirect.
fn bounds_by_redirect() -> Vec<Break> {
    breaks! {
        "a verification payment by redirect has no lower bound"
            in "a-redirect-creation-of-any-kind-holds-the-limits-of-the-price / verification in v2.0" => "gateway.create.redirect.answer":
            response(|asked, message| if asked.text("price") == "99" { message.becomes_a_redirect("/ZZZZ-0000-0001") });
        "an initiation by redirect has no upper bound"
            in "a-redirect-creation-of-any-kind-holds-the-limits-of-the-price / initiation in v1.0" => "gateway.create.redirect.answer":
            response(|asked, message| if asked.text("price") == "100000001" { message.becomes_a_redirect("/ZZZZ-0000-0001") });
        "a pre-authorization by redirect has no lower bound"
            in "a-redirect-creation-of-any-kind-holds-the-limits-of-the-price / pre-authorization in v1.0"
            => "gateway.create.redirect.answer":
            response(|asked, message| if asked.text("price") == "99" { message.becomes_a_redirect("/ZZZZ-0000-0001") });
    }
}

/// What the status shows after a refund, a capture or a recurring payment.
fn afterwards() -> Vec<Break> {
    breaks! {
        "a fee of what was refunded" in "without-deduction-the-fee-stays-unknown-after-a-refund-or-a-capture / v1.0"
            => "gateway.status.fee.unknown":
            response(|asked, message| once(asked, message, "refund", |status| status.replace("fee", "0")));
        "a fee of what was captured" in "without-deduction-the-fee-stays-unknown-after-a-refund-or-a-capture / v2.0"
            => "gateway.status.fee.unknown":
            response(|asked, message| once(asked, message, "capturePreauth", |status| status.replace("fee", "0")));
        "a surcharge of what was refunded" in "a-bank-payment-tells-no-surcharge / production in v1.0" => "gateway.status.appliedFee.only":
            response(|asked, message| once(asked, message, "refund", |status| {
                status.set("appliedFee", 100);
                status.set("appliedFeeType", "NON_EU_CONSUMER");
            }));
        "a card of what was refunded" in "a-card-payment-tells-no-card-once-it-is-refunded / v1.0" => "gateway.status.card":
            response(|asked, message| once(asked, message, "refund", shows_a_card));
        "a card of what was captured" in "a-card-payment-tells-no-card-once-it-is-refunded / v2.0" => "gateway.status.card":
            response(|asked, message| once(asked, message, "capturePreauth", shows_a_card));
        "another card after a recurring payment" in "the-card-of-an-initiation-payment-stays / v1.0"
            => "gateway.status.cardNumber.partial":
            response(|asked, message| once(asked, message, "recurring", |status| status.replace("cardNumber", "000000******0000")));
    }
}

/// What is refused days or a month later.
fn later() -> Vec<Break> {
    breaks! {
        "what was paid a month ago is not refunded" in "refunds-are-counted-days-later / v2.0" => "gateway.refund.partial":
            world(|deed| passes(deed, 2_600_000)),
            instead(|asked| (asked.is("refund") && asked.knows("long ago")).then(|| Message::refusal(asked, 1400)));
        "what was authorized days ago is not captured" in "an-authorized-payment-is-captured-days-later / v1.0"
            => "gateway.capturePreauth.amount.full":
            instead(|asked| asked.is("capturePreauth").then(|| Message::refusal(asked, 1400)));
        "what was paid a week ago is not read" in "gateway / a-paid-payment-does-not-expire / v2.0" => "gateway.status.code.0":
            world(|deed| passes(deed, 600_000)),
            instead(|asked| (asked.is("v2.status") && asked.knows("long ago")).then(|| Message::refusal(asked, 1400)));
    }
}

/// Recurring payments that are not the first of their series.
fn series() -> Vec<Break> {
    breaks! {
        "the fifth recurring payment is refused" in "a-recurring-payment-is-made-years-later / v2.0" => "gateway.recurring.timing":
            instead(|asked| (asked.is("recurring") && so_far(asked, "recurring") == 5).then(|| Message::refusal(asked, 1400)));
        "the account of an earlier recurring payment is kept" in "a-recurring-payment-without-an-account-goes-to-the-default / v2.0"
            => "gateway.recurring.account.default":
            onward(|asked, sent| if asked.is("recurring") {
                match asked.has("account") {
                    true => asked.note("account", asked.text("account")),
                    false => sent.set("account", asked.recall("account")),
                }
            });
    }
}

/// Refunds under the reference of another.
fn references() -> Vec<Break> {
    breaks! {
        "a refund has the reference of the one before" in "a-refund-is-shown-by-its-reference / v2.0" => "gateway.refund.refId.shown":
            onward(|asked, sent| if asked.is("refund") {
                match asked.has("refId") {
                    true => asked.note("refId", asked.text("refId")),
                    false => sent.set("refId", asked.recall("refId")),
                }
            });
        "a second test refund is counted" in "a-refund-in-forints-ends-with-00 / v1.0" => "gateway.refund.sum":
            response(|asked, message| if asked.is("refund") && asked.text("amount") == "250000" { message.refuse(1402) });
    }
}

/// Who cancelled an initiation or a verification payment.
fn reasons() -> Vec<Break> {
    breaks! {
        "an initiation that the merchant cancels was given up" in "an-initiation-payment-is-cancelled-like-any-other / v1.0"
            => "gateway.status.paymentErrorReason.value":
            everywhere(|message| message.replace("paymentErrorReason", "CUSTOMER_CLICK"));
        "a verification payment that the merchant cancels was given up" in "a-verification-payment-is-cancelled-like-any-other / v2.0"
            => "gateway.status.paymentErrorReason.value":
            everywhere(|message| message.replace("paymentErrorReason", "CUSTOMER_CLICK"));
    }
}

/// How and by whom an initiation or a verification payment was paid.
fn payers() -> Vec<Break> {
    breaks! {
        "an initiation is paid by the choice of cards" in "an-initiation-payment-tells-how-and-by-whom / initiation in v1.0"
            => "gateway.status.method.value":
            everywhere(|message| message.replace("method", "CARD_ALL"));
        "the payer of an initiation loses the accents" in "an-initiation-payment-tells-how-and-by-whom / initiation in v2.0"
            => "gateway.status.payerName.value":
            everywhere(|message| message.replace("payerName", "Zofie Mala"));
        "a verification payment is notified with the choice of cards"
            in "an-initiation-payment-tells-how-and-by-whom / verification in v1.0" => "gateway.notification.method.value":
            push(|_, push| push.message.replace("method", "CARD_ALL"));
        "the payer of a verification payment is notified without accents"
            in "an-initiation-payment-tells-how-and-by-whom / verification in v2.0" => "gateway.notification.payer_name.value":
            push(|_, push| push.message.replace("payer_name", "Zofie Mala"));
    }
}
