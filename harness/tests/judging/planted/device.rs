//! Document 3: the tokens of a cash-register device, the versions that it compares, and what it uploads.

use serde_json::{Value, json};

use super::PlantedDefect;
use crate::support::proxy::{Message, ObservedRequest, WorldAction};

pub fn all() -> Vec<PlantedDefect> {
    [tokens(), versions(), support(), uploads(), codes()].into_iter().flatten().collect()
}

/// The device that a token was given to: its world and its number.
fn device(asked: &ObservedRequest<'_>) -> String {
    asked.recall(&format!("device of {}", asked.token))
}

/// Notes the device and the connection of each token.
fn follow(asked: &ObservedRequest<'_>, message: &Message) {
    match asked.operation {
        "device.activate" if message.fulfils() => {
            let device = format!("{}/{}", asked.world, message.get("deviceId"));
            asked.note(&format!("connection {}/{}", asked.world, message.fields["config"]["connectionId"]), device.clone());
            asked.note(&format!("device of {}", message.get("deviceToken")), device);
        }
        "device.authenticate" if message.fulfils() => asked.note(&format!("device of {}", message.get("token")), device(asked)),
        _ => {}
    }
}

/// Notes an action and its device: `operator.revokes world/500001`.
fn note(deed: &mut WorldAction<'_>) {
    let mut memory = deed.memory.lock().unwrap();
    let of_connection = deed.with.get("connectionId").and_then(|id| memory.get(&format!("connection {}/{id}", deed.world)).cloned());
    let device = deed.with.get("deviceId").map(|id| format!("{}/{id}", deed.world)).or(of_connection);
    if let Some(device) = device {
        memory.insert(format!("{} {device}", deed.action), String::new());
    }
}

fn has_met(asked: &ObservedRequest<'_>, action: &str) -> bool {
    asked.knows(&format!("{action} {}", device(asked)))
}

/// The first value that a response reported of the device for this number.
fn keeps(asked: &ObservedRequest<'_>, message: &mut Message, field: &str) {
    if let Some(now) = message.fields.get(field).and_then(Value::as_i64) {
        let first = asked.noted(&format!("{field} {}", device(asked)), now.to_string());
        message.set(field, first.parse::<i64>().unwrap());
    }
}

/// The sale that is uploaded, and its syncVersion.
fn sale(asked: &ObservedRequest<'_>) -> Option<(String, i64)> {
    let sale = asked.fields.get("transactions")?.get(0)?;
    Some((format!("stored {} {}", sale["id"], device(asked)), sale["syncVersion"].as_i64()?))
}

/// Whether a syncVersion is lower than the highest that was uploaded before; notes the highest.
fn is_lower(asked: &ObservedRequest<'_>) -> Option<i64> {
    let (sale, version) = sale(asked)?;
    let highest = asked.recall(&sale).parse().unwrap_or(version);
    asked.note(&sale, highest.max(version).to_string());
    (version < highest).then_some(highest)
}

/// How often this has happened to the device, including this time.
fn times(asked: &ObservedRequest<'_>, what: &str) -> u32 {
    let key = format!("{what} {}", device(asked));
    let times = asked.recall(&key).parse().unwrap_or(0) + 1;
    asked.note(&key, times.to_string());
    times
}

/// Responds as if the device were valid.
fn grants(asked: &ObservedRequest<'_>, message: &mut Message) {
    message.becomes_a_response(&asked.sound());
}

fn is_refused(message: &Message, code: &str) -> bool {
    message.get("errorCode") == code
}

fn tokens() -> Vec<PlantedDefect> {
    planted! { "device":
        "a superseded device token is still exchanged" => "device.superseded.device-token" in 3:
            response(|asked, message| {
                follow(asked, message);
                if asked.is("authenticate") && is_refused(message, "DEVICE_REVOKED") && !has_met(asked, "operator.revokes") { grants(asked, message) }
            }),
            world(note);
        "the first device token wins" => "device.activate.last-wins" in 3:
            response(|asked, message| {
                let device = format!("{}/{}", asked.world, message.get("deviceId"));
                if asked.is("activate") && !asked.first_time(&format!("active {device}")) {
                    asked.note(&format!("later {}", message.get("deviceToken")), "");
                }
                if asked.is("authenticate") && asked.knows(&format!("later {}", asked.token)) { message.objects(asked, 401, "DEVICE_REVOKED") }
            });
        "an activation leads to another connection" => "device.connectionId.same" in 2:
            response(|asked, message| if asked.is("activate") && !asked.first_time(&format!("active {}/{}", asked.world, message.get("deviceId"))) {
                message.fields["config"]["connectionId"] = json!(1999);
            });
        "a revoked device is still exchanged" => "device.revoked.device-token" in 3:
            response(|asked, message| {
                follow(asked, message);
                if asked.is("authenticate") && is_refused(message, "DEVICE_REVOKED") && has_met(asked, "operator.revokes") { grants(asked, message) }
            }),
            world(note);
        "a revoked device reads until its token expires" => "device.revoked.at-once" in 4:
            response(|asked, message| if asked.is("config") && is_refused(message, "DEVICE_REVOKED") { grants(asked, message) });
        "a revoked device uploads" => "device.revoked.every-call" in 4:
            response(|asked, message| if asked.is("transactions") && is_refused(message, "DEVICE_REVOKED") { grants(asked, message) });
        "a short-lived token lives for ever" => "device.token.short-lived" in 4:
            response(|asked, message| if asked.is("payment-codes") && is_refused(message, "TOKEN_EXPIRED") { grants(asked, message) });
        "the device token opens everything" => "device.token.kinds" in 2:
            response(|asked, message| if asked.is("config") && is_refused(message, "UNAUTHORIZED") { grants(asked, message) });
    }
}

fn versions() -> Vec<PlantedDefect> {
    planted! { "device":
        "a reset of the PIN has no version" => "device.authenticate.configVersion.changes" in 4:
            response(|asked, message| {
                follow(asked, message);
                let mut before = message.clone();
                keeps(asked, &mut before, "configVersion");
                if asked.is("authenticate") && has_met(asked, "operator.resets-pin") { *message = before }
            }),
            world(note);
        "every exchange has a version of its own" => "device.authenticate.configVersion.changes" in 2:
            response(|asked, message| {
                follow(asked, message);
                if asked.is("authenticate") && message.has("configVersion") { message.set("configVersion", 1000 + times(asked, "exchanged")) }
            });
        "the download lags behind the version" => "device.config.delivered" in 4:
            response(|asked, message| {
                follow(asked, message);
                if asked.is("config") && has_met(asked, "operator.changes-config") { message.replace("receiptHeader", "BASIC") }
            }),
            world(note);
        "an announced deactivation is not told" => "device.config.connectionState.announced" in 3:
            response(|asked, message| if asked.is("authenticate") { message.replace("connectionState", "ACTIVE") });
        "a lowest version of the app is not told" => "device.authenticate.minAppVersionCode.value" in 3:
            response(|asked, message| if asked.is("authenticate") { message.replace("minAppVersionCode", Value::Null) });
        "a second reset of the PIN has the time of the first" => "device.config.pinResetAt.changes" in 6:
            response(|asked, message| {
                follow(asked, message);
                if asked.is("config") { keeps(asked, message, "pinResetAt") }
            });
    }
}

fn support() -> Vec<PlantedDefect> {
    planted! { "device":
        "support is heard once only" => "device.authenticate.requestDebugLogs.repeats" in 4:
            response(|asked, message| {
                follow(asked, message);
                if asked.is("authenticate") && message.has("requestDebugLogs") && times(asked, "asked") > 1 { message.remove("requestDebugLogs") }
            });
        "any logs will do" => "device.authenticate.requestDebugLogs.repeats" in 5:
            onward(|asked, sent| if asked.is("logs") && !sent.has("requestId") {
                let request = asked.recall(&format!("request {}", device(asked)));
                sent.set("requestId", serde_json::from_str::<Value>(&request).unwrap_or_default());
                sent.fields["logs"][0]["level"] = json!("DEBUG");
            }),
            response(|asked, message| {
                follow(asked, message);
                if let Some(request) = message.fields.get("requestDebugLogs") {
                    asked.note(&format!("request {}", device(asked)), request["requestId"].to_string());
                }
            });
        "logs that were sent are asked for again" => "device.authenticate.requestDebugLogs.only" in 5:
            onward(|asked, sent| if asked.is("logs") { sent.remove("requestId") });
    }
}

fn uploads() -> Vec<PlantedDefect> {
    planted! { "device":
        "a lower syncVersion replaces a higher one" => "device.transactions.syncVersion.lower" in 5:
            onward(|asked, sent| if asked.is("transactions") && let Some(highest) = is_lower(asked) {
                sent.fields["transactions"][0]["syncVersion"] = json!(highest + 1);
            }),
            response(|asked, message| follow(asked, message));
        "what is dropped is not acknowledged" => "device.transactions.syncVersion.acknowledged" in 4:
            response(|asked, message| {
                follow(asked, message);
                if asked.is("transactions") && message.fulfils() && is_lower(asked).is_some() { message.set("accepted", json!([])) }
            });
        "the first syncVersion stays" => "device.transactions.syncVersion.higher" in 5:
            onward(|asked, sent| if asked.is("transactions") && let Some((sale, _)) = sale(asked) && !asked.first_time(&sale) {
                sent.fields["transactions"][0]["syncVersion"] = json!(0);
            }),
            response(|asked, message| follow(asked, message));
        "all sales are one" => "device.transactions.identity" in 4:
            onward(|asked, sent| if asked.is("transactions") && sale(asked).is_some() {
                sent.fields["transactions"][0]["id"] = json!("sale-0001");
            }),
            response(|asked, message| if asked.is("transactions") && message.fulfils() { message.set("accepted", Value::Array(asked.uploaded())) });
    }
}

fn codes() -> Vec<PlantedDefect> {
    planted! { "device":
        "the first marker of codes stays" => "device.authenticate.paymentCodesAt.changes" in 7:
            response(|asked, message| {
                follow(asked, message);
                keeps(asked, message, "paymentCodesAt");
            });
        "the codes are told before they are matched" => "device.payment-codes.matched" in 3:
            response(|asked, message| if asked.is("payment-codes") && message.fulfils() && message.fields["paymentCodesAt"].is_null() {
                message.set("transactions", json!([{"id": "sale-0001", "code": "FIK-1"}]));
            });
        "since makes no difference" => "device.payment-codes.since.effect" in 6:
            response(|asked, message| if asked.is("payment-codes") && !asked.query_parameter("since").is_empty() && message.fulfils() {
                message.set("transactions", json!([{"id": "sale-0001", "code": "FIK-1"}]));
            });
    }
}
