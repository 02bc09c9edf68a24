//! The currencies of a terminal and the bounds of a price, in minor units.

use std::ops::RangeInclusive;

use crate::base::wire_enum::wire_enum;
use crate::common;

wire_enum! {
    /// "Available: CZK, EUR."
    #[derive(PartialOrd, Ord)]
    pub(crate) enum Currency {
        Czk = "CZK",
        Eur = "EUR",
    }
}

impl Currency {
    /// The prices of a payment or refund in minor units, both ends allowed. The document states them in major units.
    pub(crate) const fn bounds(self) -> RangeInclusive<i64> {
        match self {
            Self::Czk => 100..=1_000_000 * 100,
            Self::Eur => 10..=40_000 * 100,
        }
    }

    /// Whether a new payment or refund may have this price.
    pub(crate) fn allows(self, price: i64) -> bool {
        self.bounds().contains(&price)
    }
}

impl From<Currency> for common::Currency {
    fn from(currency: Currency) -> Self {
        match currency {
            Currency::Czk => Self::Czk,
            Currency::Eur => Self::Eur,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_bounds_are_inclusive_and_the_next_amount_is_refused() {
        for (currency, low, high) in [(Currency::Czk, 100, 100_000_000), (Currency::Eur, 10, 4_000_000)] {
            for inside in [low, low + 1, high - 1, high] {
                assert!(currency.allows(inside), "{currency:?} {inside}");
            }
            for outside in [low - 1, high + 1, 0, -low, i64::from(i32::MAX)] {
                assert!(!currency.allows(outside), "{currency:?} {outside}");
            }
        }
    }
}
