//! Identifiers of terminal transactions: twelve capitals and digits, in four groups for payments and in two for refunds.
//! Opaque to merchants.

use std::fmt;

use super::TransId;

/// Twelve digits of base 36, with a dash after every `GROUP` of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Id<const GROUP: usize>(TransId);

/// `ABC-123-DEF-456`
pub(crate) type PaymentId = Id<3>;
/// `ABC123-DEF456`
pub(crate) type RefundId = Id<6>;

impl<const GROUP: usize> Id<GROUP> {
    /// Groups the twelve digits of a code.
    pub(crate) const fn new(id: TransId) -> Self {
        Self(id)
    }

    /// The code of the same twelve digits.
    pub(crate) const fn trans_id(self) -> TransId {
        self.0
    }

    /// Reads an identifier; `None` for any other shape.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let groups: Vec<&str> = text.split('-').collect();
        if groups.len() * GROUP != 12 || groups.iter().any(|group| group.len() != GROUP) {
            return None;
        }
        TransId::from_digits(&groups.concat()).map(Self)
    }
}

impl<const GROUP: usize> fmt::Display for Id<GROUP> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, digit) in self.0.digits().iter().enumerate() {
            if at > 0 && at % GROUP == 0 {
                f.write_str("-")?;
            }
            write!(f, "{}", char::from(*digit))?;
        }
        Ok(())
    }
}

/// The identifier of a payment or of a refund.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransactionId {
    /// A payment's.
    Payment(PaymentId),
    /// A refund's.
    Refund(RefundId),
}

impl TransactionId {
    /// Reads the identifier of a payment or of a refund.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        PaymentId::parse(text).map(Self::Payment).or_else(|| RefundId::parse(text).map(Self::Refund))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn identifiers_read_back(bits: u64) {
            let id = TransId::from_random(bits);
            let (payment, refund) = (PaymentId::new(id), RefundId::new(id));
            prop_assert_eq!(TransactionId::parse(&payment.to_string()), Some(TransactionId::Payment(payment)));
            prop_assert_eq!(TransactionId::parse(&refund.to_string()), Some(TransactionId::Refund(refund)));
        }

        #[test]
        fn any_text_is_read_without_harm(text: String) {
            prop_assert!(PaymentId::parse(&text).is_none_or(|id| id.to_string() == text));
        }
    }

    #[test]
    fn other_shapes_name_nothing() {
        for text in ["", "ABC123DEF456", "abc-123-def-456", "ABC-123-DEF-45", "ABC-123-DEF-4567", "AB12-CD34-EF56", "ÁB-123-DEF-456"] {
            assert_eq!(TransactionId::parse(text), None, "{text}");
        }
    }
}
