//! A merchant (e-shop), its settings checked.

mod apple_pay;
mod error;
mod settings;
mod terminal_status;

pub(crate) use apple_pay::ApplePayOutcome;
pub use error::MerchantError;
pub use settings::MerchantSettings;
pub(crate) use terminal_status::TerminalStatus;

use jiff::SignedDuration;

use super::{Country, Currency, Selection, expiration};

/// A merchant, its settings read and checked.
#[derive(Debug, Clone)]
pub(crate) struct Merchant {
    /// The settings as given.
    pub(crate) settings: MerchantSettings,
    /// The default expiration.
    pub(crate) expiration: SignedDuration,
    /// The allowed methods.
    pub(crate) methods: Selection,
    /// Where results are pushed.
    pub(crate) notification_url: Option<http::Uri>,
    /// The bank outcome of Apple Pay transactions.
    pub(crate) apple_pay: Option<ApplePayOutcome>,
    /// The state of the card terminal, as set in the world.
    pub(crate) terminal_status: TerminalStatus,
}

impl Merchant {
    /// Completes and checks the settings.
    pub(crate) fn new(mut settings: MerchantSettings) -> Result<Self, MerchantError> {
        if settings.merchant.is_empty() {
            return Err(MerchantError::NoIdentifier);
        }
        settings.complete_identities();
        check_country(&settings.country)?;
        check_fee(settings.fee.as_deref())?;
        check_listed("currencies", settings.currencies.as_deref(), |code| Currency::parse(code).is_some())?;
        check_listed("countries", settings.countries.as_deref(), |code| Country::parse(code).is_some())?;
        let expiration = expiration::parse(&settings.expiration).map_err(|_| MerchantError::Expiration(settings.expiration.clone()))?;
        let methods = allowed_methods(settings.methods.as_deref())?;
        let notification_url = settings.notification_url.as_deref().map(notification_url).transpose()?;
        let apple_pay = settings.apple_pay_outcome.as_deref().map(apple_pay_outcome).transpose()?;
        let terminal_status = terminal_status(&settings.terminal_status)?;
        Ok(Self { settings, expiration, methods, notification_url, apple_pay, terminal_status })
    }

    /// The identifier.
    pub(crate) fn id(&self) -> &str {
        &self.settings.merchant
    }

    /// Whether its payments may be in this currency.
    pub(crate) fn takes_currency(&self, code: &str) -> bool {
        lists(self.settings.currencies.as_deref(), code)
    }

    /// Whether its payments may be for this country.
    pub(crate) fn takes_country(&self, code: &str) -> bool {
        lists(self.settings.countries.as_deref(), code)
    }

    /// Whether its QR payments may have this method.
    pub(crate) fn offers_by_qr(&self, method: &str) -> bool {
        lists(self.settings.qr_methods.as_deref(), method)
    }

    /// Whether the account is one of the merchant's.
    pub(crate) fn has_account(&self, account: &str) -> bool {
        self.settings.accounts.iter().any(|known| known == account)
    }

    /// The account that is paid out to when a payment names none.
    pub(crate) fn default_account(&self) -> Option<&str> {
        self.settings.accounts.first().map(String::as_str)
    }
}

/// Whether a setting that is no list, or one that names a value, allows it.
fn lists(allowed: Option<&[String]>, value: &str) -> bool {
    allowed.is_none_or(|allowed| allowed.iter().any(|one| one == value))
}

fn check_listed(setting: &'static str, values: Option<&[String]>, is_known: impl Fn(&str) -> bool) -> Result<(), MerchantError> {
    match values.unwrap_or_default().iter().find(|value| !is_known(value)) {
        None => Ok(()),
        Some(unknown) => Err(MerchantError::Listed { setting, unknown: unknown.clone() }),
    }
}

fn allowed_methods(ids: Option<&[String]>) -> Result<Selection, MerchantError> {
    let Some(ids) = ids else { return Ok(Selection::ALL) };
    if ids.is_empty() {
        return Ok(Selection::NONE);
    }
    Selection::parse(&ids.join("+")).ok_or_else(|| MerchantError::Methods(ids.to_vec()))
}

fn apple_pay_outcome(name: &str) -> Result<ApplePayOutcome, MerchantError> {
    let known = || ApplePayOutcome::ALL.iter().map(|outcome| outcome.as_str()).collect::<Vec<_>>().join(", ");
    let error = || MerchantError::ApplePayOutcome { outcome: name.to_owned(), known: known() };
    ApplePayOutcome::parse(name).ok_or_else(error)
}

fn terminal_status(name: &str) -> Result<TerminalStatus, MerchantError> {
    let known = || TerminalStatus::ALL.iter().map(|status| status.as_str()).collect::<Vec<_>>().join(", ");
    let error = || MerchantError::TerminalStatus { status: name.to_owned(), known: known() };
    TerminalStatus::parse(name).ok_or_else(error)
}

fn notification_url(text: &str) -> Result<http::Uri, MerchantError> {
    let parsed: Result<http::Uri, _> = text.parse();
    let authority = parsed.as_ref().ok().and_then(http::Uri::authority).map_or(text, http::uri::Authority::as_str);
    if authority.contains('@') {
        return Err(MerchantError::NotificationLogin);
    }
    let uri = parsed.map_err(|_| MerchantError::NotificationUrl(text.to_owned()))?;
    match (uri.scheme_str(), uri.host()) {
        (Some("http" | "https"), Some(_)) => Ok(uri),
        _ => Err(MerchantError::NotificationScheme(text.to_owned())),
    }
}

fn check_country(code: &str) -> Result<(), MerchantError> {
    let capitals = code.bytes().all(|byte| byte.is_ascii_uppercase());
    if code.len() == 2 && capitals { Ok(()) } else { Err(MerchantError::Country(code.to_owned())) }
}

/// A fee of more digits is more than any payment; one that is not deducted may be stated as `unknown`, as the status has it.
fn check_fee(fee: Option<&str>) -> Result<(), MerchantError> {
    let is_amount = |fee: &str| (1..=9).contains(&fee.len()) && fee.bytes().all(|byte| byte.is_ascii_digit());
    match fee {
        Some(fee) if fee != "unknown" && !is_amount(fee) => Err(MerchantError::Fee(fee.to_owned())),
        Some(_) | None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(change: impl FnOnce(&mut MerchantSettings)) -> Result<Merchant, MerchantError> {
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
    fn an_error_names_what_is_wrong() {
        assert!(with(|s| s.expiration = "8d".into()).unwrap_err().to_string().contains("8d"));
        assert!(with(|s| s.methods = Some(vec!["NOPE".into()])).unwrap_err().to_string().contains("NOPE"));
        assert!(with(|s| s.currencies = Some(vec!["HRK".into()])).unwrap_err().to_string().contains("`currencies` names `HRK`"));
        assert!(with(|s| s.countries = Some(vec!["cz".into()])).unwrap_err().to_string().contains("`countries` names `cz`"));
        assert!(with(|s| s.notification_url = Some("ftp://x".into())).unwrap_err().to_string().contains("http"));
        for login in ["http://u:p@x", "ftp://u:p@x", "http://u:p@[x", "u:p@x"] {
            let refused = with(|s| s.notification_url = Some(login.into())).unwrap_err().to_string();
            assert!(refused.contains("user name") && !refused.contains("u:p"), "{refused}");
        }
        assert!(with(|s| s.notification_url = Some("http://x/a@b".into())).is_ok());
        assert!(with(|s| s.apple_pay_outcome = Some("paid".into())).unwrap_err().to_string().contains("BANK-REJECT"));
        assert!(with(|s| s.terminal_status = "online".into()).unwrap_err().to_string().contains("ONLINE"));
        assert!(with(|s| s.merchant = String::new()).unwrap_err().to_string().contains("merchant"));
        assert!(with(|s| s.country = "cz".into()).unwrap_err().to_string().contains("capital"));
        assert_eq!(with(|s| s.fee = Some("12,50".into())).unwrap_err().to_string(), "fee `12,50` is not a number of minor units");
    }

    #[test]
    fn a_fee_is_a_number_of_minor_units_or_unknown() {
        let is_taken = |fee: &str| with(|s| s.fee = Some(fee.to_owned())).is_ok();
        assert!(["0", "150", "999999999", "unknown"].into_iter().all(is_taken));
        assert!(!["", "-1", "+1", "1.5", " 1", "1000000000", "99999999999999999999", "Unknown"].into_iter().any(is_taken));
    }
}
