//! The QR payment API (1.0): a pure core and its wire.

pub(crate) mod core;
pub(crate) mod wire;
