//! Allowances of the device API.

use harness::engine::runner::Case;
use serde_json::{Value, json};

use super::{in_responses, live, not_flagged, not_flagged_but_as_assumed, promised};
use crate::support::proxy::{Ending, Message, ObservedRequest, Tamper, Translation};

fn stories() -> Vec<Case> {
    promised(&["device / "])
}

#[tokio::test]
async fn errors_by_another_http_status() {
    let tamper = in_responses(|asked, message| {
        if asked.is_of_api("device") && message.has("errorCode") && message.get("errorCode") != "DEVICE_REVOKED" {
            message.status = if message.status == 400 { 422 } else { 418 };
        }
    });
    not_flagged(tamper, stories()).await;
}

#[tokio::test]
async fn other_texts_of_errors() {
    not_flagged(
        in_responses(|asked, message| {
            if asked.is_of_api("device") {
                message.replace("errorMessage", "Něco se nepovedlo.")
            }
        }),
        stories(),
    )
    .await;
}

#[tokio::test]
async fn further_fields_everywhere() {
    let tamper = in_responses(|asked, message| {
        if asked.is_of_api("device") && message.raw.is_none() && message.fulfils() {
            message.set("further", json!({"any": [1, null]}));
            if message.has("config") {
                message.fields["config"]["further"] = json!("more");
            }
        }
    });
    not_flagged(tamper, stories()).await;
}

/// A device token is opaque: `dt` ↔ the emulator's.
const OPAQUE: Translation = Translation {
    inward: |text| text.replace("opaque~", ""),
    outward: |text| text.replace("\"deviceToken\":\"", "\"deviceToken\":\"opaque~"),
};

#[tokio::test]
async fn device_tokens_of_another_shape() {
    not_flagged(tamper_tokens(), stories()).await;
}

/// The proxy translates bodies and paths only, and the token is in a header.
fn tamper_tokens() -> Tamper {
    Tamper {
        words: Some(OPAQUE),
        onward: Some(|asked, sent| {
            if asked.token.starts_with("opaque~") {
                let token = asked.token.replace("opaque~", "");
                sent.header("authorization", &format!("Bearer {token}"));
            }
        }),
        ..Tamper::default()
    }
}

#[tokio::test]
async fn an_expiry_with_an_offset() {
    let tamper = in_responses(|_, message| {
        let text = message.get("expiry");
        if let Some(local) = text.strip_suffix('Z') {
            message.set("expiry", format!("{local}+00:00"));
        }
    });
    not_flagged(tamper, stories()).await;
}

/// Changes the configuration, in an activation and in a download.
fn configuration(asked: &ObservedRequest<'_>, message: &mut Message, change: fn(&mut Value)) {
    let mut fields = Value::Object(message.fields.clone());
    match asked.operation {
        "device.config" if message.fulfils() => change(&mut fields),
        "device.activate" if message.fulfils() => change(&mut fields["config"]),
        _ => return,
    }
    message.fields = fields.as_object().unwrap().clone();
}

#[tokio::test]
async fn inner_fields_of_the_configuration_are_not_shown() {
    let tamper = in_responses(|asked, message| {
        configuration(asked, message, |config| {
            config["merchant"] = json!({"seat": {"town": "Brno"}});
            config["currencies"] = json!([{"iso": "CZK"}]);
            config["autoClosing"] = json!({"at": "23:00"});
            config["qrApi"] = json!({});
        })
    });
    not_flagged(tamper, stories()).await;
}

#[tokio::test]
async fn the_default_pin_may_be_missing() {
    let mut plan = stories();
    plan.retain(|case| !case.name.scenario.contains("default-pin"));
    let tamper = in_responses(|asked, message| {
        configuration(asked, message, |config| {
            config.as_object_mut().unwrap().remove("defaultPin");
        })
    });
    not_flagged(tamper, plan).await;
}

#[tokio::test]
async fn what_is_not_set_is_null() {
    let tamper = in_responses(|asked, message| {
        configuration(asked, message, |config| {
            for field in ["tip", "variableSymbol"] {
                if config.get(field).is_none() {
                    config[field] = Value::Null;
                }
            }
        });
        if asked.is("device.authenticate") && message.fulfils() && !message.has("requestDebugLogs") {
            message.set("requestDebugLogs", Value::Null);
        }
    });
    not_flagged(tamper, stories()).await;
}

#[tokio::test]
async fn rejected_records_as_texts() {
    let tamper = in_responses(|asked, message| {
        if let Some(Value::Array(rejected)) = message.fields.get_mut("rejected").filter(|_| asked.is("device.transactions")) {
            rejected.iter_mut().for_each(|record| *record = json!(record["id"].as_str().unwrap_or("?")));
        }
    });
    not_flagged_but_as_assumed(tamper, live(&["device"])).await;
}

#[tokio::test]
async fn chunked_bodies_and_empty_ones() {
    not_flagged(
        in_responses(|asked, message| {
            if asked.is_of_api("device") {
                message.ending = Ending::Chunked
            }
        }),
        stories(),
    )
    .await;
}
