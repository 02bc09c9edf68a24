//! The merchants of a world. Their settings may change while it runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, RwLock};

use crate::base::sync::{read, write};
use crate::common::{Merchant, MerchantSettings};
use crate::world::SettingsError;

/// Merchants by their identifier.
#[derive(Debug)]
pub(crate) struct Merchants(RwLock<BTreeMap<String, Arc<Merchant>>>);

/// A token of the QR payment API is bound to one merchant.
fn check_mids(merchants: &BTreeMap<String, Arc<Merchant>>) -> Result<(), SettingsError> {
    let mut mids = BTreeSet::new();
    match merchants.values().find(|merchant| !mids.insert(merchant.settings.mid.as_str())) {
        None => Ok(()),
        Some(second) => Err(SettingsError::MidTwice(second.settings.mid.clone())),
    }
}

impl Merchants {
    /// Checks their settings.
    pub(super) fn new(settings: &[MerchantSettings]) -> Result<Self, SettingsError> {
        let mut merchants = BTreeMap::new();
        for settings in settings {
            let merchant = Merchant::new(settings.clone())?;
            if merchants.insert(settings.merchant.clone(), Arc::new(merchant)).is_some() {
                return Err(SettingsError::MerchantTwice(settings.merchant.clone()));
            }
        }
        let mut logins: Vec<_> = merchants.values().map(|merchant| merchant.settings.terminal.as_str()).collect();
        logins.sort_unstable();
        if let Some([login, _]) = logins.array_windows().find(|[one, other]| one == other) {
            return Err(SettingsError::TerminalTwice((*login).to_owned()));
        }
        check_mids(&merchants)?;
        Ok(Self(RwLock::new(merchants)))
    }

    /// Finds a merchant.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<Merchant>> {
        read(&self.0).get(id).cloned()
    }

    /// Finds the merchant whose terminal has this login.
    pub(crate) fn find_by_terminal(&self, login: &str) -> Option<Arc<Merchant>> {
        let merchants = read(&self.0);
        let has_it = |merchant: &&Arc<Merchant>| merchant.settings.terminal == login;
        // By default the login holds the identifier of the merchant.
        let by_default = login.strip_prefix('T').and_then(|id| merchants.get(id)).filter(has_it);
        by_default.or_else(|| merchants.values().find(has_it)).cloned()
    }

    /// All merchants.
    pub(super) fn all(&self) -> Vec<Arc<Merchant>> {
        read(&self.0).values().cloned().collect()
    }

    /// Finds the first merchant that `wanted` holds for.
    pub(crate) fn find_where(&self, wanted: impl Fn(&Merchant) -> bool) -> Option<Arc<Merchant>> {
        read(&self.0).values().find(|merchant| wanted(merchant)).cloned()
    }

    /// Replaces a merchant.
    pub(crate) fn change(&self, merchant: Merchant) {
        write(&self.0).insert(merchant.id().to_owned(), Arc::new(merchant));
    }

    /// Their identifiers.
    pub(crate) fn ids(&self) -> Vec<String> {
        read(&self.0).keys().cloned().collect()
    }
}
