//! The cash-register device API on the wire.

use crate::common::pos::{DEVICE, Register, bearer, code, valid_activation};
use crate::common::{World, basic, with};
use http::StatusCode;
use serde_json::{Value, json};

fn softpos() -> Value {
    json!({ "platform": "SOFTPOS", "activationCode": "AC100001" })
}

/// The connection of the first POS.
async fn first_connection(world: &World) -> Value {
    world.act("operator.lists", json!({ "merchant": "100001" })).await["connections"][0]["connectionId"].clone()
}

#[tokio::test]
async fn an_activation_gives_token_device_and_configuration() {
    let world = World::default().await;
    let (status, pos) = world.activate(&with(valid_activation(), json!({ "appVersion": "1.2.3" }))).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(
        pos.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["deviceToken", "deviceId", "configVersion", "connectionState", "config"]
    );
    assert_eq!((&pos["config"]["serialNumber"], &pos["config"]["documentDeviceCode"]), (&json!("SN100001"), &json!("01")));
    let (_, soft) = world.activate(&softpos()).await;
    assert_eq!((&soft["config"]["platform"], &soft["config"]["serialNumber"]), (&json!("SOFTPOS"), &Value::Null));
    assert_eq!((&soft["config"]["documentDeviceCode"], &soft["config"]["receiptPrint"]), (&json!("02"), &json!("OFF")));
    assert_ne!(pos["deviceId"], soft["deviceId"]);
    assert_eq!(world.see("/devices").await["devices"][0]["appVersion"], "1.2.3");
}

#[tokio::test]
async fn every_way_an_activation_fails_has_its_code() {
    let world = World::default().await;
    for (request, expected) in [
        (json!({}), (400, "INVALID_REQUEST")),
        (json!([]), (400, "INVALID_REQUEST")),
        (json!({ "platform": "POS" }), (400, "INVALID_REQUEST")),
        (json!({ "platform": "PHONE", "serialNumber": "SN100001" }), (400, "INVALID_REQUEST")),
        (json!({ "platform": "POS", "serialNumber": 7 }), (400, "INVALID_REQUEST")),
        (with(valid_activation(), json!({ "appVersion": "x".repeat(65) })), (400, "INVALID_REQUEST")),
        (with(valid_activation(), json!({ "activationCode": "AC100001" })), (400, "AMBIGUOUS_INPUT")),
        (with(softpos(), json!({ "serialNumber": "SN100001" })), (400, "AMBIGUOUS_INPUT")),
        (json!({ "platform": "SOFTPOS", "activationCode": "nope" }), (404, "ACTIVATION_CODE_UNKNOWN")),
        (json!({ "platform": "POS", "serialNumber": "nope" }), (404, "DEVICE_NOT_REGISTERED")),
    ] {
        assert_eq!(code(world.activate(&request).await), (expected.0, json!(expected.1)), "{request}");
    }
    assert_eq!(world.activate(&with(valid_activation(), json!({ "appVersion": "x".repeat(64) }))).await.0, StatusCode::OK);
}

#[tokio::test]
async fn what_the_operator_does_to_a_connection_forbids_its_activation() {
    for (action, expected) in [
        ("operator.blocks", (409, "ACTIVATION_BLOCKED")),
        ("operator.deactivates", (409, "CONNECTION_DEACTIVATED")),
        ("operator.unregisters", (404, "DEVICE_NOT_REGISTERED")),
    ] {
        let world = World::default().await;
        world.act(action, json!({ "connectionId": first_connection(&world).await })).await;
        assert_eq!(code(world.activate(&valid_activation()).await), (expected.0, json!(expected.1)), "{action}");
    }
}

#[tokio::test]
async fn a_new_connection_is_activated_once_it_is_ready() {
    let world = World::default().await;
    let terms = json!({ "merchant": "100001", "platform": "POS", "serialNumber": "SN9", "activationCode": "AC9", "ready": false });
    let id = world.act("operator.registers", terms.clone()).await["connectionId"].clone();
    let request = json!({ "platform": "POS", "serialNumber": "SN9" });
    assert_eq!(code(world.activate(&request).await), (409, json!("CONNECTION_NOT_READY")));
    let other_platform = json!({ "platform": "SOFTPOS", "activationCode": "AC9" });
    assert_eq!(code(world.activate(&other_platform).await), (400, json!("INVALID_REQUEST")), "the terminal is a POS");
    world.act("operator.readies", json!({ "connectionId": id })).await;
    let (status, activated) = world.activate(&request).await;
    assert_eq!((status, &activated["config"]["connectionId"]), (StatusCode::OK, &id));
    assert_eq!(world.try_act("operator.registers", terms.clone()).await.0, StatusCode::CONFLICT, "the names are taken");
    world.act("operator.deactivates", json!({ "connectionId": id })).await;
    let next = world.act("operator.registers", with(terms, json!({ "ready": true }))).await["connectionId"].clone();
    assert_eq!(world.activate(&request).await.1["config"]["connectionId"], next, "the app has to refuse this one");
}

#[tokio::test]
async fn activation_needs_the_bootstrap_user_of_the_merchant() {
    let world = World::open(json!({ "merchants": [{ "merchant": "100001" }, { "merchant": "100002" }] })).await;
    let activate = async |user: &str| code(world.pos("POST", &format!("{DEVICE}/activate"), user, valid_activation().to_string()).await);
    for user in ["", "Bearer x", &basic("device-100001", "wrong"), &basic("nobody", "secret-device-100001")] {
        assert_eq!(activate(user).await, (401, json!("UNAUTHORIZED")), "{user}");
    }
    assert_eq!(
        activate(&basic("device-100002", "secret-device-100002")).await,
        (404, json!("DEVICE_NOT_REGISTERED")),
        "of another merchant"
    );
}

#[tokio::test]
async fn the_last_issued_token_wins_and_the_previous_one_fails_at_once() {
    let world = World::default().await;
    let first = world.register().await;
    let second = world.register().await;
    assert_eq!(first.id, second.id);
    assert_eq!(code(world.exchange(&first.token).await), (401, json!("DEVICE_REVOKED")));
    assert_eq!(code(world.device("GET", "/config", &first.jwt, &Value::Null).await), (401, json!("DEVICE_REVOKED")));
    assert_eq!(world.device("GET", "/config", &second.jwt, &Value::Null).await.0, StatusCode::OK);
}

#[tokio::test]
async fn an_activation_code_is_used_up_by_the_first_token_exchange() {
    let world = World::default().await;
    assert_eq!(world.activate(&softpos()).await.0, StatusCode::OK);
    let (status, repeated) = world.activate(&softpos()).await;
    assert_eq!(status, StatusCode::OK, "the response was lost: repeating is safe");
    world.exchange(&repeated["deviceToken"]).await;
    assert_eq!(code(world.activate(&softpos()).await), (409, json!("ACTIVATION_CODE_USED")));
    assert_eq!(world.exchange(&repeated["deviceToken"]).await.0, StatusCode::OK, "the token stays good");
}

#[tokio::test]
async fn a_token_exchange_returns_all_versions() {
    let world = World::default().await;
    let (_, activated) = world.activate(&valid_activation()).await;
    let (status, exchanged) = world.exchange(&activated["deviceToken"]).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(
        with(exchanged.clone(), json!({ "token": "…" })),
        json!({
            "token": "…", "expiry": "2026-01-15T12:15:00Z", "configVersion": activated["configVersion"], "catalogVersion": 0,
            "paymentCodesAt": null, "connectionState": "ACTIVE", "minAppVersionCode": null,
        })
    );
    let with_body =
        async |body: &str| world.pos("POST", &format!("{DEVICE}/authenticate"), &bearer(&activated["deviceToken"]), body.to_owned()).await;
    assert_eq!(with_body(r#"{"appVersion":"2.0"}"#).await.0, StatusCode::OK);
    assert_eq!(world.see("/devices").await["devices"][0]["appVersion"], "2.0");
    let longer = json!({ "appVersion": "x".repeat(65) }).to_string();
    assert_eq!(code(with_body(&longer).await), (400, json!("INVALID_REQUEST")));
    assert_eq!(code(with_body("{").await), (400, Value::Null));
}

#[tokio::test]
async fn each_token_is_good_for_its_own_calls_only_and_for_its_own_time() {
    let world = World::open(json!({ "device-token-seconds": 60 })).await;
    let register = world.register().await;
    let config = async |token: &Value| world.device("GET", "/config", token, &Value::Null).await;
    assert_eq!(code(config(&register.token).await), (401, json!("UNAUTHORIZED")));
    assert_eq!(code(world.exchange(&register.jwt).await), (401, json!("UNAUTHORIZED")));
    for invalid in ["", "x"] {
        assert_eq!(code(config(&json!(invalid)).await), (401, json!("UNAUTHORIZED")));
    }
    world.advance(59).await;
    assert_eq!(config(&register.jwt).await.0, StatusCode::OK);
    world.advance(1).await;
    assert_eq!(code(config(&register.jwt).await), (401, json!("TOKEN_EXPIRED")));
    let (_, refreshed) = world.exchange(&register.token).await;
    assert_eq!(config(&refreshed["token"]).await.0, StatusCode::OK);
    let qr = world.qr_token_of("100001").await;
    assert_eq!(code(config(&json!(qr.trim_start_matches("Bearer "))).await), (401, json!("UNAUTHORIZED")), "a token of the other API");
}

async fn every_call(world: &World, register: &Register) -> Vec<(u16, Value)> {
    let mut responses = vec![code(world.exchange(&register.token).await)];
    for (method, path, body) in [
        ("GET", "/config", Value::Null),
        ("GET", "/transactions", Value::Null),
        ("POST", "/transactions", json!({ "transactions": [] })),
        ("POST", "/closings", json!({ "closings": [] })),
        ("POST", "/logs", json!({ "logs": [] })),
        ("GET", "/catalog", Value::Null),
    ] {
        responses.push(code(world.device(method, path, &register.jwt, &body).await));
    }
    responses
}

#[tokio::test]
async fn a_revoked_device_is_refused_at_once_on_every_call() {
    let world = World::default().await;
    let register = world.register().await;
    world.act("operator.revokes", json!({ "deviceId": register.id })).await;
    assert!(every_call(&world, &register).await.iter().all(|response| *response == (401, json!("DEVICE_REVOKED"))));
    let again = world.register().await;
    assert_eq!(world.device("GET", "/config", &again.jwt, &Value::Null).await.0, StatusCode::OK, "activated again it works again");
}

#[tokio::test]
async fn a_deactivated_connection_revokes_its_device() {
    let world = World::default().await;
    let register = world.register().await;
    world.act("operator.announces-deactivation", json!({ "connectionId": first_connection(&world).await })).await;
    assert_eq!(world.exchange(&register.token).await.1["connectionState"], "PENDING_DEACTIVATION");
    world.act("operator.deactivates", json!({ "connectionId": first_connection(&world).await })).await;
    assert!(every_call(&world, &register).await.iter().all(|response| *response == (401, json!("DEVICE_REVOKED"))));
    assert_eq!(code(world.activate(&valid_activation()).await), (409, json!("CONNECTION_DEACTIVATED")));
}

#[tokio::test]
async fn rates_are_limited_and_errors_made_as_set() {
    let world = World::default().await;
    let register = world.register().await;
    world.act("operator.limits-rate", json!({ "deviceId": register.id, "times": 7 })).await;
    assert!(every_call(&world, &register).await.iter().all(|response| *response == (429, json!("RATE_LIMITED"))));
    assert_eq!(world.exchange(&register.token).await.0, StatusCode::OK);
    world.act("gateway.fails", json!({ "operation": "device.config", "code": "INTERNAL_ERROR" })).await;
    assert_eq!(code(world.device("GET", "/config", &register.jwt, &Value::Null).await), (500, json!("INTERNAL_ERROR")));
    assert_eq!(world.device("GET", "/config", &register.jwt, &Value::Null).await.0, StatusCode::OK);
    let wrong = json!({ "operation": "device.config", "code": "NOPE" });
    assert_eq!(world.try_act("gateway.fails", wrong).await.0, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn invalid_json_is_rejected_before_dispatch_without_a_code() {
    let world = World::default().await;
    let register = world.register().await;
    for path in ["/activate", "/authenticate", "/transactions", "/closings", "/logs"] {
        for body in [&b"{"[..], b"{}{}", b"nope", b"\"\xff\"", b"{\"a\":}"] {
            let (status, response) = world.pos("POST", &format!("{DEVICE}{path}"), &bearer(&register.jwt), body).await;
            assert_eq!(status, StatusCode::BAD_REQUEST, "{path}");
            assert!(response["errorMessage"].is_string() && response.get("errorCode").is_none(), "{response}");
        }
    }
    let deep = [vec![b'['; 100_000], vec![b']'; 100_000]].concat();
    assert_eq!(code(world.pos("POST", &format!("{DEVICE}/logs"), &bearer(&register.jwt), deep).await), (400, json!("INVALID_REQUEST")));
    let large = vec![b' '; 8 * 1024 * 1024 + 1];
    assert_eq!(world.pos("POST", &format!("{DEVICE}/logs"), &bearer(&register.jwt), large).await.0, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn versions_change_when_the_operator_does_something() {
    let world = World::default().await;
    let register = world.register().await;
    let connection = json!({ "connectionId": first_connection(&world).await });
    let config = async || world.device("GET", "/config", &register.jwt, &Value::Null).await.1;
    let version = async || world.exchange(&register.token).await.1["configVersion"].as_i64().unwrap();
    let before = version().await;
    assert_eq!(config().await, register.activated["config"]);

    let change = with(connection.clone(), json!({ "config": { "qrMoreOptions": true, "tip": { "percentages": [10] } } }));
    world.act("operator.changes-config", change).await;
    assert_eq!((version().await, &config().await["tip"]), (before + 1, &json!({ "percentages": [10] })));
    world.act("operator.resets-pin", connection.clone()).await;
    world.act("operator.reports-terminal", connection.clone()).await;
    let changed = config().await;
    assert_eq!((&changed["pinResetAt"], &changed["terminalReportedAt"]), (&json!(1_768_478_400_000_i64), &json!(1_768_478_400_000_i64)));
    assert_eq!((version().await, changed["configVersion"].as_i64()), (before + 3, Some(before + 3)));

    world.act("operator.requires-app", json!({ "minAppVersionCode": 42 })).await;
    assert_eq!(
        (&world.exchange(&register.token).await.1["minAppVersionCode"], &config().await["minAppVersionCode"]),
        (&json!(42), &json!(42))
    );
    world.act("operator.requires-app", json!({ "minAppVersionCode": null })).await;
    assert_eq!(world.exchange(&register.token).await.1["minAppVersionCode"], Value::Null);
}

#[tokio::test]
async fn a_catalog_is_downloaded_again_when_its_version_differs() {
    let world = World::default().await;
    let register = world.register().await;
    let items = json!([{ "id": "coffee", "price": 4500 }, { "id": "tea", "price": 3900 }]);
    world.act("operator.stocks", json!({ "merchant": "100001", "items": items })).await;
    assert_eq!(world.exchange(&register.token).await.1["catalogVersion"], 2);
    let (_, catalog) = world.device("GET", "/catalog", &register.jwt, &Value::Null).await;
    assert_eq!(catalog["catalogVersion"], 2);
    assert_eq!(catalog["items"][1], json!({ "id": "tea", "price": 3900, "version": 2 }));
}

fn transaction(id: &str, changes: Value) -> Value {
    with(json!({ "id": id, "syncVersion": 1, "type": "SALE", "status": "APPROVED", "amount": 100, "currency": "CZK" }), changes)
}

async fn upload(world: &World, register: &Register, transactions: Vec<Value>) -> Value {
    let (status, receipt) = world.device("POST", "/transactions", &register.jwt, &json!({ "transactions": transactions })).await;
    assert_eq!(status, StatusCode::OK, "{receipt}");
    receipt
}

#[tokio::test]
async fn uploads_are_stored_by_identity_and_version() {
    let world = World::default().await;
    let register = world.register().await;
    let stored = async || world.act("operator.reads-transactions", json!({ "deviceId": register.id })).await["transactions"].clone();
    let receipt =
        upload(&world, &register, vec![transaction("a", json!({ "syncVersion": 2 })), transaction("b", json!({ "amount": 1.5 }))]).await;
    assert_eq!((&receipt["accepted"], &receipt["truncated"]), (&json!(["a"]), &json!(false)));
    assert_eq!(receipt["rejected"][0]["id"], "b");
    assert_eq!(
        upload(&world, &register, vec![transaction("a", json!({ "amount": 1 }))]).await["accepted"],
        json!(["a"]),
        "dropped, but acknowledged"
    );
    assert_eq!(stored().await[0]["amount"], 100);
    upload(
        &world,
        &register,
        vec![transaction("a", json!({ "syncVersion": 3, "status": "REVERSED", "type": "NEW_TYPE", "rawJson": "{oops" }))],
    )
    .await;
    let seen = stored().await;
    assert_eq!((&seen[0]["status"], &seen[0]["type"], &seen[0]["rawJson"]), (&json!("REVERSED"), &json!("UNKNOWN"), &json!("{oops")));
    assert_eq!(world.see(&format!("/devices/{}/transactions", register.id)).await["transactions"], seen);
}

#[tokio::test]
async fn of_more_than_fifty_transactions_fifty_are_processed() {
    let world = World::default().await;
    let register = world.register().await;
    let batch: Vec<_> = (0..51).map(|number| transaction(&format!("t{number}"), json!({}))).collect();
    let receipt = upload(&world, &register, batch).await;
    assert_eq!((receipt["accepted"].as_array().unwrap().len(), &receipt["truncated"]), (50, &json!(true)));
    assert_eq!(world.see("/devices").await["devices"][0]["transactions"], 50);
}

#[tokio::test]
async fn payment_codes_are_fetched_by_their_marker() {
    let world = World::default().await;
    let register = world.register().await;
    upload(&world, &register, vec![transaction("card", json!({})), transaction("qr", json!({ "type": "QR_PAYMENT" }))]).await;
    let codes = async |query: &str| world.device("GET", &format!("/transactions{query}"), &register.jwt, &Value::Null).await;
    assert_eq!(codes("").await.1, json!({ "transactions": [], "paymentCodesAt": null }));
    let matched = world.act("operator.matches-codes", json!({ "deviceId": register.id, "id": "card" })).await;
    let marker = &matched["paymentCodesAt"];
    assert_eq!(&world.exchange(&register.token).await.1["paymentCodesAt"], marker);
    let pairs = json!([{ "id": "card", "paymentCode": matched["paymentCode"] }]);
    assert_eq!(codes("").await.1, json!({ "transactions": pairs, "paymentCodesAt": marker }));
    assert_eq!(codes(&format!("?since={marker}")).await.1, json!({ "transactions": [], "paymentCodesAt": marker }));
    assert_eq!(codes("?since=0").await.1["transactions"], pairs);
    for wrong in ["?since=x", "?since=1.5", "?since=99999999999999999999"] {
        assert_eq!(code(codes(wrong).await), (400, json!("INVALID_REQUEST")), "{wrong}");
    }
    assert_eq!(world.act("operator.matches-codes", json!({ "deviceId": register.id, "id": "qr" })).await, json!({}), "nothing to match");
    assert_eq!(codes("?since=0").await.1, json!({ "transactions": pairs, "paymentCodesAt": marker }));
    for (id, expected) in [("card", StatusCode::CONFLICT), ("nope", StatusCode::NOT_FOUND)] {
        assert_eq!(world.try_act("operator.matches-codes", json!({ "deviceId": register.id, "id": id })).await.0, expected, "{id}");
    }
}

#[tokio::test]
async fn debug_logs_are_asked_for_until_they_came() {
    let world = World::default().await;
    let register = world.register().await;
    let request = world.act("operator.requests-logs", json!({ "deviceId": register.id, "days": 3 })).await["requestId"].clone();
    let asked = json!({ "requestId": request, "days": 3 });
    assert_eq!(world.exchange(&register.token).await.1["requestDebugLogs"], asked);
    assert_eq!(upload(&world, &register, vec![]).await["requestDebugLogs"], asked, "in sync responses too");
    let logs = async |envelope: Value, level: &str| {
        let body = with(json!({ "logs": [{ "level": level, "message": "x" }] }), envelope);
        world.device("POST", "/logs", &register.jwt, &body).await.1
    };
    assert_eq!(logs(json!({}), "DEBUG").await, json!({ "accepted": 1, "requestDebugLogs": asked }));
    assert_eq!(logs(json!({ "requestId": request }), "INFO").await["requestDebugLogs"], asked);
    assert_eq!(logs(json!({ "requestId": request }), "DEBUG").await, json!({ "accepted": 1 }));
    assert_eq!(world.exchange(&register.token).await.1.get("requestDebugLogs"), None);
    assert_eq!(world.act("operator.reads-logs", json!({ "deviceId": register.id })).await["logs"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn closings_are_stored_and_looked_at() {
    let world = World::default().await;
    let register = world.register().await;
    let closing = json!({ "id": "c1", "syncVersion": 1, "total": 700 });
    let (_, receipt) = world.device("POST", "/closings", &register.jwt, &json!({ "closings": [closing] })).await;
    assert_eq!(receipt, json!({ "accepted": ["c1"], "rejected": [], "truncated": false }));
    assert_eq!(world.act("operator.reads-closings", json!({ "deviceId": register.id })).await["closings"], json!([closing]));
}

#[tokio::test]
async fn a_reset_forgets_devices_and_a_world_knows_nothing_of_another() {
    let world = World::default().await;
    let register = world.register().await;
    let other = world.beside(json!({ "name": "other" })).await;
    assert_eq!(code(other.exchange(&register.token).await), (401, json!("UNAUTHORIZED")));
    world.act("world.resets", json!({})).await;
    assert_eq!(world.see("/devices").await["devices"], json!([]));
    assert_eq!(code(world.exchange(&register.token).await), (401, json!("UNAUTHORIZED")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn devices_upload_at_the_same_time() {
    let world = std::sync::Arc::new(World::default().await);
    let mut tasks = Vec::new();
    for number in 0..40 {
        let world = std::sync::Arc::clone(&world);
        tasks.push(tokio::spawn(async move {
            let serial = format!("SN-{number}");
            world.act("operator.registers", json!({ "merchant": "100001", "platform": "POS", "serialNumber": serial })).await;
            let (_, activated) = world.activate(&json!({ "platform": "POS", "serialNumber": serial })).await;
            for version in 0..5 {
                let (_, exchanged) = world.exchange(&activated["deviceToken"]).await;
                let batch: Vec<_> = (0..50).map(|id| transaction(&id.to_string(), json!({ "syncVersion": version }))).collect();
                let (status, _) = world.device("POST", "/transactions", &exchanged["token"], &json!({ "transactions": batch })).await;
                assert_eq!(status, StatusCode::OK);
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    let devices = world.see("/devices").await["devices"].clone();
    assert!(devices.as_array().unwrap().iter().all(|device| device["transactions"] == 50));
    assert_eq!(devices.as_array().unwrap().len(), 40);
}
