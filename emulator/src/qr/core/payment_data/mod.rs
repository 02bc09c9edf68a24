//! What is in the QR code of a payment. It carries the payment's own symbol, never the operator's: that is how incoming
//! money is matched.

mod epc;
mod pay_by_square;
mod payee;
mod spayd;

use self::payee::{CZECH, SLOVAK};
use super::Currency;
use super::currency::in_major_units;
use super::method::Format;

/// Writes the code in the format of the payment's method; the amount is in minor units.
pub(super) fn write(format: Format, amount: i64, currency: Currency, symbol: u32) -> String {
    let amount = in_major_units(amount);
    match format {
        Format::Spayd => spayd::write(&CZECH, &amount, currency, symbol),
        Format::PayBySquare => pay_by_square::write(&SLOVAK, &amount, currency, symbol),
        Format::Epc => epc::write(&CZECH, &amount, symbol),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::qr::core::Creation;
    use crate::qr::core::examples::{creation, payment_of};

    /// ISO 13616: the four letters in front go to the end, letters count from A = 10, and the remainder by 97 is 1.
    fn remainder(iban: &str) -> u32 {
        let (front, rest) = iban.split_at(4);
        rest.chars().chain(front.chars()).fold(0, |remainder, letter| {
            let value = letter.to_digit(36).unwrap();
            (if value < 10 { remainder * 10 } else { remainder * 100 } + value) % 97
        })
    }

    #[test]
    fn the_accounts_have_valid_check_digits() {
        assert_eq!((remainder(CZECH.iban), remainder(SLOVAK.iban)), (1, 1));
    }

    #[test]
    fn each_method_has_its_format() {
        let data = |currency, method| {
            let request = Creation {
                currency: Some(currency),
                method: Some(method),
                amount: Some(1_234),
                variable_symbol: Some("777"),
                ..creation()
            };
            payment_of(&request, true).payment_data().unwrap()
        };
        assert_eq!(data("CZK", "BANK_CZ_T_OTHER"), "SPD*1.0*ACC:CZ6508000000192000145399*AM:12.34*CC:CZK*X-VS:42");
        assert_eq!(data("CZK", "BANK_CZ_T_PB"), data("CZK", "BANK_CZ_T_OTHER"));
        assert!(data("EUR", "BANK_EUR_T_OTHER").starts_with("BCD\n002\n1\nSCT\n"));
        assert!(data("EUR", "BANK_SK_T_OTHER").bytes().all(|byte| byte.is_ascii_digit() || (b'A'..=b'V').contains(&byte)));
    }
}
