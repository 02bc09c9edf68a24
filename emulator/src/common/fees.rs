//! What a payment costs the merchant. No document shows a tariff; this one is the emulator's own, shaped so that every rule
//! about fees shows: total = interbank + association + processor, and the processor's part may be negative.

use crate::base::wire_enum::wire_enum;

wire_enum! {
    /// The card used.
    pub(crate) enum CardType {
        Visa = "VISA",
        Mastercard = "MASTERCARD",
        VisaBusiness = "VISA BUSINESS",
        MastercardBusiness = "MASTERCARD BUSINESS",
    }
}

impl CardType {
    /// Chooses the card of a payment without a described one: of eight, one is a business card.
    pub(crate) const fn for_symbol(symbol: u64) -> Self {
        match symbol % 8 {
            0 | 2 | 4 | 6 => Self::Mastercard,
            1 | 3 | 5 => Self::Visa,
            _ => Self::MastercardBusiness,
        }
    }

    /// The first digit says the brand; the kind of card follows from the symbol.
    pub(crate) fn from_number(number: &str, symbol: u64) -> Self {
        match (number.starts_with('4'), symbol % 8 == 7) {
            (true, false) => Self::Visa,
            (true, true) => Self::VisaBusiness,
            (false, false) => Self::Mastercard,
            (false, true) => Self::MastercardBusiness,
        }
    }

    /// What the issuer takes, in ten-thousandths. Only that of consumer cards is regulated.
    const fn interbank(self) -> i64 {
        match self {
            Self::Visa | Self::Mastercard => 20,
            Self::VisaBusiness | Self::MastercardBusiness => 140,
        }
    }
}

/// What the card association takes, in ten-thousandths.
const ASSOCIATION: i64 = 10;
/// What the merchant pays altogether, in ten-thousandths; at least one minor unit.
const TOTAL: i64 = 100;

/// The fees of one payment, in minor units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Fees {
    /// To the issuer of the card.
    pub(crate) interbank: i64,
    /// To the card association.
    pub(crate) association: i64,
    /// To the processor: the rest.
    pub(crate) processor: i64,
}

impl Fees {
    /// The fees of a payment of this amount by this card, if it was one; `fixed` is the fee of a transaction set in the
    /// portal, in minor units.
    pub(crate) fn for_amount(amount: i64, card: Option<CardType>, fixed: Option<&str>) -> Self {
        let total = total(amount, fixed);
        let Some(card) = card else { return Self { processor: total, ..Self::default() } };
        let (interbank, association) = (share(amount, card.interbank()), share(amount, ASSOCIATION));
        Self { interbank, association, processor: total - interbank - association }
    }

    /// All of them.
    pub(crate) const fn total(self) -> i64 {
        self.interbank + self.association + self.processor
    }
}

/// The total fee of a payment in minor units.
pub(crate) fn total(amount: i64, fixed: Option<&str>) -> i64 {
    let fixed = fixed.and_then(|fee| fee.parse().ok()).filter(|fee| *fee >= 0);
    fixed.unwrap_or_else(|| share(amount, TOTAL).max(1))
}

/// A share of an amount in ten-thousandths, rounded to the nearest.
const fn share(amount: i64, ten_thousandths: i64) -> i64 {
    (amount * ten_thousandths + 5_000) / 10_000
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_parts_add_up_to_the_total(amount in 1..=1_250_000_000_i64, symbol: u64, by_card: bool, fixed in proptest::option::of(0..10_000_i64)) {
            let fixed = fixed.map(|fee| fee.to_string());
            let fees = Fees::for_amount(amount, by_card.then(|| CardType::for_symbol(symbol)), fixed.as_deref());
            prop_assert_eq!(fees.total(), total(amount, fixed.as_deref()));
            prop_assert!(fees.interbank >= 0 && fees.association >= 0);
        }
    }

    #[test]
    fn a_business_card_costs_the_processor_more_than_it_takes() {
        let fees = |card| Fees::for_amount(10_000, Some(card), None);
        assert_eq!(fees(CardType::Visa), Fees { interbank: 20, association: 10, processor: 70 });
        assert_eq!(fees(CardType::VisaBusiness), Fees { interbank: 140, association: 10, processor: -50 });
    }

    #[test]
    fn a_fee_set_in_the_portal_is_the_total() {
        assert_eq!(total(10_000, Some("250")), 250);
        for nonsense in ["", "-1", "about two"] {
            assert_eq!(total(10_000, Some(nonsense)), 100, "{nonsense}");
        }
    }
}
