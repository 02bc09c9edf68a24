//! The shop connections of a world and their devices. Each is behind a lock of its own; the roll that lists them changes
//! only when the operator registers one.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};

use super::Faults;
use super::merchants::Merchants;
use crate::device::core::activation::Name;
use crate::device::core::catalog::Catalog;
use crate::device::core::config::Settings;
use crate::device::core::document_codes::{DocumentCode, DocumentCodes};
use crate::device::core::token::DeviceTokens;
use crate::device::core::{Connection, ConnectionState, Platform, Refusal};
use crate::device::wire::DeviceCall;
use crate::gateway::core::Merchant;
use crate::lots::Lots;
use crate::sync::{lock, read, write};
use crate::wire::jwt::Signer;

/// What the keys of the two tokens are for.
const DEVICE_TOKEN_KEY: u64 = 1;
const JWT_KEY: u64 = 2;

/// What a connection is registered with.
#[derive(Debug, Clone)]
pub(crate) struct Terms {
    pub(crate) platform: Platform,
    pub(crate) serial_number: Option<String>,
    pub(crate) activation_code: Option<String>,
    pub(crate) ready: bool,
}

/// What the connections of one merchant share.
#[derive(Default)]
pub(crate) struct Organization {
    pub(crate) catalog: RwLock<Catalog>,
    pub(crate) document_codes: Mutex<DocumentCodes>,
}

/// A connection, to be locked for as long as something is done with it.
pub(crate) type Shared = Arc<Mutex<Connection>>;

/// Everybody, by number, and who is known by what.
#[derive(Default)]
struct Roll {
    connections: Vec<Shared>,
    by_serial: HashMap<String, Shared>,
    by_code: HashMap<String, Shared>,
}

/// The connections of a world, and what belongs to their API alone.
pub(crate) struct Fleet {
    roll: RwLock<Roll>,
    organizations: RwLock<HashMap<Arc<str>, Arc<Organization>>>,
    min_app_version_code: RwLock<Option<i64>>,
    faults: Faults<DeviceCall, Refusal>,
    tokens: DeviceTokens,
    signer: Signer,
    keep: Option<usize>,
    requests: AtomicU64,
}

impl Fleet {
    /// Two connections for each merchant; the error is a sentence. Of the records of each device, so many are kept.
    pub(super) fn new(lots: &Lots, merchants: &Merchants, keep: Option<usize>) -> Result<Self, String> {
        let fleet = Self {
            roll: RwLock::default(),
            organizations: RwLock::default(),
            min_app_version_code: RwLock::default(),
            faults: Faults::default(),
            tokens: DeviceTokens::new(&lots.key(DEVICE_TOKEN_KEY)),
            signer: Signer::new(&lots.key(JWT_KEY)),
            keep,
            requests: AtomicU64::new(0),
        };
        for merchant in merchants.all() {
            let settings = &merchant.settings;
            let pos = Terms { platform: Platform::Pos, serial_number: Some(settings.serial.clone()), activation_code: None, ready: true };
            let code = Some(settings.activation_code.clone());
            let softpos = Terms { platform: Platform::Softpos, serial_number: None, activation_code: code, ready: true };
            fleet.register(&merchant, pos)?;
            fleet.register(&merchant, softpos)?;
        }
        Ok(fleet)
    }

    /// Registers a connection; the error is a sentence. Without any name, a POS gets a serial number and a SOFTPOS an
    /// activation code made up.
    pub(crate) fn register(&self, merchant: &Merchant, terms: Terms) -> Result<Shared, String> {
        let mut roll = write(&self.roll);
        let number = u32::try_from(roll.connections.len()).map_err(|_| "there are too many connections".to_owned())?;
        let terms = terms.named(number);
        check_free(&roll.by_serial, terms.serial_number.as_deref(), "serialNumber")?;
        check_free(&roll.by_code, terms.activation_code.as_deref(), "activationCode")?;
        let connection: Shared = Arc::new(Mutex::new(open(number, merchant, terms.clone())));
        roll.connections.push(Arc::clone(&connection));
        if let Some(serial) = terms.serial_number {
            roll.by_serial.insert(serial, Arc::clone(&connection));
        }
        if let Some(code) = terms.activation_code {
            roll.by_code.insert(code, Arc::clone(&connection));
        }
        Ok(connection)
    }

    /// The connection that an activation names.
    pub(crate) fn named(&self, name: Name<'_>) -> Option<Shared> {
        let roll = read(&self.roll);
        match name {
            Name::SerialNumber(serial) => roll.by_serial.get(serial).cloned(),
            Name::ActivationCode(code) => roll.by_code.get(code).cloned(),
        }
    }

    /// The connection of this `connectionId`.
    pub(crate) fn connection(&self, id: i64) -> Option<Shared> {
        self.numbered(Connection::number_of(id)?)
    }

    /// The connection of this `deviceId`.
    pub(crate) fn with_device(&self, id: i64) -> Option<Shared> {
        self.numbered(Connection::number_of_device(id)?)
    }

    fn numbered(&self, number: u32) -> Option<Shared> {
        read(&self.roll).connections.get(usize::try_from(number).ok()?).cloned()
    }

    /// All connections, in the order they were registered.
    pub(crate) fn all(&self) -> Vec<Shared> {
        read(&self.roll).connections.clone()
    }

    /// What the connections of a merchant share.
    pub(crate) fn organization(&self, merchant: &Arc<str>) -> Arc<Organization> {
        if let Some(known) = read(&self.organizations).get(merchant) {
            return Arc::clone(known);
        }
        Arc::clone(write(&self.organizations).entry(Arc::clone(merchant)).or_default())
    }

    /// "Lowest app versionCode allowed to work. Same for all devices."
    pub(crate) fn min_app_version_code(&self) -> Option<i64> {
        *read(&self.min_app_version_code)
    }

    /// Sets it; `None`: no lock.
    pub(crate) fn require_app(&self, version_code: Option<i64>) {
        *write(&self.min_app_version_code) = version_code;
    }

    /// The number of support's next request for diagnostics.
    pub(crate) fn next_request(&self) -> u64 {
        self.requests.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Faults placed in its calls.
    pub(crate) const fn faults(&self) -> &Faults<DeviceCall, Refusal> {
        &self.faults
    }

    /// Makes and reads device tokens.
    pub(crate) const fn tokens(&self) -> &DeviceTokens {
        &self.tokens
    }

    /// Signs the short-lived tokens.
    pub(crate) const fn signer(&self) -> &Signer {
        &self.signer
    }

    /// How many records of each kind a device keeps; `None`: all.
    pub(crate) const fn keep(&self) -> Option<usize> {
        self.keep
    }
}

impl Terms {
    /// With a name made up where there is none.
    fn named(mut self, number: u32) -> Self {
        match (self.platform, &self.serial_number, &self.activation_code) {
            (Platform::Pos, None, None) => self.serial_number = Some(format!("SN-{number}")),
            (Platform::Softpos, None, None) => self.activation_code = Some(format!("AC-{number}")),
            (Platform::Pos | Platform::Softpos, _, _) => {}
        }
        self
    }
}

/// A name may be given again once its connection is over.
fn check_free(names: &HashMap<String, Shared>, name: Option<&str>, field: &str) -> Result<(), String> {
    let Some((name, holder)) = name.and_then(|name| names.get_key_value(name)) else { return Ok(()) };
    if lock(holder).is_over() { Ok(()) } else { Err(format!("{field} `{name}` belongs to another connection of this world")) }
}

fn open(number: u32, merchant: &Merchant, terms: Terms) -> Connection {
    Connection {
        number,
        merchant: merchant.id().into(),
        platform: terms.platform,
        serial_number: terms.serial_number,
        activation_code: terms.activation_code,
        registered: true,
        ready: terms.ready,
        blocked: false,
        deactivated: false,
        state: ConnectionState::Active,
        config_version: 1,
        settings: Settings::new(&merchant.settings.mid, &merchant.settings.qr_terminal),
        document_code: DocumentCode::Open,
        pin_reset_at: None,
        terminal_reported_at: None,
        device: None,
    }
}
