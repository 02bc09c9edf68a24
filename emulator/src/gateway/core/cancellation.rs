//! Cancel (storno): the merchant gives up a pending payment.

use super::payment::COMPLETED;
use super::{Effect, Payment, Reason, State, Violation};

/// The merchant cancels a payment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cancellation;

impl Cancellation {
    /// Cancels the payment if it is pending. The merchant's own cancellation is a change of state, and notified too.
    pub(crate) fn apply(self, payment: &mut Payment) -> Result<&'static [Effect], Violation> {
        payment.check_pending()?;
        payment.state = State::Cancelled { reason: Reason::EshopCancelled };
        Ok(COMPLETED)
    }
}
