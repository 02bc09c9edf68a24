//! Payments made on the terminals of a world's merchants.

use std::sync::Mutex;

use super::World;
use crate::gateway::core::refund_pos::{RefundPos, TerminalPayment};
use crate::gateway::core::{Merchant, Violation};
use crate::sync::lock;

/// Terminal payments, in the order they were made.
pub(super) type TerminalPayments = Mutex<Vec<TerminalPayment>>;

impl World {
    /// A card was charged on a terminal.
    pub(crate) fn charge_on_terminal(&self, payment: TerminalPayment) {
        lock(&self.terminal_payments).push(payment);
    }

    /// Refunds one of them.
    pub(crate) fn refund_pos(&self, merchant: &Merchant, request: &RefundPos<'_>) -> Result<(), Violation> {
        let now = self.now();
        let mut payments = lock(&self.terminal_payments);
        let payment = payments.iter_mut().find(|payment| request.means(merchant.id(), payment)).ok_or(Violation::PaymentNotFound)?;
        request.apply(payment, now).map(|_| ())
    }
}
