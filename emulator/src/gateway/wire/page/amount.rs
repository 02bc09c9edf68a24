//! Amounts as people write them: by currency and language.

use crate::common::Currency;

/// Between a number and its currency, and between thousands: no line is broken there.
const NO_BREAK_SPACE: &str = "\u{a0}";

/// An amount in minor units, `1 234,50 Kč` or `€1,234.50`.
pub(super) fn for_people(minor: i64, currency: Currency, language: &str) -> String {
    let number = number(minor, currency, language);
    let symbol = symbol(currency, language);
    match language {
        // A sign is written without a space, letters with one.
        "en" if symbol.chars().all(char::is_alphabetic) => format!("{symbol}{NO_BREAK_SPACE}{number}"),
        "en" => format!("{symbol}{number}"),
        "nl" => format!("{symbol}{NO_BREAK_SPACE}{number}"),
        _ => format!("{number}{NO_BREAK_SPACE}{symbol}"),
    }
}

/// The same for programs: `1234.50 CZK`.
pub(super) fn for_programs(minor: i64, currency: Currency) -> String {
    format!("{}.{:02} {}", minor / 100, minor % 100, currency.as_str())
}

fn number(minor: i64, currency: Currency, language: &str) -> String {
    let (group, point) = separators(language);
    let whole = grouped(&(minor / 100).to_string(), group);
    // The forint has no minor coins.
    if currency == Currency::Huf { whole } else { format!("{whole}{point}{:02}", minor % 100) }
}

/// What stands between thousands, and before the minor units.
fn separators(language: &str) -> (&'static str, &'static str) {
    match language {
        "en" => (",", "."),
        "da" | "de" | "el" | "es" | "hr" | "it" | "nl" | "ro" | "sl" | "vi" => (".", ","),
        _ => (NO_BREAK_SPACE, ","),
    }
}

fn grouped(digits: &str, separator: &str) -> String {
    let mut out = String::with_capacity(digits.len() * 2);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push_str(separator);
        }
        out.push(digit);
    }
    out
}

fn symbol(currency: Currency, language: &str) -> &'static str {
    match currency {
        Currency::Czk => "Kč",
        Currency::Eur => "€",
        Currency::Pln => "zł",
        Currency::Huf => "Ft",
        // Outside of English, the sign alone is ambiguous.
        Currency::Usd if language == "en" => "$",
        Currency::Usd => "US$",
        Currency::Gbp => "£",
        Currency::Ron if language == "ro" => "lei",
        Currency::Ron => "RON",
        // `kr` is unambiguous only in its own country.
        Currency::Nok if language == "no" => "kr",
        Currency::Nok => "NOK",
        Currency::Sek if language == "sv" => "kr",
        Currency::Sek => "SEK",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_follow_currency_and_language() {
        for (minor, currency, language, expected) in [
            (123_450, Currency::Czk, "cs", "1\u{a0}234,50\u{a0}Kč"),
            (123_450, Currency::Czk, "en", "Kč\u{a0}1,234.50"),
            (100_000_000, Currency::Eur, "de", "1.000.000,00\u{a0}€"),
            (123_450, Currency::Eur, "en", "€1,234.50"),
            (123_450, Currency::Eur, "nl", "€\u{a0}1.234,50"),
            (1_250_000, Currency::Huf, "hu", "12\u{a0}500\u{a0}Ft"),
            (5, Currency::Pln, "pl", "0,05\u{a0}zł"),
            (99_900, Currency::Usd, "sk", "999,00\u{a0}US$"),
            (5_000, Currency::Nok, "no", "50,00\u{a0}kr"),
        ] {
            assert_eq!(for_people(minor, currency, language), expected);
        }
        assert_eq!(for_programs(123_405, Currency::Gbp), "1234.05 GBP");
    }
}
