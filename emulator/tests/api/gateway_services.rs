//! Pre-authorization, recurring payments, redirects, the payment page, and the calls around them.

use crate::common::{World, basic, encode, read_json, text, valid_form, valid_json};
use axum::body::Body;
use http::{Request, StatusCode, header};
use serde_json::{Value, json};

async fn get(world: &World, path: &str) -> http::Response<Body> {
    world.send(Request::get(format!("{}{path}", world.path())).body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn an_authorized_payment_is_captured_in_full_or_in_part() {
    let world = World::default().await;
    for (body, taken) in [(None, 10_000), (Some(json!({})), 10_000), (Some(json!({ "amount": 4_000 })), 4_000)] {
        let id = world.paid(json!({ "preauth": true })).await;
        assert_eq!(world.status(&id).await["status"], "AUTHORIZED");
        assert_eq!(world.v2("PUT", &format!("preauth/transId/{id}.json"), body.as_ref()).await.1["code"], 0);
        assert_eq!(world.status(&id).await["status"], "PAID");
        let refund = async |amount: i64| world.v1_about("refund", &id, &[("amount", &amount.to_string())]).await["code"].clone();
        assert_eq!(refund(taken + 1).await, "1402");
        assert_eq!(refund(taken).await, "0");
    }
}

#[tokio::test]
async fn an_authorized_payment_is_released() {
    let world = World::default().await;
    let by_v2 = world.paid(json!({ "preauth": true })).await;
    assert_eq!(world.v2("DELETE", &format!("preauth/transId/{by_v2}.json"), None).await.1["code"], 0);
    assert_eq!(world.status(&by_v2).await["status"], "CANCELLED");
    let by_v1 = world.paid(json!({ "preauth": true })).await;
    assert_eq!(world.v1_about("cancelPreauth", &by_v1, &[]).await["code"], "0");
    assert_eq!(world.v1_about("capturePreauth", &by_v1, &[]).await["code"], "1400");
}

fn recurring(initiation: &str) -> Value {
    json!({ "price": 1_000, "curr": "CZK", "label": "Again", "refId": "2", "initRecurringId": initiation })
}

#[tokio::test]
async fn a_recurring_payment_runs_without_the_payer() {
    let world = World::default().await;
    let initiation = world.paid(json!({ "initRecurring": true })).await;
    let (_, response) = world.v2("POST", "recurring.json", Some(&recurring(&initiation))).await;
    let status = world.status(response["transId"].as_str().unwrap()).await;
    assert_eq!((&status["status"], &status["price"], &status["label"]), (&json!("PAID"), &json!("1000"), &json!("Again")));
}

#[tokio::test]
async fn a_recurring_payment_needs_its_initiation_payment_and_ten_crowns() {
    let world = World::default().await;
    let (initiation, ordinary) = (world.paid(json!({ "verification": true })).await, world.paid(json!({})).await);
    let code = async |id: &str, price: &str| {
        let more = [("price", price), ("curr", "CZK"), ("label", "Again"), ("refId", "2"), ("initRecurringId", id)];
        world.v1_about("recurring", "", &more).await["code"].clone()
    };
    assert_eq!(code(&initiation, "1000").await, "0");
    assert_eq!(code(&initiation, "999").await, "1309");
    assert_eq!(code(&initiation, "2147483647").await, "0");
    assert_eq!(code(&ordinary, "1000").await, "1318");
    assert_eq!(code("AAAA-BBBB-CCCC", "1000").await, "1318");
}

#[tokio::test]
async fn recurring_test_payments_of_the_designated_email_are_cancelled_by_themselves() {
    let world = World::open(json!({ "recurring-cancelled-email": "cancel@example.com" })).await;
    let initiation = world.paid(json!({ "initRecurring": true, "test": true, "email": "cancel@example.com" })).await;
    assert_eq!(world.status(&initiation).await["status"], "PAID");
    let body = crate::common::with(recurring(&initiation), json!({ "test": true }));
    let (_, response) = world.v2("POST", "recurring.json", Some(&body)).await;
    assert_eq!(response["code"], 0);
    assert_eq!(world.status(response["transId"].as_str().unwrap()).await["status"], "CANCELLED");
}

#[tokio::test]
async fn creation_by_redirect_takes_the_parameters_as_browsers_send_them() {
    let world = World::default().await;
    let path = format!("{}/v2.0/paymentRedirect/merchant/100001", world.path());
    let form = encode(&valid_form());
    let requests = [
        Request::get(format!("{path}?{form}")).body(Body::empty()).unwrap(),
        Request::post(&path).header(header::CONTENT_TYPE, "application/x-www-form-urlencoded").body(Body::from(form)).unwrap(),
        Request::post(&path).header(header::CONTENT_TYPE, "application/json").body(Body::from(valid_json().to_string())).unwrap(),
    ];
    for request in requests {
        let response = world.send(request).await;
        assert_eq!(response.status(), StatusCode::FOUND);
        assert!(response.headers().contains_key(header::LOCATION));
    }
    let refused = text(get(&world, "/v2.0/paymentRedirect/merchant/100001?price=1").await).await;
    assert!(refused.contains("1400"), "{refused}");
}

#[tokio::test]
async fn pages_are_escaped_and_let_nothing_else_in() {
    let world = World::default().await;
    let id = world.created(json!({ "label": "<b>&\"'", "refId": "</style><script>1</script>" })).await;
    for path in [format!("/{id}"), "/no-such-payment".to_owned()] {
        let response = get(&world, &path).await;
        let policy = response.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap().to_owned();
        assert!(policy.starts_with("default-src 'none'; style-src 'sha256-") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(!policy.contains("unsafe") && !policy.contains("script-src"), "{policy}");
        let page = text(response).await;
        assert!(!page.contains("<script") && !page.contains("<b>"), "{page}");
        assert_eq!(page.matches("</style>").count(), 1);
    }
}

#[tokio::test]
async fn every_language_has_its_page() {
    let world = World::default().await;
    for lang in [
        "bg", "cs", "da", "de", "el", "en", "es", "et", "fi", "fr", "hr", "hu", "it", "lt", "lv", "nl", "no", "pl", "pt", "ro", "ru", "sl",
        "sk", "sv", "uk", "vi",
    ] {
        let id = world.created(json!({ "lang": lang })).await;
        let response = get(&world, &format!("/{id}")).await;
        assert_eq!(response.status(), StatusCode::OK);
        let page = text(response).await;
        assert!(page.contains(&format!("<html lang=\"{lang}\">")) && !page.contains("{amount}"), "{page}");
    }
}

#[tokio::test]
async fn what_the_payer_does_too_late_or_out_of_turn_changes_nothing() {
    let world = World::default().await;
    let press = async |id: &str, form: &'static str| {
        let request = Request::post(format!("{}/{id}", world.path())).header(header::HOST, "pay.test:8080").body(Body::from(form)).unwrap();
        let response = world.send(request).await;
        assert_eq!(response.status(), StatusCode::SEE_OTHER);
        response.headers()[header::LOCATION].to_str().unwrap().to_owned()
    };
    let id = world.created(json!({ "method": "CARD_ALL", "url_pending": "https://shop.test/later" })).await;
    let page = format!("http://pay.test:8080{}/{id}", world.path());
    assert_eq!(press(&id, "choice=pay&method=PAYPAL").await, page, "not offered");
    assert_eq!(press(&id, "choice=dance").await, page);
    assert_eq!(press(&id, "choice=leave").await, "https://shop.test/later");
    assert_eq!(world.status(&id).await["status"], "PENDING");
    press(&id, "choice=pay").await;
    press(&id, "choice=fail&reason=NO_FUNDS").await;
    assert_eq!(world.status(&id).await["status"], "PAID");
}

#[tokio::test]
async fn the_payer_pays_on_the_page_and_goes_back_to_the_shop() {
    let world = World::default().await;
    let id = world.created(json!({ "url_paid": "https://shop.test/thanks?id=${id}&ref=${refId}", "refId": "a b" })).await;
    let page = text(get(&world, &format!("/{id}")).await).await;
    assert!(page.contains("100.00 CZK") && page.contains("PENDING") && page.contains("BANK_CZ_RB"), "{page}");
    let press = Request::post(format!("{}/{id}", world.path())).body(Body::from("choice=pay&method=BANK_CZ_RB")).unwrap();
    let response = world.send(press).await;
    assert_eq!(response.headers()[header::LOCATION], format!("https://shop.test/thanks?id={id}&ref=a%20b"));
    assert_eq!(world.status(&id).await["method"], "BANK_CZ_RB");
}

#[tokio::test]
async fn a_payment_that_does_not_exist_has_an_error_page() {
    let world = World::default().await;
    for id in ["AAAA-BBBB-CCCC", "nothing"] {
        assert_eq!(get(&world, &format!("/{id}")).await.status(), StatusCode::NOT_FOUND);
    }
}

#[tokio::test]
async fn what_a_page_shows_is_escaped() {
    let world = World::default().await;
    let id = world.created(json!({ "label": "<b>&\"" })).await;
    assert!(text(get(&world, &format!("/{id}")).await).await.contains("&lt;b&gt;&amp;&quot;"));
}

#[tokio::test]
async fn the_methods_of_the_merchant_are_listed() {
    let world = World::open(json!({ "merchants": [{ "merchant": "100001", "methods": ["BANK_CZ_RB"] }] })).await;
    let expected = json!({ "methods": [{
        "id": "BANK_CZ_RB", "name": "Raiffeisenbank", "description": "Raiffeisenbank", "logo": "", "group": "BANK", "groupLabel": "Bank transfers",
    }] });
    assert_eq!(world.v2("GET", "method.json", None).await.1, expected);
    let form = "merchant=100001&secret=secret-100001";
    assert_eq!(read_json(world.v1_bytes("methods", "application/x-www-form-urlencoded", form).await).await.1, expected);
}

#[tokio::test]
async fn the_result_of_a_test_payment_can_be_simulated() {
    let world = World::default().await;
    let simulate = async |id: &str, task: &str| {
        let body = json!({ "subject": "payment", "transId": id, "task": task });
        world.v2("POST", "simulation.json", Some(&body)).await.1["code"].clone()
    };
    let (test, real) = (world.created(json!({ "test": true })).await, world.created(json!({})).await);
    assert_eq!(simulate(&test, "AUTHORIZED").await, 1400);
    assert_eq!(simulate(&test, "PAID").await, 0);
    assert_eq!(world.status(&test).await["status"], "PAID");
    assert_eq!(simulate(&real, "PAID").await, 1400);
    let cancelled = world.created(json!({ "test": true })).await;
    assert_eq!((simulate(&cancelled, "REFUNDED").await, simulate(&cancelled, "CANCELLED").await), (json!(1400), json!(0)));
    assert_eq!(world.status(&cancelled).await["status"], "CANCELLED");
    let preauth = world.created(json!({ "test": true, "preauth": true })).await;
    assert_eq!(world.v1_about("simulation", &preauth, &[("subject", "payment"), ("task", "AUTHORIZED")]).await["code"], "0");
}

#[tokio::test]
async fn a_complete_outage_shows_in_the_health_and_refuses_creation() {
    let world = World::default().await;
    let health = async || read_json(get(&world, "/health").await).await.1;
    assert_eq!(health().await, json!({ "gateway": "OK", "date": "2026-01-15T12:00:00Z" }));
    let outage = world.act("outage.starts", json!({})).await;
    assert_eq!(health().await["gateway"], "OUTAGE");
    assert_eq!(world.v1("create", &valid_form()).await["code"], "1319");
    world.act("outage.ends", outage).await;
    assert_eq!(health().await["gateway"], "OK");
    assert_eq!(world.v1("create", &valid_form()).await["code"], "0");
}

#[tokio::test]
async fn outages_are_listed_while_current_planned_or_recent() {
    let world = World::default().await;
    let list = async || read_json(get(&world, "/outages").await).await.1;
    assert_eq!(list().await, json!([]));
    let planned = json!({ "type": "PAYMENT_BUTTON", "methods": ["BANK_CZ_RB"], "from": "2026-01-16T00:00:00Z", "scheduled": true });
    world.act("outage.starts", planned).await;
    let outages = list().await;
    assert_eq!((&outages[0]["type"], &outages[0]["scheduled"]), (&json!("PAYMENT_BUTTON"), &json!(true)));
    assert_eq!((&outages[0]["date_from"], &outages[0]["date_to"]), (&json!("2026-01-16T00:00:00Z"), &json!("2026-01-16T01:00:00Z")));
    world.act("clock.advances", json!({ "to": "2026-01-16T00:30:00Z" })).await;
    let by_bank = crate::common::with(valid_json(), json!({ "method": "BANK_CZ_RB" }));
    assert_eq!(world.v2("POST", "payment.json", Some(&by_bank)).await.1["code"], 1319);
    world.created(json!({})).await;
    world.act("clock.advances", json!({ "to": "2026-02-01T00:00:00Z" })).await;
    assert_eq!(list().await, json!([]));
}

#[tokio::test]
async fn a_terminal_payment_is_refunded_by_its_symbol_and_date() {
    let world = World::default().await;
    let charge = world.act("terminal.charges", json!({ "merchant": "100001", "vs": "42", "amount": 5_000 })).await;
    assert_eq!(charge["date"], "2026-01-15");
    let code = async |changes: Value| {
        let body = crate::common::with(json!({ "vs": "42", "amount": 5_000, "date": "2026-01-15" }), changes);
        world.v2("POST", "refundPos.json", Some(&body)).await.1["code"].clone()
    };
    assert_eq!(code(json!({ "amount": 5_001 })).await, 1402);
    assert_eq!(code(json!({ "vs": "43" })).await, 1400);
    assert_eq!(code(json!({ "date": "2026-01-16" })).await, 1400);
    assert_eq!(code(json!({})).await, 0);
    let more = [("vs", "42"), ("amount", "1"), ("date", "2026-01-15")];
    assert_eq!(world.v1_about("refundPos", "", &more).await["code"], "1402");
}

#[tokio::test]
async fn a_payment_of_the_terminal_api_is_refunded_by_its_reference_and_date() {
    let world = World::default().await;
    let terminal = basic("T100001", "secret-T100001");
    let order = json!({ "price": 5_000, "curr": "CZK", "refId": "0042" });
    let (_, created) = world.v2_as(&terminal, "POST", "terminalPayment.json", Some(&order)).await;
    let code = async |changes: Value| {
        let body = crate::common::with(json!({ "vs": "0042", "amount": 4_000, "date": "2026-01-15" }), changes);
        world.v2("POST", "refundPos.json", Some(&body)).await.1["code"].clone()
    };
    assert_eq!(code(json!({})).await, 1400, "it is not paid yet");
    world.act("cardholder.pays", json!({ "transId": created["transId"] })).await;
    for (changes, expected) in [
        (json!({ "amount": 5_001 }), 1402),
        (json!({ "date": "2026-01-16" }), 1400),
        (json!({ "vs": "43" }), 1400),
        (json!({}), 0),
        (json!({ "amount": 1_001 }), 1402),
        (json!({ "vs": "42", "amount": 1_000 }), 0),
    ] {
        assert_eq!(code(changes.clone()).await, expected, "{changes}");
    }
    let path = format!("terminalPayment/transId/{}.json", created["transId"].as_str().unwrap());
    assert_eq!(world.v2_as(&terminal, "GET", &path, None).await.1["amountRefunded"], "5000");
}
