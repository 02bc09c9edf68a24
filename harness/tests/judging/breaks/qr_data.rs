//! Methods and QR data that do not belong to the payment.

use serde_json::{Value, json};

use super::Break;
use crate::support::proxy::{Message, ObservedRequest};

const SPAYD: &str = "a-czech-bank-is-drawn-as-spayd / units and hundredths";
const EPC: &str = "euros-are-drawn-as-epc / units and hundredths";
const SYMBOL: &str = "a-variable-symbol-is-not-in-the-code";
const LANGUAGES: &str = "the-names-of-methods-are-in-three-languages";

/// Methods and QR data that break a rule.
pub fn all() -> Vec<Break> {
    [codes(), methods()].into_iter().flatten().collect()
}

/// Changes a part of the QR data.
fn drawn(message: &mut Message, part: &str, otherwise: &str) {
    let data = message.get("paymentData").replace(part, otherwise);
    message.replace("paymentData", data);
}

/// A SPAYD with another value of a key.
fn spayd(message: &mut Message, key: &str, value: &str) {
    let data = message.get("paymentData");
    let parts: Vec<String> = data
        .split('*')
        .map(|part| match part.split_once(':') {
            Some((name, _)) if name == key => format!("{key}:{value}"),
            _ => part.to_owned(),
        })
        .collect();
    message.replace("paymentData", parts.join("*"));
}

fn codes() -> Vec<Break> {
    breaks! {
        "a code in minor units" in SPAYD => "qr.create.minor-units":
            response(|_, message| spayd(message, "AM", "12345"));
        "a code over another amount" in SPAYD => "qr.paymentData.SPAYD.amount":
            response(|_, message| spayd(message, "AM", "123.44"));
        "a code over another currency" in SPAYD => "qr.paymentData.SPAYD.currency":
            response(|_, message| spayd(message, "CC", "EUR"));
        "a code with a checksum of another text" in SPAYD => "qr.create.answer.paymentData.format":
            response(|_, message| if message.has("paymentData") {
                let data = format!("{}*CRC32:00000000", message.get("paymentData"));
                message.replace("paymentData", data);
            });
        "a code with an account whose check digits are wrong" in SPAYD => "qr.paymentData.SPAYD.account":
            response(|_, message| spayd(message, "ACC", "CZ0008000000192000145399"));
        "an amount in short floating point" in "large-amounts-are-asked-for-and-refunded-exactly" => "qr.paymentData.SPAYD.amount":
            response(|_, message| drawn(message, "AM:1234567.89", "AM:1234568.00"));
        "a code without an account" in SPAYD => "qr.paymentData.SPAYD.account":
            response(|_, message| drawn(message, "*ACC:", "*X-ACC:"));
        "a symbol of 11 digits" in SPAYD => "qr.paymentData.SPAYD.symbol":
            response(|_, message| spayd(message, "X-VS", "12345678901"));
        "the symbol of the operator in the code" in SYMBOL => "qr.create.symbol":
            response(|_, message| spayd(message, "X-VS", "2026000123"));
        "the symbol of the operator in the code of a bank" in SYMBOL => "qr.create.variableSymbol.not-in-code":
            response(|asked, message| if asked.is("qr.create") && asked.text("method") != "BANK_CZ_T_OTHER" {
                spayd(message, "X-VS", "2026000123");
            });
        "one symbol for all payments" in "qr / every-payment-has-an-identifier-of-its-own / crowns" => "qr.create.symbol.own":
            response(|_, message| spayd(message, "X-VS", "1234567890"));
        "a transfer in euros over another amount" in EPC => "qr.paymentData.EPC.amount":
            response(|_, message| drawn(message, "EUR123.45", "EUR123.44"));
        "crowns' code for a Slovak method" in "slovak-euros-are-drawn-as-pay-by-square / whole units" => "qr.paymentData.pay-by-square":
            response(|_, message| message.replace("paymentData", "SPD*1.0*ACC:CZ6508000000192000145399*AM:70.00*CC:EUR*X-VS:1234567890"));
        "a PAY by square code with a letter that was misread" in "slovak-euros-are-drawn-as-pay-by-square / whole units"
            => "qr.create.answer.paymentData.format":
            response(|_, message| if message.has("paymentData") {
                let data = message.get("paymentData");
                let (begin, end) = data.split_at(data.len() / 2);
                let other = if end.starts_with('0') { "1" } else { "0" };
                message.set("paymentData", format!("{begin}{other}{}", &end[1..]));
            });
    }
}

/// Changes the methods of a list.
fn methods_of(asked: &ObservedRequest<'_>, message: &mut Message, change: impl FnOnce(&mut Vec<Value>)) {
    if let Some(Value::Array(methods)) = message.fields.get_mut("methods").filter(|_| asked.is("qr.methods")) {
        change(methods);
    }
}

fn methods() -> Vec<Break> {
    breaks! {
        "methods for euros in crowns" in "both-euro-methods-are-for-euros" => "qr.methods.bothEurQr.effect":
            response(|asked, message| if asked.is("qr.methods") {
                let methods = message.fields.get_mut("methods").and_then(Value::as_array_mut).unwrap();
                let mut other = methods[0].clone();
                other["id"] = json!("BANK_SK_T_OTHER");
                methods.push(other);
            });
        "bothEurQr has no effect" in "a-merchant-in-sk-is-offered-both-methods-when-asked-for" => "qr.methods.bothEurQr.effect":
            onward(|asked, sent| if asked.is("qr.methods") { sent.remove("bothEurQr") });
        "the names are Czech only" in LANGUAGES => "qr.methods.lang.effect":
            onward(|asked, sent| if asked.is("qr.methods") { sent.remove("lang") });
        "the names are English without a language" in LANGUAGES => "qr.methods.lang.default":
            onward(|asked, sent| if asked.is("qr.methods") && !asked.has("lang") { sent.set("lang", "en") });
        "a listed method can't be used" in "a-listed-method-pays / CZK" => "qr.methods.id.used":
            instead(|asked| asked.is("qr.create").then(|| Message::objection(asked, 400, "")));
        "no method of a bank" in "the-list-has-banks-and-the-generic-transfer" => "qr.methods.banks":
            response(|asked, message| methods_of(asked, message, |methods| methods.retain(|method| method["id"] == json!("BANK_CZ_T_OTHER"))));
        "no generic transfer" in "the-list-has-banks-and-the-generic-transfer" => "qr.methods.generic":
            response(|asked, message| methods_of(asked, message, |methods| methods.retain(|method| method["id"] != json!("BANK_CZ_T_OTHER"))));
        "the EU method in Slovakia" in "a-merchant-in-sk-is-offered-the-sk-method" => "qr.methods.EUR.SK":
            onward(|asked, sent| if asked.is("qr.methods") { sent.set("bothEurQr", true) });
        "the SK method in Germany" in "a-merchant-in-de-is-offered-the-eu-method" => "qr.methods.EUR.others":
            onward(|asked, sent| if asked.is("qr.methods") { sent.set("bothEurQr", true) });
    }
}
