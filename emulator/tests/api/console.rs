//! The console: in a real browser, and against pages that want to use it.

use crate::browser::{Browser, ask};
use crate::common::{World, basic, encode, text, valid_form, valid_json, with};
use axum::body::Body;
use emulator::{Config, Emulator};
use http::{Request, Response, StatusCode, header};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn a_person_sees_and_moves_a_world() {
    let Some(browser) = Browser::open() else { return };
    let emulator = Emulator::start(Config::default()).await.unwrap();
    let control = [("content-type", "application/json")];
    let settings = json!({ "name": "shop", "clock": "virtual" }).to_string();
    assert_eq!(ask(emulator.addr(), "POST", "/__emulator/worlds", &control, &settings).0, 201);
    let authorization = basic("100001", "secret-100001");
    let headers = [("authorization", authorization.as_str()), ("content-type", "application/json")];
    for label in ["<b id=x>x</b>", "Second"] {
        let order = with(valid_json(), json!({ "label": label })).to_string();
        assert_eq!(ask(emulator.addr(), "POST", "/w/shop/v2.0/payment.json", &headers, &order).0, 200);
    }

    browser.go(&format!("{}/w/shop/", emulator.base_url()));
    assert_eq!((browser.title().as_str(), browser.text("#world").as_str()), ("shop: Paycheck emulator", "shop"));
    assert_eq!(browser.say("document.getElementById('x')"), json!(null), "a label is markup");
    assert_eq!(browser.say("document.scripts.length"), json!(0));
    browser.leave_by("#payments tbody tr:last-child form:first-of-type button");
    let status = |row: u8| browser.text(&format!("#payments tbody tr:nth-child({row}) td:nth-child(2)"));
    assert_eq!(browser.text("#done h2"), "payer.pays: done");
    assert_eq!((status(1), status(2)), ("PENDING".into(), "PAID".into()), "the newest is the first");

    let before = browser.text("#now");
    browser.leave_by("header form:last-of-type button");
    assert_eq!(status(1), "CANCELLED CUSTOMER_TIMEOUT", "it expired within seven days");
    assert_ne!(browser.text("#now"), before);

    browser.click("details:has(textarea[id='gateway.fails']) summary");
    browser.leave_by("textarea[id='gateway.fails'] ~ button");
    assert!(browser.text("#result").contains("\"code\":1200"), "{}", browser.text("#result"));
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let (_, refused) = ask(emulator.addr(), "POST", "/w/shop/v1.0/create", &form, &encode(&valid_form()));
    assert!(refused.contains("code=1200"), "{refused}");

    browser.leave_by("#payments tbody tr:first-child form button");
    assert_eq!(browser.text("#done h2"), "notification.resends: done");
    browser.leave_by("#refresh");
    assert_eq!(browser.say("document.getElementById('done')"), json!(null));
    browser.leave_by("nav a:first-of-type");
    assert_eq!(browser.text("#world"), "default");
    browser.shows_well(|_, _| ());
}

/// A page of another server may show a form that is sent here. The browser says where it comes from.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_another_server_moves_nothing() {
    let Some(browser) = Browser::open() else { return };
    let emulator = Emulator::start(Config::default()).await.unwrap();
    let target = format!("{}/__emulator/console/default", emulator.base_url());
    let form = format!(
        "data:text/html,<form method=post action='{target}'><input name=action value=world.fills><input name=parameters \
         value='{{\"merchant\":\"100001\",\"payments\":5}}'><button>x</button></form>"
    );
    browser.go(&form);
    browser.leave_by("button");
    assert!(browser.text("body").contains("takes nothing from the pages of other servers"), "{}", browser.text("body"));
    let (_, summary) = ask(emulator.addr(), "GET", "/__emulator/worlds/default", &[], "");
    assert!(summary.contains("\"payments\":0"), "{summary}");
}

async fn post(world: &World, form: &str) -> Response<Body> {
    let name = world.path().trim_start_matches("/w/");
    let request = Request::post(format!("/__emulator/console/{name}")).header(header::HOST, "127.0.0.1:1");
    let request = request.header(header::ORIGIN, "http://127.0.0.1:1");
    let request = request.header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
    world.send(request.body(Body::from(form.to_owned())).unwrap()).await
}

#[tokio::test]
async fn what_can_not_be_done_is_said_on_the_page() {
    let world = World::default().await;
    for (form, status, sentence) in [
        ("action=payer.pays&parameters=%7B%22transId%22:%22AB12-CD34-EF56%22%7D", 404, "there is no payment AB12-CD34-EF56"),
        ("action=payer.pay&parameters=", 404, "did you mean `payer.pays`?"),
        ("action=payer.pays&parameters=%7B", 400, "the body is not as described"),
    ] {
        let response = post(&world, form).await;
        assert_eq!(response.status(), StatusCode::from_u16(status).unwrap(), "{form}");
        let page = text(response).await.replace("&#x27;", "'");
        assert!(page.contains(": not done") && page.contains(sentence), "{page}");
    }
    assert_eq!(post(&world, "parameters=").await.status(), StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn it_speaks_of_payments_as_the_apis_do() {
    let world = World::open(json!({ "freedoms": { "http.identifiers": "small" } })).await;
    let id = world.created(json!({})).await;
    let page = text(post(&world, &format!("action=payer.pays&parameters=%7B%22transId%22:%22{id}%22%7D")).await).await;
    assert!(page.contains(&id) && page.contains("payer.pays: done"), "{page}");
    assert_eq!(world.status(&id).await["status"], "PAID");
}

/// The value of a field stands as it was sent, and as text alone.
#[tokio::test(flavor = "multi_thread")]
async fn a_person_reads_what_a_client_has_sent() {
    let Some(browser) = Browser::open() else { return };
    let emulator = Emulator::start(Config { journal: 10, ..Config::default() }).await.unwrap();
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let mut order = valid_form();
    order.insert("label".into(), "<b id=x>x</b>".into());
    ask(emulator.addr(), "POST", "/v1.0/create", &form, &encode(&order));
    browser.go(&format!("{}/__emulator/console/default", emulator.base_url()));
    browser.click("#requests details summary");
    assert_eq!(browser.text("#requests summary"), "POST /v1.0/create: HTTP 200");
    let sent = browser.text("#requests pre");
    assert!(sent.contains("label=<b id=x>x</b>") && sent.contains("secret=***"), "{sent}");
    assert_eq!(browser.say("document.getElementById('x')"), json!(null), "a label is markup");
    browser.shows_well(|_, _| ());
}
