//! EPC069-12, the QR code of SEPA credit transfers: twelve elements, one a line, of which the empty ones at the end are
//! left out. Version 002.

use super::payee::PayeeAccount;

/// The amount is in euros. The remittance information carries the variable symbol as Czech and Slovak banks write it into
/// SEPA payments.
pub(super) fn write(payee: &PayeeAccount, amount: &str, symbol: u32) -> String {
    const SERVICE_TAG: &str = "BCD";
    const VERSION: &str = "002";
    const UTF8: &str = "1";
    const CREDIT_TRANSFER: &str = "SCT";
    let (amount, remittance) = (format!("EUR{amount}"), format!("/VS{symbol}/SS/KS"));
    let (purpose, structured_remittance) = ("", "");
    [SERVICE_TAG, VERSION, UTF8, CREDIT_TRANSFER, payee.bic, payee.name, payee.iban, &amount, purpose, structured_remittance, &remittance]
        .join("\n")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::payee::CZECH;
    use super::*;
    use crate::qr::core::currency::in_major_units;

    proptest! {
        #[test]
        fn what_is_written_reads_back(amount in 1..=10_000_000_i64, symbol in 0..1_000_000_000_u32) {
            let written = write(&CZECH, &in_major_units(amount), symbol);
            prop_assert!(written.len() <= 331, "what fits into the code");
            let elements: Vec<_> = written.split('\n').collect();
            prop_assert_eq!(&elements[..4], ["BCD", "002", "1", "SCT"]);
            prop_assert_eq!(&elements[4..7], [CZECH.bic, CZECH.name, CZECH.iban]);
            prop_assert_eq!(elements[7].strip_prefix("EUR").unwrap().replace('.', "").parse::<i64>().unwrap(), amount);
            prop_assert_eq!(&elements[8..10], ["", ""], "either remittance, not both");
            let vs = elements[10].strip_prefix("/VS").and_then(|rest| rest.strip_suffix("/SS/KS"));
            prop_assert_eq!(vs.unwrap().parse::<u32>().unwrap(), symbol);
            prop_assert_eq!(elements.len(), 11);
        }
    }
}
