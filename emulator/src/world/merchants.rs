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
        Ok(Self(RwLock::new(merchants)))
    }

    /// Finds a merchant.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<Merchant>> {
        read(&self.0).get(id).cloned()
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
