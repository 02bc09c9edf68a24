//! Lies of the gateway about what comes afterwards: days after an end, after a capture or a refund, on a second attempt; and about
//! kinds of payments, currencies and versions that no scenario visited there.

use serde_json::{Value, json};

use super::Break;
use crate::support::proxy::{Memory, Message, ObservedRequest, Push, WorldAction, remember};

pub fn all() -> Vec<Break> {
    [
        ends(),
        redirects_that_ended(),
        cancellations(),
        captured_refunds(),
        refunds(),
        pending_reservations(),
        records(),
        fees(),
        mails(),
        acknowledgements(),
        expiries(),
        creations(),
        foreigners(),
        versions(),
        captures(),
        lasting(),
        currencies(),
        recurring(),
        terminal_refunds(),
        strangers_bugs(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Remembers that days have passed.
fn days_pass(deed: &mut WorldAction<'_>) {
    if deed.action == "clock.advances" && deed.with.get("seconds").and_then(Value::as_u64).is_some_and(|seconds| seconds > 86_400) {
        remember(deed.memory, "days later");
    }
}

/// Remembers that the payer came late.
fn pays_late(deed: &mut WorldAction<'_>) {
    if deed.action == "payer.pays-late" {
        remember(deed.memory, "came late");
    }
}

/// Shows a payment that was cancelled for this reason as one in another state, once something has happened.
fn revived(asked: &ObservedRequest<'_>, message: &mut Message, since: &str, reason: &str, state: &str) {
    if asked.is("status") && asked.knows(since) && message.get("paymentErrorReason") == reason {
        message.set("status", state);
        message.remove("paymentErrorReason");
    }
}

/// Takes the attempt of this number for an acknowledged one.
fn acknowledged_at(memory: &Memory, push: &mut Push, number: usize) {
    let mut memory = memory.lock().unwrap();
    let attempts = memory.entry("attempts".to_owned()).or_default();
    attempts.push('|');
    if attempts.len() == number {
        push.message.status = 200;
    }
}

/// Remembers which payment was notified.
fn notified(memory: &Memory, push: &mut Push) {
    memory.lock().unwrap().insert("notified".to_owned(), push.message.get("transId"));
}

/// Reports to the merchant that all attempts for the payment have failed.
fn reports_a_failure(deed: &mut WorldAction<'_>) {
    let id = deed.memory.lock().unwrap().get("notified").cloned();
    let mail = json!({ "to": ["payments@example.com"], "kind": "notification-given-up", "transId": id, "attempts": 500 });
    deed.response = Some(json!({ "count": 1, "mail": [mail] }));
}

/// What was over is shown in another state later.
fn ends() -> Vec<Break> {
    breaks! {
        "what the payer gave up is paid days later" in "what-is-over-stays-cancelled-days-later / v1.0" => "gateway.payment.states":
            world(days_pass), response(|asked, message| revived(asked, message, "days later", "CUSTOMER_CLICK", "PAID"));
        "a production payment is paid days after it expired" in "what-is-over-stays-cancelled-days-later / production in v2.0"
            => "gateway.payment.states":
            world(days_pass), response(|asked, message| revived(asked, message, "days later", "CUSTOMER_TIMEOUT", "PAID"));
        "a production payment is paid days after the merchant cancelled it"
            in "what-is-over-stays-cancelled-days-later / production in v1.0" => "gateway.payment.states":
            world(days_pass), response(|asked, message| revived(asked, message, "days later", "ESHOP_CANCELLED", "PAID"));
        "a pre-authorization that was given up is authorized days later"
            in "what-is-over-stays-cancelled-days-later / pre-authorization in v2.0" => "gateway.payment.states":
            world(days_pass), response(|asked, message| revived(asked, message, "days later", "CUSTOMER_CLICK", "AUTHORIZED"));
        "the status in v1.0 shows what failed as paid days later" in "what-is-over-stays-cancelled-days-later / v2.0"
            => "gateway.payment.states":
            world(days_pass), response(|asked, message| if asked.is("v1.status") {
                revived(asked, message, "days later", "NO_FUNDS", "PAID");
            });
        "what is over is refunded days later" in "what-is-over-stays-cancelled-days-later / production in v1.0"
            => "gateway.payment.refund-of-cancelled":
            world(days_pass), response(|asked, message| if asked.is("refund") && asked.knows("days later") { message.accept() });
        "a payer pays the production payment that was given up" in "what-the-payer-gave-up-is-not-paid / production in v1.0"
            => "gateway.payment.states":
            world(pays_late), response(|asked, message| revived(asked, message, "came late", "CUSTOMER_CLICK", "PAID"));
        "a payer reserves what was given up" in "what-the-payer-gave-up-is-not-paid / pre-authorization in v2.0"
            => "gateway.payment.states":
            world(pays_late), response(|asked, message| revived(asked, message, "came late", "CUSTOMER_CLICK", "AUTHORIZED"));
    }
}

fn redirects_that_ended() -> Vec<Break> {
    breaks! {
        "a payment by redirect is paid days after it was cancelled" in "a-payment-created-by-redirect-stays-cancelled-days-later / v1.0"
            => "gateway.payment.states":
            world(days_pass), response(|asked, message| revived(asked, message, "days later", "ESHOP_CANCELLED", "PAID"));
        "a production payment by redirect is paid days after it expired"
            in "a-payment-created-by-redirect-stays-cancelled-days-later / production in v2.0" => "gateway.payment.states":
            world(days_pass), response(|asked, message| revived(asked, message, "days later", "CUSTOMER_TIMEOUT", "PAID"));
        "what expired by redirect is refunded days later" in "a-payment-created-by-redirect-stays-cancelled-days-later / production in v1.0"
            => "gateway.payment.refund-of-cancelled":
            world(days_pass), response(|asked, message| if asked.is("refund") && asked.knows("days later") { message.accept() });
        "a payer pays what was given up by redirect" in "a-payment-created-by-redirect-that-was-given-up-is-over / v2.0"
            => "gateway.payment.states":
            world(pays_late), response(|asked, message| revived(asked, message, "came late", "CUSTOMER_CLICK", "PAID"));
        "what was given up by redirect is captured"
            in "a-payment-created-by-redirect-that-was-given-up-is-over / pre-authorization in v1.0"
            => "gateway.capturePreauth.only-authorized":
            response(|asked, message| if asked.is("capturePreauth") { message.accept() });
        "what was given up by redirect is cancelled again"
            in "a-payment-created-by-redirect-that-was-given-up-is-over / production in v2.0" => "gateway.cancel.not-pending":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "what was given up by redirect is refunded"
            in "a-payment-created-by-redirect-that-was-given-up-is-over / production in v1.0" => "gateway.payment.refund-of-cancelled":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "what was given up by redirect shows another reason" in "a-payment-created-by-redirect-that-was-given-up-is-over / v1.0"
            => "gateway.notification.paymentErrorReason.value":
            everywhere(|message| message.replace("paymentErrorReason", "UNAVAILABLE"));
    }
}

/// What is not pending, and cancelled.
fn cancellations() -> Vec<Break> {
    breaks! {
        "what was captured in part is cancelled" in "what-was-captured-is-not-cancelled / a part in v1.0" => "gateway.cancel.not-pending":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "what was captured of a production payment is cancelled"
            in "what-was-captured-is-not-cancelled / the whole in production in v2.0" => "gateway.cancel.not-pending":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "what was captured in part in euros is cancelled" in "what-was-captured-is-not-cancelled / a part in EUR in v1.0"
            => "gateway.cancel.not-pending":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "a refused cancellation cancels what was captured" in "what-was-captured-is-not-cancelled / a part in production in v1.0"
            => "gateway.cancel.not-pending":
            response(|asked, message| if asked.is("cancel") {
                asked.first_time("cancelled");
            } else if asked.is("v2.status") && asked.knows("cancelled") {
                message.set("status", "CANCELLED");
            });
        "what was refunded in part is cancelled" in "gateway / a-refunded-payment-is-not-cancelled / a part in v2.0"
            => "gateway.cancel.paid":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "what was refunded in forints is cancelled" in "gateway / a-refunded-payment-is-not-cancelled / HUF in v2.0"
            => "gateway.cancel.paid":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "what had a test refund is cancelled" in "gateway / a-refunded-payment-is-not-cancelled / a test in v1.0"
            => "gateway.cancel.paid":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "a recurring production payment is cancelled"
            in "refunds-of-a-recurring-payment-are-counted-in-every-currency / EUR in v2.0" => "gateway.cancel.paid":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "a recurring payment that was refunded is cancelled"
            in "refunds-of-a-recurring-payment-are-counted-in-every-currency / PLN in v2.0" => "gateway.cancel.paid":
            response(|asked, message| if asked.is("refund") && message.succeeds() {
                asked.first_time("refunded");
            } else if asked.is("cancel") && asked.knows("refunded") {
                message.accept();
            });
        "a production payment by redirect is not cancelled" in "a-payment-created-by-redirect-is-cancelled / production in v1.0"
            => "gateway.cancel.pending":
            instead(|asked| asked.is("cancel").then(|| Message::refusal(asked, 1400)));
        "a pre-authorization by redirect is cancelled without a notification"
            in "a-payment-created-by-redirect-is-cancelled / pre-authorization in v2.0" => "gateway.notification.cancellation":
            push(|_, push| push.times = 0);
    }
}

/// More is given back than was taken.
fn captured_refunds() -> Vec<Break> {
    breaks! {
        "what was captured in euros is refunded beyond its price"
            in "a-captured-payment-is-not-refunded-beyond-its-price / EUR in v1.0" => "gateway.refund.beyond":
            response(|asked, message| if asked.text("amount") == "1051" { message.accept() });
        "refunds of what was captured in euros are not added up"
            in "a-captured-payment-is-not-refunded-beyond-its-price / EUR in v2.0" => "gateway.refund.sum":
            response(|asked, message| if asked.text("amount") == "601" { message.accept() });
        "refunds of what was captured in forints are not added up"
            in "a-captured-payment-is-not-refunded-beyond-its-price / HUF in v1.0" => "gateway.refund.sum":
            response(|asked, message| if asked.text("amount") == "150100" { message.accept() });
        "a refund of what was captured in dollars is refused"
            in "a-captured-payment-is-not-refunded-beyond-its-price / USD in v2.0" => "gateway.refund.partial":
            instead(|asked| (asked.is("refund") && asked.text("amount") == "999").then(|| Message::refusal(asked, 1402)));
        "more is given back than was captured in euros" in "a-refund-beyond-the-captured-amount-is-refused / EUR in v2.0"
            => "gateway.refund.beyond.captured":
            response(|asked, message| if asked.text("amount") == "4001" { message.accept() });
        "refunds of a part that was captured are not added up"
            in "a-refund-beyond-the-captured-amount-is-refused / production in v1.0" => "gateway.refund.beyond.captured":
            response(|asked, message| if asked.text("amount") == "1001" { message.accept() });
        "what was captured in forints is refunded by the fillér" in "a-refund-of-a-captured-payment-in-forints-ends-with-00 / v1.0"
            => "gateway.refund.hundreds.HUF":
            response(|asked, message| if asked.text("amount") == "10050" { message.accept() });
        "a refused refund in forints is counted" in "a-refund-of-a-captured-payment-in-forints-ends-with-00 / v2.0"
            => "gateway.refund.full":
            instead(|asked| (asked.is("refund") && asked.text("amount") == "250000").then(|| Message::refusal(asked, 1402)));
    }
}

fn refunds() -> Vec<Break> {
    breaks! {
        "a recurring payment in forints is refunded by the fillér"
            in "a-refund-of-a-recurring-payment-in-forints-ends-with-00 / v2.0" => "gateway.refund.hundreds.HUF":
            response(|asked, message| if asked.text("amount") == "10001" { message.accept() });
        "an initiation in forints is refunded by the fillér"
            in "a-refund-of-a-recurring-payment-in-forints-ends-with-00 / test in v1.0" => "gateway.refund.hundreds.HUF":
            response(|asked, message| if asked.text("amount") == "10050" && asked.first_time("of the initiation") { message.accept() });
        "a recurring payment in euros is refunded beyond its price"
            in "refunds-of-a-recurring-payment-are-counted-in-every-currency / EUR in v1.0" => "gateway.refund.beyond":
            response(|asked, message| if asked.text("amount") == "1051" { message.accept() });
        "refunds of a recurring payment in dollars are not added up"
            in "refunds-of-a-recurring-payment-are-counted-in-every-currency / USD in v1.0" => "gateway.refund.sum":
            response(|asked, message| if asked.text("amount") == "2599" { message.accept() });
        "a payment by redirect in forints is refunded by the fillér"
            in "a-refund-of-a-payment-created-by-redirect-in-forints-ends-with-00 / v1.0" => "gateway.refund.hundreds.HUF":
            response(|asked, message| if asked.text("amount") == "10050" { message.accept() });
        "refunds by redirect in forints are not added up"
            in "a-refund-of-a-payment-created-by-redirect-in-forints-ends-with-00 / v2.0" => "gateway.refund.sum":
            response(|asked, message| if asked.text("amount") == "100" { message.accept() });
        "a verification payment that waits is refunded" in "a-verification-payment-is-refunded-only-when-paid / v1.0"
            => "gateway.refund.only-paid":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "a cancelled verification payment is refunded" in "a-verification-payment-is-refunded-only-when-paid / production in v2.0"
            => "gateway.payment.refund-of-cancelled":
            response(|asked, message| if asked.is("cancel") {
                asked.first_time("cancelled");
            } else if asked.is("refund") && asked.knows("cancelled") {
                message.accept();
            });
        "a verification payment is refunded beyond its price"
            in "a-verification-payment-is-refunded-only-when-paid / production in v1.0" => "gateway.refund.beyond":
            response(|asked, message| if asked.text("amount") == "10001" { message.accept() });
    }
}

/// What was never reserved by redirect, and is captured or released.
fn pending_reservations() -> Vec<Break> {
    breaks! {
        "what waits for its card by redirect is captured"
            in "a-pending-pre-authorization-by-redirect-is-neither-captured-nor-released / v1.0"
            => "gateway.capturePreauth.only-authorized":
            response(|asked, message| if asked.is("capturePreauth") { message.accept() });
        "what waits for its card by redirect is captured without an amount"
            in "a-pending-pre-authorization-by-redirect-is-neither-captured-nor-released / production in v1.0"
            => "gateway.capturePreauth.only-authorized":
            response(|asked, message| if asked.is("capturePreauth") && !asked.has("amount") { message.accept() });
        "what waits for its card by redirect is released"
            in "a-pending-pre-authorization-by-redirect-is-neither-captured-nor-released / v2.0"
            => "gateway.cancelPreauth.only-authorized":
            response(|asked, message| if asked.is("cancelPreauth") { message.accept() });
        "a reservation that was cancelled by redirect is captured"
            in "a-pending-pre-authorization-by-redirect-is-neither-captured-nor-released / production in v2.0"
            => "gateway.capturePreauth.only-authorized":
            response(|asked, message| if asked.is("cancel") {
                asked.first_time("cancelled");
            } else if asked.is("capturePreauth") && asked.knows("cancelled") {
                message.accept();
            });
    }
}

/// What the status shows of a payment that was created by redirect.
fn records() -> Vec<Break> {
    breaks! {
        "a paid payment by redirect has a reason of a rejection" in "a-payment-created-by-redirect-tells-no-rejection / v2.0"
            => "gateway.status.paymentErrorReason.only":
            response(|asked, message| if asked.is("v2.status") && message.get("status") == "PAID" {
                message.set("paymentErrorReason", "NOT_SPECIFIED");
            });
        "a payment by redirect is notified with a reason of a rejection" in "a-payment-created-by-redirect-tells-no-rejection / v1.0"
            => "gateway.notification.paymentErrorReason.only":
            push(|_, push| push.message.set("paymentErrorReason", "NOT_SPECIFIED"));
        "a pending payment by redirect has a reason of a rejection"
            in "a-payment-created-by-redirect-tells-no-rejection / authorized in v2.0" => "gateway.status.paymentErrorReason.only":
            response(|asked, message| if asked.is("v2.status") && message.get("status") == "PENDING" {
                message.set("paymentErrorReason", "NOT_SPECIFIED");
            });
        "a reservation by redirect shows its card" in "a-payment-created-by-redirect-tells-no-rejection / authorized in v1.0"
            => "gateway.status.card":
            response(|asked, message| if asked.is("v2.status") && message.get("status") == "AUTHORIZED" {
                message.set("cardNumber", "411111******1111");
            });
        "a payment by redirect and bank has a surcharge" in "a-payment-created-by-redirect-by-bank-tells-no-card / v1.0"
            => "gateway.status.appliedFee.only":
            response(|asked, message| if asked.is("v2.status") && message.get("status") == "PAID" { message.set("appliedFee", 150) });
        "a payment by redirect and bank has a 3D Secure preference"
            in "a-payment-created-by-redirect-by-bank-tells-no-card / v2.0" => "gateway.status.threeDSPreference.setting":
            response(|asked, message| if asked.is("v2.status") && message.get("status") == "PAID" {
                message.set("threeDSPreference", "STANDARD");
                message.set("threeDSApplied", true);
            });
        "a payment by redirect was paid by somebody else" in "a-payment-created-by-redirect-by-bank-tells-no-card / v2.0"
            => "gateway.status.payerName.value":
            everywhere(|message| {
                message.replace("payerName", "Zdislava Cizí");
                message.replace("payer_name", "Zdislava Cizí");
            });
        "another 3D Secure preference after a capture"
            in "the-3d-secure-preference-of-a-captured-payment-stays / STANDARD captured" => "gateway.status.threeDSPreference.setting":
            response(|asked, message| if asked.is("capturePreauth") {
                asked.first_time("captured");
            } else if asked.is("v2.status") && asked.knows("captured") {
                message.replace("threeDSPreference", "FORCE");
            });
        "3D Secure is applied or not as of the capture"
            in "the-3d-secure-preference-of-a-captured-payment-stays / FORCE captured by v1.0"
            => "gateway.status.threeDSApplied.together":
            response(|asked, message| if asked.is("capturePreauth") {
                asked.first_time("captured");
            } else if asked.is("v2.status") && asked.knows("captured") {
                let other = message.get("threeDSApplied") != "true";
                message.replace("threeDSApplied", other);
            });
    }
}

fn fees() -> Vec<Break> {
    breaks! {
        "another fee of a production payment by redirect" in "the-fee-of-a-payment-created-by-redirect-is-told / production in v1.0"
            => "gateway.status.fee.set":
            everywhere(|message| message.replace("fee", "151"));
        "a fee of a payment by redirect that is not deducted"
            in "without-deduction-the-fee-of-a-redirect-creation-is-unknown / cancelled in v2.0" => "gateway.status.fee.unknown":
            everywhere(|message| if message.get("status") == "CANCELLED" { message.replace("fee", "150") });
        "a fee of a payment by redirect that waits"
            in "without-deduction-the-fee-of-a-redirect-creation-is-unknown / paid in v1.0" => "gateway.status.fee.unknown":
            response(|asked, message| if asked.is("v2.status") && message.get("status") == "PENDING" { message.replace("fee", "150") });
    }
}

fn mails() -> Vec<Break> {
    breaks! {
        "a mail says after 500 attempts that all have failed" in "no-error-mail-before-a-notification-was-attempted-1000-times"
            => "gateway.notification.retry.mail":
            push(notified), world(|deed| if deed.action == "merchant.reads-mail" { reports_a_failure(deed) });
        "a mail says that all attempts have failed though one was acknowledged"
            in "no-error-mail-while-attempts-are-left / cancelled in v1.0" => "gateway.notification.retry.mail":
            push(notified), world(|deed| if deed.action == "merchant.reads-mail" && !remember(deed.memory, "read before") {
                reports_a_failure(deed);
            });
        "no mail says that the attempts for a verification payment failed"
            in "when-every-attempt-for-any-kind-of-payment-fails-the-contacts-are-notified / verification in v2.0" => "gateway.notification.retry.mail":
            world(|deed| if deed.action == "merchant.reads-mail" { deed.response = Some(json!({ "count": 0, "mail": [] })) });
        "the tenth attempt for a production payment that was given up is the last one"
            in "when-every-attempt-for-any-kind-of-payment-fails-the-contacts-are-notified / production given up in v1.0"
            => "gateway.notification.retry":
            push(|memory, push| acknowledged_at(memory, push, 10));
        "a mail says that the attempts for an authorization failed early"
            in "no-error-mail-while-attempts-are-left / authorized in v2.0" => "gateway.notification.retry.mail":
            push(notified), world(|deed| if deed.action == "merchant.reads-mail" { reports_a_failure(deed) });
    }
}

/// Responses that acknowledge payments of one kind alone, or do not.
fn acknowledgements() -> Vec<Break> {
    breaks! {
        "206 acknowledges a verification payment" in "no-other-answer-acknowledges-a-payment-of-any-kind / verification in v1.0"
            => "gateway.notification.unacknowledged":
            push(|memory, push| acknowledged_at(memory, push, 1));
        "302 acknowledges a verification payment that was given up"
            in "no-other-answer-acknowledges-a-payment-of-any-kind / verification given up in v2.0" => "gateway.notification.retry":
            push(|memory, push| acknowledged_at(memory, push, 2));
        "401 acknowledges an initiation payment" in "no-other-answer-acknowledges-a-payment-of-any-kind / initiation in v2.0"
            => "gateway.notification.retry":
            push(|memory, push| acknowledged_at(memory, push, 3));
        "203 acknowledges a production payment that was given up"
            in "no-other-answer-acknowledges-a-payment-of-any-kind / production given up in v1.0" => "gateway.notification.retry":
            push(|memory, push| acknowledged_at(memory, push, 4));
        "302 acknowledges a production pre-authorization"
            in "no-other-answer-acknowledges-a-payment-of-any-kind / production pre-authorization in v2.0"
            => "gateway.notification.retry":
            push(|memory, push| acknowledged_at(memory, push, 2));
        "206 acknowledges a recurring production payment" in "no-other-answer-acknowledges-a-recurring-payment / production in v2.0"
            => "gateway.notification.unacknowledged":
            push(|memory, push| acknowledged_at(memory, push, 2)); // the first one is of its initiation
        "302 acknowledges a recurring payment" in "no-other-answer-acknowledges-a-recurring-payment / v1.0"
            => "gateway.notification.retry":
            push(|memory, push| acknowledged_at(memory, push, 3));
        "302 acknowledges a payment by redirect" in "no-other-answer-acknowledges-a-payment-created-by-redirect / v2.0"
            => "gateway.notification.retry":
            push(|memory, push| acknowledged_at(memory, push, 2));
        "a verification payment is notified again after 200"
            in "an-acknowledged-notification-of-any-kind-is-not-sent-again / verification in v2.0"
            => "gateway.notification.acknowledged.200":
            push(|_, push| push.message.status = 500);
        "a production payment that was given up is notified again after 200"
            in "an-acknowledged-notification-of-any-kind-is-not-sent-again / production given up in v1.0"
            => "gateway.notification.acknowledged.200":
            push(|_, push| push.message.status = 500);
    }
}

/// Times to pay that are taken for others.
fn expiries() -> Vec<Break> {
    breaks! {
        "minutes lose their fourth digit" in "an-unpaid-payment-expires-by-its-own-time / 1440m in v2.0"
            => "gateway.create.expirationTime.effect":
            onward(|_, sent| if sent.get("expirationTime") == "1440m" { sent.set("expirationTime", "144m") });
        "a production payment expires within a day" in "an-unpaid-payment-expires-by-its-own-time / 7d in production in v2.0"
            => "gateway.create.expirationTime.effect":
            onward(|_, sent| sent.replace("expirationTime", "1d"));
        "a verification payment takes days for hours"
            in "a-payment-of-any-kind-expires-by-its-own-time / verification of 2d in v2.0" => "gateway.create.expirationTime.effect":
            onward(|_, sent| sent.replace("expirationTime", "2h"));
        "an initiation loses a digit of its minutes" in "a-payment-of-any-kind-expires-by-its-own-time / initiation of 1500m in v1.0"
            => "gateway.create.expirationTime.effect":
            onward(|_, sent| sent.replace("expirationTime", "150m"));
        "a pre-authorization waits for a day at most"
            in "a-payment-of-any-kind-expires-by-its-own-time / pre-authorization of 7d in v1.0"
            => "gateway.create.expirationTime.effect":
            onward(|_, sent| sent.replace("expirationTime", "1d"));
        "an initiation that expires shows another reason" in "a-payment-of-any-kind-expires-by-its-own-time / initiation of 48h in v2.0"
            => "gateway.status.paymentErrorReason.value":
            everywhere(|message| message.replace("paymentErrorReason", "ACS_TIMEOUT"));
        "a production payment by redirect takes days for hours"
            in "a-payment-created-by-redirect-expires-by-its-own-time / production in v1.0" => "gateway.create.expirationTime.effect":
            onward(|_, sent| sent.replace("expirationTime", "2h"));
        "what expired by redirect shows another reason" in "a-payment-created-by-redirect-expires-by-its-own-time / 7d in v1.0"
            => "gateway.status.paymentErrorReason.value":
            everywhere(|message| message.replace("paymentErrorReason", "UNAVAILABLE"));
    }
}

/// Limits of initiations and verification payments.
fn creations() -> Vec<Break> {
    breaks! {
        "an initiation in Swedish crowns has no upper bound"
            in "an-initiation-in-v1-holds-its-limits / price: above its maximum 39000000 (SEK)" => "gateway.create.price.max.SEK":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "an initiation in lei has no lower bound" in "an-initiation-in-v2-holds-its-limits / price: below its minimum 500 (RON)"
            => "gateway.create.price.min.RON":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "an initiation that waits for weeks" in "an-initiation-in-v2-holds-its-limits / expirationTime: another unit"
            => "gateway.create.expirationTime.pattern":
            response(|asked, message| if asked.is("create") { message.accept_creation() });
        "a verification payment in lei has no upper bound" in "a-verification-payment-has-a-maximum-in-every-currency / v2.0"
            => "gateway.create.price.max.RON":
            response(|asked, message| if asked.text("curr") == "RON" { message.accept_creation() });
        "a verification payment in pounds has no upper bound" in "a-verification-payment-has-a-maximum-in-every-currency / v1.0"
            => "gateway.create.price.max.GBP":
            response(|asked, message| if asked.text("curr") == "GBP" { message.accept_creation() });
    }
}

/// Payments of another merchant, opened by the other version or in production.
fn foreigners() -> Vec<Break> {
    breaks! {
        "a foreign payment of v1.0 is refunded by v2.0"
            in "a-foreign-payment-is-not-refunded / created by v1.0 and refunded by v2.0" => "gateway.access.foreign":
            response(|asked, message| if asked.is("refund") && asked.is_by_another_merchant() { message.accept() });
        "a foreign initiation of v2.0 is repeated by v1.0"
            in "a-foreign-initiation-payment-is-not-used / initiated by v2.0 and repeated by v1.0" => "gateway.access.foreign":
            response(|asked, message| if asked.is("recurring") && asked.is_by_another_merchant() { message.accept_creation() });
        "a foreign production payment is captured" in "a-foreign-payment-is-neither-captured-nor-released / production in v2.0"
            => "gateway.access.foreign":
            response(|asked, message| if asked.is("capturePreauth") && asked.is_by_another_merchant() { message.accept() });
        "a foreign payment of v1.0 is released by v2.0"
            in "a-foreign-payment-is-neither-captured-nor-released / created by v1.0 and captured by v2.0" => "gateway.access.foreign":
            response(|asked, message| if asked.is("cancelPreauth") && asked.is_by_another_merchant() { message.accept() });
        "a foreign payment of v2.0 is read by v1.0" in "a-foreign-payment-is-not-read / created by v2.0 and read by v1.0"
            => "gateway.access.foreign":
            response(|asked, message| if asked.is("v1.status") && asked.is_by_another_merchant() {
                message.accept_status(&asked.text("transId"));
            });
        "a foreign payment of v1.0 is cancelled by v2.0"
            in "a-foreign-payment-is-not-cancelled / created by v1.0 and cancelled by v2.0" => "gateway.cancel.unauthorized":
            response(|asked, message| if asked.is("cancel") && asked.is_by_another_merchant() { message.accept() });
    }
}

/// States that v1.0 shows otherwise than v2.0.
fn versions() -> Vec<Break> {
    breaks! {
        "an authorized payment waits in v1.0" in "the-v1-status-shows-the-state-of-every-kind-of-payment / pre-authorization in v2.0"
            => "gateway.versions":
            response(|asked, message| if asked.is("v1.status") && message.get("status") == "AUTHORIZED" {
                message.set("status", "PENDING");
            });
        "a production payment that was given up waits in v1.0"
            in "the-v1-status-shows-the-state-of-every-kind-of-payment / production given up in v1.0" => "gateway.versions":
            response(|asked, message| if asked.is("v1.status") && message.get("status") == "CANCELLED" {
                message.set("status", "PENDING");
            });
        "an initiation payment that is paid waits in v1.0"
            in "the-v1-status-shows-the-state-of-every-kind-of-payment / initiation in v1.0" => "gateway.versions":
            response(|asked, message| if asked.is("v1.status") && message.get("status") == "PAID" { message.set("status", "PENDING") });
        "what was captured is still authorized in v1.0" in "the-v1-status-of-a-captured-payment-is-that-of-v2 / captured by v2.0"
            => "gateway.versions":
            response(|asked, message| if asked.is("v1.status") && message.get("status") == "PAID" {
                message.set("status", "AUTHORIZED");
            });
        "what was released is still authorized in v1.0" in "the-v1-status-of-a-captured-payment-is-that-of-v2 / released by v1.0"
            => "gateway.versions":
            response(|asked, message| if asked.is("v1.status") && message.get("status") == "CANCELLED" {
                message.set("status", "AUTHORIZED");
            });
    }
}

/// Captures in currencies beside crowns, euros and forints.
fn captures() -> Vec<Break> {
    breaks! {
        "more Swedish crowns are captured than were authorized"
            in "a-capture-holds-its-limits-in-every-currency / SEK in v1.0" => "gateway.capturePreauth.amount.max":
            response(|asked, message| if asked.text("amount") == "24951" { message.accept() });
        "an authorization in dollars is not captured as a whole"
            in "a-capture-holds-its-limits-in-every-currency / USD in v2.0" => "gateway.capturePreauth.amount.full":
            instead(|asked| (asked.is("capturePreauth") && asked.text("amount") == "2599").then(|| Message::refusal(asked, 1400)));
    }
}

/// What was paid or authorized, and is over when its time to pay is.
fn lasting() -> Vec<Break> {
    breaks! {
        "a paid production payment expires" in "gateway / a-paid-payment-does-not-expire / production in v1.0"
            => "gateway.create.expirationTime.effect":
            world(days_pass), response(|asked, message| if asked.is("v2.status") && asked.knows("days later") {
                message.set("status", "CANCELLED");
            });
        "a paid payment in euros expires with a notification" in "gateway / a-paid-payment-does-not-expire / EUR in v1.0"
            => "gateway.notification.change":
            push(|_, push| if push.message.get("status") == "PAID" {
                let mut expired = push.message.clone();
                expired.set("status", "CANCELLED");
                push.besides.push(expired);
            });
        "a recurring payment that was paid expires" in "a-paid-payment-of-any-kind-does-not-expire / v1.0" => "gateway.payment.states":
            world(days_pass), response(|asked, message| if asked.is("recurring") {
                asked.note("recurring", message.get("transId"));
            } else if asked.is("status") && asked.knows("days later") && asked.recall("recurring") == asked.text("transId") {
                message.set("status", "CANCELLED");
            });
        "a production initiation that was paid expires" in "a-paid-payment-of-any-kind-does-not-expire / production in v2.0"
            => "gateway.create.expirationTime.effect":
            world(days_pass), response(|asked, message| if asked.is("v2.status") && asked.knows("days later") {
                message.set("status", "CANCELLED");
            });
        "a payment by redirect that was paid expires"
            in "a-payment-created-by-redirect-that-is-paid-does-not-expire / production in v2.0"
            => "gateway.create.expirationTime.effect":
            world(days_pass), response(|asked, message| if asked.is("v2.status") && asked.knows("days later") {
                message.set("status", "CANCELLED");
            });
        "a payer pays the production payment that has expired" in "gateway / an-expired-payment-is-not-paid / production in v2.0"
            => "gateway.payment.states":
            world(pays_late), response(|asked, message| revived(asked, message, "came late", "CUSTOMER_TIMEOUT", "PAID"));
        "a payer pays the production payment that was cancelled" in "gateway / a-cancelled-payment-is-not-paid / production in v1.0"
            => "gateway.payment.states":
            world(pays_late), response(|asked, message| revived(asked, message, "came late", "ESHOP_CANCELLED", "PAID"));
        "a payer pays the production payment that has failed" in "a-failed-payment-is-not-paid / production in v1.0"
            => "gateway.payment.states":
            world(pays_late), response(|asked, message| revived(asked, message, "came late", "NO_FUNDS", "PAID"));
        "an authorized payment by redirect is refunded" in "a-pre-authorization-by-redirect-is-released / production in v1.0"
            => "gateway.refund.only-paid":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "a released payment by redirect is refunded" in "a-pre-authorization-by-redirect-is-released / production in v2.0"
            => "gateway.refund.only-paid":
            response(|asked, message| if asked.is("cancelPreauth") {
                asked.first_time("released");
            } else if asked.is("refund") && asked.knows("released") {
                message.accept();
            });
        "another merchant captures beyond the amount" in "a-pre-authorization-of-another-merchant-holds-the-same-rules / v1.0"
            => "gateway.capturePreauth.amount.max":
            response(|asked, message| if asked.text("amount") == "10001" { message.accept() });
        "another merchant captures what it has released" in "a-pre-authorization-of-another-merchant-holds-the-same-rules / v2.0"
            => "gateway.cancelPreauth.money":
            response(|asked, message| if asked.is("cancelPreauth") {
                asked.first_time("released");
            } else if asked.is("capturePreauth") && asked.knows("released") {
                message.accept();
            });
        "a real refund of a test initiation" in "a-test-initiation-is-refunded-by-test-refunds-only / v1.0" => "gateway.refund.test.only":
            response(|asked, message| if asked.text("test") == "false" { message.accept() });
        "a real refund of a test payment in euros" in "a-test-payment-is-refunded-by-test-refunds-only / EUR in v2.0"
            => "gateway.refund.test.only":
            response(|asked, message| if asked.text("test") == "false" { message.accept() });
        "a refund without test of a test payment by bank" in "a-test-payment-is-refunded-by-test-refunds-only / by bank in v1.0"
            => "gateway.refund.test.only":
            response(|asked, message| if asked.is("refund") && !asked.has("test") { message.accept() });
        "a foreign pre-authorization is cancelled" in "a-foreign-payment-of-any-kind-is-closed / pre-authorization in v1.0"
            => "gateway.cancel.unauthorized":
            response(|asked, message| if asked.is("cancel") && asked.is_by_another_merchant() { message.accept() });
        "a foreign verification payment is read" in "a-foreign-payment-of-any-kind-is-closed / verification in v2.0"
            => "gateway.access.foreign":
            response(|asked, message| if asked.is("v2.status") && asked.is_by_another_merchant() {
                message.accept_status(&asked.text("transId"));
            });
        "a foreign initiation is refunded" in "a-foreign-payment-of-any-kind-is-closed / initiation in v1.0" => "gateway.access.foreign":
            response(|asked, message| if asked.is("refund") && asked.is_by_another_merchant() { message.accept() });
        "a foreign recurring payment is refunded" in "a-foreign-recurring-payment-is-closed / production in v2.0"
            => "gateway.access.foreign":
            response(|asked, message| if asked.is("refund") && asked.is_by_another_merchant() { message.accept() });
        "a single bank button reserves" in "a-single-bank-button-neither-reserves-nor-initiates / v1.0" => "gateway.create.preauth.card":
            response(|asked, message| if asked.text("preauth") == "true" { message.accept_creation() });
        "a single bank button initiates in production" in "a-single-bank-button-neither-reserves-nor-initiates / production in v2.0"
            => "gateway.create.initRecurring.method":
            response(|asked, message| if asked.text("initRecurring") == "true" { message.accept_creation() });
    }
}

fn currencies() -> Vec<Break> {
    breaks! {
        "v1.0 shows forints without their last digits" in "every-currency-is-paid-end-to-end / HUF in v2.0" => "gateway.status.price.value":
            response(|asked, message| if asked.is("v1.status") { message.replace("price", "2500") });
        "a refused refund in forints is taken after all" in "a-refund-in-forints-ends-with-00 / real in v2.0"
            => "gateway.refund.hundreds.HUF":
            instead(|asked| (asked.text("amount") == "239800").then(|| Message::refusal(asked, 1402)));
        "what was authorized in euros is refunded" in "an-authorized-payment-is-neither-refunded-nor-cancelled / EUR in v2.0"
            => "gateway.refund.only-paid":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "what was authorized in forints is cancelled" in "an-authorized-payment-is-neither-refunded-nor-cancelled / HUF in v1.0"
            => "gateway.cancel.not-pending":
            response(|asked, message| if asked.is("cancel") { message.accept() });
        "what was paid in euros is captured" in "only-an-authorized-payment-is-captured / EUR in v1.0"
            => "gateway.capturePreauth.only-authorized":
            response(|asked, message| if asked.is("capturePreauth") { message.accept() });
        "a failed payment in lei waits on" in "a-payment-in-any-currency-that-ends-is-over / RON in v2.0" => "gateway.payment.failed":
            response(|asked, message| if asked.is("v2.status") && message.get("paymentErrorReason") == "NO_FUNDS" {
                message.set("status", "PENDING");
                message.remove("paymentErrorReason");
            });
        "a failed payment in pounds shows another reason" in "a-payment-in-any-currency-that-ends-is-over / GBP in v1.0"
            => "gateway.notification.paymentErrorReason.value":
            everywhere(|message| message.replace("paymentErrorReason", "UNAVAILABLE"));
        "a failed payment in zlotys is refunded" in "a-payment-in-any-currency-that-ends-is-over / PLN in v1.0"
            => "gateway.payment.refund-of-cancelled":
            response(|asked, message| if asked.is("refund") { message.accept() });
        "a payment by redirect in dollars is refunded beyond its price"
            in "a-payment-created-by-redirect-is-refunded-in-every-currency / USD in v1.0" => "gateway.refund.beyond":
            response(|asked, message| if asked.text("amount") == "2600" { message.accept() });
        "refunds by redirect in euros are not added up"
            in "a-payment-created-by-redirect-is-refunded-in-every-currency / EUR in v2.0" => "gateway.refund.sum":
            response(|asked, message| if asked.text("amount") == "1050" { message.accept() });
        "a payment by redirect in Swedish crowns is one in Czech crowns"
            in "a-payment-created-by-redirect-is-refunded-in-every-currency / SEK in v1.0"
            => "gateway.status.curr.value":
            everywhere(|message| message.replace("curr", "CZK"));
        "a refund without test of a payment by redirect is none"
            in "a-payment-created-by-redirect-is-refunded-in-every-currency / PLN in v2.0" => "gateway.refund.sum":
            onward(|asked, sent| if asked.is("refund") && !asked.has("test") { sent.set("test", true) });
        "a part of a pre-authorization in pounds is not captured" in "an-authorized-payment-is-captured-in-part / GBP in v2.0"
            => "gateway.capturePreauth.amount.partial":
            instead(|asked| asked.is("capturePreauth").then(|| Message::refusal(asked, 1400)));
        "a pre-authorization in Norwegian crowns is not released" in "an-authorized-payment-is-released / NOK in v2.0"
            => "gateway.payment.released":
            instead(|asked| asked.is("cancelPreauth").then(|| Message::refusal(asked, 1400)));
    }
}

fn recurring() -> Vec<Break> {
    breaks! {
        "an authorized payment initiates" in "a-recurring-payment-is-bound-to-no-pre-authorization / v1.0" => "gateway.recurring.bound":
            response(|asked, message| if asked.is("recurring") { message.accept_creation() });
        "a captured production payment initiates" in "a-recurring-payment-is-bound-to-no-pre-authorization / production in v2.0"
            => "gateway.recurring.bound":
            response(|asked, message| if asked.is("capturePreauth") {
                asked.first_time("captured");
            } else if asked.is("recurring") && asked.knows("captured") {
                message.accept_creation();
            });
        "a test refund of a recurring payment is real" in "a-test-refund-leaves-a-payment-of-any-kind / v1.0"
            => "gateway.refund.test.leaves":
            onward(|asked, sent| if asked.is("refund") && asked.text("amount") == "5000" { sent.set("test", false) });
        "a test refund of what was captured is real" in "a-test-refund-leaves-a-payment-of-any-kind / v2.0"
            => "gateway.refund.test.leaves":
            onward(|asked, sent| if asked.is("refund") && asked.text("amount") == "10000" { sent.set("test", false) });
        "a test refund by redirect is real" in "a-test-refund-leaves-a-payment-created-by-redirect / v2.0"
            => "gateway.refund.test.leaves":
            onward(|asked, sent| if asked.is("refund") { sent.set("test", false) });
        "a test refund by redirect of an unpaid payment" in "a-test-refund-leaves-a-payment-created-by-redirect / v1.0"
            => "gateway.refund.test.checks":
            response(|asked, message| if asked.text("amount") == "100" { message.accept() });
        "a test refund in euros is real" in "a-test-refund-leaves-the-payment / EUR in v2.0" => "gateway.refund.test.leaves":
            onward(|asked, sent| if asked.is("refund") { sent.set("test", false) });
        "refunds of a recurring payment are forgotten after days" in "refunds-of-a-recurring-payment-are-counted-days-later / v1.0"
            => "gateway.refund.sum":
            response(|asked, message| if asked.text("amount") == "6001" && !asked.first_time("of what was captured") {
                message.accept();
            });
        "refunds of what was captured are forgotten after days" in "refunds-of-a-recurring-payment-are-counted-days-later / v2.0"
            => "gateway.refund.sum":
            response(|asked, message| if asked.text("amount") == "6001" && asked.first_time("of what was captured") {
                message.accept();
            });
        "a recurring price in euros has the maximum of a creation"
            in "a-recurring-price-in-another-currency-has-no-maximum / EUR in v1.0" => "gateway.recurring.price.no-max":
            instead(|asked| (asked.text("price") == "4000001").then(|| Message::refusal(asked, 1309)));
        "a refund without test of a recurring payment is none"
            in "refunds-of-a-recurring-payment-are-counted-in-every-currency / HUF in v1.0" => "gateway.refund.sum":
            onward(|asked, sent| if asked.is("refund") && !asked.has("test") { sent.set("test", true) });
        "a refund without test of what was captured is none"
            in "a-captured-payment-is-not-refunded-beyond-its-price / CZK in v2.0" => "gateway.refund.sum":
            onward(|asked, sent| if asked.is("refund") && !asked.has("test") { sent.set("test", true) });
        "a failed initiation has recurring payments" in "a-recurring-payment-needs-a-paid-initiation / v2.0"
            => "gateway.recurring.initiation.paid":
            world(|deed| if deed.action == "payer.fails" { _ = remember(deed.memory, "failed") }),
            response(|asked, message| if asked.is("recurring") && asked.knows("failed") { message.accept_creation() });
        "the label of a recurring payment is counted in bytes" in "texts-of-a-recurring-payment-come-back / Greek in v1.0"
            => "gateway.recurring.label.max":
            instead(|asked| (asked.is("recurring") && asked.text("label").len() > 16).then(|| Message::refusal(asked, 1305)));
        "a recurring payment takes a long Czech label" in "texts-of-a-recurring-payment-come-back / Czech in v2.0"
            => "gateway.recurring.label.max":
            response(|asked, message| if asked.text("label").ends_with("17!") { message.accept_creation() });
        "the reference of a recurring payment loses its zeros" in "texts-of-a-recurring-payment-come-back / Greek in v2.0"
            => "gateway.notification.refId.value":
            everywhere(|message| message.replace("refId", message.get("refId").trim_start_matches('0').to_owned()));
    }
}

fn terminal_refunds() -> Vec<Break> {
    breaks! {
        "refunds of a terminal payment are added up by version" in "refunds-of-a-terminal-payment-add-up-across-versions / v1.0 first"
            => "gateway.refundPos.amount.part":
            response(|asked, message| if asked.text("amount") == "6001" { message.accept() });
        "refunds of a terminal payment are forgotten after days" in "refunds-of-a-terminal-payment-are-counted-days-later / v2.0"
            => "gateway.refundPos.amount.part":
            response(|asked, message| if asked.text("amount") == "6001" { message.accept() });
    }
}

/// Shows the payment to another merchant, cancelled as it is.
fn opened(asked: &ObservedRequest<'_>, message: &mut Message) {
    if asked.is("status") && asked.is_by_another_merchant() {
        message.accept_status(&asked.text("transId"));
        message.set("status", "CANCELLED");
    }
}

/// Counts the refunds that were asked for; says whether this one is above the limit.
fn is_refund_above(asked: &ObservedRequest<'_>, limit: usize) -> bool {
    if !asked.is("refund") {
        return false;
    }
    let refunds = asked.recall("refunds") + "|";
    asked.note("refunds", refunds.as_str());
    refunds.len() > limit
}

/// Bugs that an independent server had, and no scenario noticed.
fn strangers_bugs() -> Vec<Break> {
    breaks! {
        "a cancelled payment is read by another merchant" in "a-foreign-payment-that-was-cancelled-is-not-read / v1.0"
            => "gateway.access.foreign":
            response(opened);
        "a cancelled production payment is read by another merchant"
            in "a-foreign-payment-that-was-cancelled-is-not-read / production in v2.0" => "gateway.access.foreign":
            response(opened);
        "an expired payment is read by another merchant" in "a-foreign-payment-that-has-expired-is-not-read / v2.0"
            => "gateway.access.foreign":
            response(opened);
        "a refund of nothing is one of everything" in "a-refund-of-nothing-gives-nothing-back / v1.0" => "gateway.refund.full":
            onward(|asked, sent| if asked.is("refund") && asked.text("amount") == "0" { sent.set("amount", 10000) });
        "a capture of nothing is one of everything" in "a-capture-of-nothing-takes-nothing / v2.0"
            => "gateway.refund.beyond.captured":
            onward(|asked, sent| if asked.is("capturePreauth") && asked.text("amount") == "0" { sent.set("amount", 10000) });
        "a refused capture of nothing ends the authorization" in "a-capture-of-nothing-takes-nothing / v1.0"
            => "gateway.payment.states":
            response(|asked, message| if asked.is("capturePreauth") {
                asked.first_time("refused");
            } else if asked.is("v2.status") && asked.knows("refused") {
                message.set("status", "PAID");
            });
        "an authorized payment is refused as a cancelled one"
            in "only-a-cancelled-payment-is-refused-as-cancelled / pending pre-authorization" => "gateway.refund.code.1401":
            world(|deed| if deed.action == "payer.pays" { _ = remember(deed.memory, "paid") }),
            response(|asked, message| if asked.is("refund") && asked.knows("paid") { message.set("code", 1401) });
        "a payer pays the initiation that was cancelled" in "a-cancelled-payment-of-any-kind-is-not-paid / initiation in v1.0"
            => "gateway.payment.states":
            world(pays_late), response(|asked, message| revived(asked, message, "came late", "ESHOP_CANCELLED", "PAID"));
        "a payer pays the verification that was cancelled" in "a-cancelled-payment-of-any-kind-is-not-paid / verification in v2.0"
            => "gateway.payment.states":
            world(pays_late), response(|asked, message| revived(asked, message, "came late", "ESHOP_CANCELLED", "PAID"));
        "a payer reserves what was cancelled" in "a-cancelled-payment-of-any-kind-is-not-paid / pre-authorization in v2.0"
            => "gateway.payment.states":
            world(pays_late), response(|asked, message| revived(asked, message, "came late", "ESHOP_CANCELLED", "AUTHORIZED"));
        "what is left after a refund is delivered as the price" in "a-result-may-be-delivered-again / production in v1.0"
            => "gateway.notification.price.value":
            response(|asked, message| if asked.is("refund") && message.succeeds() {
                asked.first_time("refunded");
            }),
            push(|memory, push| if memory.lock().unwrap().contains_key("refunded") { push.message.set("price", "6000") });
        "a production recurring payment of the test address is cancelled"
            in "production-recurring-payments-of-the-test-address-are-paid / v1.0" => "gateway.recurring.background":
            onward(|asked, sent| if asked.is("recurring") { sent.set("test", true) });
        "a language in capitals" in "a-language-that-is-not-supported-has-its-code / in capitals in v1.0"
            => "gateway.create.lang.enum":
            onward(|asked, sent| if asked.text("lang") == "CS" { sent.set("lang", "cs") });
        "an expiry before a line feed" in "an-expiry-with-a-line-feed-is-refused / v2.0" => "gateway.create.expirationTime.pattern":
            onward(|asked, sent| if asked.text("expirationTime") == "30m\n" { sent.set("expirationTime", "30m") });
        "an apostrophe is doubled" in "texts-come-back-as-they-were-sent / quotes by v2.0" => "gateway.status.label.value":
            everywhere(|message| message.replace("label", message.get("label").replace('\'', "''")));
        "a space behind the label is not counted" in "a-label-is-counted-in-characters / a space behind"
            => "gateway.create.label.characters":
            onward(|asked, sent| if asked.is("create") { sent.set("label", asked.text("label").trim()) });
        "the zero before a merchant is not read" in "a-near-merchant-is-no-shop / of the shop" => "gateway.v1.credentials":
            onward(|asked, sent| if asked.is("create") { sent.set("merchant", asked.text("merchant").trim_start_matches('0')) });
        "a terminal payment is refunded by the date of the day before"
            in "a-terminal-payment-of-another-day-is-not-refunded / v1.0" => "gateway.refundPos.vs.known":
            response(|asked, message| if asked.is("refundPos") && asked.text("date") != "2001-01-31" { message.accept() });
        "a terminal payment is refunded by any date" in "a-terminal-payment-of-another-day-is-not-refunded / v2.0"
            => "gateway.refundPos.vs.known":
            response(|asked, message| if asked.text("date") == "2001-01-31" { message.accept() });
        "five refunds at most" in "a-payment-is-refunded-in-ten-parts / v1.0" => "gateway.refund.partial":
            instead(|asked| is_refund_above(asked, 5).then(|| Message::refusal(asked, 1402)));
        "an eleventh part is given back" in "a-payment-is-refunded-in-ten-parts / v2.0" => "gateway.refund.sum":
            response(|asked, message| if asked.is("refund") && asked.text("amount") == "1" { message.accept() });
        "a verification payment has no recurring payments" in "a-verification-payment-starts-a-series / v2.0"
            => "gateway.create.verification.alone":
            instead(|asked| asked.is("recurring").then(|| Message::refusal(asked, 1318)));
        "the health is OUTAGE on account of maintenance of a far day" in "an-outage-of-the-gateway-is-listed"
            => "status.outages.current":
            response(|asked, message| if asked.is("health") {
                message.set("gateway", "OUTAGE");
            } else if asked.is("outages") {
                let far = json!({ "id": 2099, "type": "COMPLETE", "date_from": "2099-03-01T22:00:00Z", "date_to": "2099-03-02T02:30:00Z" });
                message.records(|records| records.push(far));
            });
    }
}
