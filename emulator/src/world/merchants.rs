//! The merchants of a world. Their settings may change while it runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, RwLock};

use crate::gateway::core::Merchant;
use crate::gateway::core::merchant::MerchantSettings;
use crate::sync::{read, write};

/// Merchants by their identifier.
#[derive(Debug)]
pub(crate) struct Merchants(RwLock<BTreeMap<String, Arc<Merchant>>>);

/// A token of the QR payment API is bound to one merchant.
fn check_mids(merchants: &BTreeMap<String, Arc<Merchant>>) -> Result<(), String> {
    let mut mids = BTreeSet::new();
    match merchants.values().find(|merchant| !mids.insert(merchant.settings.mid.as_str())) {
        None => Ok(()),
        Some(second) => Err(format!("two merchants have the mid {}: give them mids of their own", second.settings.mid)),
    }
}

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
        check_mids(&merchants)?;
        Ok(Self(RwLock::new(merchants)))
    }

    /// Finds a merchant.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<Merchant>> {
        read(&self.0).get(id).cloned()
    }

    /// All of them.
    pub(super) fn all(&self) -> Vec<Arc<Merchant>> {
        read(&self.0).values().cloned().collect()
    }

    /// Finds the first merchant that `wanted` holds for.
    pub(crate) fn find_by(&self, wanted: impl Fn(&Merchant) -> bool) -> Option<Arc<Merchant>> {
        read(&self.0).values().find(|merchant| wanted(merchant)).cloned()
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
