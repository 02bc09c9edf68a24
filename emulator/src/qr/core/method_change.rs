//! Another method for a pending payment.

use jiff::{SignedDuration, Timestamp};

use super::time::after;
use super::{Method, QrPayment, Violation};

/// A request to change the method.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MethodChange<'a> {
    pub(crate) method: Option<&'a str>,
}

impl MethodChange<'_> {
    /// "All checks pass: method rewritten, expiry restarted, never shortened. Amount limits are not re-checked. A check
    /// fails: nothing written."
    pub(crate) fn apply(self, payment: &mut QrPayment, waits: SignedDuration, now: Timestamp) -> Result<(), Violation> {
        let id = self.method.ok_or(Violation::Missing("method"))?;
        payment.check_pending()?;
        payment.method = Method::find(id, payment.order.currency).ok_or(Violation::UnknownMethod)?;
        payment.expires = payment.expires.max(after(now, waits));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::examples::noon;
    use crate::qr::core::examples::{creation, payment_of, real_payment, seconds};
    use crate::qr::core::{Creation, Extension};

    fn change(payment: &mut QrPayment, method: &str, later: i64) -> Result<(), Violation> {
        MethodChange { method: Some(method) }.apply(payment, seconds(900), noon() + seconds(later))
    }

    #[test]
    fn the_method_is_rewritten_and_the_expiry_restarts() {
        let mut payment = real_payment();
        let code = payment.payment_data();
        assert_eq!(change(&mut payment, "BANK_CZ_T_PB", 100), Ok(()));
        assert_eq!((payment.method.id, payment.expires), ("BANK_CZ_T_PB", noon() + seconds(1000)));
        assert_eq!(payment.payment_data(), code, "today independent of the bank");
    }

    #[test]
    fn the_expiry_is_never_shortened() {
        let mut payment = real_payment();
        Extension { note: None }.apply(&mut payment, noon()).unwrap();
        let expires = payment.expires;
        change(&mut payment, "BANK_CZ_T_PB", 100).unwrap();
        assert_eq!(payment.expires, expires);
    }

    #[test]
    fn it_may_be_changed_as_often_as_wished() {
        let mut payment = real_payment();
        for later in 0..50 {
            let method = if later % 2 == 0 { "BANK_CZ_T_PB" } else { "BANK_CZ_T_OTHER" };
            assert_eq!(change(&mut payment, method, later), Ok(()));
        }
    }

    #[test]
    fn amount_limits_are_not_checked_again() {
        let mut payment = payment_of(&Creation { amount: Some(50_000_000), ..creation() }, false);
        assert_eq!(change(&mut payment, "BANK_CZ_T_PB", 1), Ok(()));
    }

    #[test]
    fn a_failed_check_writes_nothing() {
        let mut payment = real_payment();
        let before = payment.clone();
        assert_eq!(change(&mut payment, "NOPE", 100), Err(Violation::UnknownMethod));
        assert_eq!(change(&mut payment, "BANK_EUR_T_OTHER", 100), Err(Violation::UnknownMethod));
        assert_eq!(MethodChange { method: None }.apply(&mut payment, seconds(900), noon()), Err(Violation::Missing("method")));
        assert_eq!(payment, before);
        payment.pay().unwrap();
        let before = payment.clone();
        assert_eq!(change(&mut payment, "BANK_CZ_T_PB", 100), Err(Violation::Final));
        assert_eq!(payment, before);
    }
}
