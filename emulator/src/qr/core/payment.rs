//! A QR payment, its states, and what time alone does to it.

use jiff::Timestamp;

use super::order::Order;
use super::refund::{QrRefund, RefundStatus};
use super::time::{TEST_DURATION, after};
use super::{Method, Rejection, Violation, payment_data};
use crate::common::TransId;

/// The state of a payment, and what exists only in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    /// Waits for its money.
    Pending,
    /// The money has arrived.
    Paid {
        /// Money sent back, or about to be, in order.
        refunds: Vec<QrRefund>,
    },
    /// Late money goes through the refund process.
    Cancelled {
        /// The reason.
        reason: Rejection,
    },
}

impl State {
    /// Paid, and nothing refunded yet.
    const PAID: Self = Self::Paid { refunds: Vec::new() };

    /// The name in the document.
    pub(crate) const fn as_str(&self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Paid { .. } => "PAID",
            Self::Cancelled { .. } => "CANCELLED",
        }
    }
}

/// A payment, from its creation on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QrPayment {
    /// The payment code.
    pub(crate) id: TransId,
    /// Its place in the order of creation.
    pub(crate) sequence: u64,
    /// "The payment generates its own symbol for matching incoming money."
    pub(crate) symbol: u32,
    /// What was ordered, and by whom.
    pub(crate) order: Order,
    /// How it is to be paid; may be changed while it is pending.
    pub(crate) method: &'static Method,
    /// When it was created, by the clock of the world.
    pub(crate) created: Timestamp,
    /// Until when it waits for its money.
    pub(crate) expires: Timestamp,
    /// Whether its time was extended to seven days.
    pub(crate) extended: bool,
    /// The merchant's note of the extension.
    pub(crate) note: Option<String>,
    /// Its state.
    pub(crate) state: State,
}

impl QrPayment {
    /// Brings it up to date: it expires, or a test ends.
    pub(crate) fn update(&mut self, now: Timestamp) {
        if self.state == State::Pending {
            let (at, state) = self.fate();
            if at <= now {
                self.state = state;
            }
        }
        if let State::Paid { refunds } = &mut self.state {
            refunds.iter_mut().for_each(|refund| refund.update(now));
        }
    }

    /// The state that a pending payment reaches by itself, and when.
    fn fate(&self) -> (Timestamp, State) {
        let settles = after(self.created, TEST_DURATION);
        if self.order.test && settles <= self.expires {
            return (settles, self.test_result());
        }
        (self.expires, State::Cancelled { reason: Rejection::CUSTOMER_TIMEOUT })
    }

    /// "Up to and including 2 000 CZK or 80 EUR the payment ends PAID, a higher amount ends CANCELLED."
    fn test_result(&self) -> State {
        if self.order.amount <= self.order.currency.test_threshold() {
            return State::PAID;
        }
        State::Cancelled { reason: Rejection::NOT_SPECIFIED }
    }

    /// When time changes it next.
    pub(crate) fn next_change(&self) -> Option<Timestamp> {
        match &self.state {
            State::Pending => Some(self.fate().0),
            State::Paid { refunds } => refunds.iter().filter_map(QrRefund::next_change).min(),
            State::Cancelled { .. } => None,
        }
    }

    /// The money arrives.
    pub(crate) fn pay(&mut self) -> Result<(), Violation> {
        self.check_pending()?;
        self.state = State::PAID;
        Ok(())
    }

    /// It won't be paid.
    pub(crate) fn reject(&mut self, reason: Rejection) -> Result<(), Violation> {
        self.check_pending()?;
        self.state = State::Cancelled { reason };
        Ok(())
    }

    pub(super) fn check_pending(&self) -> Result<(), Violation> {
        match self.state {
            State::Pending => Ok(()),
            State::Paid { .. } | State::Cancelled { .. } => Err(Violation::Final),
        }
    }

    /// Whether it can be seen and changed under a token of this merchant.
    pub(crate) fn belongs_to(&self, mid: &str) -> bool {
        self.order.mid == mid
    }

    /// Why it was cancelled, if it was.
    pub(crate) fn rejected_reason(&self) -> Option<&str> {
        match &self.state {
            State::Cancelled { reason } => Some(reason.text()),
            State::Pending | State::Paid { .. } => None,
        }
    }

    /// What is drawn as a QR code; "absent for a CANCELLED payment".
    pub(crate) fn payment_data(&self) -> Option<String> {
        match self.state {
            State::Pending | State::Paid { .. } => {
                Some(payment_data::write(self.method.format, self.order.amount, self.order.currency, self.symbol))
            }
            State::Cancelled { .. } => None,
        }
    }

    /// The movements of its money so far, by their numbers: 0 is the payment, then come refunds that were sent back. A test
    /// moves no money.
    pub(crate) fn movements(&self) -> Vec<usize> {
        let State::Paid { refunds } = &self.state else { return Vec::new() };
        if self.order.test {
            return Vec::new();
        }
        let sent_back = refunds.iter().enumerate().filter(|(_, refund)| refund.status == RefundStatus::Refunded);
        std::iter::once(0).chain(sent_back.map(|(index, _)| index + 1)).collect()
    }

    /// Its refunds, "in chronological order, empty when none".
    pub(crate) fn refunds(&self) -> &[QrRefund] {
        match &self.state {
            State::Paid { refunds } => refunds,
            State::Pending | State::Cancelled { .. } => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::examples::noon;
    use crate::qr::core::examples::{creation, payment_of, real_payment, seconds, test_payment};
    use crate::qr::core::{Cancellation, Creation};

    fn at(mut payment: QrPayment, later: i64) -> QrPayment {
        payment.update(noon() + seconds(later));
        payment
    }

    #[test]
    fn a_payment_expires_at_its_time_and_not_before() {
        assert_eq!(at(real_payment(), 899).state, State::Pending);
        assert_eq!(at(real_payment(), 900).rejected_reason(), Some("Customer timeout"));
    }

    #[test]
    fn a_test_payment_ends_after_ten_seconds_by_its_amount() {
        for (amount, currency, method, result) in [
            (200_000, "CZK", "BANK_CZ_T_OTHER", "PAID"),
            (200_001, "CZK", "BANK_CZ_T_OTHER", "CANCELLED"),
            (8_000, "EUR", "BANK_EUR_T_OTHER", "PAID"),
            (8_001, "EUR", "BANK_SK_T_OTHER", "CANCELLED"),
            (1, "CZK", "BANK_CZ_T_OTHER", "PAID"),
        ] {
            let request = Creation { amount: Some(amount), currency: Some(currency), method: Some(method), ..creation() };
            let payment = payment_of(&request, true);
            assert_eq!(at(payment.clone(), 9).state, State::Pending, "{amount} {currency}");
            assert_eq!(at(payment, 10).state.as_str(), result, "{amount} {currency}");
        }
    }

    #[test]
    fn a_real_payment_waits_for_its_money() {
        let mut payment = at(real_payment(), 11);
        assert_eq!(payment.pay(), Ok(()));
        assert_eq!(at(payment, 100_000).state, State::PAID, "what is paid does not expire");
    }

    #[test]
    fn a_final_payment_stays_as_it_is() {
        let mut payment = real_payment();
        payment.reject(Rejection::BY_PAYER).unwrap();
        assert_eq!(payment.pay(), Err(Violation::Final));
        assert_eq!(Cancellation.apply(&mut payment), Err(Violation::Final));
        assert_eq!(at(payment, 100_000).rejected_reason(), Some("Canceled by payer"));
    }

    #[test]
    fn the_qr_code_is_gone_with_the_payment() {
        let mut payment = real_payment();
        assert!(payment.payment_data().is_some());
        payment.reject(Rejection::BY_PAYER).unwrap();
        assert_eq!(payment.payment_data(), None);
    }

    #[test]
    fn an_expiry_before_the_end_of_the_test_comes_first() {
        let mut payment = test_payment();
        payment.expires = noon() + seconds(9);
        assert_eq!(payment.next_change(), Some(noon() + seconds(9)));
        assert_eq!(at(payment, 10).rejected_reason(), Some("Customer timeout"));
    }
}
