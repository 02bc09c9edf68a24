//! Lies about outages that are over or have begun, about several notifications at once, and about calls of the other version.

use serde_json::{Value, json};

use super::Break;
use crate::support::MAIN;
use crate::support::proxy::{Memory, Message, ObservedRequest, Push, WorldAction, remember};

pub fn all() -> Vec<Break> {
    [over(), begun(), early(), beside(), lasting(), created(), headers(), several(), mails(), by_redirect(), repeated(), refused()]
        .into_iter()
        .flatten()
        .collect()
}

/// Remembers that an outage has ended.
fn ends(deed: &mut WorldAction<'_>) {
    if deed.action == "outage.ends" && !remember(deed.memory, "over") {
        remember(deed.memory, "both over");
    }
}

/// Remembers that time has passed.
fn passes(deed: &mut WorldAction<'_>) {
    if deed.action == "clock.advances" {
        remember(deed.memory, "begun");
    }
}

/// Remembers that an outage was published, and that one has ended.
fn starts(deed: &mut WorldAction<'_>) {
    if deed.action == "outage.starts" {
        remember(deed.memory, "published");
    }
    ends(deed);
}

/// Changes every outage once this is known.
fn once(asked: &ObservedRequest<'_>, message: &mut Message, fact: &str, change: fn(&mut Value)) {
    if asked.is("outages") && asked.knows(fact) {
        message.each(change);
    }
}

const OVER_BUTTON: &str = "an-outage-that-is-over-is-listed-with-its-own-times / payment button";
const OVER_QR: &str = "an-outage-that-is-over-is-listed-with-its-own-times / QR code";

fn over() -> Vec<Break> {
    breaks! {
        "an outage that is over began when it ended" in OVER_BUTTON => "status.outages.date_from.value":
            world(ends),
            response(|asked, message| once(asked, message, "over", |outage| outage["date_from"] = outage["date_to"].clone()));
        "an outage that is over was published when it ended" in OVER_QR => "status.outages.date_published.value":
            world(ends),
            response(|asked, message| once(asked, message, "over", |outage| outage["date_published"] = outage["date_to"].clone()));
        "an outage that is over ends as was expected" in OVER_BUTTON => "status.outages.date_to.value":
            world(ends),
            response(|asked, message| once(asked, message, "over", |outage| outage["date_to"] = json!("2027-01-01T00:00:00Z")));
        "an outage that is over was planned" in OVER_QR => "status.outages.scheduled.value":
            world(ends), response(|asked, message| once(asked, message, "over", |outage| outage["scheduled"] = json!(true)));
        "an outage that is over is described in Czech only" in OVER_BUTTON => "status.outages.languages":
            world(ends),
            response(|asked, message| once(asked, message, "over", |outage| outage["detail_en"] = outage["detail_cs"].clone()));
        "an outage that is over names the first of its methods" in OVER_QR => "status.outages.methods.value":
            world(ends),
            response(|asked, message| once(asked, message, "over", |outage| outage["methods"] = json!([outage["methods"][0]])));
    }
}

const BEGUN_BUTTON: &str = "maintenance-that-has-begun-is-listed-as-it-was-planned / payment button";
const BEGUN_QR: &str = "maintenance-that-has-begun-is-listed-as-it-was-planned / QR code";

fn begun() -> Vec<Break> {
    breaks! {
        "maintenance of a method is unplanned once it has begun" in BEGUN_BUTTON => "status.outages.scheduled.value":
            world(passes), response(|asked, message| once(asked, message, "begun", |outage| outage["scheduled"] = json!(false)));
        "maintenance that has begun is one of everything" in BEGUN_QR => "status.outages.type.value":
            world(passes), response(|asked, message| once(asked, message, "begun", |outage| outage["type"] = json!("COMPLETE")));
        "maintenance that has begun began when it was published" in BEGUN_BUTTON => "status.outages.date_from.value":
            world(passes),
            response(|asked, message| once(asked, message, "begun", |outage| {
                outage["date_from"] = outage["date_published"].clone();
            }));
        "maintenance that has begun ends another day" in BEGUN_QR => "status.outages.date_to.value":
            world(passes),
            response(|asked, message| once(asked, message, "begun", |outage| outage["date_to"] = json!("2027-01-01T00:00:00Z")));
        "maintenance is published when it has begun" in BEGUN_BUTTON => "status.outages.date_published.value":
            world(passes),
            response(|asked, message| once(asked, message, "begun", |outage| {
                outage["date_published"] = outage["date_from"].clone();
            }));
        "maintenance that has begun has a Czech name only" in BEGUN_QR => "status.outages.languages":
            world(passes),
            response(|asked, message| once(asked, message, "begun", |outage| outage["name_sk"] = outage["name_cs"].clone()));
        "maintenance that has begun names no methods" in BEGUN_BUTTON => "status.outages.methods.value":
            world(passes), response(|asked, message| once(asked, message, "begun", |outage| outage["methods"] = json!([])));
    }
}

const EARLY: &str = "maintenance-that-ends-before-its-time-is-over";

fn early() -> Vec<Break> {
    breaks! {
        "the health is OUTAGE to the planned end of maintenance" in EARLY => "status.health.gateway.OK":
            world(ends),
            response(|asked, message| if asked.is("health") && asked.knows("over") { message.set("gateway", "OUTAGE") });
        "maintenance that ended early ends as it was planned" in EARLY => "status.outages.date_to.value":
            world(ends),
            response(|asked, message| once(asked, message, "over", |outage| outage["date_to"] = json!("2027-01-01T00:00:00Z")));
        "maintenance that ended early was not planned" in EARLY => "status.outages.scheduled.value":
            world(ends), response(|asked, message| once(asked, message, "over", |outage| outage["scheduled"] = json!(false)));
        "maintenance of the gateway is unplanned once it has begun" in EARLY => "status.outages.scheduled.value":
            world(passes), response(|asked, message| once(asked, message, "begun", |outage| outage["scheduled"] = json!(false)));
        "maintenance of the gateway is published when it has begun" in EARLY => "status.outages.date_published.value":
            world(passes),
            response(|asked, message| once(asked, message, "begun", |outage| {
                outage["date_published"] = outage["date_from"].clone();
            }));
        "what ended early is not listed" in EARLY => "status.outages.resolved":
            world(ends), response(|asked, message| if asked.is("outages") && asked.knows("over") { message.records(Vec::clear) });
        "no payment of v1.0 is created after maintenance" in EARLY => "status.health.gateway.OK":
            world(ends), response(|asked, message| if asked.is("v1.create") && asked.knows("over") { message.refuse(1319) });
    }
}

const BESIDE: &str = "a-complete-outage-beside-others-is-outage-until-it-ends";

fn beside() -> Vec<Break> {
    breaks! {
        "the health is that of the newest outage of any kind" in BESIDE => "status.health.gateway.OUTAGE":
            response(|asked, message| if asked.is("health") { message.set("gateway", "OK") });
        "the health is OUTAGE until no outage is left" in BESIDE => "status.health.gateway.OK":
            world(ends),
            response(|asked, message| if asked.is("health") && asked.knows("over") { message.set("gateway", "OUTAGE") });
        "a complete outage hides those of methods" in BESIDE => "status.outages.current":
            response(|asked, message| if asked.is("outages") {
                message.records(|records| if records.iter().any(|record| record["type"] == "COMPLETE") {
                    records.retain(|record| record["type"] == "COMPLETE" || record["scheduled"] == true);
                });
            });
        "a complete outage hides what is planned" in BESIDE => "status.outages.planned":
            response(|asked, message| if asked.is("outages") {
                message.records(|records| if records.iter().any(|record| record["type"] == "COMPLETE") {
                    records.retain(|record| record["scheduled"] != true);
                });
            });
        "of two outages that are over the last is listed" in BESIDE => "status.outages.resolved":
            world(ends), response(|asked, message| if asked.is("outages") && asked.knows("both over") {
                message.records(|records| records.retain(|record| record["type"] != "COMPLETE"));
            });
    }
}

fn lasting() -> Vec<Break> {
    breaks! {
        "the health is OK on the third day of an outage" in "a-complete-outage-of-days-is-outage-to-its-end / unplanned"
            => "status.health.gateway.OUTAGE":
            world(passes),
            response(|asked, message| if asked.is("health") && asked.knows("begun") { message.set("gateway", "OK") });
        "an outage is not listed on its third day" in "a-complete-outage-of-days-is-outage-to-its-end / planned"
            => "status.outages.current":
            world(passes),
            response(|asked, message| if asked.is("outages") && asked.knows("begun") { message.records(Vec::clear) });
    }
}

/// Whether an outage lasts.
fn lasts(asked: &ObservedRequest<'_>) -> bool {
    asked.knows("published") && !asked.knows("over")
}

fn created() -> Vec<Break> {
    breaks! {
        "no payment of v1.0 is created while maintenance is planned" in "payments-are-created-while-maintenance-is-planned / v1.0"
            => "status.health.gateway.OK":
            world(starts), response(|asked, message| if asked.is("create") && lasts(asked) { message.refuse(1319) });
        "no production payment is created while maintenance is planned"
            in "payments-are-created-while-maintenance-is-planned / production in v2.0" => "status.health.gateway.OK":
            world(starts),
            response(|asked, message| if asked.is("create") && lasts(asked) && asked.text("test") == "false" {
                message.refuse(1319);
            });
        "an outage of one bank closes all banks" in "an-outage-of-one-bank-leaves-another-bank / another bank in v1.0"
            => "status.health.gateway.OK":
            world(starts),
            response(|asked, message| if lasts(asked) && asked.is("create") && asked.text("method").starts_with("BANK") {
                message.refuse(1308);
            });
        "a bank stays closed after its outage" in "an-outage-of-one-bank-leaves-another-bank / another bank in v2.0"
            => "status.health.gateway.OK":
            world(starts),
            response(|asked, message| if asked.is("create") && asked.text("method") == "BANK_CZ_RB" { message.refuse(1308) });
        "no production payment is created during an outage of a bank"
            in "an-outage-of-one-bank-leaves-another-bank / card in production in v2.0" => "status.health.gateway.OK":
            world(starts),
            response(|asked, message| if asked.is("create") && lasts(asked) && asked.text("test") == "false" {
                message.refuse(1319);
            });
        "no payer is sent on during an outage of a bank" in "an-outage-of-one-bank-leaves-another-bank / card in v2.0"
            => "status.health.gateway.OK":
            world(starts),
            response(|asked, message| if asked.is("paymentRedirect") && lasts(asked) {
                message.becomes_a_page(200, "<h1>Outage</h1>");
            });
    }
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
