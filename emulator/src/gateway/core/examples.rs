//! A valid merchant, request and payment, for tests to change.

use std::sync::Arc;

use jiff::Timestamp;

use super::creation::Mode;
use super::merchant::MerchantSettings;
use super::{Creation, Interface, Merchant, Minted, Payment, TransId, create};

pub(crate) fn merchant_with(change: impl FnOnce(&mut MerchantSettings)) -> Arc<Merchant> {
    let mut settings = MerchantSettings { accounts: vec!["main".into()], ..MerchantSettings::named("100001") };
    change(&mut settings);
    Arc::new(Merchant::new(settings).unwrap())
}

pub(crate) fn merchant() -> Arc<Merchant> {
    merchant_with(|_| ())
}

pub(crate) fn creation() -> Creation<'static> {
    Creation {
        mode: Mode::Background,
        price: Some(10_000),
        curr: Some("CZK"),
        label: Some("Shoes"),
        ref_id: Some("2026001"),
        method: Some("ALL"),
        email: Some("jan@example.com"),
        phone: Some("+420777123456"),
        full_name: Some("Jan Novák"),
        ..Creation::default()
    }
}

pub(crate) fn noon() -> Timestamp {
    "2026-01-15T12:00:00Z".parse().unwrap()
}

pub(crate) fn payment_of(request: &Creation<'_>) -> Payment {
    let minted = Minted { id: TransId::from_random(7), variable_symbol: 42, sequence: 0 };
    create(request, Interface::V2, &merchant(), minted, noon()).unwrap()
}
