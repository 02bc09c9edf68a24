//! The QR payment API on the wire.

use crate::common::pos::{QR, valid_qr};
use crate::common::{World, basic, with};
use http::{Request, StatusCode, header};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};

const AUTHENTICATE: &str = "/pos/auth-api/authenticate";

async fn real() -> World {
    World::open(json!({ "merchants": [{ "merchant": "100001", "qr-test": false }, { "merchant": "100002" }] })).await
}

#[tokio::test]
async fn a_token_is_obtained_with_user_password_and_mid() {
    let world = World::default().await;
    let user = basic("qr-100001", "secret-qr-100001");
    let (status, response) = world.pos("POST", AUTHENTICATE, &user, json!({ "mid": "M100001" }).to_string()).await;
    assert_eq!((status, &response["expiry"]), (StatusCode::OK, &json!("2026-01-15T13:00:00Z")));
    assert_eq!(response["token"].as_str().unwrap().split('.').count(), 3);
    for (user, body, expected) in [
        (user.as_str(), json!({}), 400),
        (&user, json!({ "mid": "" }), 400),
        (&user, json!({ "mid": 7 }), 400),
        (&user, json!([]), 400),
        (&user, json!({ "mid": "M100002" }), 403),
        (&basic("qr-100001", "wrong"), json!({ "mid": "M100001" }), 401),
        (&basic("nobody", "secret-qr-100001"), json!({ "mid": "M100001" }), 401),
        ("", json!({ "mid": "M100001" }), 401),
        ("Bearer x", json!({}), 401),
    ] {
        let (status, response) = world.pos("POST", AUTHENTICATE, user, body.to_string()).await;
        assert_eq!(status.as_u16(), expected, "{user} {body}");
        assert!(response["errorMessage"].is_string(), "{response}");
    }
}

#[tokio::test]
async fn a_user_may_serve_several_merchants_each_with_a_mid_of_its_own() {
    let shared = json!({ "qr-user": "pos", "qr-password": "secret" });
    let merchants = [with(json!({ "merchant": "1" }), shared.clone()), with(json!({ "merchant": "2" }), shared.clone())];
    let world = World::open(json!({ "merchants": merchants })).await;
    for mid in ["M1", "M2"] {
        let response = world.pos("POST", AUTHENTICATE, &basic("pos", "secret"), json!({ "mid": mid }).to_string()).await;
        assert_eq!(response.0, StatusCode::OK, "{mid}");
    }
    let same = json!({ "merchants": [{ "merchant": "1", "mid": "M" }, { "merchant": "2", "mid": "M" }] });
    assert_eq!(world.json("POST", "/__emulator/worlds", &same).await.0, StatusCode::BAD_REQUEST);
    let same = json!({ "merchants": [{ "merchant": "1", "serial": "S" }, { "merchant": "2", "serial": "S" }] });
    assert_eq!(world.json("POST", "/__emulator/worlds", &same).await.0, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn pings_need_no_token_and_have_no_body() {
    let world = World::default().await;
    for path in ["/pos/auth-api/ping", "/pos/qr-api/ping", "/pos/pokladna-api/ping"] {
        let request = Request::get(format!("{}{path}", world.path())).body(axum::body::Body::empty()).unwrap();
        let response = world.send(request).await;
        assert_eq!((response.status(), response.headers().get(header::CONTENT_TYPE)), (StatusCode::OK, None));
        assert!(response.into_body().collect().await.unwrap().to_bytes().is_empty());
    }
}

#[tokio::test]
async fn a_token_is_good_until_it_expires() {
    let world = World::open(json!({ "qr-token-seconds": 60 })).await;
    let token = world.qr_token_of("100001").await;
    let create = async |token: &str| world.pos("POST", &format!("{QR}/payment"), token, valid_qr().to_string()).await;
    world.advance(59).await;
    assert_eq!(create(&token).await.0, StatusCode::OK);
    world.advance(1).await;
    let (status, response) = create(&token).await;
    assert_eq!(status, StatusCode::UNAUTHORIZED, "{response}");
    for forged in ["", "Bearer x", "Basic x", &format!("{token}x"), &token.replace("Bearer", "Basic")] {
        let (status, response) = create(forged).await;
        assert_eq!(status, StatusCode::UNAUTHORIZED, "{forged}");
        assert!(response["errorMessage"].is_string(), "{response}");
    }
}

#[tokio::test]
async fn a_token_of_one_world_is_forged_in_another() {
    let world = World::default().await;
    let token = world.qr_token_of("100001").await;
    let other = world.beside(json!({ "name": "other" })).await;
    assert_eq!(other.pos("POST", &format!("{QR}/payment"), &token, valid_qr().to_string()).await.0, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn another_merchants_requests_and_payments_are_forbidden() {
    let world = real().await;
    let path = format!("{QR}{}", world.qr_payment(json!({})).await);
    let token = world.qr_token_of("100002").await;
    let refund = json!({ "amount": 1, "created": "2026-01-15" });
    for (method, path, body) in [
        ("GET", path.clone(), Value::Null),
        ("POST", format!("{path}/cancel"), json!({})),
        ("POST", format!("{path}/method"), json!({ "method": "BANK_CZ_T_PB" })),
        ("POST", format!("{path}/extend"), json!({})),
        ("POST", format!("{path}/refund"), refund),
        ("GET", format!("{path}/refund/AAAA-BBBB-CCCC"), Value::Null),
        ("POST", format!("{QR}/payment"), valid_qr()),
        ("POST", format!("{QR}/methods"), json!({ "merchantId": "M100001", "terminalId": "Q100001", "currency": "CZK", "amount": 1 })),
    ] {
        let (status, response) = world.pos(method, &path, &token, body.to_string()).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{method} {path} {response}");
    }
    for foreign in [json!({ "merchantId": "M100002" }), json!({ "terminalId": "Q100002" })] {
        assert_eq!(world.qr("POST", "/payment", Some(&with(valid_qr(), foreign))).await.0, StatusCode::FORBIDDEN);
    }
}

#[tokio::test]
async fn methods_are_listed_with_logos_that_are_served() {
    let world = World::default().await;
    let ask = json!({ "merchantId": "M100001", "terminalId": "Q100001", "currency": "CZK", "amount": 100, "lang": "en" });
    let response = world.qr_ok("POST", "/methods", Some(&ask)).await;
    let methods = response["methods"].as_array().unwrap();
    assert_eq!((&methods[0]["id"], &methods[0]["name"]), (&json!("BANK_CZ_T_OTHER"), &json!("Payment by QR code")));
    assert!(methods.iter().any(|method| method["logoSvg"].is_null()), "string or null");
    for method in methods {
        for (key, media_type) in [("logo", "image/png"), ("logoSvg", "image/svg+xml")] {
            let Some(url) = method[key].as_str() else { continue };
            let path = url.strip_prefix("http://pay.test:8080").unwrap();
            let response = world.send(Request::get(path).body(axum::body::Body::empty()).unwrap()).await;
            assert_eq!((response.status(), &response.headers()[header::CONTENT_TYPE]), (StatusCode::OK, &media_type.parse().unwrap()));
        }
    }
}

#[tokio::test]
async fn the_offer_for_eur_follows_the_country_of_the_merchant() {
    let world = World::open(json!({ "merchants": [{ "merchant": "100001", "country": "SK" }] })).await;
    let ids = async |changes: Value| {
        let ask = json!({ "merchantId": "M100001", "terminalId": "Q100001", "currency": "EUR", "amount": 100 });
        let response = world.qr_ok("POST", "/methods", Some(&with(ask, changes))).await;
        response["methods"].as_array().unwrap().iter().map(|method| method["id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(ids(json!({})).await, [json!("BANK_SK_T_OTHER")]);
    assert_eq!(ids(json!({ "bothEurQr": true })).await, [json!("BANK_SK_T_OTHER"), json!("BANK_EUR_T_OTHER")]);
    world.act("merchant.changes", json!({ "merchant": "100001", "country": "CZ" })).await;
    assert_eq!(ids(json!({ "bothEurQr": false })).await, [json!("BANK_EUR_T_OTHER")]);
}

#[tokio::test]
async fn a_created_payment_is_pending_with_its_code() {
    let world = World::default().await;
    let created = world.qr_created(json!({ "variableSymbol": "777", "created": "2026-01-15T12:00:00Z" })).await;
    let keys: Vec<_> = created.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["transId", "refId", "status", "paymentData"]);
    assert_eq!((&created["status"], &created["refId"]), (&json!("PENDING"), &json!("2026001")));
    let data = created["paymentData"].as_str().unwrap();
    assert!(data.starts_with("SPD*1.0*ACC:CZ") && data.contains("*AM:100.00*CC:CZK*X-VS:") && !data.contains("777"), "{data}");
    let seen = &world.see("/qr-payments").await["payments"][0];
    assert_eq!((&seen["clientId"], &seen["variableSymbol"]), (&json!("777"), &json!("777")));
}

#[tokio::test]
async fn a_payment_without_time_is_cancelled_at_birth_and_has_no_code() {
    let world = World::open(json!({ "qr-expiration-seconds": 0, "merchants": [{ "merchant": "100001", "qr-test": false }] })).await;
    let created = world.qr_created(json!({})).await;
    assert_eq!((&created["status"], &created["paymentRejectedReason"]), (&json!("CANCELLED"), &json!("Customer timeout")));
    assert_eq!(created.get("paymentData"), None);
}

#[tokio::test]
async fn requests_that_break_a_rule_are_refused_with_400() {
    let world = World::default().await;
    for wrong in [
        json!({ "merchantId": null }),
        json!({ "terminalId": "" }),
        json!({ "amount": 0 }),
        json!({ "amount": 1.5 }),
        json!({ "amount": null }),
        json!({ "amount": 99_999_999_999_999_999_999_u128 as f64 }),
        json!({ "currency": "USD" }),
        json!({ "method": "CARD" }),
        json!({ "method": "BANK_EUR_T_OTHER" }),
        json!({ "created": "soon" }),
        json!({ "variableSymbol": "x".repeat(129) }),
        json!({ "variableSymbol": "a\u{0}b" }),
        json!({ "refId": 7 }),
    ] {
        let (status, response) = world.qr("POST", "/payment", Some(&with(valid_qr(), wrong.clone()))).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{wrong} {response}");
        assert!(response["errorMessage"].is_string(), "{response}");
    }
    assert!(world.see("/qr-payments").await["payments"].as_array().unwrap().is_empty());
}

#[tokio::test]
async fn hostile_bodies_are_refused_in_json() {
    let world = World::default().await;
    let token = world.qr_token_of("100001").await;
    for (body, expected) in [
        (b"{".to_vec(), 400),
        (b"\xff\xfe".to_vec(), 400),
        (br#"{"amount":1,"amount":2}"#.to_vec(), 400),
        (vec![b'['; 200_000], 400),
        (vec![b' '; 8 * 1024 * 1024 + 1], 413),
        (Vec::new(), 400),
    ] {
        let (status, response) = world.pos("POST", &format!("{QR}/payment"), &token, body).await;
        assert_eq!(status.as_u16(), expected);
        assert!(response["errorMessage"].is_string(), "{response}");
    }
}

#[tokio::test]
async fn other_paths_and_methods_are_refused_in_json() {
    let world = World::default().await;
    for (method, path, expected) in [("GET", "/pos/qr-api/nope", 404), ("GET", "/pos/nope", 404), ("PUT", "/pos/qr-api/payment", 405)] {
        let (status, response) = world.pos(method, path, "", "").await;
        assert_eq!(status.as_u16(), expected, "{path}");
        assert!(response["errorMessage"].is_string(), "{response}");
    }
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let world = World::default().await;
    let path = world.qr_payment(json!({})).await;
    world.advance(10).await;
    for path in ["/payment/AAAA-BBBB-CCCC", "/payment/nonsense", &format!("{path}/refund/AAAA-BBBB-CCCC"), &format!("{path}/refund/x")] {
        assert_eq!(world.qr("GET", path, None).await.0, StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test]
async fn a_pending_payment_is_cancelled_and_a_final_one_is_not() {
    let world = real().await;
    let path = world.qr_payment(json!({})).await;
    let cancel = async || world.qr("POST", &format!("{path}/cancel"), None).await;
    let (status, response) = cancel().await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(response, json!({ "transId": path[9..], "status": "CANCELLED" }));
    let status = world.qr_status(&path).await;
    assert_eq!(
        status,
        json!({ "transId": path[9..], "refId": "2026001", "status": "CANCELLED", "paymentRejectedReason": "Canceled by merchant", "refunds": [] })
    );
    assert_eq!(cancel().await.0, StatusCode::CONFLICT);
}

#[tokio::test]
async fn the_payer_pays_gives_up_or_fails_for_any_reason() {
    let world = real().await;
    let paths = [world.qr_payment(json!({})).await, world.qr_payment(json!({})).await, world.qr_payment(json!({})).await];
    world.act("payer.pays", json!({ "transId": paths[0][9..] })).await;
    world.act("payer.cancels", json!({ "transId": paths[1][9..] })).await;
    world.act("payer.fails", json!({ "transId": paths[2][9..], "reason": "Fraud suspected" })).await;
    assert_eq!(world.qr_status(&paths[0]).await["status"], "PAID");
    assert_eq!(world.qr_status(&paths[1]).await["paymentRejectedReason"], "Canceled by payer");
    assert_eq!(world.qr_status(&paths[2]).await["paymentRejectedReason"], "Fraud suspected");
    assert_eq!(world.try_act("payer.pays", json!({ "transId": paths[1][9..] })).await.0, StatusCode::CONFLICT);
}

#[tokio::test]
async fn a_payment_expires_on_the_clock_of_the_world() {
    let world = real().await;
    let path = world.qr_payment(json!({})).await;
    world.advance(899).await;
    assert_eq!(world.qr_status(&path).await["status"], "PENDING");
    world.advance(1).await;
    assert_eq!(world.qr_status(&path).await["paymentRejectedReason"], "Customer timeout");
}

#[tokio::test]
async fn test_payments_end_after_ten_seconds_by_the_thresholds() {
    let world = World::default().await;
    let mut paths = Vec::new();
    for (amount, currency, method, result) in [
        (200_000, "CZK", "BANK_CZ_T_OTHER", "PAID"),
        (200_001, "CZK", "BANK_CZ_T_OTHER", "CANCELLED"),
        (8_000, "EUR", "BANK_SK_T_OTHER", "PAID"),
        (8_001, "EUR", "BANK_EUR_T_OTHER", "CANCELLED"),
    ] {
        paths.push((world.qr_payment(json!({ "amount": amount, "currency": currency, "method": method })).await, result));
    }
    world.advance(9).await;
    for (path, _) in &paths {
        assert_eq!(world.qr_status(path).await["status"], "PENDING");
    }
    world.advance(1).await;
    for (path, result) in &paths {
        assert_eq!(&world.qr_status(path).await["status"], result);
    }
}

#[tokio::test]
async fn the_method_is_changed_and_the_expiry_restarted() {
    let world = real().await;
    let path = world.qr_payment(json!({ "refId": null })).await;
    world.advance(100).await;
    let (status, changed) = world.qr("POST", &format!("{path}/method"), Some(&json!({ "method": "BANK_CZ_T_PB" }))).await;
    assert_eq!((status, &changed["refId"], &changed["status"]), (StatusCode::OK, &Value::Null, &json!("PENDING")));
    assert_eq!(changed["expiration"], "2026-01-15T12:16:40Z");
    assert!(changed["paymentData"].as_str().unwrap().starts_with("SPD*1.0*"));
    for (wrong, expected) in [(json!({}), 400), (json!({ "method": "NOPE" }), 400), (json!({ "method": "BANK_EUR_T_OTHER" }), 400)] {
        assert_eq!(world.qr("POST", &format!("{path}/method"), Some(&wrong)).await.0.as_u16(), expected, "{wrong}");
    }
    let seen = &world.see("/qr-payments").await["payments"][0];
    assert_eq!((&seen["method"], &seen["expiration"]), (&json!("BANK_CZ_T_PB"), &json!("2026-01-15T12:16:40Z")));
    world.advance(899).await;
    assert_eq!(world.qr_status(&path).await["status"], "PENDING");
    world.advance(1).await;
    assert_eq!(world.qr("POST", &format!("{path}/method"), Some(&json!({ "method": "BANK_CZ_T_PB" }))).await.0, StatusCode::CONFLICT);
}

#[tokio::test]
async fn the_expiry_is_extended_to_seven_days() {
    let world = real().await;
    let path = world.qr_payment(json!({})).await;
    let extend = async |body: Option<Value>| world.qr("POST", &format!("{path}/extend"), body.as_ref()).await;
    let (status, extended) = extend(Some(json!({ "note": "goods released" }))).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(extended, json!({ "transId": path[9..], "refId": "2026001", "status": "PENDING", "expiration": "2026-01-22T12:00:00Z" }));
    world.advance(3600).await;
    assert_eq!(extend(None).await.1["expiration"], "2026-01-22T12:00:00Z", "idempotent");
    assert_eq!(extend(Some(json!({ "note": "x".repeat(1001) }))).await.0, StatusCode::BAD_REQUEST);
    assert_eq!(world.see("/qr-payments").await["payments"][0]["note"], "goods released");
    world.advance(7 * 24 * 3600 - 3601).await;
    world.act("payer.pays", json!({ "transId": path[9..] })).await;
    assert_eq!(
        extend(None).await,
        (StatusCode::OK, json!({ "transId": path[9..], "refId": "2026001", "status": "PAID", "expiration": "2026-01-22T12:00:00Z" }))
    );
    let cancelled = world.qr_payment(json!({})).await;
    world.qr_ok("POST", &format!("{cancelled}/cancel"), None).await;
    assert_eq!(world.qr("POST", &format!("{cancelled}/extend"), None).await.0, StatusCode::BAD_REQUEST);
}

fn refund(amount: i64) -> Value {
    json!({ "amount": amount, "created": "2026-01-15T12:00:00Z", "refId": format!("back-{amount}") })
}

#[tokio::test]
async fn a_paid_payment_is_refunded_up_to_its_amount_and_the_refunds_are_listed_in_order() {
    let world = World::default().await;
    let path = world.qr_payment(json!({})).await;
    assert_eq!(world.qr("POST", &format!("{path}/refund"), Some(&refund(1))).await.0, StatusCode::CONFLICT, "not paid yet");
    world.advance(10).await;
    let mut ids = Vec::new();
    for amount in [9_000, 1, 999] {
        let created = world.qr_ok("POST", &format!("{path}/refund"), Some(&refund(amount))).await;
        assert_eq!((&created["status"], &created["transId"]), (&json!("PENDING"), &json!(path[9..])));
        assert_eq!(created["refId"], format!("back-{amount}"));
        ids.push(created["transRefundId"].as_str().unwrap().to_owned());
    }
    assert_eq!(world.qr("POST", &format!("{path}/refund"), Some(&refund(1))).await.0, StatusCode::BAD_REQUEST);
    let listed = world.qr_status(&path).await["refunds"].clone();
    assert_eq!(listed[1], json!({ "transRefundId": ids[1], "refId": "back-1", "amount": 1 }));
    assert_eq!(listed.as_array().unwrap().iter().map(|refund| refund["amount"].clone()).collect::<Vec<_>>(), [9_000, 1, 999]);
    world.advance(10).await;
    let mut statuses = Vec::new();
    for id in &ids {
        statuses.push(world.qr_ok("GET", &format!("{path}/refund/{id}"), None).await["status"].clone());
    }
    assert_eq!(statuses, ["REFUNDED", "CANCELLED", "REFUNDED"]);
    for wrong in [json!({ "amount": 1 }), json!({ "created": "2026-01-15" }), json!({ "amount": 0, "created": "2026-01-15" })] {
        assert_eq!(world.qr("POST", &format!("{path}/refund"), Some(&wrong)).await.0, StatusCode::BAD_REQUEST, "{wrong}");
    }
}

#[tokio::test]
async fn the_bank_decides_on_real_refunds() {
    let world = real().await;
    let path = world.qr_payment(json!({})).await;
    world.act("payer.pays", json!({ "transId": path[9..] })).await;
    let first = world.qr_ok("POST", &format!("{path}/refund"), Some(&refund(1))).await["transRefundId"].clone();
    let second = world.qr_ok("POST", &format!("{path}/refund"), Some(&refund(2))).await["transRefundId"].clone();
    world.advance(3600).await;
    let status = async |id: &Value| world.qr_ok("GET", &format!("{path}/refund/{}", id.as_str().unwrap()), None).await["status"].clone();
    assert_eq!(status(&first).await, "PENDING");
    world.act("bank.refunds", json!({ "transRefundId": first })).await;
    world.act("bank.rejects", json!({ "transRefundId": second })).await;
    assert_eq!((status(&first).await, status(&second).await), (json!("REFUNDED"), json!("CANCELLED")));
    assert_eq!(world.try_act("bank.rejects", json!({ "transRefundId": first })).await.0, StatusCode::CONFLICT);
    assert_eq!(world.try_act("bank.refunds", json!({ "transRefundId": "AAAA-BBBB-CCCC" })).await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn calls_fail_as_set() {
    let world = World::default().await;
    world.act("gateway.fails", json!({ "operation": "qr.create", "code": 503, "message": "down" })).await;
    let (status, response) = world.qr("POST", "/payment", Some(&valid_qr())).await;
    assert_eq!((status, response), (StatusCode::SERVICE_UNAVAILABLE, json!({ "errorMessage": "down" })));
    assert_eq!(world.qr("POST", "/payment", Some(&valid_qr())).await.0, StatusCode::OK);
    for wrong in [
        json!({ "operation": "qr.create", "code": 200 }),
        json!({ "operation": "qr.create", "code": "X" }),
        json!({ "operation": "qr.x", "code": 500 }),
    ] {
        assert_eq!(world.try_act("gateway.fails", wrong).await.0, StatusCode::BAD_REQUEST);
    }
}

#[tokio::test(start_paused = true)]
async fn calls_are_held_back_as_set() {
    let world = World::default().await;
    world.act("gateway.stalls", json!({ "operation": "qr.ping", "seconds": 3 })).await;
    let started = tokio::time::Instant::now();
    world.pos("GET", "/pos/qr-api/ping", "", "").await;
    assert_eq!(started.elapsed().as_secs(), 3);
}

#[tokio::test]
async fn finished_payments_beyond_those_to_keep_are_forgotten() {
    let world = World::open(json!({ "keep-finished": 1 })).await;
    let first = world.qr_payment(json!({})).await;
    world.qr_payment(json!({})).await;
    world.advance(10).await;
    assert_eq!(world.qr("GET", &first, None).await.0, StatusCode::NOT_FOUND);
    assert_eq!(world.see("/qr-payments").await["payments"].as_array().unwrap().len(), 1);
}
