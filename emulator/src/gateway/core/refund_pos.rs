//! Refund of a terminal payment through the gateway, found by its variable symbol and date.

use jiff::Timestamp;
use jiff::civil::Date;

use super::refunded::{Refunded, total};
use super::{Effect, NOTHING, Refund, Violation};

/// A payment made on a card terminal.
#[derive(Debug, Clone)]
pub(crate) struct TerminalPayment {
    /// The merchant it was made to.
    pub(crate) merchant: String,
    /// Variable symbol.
    pub(crate) variable_symbol: String,
    /// Minor units.
    pub(crate) amount: i64,
    /// Day of the transaction.
    pub(crate) date: Date,
    /// What was given back, in order.
    pub(crate) refunds: Vec<Refunded>,
}

/// A refund request about a terminal payment: its fields have the right types, and no rule is checked yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RefundPos<'a> {
    /// Variable symbol of the terminal payment.
    pub(crate) variable_symbol: &'a str,
    /// Minor units.
    pub(crate) amount: Option<i64>,
    /// Date of the transaction. Its format is not shown; we take ISO 8601.
    pub(crate) date: &'a str,
}

impl RefundPos<'_> {
    /// The day, if it is one.
    pub(crate) fn day(&self) -> Option<Date> {
        self.date.parse().ok()
    }

    /// The amount, if there is one.
    pub(crate) fn checked_amount(&self) -> Result<i64, Violation> {
        Refund { amount: self.amount, ..Refund::default() }.checked_amount()
    }

    /// Whether the request is about this payment.
    pub(crate) fn matches(&self, merchant: &str, payment: &TerminalPayment) -> bool {
        payment.merchant == merchant && payment.variable_symbol == self.variable_symbol && self.day() == Some(payment.date)
    }

    /// Refunds all or a part of the payment.
    pub(crate) fn apply(&self, payment: &mut TerminalPayment, now: Timestamp) -> Result<&'static [Effect], Violation> {
        let amount = self.checked_amount()?;
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
    use crate::common::examples::noon;

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
        assert!(refund(1).matches("100001", &payment()));
        assert!(!refund(1).matches("100002", &payment()));
        assert!(!RefundPos { date: "2026-01-16", ..refund(1) }.matches("100001", &payment()));
        assert!(!RefundPos { date: "yesterday", ..refund(1) }.matches("100001", &payment()));
    }
}
