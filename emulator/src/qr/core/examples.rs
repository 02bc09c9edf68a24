//! A valid merchant, request and payment, for tests to change.

use std::sync::Arc;

use jiff::SignedDuration;

use super::{Creation, QrPayment};
use crate::common::examples::merchant_with;
use crate::common::{Identifiers, Merchant, TransId};

pub(crate) use crate::common::examples::noon;

pub(crate) fn seconds(count: i64) -> SignedDuration {
    SignedDuration::from_secs(count)
}

pub(crate) fn merchant(test: bool) -> Arc<Merchant> {
    merchant_with(|settings| settings.qr_test = test)
}

pub(crate) fn ids() -> Identifiers {
    Identifiers { id: TransId::from_random(7), variable_symbol: 42, sequence: 0 }
}

pub(crate) fn creation() -> Creation<'static> {
    Creation {
        merchant_id: Some("M100001"),
        terminal_id: Some("Q100001"),
        ref_id: Some("2026001"),
        amount: Some(10_000),
        currency: Some("CZK"),
        method: Some("BANK_CZ_T_OTHER"),
        created: None,
        variable_symbol: None,
        symbol_in_characters: false,
    }
}

pub(crate) fn payment_of(request: &Creation<'_>, test: bool) -> QrPayment {
    request.apply(&merchant(test), seconds(900), ids(), noon()).unwrap()
}

pub(crate) fn real_payment() -> QrPayment {
    payment_of(&creation(), false)
}

pub(crate) fn test_payment() -> QrPayment {
    payment_of(&creation(), true)
}
