//! A refund of a PAID payment.

use jiff::Timestamp;

use super::Violation;
use crate::base::wire_enum::wire_enum;
use crate::common::TransId;

wire_enum! {
    /// The state of a refund.
    pub(crate) enum RefundStatus {
        /// In processing.
        Pending = "PENDING",
        /// The money was sent back.
        Refunded = "REFUNDED",
        /// Rejected or cancelled.
        Cancelled = "CANCELLED",
    }
}

/// The amount of a test refund that ends CANCELLED, in minor units.
const TEST_REJECTED: i64 = 1;

/// A refund, from its creation on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QrRefund {
    /// `transRefundId`.
    pub(crate) id: TransId,
    /// The merchant's reference.
    pub(crate) ref_id: Option<String>,
    /// Minor units.
    pub(crate) amount: i64,
    /// When a test refund ends by itself.
    pub(super) settles: Option<Timestamp>,
    /// Its state.
    pub(crate) status: RefundStatus,
}

impl QrRefund {
    /// Brings it up to date: "an amount of 1 minor unit ends CANCELLED, any other amount ends REFUNDED".
    pub(super) fn update(&mut self, now: Timestamp) {
        if self.next_change().is_some_and(|at| at <= now) {
            self.status = if self.amount == TEST_REJECTED { RefundStatus::Cancelled } else { RefundStatus::Refunded };
        }
    }

    /// When time changes it next.
    pub(super) fn next_change(&self) -> Option<Timestamp> {
        self.settles.filter(|_| self.status == RefundStatus::Pending)
    }

    /// The bank decides.
    pub(crate) fn decide(&mut self, status: RefundStatus) -> Result<(), Violation> {
        if self.status != RefundStatus::Pending {
            return Err(Violation::RefundFinal);
        }
        self.status = status;
        Ok(())
    }
}

/// What was sent back, or may still be, in minor units. A cancelled refund gave nothing back.
pub(super) fn given_back(refunds: &[QrRefund]) -> i64 {
    refunds.iter().filter(|refund| refund.status != RefundStatus::Cancelled).map(|refund| refund.amount).sum()
}
