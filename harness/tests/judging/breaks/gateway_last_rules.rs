//! Lies of the gateway about series, wallets, surcharges and notifications that other calls overtake.

use super::Break;
use crate::support::proxy::{Memory, Message, ObservedRequest, Push, WorldAction, remember};

pub fn all() -> Vec<Break> {
    [products(), wallets(), surcharges(), overtaken(), reasons(), kinds(), others()].into_iter().flatten().collect()
}

const PRODUCTS: &str = "a-recurring-payment-has-a-product-of-its-own";

/// Takes the product of a recurring payment for that of its initiation.
fn as_initiated(asked: &ObservedRequest<'_>, sent: &mut Message) {
    if asked.is("create") {
        asked.note("product", asked.text("name"));
    } else if asked.is("recurring") {
        sent.set("name", asked.recall("product"));
    }
}

fn products() -> Vec<Break> {
    breaks! {
        "a recurring payment is notified with the product of its initiation" in "a-recurring-payment-has-a-product-of-its-own / v1.0"
            => "gateway.notification.name.value":
            onward(as_initiated);
        "a recurring production payment is notified with the product of its initiation"
            in "a-recurring-payment-has-a-product-of-its-own / production in v2.0" => "gateway.notification.name.value":
            onward(as_initiated);
        "the status of a recurring payment shows the product of its initiation" in PRODUCTS => "gateway.status.name.value":
            response(|asked, message| if asked.is("v2.status") && message.get("name") == "ball-42" { message.set("name", "ball-41") });
        "the initiation shows the product of the last recurring payment" in PRODUCTS => "gateway.status.name.value":
            response(|asked, message| if asked.is("recurring") {
                asked.note("product", asked.text("name"));
            } else if asked.is("v2.status") && message.get("name") == "ball-41" && asked.knows("product") {
                message.set("name", asked.recall("product"));
            });
    }
}

fn wallets() -> Vec<Break> {
    breaks! {
        "the expiry of the card in Apple Pay in the notification"
            in "an-initiation-payment-by-a-wallet-tells-no-card-expiry / Apple Pay in v1.0" => "gateway.notification.card":
            push(|_, push| push.message.set("cardValid", "12/29"));
        "the expiry of the card in Google Pay" in "an-initiation-payment-by-a-wallet-tells-no-card-expiry / Google Pay in v1.0"
            => "gateway.status.card":
            response(|asked, message| if asked.is("v2.status") { message.set("cardValid", "12/29") });
    }
}

/// Adds a surcharge to what the status shows.
fn surcharged(asked: &ObservedRequest<'_>, message: &mut Message) {
    if asked.is("v2.status") {
        message.set("appliedFee", 120);
        message.set("appliedFeeType", "NON_EU_CONSUMER");
    }
}

fn surcharges() -> Vec<Break> {
    breaks! {
        "a surcharge that was turned off" in "a-surcharge-that-is-turned-off-is-not-applied / v2.0"
            => "gateway.create.chargeUnregulatedCardFees.off":
            response(surcharged);
        "a surcharge of a production payment that was turned off"
            in "a-surcharge-that-is-turned-off-is-not-applied / production in v1.0" => "gateway.create.chargeUnregulatedCardFees.off":
            response(surcharged);
        "a surcharge that was turned off in the notification" in "a-surcharge-that-is-turned-off-is-not-applied / v1.0"
            => "gateway.create.chargeUnregulatedCardFees.off":
            push(|_, push| {
                push.message.set("appliedFee", 120);
                push.message.set("appliedFeeType", "NON_EU_CONSUMER");
            });
        "a surcharge that was turned off shows once the payment is refunded"
            in "a-surcharge-that-is-turned-off-is-not-applied / production in v2.0" => "gateway.create.chargeUnregulatedCardFees.off":
            response(|asked, message| if asked.is("refund") {
                asked.first_time("refunded");
            } else if asked.knows("refunded") {
                surcharged(asked, message);
            });
    }
}

/// Takes every attempt but the first for an acknowledged one, and delivers none of them.
fn only_the_first(memory: &Memory, push: &mut Push) {
    if !remember(memory, "notified") {
        push.times = 0;
        push.message.status = 200;
    }
}

fn overtaken() -> Vec<Break> {
    breaks! {
        "a payment that was refunded in part is not notified again" in "a-payment-that-was-refunded-is-notified-again / a part in v1.0"
            => "gateway.notification.unacknowledged":
            push(only_the_first);
        "a payment that was refunded is not notified again" in "a-payment-that-was-refunded-is-notified-again / the whole in v2.0"
            => "gateway.notification.unacknowledged":
            push(only_the_first);
        "a payment that had a test refund is not notified again" in "a-payment-that-was-refunded-is-notified-again / a test in v2.0"
            => "gateway.notification.unacknowledged":
            push(only_the_first);
        "a payment that was refunded is notified again with what is left of its price"
            in "a-payment-that-was-refunded-is-notified-again / a part in v2.0" => "gateway.notification.price.value":
            push(|memory, push| if !remember(memory, "notified") { push.message.replace("price", "6000") });
        "an authorization is not notified again once a capture was refused"
            in "an-authorization-is-notified-again-after-a-refused-capture / v1.0" => "gateway.notification.unacknowledged":
            push(only_the_first);
        "a production authorization is not notified again once a capture was refused"
            in "an-authorization-is-notified-again-after-a-refused-capture / production in v2.0" => "gateway.notification.unacknowledged":
            push(only_the_first);
    }
}

fn reasons() -> Vec<Break> {
    breaks! {
        "a production payment by redirect that failed shows another reason"
            in "a-payment-created-by-redirect-that-fails-is-cancelled / production in v1.0" => "gateway.status.paymentErrorReason.value":
            everywhere(|message| message.replace("paymentErrorReason", "UNAVAILABLE"));
        "a rejected production pre-authorization by redirect is notified with another reason"
            in "a-payment-created-by-redirect-that-fails-is-cancelled / production pre-authorization in v2.0"
            => "gateway.notification.paymentErrorReason.value":
            push(|_, push| push.message.replace("paymentErrorReason", "UNAVAILABLE"));
    }
}

const VERIFIED: &str = "a-recurring-payment-of-a-verification-moves-its-own-money";

/// Rules kept for some payments, and not for those of other currencies, payers and series.
fn kinds() -> Vec<Break> {
    breaks! {
        "a paid payment in pounds is cancelled" in "a-paid-payment-is-not-cancelled / GBP in v1.0" => "gateway.cancel.paid":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "a paid payment in lei is cancelled" in "a-paid-payment-is-not-cancelled / RON in v2.0" => "gateway.cancel.paid":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "a paid production payment in forints is cancelled" in "a-paid-payment-is-not-cancelled / production in HUF in v1.0"
            => "gateway.cancel.paid":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "a paid payment without e-mail is cancelled" in "a-payment-by-phone-alone-holds-the-same-limits / test in v1.0"
            => "gateway.cancel.paid":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "an unpaid payment without e-mail is refunded" in "a-payment-by-phone-alone-holds-the-same-limits / production in v2.0"
            => "gateway.refund.only-paid":
            response(|asked, message| if asked.text("amount") == "100" && !asked.first_time("of a cancelled one") { message.accept() });
        "refunds to a payer without e-mail are not added up" in "a-payment-by-phone-alone-holds-the-same-limits / production in v1.0"
            => "gateway.refund.sum":
            response(|asked, message| if asked.text("amount") == "6001" { message.accept() });
        "a cancelled payment without e-mail is refunded" in "a-payment-by-phone-alone-holds-the-same-limits / test in v2.0"
            => "gateway.payment.refund-of-cancelled":
            response(|asked, message| if asked.text("amount") == "100" { message.accept() });
        "a test payment without e-mail has a real refund" in "a-test-payment-by-phone-alone-is-not-really-refunded / v2.0"
            => "gateway.refund.test.only":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "a recurring payment of a verification is cancelled" in VERIFIED => "gateway.cancel.paid":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "a recurring payment of a verification is captured" in VERIFIED => "gateway.capturePreauth.only-authorized":
            response(|asked, message| if asked.is("capturePreauth") { message.accept() });
        "a recurring payment of a verification is refunded beyond its price" in VERIFIED => "gateway.refund.beyond":
            response(|asked, message| if asked.text("amount") == "20001" { message.accept() });
        "refunds of a recurring payment of a verification are not added up" in VERIFIED => "gateway.refund.sum":
            response(|asked, message| if asked.text("amount") == "14001" { message.accept() });
        "a recurring payment is refunded up to the price of its verification" in VERIFIED => "gateway.refund.partial":
            response(|asked, message| if asked.text("amount") == "6000" { message.refuse(1402) });
    }
}

const OVER: &str = "a-cancelled-payment-by-bank-or-of-another-merchant-is-over";
const OTHERS: &str = "a-test-payment-of-another-merchant-is-not-really-refunded";

/// Remembers that the payer came late.
fn pays_late(deed: &mut WorldAction<'_>) {
    if deed.action == "payer.pays-late" {
        remember(deed.memory, "came late");
    }
}

/// Takes a payment whose payer came late for a paid one.
fn paid_late(asked: &ObservedRequest<'_>, message: &mut Message) {
    if asked.is("v2.status") && asked.knows("came late") {
        message.set("status", "PAID");
        message.remove("paymentErrorReason");
    }
}

/// Payments by bank and those of another merchant, and what another merchant may not see.
fn others() -> Vec<Break> {
    breaks! {
        "a payer pays late by bank" in "a-cancelled-payment-by-bank-or-of-another-merchant-is-over / by bank in v1.0"
            => "gateway.payment.states":
            world(pays_late), response(paid_late);
        "a payer pays another merchant late"
            in "a-cancelled-payment-by-bank-or-of-another-merchant-is-over / production of another merchant in v2.0"
            => "gateway.payment.states":
            world(pays_late), response(paid_late);
        "a cancelled payment by bank or of another merchant is refunded" in OVER => "gateway.payment.refund-of-cancelled":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "a cancelled payment of another merchant is cancelled again"
            in "a-cancelled-payment-by-bank-or-of-another-merchant-is-over / of another merchant in v1.0" => "gateway.cancel.not-pending":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "a test payment of another merchant has a real refund" in OTHERS => "gateway.refund.test.only":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "an ordinary payment of another merchant is captured" in OTHERS => "gateway.capturePreauth.only-authorized":
            response(|asked, message| if asked.is("capturePreauth") { message.accept() });
        "a foreign payment by bank is read" in "a-foreign-payment-by-bank-is-closed / v2.0" => "gateway.access.foreign":
            response(|asked, message| if asked.is("v2.status") && asked.is_by_another_merchant() {
                message.accept_status(&asked.text("transId"));
            });
        "a foreign payment by bank is refunded" in "a-foreign-payment-by-bank-is-closed / v1.0" => "gateway.access.foreign":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "a foreign payment by redirect is refunded" in "a-foreign-payment-created-by-redirect-is-closed / v2.0" => "gateway.access.foreign":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "a foreign payment by redirect is cancelled" in "a-foreign-payment-created-by-redirect-is-closed / v1.0"
            => "gateway.cancel.unauthorized":
            response(|asked, message| if asked.is("cancel") { message.accept() });
    }
}
