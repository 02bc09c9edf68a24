//! The bounds of a price.

use super::Violation;
use crate::common::Currency;

/// Checks the price of a new payment, in minor units.
pub(super) fn check_price(currency: Currency, price: i64) -> Result<(), Violation> {
    if !currency.is_whole(price) {
        return Err(Violation::PriceNotWhole);
    }
    if currency.bounds().contains(&price) { Ok(()) } else { Err(Violation::PriceOutOfBounds(currency)) }
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
            assert_eq!(check_price(currency, low), Ok(()), "{currency:?} {low}");
            assert_eq!(check_price(currency, high), Ok(()), "{currency:?} {high}");
            for outside in [low - step, high + step] {
                assert_eq!(check_price(currency, outside), Err(Violation::PriceOutOfBounds(currency)), "{currency:?} {outside}");
            }
        }
    }

    #[test]
    fn the_table_has_every_currency() {
        assert_eq!(TABLE.map(|row| row.0).as_slice(), Currency::ALL);
    }

    #[test]
    fn a_price_in_forints_ends_with_00() {
        assert_eq!(check_price(Currency::Huf, 10_050), Err(Violation::PriceNotWhole));
        assert_eq!(check_price(Currency::Huf, 10_100), Ok(()));
    }
}
