//! Values that real clients write in another way than the documents do, as a tolerant world reads them.

use super::language;
use crate::common::{Country, Currency};

/// Reads the country of a payment. Clients also offer the languages of Slovenia and Sweden as countries.
pub(super) fn country(code: &str, tolerant: bool) -> Option<Country> {
    Country::parse(code).or_else(|| match code.to_ascii_uppercase().as_str() {
        _ if !tolerant => None,
        "SL" => Country::parse("SI"),
        "SV" => Country::parse("SE"),
        capitals => Country::parse(capitals),
    })
}

/// Reads the currency of a payment.
pub(super) fn currency(code: &str, tolerant: bool) -> Option<Currency> {
    Currency::parse(code).or_else(|| Currency::parse(&code.to_ascii_uppercase()).filter(|_| tolerant))
}

/// Reads the language of the instructions to the payer. Clients also offer the country of Slovenia as a language.
pub(super) fn language(code: &str, tolerant: bool) -> Option<&'static str> {
    language::parse(code).or_else(|| match code.to_ascii_lowercase().as_str() {
        _ if !tolerant => None,
        "si" => language::parse("sl"),
        small => language::parse(small),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tolerant_world_ignores_case_and_takes_codes_of_older_lists() {
        for (written, meant) in [("cz", "CZ"), ("SL", "SI"), ("SV", "SE"), ("all", "ALL"), ("SE", "SE")] {
            assert_eq!(country(written, true), Country::parse(meant), "{written}");
        }
        assert_eq!(currency("czk", true), Some(Currency::Czk));
        assert_eq!((language("CS", true), language("si", true)), (Some("cs"), Some("sl")));
        assert_eq!((country("JP", true), currency("JPY", true), language("ja", true)), (None, None, None));
    }

    #[test]
    fn other_worlds_take_what_is_documented() {
        for written in ["cz", "SL", "SV"] {
            assert_eq!(country(written, false), None, "{written}");
        }
        assert_eq!((currency("czk", false), language("CS", false), language("si", false)), (None, None, None));
        assert_eq!((currency("CZK", false), language("cs", false)), (Some(Currency::Czk), Some("cs")));
    }
}
