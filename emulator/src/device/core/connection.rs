//! A shop connection: the place of one device at a merchant's, and what the operator does with it.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::config_error::ConfigError;
use super::document_codes::{DocumentCode, DocumentCodes};
use super::settings::Settings;
use super::{Device, ErrorCode, Refusal};
use crate::base::wire_enum::wire_enum;

wire_enum! {
    /// "POS or SOFTPOS."
    pub(crate) enum Platform {
        Pos = "POS",
        Softpos = "SOFTPOS",
    }
}

wire_enum! {
    /// The state of the connection, as shown to its device.
    pub(crate) enum ConnectionState {
        Active = "ACTIVE",
        PendingDeactivation = "PENDING_DEACTIVATION",
    }
}

/// Numbers of connections, shops and devices count from different places, so that they can't be mixed up.
const CONNECTIONS_FROM: i64 = 1_001;
const SHOPS_FROM: i64 = 20_001;
const DEVICES_FROM: i64 = 500_001;

/// A connection. Activated, it has a device.
#[derive(Debug)]
pub(crate) struct Connection {
    /// Its place among the connections of the world, from 0.
    pub(crate) number: u32,
    /// The place of the connection that its shop was opened with; its own, unless it joined a shop.
    pub(crate) shop: u32,
    /// The merchant it belongs to.
    pub(crate) merchant: Arc<str>,
    /// The type of its terminal.
    pub(crate) platform: Platform,
    /// Of a POS.
    pub(crate) serial_number: Option<String>,
    /// Of a SOFTPOS.
    pub(crate) activation_code: Option<String>,
    /// Whether its terminal is registered.
    pub(crate) registered: bool,
    /// Whether all of it is set up.
    pub(crate) ready: bool,
    /// Whether activation is blocked.
    pub(crate) blocked: bool,
    /// Whether it is over.
    pub(crate) deactivated: bool,
    /// The state shown to its device.
    pub(crate) state: ConnectionState,
    /// Rises with every change of the configuration.
    pub(crate) config_version: i64,
    /// What is set in administration.
    pub(crate) settings: Settings,
    /// The code of its document numbers.
    pub(crate) document_code: DocumentCode,
    /// When support last requested a PIN reset, in epoch milliseconds.
    pub(crate) pin_reset_at: Option<i64>,
    /// When the terminal was last reported to the card processor, in epoch milliseconds.
    pub(crate) terminal_reported_at: Option<i64>,
    /// The device, once activated.
    pub(crate) device: Option<Device>,
}

impl Connection {
    /// `connectionId`.
    pub(crate) fn id(&self) -> i64 {
        CONNECTIONS_FROM + i64::from(self.number)
    }

    /// `shopId`.
    pub(crate) fn shop_id(&self) -> i64 {
        SHOPS_FROM + i64::from(self.shop)
    }

    /// `deviceId`, the same after another activation.
    pub(crate) fn device_id(&self) -> i64 {
        DEVICES_FROM + i64::from(self.number)
    }

    /// Its device, or a refusal if it has none.
    pub(crate) fn device(&mut self) -> Result<&mut Device, Refusal> {
        self.device.as_mut().ok_or_else(|| ErrorCode::Unauthorized.into())
    }

    /// The number behind a `connectionId`.
    pub(crate) fn number_of(connection_id: i64) -> Option<u32> {
        connection_id.checked_sub(CONNECTIONS_FROM)?.try_into().ok()
    }

    /// The number behind a `deviceId`.
    pub(crate) fn number_of_device(device_id: i64) -> Option<u32> {
        device_id.checked_sub(DEVICES_FROM)?.try_into().ok()
    }

    /// Whether its serial number or activation code may be given to another connection.
    pub(crate) const fn is_over(&self) -> bool {
        self.deactivated || !self.registered
    }

    /// Changes the configuration. A document code is chosen only while none is assigned: "never changed".
    pub(crate) fn change_config(&mut self, mut changes: Map<String, Value>, codes: &mut DocumentCodes) -> Result<(), ConfigError> {
        let chosen = changes.shift_remove("documentDeviceCode");
        let settings = self.settings.changed(changes)?;
        if let Some(chosen) = chosen {
            self.document_code = self.chosen_code(&chosen, codes)?;
        }
        self.settings = settings;
        self.config_version += 1;
        Ok(())
    }

    /// Takes over what is kept per shop: whether card payments may be refunded.
    pub(crate) fn follow_shop(&mut self, refund_enabled: bool) {
        if self.settings.refund_enabled != refund_enabled {
            self.settings.refund_enabled = refund_enabled;
            self.config_version += 1;
        }
    }

    /// Takes over what is kept product-wide: the default PIN.
    pub(crate) fn follow_product(&mut self, default_pin: Option<&str>) {
        if self.settings.default_pin.as_deref() != default_pin {
            self.settings.default_pin = default_pin.map(str::to_owned);
            self.config_version += 1;
        }
    }

    fn chosen_code(&self, chosen: &Value, codes: &mut DocumentCodes) -> Result<DocumentCode, ConfigError> {
        if self.document_code.shown().is_some() {
            return Err(ConfigError::CodeAssigned);
        }
        match chosen {
            Value::Null => Ok(DocumentCode::Withheld),
            Value::String(code) => codes.choose(code).ok_or(ConfigError::CodeTaken),
            _ => Err(ConfigError::CodeMalformed),
        }
    }

    /// Notes that support requests a PIN reset. Each request has a time of its own.
    pub(crate) fn reset_pin(&mut self, now: Timestamp) -> i64 {
        self.config_version += 1;
        *self.pin_reset_at.insert(later_than(self.pin_reset_at, now))
    }

    /// Notes that the terminal is reported to the card processor. Each report has a time of its own.
    pub(crate) fn report_terminal(&mut self, now: Timestamp) -> i64 {
        self.config_version += 1;
        *self.terminal_reported_at.insert(later_than(self.terminal_reported_at, now))
    }

    /// Announces to the device that the connection is going to end.
    pub(crate) fn announce_deactivation(&mut self) {
        if self.state == ConnectionState::Active {
            self.state = ConnectionState::PendingDeactivation;
            self.config_version += 1;
        }
    }

    /// Ends the connection: it can't be activated, and the tokens of its device are refused.
    pub(crate) fn deactivate(&mut self) {
        self.deactivated = true;
        if let Some(device) = &mut self.device {
            device.revoked = true;
        }
    }
}

/// Now in epoch milliseconds, but later than last time even within one millisecond.
fn later_than(last: Option<i64>, now: Timestamp) -> i64 {
    now.as_millisecond().max(last.map_or(i64::MIN, |last| last.saturating_add(1)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::common::examples::noon;
    use crate::device::core::examples::connection;

    fn change(connection: &mut Connection, changes: Value) -> Result<(), ConfigError> {
        connection.change_config(changes.as_object().unwrap().clone(), &mut DocumentCodes::default())
    }

    #[test]
    fn numbers_differ_and_read_back() {
        let connection = connection(Platform::Pos);
        assert_eq!(Connection::number_of(connection.id()), Some(connection.number));
        assert_eq!(Connection::number_of_device(connection.device_id()), Some(connection.number));
        for unknown in [i64::MIN, -1, 0, i64::MAX] {
            assert_eq!((Connection::number_of(unknown), Connection::number_of_device(unknown)), (None, None));
        }
    }

    #[test]
    fn every_change_raises_the_version_and_a_refused_one_does_not() {
        let mut connection = connection(Platform::Pos);
        let version = connection.config_version;
        change(&mut connection, json!({ "qrMoreOptions": true })).unwrap();
        assert!(change(&mut connection, json!({ "qrMoreOptions": 1 })).is_err());
        connection.reset_pin(noon());
        connection.report_terminal(noon());
        connection.announce_deactivation();
        assert_eq!(connection.config_version, version + 4);
    }

    #[test]
    fn a_document_code_is_never_changed() {
        let mut connection = connection(Platform::Pos);
        change(&mut connection, json!({ "documentDeviceCode": null })).unwrap();
        assert_eq!(connection.document_code, DocumentCode::Withheld);
        change(&mut connection, json!({ "documentDeviceCode": "07" })).unwrap();
        assert_eq!(connection.document_code.shown(), Some("07"));
        assert!(change(&mut connection, json!({ "documentDeviceCode": "08" })).unwrap_err().to_string().contains("never changed"));
    }

    #[test]
    fn events_within_a_millisecond_differ() {
        let mut connection = connection(Platform::Pos);
        assert_ne!(connection.reset_pin(noon()), connection.reset_pin(noon()));
        assert_eq!(connection.report_terminal(noon()), noon().as_millisecond());
    }
}
