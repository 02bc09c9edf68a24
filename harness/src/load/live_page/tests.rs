use http::{Method, Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};

use std::time::Duration;

use super::*;
use crate::load::example_results;
use crate::load::meter::{Iteration, MeasuredCall, Meter, ResultCode, Tick};
use crate::load::result::ErrorKind;

const fn micros(micros: u64) -> Duration {
    Duration::from_micros(micros)
}

fn progress() -> LoadProgress {
    LoadProgress {
        phase: "load".to_owned(),
        elapsed: Duration::from_secs(15),
        total: Some(Duration::from_secs(60)),
        users: 4,
        rate: Some(3.0),
        p50: Some(1000),
        p99: Some(1300),
        requests: 3,
        errors: 1,
        delayed: Some(0),
        outstanding: Some(2),
    }
}

/// A second with three calls, and one without any.
fn played(page: &LivePage) {
    let meter = Meter::new(vec!["shop.ask".to_owned(), "shop.pay".to_owned()], vec!["shop/one".to_owned()], 1);
    meter.call(1, MeasuredCall { service: micros(900), late: micros(100), error: None, status: Some(200), code: ResultCode::None });
    meter.call(
        1,
        MeasuredCall {
            service: micros(900),
            late: micros(400),
            error: Some(ErrorKind::Business),
            status: Some(200),
            code: ResultCode::None,
        },
    );
    meter.call(0, MeasuredCall { service: micros(200), late: micros(0), error: None, status: Some(200), code: ResultCode::None });
    meter.iteration(0, Iteration { service: micros(1), late: micros(0), passed: true });
    meter.lag(micros(70));
    let tick = |second| Tick { at: Duration::from_secs(second), users: 4, intended: Some(3) };
    meter.tick(tick(1), |interval| page.show_second(Phase::Measuring, &progress(), interval));
    meter.tick(tick(2), |interval| page.show_second(Phase::Measuring, &progress(), interval));
}

fn page_data(page: &LivePage) -> Value {
    serde_json::from_slice(&page.json()).unwrap()
}

#[test]
fn before_the_first_second_there_is_a_title_and_nothing_else() {
    let data = page_data(&LivePage::new("Payments", "journey, soak, seed 1, on shop"));
    assert_eq!([&data["title"], &data["load"], &data["phase"]], ["Payments", "journey, soak, seed 1, on shop", "users get ready"]);
    assert_eq!((&data["history"], &data["operations"]), (&json!([]), &json!([])));
}

#[test]
fn a_second_is_shown_as_text_failing_operations_first_and_its_history_as_numbers() {
    let page = LivePage::new("Payments", "journey");
    played(&page);
    let data = page_data(&page);
    assert_eq!((&data["phase"], &data["done"]), (&json!("load, 15.0 s of 60.0 s"), &json!(0.25)));
    let pay = ["shop.pay", "2", "0/s", "1 (50 %)", "1.00 ms", "–", "1.30 ms", "900 µs", "–"];
    assert_eq!(data["operations"], json!([pay, ["shop.ask", "1", "0/s", "0", "–", "–", "200 µs", "–", "–"]]));
    assert_eq!(data["errors"], json!([["shop.pay", "business", "1"]]));
    let [first, second] = data["history"].as_array().unwrap().as_slice() else { panic!("{}", data["history"]) };
    let numbers = ["rate", "errors", "users", "p50", "p99", "service-p99", "lag-p99"];
    assert_eq!(
        numbers.map(|name| first[name].clone()),
        [json!(3.0), json!(1.0), json!(4), json!(1000), json!(null), json!(null), json!(null)],
        "three calls have a median, and no p99"
    );
    assert_eq!(
        numbers.map(|name| second[name].clone()),
        [json!(0.0), json!(0.0), json!(4), json!(null), json!(null), json!(null), json!(null)]
    );
    let figure = |label: &str| {
        data["figures"].as_array().unwrap().iter().find(|figure| figure["label"] == label).map(|figure| figure["text"].clone())
    };
    assert_eq!((figure("calls now"), figure("notifications outstanding")), (Some(json!("3/s")), Some(json!("2"))));
}

#[test]
fn the_result_so_far_shows_thresholds_causes_and_notifications() {
    let page = LivePage::new("Payments", "journey");
    let mut result = example_results::findings();
    result.findings[0].message = "\u{1b}[31m<b>red</b>".to_owned();
    page.show_result(&result);
    let data = page_data(&page);
    assert_eq!(data["thresholds"][0], json!({ "verdict": "does not hold", "tone": "bad", "rule": "errors < 0.1%", "measured": "0.14 %" }));
    assert_eq!(data["causes"][0], json!(["12", "contract", "gateway.v1.create", "gateway.create.answer.transid", "\\u001b[31m<b>red</b>"]));
    assert_eq!(data["notifications"][4], json!({ "label": "lost", "text": "4", "tone": "bad" }));
}

#[test]
fn the_end_of_a_load_is_no_whole_second_and_has_no_rate() {
    let page = LivePage::new("Payments", "journey");
    played(&page);
    let meter = Meter::new(vec!["shop.pay".to_owned()], Vec::new(), 1);
    meter.call(0, MeasuredCall { service: micros(9), late: micros(0), error: None, status: Some(200), code: ResultCode::None });
    let last = Tick { at: Duration::from_millis(1), users: 0, intended: None };
    meter.tick(last, |interval| page.show_second(Phase::Draining, &LoadProgress { rate: None, ..progress() }, interval));
    let data = page_data(&page);
    assert_eq!((data["history"].as_array().unwrap().len(), &data["operations"][0][2]), (2, &json!("–")));
    assert_eq!(data["figures"][0], json!({ "label": "calls now", "text": "–", "tone": "plain" }));
}

#[test]
fn history_is_bounded() {
    let page = LivePage::new("Payments", "journey");
    let meter = Meter::new(vec!["shop.pay".to_owned()], Vec::new(), 1);
    for second in 1..=650 {
        meter.tick(Tick { at: Duration::from_secs(second), users: second, intended: None }, |interval| {
            page.show_second(Phase::Measuring, &progress(), interval)
        });
    }
    let data = page_data(&page);
    let history = data["history"].as_array().unwrap();
    assert_eq!((history.len(), &history[0]["users"], &history[599]["users"]), (600, &json!(51), &json!(650)));
}

async fn asked(method: Method, path: &str, host: &str) -> (StatusCode, String, String) {
    let page = LivePage::new("Payments", "journey");
    let request = Request::builder().method(method).uri(path).header("host", host).body(()).unwrap();
    let (head, body) = serve::respond(&request, &page).into_parts();
    let policy = head.headers["content-security-policy"].to_str().unwrap().to_owned();
    assert_eq!(
        ["x-content-type-options", "cache-control", "referrer-policy"].map(|name| &head.headers[name]),
        ["nosniff", "no-store", "no-referrer"]
    );
    (head.status, policy, String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap())
}

#[tokio::test]
async fn it_is_there_to_be_read_by_browsers_on_this_machine() {
    for host in ["127.0.0.1:4000", "localhost", "[::1]:80"] {
        let (status, policy, page) = asked(Method::GET, "/", host).await;
        assert_eq!(status, StatusCode::OK, "{host}");
        assert!(policy.starts_with("default-src 'none'; script-src 'self';") && !policy.contains("unsafe"), "{policy}");
        assert!(page.contains("<script src=\"page.js\"") && !page.contains("style="), "nothing inline");
    }
    for host in ["shop.example", "127.0.0.1.nip.io", "192.0.2.1", "localhost.example:80", ""] {
        assert_eq!(asked(Method::GET, "/state.json", host).await.0, StatusCode::FORBIDDEN, "{host}");
    }
    assert_eq!(asked(Method::POST, "/state.json", "127.0.0.1").await.0, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(asked(Method::GET, "/metrics", "127.0.0.1").await.0, StatusCode::NOT_FOUND);
    let refused = serve(([0, 0, 0, 0], 0).into(), std::sync::Arc::new(LivePage::new("", ""))).await.unwrap_err();
    assert!(refused.to_string().contains("for this machine alone"), "{refused}");
}
