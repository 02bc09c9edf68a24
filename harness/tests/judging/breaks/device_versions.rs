//! Version markers that do not change, or change without a reason.

use serde_json::{Value, json};

use super::Break;

const APP: &str = "a-lowest-version-of-the-app-is-for-all-devices";
const LOGS: &str = "logs-are-asked-for-until-they-are-uploaded";
const MATCHED: &str = "a-matched-transaction-has-a-code";
const PIN: &str = "a-pin-reset-is-an-event";

/// Markers that break a rule.
pub fn all() -> Vec<Break> {
    [versions(), logs(), codes()].into_iter().flatten().collect()
}

fn versions() -> Vec<Break> {
    breaks! {
        "the version of the configuration stands still" in "a-changed-configuration-has-another-version"
            => "device.authenticate.configVersion.changes":
            response(|asked, message| if asked.is("device.authenticate") { message.replace("configVersion", 1) });
        "the version stands still for tips" in "every-change-of-the-configuration-has-a-version / tips"
            => "device.authenticate.configVersion.changes":
            response(|asked, message| if asked.is("device.authenticate") {
                message.set("configVersion", asked.noted("version", message.get("configVersion")).parse::<i64>().unwrap());
            });
        "the version of the configuration itself stands still" in "every-change-of-the-configuration-has-a-version / the default PIN"
            => "device.authenticate.configVersion.value":
            response(|asked, message| if asked.is("device.config") {
                message.set("configVersion", message.fields["configVersion"].as_i64().unwrap() - 1);
            });
        "the version of the catalog stands still" in "a-changed-catalog-has-another-version" => "device.events.markers":
            response(|asked, message| if asked.is("device.authenticate") { message.replace("catalogVersion", 1) });
        "the version of the catalog is another one each time" in "a-changed-catalog-has-another-version"
            => "device.authenticate.catalogVersion.changes":
            response(|asked, message| if asked.is("device.authenticate") && !asked.first_time("once") { message.replace("catalogVersion", 4711) });
        "a marker of codes before there are any" in MATCHED => "device.authenticate.paymentCodesAt.null":
            response(|_, message| if message.fields.get("paymentCodesAt") == Some(&Value::Null) { message.set("paymentCodesAt", 0) });
        "a lowest version that nobody is told" in APP => "device.authenticate.minAppVersionCode.value":
            response(|asked, message| if asked.is("device.authenticate") { message.replace("minAppVersionCode", Value::Null) });
        "a lowest version for one device only" in APP => "device.authenticate.minAppVersionCode.same":
            response(|asked, message| if asked.is("device.authenticate") && asked.token != asked.noted("first", asked.token.clone()) {
                message.replace("minAppVersionCode", Value::Null);
            });
        "a lowest version is not in the configuration" in APP => "device.config.minAppVersionCode.same":
            response(|asked, message| if asked.is("device.config") { message.replace("minAppVersionCode", Value::Null) });
        "a lock that is never lifted" in APP => "device.config.minAppVersionCode.unlocked":
            world(|deed| if deed.action == "operator.requires-app" && deed.with["minAppVersionCode"].is_null() { deed.does_not_happen() });
        "a PIN reset that nobody asked for" in PIN => "device.config.pinResetAt.null":
            response(|asked, message| if message.fields.get("pinResetAt") == Some(&Value::Null) && asked.is("device.config") { message.set("pinResetAt", 0) });
        "a PIN reset in seconds" in PIN => "device.config.pinResetAt.value":
            response(|asked, message| if asked.is("device.config") && !message.get("pinResetAt").is_empty() {
                message.set("pinResetAt", message.fields["pinResetAt"].as_i64().unwrap() / 1000);
            });
        "a further PIN reset is not told" in PIN => "device.config.pinResetAt.changes":
            response(|asked, message| if asked.is("device.config") && !message.get("pinResetAt").is_empty() {
                let first: i64 = asked.noted("reset", message.get("pinResetAt")).parse().unwrap();
                message.set("pinResetAt", first);
            });
        "a terminal is reported that was not" in "a-reported-terminal-is-an-event" => "device.config.terminalReportedAt.null":
            response(|asked, message| if message.fields.get("terminalReportedAt") == Some(&Value::Null) && asked.is("device.config") {
                message.set("terminalReportedAt", 0);
            });
    }
}

fn logs() -> Vec<Break> {
    breaks! {
        "logs are always asked for" in LOGS => "device.authenticate.requestDebugLogs.only":
            response(|asked, message| if asked.is("device.authenticate") {
                message.set("requestDebugLogs", json!({"requestId": "logs-0001", "days": 1}));
            });
        "logs are asked for from every device" in LOGS => "device.authenticate.requestDebugLogs.device":
            response(|asked, message| if asked.is("device.authenticate") {
                if message.has("requestDebugLogs") { asked.note("request", message.get("requestDebugLogs")) }
                if let Ok(request) = serde_json::from_str::<Value>(&asked.recall("request")) { message.set("requestDebugLogs", request) }
            });
        "logs are asked for once" in LOGS => "device.authenticate.requestDebugLogs.repeats":
            response(|asked, message| if message.has("requestDebugLogs") && !asked.first_time("asked") { message.remove("requestDebugLogs") });
        "a request is done with logs of every day" in LOGS => "device.authenticate.requestDebugLogs.done":
            response(|asked, message| {
                if asked.is("device.logs") {
                    asked.first_time("uploaded");
                } else if asked.knows("uploaded") {
                    message.remove("requestDebugLogs");
                }
            });
        "a request is done with logs of another level" in LOGS => "device.authenticate.requestDebugLogs.done":
            response(|asked, message| {
                if asked.is("device.logs") && asked.text("logs").contains("INFO") {
                    asked.first_time("uploaded");
                } else if asked.knows("uploaded") {
                    message.remove("requestDebugLogs");
                }
            });
    }
}

fn codes() -> Vec<Break> {
    breaks! {
        "the codes have a marker of their own" in MATCHED => "device.payment-codes.paymentCodesAt.value":
            response(|asked, message| if asked.is("payment-codes") && !message.get("paymentCodesAt").is_empty() && asked.query.is_empty() {
                message.set("paymentCodesAt", 1);
            });
        "an empty list has no marker" in MATCHED => "device.payment-codes.empty":
            response(|asked, message| if asked.is("payment-codes") && message.fields["transactions"] == json!([]) {
                message.set("paymentCodesAt", Value::Null);
            });
        "codes of what is not matched" in MATCHED => "device.payment-codes.matched":
            response(|asked, message| if asked.is("payment-codes") && asked.knows("uploaded") && message.fields["transactions"] == json!([]) {
                message.set("transactions", json!([{"id": "sale-0001", "code": "AAAA"}]));
            } else if asked.is("device.transactions") {
                asked.first_time("uploaded");
            });
        "card refunds have codes" in "only-card-payments-have-codes" => "device.payment-codes.refunds":
            response(|asked, message| if asked.is("device.transactions") && asked.uploaded() == [json!("refund-0001")] {
                asked.first_time("refund");
            } else if asked.is("payment-codes") && asked.knows("refund") {
                message.set("transactions", json!([{"id": "sale-0001", "code": "AAAA"}, {"id": "refund-0001", "code": "BBBB"}]));
            });
        "QR payments have codes" in "only-card-payments-have-codes" => "device.payment-codes.QR":
            response(|asked, message| if asked.is("payment-codes") {
                message.set("transactions", json!([{"id": "sale-0001", "code": "AAAA"}, {"id": "sale-0002", "code": "BBBB"}]));
            });
        "a week without codes has no marker" in "codes-of-seven-days-are-returned" => "device.payment-codes.empty":
            response(|asked, message| if asked.is("payment-codes") && message.fields["transactions"] == json!([]) {
                message.set("paymentCodesAt", Value::Null);
            });
        "the marker is the one that was sent" in "codes-of-seven-days-are-returned" => "device.payment-codes.empty":
            response(|asked, message| if asked.is("payment-codes") && asked.query_parameter("since") == "4102444800000" {
                message.set("paymentCodesAt", 4_102_444_800_000_i64);
            });
        "since is ignored" in "codes-of-seven-days-are-returned" => "device.payment-codes.since.effect":
            way(|asked, path| if asked.is("payment-codes") { path.split('?').next().unwrap().to_owned() } else { path.to_owned() });
        "codes of eight days" in "codes-of-seven-days-are-returned" => "device.payment-codes.since.default":
            way(|asked, path| if asked.is("payment-codes") && asked.query.is_empty() { format!("{path}?since=0") } else { path.to_owned() });
    }
}
