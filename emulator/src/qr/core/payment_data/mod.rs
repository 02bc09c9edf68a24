//! What is in the QR code of a payment. It carries the payment's own symbol, never the operator's: that is how incoming
//! money is matched.

mod base32hex;
mod crc32;
mod epc;
mod pay_by_square;
mod spayd;

pub(crate) use crc32::crc32;

use super::QrPayment;
use super::currency::in_major_units;
use super::method::Format;

/// Where the money goes: an account of the service, which passes it on to the merchant.
struct Payee {
    name: &'static str,
    iban: &'static str,
    bic: &'static str,
}

/// The account number is the example of the Czech IBAN registry entry.
const CZECH: Payee = Payee { name: "Paycheck", iban: "CZ6508000000192000145399", bic: "GIBACZPX" };
/// The account number is the example of the Slovak IBAN registry entry.
const SLOVAK: Payee = Payee { name: "Paycheck", iban: "SK3112000000198742637541", bic: "BSLOSK22" };

/// Writes the code in the format of the payment's method.
pub(super) fn write(payment: &QrPayment) -> String {
    let amount = in_major_units(payment.order.amount);
    match payment.method.format {
        Format::Spayd => spayd::write(&CZECH, &amount, payment.order.currency, payment.symbol),
        Format::PayBySquare => pay_by_square::write(&SLOVAK, &amount, payment.order.currency, payment.symbol),
        Format::Epc => epc::write(&CZECH, &amount, payment.symbol),
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
