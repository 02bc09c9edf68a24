//! The merchants of a world. Their settings may change while it runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, RwLock};

use crate::base::sync::{read, write};
use crate::common::{Merchant, MerchantSettings};
use crate::world::SettingsError;

/// Merchants by their identifier.
#[derive(Debug)]
pub(crate) struct Merchants(RwLock<BTreeMap<String, Arc<Merchant>>>);

/// A terminal belongs to one merchant, and a token of the QR payment API is bound to one.
fn check_unique(merchants: &BTreeMap<String, Arc<Merchant>>) -> Result<(), SettingsError> {
    if let Some(login) = first_repeated(merchants, |settings| &settings.terminal) {
        return Err(SettingsError::TerminalTwice(login));
    }
    first_repeated(merchants, |settings| &settings.mid).map_or(Ok(()), |mid| Err(SettingsError::MidTwice(mid)))
}

/// A name that two merchants have, if there is one.
fn first_repeated(merchants: &BTreeMap<String, Arc<Merchant>>, name: fn(&MerchantSettings) -> &String) -> Option<String> {
    let mut names = BTreeSet::new();
    merchants.values().map(|merchant| name(&merchant.settings)).find(|name| !names.insert(*name)).cloned()
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
        check_unique(&merchants)?;
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

    /// Changes a merchant. `change` makes its new settings from the present ones, which may be newer than those of `merchant`.
    pub(crate) fn change<E: From<SettingsError>>(
        &self,
        merchant: &Merchant,
        change: impl FnOnce(&MerchantSettings) -> Result<MerchantSettings, E>,
    ) -> Result<(), E> {
        let mut merchants = write(&self.0);
        let present = merchants.get(merchant.id()).map_or(&merchant.settings, |present| &present.settings);
        let changed = Merchant::new(change(present)?).map_err(SettingsError::from)?;
        let mut all = merchants.clone();
        all.insert(changed.id().to_owned(), Arc::new(changed));
        check_unique(&all)?;
        *merchants = all;
        Ok(())
    }

    /// Their identifiers.
    pub(crate) fn ids(&self) -> Vec<String> {
        read(&self.0).keys().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_builds_on_the_one_before_and_takes_no_name_of_another_merchant() {
        let merchants = Merchants::new(&["100001", "200002"].map(MerchantSettings::named)).unwrap();
        let found = merchants.find("100001").unwrap();
        let change = |change: fn(&mut MerchantSettings)| {
            merchants.change::<SettingsError>(&found, |present| {
                let mut settings = present.clone();
                change(&mut settings);
                Ok(settings)
            })
        };
        assert_eq!(change(|settings| settings.terminal = "T200002".to_owned()), Err(SettingsError::TerminalTwice("T200002".to_owned())));
        assert_eq!(change(|settings| settings.mid = "M200002".to_owned()), Err(SettingsError::MidTwice("M200002".to_owned())));
        assert_eq!(merchants.find("100001").unwrap().settings, found.settings, "what is refused changes nothing");
        change(|settings| settings.recurring = false).unwrap();
        change(|settings| settings.preauth = false).unwrap();
        let changed = merchants.find("100001").unwrap();
        assert!(!changed.settings.recurring && !changed.settings.preauth);
    }
}
