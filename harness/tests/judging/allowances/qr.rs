//! Allowances of the QR API.

use std::sync::LazyLock;

use harness::engine::runner::Case;
use regex::{Captures, Regex};
use serde_json::{Value, json};

use super::{in_responses, not_flagged, promised};
use crate::support::proxy::{Ending, Message, Tamper, Translation, WorldAction};
use crate::support::shipped;

fn stories() -> Vec<Case> {
    promised(&["qr / "])
}

/// Another HTTP status where none is shown.
fn otherwise(message: &mut Message) {
    message.status = match message.status {
        401 => 419,
        404 => 410,
        409 => 422,
        other => other,
    };
}

#[tokio::test]
async fn errors_by_another_http_status() {
    not_flagged(
        in_responses(|asked, message| {
            if asked.is_of_api("qr") {
                otherwise(message)
            }
        }),
        stories(),
    )
    .await;
}

#[tokio::test]
async fn other_texts_of_errors() {
    not_flagged(
        in_responses(|asked, message| {
            if asked.is_of_api("qr") {
                message.replace("errorMessage", "Něco se nepovedlo.")
            }
        }),
        stories(),
    )
    .await;
}

/// Adds a field to an object and to every object below it.
fn grow(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.values_mut().for_each(grow);
            map.insert("further".to_owned(), json!({"any": [1, null]}));
        }
        Value::Array(items) => items.iter_mut().for_each(grow),
        _ => {}
    }
}

#[tokio::test]
async fn further_fields_everywhere() {
    let tamper = in_responses(|asked, message| {
        if asked.is_of_api("qr") && message.raw.is_none() {
            let mut fields = Value::Object(std::mem::take(&mut message.fields));
            grow(&mut fields);
            message.fields = fields.as_object().unwrap().clone();
        }
    });
    not_flagged(tamper, stories()).await;
}

#[tokio::test]
async fn errors_with_what_there_is_not_as_null() {
    let tamper = in_responses(|asked, message| {
        if asked.is_of_api("qr") && message.has("errorMessage") {
            ["transId", "transRefundId", "paymentData", "token"].into_iter().for_each(|field| message.set(field, Value::Null));
        }
    });
    not_flagged(tamper, stories()).await;
}

#[tokio::test]
async fn a_reference_that_was_not_sent_is_null() {
    const TELLING: [&str; 5] = ["qr.create", "qr.status", "qr.extend", "qr.refund.create", "qr.refund.status"];
    let tamper = in_responses(|asked, message| {
        if TELLING.contains(&asked.operation) && message.fulfils() && !message.has("refId") {
            message.set("refId", Value::Null);
        }
    });
    not_flagged(tamper, stories()).await;
}

/// Ends a test payment after this many tenths of the emulator's ten seconds.
fn ends_after(tenths: u64, deed: &mut WorldAction<'_>) {
    if let Some(seconds) = deed.with.get("seconds").and_then(Value::as_u64).filter(|_| deed.action == "clock.advances") {
        deed.with.insert("seconds".to_owned(), json!(seconds * 10 / tenths));
    }
}

/// Changes something harmless, which proves that the cases went through the proxy.
fn talkative(tamper: Tamper) -> Tamper {
    Tamper {
        response: Some(|asked, message| {
            if asked.is("qr.create") {
                message.set("further", true)
            }
        }),
        ..tamper
    }
}

#[tokio::test]
async fn tests_that_end_after_eight_seconds() {
    let tamper = Tamper { world: Some(|deed| ends_after(8, deed)), ..Tamper::default() };
    not_flagged(talkative(tamper), shipped(&["qr / a-test-"])).await;
}

#[tokio::test]
async fn tests_that_end_after_twelve_seconds() {
    let tamper = Tamper { world: Some(|deed| ends_after(12, deed)), ..Tamper::default() };
    not_flagged(talkative(tamper), shipped(&["qr / a-test-"])).await;
}

/// A SPAYD with further keys, in another order.
fn turned(message: &mut Message) {
    let data = message.get("paymentData");
    if let Some(keys) = data.strip_prefix("SPD*1.0*") {
        let mut keys: Vec<&str> = keys.split('*').filter(|key| !key.is_empty()).collect();
        keys.reverse();
        message.set("paymentData", format!("SPD*1.0*{}*X-INV:1*PT:IP", keys.join("*")));
    }
}

#[tokio::test]
async fn a_spayd_with_further_keys_in_another_order() {
    not_flagged(in_responses(|_, message| turned(message)), stories()).await;
}

#[tokio::test]
async fn an_epc_text_of_version_1_with_a_bic() {
    let tamper = in_responses(|_, message| {
        let data = message.get("paymentData");
        let mut lines: Vec<&str> = data.split('\n').collect();
        if lines.len() > 5 && lines[0] == "BCD" {
            lines[1] = "001";
            lines[4] = "TATRSKBX";
            message.set("paymentData", lines.join("\n"));
        }
    });
    not_flagged(tamper, stories()).await;
}

#[tokio::test]
async fn an_expiry_with_an_offset() {
    let tamper = in_responses(|_, message| {
        for field in ["expiry", "expiration"] {
            let text = message.get(field);
            if let Some(local) = text.strip_suffix('Z') {
                message.set(field, format!("{local}+00:00"));
            }
        }
    });
    not_flagged(tamper, stories()).await;
}

/// `AB12-CD34-EF56` ↔ `qr9ab12cd34ef56`.
const OTHER_IDENTIFIERS: Translation = Translation {
    inward: |text| {
        static PATTERN: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\bqr9([a-z0-9]{4})([a-z0-9]{4})([a-z0-9]{4})").unwrap());
        let back = |found: &Captures<'_>| format!("{}-{}-{}", &found[1], &found[2], &found[3]).to_ascii_uppercase();
        PATTERN.replace_all(text, back).into_owned()
    },
    outward: |text| {
        static PATTERN: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b([A-Z0-9]{4})-([A-Z0-9]{4})-([A-Z0-9]{4})\b").unwrap());
        let there = |found: &Captures<'_>| format!("qr9{}{}{}", &found[1], &found[2], &found[3]).to_ascii_lowercase();
        PATTERN.replace_all(text, there).into_owned()
    },
};

#[tokio::test]
async fn identifiers_of_another_shape() {
    not_flagged(Tamper { words: Some(OTHER_IDENTIFIERS), ..Tamper::default() }, stories()).await;
}

#[tokio::test]
async fn other_names_of_methods() {
    let tamper = in_responses(|_, message| {
        if let Some(Value::Array(methods)) = message.fields.get_mut("methods") {
            methods.iter_mut().for_each(|method| method["name"] = json!(format!("{} ✓", method["name"].as_str().unwrap())));
        }
    });
    not_flagged(tamper, stories()).await;
}

#[tokio::test]
async fn chunked_bodies_and_empty_ones() {
    not_flagged(
        in_responses(|asked, message| {
            if asked.is_of_api("qr") {
                message.ending = Ending::Chunked
            }
        }),
        stories(),
    )
    .await;
}
