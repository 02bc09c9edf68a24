//! A connection ready to be activated, for tests to change.

use super::document_codes::DocumentCode;
use super::settings::Settings;
use super::{Connection, ConnectionState, Platform};

pub(crate) fn connection(platform: Platform) -> Connection {
    Connection {
        number: 0,
        shop: 0,
        merchant: "100001".into(),
        platform,
        serial_number: (platform == Platform::Pos).then(|| "SN1".to_owned()),
        activation_code: (platform == Platform::Softpos).then(|| "AC1".to_owned()),
        registered: true,
        ready: true,
        blocked: false,
        deactivated: false,
        state: ConnectionState::Active,
        config_version: 1,
        settings: Settings::new("M100001", "Q100001"),
        document_code: DocumentCode::Open,
        pin_reset_at: None,
        terminal_reported_at: None,
        device: None,
    }
}
