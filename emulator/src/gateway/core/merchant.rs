//! A merchant (e-shop) and its settings in the portal.

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use super::expiration;
use super::method::Selection;
use crate::terminal::core::TerminalStatus;
use crate::words::words;

words! {
    /// "Bank outcome of an Apple Pay transaction."
    pub enum ApplePayOutcome {
        Paid = "PAID",
        Pending = "PENDING",
        Failed = "FAILED",
        BankReject = "BANK-REJECT",
    }
}

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
    /// Who is told about notifications that couldn't be delivered.
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
    /// Whether 3D Secure can be managed per payment.
    #[serde(default = "yes", rename = "3ds")]
    pub three_ds: bool,
    /// Identifiers of the bank accounts to pay out to, the default one first.
    #[serde(default)]
    pub accounts: Vec<String>,
    /// Fee of a transaction in minor units, if fees are deducted automatically.
    #[serde(default)]
    pub fee: Option<String>,
    /// Whether fees of unregulated cards may be passed on to the payer.
    #[serde(default = "yes")]
    pub unregulated_card_fees: bool,
    /// The `applepay` of v1.0 creation answers, which carry it only when it is set here.
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
    TerminalStatus::Online.word().to_owned()
}

fn czechia() -> String {
    "CZ".to_owned()
}

impl MerchantSettings {
    /// A merchant with the default settings, who may do everything.
    pub fn named(merchant: &str) -> Self {
        let mut settings = Self {
            merchant: merchant.to_owned(),
            secret: format!("secret-{merchant}"),
            notification_url: None,
            contact_emails: Vec::new(),
            background_creation: true,
            redirect_creation: true,
            recurring: true,
            preauth: true,
            expiration: one_day(),
            methods: None,
            three_ds: true,
            accounts: Vec::new(),
            fee: None,
            unregulated_card_fees: true,
            apple_pay_outcome: None,
            apple_pay_message: None,
            terminal: String::new(),
            terminal_secret: String::new(),
            terminal_status: online(),
            mid: String::new(),
            qr_terminal: String::new(),
            qr_user: String::new(),
            qr_password: String::new(),
            qr_test: true,
            country: czechia(),
            device_user: String::new(),
            device_password: String::new(),
            serial: String::new(),
            activation_code: String::new(),
        };
        settings.complete_identities();
        settings
    }
}

/// A merchant, its settings read and checked.
#[derive(Debug, Clone)]
pub struct Merchant {
    /// The settings as given.
    pub settings: MerchantSettings,
    /// The default expiration.
    pub expiration: SignedDuration,
    /// The allowed methods.
    pub methods: Selection,
    /// Where results are pushed.
    pub notification_url: Option<http::Uri>,
    /// What the bank says to Apple Pay.
    pub apple_pay: Option<ApplePayOutcome>,
    /// The state of the card terminal, as the world tells it.
    pub terminal_status: TerminalStatus,
}

impl Merchant {
    /// Checks the settings; the error is a sentence that says what to do.
    pub fn new(mut settings: MerchantSettings) -> Result<Self, String> {
        if settings.merchant.is_empty() {
            return Err("a merchant needs an identifier: fill `merchant`".to_owned());
        }
        settings.complete_identities();
        settings.check_identities()?;
        let expiration = expiration::parse(&settings.expiration)
            .map_err(|_| format!("expiration `{}` is not between 30m and 7d, in m, h or d", settings.expiration))?;
        let methods = allowed_methods(settings.methods.as_deref())?;
        let notification_url = settings.notification_url.as_deref().map(notification_url).transpose()?;
        let apple_pay = settings.apple_pay_outcome.as_deref().map(apple_pay_outcome).transpose()?;
        let terminal_status = terminal_status(&settings.terminal_status)?;
        Ok(Self { settings, expiration, methods, notification_url, apple_pay, terminal_status })
    }

    /// The identifier.
    pub fn id(&self) -> &str {
        &self.settings.merchant
    }

    /// Whether the account is one of the merchant's.
    pub fn has_account(&self, account: &str) -> bool {
        self.settings.accounts.iter().any(|known| known == account)
    }

    /// The account that is paid out to when a payment names none.
    pub fn default_account(&self) -> Option<&str> {
        self.settings.accounts.first().map(String::as_str)
    }
}

fn allowed_methods(ids: Option<&[String]>) -> Result<Selection, String> {
    let Some(ids) = ids else { return Ok(Selection::ALL) };
    if ids.is_empty() {
        return Ok(Selection::NONE);
    }
    Selection::parse(&ids.join("+")).map_err(|_| format!("`methods` names an unknown method: {}", ids.join(", ")))
}

fn apple_pay_outcome(word: &str) -> Result<ApplePayOutcome, String> {
    let known = || ApplePayOutcome::ALL.iter().map(|outcome| outcome.word()).collect::<Vec<_>>().join(", ");
    ApplePayOutcome::parse(word).ok_or_else(|| format!("apple-pay-outcome `{word}` is none of {}", known()))
}

fn terminal_status(word: &str) -> Result<TerminalStatus, String> {
    let known = || TerminalStatus::ALL.iter().map(|status| status.word()).collect::<Vec<_>>().join(", ");
    TerminalStatus::parse(word).ok_or_else(|| format!("terminal-status `{word}` is none of {}", known()))
}

fn notification_url(text: &str) -> Result<http::Uri, String> {
    let uri: http::Uri = text.parse().map_err(|_| format!("notification-url `{text}` is not a URL"))?;
    match (uri.scheme_str(), uri.host()) {
        (Some("http" | "https"), Some(_)) => Ok(uri),
        _ => Err(format!("notification-url `{text}` is not an absolute http or https URL")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(change: impl FnOnce(&mut MerchantSettings)) -> Result<Merchant, String> {
        let mut settings = MerchantSettings::named("100001");
        change(&mut settings);
        Merchant::new(settings)
    }

    #[test]
    fn the_defaults_are_those_of_an_empty_description() {
        let read: MerchantSettings = serde_json::from_str(r#"{"merchant":"100001"}"#).unwrap();
        assert_eq!(Merchant::new(read).unwrap().settings, MerchantSettings::named("100001"));
    }

    #[test]
    fn settings_that_make_no_sense_are_refused_with_a_sentence() {
        assert!(with(|s| s.expiration = "8d".into()).unwrap_err().contains("8d"));
        assert!(with(|s| s.methods = Some(vec!["NOPE".into()])).unwrap_err().contains("NOPE"));
        assert!(with(|s| s.notification_url = Some("ftp://x".into())).unwrap_err().contains("http"));
        assert!(with(|s| s.apple_pay_outcome = Some("paid".into())).unwrap_err().contains("BANK-REJECT"));
        assert!(with(|s| s.terminal_status = "online".into()).unwrap_err().contains("ONLINE"));
        assert!(with(|s| s.merchant = String::new()).unwrap_err().contains("merchant"));
        assert!(with(|s| s.country = "cz".into()).unwrap_err().contains("capital"));
    }
}
