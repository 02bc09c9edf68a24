//! Czech account numbers: an optional prefix, a number, a bank; `19-2000145399/0800`.

use std::fmt;

/// An account number. Prefix and number keep the check of the standard (modulo 11) where we make them up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct AccountNumber {
    /// Up to six digits.
    prefix: u32,
    /// Up to ten digits.
    number: u64,
    /// Four digits.
    bank: u16,
}

/// The bank of accounts that are made up.
const BANK: u16 = 800;
/// The weights of the check, most significant digit first.
const WEIGHTS: [u64; 10] = [6, 3, 7, 9, 10, 5, 8, 4, 2, 1];

impl AccountNumber {
    /// A number without a prefix, of any bank.
    pub(crate) const fn plain(number: u64, bank: u16) -> Self {
        Self { prefix: 0, number, bank }
    }

    /// Reads an account number.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (account, bank) = text.split_once('/')?;
        let (prefix, number) = account.split_once('-').unwrap_or(("0", account));
        let of_digits = |part: &str, most| (1..=most).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        if !of_digits(prefix, 6) || !of_digits(number, 10) || bank.len() != 4 || !of_digits(bank, 4) {
            return None;
        }
        Some(Self { prefix: prefix.parse().ok()?, number: number.parse().ok()?, bank: bank.parse().ok()? })
    }

    /// Returns the identifier itself if it is an account number, or else makes one up, always the same.
    pub(crate) fn of_identifier(identifier: &str) -> Self {
        Self::parse(identifier).unwrap_or_else(|| Self::made_up(identifier))
    }

    fn made_up(identifier: &str) -> Self {
        let seed = identifier.bytes().fold(7, |seed: u64, byte| (seed * 31 + u64::from(byte)) % 1_000_000_000);
        let number = (1_000_000_000 + seed..).find(|number| is_checked(*number)).unwrap_or_default();
        Self::plain(number, BANK)
    }

    /// The bank, four digits.
    pub(crate) const fn bank(self) -> u16 {
        self.bank
    }

    /// Prefix and number as the sixteen digits of an ABO record.
    pub(crate) fn abo_digits(self) -> u64 {
        u64::from(self.prefix) * 10_000_000_000 + self.number
    }
}

/// Whether the digits of a number, weighted, add up to a multiple of eleven.
fn is_checked(number: u64) -> bool {
    let weighted = WEIGHTS.iter().rev().scan(number, |rest, weight| {
        let digit = *rest % 10;
        *rest /= 10;
        Some(digit * weight)
    });
    weighted.sum::<u64>() % 11 == 0
}

impl fmt::Display for AccountNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.prefix != 0 {
            write!(f, "{}-", self.prefix)?;
        }
        write!(f, "{}/{:04}", self.number, self.bank)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_made_up_account_reads_back_and_is_checked(identifier: String) {
            let account = AccountNumber::made_up(&identifier);
            prop_assert_eq!(AccountNumber::parse(&account.to_string()), Some(account));
            prop_assert!(is_checked(account.number));
        }

        #[test]
        fn any_text_is_read_without_harm(text: String) {
            let _ = AccountNumber::parse(&text);
        }
    }

    #[test]
    fn an_identifier_that_is_a_number_is_the_account() {
        assert!(is_checked(2_000_145_399));
        let account = AccountNumber::of_identifier("19-2000145399/0800");
        assert_eq!((account.to_string().as_str(), account.abo_digits()), ("19-2000145399/0800", 192_000_145_399));
        assert_ne!(AccountNumber::of_identifier("main"), AccountNumber::of_identifier("other"));
    }

    #[test]
    fn other_shapes_are_no_number() {
        for text in ["", "1", "1/1", "1/00100", "-1/0100", "1-/0100", "1234567-1/0100", "12345678901/0100", "a/0100", "+1/0100"] {
            assert_eq!(AccountNumber::parse(text), None, "{text}");
        }
    }
}
