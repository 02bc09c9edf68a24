//! Lies about what is repeated: texts of records that come again, batches with a record twice, long lists of refunds.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::Break;
use crate::support::proxy::{Message, ObservedRequest};

const MANY: &str = "a-payment-lists-120-refunds";
const RAW: &str = "a-higher-sync-version-replaces-the-raw-text-too";
const TWICE: &str = "a-batch-of-51-with-one-record-twice-is-truncated";

pub fn all() -> Vec<Break> {
    [records(), refunds()].into_iter().flatten().collect()
}

/// Changes the records that come again, on their way to the emulator.
fn again(asked: &ObservedRequest<'_>, message: &mut Message, change: fn(&mut Value)) {
    if asked.is("device.transactions")
        && let Some(records) = message.fields.get_mut("transactions").and_then(Value::as_array_mut)
    {
        records.iter_mut().filter(|record| record["syncVersion"] == 2).for_each(change);
    }
}

fn records() -> Vec<Break> {
    breaks! {
        "a record keeps the raw text that it came with first" in RAW => "device.transactions.syncVersion.higher":
            onward(|asked, message| again(asked, message, |record| record["rawJson"] = json!("{\"first\": \"Espresso\"}")));
        "a record that comes again loses its raw text" in RAW => "device.transactions.syncVersion.higher":
            onward(|asked, message| again(asked, message, |record| {
                record.as_object_mut().unwrap().shift_remove("rawJson");
            }));
        "a record that comes twice in a batch counts once" in TWICE => "device.transactions.truncated.true":
            response(|asked, message| if let Some(records) = asked.fields.get("transactions").and_then(Value::as_array) {
                let ids: HashSet<String> = records.iter().map(|record| record["id"].to_string()).collect();
                if ids.len() <= 50 { message.replace("truncated", false) }
            });
    }
}

/// Changes the refunds that the status of a payment lists.
fn listed(asked: &ObservedRequest<'_>, message: &mut Message, change: fn(&mut Vec<Value>)) {
    if let Some(Value::Array(refunds)) = message.fields.get_mut("refunds").filter(|_| asked.is("qr.status")) {
        change(refunds);
    }
}

fn refunds() -> Vec<Break> {
    breaks! {
        "a hundred refunds are listed at most" in MANY => "qr.status.refunds.transRefundId.recovered":
            response(|asked, message| listed(asked, message, |refunds| refunds.truncate(100)));
        "the newest of more than a hundred refunds is listed first" in MANY => "qr.status.refunds.order":
            response(|asked, message| listed(asked, message, |refunds| if refunds.len() > 100 { refunds.reverse() }));
    }
}
