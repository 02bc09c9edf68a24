//! A request for a refund.

use jiff::Timestamp;

use super::currency::read_amount;
use super::payment::State;
use super::refund::{QrRefund, RefundStatus, given_back};
use super::time::{TEST_DURATION, after};
use super::{QrPayment, Violation};
use crate::base::iso8601;
use crate::common::TransId;

/// A refund request: its fields have the right types, and no rule is checked yet.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RefundRequest<'a> {
    /// Minor units.
    pub(crate) amount: Option<i64>,
    /// ISO 8601.
    pub(crate) created: Option<&'a str>,
    pub(crate) ref_id: Option<&'a str>,
}

impl RefundRequest<'_> {
    /// Creates the refund under this code.
    pub(crate) fn apply(self, payment: &mut QrPayment, id: TransId, now: Timestamp) -> Result<(), Violation> {
        let amount = read_amount(self.amount)?;
        let created = self.created.ok_or(Violation::Missing("created"))?;
        if !iso8601::is_date_time(created) {
            return Err(Violation::CreatedMalformed);
        }
        let settles = payment.order.test.then(|| after(now, TEST_DURATION));
        let State::Paid { refunds } = &mut payment.state else { return Err(Violation::NotPaid) };
        if amount > payment.order.amount - given_back(refunds) {
            return Err(Violation::RefundBeyondAmount);
        }
        refunds.push(QrRefund { id, ref_id: self.ref_id.map(str::to_owned), amount, settles, status: RefundStatus::Pending });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::examples::noon;
    use crate::qr::core::Rejection;
    use crate::qr::core::examples::{real_payment, seconds, test_payment};

    fn request(amount: i64) -> RefundRequest<'static> {
        RefundRequest { amount: Some(amount), created: Some("2026-01-15T12:00:00Z"), ref_id: Some("back") }
    }

    fn refund(payment: &mut QrPayment, amount: i64) -> Result<(), Violation> {
        let id = TransId::from_random(u64::try_from(payment.refunds().len()).unwrap());
        request(amount).apply(payment, id, noon())
    }

    fn paid(mut payment: QrPayment) -> QrPayment {
        payment.pay().unwrap();
        payment
    }

    #[test]
    fn a_paid_payment_is_refunded_in_parts_and_never_beyond_its_amount() {
        let payment = &mut paid(real_payment());
        assert_eq!(refund(payment, 4_000), Ok(()));
        assert_eq!(refund(payment, 6_001), Err(Violation::RefundBeyondAmount));
        assert_eq!(refund(payment, 6_000), Ok(()));
        assert_eq!(refund(payment, 1), Err(Violation::RefundBeyondAmount));
        assert_eq!(refund(payment, i64::MAX), Err(Violation::RefundBeyondAmount));
        assert_eq!(payment.refunds().iter().map(|refund| refund.amount).collect::<Vec<_>>(), [4_000, 6_000]);
    }

    #[test]
    fn what_is_not_paid_is_not_refunded() {
        let payment = &mut real_payment();
        assert_eq!(refund(payment, 1), Err(Violation::NotPaid));
        payment.reject(Rejection::BY_PAYER).unwrap();
        assert_eq!(refund(payment, 1), Err(Violation::NotPaid));
    }

    #[test]
    fn a_cancelled_refund_can_be_made_again() {
        let payment = &mut paid(real_payment());
        refund(payment, 10_000).unwrap();
        let State::Paid { refunds } = &mut payment.state else { unreachable!() };
        refunds.first_mut().unwrap().decide(RefundStatus::Cancelled).unwrap();
        assert_eq!(refund(payment, 10_000), Ok(()));
    }

    #[test]
    fn amount_and_created_are_required() {
        let payment = &mut paid(real_payment());
        let mut refusal = |request: RefundRequest<'_>| request.apply(payment, TransId::from_random(0), noon()).unwrap_err();
        assert_eq!(refusal(RefundRequest { amount: None, ..request(1) }), Violation::Missing("amount"));
        assert_eq!(refusal(request(0)), Violation::AmountTooLow);
        assert_eq!(refusal(RefundRequest { created: None, ..request(1) }), Violation::Missing("created"));
        assert_eq!(refusal(RefundRequest { created: Some("soon"), ..request(1) }), Violation::CreatedMalformed);
    }

    #[test]
    fn a_test_refund_ends_after_ten_seconds_by_its_amount() {
        let payment = &mut paid(test_payment());
        for amount in [1, 2, 100] {
            refund(payment, amount).unwrap();
        }
        let mut statuses = |later| {
            payment.update(noon() + seconds(later));
            payment.refunds().iter().map(|refund| refund.status.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(statuses(9), ["PENDING", "PENDING", "PENDING"]);
        assert_eq!(statuses(10), ["CANCELLED", "REFUNDED", "REFUNDED"]);
    }

    #[test]
    fn a_real_refund_waits_for_the_bank_which_decides_once() {
        let payment = &mut paid(real_payment());
        refund(payment, 1).unwrap();
        payment.update(noon() + seconds(100_000));
        let State::Paid { refunds } = &mut payment.state else { unreachable!() };
        let refund = refunds.first_mut().unwrap();
        assert_eq!(refund.status, RefundStatus::Pending);
        assert_eq!(refund.decide(RefundStatus::Refunded), Ok(()));
        assert_eq!(refund.decide(RefundStatus::Cancelled), Err(Violation::RefundFinal));
    }
}
