//! The card terminal on the wire.

use crate::common::{World, basic, read_json, with};
use axum::body::Body;
use http::{Request, StatusCode, header};
use serde_json::{Value, json};

/// A call of the terminal of merchant 100001.
async fn call(world: &World, method: &str, path: &str, body: Option<&Value>) -> Value {
    world.v2_as(&basic("T100001", "secret-T100001"), method, path, body).await.1
}

fn order() -> Value {
    json!({ "price": 10000, "curr": "CZK", "refId": "2026001" })
}

async fn create(world: &World, path: &str, changes: Value) -> Value {
    call(world, "POST", path, Some(&with(order(), changes))).await
}

async fn pending(world: &World, changes: Value) -> String {
    let response = create(world, "terminalPayment.json", changes).await;
    assert_eq!((&response["code"], &response["message"]), (&json!(0), &json!("OK")), "{response}");
    response["transId"].as_str().unwrap().to_owned()
}

async fn paid(world: &World, changes: Value) -> String {
    let id = pending(world, changes).await;
    assert_eq!(world.act("cardholder.pays", json!({ "transId": id })).await["status"], "PAID");
    id
}

async fn pending_refund(world: &World, changes: Value) -> String {
    create(world, "terminalRefund.json", changes).await["transId"].as_str().unwrap().to_owned()
}

async fn payment(world: &World, id: &str) -> Value {
    call(world, "GET", &format!("terminalPayment/transId/{id}.json"), None).await
}

async fn refund(world: &World, id: &str) -> Value {
    call(world, "GET", &format!("terminalRefund/transId/{id}.json"), None).await
}

async fn cancel(world: &World, id: &str) -> Value {
    call(world, "DELETE", &format!("terminalPayment/transId/{id}.json"), None).await["code"].clone()
}

async fn cancel_refund(world: &World, id: &str) -> Value {
    call(world, "DELETE", &format!("terminalRefund/transId/{id}.json"), None).await["code"].clone()
}

async fn close(world: &World) -> Value {
    call(world, "POST", "terminalClosing.json", None).await
}

#[tokio::test]
async fn the_status_of_a_payment_has_exactly_the_documented_types() {
    let world = World::default().await;
    let id = pending(&world, json!({ "tip": 500 })).await;
    assert_eq!(
        payment(&world, &id).await,
        json!({
            "code": 0, "message": "OK", "price": "10000", "tip": 500, "curr": "CZK", "refId": "2026001", "transId": id,
            "status": "PENDING", "fee": "unknown", "reversed": false,
        })
    );
    world.act("cardholder.pays", json!({ "transId": id, "cardNumber": "4111111111111111", "cardValid": "12/29" })).await;
    world.act("bank.returns", json!({ "transId": id, "amount": 4_000 })).await;
    assert_eq!(
        payment(&world, &id).await,
        json!({
            "code": 0, "message": "OK", "price": "10000", "tip": 500, "curr": "CZK", "refId": "2026001", "transId": id,
            "status": "PAID", "fee": "unknown", "cardValid": "12/29", "cardNumber": "411111******1111", "reversed": false,
            "amountRefunded": "4000",
        })
    );
}

#[tokio::test]
async fn a_reference_is_there_even_if_none_was_given() {
    let world = World::default().await;
    for none in [json!({ "refId": null }), json!({ "refId": "" })] {
        let id = pending(&world, none.clone()).await;
        assert_eq!(payment(&world, &id).await["refId"], "");
        let id = pending_refund(&world, none).await;
        assert_eq!(refund(&world, &id).await["refId"], "");
    }
}

#[tokio::test]
async fn a_refund_is_paid_and_reversed_on_its_day() {
    let world = World::default().await;
    let id = pending_refund(&world, json!({ "price": 2500, "curr": "EUR", "email": "jan@example.com" })).await;
    let expected = json!({
        "code": 0, "message": "OK", "price": "2500", "curr": "EUR", "refId": "2026001", "transId": id, "status": "PENDING", "reversed": false,
    });
    assert_eq!(refund(&world, &id).await, expected);
    assert_eq!(cancel_refund(&world, &id).await, 1400, "only while PAID");
    world.act("cardholder.pays", json!({ "transId": id, "cardNumber": "516844******0001" })).await;
    assert_eq!(refund(&world, &id).await, with(expected.clone(), json!({ "status": "PAID", "cardNumber": "516844******0001" })));
    assert_eq!(cancel_refund(&world, &id).await, 0);
    assert_eq!(refund(&world, &id).await["reversed"], true);
    assert_eq!(cancel_refund(&world, &id).await, 1400);
}

#[tokio::test]
async fn a_refund_of_yesterday_is_not_reversed_on_days_of_changing_clocks_too() {
    for (start, last_second) in [("2026-03-29T00:30:00Z", "2026-03-29T21:59:59Z"), ("2026-10-25T00:30:00Z", "2026-10-25T22:59:59Z")] {
        let world = World::open(json!({ "start": start })).await;
        let (one, other) = (pending_refund(&world, json!({})).await, pending_refund(&world, json!({})).await);
        for id in [&one, &other] {
            world.act("cardholder.pays", json!({ "transId": id })).await;
        }
        world.act("clock.advances", json!({ "to": last_second })).await;
        assert_eq!(cancel_refund(&world, &one).await, 0, "{last_second}");
        world.act("clock.advances", json!({ "seconds": 1 })).await;
        assert_eq!(cancel_refund(&world, &other).await, 1400, "{last_second}");
    }
}

#[tokio::test]
async fn a_payment_is_reversed_until_the_terminal_is_closed() {
    let world = World::default().await;
    let (reversed, kept) = (paid(&world, json!({})).await, paid(&world, json!({})).await);
    assert_eq!(cancel(&world, &reversed).await, 0);
    let status = payment(&world, &reversed).await;
    assert_eq!((&status["status"], &status["reversed"]), (&json!("PAID"), &json!(true)));
    assert_eq!(cancel(&world, &reversed).await, 1400);
    close(&world).await;
    assert_eq!(cancel(&world, &kept).await, 1400);
    let status = payment(&world, &kept).await;
    assert_eq!((&status["status"], &status["reversed"]), (&json!("PAID"), &json!(false)));
}

#[tokio::test]
async fn what_is_not_paid_is_not_reversed() {
    let world = World::default().await;
    let id = pending(&world, json!({})).await;
    assert_eq!(cancel(&world, &id).await, 1400);
    let declined = world.act("cardholder.is-declined", json!({ "transId": id, "reason": "NO_FUNDS" })).await;
    assert_eq!(declined["status"], "CANCELLED");
    assert_eq!(cancel(&world, &id).await, 1400);
    assert_eq!(payment(&world, &id).await["paymentErrorReason"], "NO_FUNDS");
    assert_eq!(cancel(&world, "ABC-123-DEF-456").await, 1400);
}

#[tokio::test]
async fn a_card_holder_who_leaves_or_never_comes_lets_the_payment_time_out() {
    let world = World::default().await;
    let (left, never) = (pending(&world, json!({})).await, pending(&world, json!({})).await);
    world.act("cardholder.leaves", json!({ "transId": left })).await;
    assert_eq!(payment(&world, &left).await["status"], "CANCELLED");
    assert_eq!(payment(&world, &never).await["status"], "PENDING");
    world.act("clock.advances", json!({ "seconds": 300 })).await;
    let status = payment(&world, &never).await;
    assert_eq!((&status["status"], &status["paymentErrorReason"]), (&json!("CANCELLED"), &json!("CUSTOMER_TIMEOUT")));
}

#[tokio::test]
async fn an_email_of_a_cancellation_is_taken_from_the_query_and_from_the_body() {
    let world = World::default().await;
    let delete = async |query: &str, body: &'static [u8]| {
        let id = paid(&world, json!({})).await;
        let uri = format!("{}/v2.0/terminalPayment/transId/{id}.json{query}", world.path());
        let request = Request::delete(uri).header(header::AUTHORIZATION, basic("T100001", "secret-T100001"));
        read_json(world.send(request.body(Body::from(body)).unwrap()).await).await.1["code"].clone()
    };
    for (query, body) in
        [("", &b""[..]), ("?email=jan%40example.com", b""), ("", b"email=jan%40example.com"), ("", br#" {"email":"jan@example.com"}"#)]
    {
        assert_eq!(delete(query, body).await, 0, "{query}");
    }
    for (query, body) in [("?email=jan", &b""[..]), ("?email=%", b""), ("", br#"{"email":7}"#), ("", br#"{"email":"#), ("", b"email=\xff")]
    {
        assert_eq!(delete(query, body).await, 1400, "{query}");
    }
}

#[tokio::test]
async fn bounds_are_inclusive_for_payments_and_refunds() {
    let world = World::default().await;
    for path in ["terminalPayment.json", "terminalRefund.json"] {
        for (curr, low, high) in [("CZK", 100, 100_000_000), ("EUR", 10, 4_000_000)] {
            for (price, code) in [(low - 1, 1107), (low, 0), (high, 0), (high + 1, 1107), (0, 1107), (-low, 1107), (i32::MAX, 1107)] {
                let response = create(&world, path, json!({ "price": price, "curr": curr })).await;
                assert_eq!(response["code"], code, "{path} {price} {curr}");
            }
        }
    }
}

#[tokio::test]
async fn each_violation_has_its_code() {
    let world = World::default().await;
    for (changes, code) in [
        (json!({ "price": null }), 1400),
        (json!({ "price": "10000" }), 0),
        (json!({ "price": 100.5 }), 1309),
        (json!({ "price": true }), 1309),
        (json!({ "price": "ten" }), 1309),
        (json!({ "price": 2_147_483_648_u64 }), 1309),
        (json!({ "price": [1] }), 1309),
        (json!({ "curr": null }), 1400),
        (json!({ "curr": "" }), 1400),
        (json!({ "curr": "USD" }), 1310),
        (json!({ "curr": "czk" }), 1310),
        (json!({ "curr": 203 }), 1400),
        (json!({ "refId": 7 }), 1400),
        (json!({ "unknown": { "a": [1] } }), 0),
    ] {
        for path in ["terminalPayment.json", "terminalRefund.json"] {
            assert_eq!(create(&world, path, changes.clone()).await["code"], code, "{path} {changes}");
        }
    }
    for (tip, code) in
        [(json!(0), 0), (json!(9_999), 0), (json!(10_000), 1309), (json!(10_001), 1309), (json!(-1), 1309), (json!("a lot"), 1309)]
    {
        assert_eq!(create(&world, "terminalPayment.json", json!({ "tip": tip })).await["code"], code, "{tip}");
    }
    for (email, code) in [(json!("jan@example.com"), 0), (json!(""), 0), (json!("jan"), 1400), (json!(7), 1400)] {
        assert_eq!(create(&world, "terminalRefund.json", json!({ "email": email })).await["code"], code, "{email}");
    }
}

#[tokio::test]
async fn hostile_bodies_are_refused() {
    let world = World::default().await;
    let code = async |path: &str, content_type: &str, body: Vec<u8>| {
        let request = Request::post(format!("{}/v2.0/{path}", world.path())).header(header::CONTENT_TYPE, content_type);
        let request = request.header(header::AUTHORIZATION, basic("T100001", "secret-T100001"));
        read_json(world.send(request.body(Body::from(body)).unwrap()).await).await.1["code"].clone()
    };
    for body in [
        &b""[..],
        b"[]",
        b"null",
        b"{",
        b"{\"price\":\"\xff\"}",
        br#"{"price":1,"price":2}"#,
        &[b'['; 100_000],
        &[b' '; 8 * 1024 * 1024 + 1],
    ] {
        assert_eq!(code("terminalPayment.json", "application/json", body.to_vec()).await, 1400);
    }
    let order = order().to_string().into_bytes();
    assert_eq!(code("terminalPayment.json", "text/plain", order.clone()).await, 1400);
    assert_eq!(code("terminalPayment.json", "application/json; charset=utf-8", order).await, 0);
    assert_eq!(code("terminalClosing.json", "application/json", vec![]).await, 0);
    assert_eq!(code("terminalClosing.json", "text/plain", vec![]).await, 1400);
}

#[tokio::test]
async fn a_terminal_knows_its_own_transactions_only() {
    let world =
        World::open(json!({ "merchants": [{ "merchant": "1" }, { "merchant": "2", "terminal": "till", "terminal-secret": "s:2" }] })).await;
    let one = basic("T1", "secret-T1");
    let other = basic("till", "s:2");
    let (_, response) = world.v2_as(&one, "POST", "terminalPayment.json", Some(&order())).await;
    let path = format!("terminalPayment/transId/{}.json", response["transId"].as_str().unwrap());
    world.act("cardholder.pays", json!({ "transId": response["transId"] })).await;
    for (method, authorization, code) in [("GET", &other, 1400), ("DELETE", &other, 1400), ("GET", &one, 0), ("DELETE", &one, 0)] {
        assert_eq!(world.v2_as(authorization, method, &path, None).await.1["code"], code, "{method}");
    }
}

#[tokio::test]
async fn wrong_credentials_and_addresses_are_refused() {
    let world = World::open(json!({ "error-status": 400 })).await;
    for (authorization, creation) in [
        ("", 1400),
        ("Basic !", 1400),
        (&*basic("T100001", "wrong"), 1400),
        (&*basic("nobody", "x"), 1301),
        (&*basic("100001", "secret-100001"), 1301),
    ] {
        for (method, path, code) in [
            ("POST", "terminalPayment.json", creation),
            ("POST", "terminalRefund.json", creation),
            ("GET", "terminalPayment/transId/ABC-123-DEF-456.json", 1400),
            ("DELETE", "terminalRefund/transId/ABC123-DEF456.json", 1400),
            ("GET", "terminal.json", 1400),
            ("POST", "terminalClosing.json", 1400),
        ] {
            let (status, response) = world.v2_as(authorization, method, path, None).await;
            assert_eq!((status, &response["code"]), (StatusCode::BAD_REQUEST, &json!(code)), "{authorization} {method} {path}");
            assert!(response["message"].is_string());
        }
    }
    let elsewhere = world.beside(json!({ "allowed-addresses": ["10.0.0.1"] })).await;
    assert_eq!(create(&elsewhere, "terminalPayment.json", json!({})).await["code"], 1400);
    assert_eq!(call(&elsewhere, "GET", "terminal.json", None).await["code"], 1400);
}

#[tokio::test]
async fn the_terminal_shows_its_state() {
    let world = World::open(json!({ "merchants": [{ "merchant": "100001", "terminal-status": "UNKNOWN" }] })).await;
    let state = async || call(&world, "GET", "terminal.json", None).await["status"].clone();
    assert_eq!(state().await, "UNKNOWN");
    for status in ["OFFLINE", "BUSY", "ONLINE"] {
        world.act("terminal.changes", json!({ "merchant": "100001", "status": status })).await;
        assert_eq!(state().await, status);
    }
    let id = pending(&world, json!({})).await;
    assert_eq!(state().await, "BUSY", "it processes a transaction");
    world.act("cardholder.pays", json!({ "transId": id })).await;
    assert_eq!(state().await, "ONLINE");
}

#[tokio::test]
async fn a_closing_returns_totals_by_currency_and_empties_the_terminal() {
    let world = World::default().await;
    paid(&world, json!({})).await;
    let reversed = paid(&world, json!({ "price": 2_000 })).await;
    cancel(&world, &reversed).await;
    let back = pending_refund(&world, json!({ "price": 700, "curr": "EUR" })).await;
    world.act("cardholder.pays", json!({ "transId": back })).await;
    pending(&world, json!({})).await;
    assert_eq!(
        close(&world).await,
        json!({ "code": 0, "message": "OK", "batchNumber": 1, "batchData": [
            { "curr": "CZK", "creditsAmount": 12_000, "creditsCount": 2, "debitsAmount": 2_000, "debitsCount": 1 },
            { "curr": "EUR", "creditsAmount": 0, "creditsCount": 0, "debitsAmount": 700, "debitsCount": 1 },
        ] })
    );
    assert_eq!(close(&world).await, json!({ "code": 0, "message": "OK", "batchNumber": 2, "batchData": [] }));
}

#[tokio::test]
async fn a_closing_fails_with_one_of_four_messages_and_closes_nothing() {
    let world = World::default().await;
    let id = paid(&world, json!({})).await;
    for (status, message) in [("OFFLINE", "Terminal not connected"), ("BUSY", "Terminal busy"), ("UNKNOWN", "Provider unavailable")] {
        world.act("terminal.changes", json!({ "merchant": "100001", "status": status })).await;
        assert_eq!(close(&world).await, json!({ "code": 1500, "message": message }));
    }
    world.act("terminal.changes", json!({ "merchant": "100001", "status": "ONLINE" })).await;
    for message in ["Terminal busy", "Terminal not connected", "Closing unfinished", "Provider unavailable"] {
        world.act("gateway.fails", json!({ "operation": "terminal.closing", "code": 1500, "message": message })).await;
        assert_eq!(close(&world).await, json!({ "code": 1500, "message": message }));
    }
    let (status, _) =
        world.try_act("gateway.fails", json!({ "operation": "terminal.closing", "code": 1500, "message": "Out of paper" })).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert_eq!(cancel(&world, &id).await, 0);
    assert_eq!(close(&world).await["batchNumber"], 1);
}

#[tokio::test]
async fn the_fee_is_known_from_the_next_day_in_prague_on() {
    let world = World::default().await;
    let (id, never) = (paid(&world, json!({})).await, pending(&world, json!({})).await);
    world.act("clock.advances", json!({ "to": "2026-01-15T22:59:59Z" })).await;
    assert_eq!(payment(&world, &id).await["fee"], "unknown");
    world.act("clock.advances", json!({ "seconds": 1 })).await;
    assert_eq!(payment(&world, &id).await["fee"], "100");
    assert_eq!(payment(&world, &never).await["fee"], "unknown");
    world.act("merchant.changes", json!({ "merchant": "100001", "fee": "250" })).await;
    assert_eq!(payment(&world, &id).await["fee"], "250");
}

#[tokio::test]
async fn every_documented_code_of_every_call_can_be_had_by_a_fault() {
    let world = World::default().await;
    let id = paid(&world, json!({})).await;
    let creation = &[1100, 1107, 1200, 1301, 1309, 1310, 1399, 1400, 1500][..];
    let query = &[1100, 1200, 1400, 1500][..];
    for (operation, method, path, codes) in [
        ("terminal.create", "POST", "terminalPayment.json", creation),
        ("terminal.refund.create", "POST", "terminalRefund.json", creation),
        ("terminal.status", "GET", &format!("terminalPayment/transId/{id}.json"), query),
        ("terminal.refund.status", "GET", "terminalRefund/transId/ABC123-DEF456.json", query),
        ("terminal.cancel", "DELETE", &format!("terminalPayment/transId/{id}.json"), &[1400]),
        ("terminal.refund.cancel", "DELETE", "terminalRefund/transId/ABC123-DEF456.json", &[1400]),
        ("terminal.state", "GET", "terminal.json", query),
        ("terminal.closing", "POST", "terminalClosing.json", &[1500]),
    ] {
        for code in codes {
            world.act("gateway.fails", json!({ "operation": operation, "code": code, "message": if operation == "terminal.closing" { Value::Null } else { json!("!") } })).await;
            assert_eq!(call(&world, method, path, None).await["code"], *code, "{operation}");
        }
        assert_eq!(world.try_act("gateway.fails", json!({ "operation": operation, "code": 1401 })).await.0, StatusCode::BAD_REQUEST);
    }
    assert_eq!(payment(&world, &id).await["reversed"], false, "a fault changes nothing");
}

#[tokio::test]
async fn world_actions_say_what_is_impossible() {
    let world = World::default().await;
    let id = paid(&world, json!({})).await;
    for (action, body, status) in [
        ("cardholder.pays", json!({ "transId": id }), 409),
        ("cardholder.leaves", json!({ "transId": id }), 409),
        ("cardholder.is-declined", json!({ "transId": id, "reason": "" }), 400),
        ("cardholder.pays", json!({ "transId": "ABC-123-DEF-456" }), 404),
        ("cardholder.pays", json!({ "transId": "nonsense" }), 404),
        ("cardholder.pays", json!({ "transId": id, "cardNumber": "1" }), 400),
        ("bank.returns", json!({ "transId": id, "amount": 10_001 }), 409),
        ("bank.returns", json!({ "transId": id, "amount": 0 }), 400),
        ("bank.returns", json!({ "transId": "ABC123-DEF456", "amount": 1 }), 404),
        ("terminal.changes", json!({ "merchant": "100001", "status": "online" }), 400),
        ("terminal.changes", json!({ "merchant": "9", "status": "ONLINE" }), 404),
    ] {
        assert_eq!(world.try_act(action, body.clone()).await.0.as_u16(), status, "{action} {body}");
    }
}

#[tokio::test]
async fn another_method_on_a_path_is_refused() {
    let world = World::default().await;
    for (method, path) in [("GET", "terminalPayment.json"), ("POST", "terminal.json"), ("PUT", "terminalRefund/transId/ABC123-DEF456.json")]
    {
        let (status, response) = world.v2("PUT", path, None).await;
        assert_eq!((status, &response["code"]), (StatusCode::METHOD_NOT_ALLOWED, &json!(1400)), "{method} {path}");
    }
}

#[tokio::test(start_paused = true)]
async fn troubles_of_the_wire_meet_the_terminal_too() {
    let world = World::default().await;
    world.act("gateway.stalls", json!({ "operation": "terminal.create", "seconds": 2.5 })).await;
    let started = tokio::time::Instant::now();
    pending(&world, json!({})).await;
    assert_eq!(started.elapsed().as_secs_f64(), 2.5);
    world.act("gateway.disconnects", json!({ "operation": "terminal.state" })).await;
    let request = Request::get(format!("{}/v2.0/terminal.json", world.path())).body(Body::empty()).unwrap();
    let broken = world.send(request).await;
    assert!(http_body_util::BodyExt::collect(broken.into_body()).await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_is_paid_while_the_terminal_is_being_closed_counts_once() {
    let world = std::sync::Arc::new(World::default().await);
    let tasks: Vec<_> = (0..4)
        .map(|_| {
            let world = std::sync::Arc::clone(&world);
            tokio::spawn(async move {
                let mut counted = 0;
                for _ in 0..25 {
                    paid(&world, json!({})).await;
                    counted += close(&world).await["batchData"][0]["creditsCount"].as_i64().unwrap_or(0);
                }
                counted
            })
        })
        .collect();
    let mut counted = 0;
    for task in tasks {
        counted += task.await.unwrap();
    }
    assert_eq!(counted, 100);
    assert_eq!(close(&world).await["batchNumber"], 101);
}
