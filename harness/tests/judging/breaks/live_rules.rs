//! Lies that only a rule between two calls finds, in a shop of any kind: closings and reversals, files of whatever layout, expiries.

use serde_json::{Value, json};

use super::Break;
use crate::support::proxy::{Message, ObservedRequest};

const TOLD: &str = "a-closing-agrees-with-the-status-of-a-reversal";
const LEFT_OUT: &str = "a-closing-leaves-out-what-the-status-tells-as-reversed";
const OWN: &str = "a-closing-counts-its-own-terminal";
const FILES: &str = "a-statement-names-the-client-ids";
const TYPES: &str = "an-abo-statement-differs-by-its-type";
const WEEK: &str = "an-extended-payment-expires-after-seven-days";
const TOKEN: &str = "an-expired-token-is-exchanged";

pub fn all() -> Vec<Break> {
    [closings(), refunds(), files(), expiries(), records()].into_iter().flatten().collect()
}

/// Adds money to the totals of a closing.
fn counted_too(asked: &ObservedRequest<'_>, message: &mut Message, amount: i64) {
    let totals = message.fields.get_mut("batchData").filter(|_| asked.is("closing"));
    for total in totals.and_then(Value::as_array_mut).into_iter().flatten() {
        for (field, more) in [("creditsAmount", amount), ("creditsCount", 1)] {
            total[field] = json!(total[field].as_i64().unwrap_or_default() + more);
        }
    }
}

fn closings() -> Vec<Break> {
    breaks! {
        "left out of the closing, and not told as reversed" in TOLD => "terminal.payment.reversed.reported":
            response(|asked, message| if asked.is("terminal.status") { message.replace("reversed", false) });
        "reversed, and counted all the same" in LEFT_OUT => "terminal.closing.totals.reversals":
            response(|asked, message| counted_too(asked, message, 10000));
        "the money of another terminal is counted" in OWN => "terminal.closing.totals.payments":
            response(|asked, message| counted_too(asked, message, 77700));
        "a reference of ten characters" in "terminal / a-reference-comes-back-unchanged / a UUID" => "terminal.status.refId.value":
            response(|asked, message| if asked.is("terminal.status") { message.replace("refId", "7c9e6679-7") });
    }
}

fn refunds() -> Vec<Break> {
    breaks! {
        "a refund of yesterday is cancelled" in "a-refund-is-not-cancelled-the-next-day" => "terminal.refund.cancel.same-day":
            response(|asked, message| if asked.is("refund.cancel") && !message.succeeds() { message.accept() });
        "no refund is cancelled after a closing" in "a-refund-is-cancelled-after-a-closing" => "terminal.refund.cancel.same-day":
            response(|asked, message| if asked.is("refund.cancel") { message.refuse(1400) });
    }
}

fn files() -> Vec<Break> {
    breaks! {
        "a table of something else" in FILES => "transfers.csv.download.file":
            response(|asked, message| if asked.is("csv") && asked.query_parameter("download") == "true" { message.raw("a;b\r\n1;2\r\n") });
        "one file for two transfers" in FILES => "transfers.csvDay.files":
            response(|asked, message| if asked.is("csvDay") { message.archive(|files| _ = files.pop()) });
        "the day before, once more" in "a-day-has-nothing-of-another-day" => "transfers.csvDay.one-day":
            response(|asked, message| if asked.is("csvDay") {
                message.archive(|files| {
                    let last = files[0].1.clone();
                    files[0].1 = String::from_utf8(last).unwrap().replace(";\"b", ";\"a").into_bytes();
                });
            });
        "v1 whatever is asked for" in TYPES => "transfers.abo.type.v2":
            way(|_, path| path.replace("type=v2", "type=v1"));
        "v2 unless v1 is asked for" in TYPES => "transfers.abo.type.default":
            way(|asked, path| if asked.is("abo") && asked.query_parameter("type").is_empty() { format!("{path}?type=v2") } else { path.to_owned() });
        "a page where a file is asked for" in TYPES => "transfers.abo.download.file":
            response(|asked, message| if asked.is("abo") && asked.query_parameter("download") == "true" {
                message.raw("<!DOCTYPE html><title>Login</title>");
            });
        "a detail of one payment" in TYPES => "transfers.detail.array":
            response(|asked, message| if asked.is("transfers.detail") { message.records(|records| records.truncate(1)) });
        "paid before it was created" in "the-detail-tells-its-times-in-order" => "transfers.detail.paid.value":
            response(|asked, message| if asked.is("transfers.detail") {
                message.each(|item| item["Datum zaplacení"] = json!("2020-01-01 10:00:00"));
            });
    }
}

fn expiries() -> Vec<Break> {
    breaks! {
        "nothing expires" in WEEK => "qr.payment.expired":
            response(|asked, message| if asked.is("qr.status") && message.get("status") == "CANCELLED" { message.replace("status", "PENDING") });
        "another reason" in WEEK => "qr.status.reason.customer-timeout":
            response(|asked, message| if asked.is("qr.status") { message.replace("paymentRejectedReason", "Provider timeout") });
        "seven days are no time" in WEEK => "qr.payment.extended":
            response(|asked, message| if asked.is("qr.status") { message.replace("status", "CANCELLED") });
        "a day more each time" in "an-extension-repeated-at-once" => "qr.extend.idempotent":
            response(|asked, message| if asked.is("qr.extend") && !asked.first_time("extended") { message.replace("expiration", "2030-01-01T10:00:00Z") });
        "a paid payment is extended" in "a-paid-payment-is-not-extended-further" => "qr.payment.extend-of-paid":
            response(|asked, message| if asked.is("qr.extend") && message.get("status") == "PAID" { message.set("expiration", "2030-01-01T10:00:00Z") });
        "a token for ever" in TOKEN => "qr.token.expired":
            response(|asked, message| if asked.is("qr.methods") && !message.fulfils() { message.becomes_a_response(&json!({ "methods": [] })) });
    }
}

fn records() -> Vec<Break> {
    breaks! {
        "51 records are refused" in "a-batch-of-51-is-truncated" => "device.transactions.truncated.true":
            response(|asked, message| if asked.fields.get("transactions").and_then(Value::as_array).is_some_and(|records| records.len() > 50) {
                message.objects(asked, 400, "INVALID_REQUEST");
            });
    }
}
