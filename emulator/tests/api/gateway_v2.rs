//! v2.0 on the wire.

use crate::common::{World, basic, valid_form, valid_json, with};
use http::StatusCode;
use serde_json::{Value, json};

#[tokio::test]
async fn creation_status_refund_and_cancellation_return_code_and_message() {
    let world = World::default().await;
    let id = world.paid(json!({})).await;
    let refund = json!({ "transId": id, "amount": 10_000, "refId": "back" });
    assert_eq!(world.v2("POST", "refund.json", Some(&refund)).await, (StatusCode::OK, json!({ "code": 0, "message": "OK" })));
    let pending = world.created(json!({})).await;
    let path = format!("payment/transId/{pending}.json");
    assert_eq!(world.v2("DELETE", &path, None).await, (StatusCode::OK, json!({ "code": 0, "message": "OK" })));
}

#[tokio::test]
async fn the_status_record_has_exactly_the_documented_types() {
    let world = World::default().await;
    let id = world.created(json!({ "phone": "+420777123456" })).await;
    let pending = world.status(&id).await;
    assert_eq!(
        pending,
        json!({
            "code": 0, "message": "OK", "test": "false", "price": "10000", "curr": "CZK", "label": "Shoes", "refId": "2026001",
            "email": "jan@example.com", "phone": "+420777123456", "transId": id, "status": "PENDING", "fee": "unknown", "vs": pending["vs"],
        })
    );
    world.act("payer.pays", json!({ "transId": id, "method": "CARD_CZ_CSOB_2", "payerAcc": "1/0100" })).await;
    let paid = world.status(&id).await;
    assert_eq!(paid["status"], "PAID");
    assert_eq!(paid["method"], "CARD_CZ_CSOB_2");
    assert_eq!((&paid["payerName"], &paid["payerAcc"]), (&json!("Jan Novák"), &json!("1/0100")));
    assert_eq!((&paid["threeDSPreference"], &paid["threeDSApplied"]), (&json!("STANDARD"), &json!(true)));
}

#[tokio::test]
async fn a_surcharge_is_an_integer_with_its_type() {
    let world = World::default().await;
    let id = world.created(json!({ "chargeUnregulatedCardFees": true })).await;
    world.act("payer.pays", json!({ "transId": id, "appliedFee": 123, "appliedFeeType": "NON_EU_CONSUMER" })).await;
    let status = world.status(&id).await;
    assert_eq!((&status["appliedFee"], &status["appliedFeeType"]), (&json!(123), &json!("NON_EU_CONSUMER")));
}

#[tokio::test]
async fn an_initiation_payment_shows_the_card() {
    let world = World::default().await;
    let id = world.paid(json!({ "initRecurring": true })).await;
    let status = world.status(&id).await;
    assert!(status["cardNumber"].as_str().unwrap().contains("******"));
    assert_eq!(status["cardValid"], "12/29");
}

#[tokio::test]
async fn wrong_credentials_are_refused_with_1400() {
    let world = World::default().await;
    let id = world.created(json!({})).await;
    for authorization in ["", "Basic !", "Bearer x", &basic("100001", "wrong"), &basic("100009", "secret-100001")] {
        let (status, response) = world.v2_as(authorization, "GET", &format!("payment/transId/{id}.json"), None).await;
        assert_eq!((status, &response["code"]), (StatusCode::OK, &json!(1400)), "{authorization}");
    }
}

#[tokio::test]
async fn the_http_status_of_errors_is_a_setting() {
    let world = World::open(json!({ "error-status": 400 })).await;
    let (status, response) = world.v2("GET", "payment/transId/AAAA-BBBB-CCCC.json", None).await;
    assert_eq!((status, &response["code"]), (StatusCode::BAD_REQUEST, &json!(1400)));
}

#[tokio::test]
async fn types_are_those_of_the_document_with_the_leniency_of_real_clients() {
    let world = World::default().await;
    let code = async |changes: Value| world.v2("POST", "payment.json", Some(&with(valid_json(), changes))).await.1["code"].clone();
    for taken in
        [json!({"price":"10000"}), json!({"test":"true"}), json!({"phone":""}), json!({"phone":null}), json!({"unknown":{"a":[1]}})]
    {
        assert_eq!(code(taken.clone()).await, 0, "{taken}");
    }
    for (refused, expected) in [
        (json!({"price":100.5}), 1309),
        (json!({"price":true}), 1309),
        (json!({"price":9_999_999_999_u64}), 1309),
        (json!({"price":[1]}), 1309),
        (json!({"label":5}), 1400),
        (json!({"refId":{}}), 1400),
        (json!({"test":1}), 1400),
        (json!({"preauth":"yes"}), 1400),
        (json!({"threeDSPreference":"AUTO"}), 1400),
        (json!({"method":7}), 1400),
        (json!({"dynamicExpiration":"often"}), 1400),
    ] {
        assert_eq!(code(refused.clone()).await, expected, "{refused}");
    }
}

#[tokio::test]
async fn a_body_that_is_no_object_is_refused() {
    let world = World::default().await;
    for body in [json!([]), json!("text"), json!(null)] {
        assert_eq!(world.v2("POST", "payment.json", Some(&body)).await.1["code"], 1400);
    }
}

#[tokio::test]
async fn a_payment_made_by_one_interface_is_read_by_the_other() {
    let world = World::default().await;
    let by_form = world.v1("create", &valid_form()).await["transId"].clone();
    assert_eq!(world.status(&by_form).await["status"], "PENDING");
    let by_json = world.created(json!({})).await;
    assert_eq!(world.v1_about("status", &by_json, &[]).await["status"], "PENDING");
}

#[tokio::test]
async fn test_payments_take_only_test_refunds() {
    let world = World::default().await;
    let id = world.paid(json!({ "test": true })).await;
    let refund = async |test: bool| {
        let body = json!({ "transId": id, "amount": 10_000, "test": test });
        world.v2("POST", "refund.json", Some(&body)).await.1["code"].clone()
    };
    assert_eq!(refund(false).await, 1400);
    assert_eq!(refund(true).await, 0);
    assert_eq!(refund(true).await, 0);
    assert_eq!(world.see(&format!("/payments/{id}")).await["refunded"], 0);
}

#[tokio::test]
async fn another_method_on_a_path_is_refused() {
    let world = World::default().await;
    let (status, response) = world.v2("GET", "payment.json", None).await;
    assert_eq!((status, &response["code"]), (StatusCode::METHOD_NOT_ALLOWED, &json!(1400)));
}
