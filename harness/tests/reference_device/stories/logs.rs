//! Diagnostics for support.

use serde_json::{Value, json};

use crate::app::{App, Stop};
use crate::stage::{Fault, Stage, altered};

async fn asks(stage: &Stage, app: &App, days: u32) -> Value {
    let response = stage.world("operator.requests-logs", json!({ "deviceId": app.memory.device_id, "days": days })).await;
    response["requestId"].clone()
}

/// The bodies of the uploads of logs.
fn envelopes(stage: &Stage) -> Vec<Value> {
    stage.asked().into_iter().filter(|call| call.name == "device.logs").map(|call| call.body).collect()
}

pub async fn support_gets_the_logs_it_asked_for(stage: Stage) {
    let mut app = stage.device().await;
    app.note("four days ago", stage.now());
    stage.passes(24 * 60 * 60).await;
    app.note("three days ago", stage.now());
    stage.passes(3 * 24 * 60 * 60).await;
    app.note("today", stage.now());
    let request = asks(&stage, &app, 3).await;
    assert_eq!(app.check_in(stage.now()).await, Ok(()));
    let envelopes = envelopes(&stage);
    assert_eq!(envelopes.len(), 1);
    let envelope = &envelopes[0];
    assert_eq!(envelope["requestId"], request);
    let lines = envelope["logs"].as_array().unwrap();
    assert_eq!(lines.iter().map(|line| &line["level"]).collect::<Vec<_>>(), ["DEBUG", "DEBUG", "DEBUG"]);
    let messages: Vec<_> = lines.iter().map(|line| line["message"].as_str().unwrap()).collect();
    assert_eq!(messages, ["three days ago", "today", "support asked for the log"]);
    assert_eq!(stage.uploaded(&app, "logs").await, *lines);
    app.check_in(stage.now()).await.unwrap();
    assert_eq!(stage.calls(), ["device.authenticate"], "the request is done");
}

pub async fn a_handled_request_is_ignored(stage: Stage) {
    let mut app = stage.device().await;
    let request = asks(&stage, &app, 1).await;
    app.check_in(stage.now()).await.unwrap();
    stage.calls();
    app.restart();
    let again = request.clone();
    stage.next("device.authenticate", altered(move |response| response["requestDebugLogs"] = json!({ "requestId": again, "days": 1 })));
    app.check_in(stage.now()).await.unwrap();
    assert_eq!(stage.calls(), ["device.authenticate"]);
    let another = asks(&stage, &app, 1).await;
    app.check_in(stage.now()).await.unwrap();
    assert_eq!(envelopes(&stage).iter().map(|e| &e["requestId"]).collect::<Vec<_>>(), [&another]);
    assert_ne!(another, request);
}

pub async fn a_request_is_handled_when_its_logs_have_arrived(stage: Stage) {
    let mut app = stage.device().await;
    asks(&stage, &app, 1).await;
    stage.next("device.logs", Fault::HangsUp);
    assert_eq!(app.check_in(stage.now()).await, Err(Stop::BacksOff));
    stage.passes(30).await;
    stage.calls();
    app.check_in(stage.now()).await.unwrap();
    assert_eq!(envelopes(&stage).len(), 1);
}

pub async fn a_request_in_a_sync_response_is_heeded(stage: Stage) {
    let mut app = stage.device().await;
    let request = asks(&stage, &app, 1).await;
    app.sell(10_000, None, stage.now()).unwrap();
    app.upload(stage.now()).await.unwrap();
    assert_eq!(envelopes(&stage).iter().map(|e| &e["requestId"]).collect::<Vec<_>>(), [&request]);
    app.check_in(stage.now()).await.unwrap();
    assert_eq!(stage.calls(), ["device.authenticate"]);
}
