//! Currencies and the bounds of a price, in minor units.

use std::ops::RangeInclusive;

use super::Violation;
use crate::words::words;

words! {
    /// A currency the gateway takes. HRK, found in an older variant of the list, has no bounds and is not taken.
    pub enum Currency {
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
    pub const fn bounds(self) -> RangeInclusive<i64> {
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

    /// Whether an amount can be said in this currency: amounts of HUF end with 00.
    pub const fn is_whole(self, amount: i64) -> bool {
        !matches!(self, Self::Huf) || amount % 100 == 0
    }

    /// Checks the price of a new payment.
    pub fn check_price(self, price: i64) -> Result<(), Violation> {
        if !self.is_whole(price) {
            return Err(Violation::PriceNotWhole);
        }
        if self.bounds().contains(&price) { Ok(()) } else { Err(Violation::PriceOutOfBounds(self)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Currency, lowest price, highest price, and the next amount outside (HUF goes by whole forints).
    const TABLE: [(Currency, i64, i64, i64); 9] = [
        (Currency::Czk, 100, 100_000_000, 1),
        (Currency::Eur, 10, 4_000_000, 1),
        (Currency::Pln, 100, 17_000_000, 1),
        (Currency::Huf, 10_000, 1_250_000_000, 100),
        (Currency::Usd, 100, 4_500_000, 1),
        (Currency::Gbp, 100, 3_500_000, 1),
        (Currency::Ron, 500, 19_000_000, 1),
        (Currency::Nok, 50, 40_000_000, 1),
        (Currency::Sek, 50, 39_000_000, 1),
    ];

    #[test]
    fn every_bound_is_inclusive_and_the_next_amount_is_refused() {
        for (currency, low, high, step) in TABLE {
            assert_eq!(currency.check_price(low), Ok(()), "{currency:?} {low}");
            assert_eq!(currency.check_price(high), Ok(()), "{currency:?} {high}");
            for outside in [low - step, high + step] {
                assert_eq!(currency.check_price(outside), Err(Violation::PriceOutOfBounds(currency)), "{currency:?} {outside}");
            }
        }
    }

    #[test]
    fn the_table_has_every_currency() {
        assert_eq!(TABLE.map(|row| row.0).as_slice(), Currency::ALL);
    }

    #[test]
    fn a_price_in_forints_ends_with_00() {
        assert_eq!(Currency::Huf.check_price(10_050), Err(Violation::PriceNotWhole));
        assert_eq!(Currency::Huf.check_price(10_100), Ok(()));
    }

    #[test]
    fn kuna_is_unknown() {
        assert_eq!(Currency::parse("HRK"), None);
        assert_eq!(Currency::parse("czk"), None);
    }
}
