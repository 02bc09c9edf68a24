//! Rules shared by the standards of QR payments: amounts, currencies, days, banks and symbols. Each returns what is wrong with a
//! value, if anything.

use crate::base::text::is_digits;

/// Up to ten characters, a dot before at most two decimals, nothing below zero.
pub(super) fn amount(text: &str) -> Option<String> {
    let (whole, decimals) = text.split_once('.').map_or((text, None), |(whole, decimals)| (whole, Some(decimals)));
    let good = is_digits(whole) && decimals.is_none_or(|decimals| is_digits(decimals) && decimals.len() <= 2) && text.len() <= 10;
    (!good).then(|| format!("{text:?} is no amount like 450.00, of at most 10 characters"))
}

/// Three letters, as ISO 4217 has them.
pub(super) fn currency(text: &str) -> Option<String> {
    let good = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase());
    (!good).then(|| format!("{text:?} is no currency like CZK"))
}

/// A day of the calendar, as `20261231`.
pub(super) fn day(text: &str) -> Option<String> {
    let good = text.len() == 8 && is_digits(text) && jiff::civil::Date::strptime("%Y%m%d", text).is_ok();
    (!good).then(|| format!("{text:?} is no day like 20261231"))
}

/// A bank by its SWIFT code: a bank, a country, a place and perhaps a branch.
pub(super) fn bic(text: &str) -> Option<String> {
    let (bank, place) = text.split_at_checked(6).unwrap_or((text, ""));
    let is_place = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_uppercase();
    let good = bank.bytes().all(|byte| byte.is_ascii_uppercase()) && matches!(place.len(), 2 | 5) && place.bytes().all(is_place);
    (!good).then(|| format!("{text:?} is no BIC of 8 or 11 characters"))
}

/// One to `most` digits.
pub(super) fn digits(text: &str, most: usize) -> Option<String> {
    (!is_digits(text) || text.len() > most).then(|| format!("{text:?} is not made of 1 to {most} digits"))
}

/// At most `most` characters.
pub(super) fn length(text: &str, most: usize) -> Option<String> {
    let count = text.chars().count();
    (count > most).then(|| format!("{count} characters are more than the {most} that it may have"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hold(rule: fn(&str) -> Option<String>, good: &[&str], wrong: &[&str]) {
        good.iter().for_each(|text| assert_eq!(rule(text), None, "{text}"));
        wrong.iter().for_each(|text| assert!(rule(text).is_some_and(|message| message.contains(&format!("{text:?}"))), "{text}"));
    }

    #[test]
    fn each_rule_has_its_bounds() {
        hold(
            amount,
            &["0", "1", "450.5", "450.00", "9999999.99"],
            &["", "abc", "450,00", "-1", "1.", ".5", "1.234", "99999999.99", "1e3", "+1"],
        );
        hold(currency, &["CZK", "EUR"], &["", "123", "czk", "CZ", "CZKK", "ČZK"]);
        hold(day, &["20261231", "20240229"], &["", "20261399", "20230229", "2026-1-1", "261231", "+2026123"]);
        hold(bic, &["GIBACZPX", "TATRSKBXXXX", "FIOBCZPPX01"], &["", "GIBACZ", "GIBACZPXX", "gibaczpx", "1IBACZPX", "GIBACZP-"]);
        hold(|text| digits(text, 10), &["1", "1234567890"], &["", "12345678901", "12a", "-1"]);
        assert_eq!(length(&"ž".repeat(60), 60), None);
        assert!(length(&"ž".repeat(61), 60).is_some_and(|message| message.contains("61 characters")));
    }
}
