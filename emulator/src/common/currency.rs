//! Currencies and the bounds of a price, in minor units.

use std::ops::RangeInclusive;

use crate::base::wire_enum::wire_enum;

wire_enum! {
    /// A currency the gateway takes. HRK, found in an older variant of the list, has no bounds and is not taken.
    pub(crate) enum Currency {
        Czk = "CZK",
        Eur = "EUR",
        Pln = "PLN",
        Huf = "HUF",
        Usd = "USD",
        Gbp = "GBP",
        Ron = "RON",
        Nok = "NOK",
        Sek = "SEK",
    }
}

impl Currency {
    /// The prices of a payment in minor units, both ends allowed. The document states them in major units.
    pub(crate) const fn bounds(self) -> RangeInclusive<i64> {
        match self {
            Self::Czk => 100..=1_000_000 * 100,
            Self::Eur => 10..=40_000 * 100,
            Self::Pln => 100..=170_000 * 100,
            Self::Huf => 100 * 100..=12_500_000 * 100,
            Self::Usd => 100..=45_000 * 100,
            Self::Gbp => 100..=35_000 * 100,
            Self::Ron => 500..=190_000 * 100,
            Self::Nok => 50..=400_000 * 100,
            Self::Sek => 50..=390_000 * 100,
        }
    }

    /// Whether an amount is valid in this currency: amounts of HUF end with 00.
    pub(crate) const fn is_whole(self, amount: i64) -> bool {
        !matches!(self, Self::Huf) || amount % 100 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kuna_is_unknown() {
        assert_eq!(Currency::parse("HRK"), None);
        assert_eq!(Currency::parse("czk"), None);
    }
}
