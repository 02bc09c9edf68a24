//! The status API: outages and the health of the gateway.

pub(crate) mod core;
pub(crate) mod wire;
