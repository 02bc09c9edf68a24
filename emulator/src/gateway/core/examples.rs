//! A valid request and payment, for tests to change.

use super::creation::Mode;
use super::{Creation, Interface, Payment, create};
use crate::common::examples::{merchant, noon};
use crate::common::{Identifiers, TransId};

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

pub(crate) fn payment_of(request: &Creation<'_>) -> Payment {
    let ids = Identifiers { id: TransId::from_random(7), variable_symbol: 42, sequence: 0 };
    create(request, Interface::V2, &merchant(), ids, noon()).unwrap()
}
