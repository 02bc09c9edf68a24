//! The merchant gives a payment up.

use super::{QrPayment, Rejection, Violation};

/// "Cancel a payment that is not final."
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cancellation;

impl Cancellation {
    /// Cancels the payment if it is pending.
    pub(crate) fn apply(self, payment: &mut QrPayment) -> Result<(), Violation> {
        payment.reject(Rejection::BY_MERCHANT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::qr::core::examples::real_payment;

    #[test]
    fn a_pending_payment_is_cancelled_by_its_merchant_once() {
        let mut payment = real_payment();
        assert_eq!(Cancellation.apply(&mut payment), Ok(()));
        assert_eq!(payment.rejected_reason(), Some("Canceled by merchant"));
        assert_eq!(Cancellation.apply(&mut payment), Err(Violation::Final));
    }

    #[test]
    fn a_paid_payment_is_not_cancelled() {
        let mut payment = real_payment();
        payment.pay().unwrap();
        assert_eq!(Cancellation.apply(&mut payment), Err(Violation::Final));
        assert_eq!(payment.state.as_str(), "PAID");
    }
}
