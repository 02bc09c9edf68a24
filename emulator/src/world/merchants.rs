//! The merchants of a world. Their settings may change while it runs.

use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};

use crate::gateway::core::Merchant;
use crate::gateway::core::merchant::MerchantSettings;
use crate::sync::{read, write};

/// Merchants by their identifier.
#[derive(Debug)]
pub(crate) struct Merchants(RwLock<BTreeMap<String, Arc<Merchant>>>);

impl Merchants {
    /// Checks their settings.
    pub(super) fn new(settings: &[MerchantSettings]) -> Result<Self, String> {
        let mut merchants = BTreeMap::new();
        for settings in settings {
            let merchant = Merchant::new(settings.clone())?;
            if merchants.insert(settings.merchant.clone(), Arc::new(merchant)).is_some() {
                return Err(format!("the merchant {} is described twice", settings.merchant));
            }
        }
        let mut logins: Vec<_> = merchants.values().map(|merchant| merchant.settings.terminal.as_str()).collect();
        logins.sort_unstable();
        if let Some([login, _]) = logins.array_windows().find(|[one, other]| one == other) {
            return Err(format!("two merchants have a terminal {login}: give them logins of their own"));
        }
        Ok(Self(RwLock::new(merchants)))
    }

    /// Finds a merchant.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<Merchant>> {
        read(&self.0).get(id).cloned()
    }

    /// Finds the merchant whose terminal has this login.
    pub(crate) fn of_terminal(&self, login: &str) -> Option<Arc<Merchant>> {
        let merchants = read(&self.0);
        let has_it = |merchant: &&Arc<Merchant>| merchant.settings.terminal == login;
        // By default the login tells the merchant.
        let by_default = login.strip_prefix('T').and_then(|id| merchants.get(id)).filter(has_it);
        by_default.or_else(|| merchants.values().find(has_it)).cloned()
    }

    /// Puts other settings in place of a merchant's.
    pub(crate) fn change(&self, merchant: Merchant) {
        write(&self.0).insert(merchant.id().to_owned(), Arc::new(merchant));
    }

    /// Their identifiers.
    pub(crate) fn ids(&self) -> Vec<String> {
        read(&self.0).keys().cloned().collect()
    }
}
