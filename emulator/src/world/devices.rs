//! The shop connections of a world and their devices. Each is behind a lock of its own; the index of them changes
//! only when the operator registers one.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};

use super::Faults;
use super::merchants::Merchants;
use crate::base::jwt::Signer;
use crate::base::sync::{lock, read, write};
use crate::common::{IdGenerator, Merchant};
use crate::device::core::activation::Name;
use crate::device::core::catalog::Catalog;
use crate::device::core::document_codes::{DocumentCode, DocumentCodes};
use crate::device::core::settings::Settings;
use crate::device::core::token::DeviceTokens;
use crate::device::core::{Call, Connection, ConnectionState, Platform, Refusal};
use crate::world::RegistrationError;

/// The purposes of the keys that sign the two tokens.
const DEVICE_TOKEN_KEY: u64 = 1;
const JWT_KEY: u64 = 2;

/// The data with which a connection is registered.
#[derive(Debug, Clone)]
pub(crate) struct Registration {
    pub(crate) platform: Platform,
    pub(crate) serial_number: Option<String>,
    pub(crate) activation_code: Option<String>,
    pub(crate) ready: bool,
    /// The connection whose shop it joins; a shop of its own if none.
    pub(crate) joins: Option<i64>,
}

/// The data that the connections of one merchant share.
#[derive(Default)]
pub(crate) struct Organization {
    pub(crate) catalog: RwLock<Catalog>,
    pub(crate) document_codes: Mutex<DocumentCodes>,
}

/// A connection behind its lock.
pub(crate) type Shared = Arc<Mutex<Connection>>;

/// The connections by number, by serial number and by activation code.
#[derive(Default)]
struct Index {
    connections: Vec<Shared>,
    by_serial: HashMap<String, Shared>,
    by_code: HashMap<String, Shared>,
}

/// The connections of a world, and other data of their API.
pub(crate) struct Devices {
    index: RwLock<Index>,
    organizations: RwLock<HashMap<Arc<str>, Arc<Organization>>>,
    min_app_version_code: RwLock<Option<i64>>,
    faults: Faults<Call, Refusal>,
    tokens: DeviceTokens,
    signer: Signer,
    keep: Option<usize>,
    requests: AtomicU64,
}

impl Devices {
    /// Registers two connections for each merchant. Each device keeps the last `keep` of its records.
    pub(super) fn new(ids: &IdGenerator, merchants: &Merchants, keep: Option<usize>) -> Result<Self, RegistrationError> {
        let devices = Self {
            index: RwLock::default(),
            organizations: RwLock::default(),
            min_app_version_code: RwLock::default(),
            faults: Faults::default(),
            tokens: DeviceTokens::new(&ids.key(DEVICE_TOKEN_KEY)),
            signer: Signer::new(&ids.key(JWT_KEY)),
            keep,
            requests: AtomicU64::new(0),
        };
        for merchant in merchants.all() {
            let settings = &merchant.settings;
            let pos = Registration { serial_number: Some(settings.serial.clone()), ..Registration::of(Platform::Pos) };
            let code = Some(settings.activation_code.clone());
            let softpos = Registration { activation_code: code, ..Registration::of(Platform::Softpos) };
            devices.register(&merchant, pos)?;
            devices.register(&merchant, softpos)?;
        }
        Ok(devices)
    }

    /// Registers a connection. Without a name, a POS gets a new serial number and a SOFTPOS a
    /// new activation code.
    pub(crate) fn register(&self, merchant: &Merchant, registration: Registration) -> Result<Shared, RegistrationError> {
        let mut index = write(&self.index);
        let number = u32::try_from(index.connections.len()).map_err(|_| RegistrationError::TooMany)?;
        let registration = registration.named(number);
        check_free(&index.by_serial, registration.serial_number.as_deref(), "serialNumber")?;
        check_free(&index.by_code, registration.activation_code.as_deref(), "activationCode")?;
        let mut opened = open(number, merchant, registration.clone());
        if let Some(joined) = registration.joins {
            let member = Connection::number_of(joined).and_then(|number| index.connections.get(usize::try_from(number).ok()?));
            join(&mut opened, &lock(member.ok_or(RegistrationError::NoSuchShop(joined))?))?;
        }
        if let Some(known) = index.connections.first() {
            opened.settings.default_pin.clone_from(&lock(known).settings.default_pin);
        }
        let connection: Shared = Arc::new(Mutex::new(opened));
        index.connections.push(Arc::clone(&connection));
        if let Some(serial) = registration.serial_number {
            index.by_serial.insert(serial, Arc::clone(&connection));
        }
        if let Some(code) = registration.activation_code {
            index.by_code.insert(code, Arc::clone(&connection));
        }
        Ok(connection)
    }

    /// The connection that an activation names.
    pub(crate) fn named(&self, name: Name<'_>) -> Option<Shared> {
        let index = read(&self.index);
        match name {
            Name::SerialNumber(serial) => index.by_serial.get(serial).cloned(),
            Name::ActivationCode(code) => index.by_code.get(code).cloned(),
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
        read(&self.index).connections.get(usize::try_from(number).ok()?).cloned()
    }

    /// All connections, in the order they were registered.
    pub(crate) fn all(&self) -> Vec<Shared> {
        read(&self.index).connections.clone()
    }

    /// Has every connection of a shop take over what is kept per shop.
    pub(crate) fn keep_per_shop(&self, shop: u32, refund_enabled: bool) {
        for connection in self.all() {
            let mut connection = lock(&connection);
            if connection.shop == shop {
                connection.follow_shop(refund_enabled);
            }
        }
    }

    /// Has every connection take over what is kept product-wide.
    pub(crate) fn keep_product_wide(&self, default_pin: Option<&str>) {
        for connection in self.all() {
            lock(&connection).follow_product(default_pin);
        }
    }

    /// The data that the connections of a merchant share.
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
    pub(crate) const fn faults(&self) -> &Faults<Call, Refusal> {
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

    /// The number of records of each kind that a device keeps; `None`: all.
    pub(crate) const fn keep(&self) -> Option<usize> {
        self.keep
    }
}

impl Registration {
    /// One that is ready, without a name, with a shop of its own.
    pub(crate) const fn of(platform: Platform) -> Self {
        Self { platform, serial_number: None, activation_code: None, ready: true, joins: None }
    }

    /// Completes a registration without a name.
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
fn check_free(names: &HashMap<String, Shared>, name: Option<&str>, field: &'static str) -> Result<(), RegistrationError> {
    let Some((name, holder)) = name.and_then(|name| names.get_key_value(name)) else { return Ok(()) };
    if lock(holder).is_over() { Ok(()) } else { Err(RegistrationError::NameTaken { field, name: name.clone() }) }
}

/// Puts a new connection into the shop of another one.
fn join(opened: &mut Connection, member: &Connection) -> Result<(), RegistrationError> {
    if opened.merchant != member.merchant {
        return Err(RegistrationError::NoSuchShop(member.id()));
    }
    opened.shop = member.shop;
    opened.settings.refund_enabled = member.settings.refund_enabled;
    Ok(())
}

fn open(number: u32, merchant: &Merchant, registration: Registration) -> Connection {
    Connection {
        number,
        shop: number,
        merchant: merchant.id().into(),
        platform: registration.platform,
        serial_number: registration.serial_number,
        activation_code: registration.activation_code,
        registered: true,
        ready: registration.ready,
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
