//! Lies about calls of the other version, credentials in the wrong place, notifications of several payments, and refused calls that have
//! an effect.

use serde_json::{Value, json};

use super::Break;
use crate::support::MAIN;
use crate::support::proxy::{Memory, Message, ObservedRequest, Push, WorldAction, remember};

pub fn all() -> Vec<Break> {
    [headers(), several(), mails(), by_redirect(), repeated(), refused()].into_iter().flatten().collect()
}

/// Takes the credentials of the Basic header for those that the body lacks.
fn by_header(asked: &ObservedRequest<'_>, sent: &mut Message, call: &str) {
    if asked.is(call) && !asked.has("secret") {
        let (merchant, secret) = asked.credentials.clone();
        sent.set("merchant", merchant);
        sent.set("secret", secret);
    }
}

const HEADER: &str = "a-header-with-credentials-opens-no-call-of-v1";
const SECRET: &str = "a-header-without-the-secret-of-the-body-opens-no-call-of-v1";

fn headers() -> Vec<Break> {
    breaks! {
        "credentials in a header create a payment in v1.0" in HEADER => "gateway.v1.credentials":
            onward(|asked, sent| by_header(asked, sent, "v1.create"));
        "credentials in a header read a payment in v1.0" in HEADER => "gateway.v1.credentials":
            onward(|asked, sent| by_header(asked, sent, "v1.status"));
        "credentials in a header cancel a payment in v1.0" in HEADER => "gateway.cancel.unauthorized":
            onward(|asked, sent| by_header(asked, sent, "v1.cancel"));
        "credentials in a header refund a payment in v1.0" in HEADER => "gateway.v1.credentials":
            onward(|asked, sent| by_header(asked, sent, "v1.refund"));
        "the secret of a header creates a payment in v1.0" in SECRET => "gateway.v1.credentials":
            onward(|asked, sent| by_header(asked, sent, "v1.create"));
        "the secret of a header reads a payment in v1.0" in SECRET => "gateway.v1.credentials":
            onward(|asked, sent| by_header(asked, sent, "v1.status"));
        "the secret of a header cancels a payment in v1.0" in SECRET => "gateway.cancel.unauthorized":
            onward(|asked, sent| by_header(asked, sent, "v1.cancel"));
    }
}

/// The payment that was notified first.
fn first(memory: &Memory, push: &Push) -> String {
    memory.lock().unwrap().entry("first".to_owned()).or_insert_with(|| push.message.get("transId")).clone()
}

/// Delivers the notifications of the payment that came first alone; the gateway sees this status for all others.
fn holds_back(memory: &Memory, push: &mut Push, status: u16) {
    if first(memory, push) != push.message.get("transId") {
        push.times = 0;
        push.message.status = status;
    }
}

/// Takes further attempts for acknowledged ones, those of the payment that came first or of the others.
fn attempts_once(memory: &Memory, push: &mut Push, of_the_first: bool) {
    let id = push.message.get("transId");
    let is_first = first(memory, push) == id;
    if !remember(memory, &id) && is_first == of_the_first {
        push.times = 0;
        push.message.status = 200;
    }
}

fn several() -> Vec<Break> {
    breaks! {
        "a notification that fails holds all others back" in "a-notification-that-fails-holds-no-other-back / v2.0 before v1.0"
            => "gateway.notification.change":
            push(|memory, push| holds_back(memory, push, 500));
        "a cancellation waits for the notification of another payment"
            in "a-notification-that-fails-holds-no-other-back / v1.0 before v2.0" => "gateway.notification.change":
            push(|memory, push| holds_back(memory, push, 500));
        "the acknowledgement of one notification is that of another"
            in "a-notification-that-fails-holds-no-other-back / v2.0 before v1.0" => "gateway.notification.unacknowledged":
            push(|memory, push| attempts_once(memory, push, true));
        "the first of two payments alone is notified again" in "each-of-two-payments-is-notified-again / v1.0"
            => "gateway.notification.unacknowledged":
            push(|memory, push| attempts_once(memory, push, false));
        "the last of two payments alone is notified again" in "each-of-two-payments-is-notified-again / both versions"
            => "gateway.notification.unacknowledged":
            push(|memory, push| attempts_once(memory, push, true));
        "one of the payments that expire is notified" in "payments-that-expire-at-once-are-all-notified"
            => "gateway.notification.expiry":
            push(|memory, push| holds_back(memory, push, 200));
        "a payment of another merchant does not expire with others" in "payments-that-expire-at-once-are-all-notified"
            => "gateway.create.expirationTime.effect":
            response(|asked, message| if asked.is("v2.status") && asked.is_by_another_merchant() {
                message.replace("status", "PENDING");
            });
        "another payer is notified than the status shows" in "a-payer-identifier-is-the-same-wherever-it-is-shown / v1.0"
            => "gateway.notification.agrees":
            push(|_, push| push.message.replace("payerId", "customer-41"));
    }
}

const ADDRESSES: [&str; 3] = ["payments@example.com", "accounts@example.com", "night@example.com"];

/// Remembers which payments were notified: the paid one and the given-up one of the main merchant, and that of the other merchant.
fn notified(memory: &Memory, push: &mut Push) {
    let name = match (push.message.get("merchant") == MAIN.0, push.message.get("status") == "PAID") {
        (true, true) => "paid",
        (true, false) => "given up",
        (false, _) => "foreign",
    };
    memory.lock().unwrap().insert(name.to_owned(), push.message.get("transId"));
}

/// A report of the payment of this name.
fn report(deed: &WorldAction<'_>, name: &str, to: &[&str]) -> Value {
    let id = deed.memory.lock().unwrap().get(name).cloned();
    json!({ "to": to, "kind": "notification-given-up", "transId": id, "attempts": 20 })
}

/// Reads these reports in place of those that were sent.
fn reads(deed: &mut WorldAction<'_>, mails: &[Value]) {
    if deed.action == "merchant.reads-mail" {
        deed.response = Some(json!({ "count": mails.len(), "mail": mails }));
    }
}

fn of_the_first_alone(deed: &mut WorldAction<'_>) {
    let mails = [report(deed, "paid", &ADDRESSES), report(deed, "foreign", &["other@example.net"])];
    reads(deed, &mails);
}

fn to_two_addresses(deed: &mut WorldAction<'_>) {
    let two = ["payments@example.com", "accounts@example.com"];
    let mails = [report(deed, "paid", &two), report(deed, "given up", &two), report(deed, "foreign", &["other@example.net"])];
    reads(deed, &mails);
}

fn to_any_merchant(deed: &mut WorldAction<'_>) {
    let all = ["payments@example.com", "accounts@example.com", "night@example.com", "other@example.net"];
    let mails = ["paid", "given up", "foreign"].map(|name| report(deed, name, &all));
    reads(deed, &mails);
}

fn mails() -> Vec<Break> {
    breaks! {
        "the first payment whose attempts fail is reported alone"
            in "each-payment-whose-attempts-fail-is-reported-to-its-merchant / v1.0" => "gateway.notification.retry.mail":
            push(notified), world(of_the_first_alone);
        "the third address gets no report" in "each-payment-whose-attempts-fail-is-reported-to-its-merchant / v2.0"
            => "gateway.notification.retry.addresses":
            push(notified), world(to_two_addresses);
        "reports go to the addresses of all merchants" in "each-payment-whose-attempts-fail-is-reported-to-its-merchant / v1.0"
            => "gateway.notification.retry.mail":
            push(notified), world(to_any_merchant);
    }
}

/// Refuses what the emulator did.
fn refuses(asked: &ObservedRequest<'_>, message: &mut Message, call: &str, code: i64) {
    if asked.is(call) && message.succeeds() {
        message.refuse(code);
    }
}

fn by_redirect() -> Vec<Break> {
    breaks! {
        "a payment by redirect of v1.0 is not refunded by v2.0"
            in "a-payment-created-by-redirect-is-refunded-in-the-other-version / v1.0" => "gateway.versions":
            response(|asked, message| refuses(asked, message, "v2.refund", 1400));
        "a payment by redirect of v2.0 is not refunded by v1.0"
            in "a-payment-created-by-redirect-is-refunded-in-the-other-version / v2.0" => "gateway.versions":
            response(|asked, message| refuses(asked, message, "v1.refund", 1400));
        "a payment by redirect of v1.0 is refunded beyond its price by v2.0"
            in "a-payment-created-by-redirect-is-refunded-in-the-other-version / production in v1.0" => "gateway.refund.beyond":
            response(|asked, message| if asked.text("amount") == "12301" { message.accept() });
        "a paid payment by redirect of v2.0 is cancelled by v1.0"
            in "a-payment-created-by-redirect-is-refunded-in-the-other-version / production in v2.0" => "gateway.cancel.paid":
            response(|asked, message| if asked.is("v1.cancel") { message.accept() });
        "a payment by redirect of v2.0 is not cancelled by v1.0"
            in "a-payment-created-by-redirect-is-cancelled-in-the-other-version / v2.0" => "gateway.versions":
            response(|asked, message| refuses(asked, message, "v1.cancel", 1400));
        "a payment by redirect of v1.0 is cancelled by v2.0 without effect"
            in "a-payment-created-by-redirect-is-cancelled-in-the-other-version / production in v1.0"
            => "gateway.notification.cancellation":
            instead(|asked| asked.is("v2.cancel").then(|| Message::success(asked)));
        "a pre-authorization by redirect of v2.0 is cancelled again by v1.0"
            in "a-payment-created-by-redirect-is-cancelled-in-the-other-version / pre-authorization in v2.0"
            => "gateway.cancel.not-pending":
            response(|asked, message| if asked.is("v1.cancel") { message.accept() });
        "a cancelled payment by redirect of v1.0 is refunded by v2.0"
            in "a-payment-created-by-redirect-is-cancelled-in-the-other-version / v1.0" => "gateway.payment.refund-of-cancelled":
            response(|asked, message| if asked.is("v2.refund") { message.accept() });
        "a pre-authorization by redirect of v1.0 is not captured by v2.0"
            in "a-pre-authorization-created-by-redirect-ends-in-the-other-version / captured in v2.0" => "gateway.versions":
            response(|asked, message| refuses(asked, message, "v2.capturePreauth", 1400));
        "a pre-authorization by redirect of v2.0 is not released by v1.0"
            in "a-pre-authorization-created-by-redirect-ends-in-the-other-version / released in v1.0" => "gateway.versions":
            response(|asked, message| refuses(asked, message, "v1.cancelPreauth", 1400));
        "what v2.0 has released of v1.0 is captured"
            in "a-pre-authorization-created-by-redirect-ends-in-the-other-version / released in v2.0"
            => "gateway.capturePreauth.only-authorized":
            response(|asked, message| if asked.text("amount") == "10000" { message.accept() });
        "an initiation by redirect of v1.0 is not repeated by v2.0"
            in "an-initiation-created-by-redirect-is-repeated-in-the-other-version / v1.0" => "gateway.versions":
            response(|asked, message| refuses(asked, message, "v2.recurring", 1318));
        "a recurring payment is notified in the format of its initiation by redirect"
            in "an-initiation-created-by-redirect-is-repeated-in-the-other-version / v2.0" => "gateway.notification.format":
            push(|_, push| push.message.as_json());
    }
}

const OTHER_V1: &str = "a-recurring-payment-is-refunded-in-the-other-version / v1.0";
const OTHER_V2: &str = "a-recurring-payment-is-refunded-in-the-other-version / v2.0";

fn repeated() -> Vec<Break> {
    breaks! {
        "a recurring payment of v1.0 is not refunded by v2.0" in OTHER_V1 => "gateway.versions":
            response(|asked, message| refuses(asked, message, "v2.refund", 1400));
        "a recurring payment of v2.0 is not refunded by v1.0" in OTHER_V2 => "gateway.versions":
            response(|asked, message| refuses(asked, message, "v1.refund", 1400));
        "refunds of a recurring payment by v1.0 are not known to v2.0" in OTHER_V2 => "gateway.refund.sum":
            response(|asked, message| if asked.text("amount") == "3001" { message.accept() });
        "a recurring payment of v1.0 is cancelled by v2.0" in OTHER_V1 => "gateway.cancel.paid":
            response(|asked, message| if asked.is("v2.cancel") { message.accept() });
        "a cancelled recurring payment of v1.0 is refunded by v2.0"
            in "a-recurring-payment-that-is-cancelled-is-over-in-either-version / v1.0" => "gateway.payment.refund-of-cancelled":
            response(|asked, message| if asked.is("v2.refund") { message.accept() });
        "a cancelled recurring payment of v2.0 is cancelled again by v1.0"
            in "a-recurring-payment-that-is-cancelled-is-over-in-either-version / v2.0" => "gateway.cancel.not-pending":
            response(|asked, message| if asked.is("v1.cancel") { message.accept() });
    }
}

/// Makes a payment of a creation, whatever is wrong with it.
fn made_all_the_same(asked: &ObservedRequest<'_>, sent: &mut Message) {
    if !asked.is("create") {
        return;
    }
    let (merchant, secret) = asked.credentials_of_main();
    if asked.is("v1.create") {
        sent.set("merchant", merchant);
        sent.set("secret", secret);
    } else {
        sent.in_the_name_of_main(asked);
    }
    for (field, value) in [("label", "Ball"), ("curr", "CZK"), ("method", "ALL"), ("lang", "cs"), ("category", "OTHER")] {
        sent.set(field, value);
    }
    sent.set("price", 10_000);
}

/// Refuses a creation of which a payment was made.
fn refused_all_the_same(asked: &ObservedRequest<'_>, message: &mut Message) {
    refuses(asked, message, "create", 1400);
}

/// Charges a recurring payment, whatever is wrong with its label and its account.
fn charged_all_the_same(asked: &ObservedRequest<'_>, sent: &mut Message) {
    if asked.is("recurring") {
        sent.set("label", "Ball");
        sent.remove("account");
    }
}

fn refused() -> Vec<Break> {
    breaks! {
        "a creation with a wrong secret makes a payment in v1.0"
            in "a-creation-that-is-refused-for-any-reason-never-expires / a wrong secret in v1.0"
            => "gateway.create.answer.refused":
            onward(made_all_the_same), response(refused_all_the_same);
        "a creation without credentials makes a payment in v2.0"
            in "a-creation-that-is-refused-for-any-reason-never-expires / no credentials in v2.0"
            => "gateway.create.answer.refused":
            onward(made_all_the_same), response(refused_all_the_same);
        "a creation with a long label makes a payment"
            in "a-creation-that-is-refused-for-any-reason-never-expires / a long label in v1.0" => "gateway.create.answer.refused":
            onward(made_all_the_same), response(refused_all_the_same);
        "a creation in an unknown currency makes a payment"
            in "a-creation-that-is-refused-for-any-reason-never-expires / an unknown currency in v2.0"
            => "gateway.create.answer.refused":
            onward(made_all_the_same), response(refused_all_the_same);
        "a creation with too high a price makes a payment"
            in "a-creation-that-is-refused-for-any-reason-never-expires / a price too high in v1.0"
            => "gateway.create.answer.refused":
            onward(made_all_the_same), response(refused_all_the_same);
        "a creation with an unknown method makes a payment"
            in "a-creation-that-is-refused-for-any-reason-never-expires / an unknown method in v2.0"
            => "gateway.create.answer.refused":
            onward(made_all_the_same), response(refused_all_the_same);
        "a creation in a language that is not supported makes a payment"
            in "a-creation-that-is-refused-for-any-reason-never-expires / a language that is not supported in v1.0"
            => "gateway.create.answer.refused":
            onward(made_all_the_same), response(refused_all_the_same);
        "a creation in a category that is not listed makes a payment"
            in "a-creation-that-is-refused-for-any-reason-never-expires / a category that is not listed in v2.0"
            => "gateway.create.answer.refused":
            onward(made_all_the_same), response(refused_all_the_same);
        "a recurring payment with a wrong field is refused and charged" in "a-refused-recurring-payment-charges-nothing / v1.0"
            => "gateway.recurring.answer.refused":
            onward(charged_all_the_same), response(|asked, message| refuses(asked, message, "recurring", 1311));
        "a recurring payment without the service is refused and charged" in "a-refused-recurring-payment-charges-nothing / v2.0"
            => "gateway.recurring.answer.refused":
            world(|deed| if deed.with.get("recurring") == Some(&json!(false)) {
                remember(deed.memory, "no service");
                deed.does_not_happen();
            }),
            response(|asked, message| if asked.knows("no service") { refuses(asked, message, "recurring", 1316) });
    }
}
