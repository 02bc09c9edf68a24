//! The payment code: three groups of four capitals and digits, `AB12-CD34-EF56`, opaque to merchants.

use std::fmt;

/// Twelve digits of base 36, so it fits a machine word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TransId(u64);

const COUNT: u64 = 36_u64.pow(12);
const DIGITS: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

impl TransId {
    /// Makes a code from random bits.
    pub(crate) const fn from_random(bits: u64) -> Self {
        Self(bits % COUNT)
    }

    /// Reads a code; `None` for any other shape.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let letters: &[u8; 14] = text.as_bytes().try_into().ok()?;
        let is_grouped = letters.iter().enumerate().all(|(at, letter)| matches!(at, 4 | 9) == (*letter == b'-'));
        if !is_grouped {
            return None;
        }
        number_of(letters.iter().filter(|letter| **letter != b'-')).map(Self)
    }

    /// The number behind the code.
    pub(crate) const fn number(self) -> u64 {
        self.0
    }

    /// The twelve digits alone.
    pub(crate) fn digits(self) -> [u8; 12] {
        let mut digits = [b'0'; 12];
        let mut rest = self.0;
        for digit in digits.iter_mut().rev() {
            *digit = usize::try_from(rest % 36).ok().and_then(|value| DIGITS.get(value).copied()).unwrap_or(b'0');
            rest /= 36;
        }
        digits
    }

    /// Reads the twelve digits alone.
    pub(crate) fn from_digits(text: &str) -> Option<Self> {
        let digits: &[u8; 12] = text.as_bytes().try_into().ok()?;
        number_of(digits).map(Self)
    }

    /// The fourteen letters of the code.
    pub(crate) fn text(self) -> TransIdText {
        let mut text = *b"0000-0000-0000";
        let places = text.iter_mut().filter(|letter| **letter != b'-');
        places.zip(self.digits()).for_each(|(place, digit)| *place = digit);
        TransIdText(text)
    }
}

/// The number with these digits; twelve of them are not too many.
fn number_of<'d>(digits: impl IntoIterator<Item = &'d u8>) -> Option<u64> {
    digits.into_iter().try_fold(0, |number, digit| Some(number * 36 + value_of(*digit)?))
}

fn value_of(digit: u8) -> Option<u64> {
    match digit {
        b'0'..=b'9' => Some(u64::from(digit - b'0')),
        b'A'..=b'Z' => Some(u64::from(digit - b'A') + 10),
        _ => None,
    }
}

impl fmt::Display for TransId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text().as_str())
    }
}

/// A code spelled out, without an allocation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TransIdText([u8; 14]);

impl TransIdText {
    /// The code as text.
    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_code_reads_back(bits: u64) {
            let id = TransId::from_random(bits);
            prop_assert_eq!(TransId::parse(&id.to_string()), Some(id));
            prop_assert_eq!(TransId::from_digits(&id.to_string().replace('-', "")), Some(id));
            let digits = id.digits();
            prop_assert_eq!(String::from_utf8_lossy(&digits), id.to_string().replace('-', ""));
        }

        #[test]
        fn any_text_is_read_without_harm(text: String) {
            if let Some(id) = TransId::parse(&text) {
                prop_assert_eq!(id.to_string(), text);
            }
        }
    }

    #[test]
    fn other_shapes_are_no_code() {
        for text in ["", "AB12CD34EF56", "ab12-cd34-ef56", "AB12-CD34-EF5", "AB12-CD34-EF567", "AB12_CD34_EF56", "ÁB1-CD34-EF56"] {
            assert_eq!(TransId::parse(text), None, "{text}");
        }
    }
}
