//! The response to a token exchange.

use jiff::Timestamp;
use serde::Serialize;

use super::Connection;
use super::debug_logs::DebugLogs;

/// The response to a token exchange.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TokenExchange {
    pub(crate) token: String,
    pub(crate) expiry: Timestamp,
    config_version: i64,
    catalog_version: i64,
    payment_codes_at: Option<i64>,
    connection_state: &'static str,
    min_app_version_code: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_debug_logs: Option<DebugLogs>,
}

impl TokenExchange {
    /// The versions that a device compares, beside its new token.
    pub(crate) fn new(
        connection: &Connection,
        (token, expiry): (String, Timestamp),
        (catalog_version, payment_codes_at, min_app_version_code): (i64, Option<i64>, Option<i64>),
    ) -> Self {
        let device = connection.device.as_ref();
        Self {
            token,
            expiry,
            config_version: connection.config_version,
            catalog_version,
            payment_codes_at,
            connection_state: connection.state.as_str(),
            min_app_version_code,
            request_debug_logs: device.and_then(|device| device.debug_logs),
        }
    }
}
