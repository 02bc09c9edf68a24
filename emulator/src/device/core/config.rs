//! The configuration of a device, as sent.

use serde::Serialize;
use serde_json::{Map, Value};

use super::settings::{Environment, ReceiptHeader, ReceiptPrint, VariableSymbol};
use super::{Connection, Platform};

/// The configuration as sent: absent and null where the document says so.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeviceConfig<'a> {
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

impl<'a> DeviceConfig<'a> {
    /// The configuration of a connection; the lowest version of the application is the same for all devices.
    pub(crate) fn from_connection(connection: &'a Connection, min_app_version_code: Option<i64>) -> Self {
        let settings = &connection.settings;
        Self {
            config_version: connection.config_version,
            connection_id: connection.id(),
            shop_id: connection.shop_id(),
            platform: connection.platform.as_str(),
            serial_number: connection.serial_number.as_deref(),
            env: settings.env,
            terminal_id: &settings.terminal_id,
            merchant_id: &settings.merchant_id,
            connection_state: connection.state.as_str(),
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
    use serde_json::json;

    use super::*;
    use crate::device::core::examples::connection;

    fn config_with(platform: Platform, changes: Value) -> Value {
        let mut connection = connection(platform);
        connection.settings = connection.settings.changed(changes.as_object().unwrap().clone()).unwrap();
        json!(DeviceConfig::from_connection(&connection, None))
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
}
