//! Uploads of transactions.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::app::{App, Stop};
use crate::stage::{Call, Fault, NOTHING, Stage, altered};

fn sells(app: &mut App, stage: &Stage, count: usize) {
    for _ in 0..count {
        app.sell(10_000, None, stage.now()).unwrap();
    }
}

fn records(call: &Call) -> &Vec<Value> {
    call.body["transactions"].as_array().unwrap()
}

/// The sizes of the batches that were uploaded.
fn sizes(stage: &Stage) -> Vec<usize> {
    stage.asked().iter().filter(|call| call.name == "device.transactions").map(|call| records(call).len()).collect()
}

fn open(app: &App) -> Vec<&str> {
    app.memory.records.iter().filter(|record| !record.is_synchronized()).map(|record| record.id.as_str()).collect()
}

pub async fn a_batch_has_at_most_50_transactions(stage: Stage) {
    let mut app = stage.device().await;
    sells(&mut app, &stage, 120);
    app.upload(stage.now()).await.unwrap();
    assert_eq!(sizes(&stage), [50, 50, 20]);
    assert_eq!((open(&app).len(), stage.uploaded(&app, "transactions").await.len()), (0, 120));
    app.upload(stage.now()).await.unwrap();
    assert_eq!(stage.calls(), NOTHING, "nothing is left to upload");
}

pub async fn only_accepted_ids_are_marked_as_synchronized(stage: Stage) {
    let mut app = stage.device().await;
    sells(&mut app, &stage, 4);
    // Of four, one is rejected, one is not spoken of, and a fifth is accepted that nobody has sent.
    let receipt = json!({ "accepted": ["sale-0001", "sale-0002", "sale-0005"], "rejected": [{ "id": "sale-0003" }], "truncated": true });
    stage.next("device.transactions", Fault::Answers(200, receipt));
    app.upload(stage.now()).await.unwrap();
    assert_eq!(open(&app), ["sale-0003", "sale-0004"]);
    sells(&mut app, &stage, 1);
    stage.calls();
    app.upload(stage.now()).await.unwrap();
    assert_eq!(sizes(&stage), [3], "what was not accepted is uploaded again, and what is new");
    assert_eq!(open(&app), NOTHING);
}

pub async fn an_id_that_was_not_sent_is_not_marked(stage: Stage) {
    let mut app = stage.device().await;
    sells(&mut app, &stage, 51);
    // The first batch holds fifty; the second one never gets there.
    stage.next("device.transactions", altered(|receipt| receipt["accepted"].as_array_mut().unwrap().push(json!("sale-0051"))));
    stage.next("device.transactions", Fault::HangsUp);
    assert_eq!(app.upload(stage.now()).await, Err(Stop::BacksOff));
    assert_eq!(open(&app), ["sale-0051"]);
}

pub async fn what_arrived_before_trouble_is_synchronized(stage: Stage) {
    let mut app = stage.device().await;
    sells(&mut app, &stage, 70);
    let nothing_odd = altered(|_| {});
    stage.next("device.transactions", nothing_odd);
    stage.next("device.transactions", Fault::LosesTheAnswer);
    assert_eq!(app.upload(stage.now()).await, Err(Stop::BacksOff));
    assert_eq!(open(&app).len(), 20, "the second batch may have arrived, but nobody said so");
    stage.passes(30).await;
    stage.calls();
    app.upload(stage.now()).await.unwrap();
    assert_eq!(sizes(&stage), [20]);
    assert_eq!(stage.uploaded(&app, "transactions").await.len(), 70, "the same records again are the same records");
}

/// Something that changes a transaction.
type Change = fn(&mut App, &str, Timestamp);

const CHANGES: [(&str, Change, (&str, &str)); 4] = [
    ("a refunded amount", |app, id, _| app.refund(id, 4_000).unwrap(), ("refundedAmount", "4000")),
    ("a document", |app, id, _| assert!(app.issue_document(id).is_some()), ("documentNumber", "\"01000001\"")),
    ("a reversal", |app, id, _| app.reverse(id).unwrap(), ("status", "\"REVERSED\"")),
    ("a closing", |app, _, now| app.close(now), ("closingId", "\"closing-0001\"")),
];

pub async fn a_changed_record_is_uploaded_again_with_a_higher_sync_version(stage: Stage) {
    let mut app = stage.device().await;
    let id = app.sell(10_000, None, stage.now()).unwrap();
    app.upload(stage.now()).await.unwrap();
    for (version, (what, change, (field, value))) in (2..).zip(CHANGES) {
        change(&mut app, &id, stage.now());
        app.upload(stage.now()).await.unwrap();
        let stored = &stage.uploaded(&app, "transactions").await[0];
        assert_eq!((&stored["syncVersion"], stored[field].to_string().as_str()), (&json!(version), value), "{what}");
        assert_eq!(open(&app), NOTHING, "{what}");
    }
    stage.calls();
    app.upload(stage.now()).await.unwrap();
    assert_eq!(stage.calls(), NOTHING, "unchanged");
}
