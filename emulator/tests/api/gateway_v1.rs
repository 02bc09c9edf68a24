//! v1.0 on the wire.

use crate::common::{World, encode, text, valid_form};
use http::{StatusCode, header};
use serde_json::json;

async fn code_of(world: &World, change: impl FnOnce(&mut crate::common::Form)) -> String {
    let mut form = valid_form();
    change(&mut form);
    world.v1("create", &form).await["code"].clone()
}

fn set(name: &str, value: &str) -> impl FnOnce(&mut crate::common::Form) {
    let (name, value) = (name.to_owned(), value.to_owned());
    move |form| {
        form.insert(name, value);
    }
}

#[tokio::test]
async fn a_background_creation_returns_code_and_redirect() {
    let world = World::default().await;
    let response = world.v1("create", &valid_form()).await;
    assert_eq!((response["code"].as_str(), response["message"].as_str()), ("0", "OK"));
    assert_eq!(response["redirect"], format!("http://pay.test:8080{}/{}", world.path(), response["transId"]));
}

#[tokio::test]
async fn a_redirect_creation_needs_no_secret_and_redirects_the_payer() {
    let world = World::default().await;
    let mut form = valid_form();
    form.remove("secret");
    form.remove("prepareOnly");
    let response = world.v1_bytes("create", "application/x-www-form-urlencoded", encode(&form)).await;
    assert_eq!(response.status(), StatusCode::FOUND);
    assert!(response.headers()[header::LOCATION].to_str().unwrap().starts_with("http://pay.test:8080/w/"));
}

#[tokio::test]
async fn a_redirect_creation_that_is_refused_shows_an_error_page() {
    let world = World::default().await;
    let mut form = valid_form();
    form.remove("prepareOnly");
    form.insert("label".into(), String::new());
    let response = world.v1_bytes("create", "application/x-www-form-urlencoded", encode(&form)).await;
    assert_eq!(response.headers()[header::CONTENT_TYPE], "text/html; charset=UTF-8");
    assert!(text(response).await.contains("1305"));
}

#[tokio::test]
async fn every_violation_of_creation_has_its_code() {
    let world = World::default().await;
    let table = [
        ("price", "", "1400"),
        ("price", "abc", "1309"),
        ("price", "100.5", "1309"),
        ("price", "2147483648", "1309"),
        ("price", "99", "1107"),
        ("price", "100000001", "1107"),
        ("curr", "HRK", "1310"),
        ("curr", "EUR", "1400"),
        ("country", "SK", "1400"),
        ("label", "", "1305"),
        ("label", "seventeen letters", "1400"),
        ("refId", "", "1400"),
        ("method", "", "1306"),
        ("method", "NOPE", "1103"),
        ("method", "BANK_SK_TB_P", "1306"),
        ("email", "nobody", "1400"),
        ("phone", "777123456", "1400"),
        ("fullName", "", "1400"),
        ("lang", "ja", "1102"),
        ("category", "FOOD", "1304"),
        ("account", "elsewhere", "1311"),
        ("delivery", "PIGEON", "1400"),
        ("homeDeliveryCity", "Brno", "1400"),
        ("expirationTime", "29m", "1400"),
        ("expirationTime", "1h30m", "1400"),
        ("test", "maybe", "1400"),
        ("prepareOnly", "maybe", "1400"),
        ("merchant", "999999", "1301"),
        ("merchant", "", "1400"),
        ("secret", "wrong", "1400"),
        ("secret", "", "1400"),
    ];
    for (field, value, code) in table {
        assert_eq!(code_of(&world, set(field, value)).await, code, "{field}={value}");
    }
    assert_eq!(world.see("/payments").await["payments"], json!([]));
}

#[tokio::test]
async fn what_real_clients_send_is_taken() {
    let world = World::default().await;
    for (field, value) in [("unknown", "field"), ("phone", ""), ("test", "1"), ("preauth", "0"), ("threeDSPreference", "NOPE")] {
        assert_eq!(code_of(&world, set(field, value)).await, "0", "{field}={value}");
    }
}

#[tokio::test]
async fn hostile_bodies_are_refused_with_a_code() {
    let world = World::default().await;
    let form = encode(&valid_form());
    let type_ = "application/x-www-form-urlencoded";
    let too_many: String = (0..300).map(|n| format!("f{n}=1&")).collect();
    for body in [format!("{form}&price=10000"), format!("{form}&x=%zz"), format!("{form}&x=%ff"), too_many] {
        let response = text(world.v1_bytes("create", type_, body).await).await;
        assert!(response.starts_with("code=1400&message="), "{response}");
    }
    for other in ["multipart/form-data; boundary=x", "application/json", "text/plain"] {
        assert!(text(world.v1_bytes("create", other, form.clone()).await).await.starts_with("code=1400"), "{other}");
    }
    let huge = world.v1_bytes("create", type_, vec![b'a'; 8 * 1024 * 1024 + 1]).await;
    assert_eq!(huge.status(), StatusCode::PAYLOAD_TOO_LARGE);
    assert!(text(huge).await.starts_with("code=1400"));
}

#[tokio::test]
async fn a_secret_in_the_query_string_is_not_taken() {
    let world = World::default().await;
    let mut form = valid_form();
    form.remove("secret");
    let response = world.v1_bytes("create?secret=secret-100001", "application/x-www-form-urlencoded", encode(&form)).await;
    assert!(text(response).await.starts_with("code=1400"));
}

#[tokio::test]
async fn the_status_shows_the_record_and_sends_known_fields_empty() {
    let world = World::default().await;
    let id = world.paid(json!({ "name": "shoe", "test": true })).await;
    let status = world.v1_about("status", &id, &[]).await;
    for (field, value) in [
        ("code", "0"),
        ("merchant", "100001"),
        ("test", "true"),
        ("price", "10000"),
        ("curr", "CZK"),
        ("label", "Shoes"),
        ("refId", "2026001"),
        ("status", "PAID"),
        ("transId", &id),
        ("secret", "secret-100001"),
        ("payerName", "Jan Novák"),
        ("fee", "unknown"),
        ("name", "shoe"),
        ("phone", ""),
        ("account", ""),
        ("payerId", ""),
        ("payerAcc", ""),
        ("cardValid", ""),
        ("cardNumber", ""),
    ] {
        assert_eq!(status[field], value, "{field}");
    }
}

#[tokio::test]
async fn a_refund_goes_by_the_states_of_the_payment() {
    let world = World::default().await;
    let refund = async |id: &str, amount: &str| world.v1_about("refund", id, &[("amount", amount)]).await["code"].clone();
    let (paid, pending, cancelled) = (world.paid(json!({})).await, world.created(json!({})).await, world.created(json!({})).await);
    world.v1_about("cancel", &cancelled, &[]).await;
    assert_eq!(refund(&paid, "4000").await, "0");
    assert_eq!(refund(&paid, "6001").await, "1402");
    assert_eq!(refund(&paid, "6000").await, "0");
    assert_eq!(refund(&pending, "1").await, "1400");
    assert_eq!(refund(&cancelled, "1").await, "1401");
    assert_eq!(refund("AAAA-BBBB-CCCC", "1").await, "1400");
    assert_eq!(world.see(&format!("/payments/{paid}")).await["refunded"], 10_000);
}

#[tokio::test]
async fn only_a_pending_payment_can_be_cancelled() {
    let world = World::default().await;
    let (pending, paid) = (world.created(json!({})).await, world.paid(json!({})).await);
    assert_eq!(world.v1_about("cancel", &pending, &[]).await["code"], "0");
    assert_eq!(world.v1_about("cancel", &pending, &[]).await["code"], "1400");
    assert_eq!(world.v1_about("cancel", &paid, &[]).await["code"], "1400");
    assert_eq!(world.status(&pending).await["paymentErrorReason"], "ESHOP_CANCELLED");
    assert_eq!(world.status(&paid).await["status"], "PAID");
}

#[tokio::test]
async fn a_foreign_payment_is_not_found() {
    let world = World::open(json!({ "merchants": [{ "merchant": "100001" }, { "merchant": "100002" }] })).await;
    let id = world.created(json!({})).await;
    for call in ["status", "cancel", "refund"] {
        let mine = [("merchant", "100002"), ("secret", "secret-100002"), ("amount", "1")];
        assert_eq!(world.v1_about(call, &id, &mine).await["code"], "1400", "{call}");
    }
}

#[tokio::test]
async fn tolerant_worlds_take_what_clients_in_the_wild_send() {
    let world = World::open(json!({ "tolerant": true })).await;
    let mut form = valid_form();
    form.remove("fullName");
    form.remove("email");
    form.insert("label".into(), "more than sixteen characters".into());
    assert_eq!(world.v1("create", &form).await["code"], "0");
    let parts: String =
        form.iter().map(|(name, value)| format!("--x\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")).collect();
    let response = world.v1_bytes("create", "multipart/form-data; boundary=x", format!("{parts}--x--\r\n")).await;
    assert!(text(response).await.starts_with("code=0&"));
}

#[tokio::test]
async fn apple_pay_is_listed_in_v1_when_the_merchant_is_set_so() {
    for word in ["PAID", "PENDING", "FAILED", "BANK-REJECT"] {
        let world = World::open(json!({ "merchants": [{ "merchant": "100001", "apple-pay-outcome": word }] })).await;
        let response = world.v1("create", &valid_form()).await;
        assert_eq!((response["applepay"].as_str(), response["applepayMessage"].clone()), (word, format!("Apple Pay: {word}")));
        let (_, response) = world.v2("POST", "payment.json", Some(&crate::common::valid_json())).await;
        assert_eq!((&response["code"], response.get("applepay")), (&json!(0), None));
        world.act("merchant.changes", json!({ "merchant": "100001", "apple-pay-message": "as the bank says" })).await;
        assert_eq!(world.v1("create", &valid_form()).await["applepayMessage"], "as the bank says");
        world.act("merchant.changes", json!({ "merchant": "100001", "apple-pay-outcome": null })).await;
        assert!(!world.v1("create", &valid_form()).await.contains_key("applepay"));
    }
}
