//! Payments made on the terminals of a world's merchants, which `refundPos` refunds.

use super::World;
use crate::base::sync::lock;
use crate::common::Merchant;
use crate::gateway::core::Violation;
use crate::gateway::core::refund_pos::{RefundPos, TerminalPayment};

impl World {
    /// Enters a payment made on a terminal.
    pub(crate) fn charge_on_terminal(&self, payment: TerminalPayment) {
        lock(&self.terminal_payments).push(payment);
    }

    /// Refunds a payment made on a terminal.
    pub(crate) fn refund_pos(&self, merchant: &Merchant, request: &RefundPos<'_>) -> Result<(), Violation> {
        let now = self.now();
        let mut payments = lock(&self.terminal_payments);
        let payment = payments.iter_mut().find(|payment| request.matches(merchant.id(), payment)).ok_or(Violation::PaymentNotFound)?;
        request.apply(payment, now).map(|_| ())
    }
}
