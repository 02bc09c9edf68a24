//! The currencies of QR payments.

use super::Violation;
use crate::base::wire_enum::wire_enum;
use crate::common;

wire_enum! {
    /// "ISO 4217: CZK or EUR."
    pub(crate) enum Currency {
        Czk = "CZK",
        Eur = "EUR",
    }
}

impl Currency {
    /// The highest amount of a test payment that ends PAID, in minor units: 2 000 CZK or 80 EUR.
    pub(crate) const fn test_threshold(self) -> i64 {
        match self {
            Self::Czk => 2_000 * 100,
            Self::Eur => 80 * 100,
        }
    }

    /// Reads a required currency.
    pub(super) fn read(word: Option<&str>) -> Result<Self, Violation> {
        Self::parse(word.ok_or(Violation::Missing("currency"))?).ok_or(Violation::UnknownCurrency)
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

/// "Integer >= 1, minor units."
pub(super) fn read_amount(amount: Option<i64>) -> Result<i64, Violation> {
    let amount = amount.ok_or(Violation::Missing("amount"))?;
    if amount >= 1 { Ok(amount) } else { Err(Violation::AmountTooLow) }
}

/// An amount in major units, as QR codes write it: 12345 is `123.45`.
pub(super) fn in_major_units(amount: i64) -> String {
    format!("{}.{:02}", amount / 100, amount % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_czk_and_eur_are_taken() {
        assert_eq!(Currency::read(Some("CZK")), Ok(Currency::Czk));
        assert_eq!(Currency::read(Some("EUR")), Ok(Currency::Eur));
        assert_eq!(Currency::read(None), Err(Violation::Missing("currency")));
        for other in ["USD", "czk", "PLN", "203"] {
            assert_eq!(Currency::read(Some(other)), Err(Violation::UnknownCurrency), "{other}");
        }
    }

    #[test]
    fn an_amount_is_at_least_one_minor_unit() {
        assert_eq!(read_amount(Some(1)), Ok(1));
        assert_eq!(read_amount(Some(0)), Err(Violation::AmountTooLow));
        assert_eq!(read_amount(Some(-1)), Err(Violation::AmountTooLow));
        assert_eq!(read_amount(None), Err(Violation::Missing("amount")));
    }

    #[test]
    fn major_units_have_two_decimals() {
        assert_eq!([1, 10, 100, 12_345].map(in_major_units), ["0.01", "0.10", "1.00", "123.45"]);
    }
}
