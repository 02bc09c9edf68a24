//! What public client libraries send beyond the documents: a tolerant world takes it, any other refuses it.

use axum::body::Body;
use http::{Request, StatusCode, header};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};

use crate::common::{World, basic, decode, encode, text, valid_form};

const FORM: &str = "application/x-www-form-urlencoded";
const MERCHANT: &str = "merchant=100001&secret=secret-100001";

async fn tolerant() -> World {
    World::open(json!({ "tolerant": true, "clock": "virtual" })).await
}

async fn send(world: &World, method: &str, path: &str, body: &str) -> (StatusCode, String) {
    let request = Request::builder().method(method).uri(format!("{}{path}", world.path())).header(header::HOST, "pay.test:8080");
    let response = world.send(request.header(header::CONTENT_TYPE, FORM).body(Body::from(body.to_owned())).unwrap()).await;
    let status = response.status();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8_lossy(&bytes).into_owned())
}

/// Each row: what a client sends, what a tolerant world responds with, and what any other does.
#[tokio::test]
async fn requests_of_public_clients_are_taken() {
    let create = encode(&valid_form());
    let with = |more: &str| format!("{create}&{more}");
    let by_query = format!("/v1.0/create?{create}");
    let methods = format!("/v1.0/methods?{MERCHANT}&type=json");
    let rows = [
        ("POST", by_query.as_str(), String::new(), "code=0&", "doctype"),
        ("GET", methods.as_str(), String::new(), "\"CARD_CZ_CSOB_2\"", "code=1400&"),
        ("POST", "/v1.0/create", with("initRecurring=Y"), "code=0&", "code=1400&"),
        ("POST", "/v1.0/create", with("test=True"), "code=0&", "code=1400&"),
        ("POST", "/v1.0/create", create.replace(&encode_one("ALL"), "BANK_CZ_EB"), "code=0&", "code=1103&"),
        ("POST", "/v1.0/create", create.replace(&encode_one("ALL"), ""), "code=0&", "code=1306&"),
        ("POST", "/v1.0/create", create.replace(&encode_one("ALL"), "CARD_ALL+APPLEPAY_REDIRECT"), "code=0&", "code=1103&"),
        ("POST", "/v1.0/create", create.replace(&encode_one("ALL"), "-BANK_CZ_KB"), "code=0&", "code=1103&"),
        ("POST", "/v1.0/create", create.replace(&encode_one("ALL"), "nope"), "code=1109&", "code=1103&"),
        ("POST", "/v1.0/create", create.replace(&encode_one("CZK"), "EUR"), "code=0&", "code=1400&"),
        ("POST", "/v1.0/create", create.replace(&encode_one("CZK"), "czk"), "code=0&", "code=1310&"),
        ("POST", "/v1.0/create", with("country=cz"), "code=0&", "code=1400&"),
        ("POST", "/v1.0/create", with("lang=CS"), "code=0&", "code=1102&"),
        ("POST", "/v1.0/create", with("lang=si"), "code=0&", "code=1102&"),
        ("POST", "/v1.0/create", with("phone=777123456"), "code=0&", "code=1400&"),
    ];
    let (tolerant, strict) = (tolerant().await, World::default().await);
    for (method, path, body, taken, refused) in rows {
        let (_, response) = send(&tolerant, method, path, &body).await;
        assert!(response.contains(taken), "{method} {path} {body}: {response}");
        let (_, response) = send(&strict, method, path, &body).await;
        assert!(response.contains(refused), "{method} {path} {body}: {response}");
    }
}

#[tokio::test]
async fn a_price_in_json_may_be_printed_with_its_empty_fraction() {
    let body = crate::common::valid_json().to_string().replace("10000", "10000.00");
    for (settings, code) in [(json!({ "tolerant": true }), 0), (json!({}), 1309)] {
        let world = World::open(settings).await;
        let request = Request::post(format!("{}/v2.0/payment.json", world.path())).header(header::CONTENT_TYPE, "application/json");
        let request = request.header(header::HOST, "pay.test").header(header::AUTHORIZATION, basic("100001", "secret-100001"));
        let response = world.send(request.body(Body::from(body.clone())).unwrap()).await;
        let response: Value = serde_json::from_str(&text(response).await).unwrap();
        assert_eq!(response["code"], code, "{response}");
    }
}

#[tokio::test]
async fn a_boolean_in_json_may_be_one_or_zero() {
    for (settings, code) in [(json!({ "tolerant": true }), 0), (json!({}), 1400)] {
        for flag in [json!(1), json!(0), json!("1"), json!("0")] {
            let world = World::open(settings.clone()).await;
            let mut body = crate::common::valid_json();
            body["test"] = flag;
            let (_, response) = world.v2("POST", "payment.json", Some(&body)).await;
            assert_eq!(response["code"], code, "{response}");
        }
    }
}

#[tokio::test]
async fn a_test_payment_is_refunded_by_a_client_that_can_not_say_test() {
    for (settings, code) in [(json!({ "tolerant": true }), "0"), (json!({}), "1400")] {
        let world = World::open(settings).await;
        let id = world.paid(json!({ "test": true })).await;
        assert_eq!(world.v1_about("refund", &id, &[("amount", "100")]).await["code"], code);
        assert_eq!(world.v1_about("refund", &id, &[("amount", "100"), ("test", "false")]).await["code"], "1400");
    }
}

fn encode_one(value: &str) -> String {
    value.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

#[tokio::test]
async fn status_of_v1_is_read_by_get() {
    let (tolerant, strict) = (tolerant().await, World::default().await);
    let path = |id: &str| format!("/v1.0/status?{MERCHANT}&transId={id}");
    let id = tolerant.paid(json!({})).await;
    let (_, response) = send(&tolerant, "GET", &path(&id), "").await;
    assert_eq!(decode(&response)["status"], "PAID");
    let id = strict.paid(json!({})).await;
    assert_eq!(send(&strict, "GET", &path(&id), "").await.0, StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn transfers_of_v1_are_those_of_v2() {
    let world = tolerant().await;
    let list = format!("{MERCHANT}&date=2026-01-05&test=true");
    let (_, v2) = world.v2("GET", "transferList/date/2026-01-05.json?test=true", None).await;
    for (method, path, body) in [
        ("POST", "/v1.0/transferList".to_owned(), list.as_str()),
        ("GET", format!("/v1.0/transferList?{list}"), ""),
        ("POST", format!("/v1.0/transferList?{list}"), ""),
    ] {
        let (status, response) = send(&world, method, &path, body).await;
        assert_eq!((status, serde_json::from_str::<Value>(&response).unwrap()), (StatusCode::OK, v2.clone()), "{method} {path}");
    }
    assert!(v2.is_array());
    let (_, abo) =
        send(&world, "POST", "/v1.0/aboSingleTransfer", &format!("{MERCHANT}&transferId=1&download=false&test=true&type=v1")).await;
    assert!(serde_json::from_str::<Value>(&abo).unwrap()["abo"].is_string(), "{abo}");
    let (_, archive) = send(&world, "POST", "/v1.0/csvDownload", &list).await;
    assert!(archive.starts_with("PK"));
    for (body, message) in [(MERCHANT, "date is a day"), ("merchant=100001&secret=other&date=2026-01-05", "unauthorized")] {
        let (_, refused) = send(&world, "POST", "/v1.0/transferList", body).await;
        assert!(refused.contains("1400") && refused.contains(message), "{refused}");
    }
    let strict = World::default().await;
    assert_eq!(send(&strict, "POST", "/v1.0/transferList", &list).await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn what_is_not_authorized_has_the_code_that_clients_know() {
    for (settings, code) in [(json!({ "tolerant": true }), "1401"), (json!({}), "1400")] {
        let world = World::open(settings).await;
        let id = world.paid(json!({})).await;
        for call in ["capturePreauth", "cancelPreauth"] {
            assert_eq!(world.v1_about(call, &id, &[]).await["code"], code);
        }
    }
}

#[tokio::test]
async fn the_table_of_methods_is_limited_told_in_xml_and_refused_as_clients_read_it() {
    let world = World::default().await;
    let methods = async |more: &str| send(&world, "POST", "/v1.0/methods", &format!("{MERCHANT}{more}")).await.1;
    let slovak = methods("&type=json&country=SK").await;
    assert!(slovak.contains("BANK_SK_OTHER") && !slovak.contains("BANK_CZ_OTHER"), "{slovak}");
    let xml = methods("&type=xml").await;
    assert!(xml.starts_with("<?xml") && xml.contains("<id>CARD_CZ_CSOB_2</id>"), "{xml}");
    let (_, refused) = send(&world, "POST", "/v1.0/methods", "merchant=100001&secret=other").await;
    let refused: Value = serde_json::from_str(&refused).unwrap();
    assert_eq!((&refused["code"], &refused["error"]["code"]), (&json!(1400), &json!(1400)), "{refused}");
}

#[tokio::test]
async fn a_mistyped_path_or_method_is_refused_in_the_syntax_of_its_version() {
    let world = World::default().await;
    let (status, response) = send(&world, "POST", "/v1.0/nothing", MERCHANT).await;
    assert_eq!((status, decode(&response)["code"].as_str()), (StatusCode::NOT_FOUND, "1400"));
    let (status, response) = world.v2("POST", "nothing.json", None).await;
    assert_eq!((status, &response["code"]), (StatusCode::NOT_FOUND, &json!(1400)));
    let path = format!("{}/v2.0/payment/transId/AAAA-BBBB-CCCC.json", world.path());
    let response = world.send(Request::put(path).body(Body::empty()).unwrap()).await;
    assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(response.headers()[header::ALLOW], "GET, DELETE");
    text(response).await;
}

#[tokio::test]
async fn the_secret_of_v1_may_be_in_the_basic_header() {
    for (settings, code) in [(json!({ "tolerant": true }), "0"), (json!({}), "1400")] {
        let world = World::open(settings).await;
        let id = world.paid(json!({})).await;
        let request = Request::post(format!("{}/v1.0/refund", world.path())).header(header::CONTENT_TYPE, FORM);
        let request = request.header(header::AUTHORIZATION, basic("100001", "secret-100001"));
        let response = world.send(request.body(Body::from(format!("merchant=100001&transId={id}&amount=100"))).unwrap()).await;
        assert_eq!(decode(&text(response).await)["code"], code);
    }
}
