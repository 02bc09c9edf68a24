//! The journal of an emulator: what clients sent and got, without secrets.

use std::net::SocketAddr;

use crate::browser::ask;
use crate::common::{basic, encode, valid_form, valid_json};
use emulator::{Config, Emulator};
use serde_json::{Value, json};

const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");
const JSON: (&str, &str) = ("content-type", "application/json");

/// Path, headers and body.
type Call<'a> = (&'a str, &'a [(&'a str, &'a str)], String);

async fn emulator(journal: usize) -> Emulator {
    Emulator::start(Config { journal, ..Config::default() }).await.unwrap()
}

fn requests(address: SocketAddr, world: &str) -> (u16, Value) {
    let (status, body) = ask(address, "GET", &format!("/__emulator/worlds/{world}/requests"), &[], "");
    (status, serde_json::from_str(&body).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_kept_with_their_responses_oldest_first() {
    let emulator = emulator(10).await;
    ask(emulator.addr(), "POST", "/v1.0/create?a=b%20c", &[FORM], &encode(&valid_form()));
    let authorization = basic("100001", "secret-100001");
    ask(emulator.addr(), "POST", "/v2.0/payment.json", &[JSON, ("authorization", &authorization)], &valid_json().to_string());
    ask(emulator.addr(), "GET", "/__emulator/health", &[], "");
    let (status, body) = requests(emulator.addr(), "default");
    let [first, second] = body["requests"].as_array().unwrap().as_slice() else { panic!("{body}") };
    assert_eq!((status, &first["number"], &first["method"], &first["path"]), (200, &json!(1), &json!("POST"), &json!("/v1.0/create")));
    assert_eq!(first["query"], json!({ "form": [["a", "b c"]] }));
    let sent = first["body"]["form"].as_array().unwrap();
    assert!(sent.contains(&json!(["fullName", "Jan Novák"])) && sent.contains(&json!(["secret", "***"])), "{first}");
    assert!(first["response"]["body"]["form"].as_array().unwrap().contains(&json!(["code", "0"])), "{first}");
    assert_eq!(
        (&second["number"], &second["body"], &second["response"]["status"]),
        (&json!(2), &json!({ "json": valid_json() }), &json!(200))
    );
    assert_eq!(second["response"]["body"]["json"]["code"], 0, "{second}");
}

/// In forms, JSON, queries, headers, and where a response or another field repeats one.
#[tokio::test(flavor = "multi_thread")]
async fn no_secret_is_shown_wherever_a_client_puts_it() {
    let emulator = emulator(100).await;
    let with = |fields: &[(&str, &str)]| {
        let mut form = valid_form();
        form.extend(fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        encode(&form)
    };
    let (spelled, named) = (basic("100001", "s3cr3t-of-a-header"), basic("100001", "s3cr3t-of-a-path"));
    let calls: [Call<'_>; 8] = [
        ("/v1.0/create", &[FORM], with(&[("secret", "s3cr3t-of-a-form"), ("label", "s3cr3t-of-a-form")])),
        ("/v1.0/status?secret=s3cr3t-of-a-query&x=s3cr3t-of-a-query", &[FORM], String::new()),
        ("/v2.0/payment/s3cr3t-of-a-path", &[("authorization", &named)], String::new()),
        ("/v2.0/payment.json", &[JSON, ("authorization", &spelled)], json!({ "label": "s3cr3t-of-a-header" }).to_string()),
        ("/v2.0/payment.json", &[JSON], json!({ "deep": [{ "PassWord": "s3cr3t-of-json" }], "label": "s3cr3t-of-json" }).to_string()),
        ("/v2.0/payment.json", &[JSON, ("authorization", "Bearer s3cr3t-of-a-bearer")], json!({ "token": 1_234_567_890 }).to_string()),
        ("/v2.0/payment.json", &[JSON], r#"{"secret": "s3cr3t-of-broken-json""#.to_owned()),
        ("/v1.0/create", &[("content-type", "text/plain")], "secret: s3cr3t-of-a-text".to_owned()),
    ];
    for (path, headers, body) in &calls {
        ask(emulator.addr(), "POST", path, headers, body);
    }
    // The token is in the response alone.
    let qr = basic("qr-100001", "secret-qr-100001");
    let (_, token) = ask(emulator.addr(), "POST", "/pos/auth-api/authenticate", &[JSON, ("authorization", &qr)], r#"{"mid":"M100001"}"#);
    let token = serde_json::from_str::<Value>(&token).unwrap()["token"].as_str().map(str::to_owned);
    let (_, shown) = requests(emulator.addr(), "default");
    let text = shown.to_string();
    assert_eq!(shown["requests"].as_array().unwrap().len(), calls.len() + 1);
    assert!(!text.contains("s3cr3t") && !text.contains("1234567890") && !text.contains("secret-qr"), "{shown:#}");
    assert!(!text.contains(&token.unwrap()), "{shown:#}");
    assert!(text.contains("neither a form nor JSON") && text.contains("***"), "{shown:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_world_has_its_own_requests_and_its_successor_has_none_of_them() {
    let emulator = emulator(3).await;
    let open = || ask(emulator.addr(), "POST", "/__emulator/worlds", &[JSON], r#"{"name":"shop"}"#);
    let paths = |world: &str| {
        let (_, body) = requests(emulator.addr(), world);
        body["requests"].as_array().unwrap().iter().map(|entry| entry["path"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    open();
    for path in ["/w/shop/a", "/b", "/w/shop/c", "/w/shop/d"] {
        ask(emulator.addr(), "GET", path, &[], "");
    }
    assert_eq!((paths("shop"), paths("default")), (vec!["/w/shop/c".to_owned(), "/w/shop/d".to_owned()], vec!["/b".to_owned()]));
    ask(emulator.addr(), "DELETE", "/__emulator/worlds/shop", &[], "");
    open();
    assert_eq!((paths("shop").len(), paths("default").len()), (0, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_journal_that_is_said() {
    let emulator = emulator(0).await;
    ask(emulator.addr(), "GET", "/health", &[], "");
    let (status, body) = requests(emulator.addr(), "default");
    assert!(status == 404 && body["error"].as_str().unwrap().contains("--journal"), "{status} {body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_body_is_left_out_and_read_all_the_same() {
    let emulator = emulator(3).await;
    let order = json!({ "label": "x".repeat(70_000) }).to_string();
    let (_, response) =
        ask(emulator.addr(), "POST", "/v2.0/payment.json", &[JSON, ("authorization", &basic("100001", "secret-100001"))], &order);
    let (_, shown) = requests(emulator.addr(), "default");
    assert_eq!(shown["requests"][0]["body"], json!({ "unreadable": "longer than 64 KiB" }));
    assert!(response.contains("price is required"), "{response}");
}
