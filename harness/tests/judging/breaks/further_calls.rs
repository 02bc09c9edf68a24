//! Lies that only a further call finds: what ended goes on, a long list is cut, one representation differs from another.

use serde_json::{Value, json};

use super::Break;
use crate::support::proxy::{Message, ObservedRequest, WorldAction, remember};

const EXPIRED: &str = "an-expired-payment-is-not-paid";
const REFUNDS: &str = "a-payment-lists-all-its-refunds";
const SEVERAL: &str = "a-day-of-several-transfers";
const UTF8: &str = "an-abo-statement-is-in-utf-8-unless-asked-otherwise";

/// Lies that only a further call finds.
pub fn all() -> Vec<Break> {
    [ends(), sequences(), lists(), representations()].into_iter().flatten().collect()
}

/// Notes that the action was played.
fn note(deed: &WorldAction<'_>, action: &str) {
    if deed.action == action {
        remember(deed.memory, action);
    }
}

/// Reports a cancelled payment as paid once this action was played.
fn revived(asked: &ObservedRequest<'_>, message: &mut Message, action: &str) {
    if asked.is("status") && asked.knows(action) && message.get("status") == "CANCELLED" {
        message.set("status", "PAID");
        message.remove("paymentRejectedReason");
    }
}

fn pays_late(deed: &mut WorldAction<'_>) {
    note(deed, "payer.pays-late");
}

fn paid_late(asked: &ObservedRequest<'_>, message: &mut Message) {
    revived(asked, message, "payer.pays-late");
}

fn ends() -> Vec<Break> {
    breaks! {
        "a payer pays what has expired in v1.0" in "an-expired-payment-is-not-paid / v1.0" => "gateway.payment.states":
            world(pays_late), response(paid_late);
        "a payer pays what has expired in v2.0" in "an-expired-payment-is-not-paid / v2.0" => "gateway.payment.states":
            world(pays_late), response(paid_late);
        "a payer pays what was cancelled" in "a-cancelled-payment-is-not-paid / v1.0" => "gateway.payment.states":
            world(pays_late), response(paid_late);
        "a payer pays what has failed" in "a-failed-payment-is-not-paid / v1.0" => "gateway.payment.states":
            world(pays_late), response(paid_late);
        "a payer pays a pre-authorization that has failed" in "a-failed-payment-is-not-paid / a pre-authorization"
            => "gateway.payment.states":
            world(pays_late), response(paid_late);
        "a payment that has expired is notified as paid" in EXPIRED => "gateway.notification.change":
            push(|_, push| if push.message.get("status") == "CANCELLED" {
                let mut paid = push.message.clone();
                paid.set("status", "PAID");
                push.besides.push(paid);
            });
        "late money revives an expired payment" in "late-money-revives-no-expired-payment" => "qr.payment.states":
            world(pays_late), response(paid_late);
        "a cancelled test payment ends paid" in "a-cancelled-test-payment-stays-cancelled" => "qr.payment.states":
            world(|deed| note(deed, "clock.advances")),
            response(|asked, message| revived(asked, message, "clock.advances"));
        "an authorized payment expires" in "an-authorized-payment-does-not-expire / v2.0" => "gateway.payment.states":
            world(|deed| note(deed, "clock.advances")),
            response(|asked, message| if asked.is("status") && asked.knows("clock.advances") { message.replace("status", "CANCELLED") });
        "an expired authorization is not captured" in "an-authorized-payment-does-not-expire / v1.0" => "gateway.capturePreauth.amount.optional":
            response(|asked, message| if asked.is("capturePreauth") { message.refuse(1400) });
        "the logs of one request answer the next" in "logs-are-asked-for-until-they-are-uploaded"
            => "device.authenticate.requestDebugLogs.done":
            response(|asked, message| {
                if asked.is("device.logs") && asked.has("requestId") && !asked.first_time("uploaded") {
                    asked.first_time("uploaded again");
                }
                if asked.is("device.authenticate") && asked.knows("uploaded again") {
                    message.remove("requestDebugLogs");
                }
            });
    }
}

/// Refuses a call after another one was made.
fn refused_after(asked: &ObservedRequest<'_>, message: &mut Message, before: &str, call: &str) {
    if asked.is(before) {
        asked.first_time(before);
    } else if asked.is(call) && asked.knows(before) {
        message.objects(asked, 400, "");
    }
}

/// Reports a payment that ends by itself as still pending after a call.
fn put_off(asked: &ObservedRequest<'_>, message: &mut Message, call: &str) {
    if asked.is(call) {
        asked.first_time(call);
    } else if asked.is("qr.status") && asked.knows(call) {
        message.set("status", "PENDING");
    }
}

fn sequences() -> Vec<Break> {
    breaks! {
        "no cancellation after a change of method" in "a-payment-with-another-method-is-extended-and-cancelled" => "qr.payment.cancelled":
            response(|asked, message| refused_after(asked, message, "change-method", "qr.cancel"));
        "no extension after a change of method" in "a-payment-with-another-method-is-extended-and-cancelled" => "qr.payment.extended":
            response(|asked, message| refused_after(asked, message, "change-method", "qr.extend"));
        "a change of method puts off the end of a test" in "a-test-payment-ends-in-its-time-whatever-is-done / another method" => "qr.test.time":
            response(|asked, message| put_off(asked, message, "change-method"));
        "an extension puts off the end of a test" in "a-test-payment-ends-in-its-time-whatever-is-done / an extension" => "qr.test.time":
            response(|asked, message| put_off(asked, message, "qr.extend"));
        "a test by QR code is paid out" in "a-qr-test-payment-is-not-transferred" => "transfers.only-production":
            response(|asked, message| if asked.is("qr.create") {
                asked.note("test", asked.text("refId"));
            } else if asked.is("transfers.detail") {
                message.records(|items| {
                    let mut ghost = items[0].clone();
                    ghost["ID Service"] = json!("ZZZZYYYYXXXX");
                    ghost["ID od klienta"] = json!(asked.recall("test"));
                    items.push(ghost);
                });
            });
        "what waits during a closing is counted in none" in "a-payment-that-waits-for-a-closing-counts-in-the-next"
            => "terminal.closing.totals.payments":
            response(|asked, message| if asked.is("closing") { message.set("batchData", json!([])) });
        "versions of records are compared as texts" in "a-record-is-known-by-its-id" => "device.transactions.syncVersion.higher":
            onward(|asked, message| if asked.is("device.transactions")
                && let Some(Value::Array(records)) = message.fields.get_mut("transactions") {
                    records.iter_mut().filter(|record| record["syncVersion"] == 10).for_each(|record| record["syncVersion"] = json!(1));
                });
    }
}

/// Changes the refunds of a status.
fn refunds(asked: &ObservedRequest<'_>, message: &mut Message, change: impl FnOnce(&mut Vec<Value>)) {
    if let Some(Value::Array(refunds)) = message.fields.get_mut("refunds").filter(|_| asked.is("qr.status")) {
        change(refunds);
    }
}

fn lists() -> Vec<Break> {
    breaks! {
        "ten refunds at most" in REFUNDS => "qr.status.refunds.order":
            response(|asked, message| refunds(asked, message, |refunds| refunds.truncate(10)));
        "the last ten refunds" in REFUNDS => "qr.status.refunds.order":
            response(|asked, message| refunds(asked, message, |refunds| _ = refunds.drain(..refunds.len().saturating_sub(10))));
        "two refunds under one identifier in the list" in REFUNDS => "qr.refund.answer.transRefundId.unique":
            response(|asked, message| refunds(asked, message, |refunds| {
                let first = refunds.first().map(|refund| refund["transRefundId"].clone());
                refunds.iter_mut().for_each(|refund| refund["transRefundId"] = first.clone().into());
            }));
        "three transfers of a day at most" in SEVERAL => "transfers.list.day":
            response(|asked, message| if asked.is("transfers.list") { message.records(|transfers| transfers.truncate(3)) });
        "three files of a day at most" in SEVERAL => "transfers.csvDay.files":
            response(|asked, message| if asked.is("csvDay") { message.archive(|files| files.truncate(3)) });
    }
}

/// Asks for the file in another encoding.
fn in_windows_1250(path: &str) -> String {
    let separator = if path.contains('?') { '&' } else { '?' };
    format!("{}{separator}encoding=win1250", path.replace("encoding=utf8", ""))
}

fn representations() -> Vec<Break> {
    breaks! {
        "windows-1250 by default" in UTF8 => "transfers.abo.encoding.default":
            way(|asked, path| if asked.is("abo") && asked.query_parameter("encoding").is_empty() { in_windows_1250(path) } else { path.to_owned() });
        "windows-1250 in place of UTF-8" in UTF8 => "transfers.abo.encoding.utf8":
            way(|asked, path| if asked.query_parameter("encoding") == "utf8" { in_windows_1250(path) } else { path.to_owned() });
        "an outage of the gateway that is not listed" in "an-outage-of-the-gateway-is-listed" => "status.outages.current":
            response(|asked, message| if asked.is("health") { message.set("gateway", json!("OUTAGE")) });
    }
}
