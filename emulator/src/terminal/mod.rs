//! The card terminal of document 2: payments, refunds, its state and the closing of a batch.

pub(crate) mod core;
pub(crate) mod wire;
