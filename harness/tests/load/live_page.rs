//! The live page in a real browser, during a load and after its end.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Stdio};

use serde_json::json;

use super::browser::{Browser, ask};
use super::server::{Server, created};
use super::stage::Stage;
use super::support::binary::paycheck;

const PROFILE: &str = "kind: constant-arrival-rate
rate: 50
users: 4
for: 10m
conservation: off
killswitch: { errors: 100% }
thresholds: ['gateway.v2.create p99 < 1m', 'errors < 1%']
mix: [{ scenario: ./gateway/creation.yaml }]
";

/// Reads the address of the live page from the line that a load prints.
fn address(child: &mut Child) -> SocketAddr {
    let said = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok).find(|line| line.starts_with("live page: "));
    let url = said.expect("it said where");
    url.trim_start_matches("live page: http://").trim_end_matches('/').parse().unwrap()
}

/// The response to every third creation has an undocumented value with markup in it.
fn wrong_now_and_then(number: u64) -> serde_json::Value {
    let mut body = created(number);
    if number.is_multiple_of(3) {
        body["message"] = json!("<b id=x>x</b>");
        body["code"] = json!(1500);
    }
    body
}

#[tokio::test(flavor = "multi_thread")]
async fn it_shows_how_the_load_goes_and_stays_when_it_has_ended() {
    let server = Server::responding(wrong_now_and_then).await;
    let stage = Stage::at(&server.url);
    let mut child =
        paycheck(stage.arguments(PROFILE, &["--dashboard", "127.0.0.1:0"])).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    tokio::task::spawn_blocking(move || {
        let address = address(&mut child);
        let (status, state) = ask(address, "GET", "/state.json", &[], "");
        assert_eq!((status, serde_json::from_str::<serde_json::Value>(&state).unwrap()["title"].clone()), (200, json!("In a test")));
        assert_eq!(ask(address, "POST", "/state.json", &[], "{}").0, 405);
        if let Some(browser) = Browser::open() {
            seen(&browser, address);
            child.kill().unwrap();
            browser.comes_to_say("document.getElementById('gone').hidden", &json!(false));
            assert!(browser.text("#operations").contains("gateway.v2.create"), "its last numbers are there");
        }
        let _ = child.kill();
        child.wait().unwrap();
    })
    .await
    .unwrap();
}

fn seen(browser: &Browser, address: SocketAddr) {
    browser.go(&format!("http://{address}/"));
    browser.comes_to_say("document.querySelectorAll('#rate polyline').length", &json!(2));
    browser.comes_to_say("document.getElementById('causes-part').hidden", &json!(false));
    assert!(browser.title().ends_with(": In a test"), "{}", browser.title());
    assert!(browser.text("#operations").contains("gateway.v2.create"), "{}", browser.text("#operations"));
    assert!(browser.text("#thresholds").contains("does not hold"), "{}", browser.text("#thresholds"));
    assert!(browser.text("#errors").contains("gateway.v2.create"), "{}", browser.text("#errors"));
    assert_eq!(browser.say("document.getElementById('x')"), json!(null), "what the target sends is markup");
    // It goes on by itself.
    let points = "document.querySelector('#rate polyline').getAttribute('points').split(' ').length";
    let before = browser.say(points).as_u64().unwrap();
    browser.comes_to_say(&format!("{points} > {before}"), &json!(true));
    assert_eq!(browser.say("document.getElementById('gone').hidden"), json!(true));
    // Nothing inline, no external resources.
    let foreign = "performance.getEntriesByType('resource').filter(entry => !entry.name.startsWith(location.origin)).length";
    assert_eq!(browser.say(foreign), json!(0));
    assert_eq!(browser.say("document.querySelectorAll('[style], style, script:not([src])').length"), json!(0));
    browser.shows_well(|_, _| ());
    let named =
        "[...document.querySelectorAll('svg')].filter(svg => svg.getClientRects().length).every(svg => svg.getAttribute('aria-label'))";
    browser.comes_to_say(named, &json!(true));
}
