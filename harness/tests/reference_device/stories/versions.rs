//! Version markers: "the client compares a version and re-downloads", once for each different value.

use serde_json::{Value, json};

use crate::app::{App, NotAllowed, Stop, VERSION_CODE};
use crate::stage::{Fault, Stage, altered};

async fn checks_in(stage: &Stage, app: &mut App) -> Vec<&'static str> {
    assert_eq!(app.check_in(stage.now()).await, Ok(()));
    stage.calls()
}

const QUIET: [&str; 1] = ["device.authenticate"];

pub async fn another_config_version_downloads_the_configuration_once(stage: Stage) {
    let mut app = stage.device().await;
    assert_eq!(checks_in(&stage, &mut app).await, QUIET, "nothing has changed");
    stage.configures(json!({ "tip": { "percentages": [7] } })).await;
    assert_eq!(checks_in(&stage, &mut app).await, ["device.authenticate", "device.config"]);
    assert_eq!(app.tips(), [7]);
    app.restart();
    assert_eq!(checks_in(&stage, &mut app).await, QUIET, "the version is stored");
}

pub async fn a_lower_config_version_differs_too(stage: Stage) {
    let mut app = stage.device().await;
    stage.next("device.authenticate", altered(|response| response["configVersion"] = json!(0)));
    assert_eq!(checks_in(&stage, &mut app).await, ["device.authenticate", "device.config"]);
}

pub async fn a_download_that_fails_is_tried_again(stage: Stage) {
    let mut app = stage.device().await;
    stage.configures(json!({ "tip": { "percentages": [7] } })).await;
    stage.world("operator.stocks", json!({ "merchant": "100001", "items": [{ "id": "coffee" }] })).await;
    for operation in ["device.config", "device.catalog"] {
        stage.world("gateway.fails", json!({ "operation": operation, "code": "INTERNAL_ERROR" })).await;
        assert_eq!(app.check_in(stage.now()).await, Err(Stop::BacksOff));
        stage.passes(60).await;
    }
    stage.calls();
    assert_eq!(checks_in(&stage, &mut app).await, ["device.authenticate", "device.catalog"]);
    assert_eq!((app.tips(), &app.memory.catalog["items"][0]["id"]), (vec![7], &json!("coffee")));
    assert_eq!(checks_in(&stage, &mut app).await, QUIET);
}

pub async fn another_catalog_version_downloads_the_catalog_once(stage: Stage) {
    let mut app = stage.device().await;
    stage.world("operator.stocks", json!({ "merchant": "100001", "items": [{ "id": "tea", "price": 3500 }] })).await;
    assert_eq!(checks_in(&stage, &mut app).await, ["device.authenticate", "device.catalog"]);
    assert_eq!(app.memory.catalog["items"][0]["price"], 3500);
    app.restart();
    assert_eq!(checks_in(&stage, &mut app).await, QUIET);
    stage.next("device.authenticate", altered(|response| response["catalogVersion"] = json!(0)));
    assert_eq!(checks_in(&stage, &mut app).await, ["device.authenticate", "device.catalog"], "a lower version differs too");
}

async fn sells_and_uploads(stage: &Stage, app: &mut App) -> String {
    let id = app.sell(10_000, None, stage.now()).unwrap();
    app.upload(stage.now()).await.unwrap();
    stage.calls();
    id
}

async fn matches(stage: &Stage, app: &App, id: &str) -> i64 {
    let response = stage.world("operator.matches-codes", json!({ "deviceId": app.memory.device_id, "id": id })).await;
    response["paymentCodesAt"].as_i64().unwrap()
}

/// The queries of the calls for payment codes.
fn queries(stage: &Stage) -> Vec<String> {
    stage.asked().into_iter().filter(|call| call.name == "device.payment-codes").map(|call| call.query).collect()
}

pub async fn payment_codes_are_fetched_since_the_stored_marker(stage: Stage) {
    let mut app = stage.device().await;
    let (first, second) = (sells_and_uploads(&stage, &mut app).await, sells_and_uploads(&stage, &mut app).await);
    assert_eq!(checks_in(&stage, &mut app).await, QUIET, "null: nothing is matched yet");
    let marker = matches(&stage, &app, &first).await;
    app.check_in(stage.now()).await.unwrap();
    assert_eq!(queries(&stage), [""], "nothing is stored to begin with");
    app.restart();
    assert_eq!(checks_in(&stage, &mut app).await, QUIET, "the marker is stored");
    stage.passes(60).await;
    matches(&stage, &app, &second).await;
    app.check_in(stage.now()).await.unwrap();
    assert_eq!(queries(&stage), [format!("since={marker}")]);
    let ids: Vec<&Value> = app.memory.codes.iter().map(|pair| &pair["id"]).collect();
    assert_eq!(ids, [&json!(first), &json!(second)], "each code once");
}

pub async fn an_empty_list_of_codes_ends_the_asking(stage: Stage) {
    let mut app = stage.device().await;
    let id = sells_and_uploads(&stage, &mut app).await;
    let marker = matches(&stage, &app, &id).await;
    stage.next("device.authenticate", altered(move |response| response["paymentCodesAt"] = json!(marker + 5_000)));
    app.check_in(stage.now()).await.unwrap();
    assert_eq!(queries(&stage), [String::new(), format!("since={marker}")], "one list with codes, one without");
    assert_eq!(app.memory.versions.payment_codes_at, Some(marker), "the current marker");
}

pub async fn codes_that_did_not_come_are_fetched_again(stage: Stage) {
    let mut app = stage.device().await;
    let id = sells_and_uploads(&stage, &mut app).await;
    matches(&stage, &app, &id).await;
    stage.next("device.payment-codes", Fault::HangsUp);
    assert_eq!(app.check_in(stage.now()).await, Err(Stop::BacksOff));
    stage.passes(30).await;
    assert_eq!(app.check_in(stage.now()).await, Ok(()));
    assert_eq!(app.memory.codes.len(), 1);
}

pub async fn below_the_lowest_version_the_app_locks_itself(stage: Stage) {
    let mut app = stage.device().await;
    for (lowest, locks) in [(json!(VERSION_CODE), false), (json!(VERSION_CODE + 1), true), (json!(VERSION_CODE - 1), false)] {
        stage.world("operator.requires-app", json!({ "minAppVersionCode": lowest })).await;
        app.check_in(stage.now()).await.unwrap();
        let sold = app.sell(10_000, None, stage.now()).err();
        assert_eq!((app.wants_update(), sold), (locks, locks.then_some(NotAllowed::Locked)), "{lowest}");
        app.restart();
        assert_eq!(app.is_locked(), locks, "a restart unlocks nothing");
    }
}

pub async fn a_locked_app_learns_of_its_unlocking_from_authenticate(stage: Stage) {
    stage.world("operator.requires-app", json!({ "minAppVersionCode": VERSION_CODE + 1 })).await;
    let mut app = stage.app();
    app.start(crate::app::POS, stage.now()).await.unwrap();
    // Told by the configuration of the activation.
    assert!(app.is_locked());
    app.check_in(stage.now()).await.unwrap();
    assert!(app.is_locked());
    stage.world("operator.requires-app", json!({ "minAppVersionCode": null })).await;
    stage.calls();
    assert_eq!(checks_in(&stage, &mut app).await, QUIET, "the configuration is not downloaded");
    assert!(!app.is_locked());
}
