//! SPAYD 1.0, the short payment descriptor of Czech banks: `SPD*1.0*` and attributes, `KEY:value` joined by asterisks.

use super::payee::PayeeAccount;
use crate::qr::core::Currency;

/// Account, amount, currency and variable symbol.
pub(super) fn write(payee: &PayeeAccount, amount: &str, currency: Currency, symbol: u32) -> String {
    format!("SPD*1.0*ACC:{}*AM:{amount}*CC:{}*X-VS:{symbol}", payee.iban, currency.as_str())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::super::payee::CZECH;
    use super::*;
    use crate::qr::core::currency::in_major_units;

    proptest! {
        #[test]
        fn what_is_written_reads_back(amount in 1..1_000_000_000_i64, symbol in 0..1_000_000_000_u32) {
            let written = write(&CZECH, &in_major_units(amount), Currency::Czk, symbol);
            let attributes = written.strip_prefix("SPD*1.0*").unwrap();
            let attributes: BTreeMap<_, _> = attributes.split('*').map(|attribute| attribute.split_once(':').unwrap()).collect();
            prop_assert_eq!(attributes["ACC"], CZECH.iban);
            prop_assert!(attributes["AM"].len() <= 10, "up to ten characters");
            prop_assert_eq!(attributes["AM"].replace('.', "").parse::<i64>().unwrap(), amount);
            prop_assert_eq!((attributes["CC"], attributes["X-VS"].parse::<u32>().unwrap()), ("CZK", symbol));
        }
    }
}
