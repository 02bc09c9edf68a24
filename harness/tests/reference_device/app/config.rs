//! The configuration, as far as the app works by it. Inner fields that the document does not show are assumed.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Config {
    pub config_version: i64,
    pub connection_id: i64,
    pub env: Environment,
    pub terminal_id: String,
    pub connection_state: ConnectionState,
    pub merchant: Map<String, Value>,
    pub tip: Option<Tip>,
    pub receipt_header: ReceiptHeader,
    pub document_device_code: Option<String>,
    pub reversal_enabled: bool,
    pub refund_enabled: bool,
    pub auto_closing: AutoClosing,
    pub qr_more_options: bool,
    pub variable_symbol: Option<SymbolRules>,
    pub default_pin: Option<String>,
    pub pin_reset_at: Option<i64>,
    pub terminal_reported_at: Option<i64>,
    pub min_app_version_code: Option<i64>,
    pub qr_api: QrApi,
}

/// "Decides which payment application is addressed."
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Environment {
    Prod,
    Acc,
    Int,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ConnectionState {
    Active,
    PendingDeactivation,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tip {
    /// Assumed.
    pub percentages: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum ReceiptHeader {
    Basic,
    Premises,
    Billing,
}

/// Assumed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AutoClosing {
    pub enabled: bool,
    /// `22:00`, in Prague.
    pub at: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolRules {
    pub r#type: SymbolType,
    pub mode: SymbolMode,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum SymbolType {
    Numeric,
    Alphanumeric,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum SymbolMode {
    Off,
    Optional,
    Required,
}

/// Assumed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QrApi {
    pub mid: String,
    pub terminal_id: String,
}
