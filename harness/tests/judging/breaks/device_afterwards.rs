//! Lies of a till about what comes afterwards, and about devices of another kind: an app, a sibling, another merchant, a later day, what
//! was refused or revoked before.

use serde_json::{Value, json};

use super::{Break, time_passes};
use crate::support::proxy::{Message, ObservedRequest, WorldAction, remember};

const EVENT: &str = "an-event-of-an-app-is-shown";
const REPORT: &str = "a-report-of-a-terminal-is-its-own";
const ANNOUNCED: &str = "an-announced-deactivation-of-an-app-is-shown-to-it-alone";
const CODES: &str = "the-codes-of-an-app-are-those-since-the-marker";
const REVIVED: &str = "another-activation-revives-no-revoked-token";
const LOGS: &str = "only-debug-logs-with-their-request-answer-it";
const REPEATED: &str = "a-request-for-logs-is-repeated-until-it-is-done";
const ORDER: &str = "closings-and-logs-come-in-any-order";
const LATER: &str = "what-was-uploaded-is-there-a-day-later";
const OWN: &str = "what-a-device-uploads-is-its-own";
const BESIDE: &str = "what-is-accepted-beside-a-wrong-record-is-stored";
const REPLACED: &str = "a-higher-sync-version-is-not-added-to-the-record";
const PIN: &str = "the-default-pin-is-that-of-every-device";
const TRUNCATED: &str = "a-truncated-batch-is-stored-as-accepted";
const ROOM: &str = "a-wrong-record-makes-no-room-in-a-batch";
const GONE: &str = "what-a-revoked-device-uploads-is-not-stored";
const GONE_CLOSINGS: &str = "closings-and-logs-of-a-revoked-device-are-not-kept";
const EXPIRED: &str = "what-comes-with-an-expired-token-is-not-stored";
const SYMBOL: &str = "an-upload-of-an-app-against-the-rules-is-stored";

/// Devices that break a rule later, or elsewhere.
pub fn all() -> Vec<Break> {
    let uploads = [batches(), closings(), versions(), texts(), refused(), replaced()];
    [apps(), tokens(), activations(), codes(), logs()].into_iter().chain(uploads).flatten().collect()
}

/// Lets the version of the configuration stand still.
fn stands_still(asked: &ObservedRequest<'_>, message: &mut Message) {
    if asked.is("device.authenticate") {
        message.replace("configVersion", 7);
    }
}

/// Shows the first value of a field of the configuration again.
fn first_again(asked: &ObservedRequest<'_>, message: &mut Message, field: &str) {
    if asked.is("device.config") && !message.get(field).is_empty() {
        let first: i64 = asked.noted(field, message.get(field)).parse().unwrap();
        message.set(field, first);
    }
}

/// Shows an event where there was none.
fn of_everybody(asked: &ObservedRequest<'_>, message: &mut Message, field: &str) {
    if asked.is("device.config") && message.fields.get(field) == Some(&Value::Null) {
        message.set(field, 1_768_478_400_000_i64);
    }
}

fn apps() -> Vec<Break> {
    breaks! {
        "the environment of an app shows in no version"
            in "every-change-of-the-configuration-of-an-app-has-a-version / the environment" => "device.authenticate.configVersion.changes":
            response(stands_still);
        "what an app may refund shows in no version" in "every-change-of-the-configuration-of-an-app-has-a-version / refunds"
            => "device.authenticate.configVersion.changes":
            response(stands_still);
        "tips of an app show in no version" in "every-change-of-the-configuration-of-an-app-has-a-version / tips"
            => "device.authenticate.configVersion.changes":
            response(stands_still);
        "the configuration of an app has another version than its exchange"
            in "every-change-of-the-configuration-of-an-app-has-a-version / variable symbols" => "device.authenticate.configVersion.value":
            response(|asked, message| if asked.is("device.config") && message.fulfils() {
                message.set("configVersion", message.fields["configVersion"].as_i64().unwrap() - 1);
            });
        "a PIN reset of an app shows in no version" in EVENT => "device.authenticate.configVersion.changes":
            response(stands_still);
        "a further PIN reset of an app is the first" in EVENT => "device.config.pinResetAt.changes":
            response(|asked, message| first_again(asked, message, "pinResetAt"));
        "a PIN reset of an app is that of its shop" in EVENT => "device.config.pinResetAt.null":
            response(|asked, message| of_everybody(asked, message, "pinResetAt"));
        "a report of a terminal is that of its shop" in REPORT => "device.config.terminalReportedAt.null":
            response(|asked, message| of_everybody(asked, message, "terminalReportedAt"));
        "a further report of a terminal is the first" in REPORT => "device.config.terminalReportedAt.value":
            response(|asked, message| first_again(asked, message, "terminalReportedAt"));
        "an announced deactivation is not in the configuration of an app" in ANNOUNCED => "device.config.connectionState.announced":
            response(|asked, message| if asked.is("device.config") { message.replace("connectionState", "ACTIVE") });
        "an announced deactivation is that of the shop" in ANNOUNCED => "device.connection.states":
            world(|deed| if deed.action == "operator.announces-deactivation" { _ = remember(deed.memory, "announced") }),
            response(|asked, message| if asked.is("device.authenticate") && asked.knows("announced") {
                message.replace("connectionState", "PENDING_DEACTIVATION");
            });
        "a document code of an app is another one weeks later" in "a-document-code-of-an-app-is-the-same-weeks-later"
            => "device.config.documentDeviceCode.constant":
            response(|asked, message| if asked.is("device.config") { message.replace("documentDeviceCode", "77") });
        "a permission of the shop is none of its app" in "a-permission-of-a-shop-is-that-of-its-app-too / permitted"
            => "device.config.refundEnabled.shop":
            response(|asked, message| if asked.is("device.config") { message.replace("refundEnabled", false) });
        "what is set for an app is not set for its shop" in "a-permission-of-a-shop-is-that-of-its-app-too / not permitted"
            => "device.config.refundEnabled.shop":
            response(|asked, message| if asked.is("device.activate") && asked.text("platform") == "POS" && message.has("config") {
                message.fields["config"]["refundEnabled"] = json!(false);
            });
        "other percentages of tips are not shown" in "tips-are-told-only-when-set" => "device.config.tip.only":
            response(|asked, message| if asked.is("device.config") && !message.get("tip").is_empty()
                && let Ok(first) = serde_json::from_str::<Value>(&asked.noted("tip", message.get("tip")))
            {
                message.set("tip", first)
            });
        "another default PIN shows in no version of an app" in PIN => "device.authenticate.configVersion.changes":
            response(|asked, message| if asked.is("device.activate") && asked.text("platform") == "SOFTPOS" {
                asked.note("app", message.get("deviceToken"));
            } else if asked.is("device.authenticate") && asked.token == asked.recall("app") {
                message.replace("configVersion", 7);
            });
        "an app has no catalog" in "an-app-is-a-device-like-a-terminal" => "device.catalog.call":
            response(|asked, message| if asked.is("device.catalog") { message.replace("items", json!([])) });
        "another merchant has no catalog" in "the-catalog-of-another-merchant-has-its-own-version" => "device.catalog.call":
            response(|asked, message| if asked.is("device.catalog") { message.replace("items", json!([])) });
    }
}

fn tokens() -> Vec<Break> {
    breaks! {
        "closings of a revoked app are taken" in "a-revoked-app-stops-at-once / closings" => "device.revoked.at-once":
            response(|asked, message| if asked.is("device.closings") { message.grant(asked) });
        "logs of a revoked app are taken" in "a-revoked-app-stops-at-once / logs" => "device.revoked.at-once":
            response(|asked, message| if asked.is("device.logs") { message.grant(asked) });
        "a revoked app reads the catalog" in "a-revoked-app-stops-at-once / catalog" => "device.revoked.at-once":
            response(|asked, message| if asked.is("device.catalog") { message.grant(asked) });
        "an expired token of an app opens the catalog" in "a-token-of-an-app-of-long-ago-has-expired / catalog"
            => "device.token.short-lived":
            response(|asked, message| if asked.is("device.catalog") { message.grant(asked) });
        "an app gets no token once it was away" in "a-token-of-an-app-of-long-ago-has-expired / configuration"
            => "device.activate.deviceToken.long-lived":
            instead(|asked| (asked.is("device.authenticate") && !asked.first_time("exchanged"))
                .then(|| Message::objection(asked, 401, "TOKEN_EXPIRED")));
        "a token of an app is good once" in "a-token-of-an-app-lasts-until-its-expiry / configuration"
            => "device.authenticate.expiry.value":
            instead(|asked| (asked.is("device.config") && !asked.first_time("read"))
                .then(|| Message::objection(asked, 401, "TOKEN_EXPIRED")));
        "a device token of an app dies within a year" in "a-device-token-of-an-app-lasts" => "device.activate.deviceToken.long-lived":
            instead(|asked| asked.is("device.authenticate").then(|| Message::objection(asked, 401, "")));
        "the device token of an app opens its closings" in "each-token-of-an-app-has-its-purpose / closings" => "device.token.kinds":
            response(|asked, message| if asked.is("device.closings") { message.grant(asked) });
        "the device token of an app opens the configuration" in "each-token-of-an-app-has-its-purpose / configuration"
            => "device.token.kinds":
            response(|asked, message| if asked.is("device.config") { message.grant(asked) });
    }
}

/// Remembers that a device was revoked.
fn revokes(deed: &mut WorldAction<'_>) {
    if deed.action == "operator.revokes" {
        remember(deed.memory, "revoked");
    }
}

/// Revokes the tokens once an activation was refused.
fn taken_away(asked: &ObservedRequest<'_>, message: &mut Message, call: &str) {
    if asked.is("device.activate") && !message.fulfils() {
        asked.first_time("refused");
    } else if asked.is(call) && asked.knows("refused") {
        message.objects(asked, 401, "DEVICE_REVOKED");
    }
}

fn activations() -> Vec<Break> {
    breaks! {
        "no password activates an app" in "an-activation-of-an-app-needs-bootstrap-credentials / no password" => "device.activate.basic":
            response(|asked, message| if asked.is("device.activate") { message.grant(asked) });
        "nobody activates an app" in "an-activation-of-an-app-needs-bootstrap-credentials / none" => "device.activate.basic":
            response(|asked, message| if asked.is("device.activate") { message.grant(asked) });
        "a wrong password uses the code of an app up" in "an-activation-of-an-app-needs-bootstrap-credentials / another password"
            => "device.activate.basic":
            instead(|asked| {
                if asked.is("device.activate") && asked.is_by_another_merchant() { asked.first_time("tried"); return None }
                (asked.is("device.activate") && asked.knows("tried")).then(|| Message::objection(asked, 409, "ACTIVATION_CODE_USED"))
            });
        "a refused activation ends the short-lived token" in "a-refused-activation-takes-no-token-away / another password"
            => "device.activate.last-wins":
            response(|asked, message| taken_away(asked, message, "device.config"));
        "an activation for no platform ends the device token" in "a-refused-activation-takes-no-token-away / a platform that is none"
            => "device.activate.last-wins":
            response(|asked, message| taken_away(asked, message, "device.authenticate"));
        "a refused activation ends the device token of an app" in "a-refused-activation-takes-no-token-of-an-app-away / another password"
            => "device.activate.last-wins":
            response(|asked, message| taken_away(asked, message, "device.authenticate"));
        "another activation revives a revoked token" in REVIVED => "device.revoked.device-token":
            world(revokes),
            response(|asked, message| if asked.is("device.activate") && asked.knows("revoked") {
                asked.first_time("again");
            } else if asked.is("device.authenticate") && asked.knows("again") {
                message.grant(asked);
            });
        "a revocation revives the token before" in REVIVED => "device.superseded.device-token":
            world(revokes),
            response(|asked, message| if asked.is("device.authenticate") && asked.knows("revoked") { message.grant(asked) });
        "who was revoked once is revoked for ever" in REVIVED => "device.activate.last-wins":
            world(revokes),
            response(|asked, message| if asked.is("device.activate") && asked.knows("revoked") && !asked.first_time("third") {
                asked.first_time("fourth");
            } else if asked.is("device.authenticate") && asked.knows("fourth") {
                message.objects(asked, 401, "DEVICE_REVOKED");
            });
        "an activation after a revocation has another code" in REVIVED => "device.config.documentDeviceCode.constant":
            response(|asked, message| if asked.is("device.config") { message.replace("documentDeviceCode", "77") });
    }
}

fn codes() -> Vec<Break> {
    breaks! {
        "an app gets every code each time" in CODES => "device.payment-codes.since.effect":
            way(|asked, path| if asked.is("payment-codes") { path.split('?').next().unwrap().to_owned() } else { path.to_owned() });
        "QR payments of an app have codes" in CODES => "device.payment-codes.QR":
            response(|asked, message| match message.fields.get_mut("transactions") {
                Some(Value::Array(pairs)) if asked.is("payment-codes") && !pairs.is_empty() => {
                    pairs.push(json!({ "id": "sale-0003", "code": "BBBB" }));
                }
                _ => {}
            });
        "codes of eight days for an app" in "an-app-is-returned-the-codes-of-seven-days" => "device.payment-codes.since.default":
            way(|asked, path| if asked.is("payment-codes") && asked.query.is_empty() {
                format!("{path}?since=0")
            } else {
                path.to_owned()
            });
    }
}

/// Takes logs that contain a text for those that were asked for.
fn done_by(asked: &ObservedRequest<'_>, message: &mut Message, text: &str) {
    if asked.is("device.logs") && asked.text("logs").contains(text) {
        asked.first_time("done");
    } else if asked.is("device.authenticate") && asked.knows("done") {
        message.remove("requestDebugLogs");
    }
}

/// Asks for the logs once more that were asked for before.
fn asks_again(asked: &ObservedRequest<'_>, message: &mut Message) {
    if let Ok(request) = serde_json::from_str::<Value>(&asked.recall("request")) {
        message.set("requestDebugLogs", request);
    }
}

fn logs() -> Vec<Break> {
    breaks! {
        "debug logs without a request answer it" in LOGS => "device.authenticate.requestDebugLogs.done":
            response(|asked, message| done_by(asked, message, "log-0001"));
        "debug logs with an empty request answer it" in LOGS => "device.authenticate.requestDebugLogs.done":
            response(|asked, message| done_by(asked, message, "log-0002"));
        "debug logs of any request answer it" in LOGS => "device.authenticate.requestDebugLogs.done":
            response(|asked, message| done_by(asked, message, "log-0003"));
        "a request at a line of the logs is enough" in LOGS => "device.authenticate.requestDebugLogs.done":
            response(|asked, message| done_by(asked, message, "log-0004"));
        "logs of another device answer a request" in LOGS => "device.authenticate.requestDebugLogs.done":
            response(|asked, message| done_by(asked, message, "log-0005"));
        "another activation asks for the logs again" in LOGS => "device.authenticate.requestDebugLogs.done":
            response(|asked, message| {
                if message.has("requestDebugLogs") { asked.note("request", message.get("requestDebugLogs")); }
                if asked.text("logs").contains("log-0006") { asked.first_time("done"); }
                if asked.is("device.activate") && asked.knows("done") { asked.first_time("again"); }
                if asked.is("device.authenticate") && asked.knows("again") { asks_again(asked, message) }
            });
        "debug logs of an app without a request answer it" in "logs-are-asked-for-from-an-app"
            => "device.authenticate.requestDebugLogs.done":
            response(|asked, message| done_by(asked, message, "log-0002"));
        "logs are asked for on one day" in REPEATED => "device.authenticate.requestDebugLogs.repeats":
            world(time_passes),
            response(|asked, message| if asked.is("device.authenticate") && asked.knows("later") { message.remove("requestDebugLogs") });
        "logs that were uploaded are asked for again the next day" in REPEATED => "device.authenticate.requestDebugLogs.done":
            response(|asked, message| {
                if message.has("requestDebugLogs") { asked.note("request", message.get("requestDebugLogs")); }
                if asked.is("device.logs") { asked.first_time("done"); }
                if asked.is("device.authenticate") && asked.knows("done") { asks_again(asked, message) }
            });
    }
}

/// Changes the records on their way to the emulator.
fn sent(asked: &ObservedRequest<'_>, sent: &mut Message, change: impl Fn(&mut Value)) {
    if let Some(Value::Array(records)) = sent.fields.get_mut("transactions").filter(|_| asked.is("device.transactions")) {
        records.iter_mut().for_each(change);
    }
}

/// Reports every uploaded record as accepted.
fn accepted(asked: &ObservedRequest<'_>, message: &mut Message) {
    if asked.is("device.transactions") {
        message.set("accepted", asked.uploaded());
    }
}

fn batches() -> Vec<Break> {
    breaks! {
        "the record beside the right one is accepted" in BESIDE => "device.transactions.accepted.value":
            response(|asked, message| if asked.is("device.transactions") && asked.uploaded().len() == 2 {
                message.set("accepted", json!(["sale-0003"]));
                message.set("rejected", json!([{ "id": "sale-0002" }]));
            });
        "the last record after a wrong one is lost" in BESIDE => "device.transactions.accepted.value":
            onward(|asked, message| match message.fields.get_mut("transactions") {
                Some(Value::Array(records)) if asked.is("device.transactions") => records.retain(|record| record["id"] != "sale-0006"),
                _ => {}
            }),
            response(|asked, message| if asked.is("device.transactions") && asked.uploaded().len() == 3 {
                message.set("accepted", json!(["sale-0005", "sale-0006"]));
            });
        "of a larger batch others are stored than are accepted" in TRUNCATED => "device.transactions.accepted.value":
            onward(|asked, message| match message.fields.get_mut("transactions") {
                Some(Value::Array(records)) if asked.is("device.transactions") && records.len() == 51 => _ = records.remove(0),
                _ => {}
            }),
            response(|asked, message| if asked.is("device.transactions") && asked.uploaded().len() == 51 {
                message.set("truncated", true);
                message.set("accepted", asked.uploaded().into_iter().take(50).collect::<Vec<_>>());
            });
        "what was cut off is not stored when it comes again" in TRUNCATED => "device.transactions.accepted.value":
            onward(|asked, message| match message.fields.get_mut("transactions") {
                Some(Value::Array(records)) if asked.is("device.transactions") && records.len() < 51 => {
                    records.retain(|record| record["id"] != "sale-0051");
                }
                _ => {}
            }),
            response(|asked, message| if asked.uploaded().len() < 51 { accepted(asked, message) });
        "an amount is stored in major units" in "amounts-are-stored-to-the-last-unit / an odd one" => "device.transactions.amount":
            onward(|asked, message| sent(asked, message, |record| {
                record["amount"] = json!(record["amount"].as_i64().unwrap_or(0) / 100 * 100);
            }));
        "an amount has 32 bits" in "amounts-are-stored-to-the-last-unit / more than 32 bits hold" => "device.transactions.amount":
            onward(|asked, message| sent(asked, message, |record| {
                record["amount"] = json!(record["amount"].as_i64().unwrap_or(0) % (1 << 31));
            }));
        "an unknown type takes the amount with it" in "what-is-known-of-an-unknown-record-is-kept" => "device.transactions.accepted.value":
            onward(|asked, message| sent(asked, message, |record| if record["type"] == "NO_SUCH_TYPE" { record["amount"] = json!(0) }));
        "an unknown status takes the amount with it" in "what-is-known-of-an-unknown-record-is-kept"
            => "device.transactions.accepted.value":
            onward(|asked, message| sent(asked, message, |record| if record["status"] == "NO_SUCH_STATUS" { record["amount"] = json!(0) }));
        "a symbol of an app against the rules is stored as digits" in SYMBOL => "device.config.variableSymbol.upload":
            onward(|asked, message| sent(asked, message, |record| if record["variableSymbol"] == "Stůl 7" {
                record["variableSymbol"] = json!("7");
            }));
        "a symbol that is not to be entered is dropped" in SYMBOL => "device.config.variableSymbol.upload":
            onward(|asked, message| sent(asked, message, |record| if record["variableSymbol"] == "2026000999" {
                record["variableSymbol"] = Value::Null;
            }));
    }
}

/// Sends an upload in the name of the device that made the first one of its kind.
fn in_the_name_of_the_first(asked: &ObservedRequest<'_>, sent: &mut Message, call: &str) {
    if asked.is(call) {
        let first = asked.noted(call, asked.token.clone());
        sent.header("authorization", &format!("Bearer {first}"));
    }
}

fn closings() -> Vec<Break> {
    breaks! {
        "closings of an app are lost" in "closings-and-logs-of-an-app-are-kept" => "device.closings.call":
            instead(|asked| asked.is("device.closings").then(|| Message::granted(asked.sound())));
        "logs of an app are lost" in "closings-and-logs-of-an-app-are-kept" => "device.logs.call":
            instead(|asked| asked.is("device.logs").then(|| Message::granted(asked.sound())));
        "closings of another merchant are lost" in "closings-and-logs-of-another-merchant-are-kept" => "device.closings.call":
            instead(|asked| asked.is("device.closings").then(|| Message::granted(asked.sound())));
        "logs of another merchant are lost" in "closings-and-logs-of-another-merchant-are-kept" => "device.logs.call":
            instead(|asked| asked.is("device.logs").then(|| Message::granted(asked.sound())));
        "a closing of the day before comes too late" in ORDER => "device.closings.call":
            instead(|asked| (asked.is("device.closings") && asked.text("closings").contains("closing-0001"))
                .then(|| Message::granted(asked.sound())));
        "the next closing takes the one before away" in ORDER => "device.closings.call":
            world(|deed| if deed.action == "operator.reads-closings" {
                deed.response = Some(json!({ "closings": [{ "id": "closing-0001" }] }));
            });
        "the next logs take those before away" in ORDER => "device.logs.call":
            world(|deed| if deed.action == "operator.reads-logs" { deed.response = Some(json!({ "logs": ["The app has started."] })) });
        "closings are kept for a day" in LATER => "device.closings.call":
            world(|deed| if deed.action == "operator.reads-closings" { deed.response = Some(json!({ "closings": [] })) });
        "a revocation takes the records of the device away" in LATER => "device.transactions.accepted.value":
            world(|deed| {
                revokes(deed);
                if deed.action == "operator.reads-transactions" && deed.memory.lock().unwrap().contains_key("revoked") {
                    deed.response = Some(json!({ "transactions": [] }));
                }
            });
        "records of a shop are those of its first device" in OWN => "device.transactions.accepted.value":
            onward(|asked, message| in_the_name_of_the_first(asked, message, "device.transactions"));
        "closings of a shop are those of its first device" in OWN => "device.closings.call":
            onward(|asked, message| in_the_name_of_the_first(asked, message, "device.closings"));
        "logs of a shop are those of the device that closed last" in OWN => "device.logs.call":
            onward(|asked, message| if asked.is("device.closings") {
                asked.note("last", asked.token.clone());
            } else if asked.is("device.logs") {
                message.header("authorization", &format!("Bearer {}", asked.recall("last")));
            });
    }
}

/// Lets a record with a version overwrite, or be dropped.
fn versioned(asked: &ObservedRequest<'_>, message: &mut Message, version: i64, other: i64) {
    sent(asked, message, |record| {
        if record["syncVersion"] == version {
            record["syncVersion"] = json!(other);
        }
    });
}

fn versions() -> Vec<Break> {
    breaks! {
        "a lower syncVersion overwrites a day later" in "an-older-record-is-dropped-a-day-later / a day later"
            => "device.transactions.syncVersion.lower":
            onward(|asked, message| versioned(asked, message, 4, 6));
        "a higher syncVersion replaces nothing a month later" in "an-older-record-is-dropped-a-day-later / a month later"
            => "device.transactions.syncVersion.higher":
            onward(|asked, message| versioned(asked, message, 6, 1));
        "a lower syncVersion overwrites after another activation" in "an-older-record-is-dropped-after-another-activation"
            => "device.transactions.syncVersion.lower":
            onward(|asked, message| versioned(asked, message, 4, 6));
        "a lower syncVersion of another merchant overwrites" in "a-lower-sync-version-of-another-merchant-is-dropped"
            => "device.transactions.syncVersion.lower":
            onward(|asked, message| versioned(asked, message, 4, 6));
        "a higher syncVersion of another merchant replaces nothing" in "a-lower-sync-version-of-another-merchant-is-dropped"
            => "device.transactions.syncVersion.higher":
            onward(|asked, message| versioned(asked, message, 6, 1));
        "a syncVersion of 0 is none, and overwrites" in "a-sync-version-of-zero-is-a-low-one" => "device.transactions.syncVersion.lower":
            onward(|asked, message| sent(asked, message, |record| if record["amount"] == 9900 { record["syncVersion"] = json!(2) }));
        "a syncVersion of 1 is no higher than 0" in "a-sync-version-of-zero-is-a-low-one" => "device.transactions.syncVersion.higher":
            onward(|asked, message| versioned(asked, message, 1, -1));
        "a higher syncVersion adds to the sale" in REPLACED => "device.transactions.syncVersion.higher":
            onward(|asked, message| sent(asked, message, |record| if record["syncVersion"] == 2 {
                record["saleJson"] = json!("{\"first\": \"Espresso\", \"second\": \"Croissant\"}");
            }));
    }
}

/// Changes a text of the records on their way to the emulator.
fn spelled(asked: &ObservedRequest<'_>, message: &mut Message, field: &str, change: impl Fn(&str) -> String) {
    sent(asked, message, |record| {
        if let Some(text) = record[field].as_str() {
            record[field] = json!(change(text));
        }
    });
}

fn texts() -> Vec<Break> {
    breaks! {
        "a sale has 4096 characters" in "texts-of-any-length-and-script-are-kept / long" => "device.transactions.saleJson.verbatim":
            onward(|asked, message| spelled(asked, message, "saleJson", |text| text.chars().take(4096).collect()));
        "an emoji ends a text" in "texts-of-any-length-and-script-are-kept / beyond the Basic Multilingual Plane"
            => "device.transactions.rawJson.verbatim":
            onward(|asked, message| spelled(asked, message, "rawJson", |text| text.chars().take_while(|&one| one <= '\u{ffff}').collect()));
        "what is not Latin is a question mark" in "texts-of-any-length-and-script-are-kept / in other scripts"
            => "device.transactions.saleJson.verbatim":
            onward(|asked, message| spelled(asked, message, "saleJson", |text| {
                text.chars().map(|one| if one > '\u{17f}' { '?' } else { one }).collect()
            }));
        "escapes of a text are resolved" in "texts-of-any-length-and-script-are-kept / with escapes"
            => "device.transactions.saleJson.verbatim":
            onward(|asked, message| spelled(asked, message, "saleJson", |text| text.replace("\\u00e9", "é")));
        "blanks at the end of a text are dropped" in "texts-of-any-length-and-script-are-kept / with lines and blanks"
            => "device.transactions.rawJson.verbatim":
            onward(|asked, message| spelled(asked, message, "rawJson", |text| text.trim_end().to_owned()));
        "characters of a text are composed" in "texts-of-any-length-and-script-are-kept / with characters that are composed"
            => "device.transactions.saleJson.verbatim":
            onward(|asked, message| spelled(asked, message, "saleJson", |text| text.replace("Z\u{30c}", "Ž")));
        "identifiers are compared without case" in "ids-that-differ-little-are-two-records / in case" => "device.transactions.identity":
            onward(|asked, message| spelled(asked, message, "id", str::to_lowercase)), response(accepted);
        "identifiers are numbers" in "ids-that-differ-little-are-two-records / in a zero" => "device.transactions.identity":
            onward(|asked, message| spelled(asked, message, "id", |id| id.trim_start_matches('0').to_owned())), response(accepted);
        "identifiers have 36 characters" in "ids-that-differ-little-are-two-records / at their end" => "device.transactions.identity":
            onward(|asked, message| spelled(asked, message, "id", |id| id.chars().take(36).collect())), response(accepted);
    }
}

/// Reads this in place of what is stored, once a fact is known.
fn reads_once(deed: &mut WorldAction<'_>, fact: &str, action: &str, stored: Value) {
    if deed.action == action && deed.memory.lock().unwrap().contains_key(fact) {
        deed.response = Some(stored);
    }
}

/// What is stored of an upload that was refused.
fn refused() -> Vec<Break> {
    breaks! {
        "what a revoked device uploads is refused, and stored" in GONE => "device.revoked.every-call":
            world(|deed| {
                revokes(deed);
                reads_once(deed, "revoked", "operator.reads-transactions", json!({ "transactions": [
                    { "id": "sale-0001", "syncVersion": 1, "amount": 12345 }, { "id": "sale-0002", "syncVersion": 1, "amount": 9900 },
                ] }));
            });
        "a revoked device replaces what it uploaded before" in GONE => "device.revoked.every-call":
            world(|deed| {
                revokes(deed);
                reads_once(deed, "revoked", "operator.reads-transactions", json!({ "transactions": [
                    { "id": "sale-0001", "syncVersion": 2, "amount": 100 },
                ] }));
            });
        "closings of a revoked device are refused, and kept" in GONE_CLOSINGS => "device.revoked.every-call":
            world(|deed| {
                revokes(deed);
                reads_once(deed, "revoked", "operator.reads-closings", json!({ "closings": [{ "id": "closing-0002" }] }));
            });
        "logs of a revoked device are refused, and kept" in GONE_CLOSINGS => "device.revoked.every-call":
            world(|deed| {
                revokes(deed);
                reads_once(deed, "revoked", "operator.reads-logs", json!({ "logs": ["The device was revoked before."] }));
            });
        "what comes with an expired token is refused, and stored" in EXPIRED => "device.token.short-lived":
            world(|deed| {
                time_passes(deed);
                reads_once(deed, "later", "operator.reads-transactions", json!({ "transactions": [
                    { "id": "sale-0001", "syncVersion": 1, "amount": 12345 }, { "id": "sale-0002", "syncVersion": 1, "amount": 9900 },
                ] }));
            });
        "an expired token replaces what was uploaded before" in EXPIRED => "device.token.short-lived":
            world(|deed| {
                time_passes(deed);
                reads_once(deed, "later", "operator.reads-transactions", json!({ "transactions": [
                    { "id": "sale-0001", "syncVersion": 2, "amount": 100 },
                ] }));
            });
        "what an expired token brought is lost when it comes again" in EXPIRED => "device.transactions.accepted.value":
            onward(|asked, message| sent(asked, message, |record| if asked.uploaded() == [json!("sale-0002")] {
                record["id"] = json!("sale-0009");
            })),
            response(|asked, message| if message.fulfils() { accepted(asked, message) });
        "a record beyond the limit takes the place of a wrong one" in ROOM => "device.transactions.limit":
            onward(|_, message| if let Some(Value::Array(batch)) = message.fields.get_mut("transactions") {
                batch.retain(|record| record["amount"] != "abc");
            }),
            response(|asked, message| if asked.uploaded().len() == 60 {
                message.set("rejected", json!([{ "id": "sale-0030", "errorMessage": "no amount" }]));
            });
        "of a batch with a wrong record all others are stored" in ROOM => "device.transactions.limit":
            world(|deed| if deed.action == "operator.reads-transactions" {
                let others = (1..=60).map(|number| json!({ "id": format!("sale-{number:04}") }));
                let stored: Vec<Value> = std::iter::once(json!({ "id": "plain-0001" })).chain(others).collect();
                deed.response = Some(json!({ "transactions": stored }));
            });
    }
}

/// What stays although it was replaced, and what two records are one.
fn replaced() -> Vec<Break> {
    breaks! {
        "an unknown type stays unknown" in "a-higher-sync-version-replaces-every-field / the type"
            => "device.transactions.syncVersion.higher":
            onward(|asked, message| sent(asked, message, |record| if record["syncVersion"] == 2 {
                record["type"] = json!("NO_SUCH_TYPE");
            }));
        "an unknown status stays unknown" in "a-higher-sync-version-replaces-every-field / the status"
            => "device.transactions.syncVersion.higher":
            onward(|asked, message| sent(asked, message, |record| if record["syncVersion"] == 2 {
                record["status"] = json!("NO_SUCH_STATUS");
            }));
        "the currency of a record is the first one" in "a-higher-sync-version-replaces-every-field / the currency"
            => "device.transactions.syncVersion.higher":
            onward(|asked, message| sent(asked, message, |record| if record["syncVersion"] == 2 { record["currency"] = json!("EUR") }));
        "blanks at the end of an identifier are dropped" in "ids-that-differ-in-a-blank-are-two-records / at the end"
            => "device.transactions.identity":
            onward(|asked, message| spelled(asked, message, "id", |id| id.trim_end().to_owned())), response(accepted);
        "blanks at the beginning of an identifier are dropped" in "ids-that-differ-in-a-blank-are-two-records / at the beginning"
            => "device.transactions.identity":
            onward(|asked, message| spelled(asked, message, "id", |id| id.trim_start().to_owned())), response(accepted);
        "blanks in an identifier are dropped" in "ids-that-differ-in-a-blank-are-two-records / in the middle"
            => "device.transactions.identity":
            onward(|asked, message| spelled(asked, message, "id", |id| id.replace(' ', ""))), response(accepted);
        "identifiers are compared without accents" in "ids-that-look-alike-are-two-records / in accents"
            => "device.transactions.identity":
            onward(|asked, message| spelled(asked, message, "id", |id| id.replace('ú', "u").replace('č', "c"))), response(accepted);
        "identifiers are composed" in "ids-that-look-alike-are-two-records / composed and decomposed" => "device.transactions.identity":
            onward(|asked, message| spelled(asked, message, "id", |id| id.replace("u\u{301}", "ú").replace("c\u{30c}", "č"))),
            response(accepted);
        "a syncVersion of 33 bits begins anew" in "a-sync-version-of-any-size-is-compared / at 32 bits"
            => "device.transactions.syncVersion.higher":
            onward(|asked, message| sent(asked, message, |record| if record["syncVersion"] == 4_294_967_296_i64 {
                record["syncVersion"] = json!(1);
            }));
        "a low syncVersion is above one of 41 bits" in "a-sync-version-of-any-size-is-compared / milliseconds since 1970"
            => "device.transactions.syncVersion.lower":
            onward(|asked, message| sent(asked, message, |record| if record["syncVersion"] == 5 {
                record["syncVersion"] = json!(1_900_000_000_000_i64);
            }));
    }
}
