//! Rules that are kept for the common payment, and broken for one of another kind, shop, method or state.

use serde_json::json;

use super::Break;
use crate::support::proxy::{Memory, Message, Push, remember};

const CAPTURE: &str = "the-notification-of-a-capture-is-repeated / v1.0";
const FURTHER: &str = "further-fields-in-the-status-are-what-was-sent / v1.0";

pub fn all() -> Vec<Break> {
    [initiations(), merchants(), creations(), attempts(), pages(), records(), terminal_payments()].into_iter().flatten().collect()
}

/// Ends the attempts for the second payment after its fourth; the first one is acknowledged at once.
fn four_attempts(memory: &Memory, push: &mut Push) {
    let mut memory = memory.lock().unwrap();
    let attempts = memory.entry("attempts".to_owned()).or_default();
    attempts.push('|');
    if attempts.len() == 5 {
        push.message.status = 200;
    }
}

fn initiations() -> Vec<Break> {
    breaks! {
        "an initiation payment is not cancelled" in "an-initiation-payment-is-cancelled-like-any-other / v1.0" => "gateway.cancel.pending":
            instead(|asked| asked.is("cancel").then(|| Message::refusal(asked, 1400)));
        "an initiation payment is cancelled without a notification" in "an-initiation-payment-is-cancelled-like-any-other / v2.0"
            => "gateway.notification.cancellation":
            push(|_, push| push.times = 0);
        "an initiation payment never expires" in "an-initiation-payment-expires-like-any-other / v1.0"
            => "gateway.create.expirationTime.effect":
            onward(|asked, sent| if asked.has("expirationTime") { sent.set("expirationTime", "7d") });
        "an initiation payment expires without a notification" in "an-initiation-payment-expires-like-any-other / v2.0"
            => "gateway.notification.expiry":
            push(|_, push| push.times = 0);
        "a language that is not supported goes with an initiation" in "a-language-that-is-not-supported-is-refused-for-any-payment / initiation in v2.0"
            => "gateway.create.lang.enum":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "a category that is not listed goes with an initiation" in "a-category-that-is-not-listed-is-refused-for-any-payment / initiation in v1.0"
            => "gateway.create.category.enum":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "an initiation payment that fails stays pending" in "an-initiation-payment-that-fails-is-cancelled / v1.0"
            => "gateway.payment.failed":
            world(|deed| if deed.action == "payer.fails" { deed.does_not_happen() });
        "an initiation payment fails without a notification" in "an-initiation-payment-that-fails-is-cancelled / v2.0"
            => "gateway.notification.failure":
            push(|_, push| push.times = 0);
        "a paid initiation payment is cancelled" in "a-paid-initiation-payment-is-not-cancelled / v1.0" => "gateway.cancel.paid":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "a paid verification payment is cancelled" in "a-paid-verification-payment-is-not-cancelled / v2.0" => "gateway.cancel.paid":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "any price of an initiation in forints" in "an-initiation-in-forints-ends-with-00 / v2.0" => "gateway.create.price.hundreds.HUF":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "a long label goes with an initiation" in "a-label-too-long-is-refused-for-any-payment / initiation in v1.0"
            => "gateway.create.label.max":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
    }
}

/// Rules that are broken for the other merchant alone.
fn merchants() -> Vec<Break> {
    breaks! {
        "a cancelled payment of another merchant is cancelled again" in "a-payment-is-cancelled-once / of another merchant in v2.0"
            => "gateway.cancel.not-pending":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "a payment of another merchant never expires" in "an-expired-payment-is-not-cancelled / of another merchant in v2.0"
            => "gateway.payment.expired":
            onward(|asked, sent| if asked.has("expirationTime") { sent.set("expirationTime", "7d") });
        "a payment of another merchant is refunded beyond its price"
            in "a-refund-beyond-the-price-is-refused / of another merchant in v1.0" => "gateway.refund.beyond":
            response(|asked, message| if asked.text("amount") == "10001" { message.accept() });
        "another merchant has no lower bound" in "a-price-out-of-bounds-is-refused-for-any-payment / of another merchant in v1.0"
            => "gateway.create.price.min.CZK":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "a merchant in the body owns the payment by redirect" in "a-merchant-in-the-body-of-a-redirect-names-no-shop"
            => "gateway.access.foreign":
            response(|asked, message| if asked.is("v2.status") && asked.is_by_another_merchant() {
                message.accept_status(&asked.text("transId"));
            });
    }
}

fn creations() -> Vec<Break> {
    breaks! {
        "a payment by bank has no upper bound" in "a-price-out-of-bounds-is-refused-for-any-payment / by bank in v1.0"
            => "gateway.create.price.max.CZK":
            response(|asked, message| if asked.text("price") == "100000001" { message.accept_creation() });
        "no lower bound goes with every country" in "a-price-out-of-bounds-is-refused-for-any-payment / in every country in v2.0"
            => "gateway.create.price.min.CZK":
            response(|asked, message| if asked.text("country") == "ALL" { message.accept_creation() });
        "a language that is not supported goes with a pre-authorization"
            in "a-language-that-is-not-supported-is-refused-for-any-payment / pre-authorization in v1.0" => "gateway.create.lang.enum":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "any 3D Secure preference is sent on to be paid"
            in "a-redirect-creation-with-a-wrong-3d-secure-preference-shows-an-error-page" => "gateway.create.redirect.answer":
            response(|asked, message| if asked.text("threeDSPreference") == "NEVER" { message.becomes_a_redirect("/ZZZZ-0000-0001") });
        "a space before the time to pay" in "create-in-v1-holds-its-limits / expirationTime: after a space"
            => "gateway.create.expirationTime.pattern":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "a space after the currency" in "create-in-v2-holds-its-limits / curr: a currency and a space" => "gateway.create.curr.enum":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "a space after the country" in "create-in-v2-holds-its-limits / country: with a space" => "gateway.create.country.enum":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "a long label goes with a pre-authorization" in "a-label-too-long-is-refused-for-any-payment / pre-authorization in v2.0"
            => "gateway.create.label.max":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "a pre-authorization in Swedish crowns has no upper bound" in "a-pre-authorization-in-swedish-crowns-has-a-maximum / v1.0"
            => "gateway.create.price.max.SEK":
            response(|asked, message| if asked.text("price") == "39000001" { message.accept_creation() });
        "no upper bound in zlotys by redirect" in "a-refused-redirect-creation-shows-an-error-page / too many zlotys in v1.0"
            => "gateway.create.redirect.answer":
            response(|asked, message| if asked.text("price") == "17000001" { message.becomes_a_redirect("/ZZZZ-0000-0001") });
        "euros go with CZ by redirect" in "a-refused-redirect-creation-shows-an-error-page / euros in the Czech Republic in v2.0"
            => "gateway.create.redirect.answer":
            response(|asked, message| if asked.text("curr") == "EUR" { message.becomes_a_redirect("/ZZZZ-0000-0001") });
        "an initiation by redirect needs no service"
            in "a-redirect-creation-of-what-the-shop-lacks-shows-an-error-page / v1.0" => "gateway.create.initRecurring.service":
            response(|asked, message| if asked.text("initRecurring") == "true" { message.becomes_a_redirect("/ZZZZ-0000-0001") });
        "any method goes by redirect" in "a-redirect-creation-of-what-the-shop-lacks-shows-an-error-page / v2.0"
            => "gateway.create.code.1308":
            response(|asked, message| if asked.text("method") == "BANK_CZ_RB" { message.becomes_a_redirect("/ZZZZ-0000-0001") });
    }
}

fn attempts() -> Vec<Break> {
    breaks! {
        "the fourth attempt for a recurring payment is the last one" in "a-recurring-payment-is-notified-again / v2.0"
            => "gateway.notification.retry":
            push(four_attempts);
        "what a capture changes is notified once" in CAPTURE => "gateway.notification.unacknowledged":
            push(|_, push| if push.message.get("status") == "PAID" { push.message.status = 200 });
        "no mail says that the attempts for a cancellation failed"
            in "when-every-attempt-for-any-kind-of-payment-fails-the-contacts-are-notified / cancelled in v1.0" => "gateway.notification.retry.mail":
            world(|deed| if deed.action == "merchant.reads-mail" { deed.response = Some(json!({ "count": 0, "mail": [] })) });
        "400 acknowledges a cancellation" in "a-cancellation-is-notified-again / 400 in v1.0" => "gateway.notification.unacknowledged":
            push(|_, push| push.message.status = 200);
    }
}

fn pages() -> Vec<Break> {
    breaks! {
        "a link that is gone after a day" in "the-page-of-a-payment-opens-days-later / v1.0" => "gateway.redirect.lasting":
            response(|asked, message| if asked.is("page") { message.becomes_a_page(404, "<h1>Not found</h1>") });
        "a link that is gone when the payment is authorized" in "the-redirect-of-a-payment-opens-in-every-state / authorized in v2.0"
            => "gateway.redirect.lasting":
            response(|asked, message| if asked.is("page") { message.becomes_a_page(404, "<h1>Not found</h1>") });
        "a link that is gone when the payment is cancelled" in "the-redirect-of-a-payment-opens-in-every-state / cancelled in v1.0"
            => "gateway.redirect.lasting":
            response(|asked, message| if asked.is("page") { message.becomes_a_page(404, "<h1>Not found</h1>") });
        "an initiation payment has no page" in "the-page-of-an-initiation-payment-opens / v2.0" => "gateway.create.initRecurring.redirect":
            response(|asked, message| if asked.is("page") { message.becomes_a_page(404, "<h1>Not found</h1>") });
    }
}

/// What the status shows of a payment, and what becomes of one that has failed or was captured.
fn records() -> Vec<Break> {
    breaks! {
        "the status shows another language" in FURTHER => "gateway.status.further":
            response(|asked, message| if asked.is("v2.status") { message.set("lang", "cs") });
        "the status shows another country" in FURTHER => "gateway.status.further":
            response(|asked, message| if asked.is("v2.status") { message.set("country", "AT") });
        "the status shows no pre-authorization"
            in "further-fields-in-the-status-are-what-was-sent / pre-authorization in v2.0" => "gateway.status.further":
            response(|asked, message| if asked.is("v2.status") { message.set("preauth", false) });
        "a failed payment is cancelled" in "a-failed-payment-is-not-cancelled / production in v1.0" => "gateway.cancel.not-pending":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "what was captured is not refunded" in "what-was-captured-is-refunded-where-it-is-paid / the whole in v1.0"
            => "gateway.refund.full":
            instead(|asked| asked.is("refund").then(|| Message::refusal(asked, 1400)));
        "a GET with the secret in its query reads a payment" in "a-get-with-the-secret-in-its-query-performs-nothing"
            => "gateway.access.no-query":
            response(|asked, message| if !asked.query_parameter("secret").is_empty() { message.raw("code=0&message=OK&status=PENDING") });
        "a refused cancellation leaves its reason" in "a-paid-payment-is-not-cancelled / v1.0" => "gateway.status.paymentErrorReason.only":
            response(|asked, message| if asked.is("cancel") {
                asked.first_time("cancelled");
            } else if asked.is("v2.status") && asked.knows("cancelled") {
                message.set("paymentErrorReason", "ESHOP_CANCELLED");
            });
        "a payment in euros is not cancelled" in "a-pending-payment-is-cancelled / EUR in v2.0" => "gateway.notification.cancellation":
            instead(|asked| asked.is("cancel").then(|| Message::granted(json!({ "code": 0, "message": "OK" }))));
        "a pending payment by redirect is refunded" in "a-payment-created-by-redirect-is-refunded-only-when-paid / v1.0"
            => "gateway.refund.only-paid":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "a cancelled payment by redirect is refunded" in "a-payment-created-by-redirect-is-refunded-only-when-paid / v2.0"
            => "gateway.payment.refund-of-cancelled":
            response(|asked, message| if asked.is("cancel") {
                asked.first_time("cancelled");
            } else if asked.is("refund") && asked.knows("cancelled") {
                message.accept();
            });
        "a cancelled recurring payment is refunded" in "a-cancelled-recurring-payment-is-not-refunded / v1.0"
            => "gateway.payment.refund-of-cancelled":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "a real refund of a test payment by redirect"
            in "a-test-payment-created-by-redirect-is-refunded-by-test-refunds-only / v2.0" => "gateway.refund.test.only":
            response(|asked, message| if asked.text("test") == "false" { message.accept() });
        "a real refund of a recurring test payment" in "a-recurring-payment-is-refunded-like-any-other / v1.0"
            => "gateway.refund.test.only":
            response(|asked, message| if asked.is("refund") && asked.text("test") == "false" { message.accept() });
        "a failed payment by redirect stays pending" in "a-payment-created-by-redirect-that-fails-is-cancelled / v1.0"
            => "gateway.payment.failed":
            world(|deed| if deed.action == "payer.fails" { deed.does_not_happen() });
        "a failed payment by redirect is not notified" in "a-payment-created-by-redirect-that-fails-is-cancelled / v2.0"
            => "gateway.notification.failure":
            push(|_, push| push.times = 0);
        "a rejected pre-authorization by redirect is authorized"
            in "a-payment-created-by-redirect-that-fails-is-cancelled / pre-authorization in v1.0" => "gateway.payment.failed":
            response(|asked, message| if asked.is("v2.status") && message.get("status") == "CANCELLED" {
                message.set("status", "AUTHORIZED");
                message.remove("paymentErrorReason");
            });
        "a second refund in forints need not end with 00" in "a-refund-in-forints-ends-with-00 / v1.0" => "gateway.refund.hundreds.HUF":
            response(|asked, message| if asked.text("amount") == "10100" {
                asked.first_time("refunded");
            } else if asked.is("refund") && asked.knows("refunded") {
                message.accept();
            });
    }
}

/// Rules about what the terminal and the transfers show, kept for most payments.
fn terminal_payments() -> Vec<Break> {
    breaks! {
        "the fee of a payment with a tip is shown at once" in "a-fee-is-not-known-on-its-day" => "terminal.status.fee.next-day":
            response(|asked, message| if asked.is("terminal.status") && message.get("tip") == "1000" && message.get("status") == "PAID" {
                message.set("fee", "150");
            });
        "the fee is shown after a closing" in "a-fee-is-not-known-on-its-day" => "terminal.status.fee.next-day":
            response(|asked, message| if asked.is("closing") {
                asked.first_time("closed");
            } else if asked.is("terminal.status") && asked.knows("closed") {
                message.set("fee", "150");
            });
        "the fee is shown after a return" in "a-returned-amount-is-told-after-a-closing / CZK" => "terminal.status.fee.next-day":
            response(|asked, message| if asked.is("terminal.status") && message.get("amountRefunded") == "2500" { message.set("fee", "150") });
        "the fee is shown after a reversal" in "a-reversal-is-told-by-the-status / CZK" => "terminal.status.fee.next-day":
            response(|asked, message| if asked.is("terminal.status") && message.get("reversed") == "true" { message.set("fee", "150") });
        "the third return is forgotten" in "a-returned-amount-is-told" => "terminal.status.amountRefunded.value":
            response(|asked, message| if asked.is("terminal.status") && message.get("amountRefunded") == "10000" {
                message.set("amountRefunded", "5500");
            });
        "a returned amount lacks the tip" in "a-returned-amount-is-told-after-a-closing / CZK" => "terminal.status.amountRefunded.value":
            response(|asked, message| if asked.is("terminal.status") && message.get("amountRefunded") == "2500" {
                message.set("amountRefunded", "1500");
            });
        "another tip of a rejected payment" in "the-tip-of-a-payment-that-is-over-is-told / CZK" => "terminal.status.tip.value":
            response(|asked, message| if asked.is("terminal.status") && message.get("status") == "CANCELLED" { message.set("tip", 1001) });
        "another tip of a reversed payment" in "the-tip-of-a-payment-that-is-over-is-told / EUR" => "terminal.status.tip.value":
            response(|asked, message| if asked.is("terminal.status") && message.get("reversed") == "true" { message.set("tip", 51) });
        "an e-mail cancels what is closed" in "a-closed-payment-stays-closed / CZK" => "terminal.cancel.closed":
            response(|asked, message| if asked.is("terminal.cancel") && !asked.query_parameter("email").is_empty() { message.accept() });
        "a closing makes a refund of yesterday cancellable" in "a-refund-of-yesterday-is-not-cancelled-after-a-closing"
            => "terminal.refund.cancel.same-day":
            response(|asked, message| if asked.is("refund.cancel") { message.accept() });
        "a refund of two days ago is cancelled" in "a-refund-of-days-ago-is-not-cancelled / two days later"
            => "terminal.refund.cancel.same-day":
            response(|asked, message| if asked.is("refund.cancel") { message.accept() });
        "a terminal that gave up stays busy" in "a-terminal-that-gave-up-is-not-busy" => "terminal.state.BUSY":
            world(|deed| if deed.action == "cardholder.leaves" { remember(deed.memory, "gave up"); }),
            response(|asked, message| if asked.is("state") && asked.knows("gave up") { message.replace("status", "BUSY") });
        "a captured test payment is transferred" in "a-captured-test-payment-is-not-transferred / in full" => "transfers.only-production":
            onward(|asked, sent| if asked.is("v2.create") { sent.set("test", false) }),
            response(|_, message| message.replace("test", "true")),
            push(|_, push| push.message.replace("test", "true"));
        "a test payment by bank is transferred" in "a-test-payment-by-bank-is-not-transferred" => "transfers.only-production":
            onward(|asked, sent| if asked.is("v2.create") { sent.set("test", false) }),
            response(|_, message| message.replace("test", "true")),
            push(|_, push| push.message.replace("test", "true"));
        "a refund in euros reads as crowns" in "money-that-is-refunded-goes-back / of a part in euros" => "transfers.detail.currency.value":
            response(|asked, message| if asked.is("transfers.detail") {
                message.each(|item| if item["Potvrzená částka"] == "-40,00" { item["Měna"] = json!("CZK") });
            });
        "a payment in euros has no payer" in "the-detail-of-a-payment-in-euros-repeats-what-was-sent" => "transfers.detail.email.value":
            response(|asked, message| if asked.is("transfers.detail") { message.each(|item| item["E-mail plátce"] = json!("")) });
    }
}
