//! The control API: worlds, their time, their faults.

use crate::common::{World, valid_form};
use http::StatusCode;
use serde_json::{Value, json};

#[tokio::test]
async fn the_same_calls_in_a_virtual_world_give_the_same_bytes() {
    let say = async || {
        let world = World::open(json!({ "name": "twin", "seed": 7 })).await;
        let id = world.paid(json!({})).await;
        (world.status(&id).await.to_string(), world.see("/payments").await.to_string())
    };
    assert_eq!(say().await, say().await);
}

#[tokio::test]
async fn worlds_know_nothing_of_each_other() {
    let one = World::open(json!({ "seed": 1 })).await;
    let other = one.beside(json!({ "seed": 2 })).await;
    let id = one.created(json!({})).await;
    assert_eq!(one.status(&id).await["code"], 0);
    assert_eq!(other.status(&id).await["code"], 1400);
    assert_eq!(other.see("").await["payments"], 0);
}

#[tokio::test]
async fn a_name_is_given_once_and_free_again_after_deletion() {
    let world = World::open(json!({ "name": "mine" })).await;
    assert_eq!(world.json("POST", "/__emulator/worlds", &json!({ "name": "mine" })).await.0, StatusCode::CONFLICT);
    assert_eq!(world.json("DELETE", "/__emulator/worlds/mine", &json!({})).await.0, StatusCode::NO_CONTENT);
    assert_eq!(world.json("GET", "/__emulator/worlds/mine", &json!({})).await.0, StatusCode::NOT_FOUND);
    assert_eq!(world.json("POST", "/__emulator/worlds", &json!({ "name": "mine" })).await.0, StatusCode::CREATED);
}

#[tokio::test]
async fn a_list_is_no_body_of_a_call() {
    let world = World::default().await;
    let (status, response) = world.json("POST", "/__emulator/worlds", &json!([null, null])).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(response["error"].as_str().unwrap().contains("a JSON object is expected"), "{response}");
}

#[tokio::test]
async fn the_default_world_is_reset_not_deleted() {
    let world = World::default().await;
    let (status, response) = world.json("DELETE", "/__emulator/worlds/default", &json!({})).await;
    assert_eq!(status, StatusCode::CONFLICT);
    assert!(response["error"].as_str().unwrap().contains("world.resets"));
}

#[tokio::test]
async fn a_reset_forgets_everything() {
    let world = World::default().await;
    let first = world.created(json!({})).await;
    world.act("world.resets", json!({})).await;
    assert_eq!(world.see("").await["payments"], 0);
    assert_eq!(world.created(json!({})).await, first, "the identifiers start over");
}

/// A client knows no other identifier than the one that it was given.
#[tokio::test]
async fn the_control_api_speaks_of_payments_as_the_apis_do() {
    for alternative in ["small", "long"] {
        let world = World::open(json!({ "freedoms": { "http.identifiers": alternative } })).await;
        let id = world.paid(json!({})).await;
        assert_eq!(world.see(&format!("/payments/{id}")).await["transId"], id.as_str(), "{alternative}");
        assert_eq!(world.see("/payments").await["payments"][0]["transId"], id.as_str());
    }
}

#[tokio::test]
async fn mistakes_are_reported_in_a_sentence() {
    let world = World::default().await;
    let error = async |action: &str, body: Value| {
        let (status, response) = world.try_act(action, body).await;
        (status.as_u16(), response["error"].as_str().unwrap_or_default().to_owned())
    };
    let (status, sentence) = error("payer.pay", json!({})).await;
    assert_eq!((status, sentence.contains("`payer.pays`")), (404, true), "{sentence}");
    let (status, sentence) = error("payer.pays", json!({ "transId": "AAAA-BBBB-CCCC", "amount": 1 })).await;
    assert_eq!((status, sentence.contains("amount")), (400, true), "{sentence}");
    assert_eq!(error("payer.pays", json!({ "transId": "AAAA-BBBB-CCCC" })).await.0, 404);
    assert_eq!(error("payer.fails", json!({ "transId": "AAAA-BBBB-CCCC", "reason": "BAD_LUCK" })).await.0, 400);
    assert_eq!(error("gateway.fails", json!({ "operation": "gateway.v1.cancel", "code": 1200 })).await.0, 400);
    assert_eq!(error("clock.advances", json!({})).await.0, 400);
    for settings in [
        json!({ "colour": "red" }),
        json!({ "error-status": 99 }),
        json!({ "name": "a/b" }),
        json!({ "trust": "me" }),
        json!({ "allowed-addresses": ["here"] }),
        json!({ "merchants": [{ "merchant": "1" }, { "merchant": "1" }] }),
        json!({ "merchants": [{ "merchant": "1" }, { "merchant": "2", "terminal": "T1" }] }),
        json!({ "merchants": [{ "merchant": "1", "terminal-status": "ASLEEP" }] }),
        json!({ "merchants": [{ "merchant": "1", "notification-url": "ftp://shop.test/" }] }),
    ] {
        let (status, response) = world.json("POST", "/__emulator/worlds", &settings).await;
        assert_eq!((status, response["error"].is_string()), (StatusCode::BAD_REQUEST, true), "{settings}");
    }
    let (status, response) = world.json("GET", "/__emulator/worlds/%ef", &json!({})).await;
    assert_eq!((status, response["error"].is_string()), (StatusCode::BAD_REQUEST, true), "{response}");
    let paid = world.paid(json!({})).await;
    assert_eq!(error("payer.pays", json!({ "transId": paid })).await.0, 409);
    assert_eq!(error("notification.resends", json!({ "transId": world.created(json!({})).await })).await.0, 409);
}

#[tokio::test]
async fn every_documented_code_can_be_had_by_a_fault_and_changes_nothing() {
    let world = World::default().await;
    for code in
        [1100, 1102, 1103, 1104, 1107, 1200, 1301, 1303, 1304, 1305, 1306, 1308, 1309, 1310, 1311, 1316, 1317, 1319, 1399, 1400, 1500]
    {
        world.act("gateway.fails", json!({ "operation": "gateway.v1.create", "code": code })).await;
        assert_eq!(world.v1("create", &valid_form()).await["code"], code.to_string());
    }
    assert_eq!(world.see("").await["payments"], 0);
    assert_eq!(world.v1("create", &valid_form()).await["code"], "0");
}

#[tokio::test(start_paused = true)]
async fn a_stalled_call_is_carried_out_and_its_response_is_late() {
    let world = World::default().await;
    world.act("gateway.stalls", json!({ "operation": "gateway.v1.create", "seconds": 2.5 })).await;
    let started = tokio::time::Instant::now();
    assert_eq!(world.v1("create", &valid_form()).await["code"], "0");
    assert_eq!(started.elapsed().as_secs_f64(), 2.5);
    world.v1("create", &valid_form()).await;
    assert_eq!(started.elapsed().as_secs_f64(), 2.5, "only once");
}

#[tokio::test]
async fn troubles_of_the_wire_are_placed_on_known_operations_and_bounded() {
    let world = World::default().await;
    for seconds in [json!(-1), json!(60.1), json!("1")] {
        let body = json!({ "operation": "gateway.v1.create", "seconds": seconds });
        assert_eq!(world.try_act("gateway.stalls", body).await.0, StatusCode::BAD_REQUEST);
    }
    assert_eq!(world.try_act("gateway.disconnects", json!({ "operation": "gateway.v1.crate" })).await.0, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_payment_expires_when_its_time_has_passed() {
    let world = World::default().await;
    let id = world.created(json!({ "expirationTime": "30m" })).await;
    world.act("clock.advances", json!({ "seconds": 1799 })).await;
    assert_eq!(world.status(&id).await["status"], "PENDING");
    let response = world.act("clock.advances", json!({ "to": "2026-01-15T12:30:00Z" })).await;
    assert_eq!(response["now"], "2026-01-15T12:30:00Z");
    assert_eq!(world.status(&id).await["paymentErrorReason"], "CUSTOMER_TIMEOUT");
}

#[tokio::test]
async fn real_time_is_not_advanced_and_virtual_time_not_turned_back() {
    let world = World::default().await;
    assert_eq!(world.try_act("clock.advances", json!({ "to": "2020-01-01T00:00:00Z" })).await.0, StatusCode::CONFLICT);
    let real = world.beside(json!({ "clock": "real" })).await;
    assert_eq!(real.try_act("clock.advances", json!({ "seconds": 1 })).await.0, StatusCode::CONFLICT);
}

#[tokio::test]
async fn a_merchant_changes_its_settings_while_the_world_runs() {
    let world = World::default().await;
    world.act("merchant.changes", json!({ "merchant": "100001", "recurring": false })).await;
    let mut form = valid_form();
    form.insert("initRecurring".into(), "true".into());
    assert_eq!(world.v1("create", &form).await["code"], "1316");
    assert_eq!(world.v1("create", &valid_form()).await["code"], "0", "the secret has stayed");
    assert_eq!(world.try_act("merchant.changes", json!({ "merchant": "100001", "nope": 1 })).await.0, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn only_allowed_addresses_are_accepted() {
    let world = World::open(json!({ "allowed-addresses": ["10.0.0.1"] })).await;
    assert_eq!(world.v1("create", &valid_form()).await["code"], "1400");
    let mut by_payer = valid_form();
    by_payer.remove("prepareOnly");
    by_payer.remove("secret");
    let redirected = world.v1_bytes("create", "application/x-www-form-urlencoded", crate::common::encode(&by_payer)).await;
    assert_eq!(redirected.status(), StatusCode::FOUND, "payers come from anywhere");
    let local = world.beside(json!({ "allowed-addresses": ["127.0.0.1"] })).await;
    assert_eq!(local.v1("create", &valid_form()).await["code"], "0");
}

#[tokio::test]
async fn finished_payments_beyond_those_to_keep_are_forgotten() {
    let world = World::open(json!({ "keep-finished": 2 })).await;
    let first = world.paid(json!({})).await;
    for _ in 0..2 {
        world.paid(json!({})).await;
    }
    assert_eq!(world.see("").await["payments"], 2);
    assert_eq!(world.status(&first).await["code"], 1400);
}

#[tokio::test]
async fn secrets_are_never_shown() {
    let world = World::default().await;
    assert!(!world.see("").await.to_string().contains("secret-100001"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn payments_created_at_the_same_time_have_codes_of_their_own() {
    let world = std::sync::Arc::new(World::default().await);
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let world = std::sync::Arc::clone(&world);
            tokio::spawn(async move {
                for _ in 0..50 {
                    world.created(json!({})).await;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(world.see("").await["payments"], 400);
}
