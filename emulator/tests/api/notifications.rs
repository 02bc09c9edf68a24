//! Push notifications, to a merchant's endpoint of the test.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::common::{World, decode, valid_form};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode, header};
use serde_json::{Value, json};

/// The merchant's endpoint: keeps what it receives, responds with the given statuses and then with 200.
#[derive(Clone, Default)]
struct Inbox {
    received: Arc<Mutex<Vec<(String, String)>>>,
    statuses: Arc<Mutex<VecDeque<u16>>>,
    arrived: Arc<tokio::sync::Notify>,
    /// Requests that are not answered yet, and the most there were.
    open: Arc<AtomicUsize>,
    most_at_once: Arc<AtomicUsize>,
    url: String,
}

impl Inbox {
    async fn open(statuses: &[u16]) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/result", listener.local_addr().unwrap());
        let inbox = Self { url, statuses: Arc::new(Mutex::new(statuses.iter().copied().collect())), ..Self::default() };
        let router = Router::new().fallback(receive).with_state(inbox.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        inbox
    }

    fn received(&self) -> Vec<(String, String)> {
        self.received.lock().unwrap().clone()
    }

    /// For worlds on real time: returns when `count` notifications have arrived.
    async fn holds(&self, count: usize) {
        while self.count() < count {
            self.arrived.notified().await;
        }
    }

    fn count(&self) -> usize {
        self.received.lock().unwrap().len()
    }
}

async fn receive(State(inbox): State<Inbox>, headers: HeaderMap, body: Bytes) -> Response {
    let media_type = headers[header::CONTENT_TYPE].to_str().unwrap().to_owned();
    inbox.received.lock().unwrap().push((media_type, String::from_utf8(body.to_vec()).unwrap()));
    inbox.arrived.notify_one();
    inbox.most_at_once.fetch_max(inbox.open.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
    // A delivery that does not wait for this response arrives meanwhile.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    inbox.open.fetch_sub(1, Ordering::SeqCst);
    let response = inbox.statuses.lock().unwrap().pop_front().unwrap_or(200);
    (StatusCode::from_u16(response).unwrap(), [(header::LOCATION, "/elsewhere")]).into_response()
}

async fn world_with(inbox: &Inbox, retry: Value) -> World {
    let merchant = json!({ "merchant": "100001", "notification-url": inbox.url, "contact-emails": ["ops@shop.test"] });
    World::open(json!({ "seed": 7, "merchants": [merchant], "retry": retry })).await
}

#[tokio::test]
async fn a_tolerant_world_notifies_the_fee_as_the_status_has_it() {
    for (tolerant, fee) in [(true, Some("unknown")), (false, None)] {
        let inbox = Inbox::open(&[]).await;
        let merchant = json!({ "merchant": "100001", "notification-url": inbox.url });
        let world = World::open(json!({ "seed": 7, "merchants": [merchant], "tolerant": tolerant })).await;
        let id = world.paid(json!({})).await;
        world.act("world.settles", json!({})).await;
        let body: Value = serde_json::from_str(&inbox.received().remove(0).1).unwrap();
        assert_eq!(body["fee"].as_str(), fee, "{body}");
        assert_eq!(world.status(&id).await["fee"], "unknown");
    }
}

#[tokio::test]
async fn a_payment_created_as_json_is_notified_as_json() {
    let inbox = Inbox::open(&[]).await;
    let world = world_with(&inbox, json!({})).await;
    let id = world.paid(json!({ "category": "OTHER", "billingAddrCity": "Brno", "threeDSPreference": "SKIP" })).await;
    world.act("world.settles", json!({})).await;
    let (media_type, body) = inbox.received().remove(0);
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(media_type, "application/json; charset=UTF-8");
    assert_eq!(
        body,
        json!({
            "transId": id, "merchant": "100001", "test": "false", "price": "10000", "curr": "CZK", "label": "Shoes", "refId": "2026001",
            "payer_name": "Jan Novák", "method": "CARD_CZ_CSOB_2", "email": "jan@example.com", "secret": "secret-100001", "status": "PAID",
            "full_name": "Jan Novák", "billing_addr_city": "Brno", "category": "OTHER", "vs": body["vs"],
            "threeDSPreference": "FAST", "threeDSApplied": false,
        })
    );
}

#[tokio::test]
async fn a_payment_created_as_a_form_is_notified_as_a_form() {
    let inbox = Inbox::open(&[]).await;
    let world = world_with(&inbox, json!({})).await;
    let id = world.v1("create", &valid_form()).await["transId"].clone();
    world.act("payer.fails", json!({ "transId": id, "reason": "NO_FUNDS" })).await;
    world.act("world.settles", json!({})).await;
    let (media_type, body) = inbox.received().remove(0);
    let body = decode(&body);
    assert_eq!(media_type, "application/x-www-form-urlencoded; charset=UTF-8");
    assert_eq!((body["status"].as_str(), body["paymentErrorReason"].as_str()), ("CANCELLED", "NO_FUNDS"));
    assert_eq!((body["test"].as_str(), body["full_name"].as_str()), ("false", "Jan Novák"));
}

#[tokio::test]
async fn the_payer_id_of_the_shop_comes_back() {
    let inbox = Inbox::open(&[]).await;
    let world = world_with(&inbox, json!({})).await;
    let id = world.paid(json!({ "payerId": "customer 7" })).await;
    assert_eq!(world.status(&id).await["payerId"], "customer 7");
    assert_eq!(world.v1_about("status", &id, &[]).await["payerId"], "customer 7");
    world.act("world.settles", json!({})).await;
    let (_, body) = inbox.received().remove(0);
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap()["payerId"], "customer 7");
}

#[tokio::test]
async fn every_change_of_state_is_notified_and_nothing_else() {
    let inbox = Inbox::open(&[]).await;
    let world = world_with(&inbox, json!({})).await;
    let paid = world.paid(json!({})).await;
    world.v2("POST", "refund.json", Some(&json!({ "transId": paid, "amount": 1 }))).await;
    world.paid(json!({ "preauth": true })).await;
    let cancelled = world.created(json!({})).await;
    world.v1_about("cancel", &cancelled, &[]).await;
    world.created(json!({})).await;
    world.act("clock.advances", json!({ "seconds": 86_400 })).await;
    let mut states: Vec<_> =
        inbox.received().iter().map(|(_, body)| serde_json::from_str::<Value>(body).unwrap()["status"].clone()).collect();
    states.sort_by_key(Value::to_string);
    assert_eq!(states, ["AUTHORIZED", "CANCELLED", "CANCELLED", "PAID"]);
}

#[tokio::test]
async fn only_the_documented_responses_acknowledge() {
    for (response, acknowledges) in [
        (200, true),
        (201, true),
        (202, true),
        (203, false),
        (204, true),
        (205, true),
        (206, false),
        (302, false),
        (400, false),
        (500, false),
    ] {
        let inbox = Inbox::open(&[response]).await;
        let world = world_with(&inbox, json!({})).await;
        world.paid(json!({})).await;
        let settled = world.act("world.settles", json!({})).await;
        assert_eq!(settled["scheduled"], i32::from(!acknowledges), "{response}");
        assert_eq!(world.see("/notifications").await["notifications"][0]["answer"], json!({ "status": response }));
    }
}

#[tokio::test]
async fn what_is_not_acknowledged_is_repeated_with_growing_pauses() {
    let inbox = Inbox::open(&[500, 302, 404]).await;
    let world = world_with(&inbox, json!({})).await;
    world.paid(json!({})).await;
    for (seconds, deliveries) in [(59, 1), (1, 2), (119, 2), (1, 3), (240, 4), (100_000, 4)] {
        world.act("clock.advances", json!({ "seconds": seconds })).await;
        assert_eq!(inbox.count(), deliveries);
    }
    let attempts = world.see("/notifications").await;
    let times: Vec<_> = attempts["notifications"].as_array().unwrap().iter().map(|attempt| attempt["at"].as_str().unwrap()).collect();
    assert_eq!(times, ["2026-01-15T12:00:00Z", "2026-01-15T12:01:00Z", "2026-01-15T12:03:00Z", "2026-01-15T12:07:00Z"]);
}

#[tokio::test]
async fn after_a_thousand_attempts_the_contacts_get_a_mail() {
    let inbox = Inbox::open(&[500; 1000]).await;
    let world = world_with(&inbox, json!({})).await;
    let id = world.paid(json!({})).await;
    world.act("clock.advances", json!({ "seconds": 999 * 3600 })).await;
    assert_eq!(inbox.count(), 1000);
    let read = world.act("merchant.reads-mail", json!({})).await;
    assert_eq!((&read["count"], &read["mail"]), (&json!(1), &world.see("/mail").await["mail"]));
    let mail = &read["mail"][0];
    assert_eq!((&mail["to"], &mail["transId"]), (&json!(["ops@shop.test"]), &json!(id)));
    assert_eq!((&mail["status"], &mail["attempts"]), (&json!("PAID"), &json!(1000)));
    assert_eq!(world.act("world.settles", json!({})).await["scheduled"], 0);
}

#[tokio::test]
async fn an_endpoint_without_a_server_is_a_transport_error() {
    let closed = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let inbox = Inbox { url: format!("http://{closed}/"), ..Inbox::default() };
    let world = world_with(&inbox, json!({ "attempts": 1 })).await;
    world.paid(json!({})).await;
    world.act("world.settles", json!({})).await;
    let attempt = world.see("/notifications").await["notifications"][0].clone();
    assert!(attempt["answer"]["error"].is_string(), "{attempt}");
    assert_eq!(world.see("/mail").await["mail"].as_array().unwrap().len(), 1);
}

/// An https endpoint: another emulator, which responds with an error to everything.
#[tokio::test]
async fn https_endpoints_are_reached_if_their_certificate_is_trusted() {
    let tls = emulator::Tls::self_signed().unwrap();
    let shop = emulator::Emulator::start(emulator::Config { tls: Some(tls.clone()), ..emulator::Config::default() }).await.unwrap();
    let merchant = json!({ "merchant": "100001", "notification-url": shop.base_url() });
    for (trust, reached) in [(json!(tls.certificate_pem()), true), (json!(emulator::Tls::self_signed().unwrap().certificate_pem()), false)]
    {
        let world = World::open(json!({ "merchants": [merchant], "trust": trust })).await;
        world.paid(json!({})).await;
        world.act("world.settles", json!({})).await;
        let response = &world.see("/notifications").await["notifications"][0]["answer"];
        assert_eq!(*response == json!({ "status": 404 }), reached, "{response}");
    }
}

#[tokio::test]
async fn a_result_can_be_delivered_again() {
    let inbox = Inbox::open(&[]).await;
    let world = world_with(&inbox, json!({})).await;
    let id = world.paid(json!({})).await;
    world.act("world.settles", json!({})).await;
    world.act("notification.resends", json!({ "transId": id })).await;
    world.act("world.settles", json!({})).await;
    let received = inbox.received();
    assert_eq!(received.len(), 2);
    assert_eq!(received.first(), received.last());
}

#[tokio::test]
async fn expiries_and_retries_happen_in_the_order_of_time() {
    let inbox = Inbox::open(&[500]).await;
    let world = world_with(&inbox, json!({ "first-seconds": 3600 })).await;
    let paid = world.paid(json!({})).await;
    let early = world.created(json!({ "expirationTime": "30m" })).await;
    let late = world.created(json!({ "expirationTime": "2h" })).await;
    world.act("clock.advances", json!({ "seconds": 7200 })).await;
    let attempts = world.see("/notifications").await;
    let order: Vec<_> = attempts["notifications"].as_array().unwrap().iter().map(|attempt| attempt["transId"].as_str().unwrap()).collect();
    assert_eq!(order, [&paid, &early, &paid, &late]);
}

#[tokio::test]
async fn in_real_time_retries_happen_by_themselves() {
    let inbox = Inbox::open(&[500, 500]).await;
    let merchant = json!({ "merchant": "100001", "notification-url": inbox.url });
    let world = World::open(json!({ "clock": "real", "merchants": [merchant], "retry": { "first-seconds": 0 } })).await;
    world.paid(json!({})).await;
    inbox.holds(3).await;
}

#[tokio::test]
async fn the_end_of_a_world_aborts_its_deliveries() {
    use tokio::io::AsyncReadExt as _;
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let inbox = Inbox { url: format!("http://{}/", silent.local_addr().unwrap()), ..Inbox::default() };
    let world = world_with(&inbox, json!({ "timeout-seconds": 600 })).await;
    world.paid(json!({})).await;
    let (mut connection, _) = silent.accept().await.unwrap();
    assert_eq!(world.json("DELETE", world.control(), &json!({})).await.0, StatusCode::NO_CONTENT);
    // The connection is closed long before the timeout.
    let mut request = Vec::new();
    let read = tokio::time::timeout(std::time::Duration::from_secs(60), connection.read_to_end(&mut request)).await;
    assert!(read.is_ok());
}

#[tokio::test]
async fn a_call_does_not_wait_for_the_delivery() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let inbox = Inbox { url: format!("http://{}/", silent.local_addr().unwrap()), ..Inbox::default() };
    let world = world_with(&inbox, json!({})).await;
    let id = world.paid(json!({})).await;
    assert_eq!(world.status(&id).await["status"], "PAID");
    assert_eq!(world.see("").await["notifications"]["in-flight"], 1);
}

#[tokio::test]
async fn on_virtual_time_a_notification_waits_for_the_one_before() {
    let inbox = Inbox::open(&[]).await;
    let world = world_with(&inbox, json!({})).await;
    let mut paid = Vec::new();
    for _ in 0..20 {
        paid.push(world.paid(json!({})).await);
    }
    world.act("world.settles", json!({})).await;
    let received = inbox.received().into_iter().map(|(_, body)| serde_json::from_str::<Value>(&body).unwrap());
    let notified: Vec<String> = received.map(|body| body["transId"].as_str().unwrap().to_owned()).collect();
    assert_eq!(notified, paid);
    assert_eq!(inbox.most_at_once.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn no_response_in_time_is_no_acknowledgement() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let inbox = Inbox { url: format!("http://{}/", silent.local_addr().unwrap()), ..Inbox::default() };
    let world = world_with(&inbox, json!({ "timeout-seconds": 0 })).await;
    world.paid(json!({})).await;
    assert_eq!(world.act("world.settles", json!({})).await["scheduled"], 1);
}
