//! A payment and its states.

use std::sync::Arc;

use jiff::Timestamp;

use super::receipt::Receipt;
use super::refunded::Refunded;
use super::{Order, Reason, Violation};
use crate::common::{Identifiers, Merchant, TransId};

/// The interface version a payment was created through; its notifications are of the same style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interface {
    /// Forms.
    V1,
    /// JSON.
    V2,
}

/// The state of a payment, and what exists only in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    /// Created, the final result unknown.
    Pending,
    /// The amount is reserved on the card.
    Authorized {
        /// How it was reserved.
        receipt: Box<Receipt>,
    },
    /// Money was taken.
    Paid {
        /// How it was paid.
        receipt: Box<Receipt>,
        /// Minor units taken: the price, or less after a partial capture.
        taken: i64,
        /// The refunds, in order.
        refunds: Vec<Refunded>,
    },
    /// Nothing was, or will be, paid.
    Cancelled {
        /// The reason.
        reason: Reason,
    },
}

impl State {
    /// The name in the document.
    pub(crate) const fn as_str(&self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Authorized { .. } => "AUTHORIZED",
            Self::Paid { .. } => "PAID",
            Self::Cancelled { .. } => "CANCELLED",
        }
    }
}

/// The effects of a change of a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// The wait for the payer is over.
    StopWaiting,
    /// The merchant is notified of the new state.
    Notify,
    /// The payment has reached its final state.
    Finish,
}

/// What follows a payment that was completed in any way.
pub(super) const COMPLETED: &[Effect] = &[Effect::StopWaiting, Effect::Notify, Effect::Finish];
/// What follows a pre-authorization.
pub(super) const AUTHORIZED: &[Effect] = &[Effect::StopWaiting, Effect::Notify];
/// What follows the end of a pre-authorization, whose payer is gone.
pub(super) const FINISHED: &[Effect] = &[Effect::Notify, Effect::Finish];
/// What follows when nothing changed that others have to know.
pub(crate) const NOTHING: &[Effect] = &[];

/// A payment, from its creation on.
#[derive(Debug, Clone)]
pub(crate) struct Payment {
    /// The payment code.
    pub(crate) id: TransId,
    /// Its place in the order of creation.
    pub(crate) sequence: u64,
    /// Variable symbol.
    pub(crate) variable_symbol: u32,
    /// The merchant as it was at creation.
    pub(crate) merchant: Arc<Merchant>,
    /// The interface it was created through.
    pub(crate) interface: Interface,
    /// The order.
    pub(crate) order: Order,
    /// When it was created.
    pub(crate) created: Timestamp,
    /// Its state.
    pub(crate) state: State,
    /// Whether what was reserved has been captured or released although it still reads AUTHORIZED.
    pub(crate) settled: bool,
}

impl Payment {
    pub(crate) fn new(order: Order, interface: Interface, merchant: Arc<Merchant>, ids: Identifiers, now: Timestamp) -> Self {
        Self {
            id: ids.id,
            sequence: ids.sequence,
            variable_symbol: ids.variable_symbol,
            merchant,
            interface,
            order,
            created: now,
            state: State::Pending,
            settled: false,
        }
    }

    /// The end of its wait for the payer.
    pub(crate) fn expires(&self) -> Timestamp {
        self.created.saturating_add(self.order.expiration).unwrap_or(Timestamp::MAX)
    }

    /// Whether the merchant may see and change it.
    pub(crate) fn belongs_to(&self, merchant: &str) -> bool {
        self.merchant.id() == merchant
    }

    /// The receipt, once the payer has paid.
    pub(crate) const fn receipt_if_any(&self) -> Option<&Receipt> {
        match &self.state {
            State::Authorized { receipt } | State::Paid { receipt, .. } => Some(receipt),
            State::Pending | State::Cancelled { .. } => None,
        }
    }

    /// Why it was cancelled, if it was.
    pub(crate) const fn error_reason(&self) -> Option<Reason> {
        match self.state {
            State::Cancelled { reason } => Some(reason),
            State::Pending | State::Authorized { .. } | State::Paid { .. } => None,
        }
    }

    /// The account that is paid out to.
    pub(crate) fn account(&self) -> Option<&str> {
        self.order.account.as_deref().or_else(|| self.merchant.default_account())
    }

    /// The number of movements of its money so far: it was taken, then refunded in parts. Money of a test payment never moves.
    pub(crate) const fn movements(&self) -> usize {
        match &self.state {
            State::Paid { refunds, .. } if !self.order.test => 1 + refunds.len(),
            State::Paid { .. } | State::Pending | State::Authorized { .. } | State::Cancelled { .. } => 0,
        }
    }

    /// Cancels a pending payment whose time is over.
    pub(crate) fn expire(&mut self, now: Timestamp) -> &'static [Effect] {
        if self.state != State::Pending || now < self.expires() {
            return NOTHING;
        }
        self.state = State::Cancelled { reason: Reason::CustomerTimeout };
        COMPLETED
    }

    pub(super) fn check_pending(&self) -> Result<(), Violation> {
        match self.state {
            State::Pending => Ok(()),
            State::Paid { .. } => Err(Violation::AlreadyPaid),
            State::Authorized { .. } | State::Cancelled { .. } => Err(Violation::NotPending),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::examples::noon;
    use crate::gateway::core::examples::{creation, payment_of};
    use crate::gateway::core::payer::Payer;
    use crate::gateway::core::{Cancellation, Creation};

    #[test]
    fn a_pending_payment_that_the_payer_completes_is_paid_and_notified() {
        let mut payment = payment_of(&creation());
        assert_eq!(payment.pay(Payer::default(), noon()), Ok(COMPLETED));
        assert_eq!(payment.state.as_str(), "PAID");
    }

    #[test]
    fn a_preauthorized_payment_becomes_authorized() {
        let mut payment = payment_of(&Creation { preauth: true, ..creation() });
        assert_eq!(payment.pay(Payer::default(), noon()), Ok(AUTHORIZED));
        assert_eq!(payment.state.as_str(), "AUTHORIZED");
    }

    #[test]
    fn a_rejected_payment_is_cancelled_with_its_reason() {
        let mut payment = payment_of(&Creation { preauth: true, ..creation() });
        assert_eq!(payment.fail(Reason::NoFunds), Ok(COMPLETED));
        assert_eq!(payment.error_reason(), Some(Reason::NoFunds));
    }

    #[test]
    fn a_payment_expires_at_its_time_and_not_before() {
        let mut payment = payment_of(&creation());
        let second = jiff::SignedDuration::from_secs(1);
        assert_eq!(payment.expire(payment.expires() - second), NOTHING);
        assert_eq!(payment.expire(payment.expires()), COMPLETED);
        assert_eq!(payment.error_reason(), Some(Reason::CustomerTimeout));
    }

    #[test]
    fn a_paid_payment_does_not_expire() {
        let mut payment = payment_of(&creation());
        payment.pay(Payer::default(), noon()).unwrap();
        assert_eq!(payment.expire(payment.expires()), NOTHING);
    }

    #[test]
    fn only_a_pending_payment_can_be_cancelled_or_paid() {
        let mut payment = payment_of(&creation());
        assert_eq!(Cancellation.apply(&mut payment), Ok(COMPLETED));
        assert_eq!(payment.error_reason(), Some(Reason::EshopCancelled));
        assert_eq!(Cancellation.apply(&mut payment), Err(Violation::NotPending));
        assert_eq!(payment.pay(Payer::default(), noon()), Err(Violation::NotPending));
    }

    #[test]
    fn a_paid_payment_is_refunded_instead_of_cancelled() {
        let mut payment = payment_of(&creation());
        payment.pay(Payer::default(), noon()).unwrap();
        assert_eq!(Cancellation.apply(&mut payment), Err(Violation::AlreadyPaid));
        assert_eq!(payment.state.as_str(), "PAID");
    }
}
