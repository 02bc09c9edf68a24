//! Refund: money of a paid payment goes back to the payer, in full or in parts.

use jiff::Timestamp;

use super::refunded::{Refunded, total};
use super::{Effect, NOTHING, Payment, State, Violation, WorldRules};

/// A refund request: its fields have the right types, and no rule is checked yet.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Refund<'a> {
    /// Minor units.
    pub(crate) amount: Option<i64>,
    /// Checks are made, but the payment is left as it is; omitted: a real refund.
    pub(crate) test: Option<bool>,
    /// The merchant's reference of the refund; omitted: that of the payment.
    pub(crate) ref_id: Option<&'a str>,
    /// Not sent: in a tolerant world, clients that can't say `test` refund test payments by test refunds.
    pub(crate) rules: WorldRules,
}

impl Refund<'_> {
    /// Refunds the payment. Of several violations that of the state comes first: the amount doesn't matter where
    /// there is nothing to refund.
    pub(crate) fn apply(self, payment: &mut Payment, now: Timestamp) -> Result<&'static [Effect], Violation> {
        let (test, currency) = (payment.order.test, payment.order.currency);
        let (taken, refunds) = match &mut payment.state {
            State::Paid { taken, refunds, .. } => (*taken, refunds),
            State::Cancelled { .. } => return Err(Violation::RefundOfCancelled),
            State::Pending | State::Authorized { .. } => return Err(Violation::NotPaid),
        };
        let amount = self.checked_amount()?;
        let is_test = self.test.unwrap_or(self.rules.tolerant && test);
        if test && !is_test {
            return Err(Violation::RealRefundOfTest);
        }
        if !currency.is_whole(amount) {
            return Err(Violation::AmountNotWhole);
        }
        if amount > taken - total(refunds) {
            return Err(Violation::RefundBeyondPrice);
        }
        if !is_test {
            let ref_id = self.ref_id.unwrap_or(&payment.order.ref_id).to_owned();
            refunds.push(Refunded { amount, ref_id, at: now });
        }
        Ok(NOTHING)
    }

    pub(super) fn checked_amount(self) -> Result<i64, Violation> {
        let amount = self.amount.ok_or(Violation::Missing("amount"))?;
        if amount > 0 { Ok(amount) } else { Err(Violation::AmountMalformed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::examples::noon;
    use crate::gateway::core::examples::{creation, payment_of};
    use crate::gateway::core::payer::Payer;
    use crate::gateway::core::{Creation, Reason};

    fn paid(request: &Creation<'_>) -> Payment {
        let mut payment = payment_of(request);
        payment.pay(Payer::default(), noon()).unwrap();
        payment
    }

    fn refund(payment: &mut Payment, amount: i64) -> Result<&'static [Effect], Violation> {
        Refund { amount: Some(amount), ..Refund::default() }.apply(payment, noon())
    }

    #[test]
    fn a_paid_payment_is_refunded_in_parts_and_never_beyond_its_price() {
        let payment = &mut paid(&creation());
        assert!(refund(payment, 4_000).is_ok());
        assert_eq!(refund(payment, 6_001), Err(Violation::RefundBeyondPrice));
        assert!(refund(payment, 6_000).is_ok());
        assert_eq!(refund(payment, 1), Err(Violation::RefundBeyondPrice));
        assert_eq!(payment.state.as_str(), "PAID");
    }

    #[test]
    fn what_was_not_paid_is_not_refunded() {
        let payment = &mut payment_of(&creation());
        assert_eq!(refund(payment, 1), Err(Violation::NotPaid));
        payment.fail(Reason::NoFunds).unwrap();
        assert_eq!(refund(payment, 1), Err(Violation::RefundOfCancelled));
        assert_eq!(refund(payment, 0), Err(Violation::RefundOfCancelled), "the amount doesn't matter");
    }

    #[test]
    fn an_amount_is_positive_and_whole_in_forints() {
        let payment = &mut paid(&Creation { curr: Some("HUF"), country: Some("HU"), price: Some(10_000), ..creation() });
        assert_eq!(refund(payment, 0), Err(Violation::AmountMalformed));
        assert_eq!(refund(payment, -100), Err(Violation::AmountMalformed));
        assert_eq!(refund(payment, 150), Err(Violation::AmountNotWhole));
        assert!(refund(payment, 200).is_ok());
    }

    #[test]
    fn test_payments_take_test_refunds_only() {
        let payment = &mut paid(&Creation { test: true, ..creation() });
        assert_eq!(refund(payment, 100), Err(Violation::RealRefundOfTest));
    }

    #[test]
    fn a_tolerant_world_takes_what_is_not_said_to_be_a_test_as_the_payment_is() {
        let tolerant = |test, payment: &mut Payment| {
            Refund { amount: Some(100), test, rules: WorldRules::tolerant(), ref_id: None }.apply(payment, noon())
        };
        let tested = &mut paid(&Creation { test: true, ..creation() });
        assert!(tolerant(None, tested).is_ok());
        assert!(matches!(&tested.state, State::Paid { refunds, .. } if refunds.is_empty()), "a test refund leaves the payment as it is");
        assert_eq!(tolerant(Some(false), tested), Err(Violation::RealRefundOfTest));
        let real = &mut paid(&creation());
        assert!(tolerant(None, real).is_ok());
        assert!(matches!(&real.state, State::Paid { refunds, .. } if refunds.len() == 1));
    }

    #[test]
    fn a_test_refund_checks_and_leaves_the_payment_untouched() {
        let payment = &mut paid(&creation());
        let test = |amount| Refund { amount: Some(amount), test: Some(true), ..Refund::default() };
        assert!(test(10_000).apply(payment, noon()).is_ok());
        assert!(test(10_000).apply(payment, noon()).is_ok());
        assert_eq!(test(10_001).apply(payment, noon()), Err(Violation::RefundBeyondPrice));
        assert!(refund(payment, 10_000).is_ok());
    }

    #[test]
    fn a_refund_without_a_reference_shows_that_of_the_payment() {
        let payment = &mut paid(&creation());
        refund(payment, 1).unwrap();
        let State::Paid { refunds, .. } = &payment.state else { unreachable!() };
        assert_eq!(refunds.first().unwrap().ref_id, "2026001");
    }
}
