//! Refund of a terminal payment through the gateway, found by its variable symbol and date.

use super::refund::total;
use super::{Effect, Refund, Violation};
use crate::gateway::core::payment::NOTHING;
use crate::gateway::core::refund::Refunded;
use jiff::Timestamp;
use jiff::civil::Date;

/// A payment made on a card terminal.
#[derive(Debug, Clone)]
pub struct TerminalPayment {
    /// The merchant it was made to.
    pub merchant: String,
    /// Variable symbol.
    pub variable_symbol: String,
    /// Minor units.
    pub amount: i64,
    /// Day of the transaction.
    pub date: Date,
    /// What was given back, in order.
    pub refunds: Vec<Refunded>,
}

/// A refund request about a terminal payment: types are right, nothing else is known yet.
#[derive(Debug, Clone, Copy)]
pub struct RefundPos<'a> {
    /// Variable symbol of the terminal payment.
    pub variable_symbol: &'a str,
    /// Minor units.
    pub amount: Option<i64>,
    /// Date of the transaction. Its format is not shown; we take ISO 8601.
    pub date: &'a str,
}

impl RefundPos<'_> {
    /// Whether this is the payment that is meant.
    pub fn means(&self, merchant: &str, payment: &TerminalPayment) -> bool {
        let date = self.date.parse::<Date>().ok();
        payment.merchant == merchant && payment.variable_symbol == self.variable_symbol && date == Some(payment.date)
    }

    /// Refunds all or a part of it.
    pub fn apply(&self, payment: &mut TerminalPayment, now: Timestamp) -> Result<&'static [Effect], Violation> {
        let amount = Refund { amount: self.amount, ..Refund::default() }.checked_amount()?;
        if amount > payment.amount - total(&payment.refunds) {
            return Err(Violation::RefundBeyondPrice);
        }
        payment.refunds.push(Refunded { amount, ref_id: payment.variable_symbol.clone(), at: now });
        Ok(NOTHING)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gateway::core::examples::noon;

    fn payment() -> TerminalPayment {
        TerminalPayment {
            merchant: "100001".into(),
            variable_symbol: "42".into(),
            amount: 5_000,
            date: "2026-01-15".parse().unwrap(),
            refunds: Vec::new(),
        }
    }

    fn refund(amount: i64) -> RefundPos<'static> {
        RefundPos { variable_symbol: "42", amount: Some(amount), date: "2026-01-15" }
    }

    #[test]
    fn a_terminal_payment_is_refunded_in_parts_and_never_beyond_its_amount() {
        let mut payment = payment();
        assert!(refund(4_999).apply(&mut payment, noon()).is_ok());
        assert_eq!(refund(2).apply(&mut payment, noon()), Err(Violation::RefundBeyondPrice));
        assert!(refund(1).apply(&mut payment, noon()).is_ok());
        assert_eq!(refund(0).apply(&mut payment, noon()), Err(Violation::AmountMalformed));
    }

    #[test]
    fn symbol_date_and_merchant_have_to_fit() {
        assert!(refund(1).means("100001", &payment()));
        assert!(!refund(1).means("100002", &payment()));
        assert!(!RefundPos { date: "2026-01-16", ..refund(1) }.means("100001", &payment()));
        assert!(!RefundPos { date: "yesterday", ..refund(1) }.means("100001", &payment()));
    }
}
