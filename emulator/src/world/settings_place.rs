//! Where in the settings of a world an error is.

use super::settings::WorldSettings;
use super::settings_error::{RegistrationError, SettingsError};
use crate::common::freedoms::FreedomError;
use crate::common::{Merchant, MerchantSettings};

/// The pointer to all merchants, for an error that is about none of them alone.
const MERCHANTS: &str = "/merchants";

impl SettingsError {
    /// The JSON Pointer to the setting that the error is about. Where two merchants share a name, it is that of the second.
    pub fn pointer(&self, settings: &WorldSettings) -> String {
        match self {
            Self::Name(_) => "/name".to_owned(),
            Self::ErrorStatus(_) => "/error-status".to_owned(),
            Self::Trust(_) => "/trust".to_owned(),
            Self::Freedom(error) => freedom(error),
            Self::Merchant(error) => refused_merchant(settings, error.setting()),
            Self::MerchantTwice(id) => second(settings, "merchant", |merchant| merchant.merchant == *id),
            Self::TerminalTwice(login) => second(settings, "terminal", |merchant| merchant.terminal == *login),
            Self::MidTwice(mid) => second(settings, "mid", |merchant| merchant.mid == *mid),
            Self::Registration(error) => registration(settings, error),
        }
    }
}

fn freedom(error: &FreedomError) -> String {
    let id = match error {
        FreedomError::Unknown { id, .. } | FreedomError::UnknownAlternative { id, .. } => id.as_str(),
        FreedomError::Seed(_) => "random",
        FreedomError::Unreadable(_) => return "/freedoms".to_owned(),
    };
    format!("/freedoms/{}", id.replace('~', "~0").replace('/', "~1"))
}

/// A setting of the first merchant whose settings are refused.
fn refused_merchant(settings: &WorldSettings, setting: &str) -> String {
    let refused = settings.merchants.iter().position(|merchant| Merchant::new(merchant.clone()).is_err());
    refused.map_or_else(|| MERCHANTS.to_owned(), |index| of_merchant(index, setting))
}

fn registration(settings: &WorldSettings, error: &RegistrationError) -> String {
    match error {
        RegistrationError::NameTaken { field: "serialNumber", name } => second(settings, "serial", |merchant| merchant.serial == *name),
        RegistrationError::NameTaken { name, .. } => second(settings, "activation-code", |merchant| merchant.activation_code == *name),
        RegistrationError::TooMany | RegistrationError::NoSuchShop(_) => MERCHANTS.to_owned(),
    }
}

/// A setting of the second merchant that has a name, whether it was given or is derived from the identifier.
fn second(settings: &WorldSettings, setting: &str, has_it: impl Fn(&MerchantSettings) -> bool) -> String {
    let having = settings.merchants.iter().enumerate().filter(|(_, merchant)| has_it(&(*merchant).clone().with_identities()));
    having.map(|(index, _)| index).nth(1).map_or_else(|| MERCHANTS.to_owned(), |index| of_merchant(index, setting))
}

fn of_merchant(index: usize, setting: &str) -> String {
    format!("{MERCHANTS}/{index}/{setting}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::freedoms::{FreedomSettings, Freedoms};
    use crate::world::merchants::Merchants;

    fn three(change: impl FnOnce(&mut [MerchantSettings; 3])) -> WorldSettings {
        let mut merchants = ["1", "2", "3"].map(MerchantSettings::named);
        change(&mut merchants);
        WorldSettings { merchants: merchants.to_vec(), ..WorldSettings::default() }
    }

    #[test]
    fn an_error_of_a_merchant_leads_to_its_setting() {
        let place = |change: fn(&mut [MerchantSettings; 3])| {
            let settings = three(change);
            Merchants::new(&settings.merchants).unwrap_err().pointer(&settings)
        };
        assert_eq!(place(|all| all[2].merchant = "1".to_owned()), "/merchants/2/merchant");
        assert_eq!(place(|all| all[1].terminal = "T1".to_owned()), "/merchants/1/terminal");
        assert_eq!(place(|all| all[0].mid = "M3".to_owned()), "/merchants/2/mid");
        assert_eq!(place(|all| all[1].country = "cz".to_owned()), "/merchants/1/country");
        assert_eq!(place(|all| all[2].currencies = Some(vec!["HRK".to_owned()])), "/merchants/2/currencies");
        assert_eq!(place(|all| all[1].notification_url = Some("http://u:p@x".to_owned())), "/merchants/1/notification-url");
    }

    #[test]
    fn an_error_of_the_world_leads_to_its_setting() {
        let settings = WorldSettings::default();
        assert_eq!(SettingsError::ErrorStatus(99).pointer(&settings), "/error-status");
        let refused: FreedomSettings = serde_json::from_value(serde_json::json!({ "a/b": "c" })).unwrap();
        assert_eq!(SettingsError::from(Freedoms::choose(&refused).unwrap_err()).pointer(&settings), "/freedoms/a~1b");
        let taken = RegistrationError::NameTaken { field: "serialNumber", name: "SN1".to_owned() };
        assert_eq!(SettingsError::from(taken).pointer(&three(|all| all[2].serial = "SN1".to_owned())), "/merchants/2/serial");
    }
}
