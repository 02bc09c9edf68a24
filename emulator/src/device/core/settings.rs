//! The settings of a connection, as set in administration.

use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::config_error::ConfigError;

/// "Decides which payment application is addressed."
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Environment {
    Prod,
    Acc,
    Int,
}

/// The receipts that the terminal prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum ReceiptPrint {
    Off,
    Merchant,
    Customer,
    MerchantAndCustomer,
}

/// The head of a receipt.
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
    pub(super) env: Environment,
    pub(super) terminal_id: String,
    pub(super) merchant_id: String,
    pub(super) merchant: Arc<Map<String, Value>>,
    pub(super) currencies: Arc<Vec<Map<String, Value>>>,
    pub(super) tip: Option<Arc<Map<String, Value>>>,
    pub(super) receipt_print: ReceiptPrint,
    pub(super) receipt_header: ReceiptHeader,
    pub(super) reversal_enabled: bool,
    /// The only one that is kept per shop.
    pub(crate) refund_enabled: bool,
    pub(super) auto_closing: Arc<Map<String, Value>>,
    pub(super) qr_more_options: bool,
    pub(super) variable_symbol: Option<VariableSymbol>,
    /// The only one that is kept product-wide. `null`: the key is missing, and the application uses a default of its own.
    pub(crate) default_pin: Option<String>,
    pub(super) qr_api: Arc<Map<String, Value>>,
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
    /// The settings of a new connection.
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

    /// Returns the settings with some fields changed, under their names in the document.
    pub(crate) fn changed(&self, changes: Map<String, Value>) -> Result<Self, ConfigError> {
        let mut fields = serde_json::to_value(self)?;
        if let Value::Object(fields) = &mut fields {
            fields.extend(changes);
        }
        let changed: Self = serde_json::from_value(fields)?;
        changed.check_pin().map(|()| changed)
    }

    /// "Pattern `^[0-9]{4,12}$`."
    fn check_pin(&self) -> Result<(), ConfigError> {
        let is_pin = |pin: &String| (4..=12).contains(&pin.len()) && pin.bytes().all(|byte| byte.is_ascii_digit());
        if self.default_pin.as_ref().is_none_or(is_pin) { Ok(()) } else { Err(ConfigError::Pin) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::core::Platform;
    use crate::device::core::examples::connection;

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
