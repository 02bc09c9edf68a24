//! A valid merchant and a time, for tests to change.

use std::sync::Arc;

use jiff::Timestamp;

use super::{Merchant, MerchantSettings};

pub(crate) fn merchant_with(change: impl FnOnce(&mut MerchantSettings)) -> Arc<Merchant> {
    let mut settings = MerchantSettings { accounts: vec!["main".into()], ..MerchantSettings::named("100001") };
    change(&mut settings);
    Arc::new(Merchant::new(settings).unwrap())
}

pub(crate) fn merchant() -> Arc<Merchant> {
    merchant_with(|_| ())
}

pub(crate) fn noon() -> Timestamp {
    "2026-01-15T12:00:00Z".parse().unwrap()
}
