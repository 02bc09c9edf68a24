//! How a text writes an amount: the same money is `1234`, `12,34` or `12.34` in different places.

use serde_json::Value;

use crate::wire::expression::text_of;

/// How a value is read before it is compared or added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AmountFormat {
    /// As it is written.
    #[default]
    Text,
    /// A whole number, in minor units.
    Integer,
    /// A decimal number with a comma, in major units.
    Comma,
    /// A decimal number with a dot, in major units.
    Dot,
}

impl AmountFormat {
    /// The names in contracts.
    pub(super) const NAMES: [&str; 4] = ["text", "integer", "comma", "dot"];

    /// A reading by its name.
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "text" => Some(Self::Text),
            "integer" => Some(Self::Integer),
            "comma" => Some(Self::Comma),
            "dot" => Some(Self::Dot),
            _ => None,
        }
    }

    /// A canonical text of the value, so that the same amount is equal in every spelling.
    pub fn text(self, value: &Value) -> Option<String> {
        match self {
            Self::Text => text_of(value),
            Self::Integer | Self::Comma | Self::Dot => self.minor_units(value).map(|amount| amount.to_string()),
        }
    }

    /// The amount in minor units, if the value is one.
    pub fn minor_units(self, value: &Value) -> Option<i64> {
        match value {
            Value::String(text) => self.amount(text),
            other => self.amount(&text_of(other)?),
        }
    }

    fn amount(self, text: &str) -> Option<i64> {
        match self {
            Self::Text | Self::Integer => text.trim().parse().ok(),
            Self::Comma => decimal(text, ','),
            Self::Dot => decimal(text, '.'),
        }
    }
}

/// Hundredths of a decimal number. Further decimal places must be zeros: no document says how many there are. Spaces may group the digits.
fn decimal(text: &str, point: char) -> Option<i64> {
    let mut characters = text.chars().filter(|c| !matches!(c, ' ' | '\u{a0}' | '\u{202f}')).peekable();
    let negative = characters.next_if_eq(&'-').is_some();
    let (mut amount, mut whole, mut places) = (0_i64, 0_u32, None);
    for c in characters {
        match (c.to_digit(10), places) {
            (Some(0), Some(2)) => {}
            (Some(_), Some(2)) => return None,
            (Some(digit), _) => {
                amount = amount.checked_mul(10)?.checked_add(i64::from(digit))?;
                whole += u32::from(places.is_none());
                places = places.map(|count| count + 1);
            }
            (None, None) if c == point => places = Some(0),
            (None, _) => return None,
        }
    }
    let amount = amount.checked_mul(10_i64.pow(2 - places.unwrap_or(0)))?;
    (whole > 0).then_some(if negative { -amount } else { amount })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn one_amount_reads_alike_in_every_spelling() {
        for (reading, value) in [
            (AmountFormat::Integer, json!(-1250)),
            (AmountFormat::Integer, json!("-1250")),
            (AmountFormat::Comma, json!("-12,50")),
            (AmountFormat::Comma, json!("-12,5")),
            (AmountFormat::Comma, json!("-12,5000")),
            (AmountFormat::Dot, json!("-12.50")),
            (AmountFormat::Dot, json!(-12.5)),
        ] {
            assert_eq!(reading.text(&value).as_deref(), Some("-1250"), "{reading:?} {value}");
        }
        assert_eq!(AmountFormat::Comma.minor_units(&json!("1 234,00")), Some(123_400));
    }

    #[test]
    fn what_is_no_amount_is_none() {
        for text in ["", "-", ",50", "1.50", "1,505", "1,5005", "1,500,", "a", "1,5,0"] {
            assert_eq!(AmountFormat::Comma.minor_units(&json!(text)), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_amount_is_read_back(amount in -1_000_000_000i64..1_000_000_000) {
            let sign = if amount < 0 { "-" } else { "" };
            let text = format!("{sign}{},{:02}", amount.abs() / 100, amount.abs() % 100);
            prop_assert_eq!(AmountFormat::Comma.minor_units(&json!(text)), Some(amount));
        }
    }
}
