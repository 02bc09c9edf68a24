//! Capture and release of a pre-authorized amount. Both apply only to payments that reached AUTHORIZED.
//!
//! The state after them and their error codes are not shown. We take what clients report: PAID after a capture, full or
//! partial, CANCELLED after a release, 1400 in any other state.

use super::payment::FINISHED;
use super::{Effect, Payment, Reason, State, Violation};

/// The reserved money is taken.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Capture {
    /// Minor units, at most the price; omitted: all of it.
    pub(crate) amount: Option<i64>,
}

impl Capture {
    /// Takes the amount.
    pub(crate) fn apply(self, payment: &mut Payment) -> Result<&'static [Effect], Violation> {
        let State::Authorized { receipt } = &payment.state else { return Err(Violation::NotAuthorized) };
        let taken = self.amount.unwrap_or(payment.order.price);
        if taken <= 0 {
            return Err(Violation::AmountMalformed);
        }
        if !payment.order.currency.is_whole(taken) {
            return Err(Violation::AmountNotWhole);
        }
        if taken > payment.order.price {
            return Err(Violation::CaptureBeyondPrice);
        }
        payment.state = State::Paid { receipt: receipt.clone(), taken, refunds: Vec::new() };
        Ok(FINISHED)
    }
}

/// The reserved money is released.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Release;

impl Release {
    /// Releases all of it.
    pub(crate) fn apply(self, payment: &mut Payment) -> Result<&'static [Effect], Violation> {
        let State::Authorized { .. } = payment.state else { return Err(Violation::NotAuthorized) };
        payment.state = State::Cancelled { reason: Reason::EshopCancelled };
        Ok(FINISHED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::examples::noon;
    use crate::gateway::core::examples::{creation, payment_of};
    use crate::gateway::core::payer::Payer;
    use crate::gateway::core::{Creation, Refund};

    fn authorized() -> Payment {
        let mut payment = payment_of(&Creation { preauth: true, ..creation() });
        payment.pay(Payer::default(), noon()).unwrap();
        payment
    }

    #[test]
    fn a_capture_takes_all_or_a_part() {
        for (amount, taken) in [(None, 10_000), (Some(10_000), 10_000), (Some(1), 1)] {
            let mut payment = authorized();
            assert_eq!(Capture { amount }.apply(&mut payment), Ok(FINISHED));
            assert!(matches!(payment.state, State::Paid { taken: now, .. } if now == taken));
        }
    }

    #[test]
    fn more_than_was_reserved_is_not_captured() {
        let mut payment = authorized();
        assert_eq!(Capture { amount: Some(10_001) }.apply(&mut payment), Err(Violation::CaptureBeyondPrice));
        assert_eq!(Capture { amount: Some(0) }.apply(&mut payment), Err(Violation::AmountMalformed));
        assert_eq!(payment.state.as_str(), "AUTHORIZED");
    }

    #[test]
    fn a_partly_captured_payment_is_refunded_up_to_what_was_taken() {
        let mut payment = authorized();
        Capture { amount: Some(500) }.apply(&mut payment).unwrap();
        let refund = |amount| Refund { amount: Some(amount), ..Refund::default() };
        assert_eq!(refund(501).apply(&mut payment, noon()), Err(Violation::RefundBeyondPrice));
        assert!(refund(500).apply(&mut payment, noon()).is_ok());
    }

    #[test]
    fn a_release_cancels() {
        let mut payment = authorized();
        assert_eq!(Release.apply(&mut payment), Ok(FINISHED));
        assert_eq!(payment.state.as_str(), "CANCELLED");
    }

    #[test]
    fn what_is_not_authorized_is_neither_captured_nor_released() {
        let mut payment = payment_of(&creation());
        assert_eq!(Capture::default().apply(&mut payment), Err(Violation::NotAuthorized));
        assert_eq!(Release.apply(&mut payment), Err(Violation::NotAuthorized));
    }
}
