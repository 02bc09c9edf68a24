//! More time for a payment whose goods were released without its money.

use jiff::{SignedDuration, Timestamp};

use super::payment::State;
use super::time::after;
use super::{QrPayment, Violation};

/// "Extended expiry: 7 days, set by the server."
const EXTENDED: SignedDuration = SignedDuration::from_hours(7 * 24);
/// "Up to 1000 characters."
const LONGEST_NOTE: usize = 1000;

/// A request to extend the expiry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extension<'a> {
    /// Kept with the payment.
    pub(crate) note: Option<&'a str>,
}

impl Extension<'_> {
    /// Extends the expiry of a pending payment to seven days from the first extension: "idempotent", so a repeated one
    /// adds no time. A paid payment stays as it is.
    pub(crate) fn apply(self, payment: &mut QrPayment, now: Timestamp) -> Result<(), Violation> {
        if self.note.is_some_and(|note| note.chars().count() > LONGEST_NOTE) {
            return Err(Violation::NoteTooLong);
        }
        match payment.state {
            State::Pending => self.extend(payment, now),
            State::Paid { .. } => {}
            State::Cancelled { .. } => return Err(Violation::ExtensionOfCancelled),
        }
        Ok(())
    }

    fn extend(self, payment: &mut QrPayment, now: Timestamp) {
        if !payment.extended {
            payment.extended = true;
            payment.expires = payment.expires.max(after(now, EXTENDED));
        }
        if let Some(note) = self.note {
            payment.note = Some(note.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::examples::noon;
    use crate::qr::core::Rejection;
    use crate::qr::core::examples::{real_payment, seconds};

    const SEVEN_DAYS: i64 = 7 * 24 * 3600;

    fn extend(payment: &mut QrPayment, later: i64) -> Result<(), Violation> {
        Extension { note: None }.apply(payment, noon() + seconds(later))
    }

    #[test]
    fn the_expiry_is_seven_days_from_now() {
        let mut payment = real_payment();
        assert_eq!(extend(&mut payment, 60), Ok(()));
        assert_eq!(payment.expires, noon() + seconds(60 + SEVEN_DAYS));
        assert_eq!(payment.state, State::Pending);
    }

    #[test]
    fn repeating_it_changes_nothing() {
        let mut payment = real_payment();
        extend(&mut payment, 0).unwrap();
        let once = payment.clone();
        extend(&mut payment, 3600).unwrap();
        assert_eq!(payment, once);
    }

    #[test]
    fn it_never_shortens() {
        let mut payment = real_payment();
        payment.expires = noon() + seconds(SEVEN_DAYS + 1);
        extend(&mut payment, 0).unwrap();
        assert_eq!(payment.expires, noon() + seconds(SEVEN_DAYS + 1));
    }

    #[test]
    fn a_paid_payment_is_unchanged_and_a_cancelled_one_refused() {
        let mut payment = real_payment();
        payment.pay().unwrap();
        let paid = payment.clone();
        assert_eq!(Extension { note: Some("released") }.apply(&mut payment, noon()), Ok(()));
        assert_eq!(payment, paid);
        let mut payment = real_payment();
        payment.reject(Rejection::BY_PAYER).unwrap();
        assert_eq!(extend(&mut payment, 0), Err(Violation::ExtensionOfCancelled));
    }

    #[test]
    fn a_note_has_up_to_1000_characters() {
        let mut payment = real_payment();
        let longest = "š".repeat(1000);
        assert_eq!(Extension { note: Some(&longest) }.apply(&mut payment, noon()), Ok(()));
        assert_eq!(payment.note.as_deref(), Some(longest.as_str()));
        let longer = "š".repeat(1001);
        assert_eq!(Extension { note: Some(&longer) }.apply(&mut payment, noon()), Err(Violation::NoteTooLong));
    }
}
