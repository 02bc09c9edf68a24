//! The configuration of a device.

use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Connection, Platform};

/// "Decides which payment application is addressed."
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Environment {
    Prod,
    Acc,
    Int,
}

/// What the terminal prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum ReceiptPrint {
    Off,
    Merchant,
    Customer,
    MerchantAndCustomer,
}

/// What stands at the top of a receipt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum ReceiptHeader {
    Basic,
    Premises,
    Billing,
}

/// "Type is a keyboard hint, not a storage rule."
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum SymbolType {
    Numeric,
    Alphanumeric,
}

/// Whether the operator enters a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum SymbolMode {
    Off,
    Optional,
    Required,
}

/// Rules for the operator-entered variable symbol; enforced by the application.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct VariableSymbol {
    r#type: SymbolType,
    mode: SymbolMode,
    /// "Inner fields beyond type and mode: not shown."
    #[serde(flatten)]
    more: Map<String, Value>,
}

/// What is set in administration, for one connection. Inner fields of the objects are not shown in the document: they are
/// kept as given. They are shared, so that thousands of devices on defaults take little room.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Settings {
    env: Environment,
    terminal_id: String,
    merchant_id: String,
    merchant: Arc<Map<String, Value>>,
    currencies: Arc<Vec<Map<String, Value>>>,
    tip: Option<Arc<Map<String, Value>>>,
    pub(super) receipt_print: ReceiptPrint,
    receipt_header: ReceiptHeader,
    reversal_enabled: bool,
    refund_enabled: bool,
    auto_closing: Arc<Map<String, Value>>,
    qr_more_options: bool,
    variable_symbol: Option<VariableSymbol>,
    /// `null`: the key is missing, and the application uses a default of its own.
    default_pin: Option<String>,
    qr_api: Arc<Map<String, Value>>,
}

/// Shared by all connections.
struct Defaults {
    merchant: Arc<Map<String, Value>>,
    currencies: Arc<Vec<Map<String, Value>>>,
    auto_closing: Arc<Map<String, Value>>,
}

static DEFAULTS: LazyLock<Defaults> = LazyLock::new(|| Defaults {
    merchant: object(json!({
        "name": "Obchod s.r.o.",
        "companyId": "12345678",
        "taxId": "CZ12345678",
        "premisesName": "Obchod",
        "premisesStreet": "Nová 1",
        "premisesPostalCode": "110 00",
        "premisesCity": "Praha",
        "seatStreet": "Stará 2",
        "seatPostalCode": "120 00",
        "seatCity": "Praha",
    })),
    currencies: Arc::new(["CZK", "EUR"].map(|code| Map::from_iter([("code".to_owned(), code.into())])).into()),
    auto_closing: object(json!({ "enabled": false })),
});

fn object(value: Value) -> Arc<Map<String, Value>> {
    match value {
        Value::Object(fields) => Arc::new(fields),
        _ => Arc::default(),
    }
}

impl Settings {
    /// What a new connection starts with.
    pub(crate) fn new(merchant_id: &str, terminal_id: &str) -> Self {
        Self {
            env: Environment::Prod,
            terminal_id: terminal_id.to_owned(),
            merchant_id: merchant_id.to_owned(),
            merchant: Arc::clone(&DEFAULTS.merchant),
            currencies: Arc::clone(&DEFAULTS.currencies),
            tip: None,
            receipt_print: ReceiptPrint::Off,
            receipt_header: ReceiptHeader::Basic,
            reversal_enabled: true,
            refund_enabled: true,
            auto_closing: Arc::clone(&DEFAULTS.auto_closing),
            qr_more_options: false,
            variable_symbol: None,
            default_pin: Some("0000".to_owned()),
            qr_api: object(json!({ "mid": merchant_id, "terminalId": terminal_id })),
        }
    }

    /// The same with some fields changed, under their names in the document; the error is a sentence.
    pub(crate) fn changed(&self, changes: Map<String, Value>) -> Result<Self, String> {
        let mut fields = serde_json::to_value(self).map_err(|error| error.to_string())?;
        if let Value::Object(fields) = &mut fields {
            fields.extend(changes);
        }
        let changed: Self = serde_json::from_value(fields).map_err(|error| error.to_string())?;
        changed.check().map(|()| changed)
    }

    /// "Pattern `^[0-9]{4,12}$`."
    fn check(&self) -> Result<(), String> {
        let is_pin = |pin: &String| (4..=12).contains(&pin.len()) && pin.bytes().all(|byte| byte.is_ascii_digit());
        if self.default_pin.as_ref().is_none_or(is_pin) { Ok(()) } else { Err("defaultPin has 4 to 12 digits".to_owned()) }
    }
}

/// The configuration as sent: absent and null where the document says so.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Config<'a> {
    config_version: i64,
    connection_id: i64,
    shop_id: i64,
    platform: &'static str,
    serial_number: Option<&'a str>,
    env: Environment,
    terminal_id: &'a str,
    merchant_id: &'a str,
    connection_state: &'static str,
    merchant: &'a Map<String, Value>,
    currencies: &'a [Map<String, Value>],
    /// "Present only when set in administration."
    #[serde(skip_serializing_if = "Option::is_none")]
    tip: Option<&'a Map<String, Value>>,
    receipt_print: ReceiptPrint,
    receipt_header: ReceiptHeader,
    document_device_code: Option<&'a str>,
    reversal_enabled: bool,
    refund_enabled: bool,
    auto_closing: &'a Map<String, Value>,
    qr_more_options: bool,
    /// "Present only when set in administration."
    #[serde(skip_serializing_if = "Option::is_none")]
    variable_symbol: Option<&'a VariableSymbol>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default_pin: Option<&'a str>,
    pin_reset_at: Option<i64>,
    terminal_reported_at: Option<i64>,
    min_app_version_code: Option<i64>,
    qr_api: &'a Map<String, Value>,
}

impl<'a> Config<'a> {
    /// The configuration of a connection; the lowest version of the application is the same for all devices.
    pub(crate) fn of(connection: &'a Connection, min_app_version_code: Option<i64>) -> Self {
        let settings = &connection.settings;
        Self {
            config_version: connection.config_version,
            connection_id: connection.id(),
            shop_id: connection.shop_id(),
            platform: connection.platform.word(),
            serial_number: connection.serial_number.as_deref(),
            env: settings.env,
            terminal_id: &settings.terminal_id,
            merchant_id: &settings.merchant_id,
            connection_state: connection.state.word(),
            merchant: &settings.merchant,
            currencies: &settings.currencies,
            tip: settings.tip.as_deref(),
            receipt_print: receipt_print(connection.platform, settings.receipt_print),
            receipt_header: settings.receipt_header,
            document_device_code: connection.document_code.shown(),
            reversal_enabled: settings.reversal_enabled,
            refund_enabled: settings.refund_enabled,
            auto_closing: &settings.auto_closing,
            qr_more_options: settings.qr_more_options,
            variable_symbol: settings.variable_symbol.as_ref(),
            default_pin: settings.default_pin.as_deref(),
            pin_reset_at: connection.pin_reset_at,
            terminal_reported_at: connection.terminal_reported_at,
            min_app_version_code,
            qr_api: &settings.qr_api,
        }
    }
}

/// "Always OFF for SOFTPOS."
const fn receipt_print(platform: Platform, set: ReceiptPrint) -> ReceiptPrint {
    match platform {
        Platform::Pos => set,
        Platform::Softpos => ReceiptPrint::Off,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::core::examples::connection;

    fn config_with(platform: Platform, changes: Value) -> Value {
        let mut connection = connection(platform);
        connection.settings = connection.settings.changed(changes.as_object().unwrap().clone()).unwrap();
        json!(Config::of(&connection, None))
    }

    #[test]
    fn every_documented_field_is_there_and_those_not_set_are_absent_or_null() {
        let config = config_with(Platform::Pos, json!({}));
        let names: Vec<_> = config.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(
            names,
            [
                "configVersion",
                "connectionId",
                "shopId",
                "platform",
                "serialNumber",
                "env",
                "terminalId",
                "merchantId",
                "connectionState",
                "merchant",
                "currencies",
                "receiptPrint",
                "receiptHeader",
                "documentDeviceCode",
                "reversalEnabled",
                "refundEnabled",
                "autoClosing",
                "qrMoreOptions",
                "defaultPin",
                "pinResetAt",
                "terminalReportedAt",
                "minAppVersionCode",
                "qrApi",
            ]
        );
        for null in ["documentDeviceCode", "pinResetAt", "terminalReportedAt", "minAppVersionCode"] {
            assert!(config[null].is_null(), "{null}");
        }
    }

    #[test]
    fn what_is_set_in_administration_is_shown_as_set() {
        let changes = json!({
            "env": "ACC", "tip": { "percentages": [5, 10] }, "receiptPrint": "MERCHANT_AND_CUSTOMER", "receiptHeader": "BILLING",
            "reversalEnabled": false, "refundEnabled": false, "autoClosing": { "at": "22:00" }, "qrMoreOptions": true,
            "variableSymbol": { "type": "NUMERIC", "mode": "REQUIRED", "label": "VS" }, "defaultPin": "123456789012",
            "currencies": [{ "code": "EUR" }], "merchant": { "name": "x" }, "qrApi": {}, "terminalId": "T9", "merchantId": "M9",
        });
        let config = config_with(Platform::Pos, changes.clone());
        for (name, value) in changes.as_object().unwrap() {
            assert_eq!(&config[name], value, "{name}");
        }
    }

    #[test]
    fn a_key_set_to_null_is_missing() {
        let config = config_with(Platform::Pos, json!({ "defaultPin": null, "tip": null, "variableSymbol": null }));
        for absent in ["defaultPin", "tip", "variableSymbol"] {
            assert_eq!(config.get(absent), None, "{absent}");
        }
    }

    #[test]
    fn a_softpos_prints_nothing() {
        assert_eq!(config_with(Platform::Softpos, json!({ "receiptPrint": "CUSTOMER" }))["receiptPrint"], "OFF");
        assert_eq!(config_with(Platform::Pos, json!({ "receiptPrint": "CUSTOMER" }))["receiptPrint"], "CUSTOMER");
    }

    #[test]
    fn what_the_document_does_not_allow_is_refused() {
        let settings = connection(Platform::Pos).settings;
        for wrong in [
            json!({ "defaultPin": "123" }),
            json!({ "defaultPin": "1234567890123" }),
            json!({ "defaultPin": "12a4" }),
            json!({ "defaultPin": 1234 }),
            json!({ "env": "TEST" }),
            json!({ "receiptPrint": "BOTH" }),
            json!({ "variableSymbol": { "type": "NUMERIC" } }),
            json!({ "configVersion": 7 }),
            json!({ "autoClosing": null }),
        ] {
            assert!(settings.changed(wrong.as_object().unwrap().clone()).is_err(), "{wrong}");
        }
    }
}
