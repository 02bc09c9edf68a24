//! The identifiers of a new payment.

use super::TransId;

/// The identifiers drawn for a new payment or terminal transaction, and its place in the order of creation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Identifiers {
    /// The payment code.
    pub(crate) id: TransId,
    /// Ten digits at most.
    pub(crate) variable_symbol: u32,
    /// Counts the payments of a world.
    pub(crate) sequence: u64,
}
