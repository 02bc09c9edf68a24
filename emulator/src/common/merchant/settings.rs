//! The settings of a merchant in the portal.

use std::iter;

use serde::de::value::{Error as ValueError, MapDeserializer};
use serde::{Deserialize, Serialize};

use super::terminal_status::TerminalStatus;

/// What the portal knows about a merchant. All but the identifier has a default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MerchantSettings {
    /// Merchant (e-shop) identifier.
    pub merchant: String,
    /// Password of the background communication; omitted: `secret-` and the identifier.
    #[serde(default)]
    pub secret: String,
    /// Where payment results are pushed; `null`: nowhere.
    #[serde(default)]
    pub notification_url: Option<String>,
    /// Addresses that get an e-mail about notifications that couldn't be delivered.
    #[serde(default)]
    pub contact_emails: Vec<String>,
    /// Whether payments may be created in the background (`prepareOnly=true`).
    #[serde(default = "yes")]
    pub background_creation: bool,
    /// Whether payments may be created by redirect.
    #[serde(default = "yes")]
    pub redirect_creation: bool,
    /// Whether recurring payments are enabled.
    #[serde(default = "yes")]
    pub recurring: bool,
    /// Whether pre-authorizations are enabled.
    #[serde(default = "yes")]
    pub preauth: bool,
    /// How long a payment waits for its payer if creation doesn't say: an integer and m, h or d.
    #[serde(default = "one_day")]
    pub expiration: String,
    /// The allowed payment methods; `null`: all.
    #[serde(default)]
    pub methods: Option<Vec<String>>,
    /// The currencies of its payments, in every API; `null`: all.
    #[serde(default)]
    pub currencies: Option<Vec<String>>,
    /// The values of `country` that its payments may have; `null`: all.
    #[serde(default)]
    pub countries: Option<Vec<String>>,
    /// Whether 3D Secure can be managed per payment.
    #[serde(default = "yes", rename = "3ds")]
    pub three_ds: bool,
    /// Identifiers of the bank accounts to pay out to, the default one first.
    #[serde(default)]
    pub accounts: Vec<String>,
    /// Fee of a transaction in minor units, if fees are deducted automatically; else `null` or `unknown`.
    #[serde(default)]
    pub fee: Option<String>,
    /// Whether fees of unregulated cards may be passed on to the payer.
    #[serde(default = "yes")]
    pub unregulated_card_fees: bool,
    /// The `applepay` of v1.0 creation responses, which carry it only when it is set here.
    #[serde(default)]
    pub apple_pay_outcome: Option<String>,
    /// The `applepayMessage` beside it; omitted: the outcome in a sentence.
    #[serde(default)]
    pub apple_pay_message: Option<String>,
    /// Login of the card terminal; omitted: `T` and the identifier.
    #[serde(default)]
    pub terminal: String,
    /// Its password; omitted: `secret-` and the login.
    #[serde(default)]
    pub terminal_secret: String,
    /// Its state: ONLINE, OFFLINE, BUSY or UNKNOWN.
    #[serde(default = "online")]
    pub terminal_status: String,
    /// Merchant identifier of the QR payment API; omitted: `M` and the identifier.
    #[serde(default)]
    pub mid: String,
    /// Its terminal for QR payments; omitted: `Q` and the identifier.
    #[serde(default)]
    pub qr_terminal: String,
    /// User of the QR payment API; omitted: `qr-` and the identifier.
    #[serde(default)]
    pub qr_user: String,
    /// The user's password; omitted: `secret-` and the user.
    #[serde(default)]
    pub qr_password: String,
    /// Whether the terminal is a test terminal, whose QR payments and refunds finish by themselves.
    #[serde(default = "yes")]
    pub qr_test: bool,
    /// Why its QR payments are rejected at once; omitted: they are not.
    #[serde(default)]
    pub qr_rejects: Option<String>,
    /// The methods of its QR payments; `null`: all.
    #[serde(default)]
    pub qr_methods: Option<Vec<String>>,
    /// Where the merchant is established: ISO 3166-1 alpha-2.
    #[serde(default = "czechia")]
    pub country: String,
    /// User of device activation; omitted: `device-` and the identifier.
    #[serde(default)]
    pub device_user: String,
    /// The user's password; omitted: `secret-` and the user.
    #[serde(default)]
    pub device_password: String,
    /// Serial number of the POS terminal of the first shop connection; omitted: `SN` and the identifier.
    #[serde(default)]
    pub serial: String,
    /// Activation code of the first SOFTPOS connection; omitted: `AC` and the identifier.
    #[serde(default)]
    pub activation_code: String,
}

fn yes() -> bool {
    true
}

fn one_day() -> String {
    "1d".to_owned()
}

fn online() -> String {
    TerminalStatus::Online.as_str().to_owned()
}

fn czechia() -> String {
    "CZ".to_owned()
}

impl MerchantSettings {
    /// A merchant with the default settings: everything is enabled.
    pub fn named(merchant: &str) -> Self {
        let name_alone = MapDeserializer::<_, ValueError>::new(iter::once(("merchant", merchant)));
        let settings = Self::deserialize(name_alone).unwrap_or_else(|error| unreachable!("all else has a default: {error}"));
        settings.with_identities()
    }

    /// The same settings with every name and password: one that was not given is derived from the identifier.
    #[must_use]
    pub fn with_identities(mut self) -> Self {
        self.complete_identities();
        self
    }

    /// Derives the names and passwords that were not given from the identifier.
    pub(super) fn complete_identities(&mut self) {
        let id = &self.merchant;
        fill(&mut self.secret, || format!("secret-{id}"));
        fill(&mut self.terminal, || format!("T{id}"));
        fill(&mut self.terminal_secret, || format!("secret-{}", self.terminal));
        fill(&mut self.mid, || format!("M{id}"));
        fill(&mut self.qr_terminal, || format!("Q{id}"));
        fill(&mut self.qr_user, || format!("qr-{id}"));
        fill(&mut self.qr_password, || format!("secret-{}", self.qr_user));
        fill(&mut self.device_user, || format!("device-{id}"));
        fill(&mut self.device_password, || format!("secret-{}", self.device_user));
        fill(&mut self.serial, || format!("SN{id}"));
        fill(&mut self.activation_code, || format!("AC{id}"));
    }
}

fn fill(name: &mut String, default: impl FnOnce() -> String) {
    if name.is_empty() {
        *name = default();
    }
}
