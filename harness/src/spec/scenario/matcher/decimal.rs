//! Decimal numbers with a comma. The documents show neither how many decimals there are, nor whether thousands are set apart.

use serde_json::Value;

/// Whether a text is the decimal number with a comma that is expected: `1 234,5` is `1234,50`.
pub(super) fn is_same(expected: &Value, value: &Value) -> bool {
    let (Some(expected), Some(text)) = (expected.as_str(), value.as_str()) else { return false };
    expected.contains(',') && Decimal::read(expected).is_some_and(|expected| Decimal::read(text) == Some(expected))
}

/// A number by its digits, without those that say nothing.
#[derive(PartialEq, Eq)]
struct Decimal {
    is_negative: bool,
    whole: String,
    fraction: String,
}

impl Decimal {
    fn read(text: &str) -> Option<Self> {
        let (is_negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
        let (whole, fraction) = digits.split_once(',').unwrap_or((digits, ""));
        let whole: String = whole.chars().filter(|sign| !matches!(sign, ' ' | '\u{a0}' | '\u{202f}')).collect();
        let are_digits = |part: &str| part.bytes().all(|digit| digit.is_ascii_digit());
        let is_number = !whole.is_empty() && are_digits(&whole) && are_digits(fraction) && !digits.ends_with(',');
        is_number.then(|| Self {
            is_negative,
            whole: whole.trim_start_matches('0').to_owned(),
            fraction: fraction.trim_end_matches('0').to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn digits_that_say_nothing_make_no_difference() {
        let is = |expected: &str, text: &str| is_same(&json!(expected), &json!(text));
        for text in ["1234,50", "1234,5", "1 234,50", "1\u{a0}234,500", "01234,5"] {
            assert!(is("1234,50", text), "{text}");
        }
        for text in ["-1234,50", "1234,05", "1234.50", "1234,5,0", "1234,", ",5", "", "x1234,50", "123450", "--1234,50"] {
            assert!(!is("1234,50", text), "{text}");
        }
        assert!(is("1,00", "1") && is("-40,00", "-40,0") && !is("1", "1,0") && !is_same(&json!("1,00"), &json!(1)));
    }
}
