//! Cash registers that are right by winter time, for one merchant and for the device that is looked at.

use serde_json::{Value, json};

use super::Break;
use crate::support::proxy::remember;

const SUMMER: &str = "a-token-that-is-exchanged-in-summer-lasts-until-its-expiry";
const TWO: &str = "two-merchants-have-two-identifiers";
const SHOP: &str = "two-devices-of-a-shop-are-two-devices";

pub fn all() -> Vec<Break> {
    breaks! {
        "a token that is exchanged in summer lasts an hour less than it says" in SUMMER => "device.authenticate.expiry.value":
            response(|asked, message| if asked.is("device.authenticate") {
                message.replace("expiry", message.get("expiry").replace("-07-01T12:", "-07-01T13:"));
            });
        "a token that is exchanged in summer was over an hour ago" in SUMMER => "device.authenticate.expiry.value":
            response(|asked, message| if asked.is("device.authenticate") {
                message.replace("expiry", message.get("expiry").replace("-07-01T12:", "-07-01T11:"));
            });
        "all devices have the terminal of the first" in TWO => "device.config.terminalId.required":
            response(|asked, message| match message.fields.get_mut("config") {
                Some(config) if asked.is("device.activate") => {
                    let terminal = config["terminalId"].as_str().unwrap_or_default().to_owned();
                    config["terminalId"] = asked.noted("terminal", terminal).into();
                }
                _ if asked.is("device.config") => message.replace("terminalId", asked.recall("terminal")),
                _ => {}
            });
        "the version of the catalog is the sum of those of its items" in "the-version-of-the-catalog-is-the-highest-of-its-items"
            => "device.authenticate.catalogVersion.highest":
            response(|asked, message| if let Some(highest) = message.fields.get("catalogVersion").and_then(Value::as_i64)
                && asked.is("device.authenticate")
            {
                message.set("catalogVersion", highest * (highest + 1) / 2);
            });
        "the payment codes of a shop end with one of its devices" in SHOP => "device.revoked.device-token":
            world(|deed| if deed.action == "operator.revokes" { _ = remember(deed.memory, "revoked") }),
            response(|asked, message| if asked.is("device.payment-codes") && asked.knows("revoked") {
                message.objects(asked, 401, "DEVICE_REVOKED");
            });
        "a code alone is a pair" in "the-own-codes-of-a-device-are-returned" => "device.payment-codes.transactions.type":
            response(|asked, message| match message.fields.get_mut("transactions") {
                Some(Value::Array(pairs)) if asked.is("device.payment-codes") => pairs.iter_mut().for_each(|pair| *pair = json!("CODE-1")),
                _ => {}
            });
        "a token is given for none" in "nothing-is-exchanged-without-a-token" => "device.authenticate.bearer":
            response(|asked, message| if asked.is("device.authenticate") { message.grant(asked) });
        "a token is given for any text" in "nothing-is-exchanged-without-a-token" => "device.authenticate.bearer":
            response(|asked, message| if asked.is("device.authenticate") && asked.token == "garbage" { message.grant(asked) });
    }
}
