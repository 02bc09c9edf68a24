//! Payments made on the terminals of a world's merchants, which `refundPos` refunds: those that the control API enters, and those of
//! the terminal API.

use jiff::Timestamp;

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
        if let Some(payment) = payments.iter_mut().find(|payment| request.matches(merchant.id(), payment)) {
            return request.apply(payment, now).map(|_| ());
        }
        drop(payments);
        self.refund_on_terminal(merchant, request, now)
    }

    /// Refunds a payment of the terminal API. "Merchant reference or variable symbol": its `refId` names it.
    fn refund_on_terminal(&self, merchant: &Merchant, request: &RefundPos<'_>, now: Timestamp) -> Result<(), Violation> {
        let amount = request.checked_amount()?;
        let returned = self.look_at_terminal(merchant.id(), |terminal| {
            let id = terminal.charged_on(request.day()?, request.variable_symbol)?;
            Some(terminal.return_money(id, amount, now))
        });
        let returned = returned.ok_or(Violation::PaymentNotFound)?;
        // It is paid and not reversed, so only the amount can be wrong.
        let (movement, _) = returned.map_err(|_| Violation::RefundBeyondPrice)?;
        self.note_movement(merchant.id(), movement);
        Ok(())
    }
}
