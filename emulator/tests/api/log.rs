//! The log of an emulator.

use std::sync::{Arc, Mutex};

use crate::browser::ask;
use crate::common::{decode, encode, valid_form};
use emulator::{Config, Emulator, Log, LogEntry};
use serde_json::{Value, json};

/// The log says why a call was refused, and holds no secret.
#[tokio::test(flavor = "multi_thread")]
async fn what_it_does_is_logged_without_secrets() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let taken = Arc::clone(&seen);
    let log: Log = Arc::new(move |entry: &LogEntry| taken.lock().unwrap().push(serde_json::to_value(entry).unwrap()));
    let emulator = Emulator::start(Config { log: Some(log), ..Config::default() }).await.unwrap();
    let call = |path: &str, media_type: &str, body: &str| ask(emulator.addr(), "POST", path, &[("content-type", media_type)], body).1;
    // Nothing listens at port 1.
    let merchant = json!({ "merchant": "100001", "secret": "top-secret", "notification-url": "http://127.0.0.1:1/" });
    call("/__emulator/worlds", "application/json", &json!({ "name": "w", "merchants": [merchant] }).to_string());
    let mut order = valid_form();
    order.insert("secret".into(), "top-secret".into());
    let form = "application/x-www-form-urlencoded";
    let id = decode(&call("/w/w/v1.0/create?secret=top-secret", form, &encode(&order)))["transId"].clone();
    call("/w/w/v1.0/status", form, "merchant=100001&secret=wrong-secret&transId=x");
    let act = |action: &str, with: Value| call(&format!("/__emulator/worlds/w/actions/{action}"), "application/json", &with.to_string());
    act("payer.pays", json!({ "transId": id }));
    act("world.settles", json!({}));
    let seen = seen.lock().unwrap();
    let created = seen.iter().find(|entry| entry["path"] == "/w/w/v1.0/create").unwrap();
    assert_eq!((&created["status"], &created["code"], &created["transId"]), (&json!(200), &json!("0"), &json!(id)));
    let refused = seen.iter().find(|entry| entry["path"] == "/w/w/v1.0/status").unwrap();
    assert!(refused["code"] == "1400" && refused["message"].as_str().unwrap().len() > 3, "{refused}");
    let notified = seen.iter().find(|entry| entry["event"] == "notification").unwrap();
    assert_eq!((&notified["transId"], &notified["attempt"], &notified["acknowledged"]), (&json!(id), &json!(1), &json!(false)));
    assert!(notified["error"].is_string(), "{notified}");
    let all = serde_json::to_string(&*seen).unwrap();
    assert!(!all.contains("top-secret") && !all.contains("wrong-secret"), "{all}");
}
