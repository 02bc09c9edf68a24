//! Refunds that were made.

use jiff::Timestamp;

/// A refund that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refunded {
    /// Minor units.
    pub(crate) amount: i64,
    /// The merchant's reference.
    pub(crate) ref_id: String,
    /// When.
    pub(crate) at: Timestamp,
}

/// What was refunded altogether, in minor units.
pub(crate) fn total(refunds: &[Refunded]) -> i64 {
    refunds.iter().map(|refund| refund.amount).sum()
}
