//! The card a payment was made with, shown so that the card holder can recognise it.

/// A card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Card {
    /// Partial card number: first six and last four digits.
    pub(crate) number: Box<str>,
    /// Month and year, `MM/YY`.
    pub(crate) valid: Box<str>,
}

impl Card {
    /// Reads a card; a full number is cut to a partial one. The error says what to do.
    pub(crate) fn new(number: &str, valid: &str) -> Result<Self, &'static str> {
        let partial = partial(number).ok_or("cardNumber has 13 to 19 digits; all but the first six and the last four may be asterisks")?;
        if !is_month_and_year(valid) {
            return Err("cardValid is a month and a year, MM/YY");
        }
        Ok(Self { number: partial.into(), valid: valid.into() })
    }

    /// Makes up a card, the same for the same symbol.
    pub(crate) fn for_symbol(symbol: u64, year: i16) -> Self {
        let (issuer, last_four) = (if symbol.is_multiple_of(2) { "516844" } else { "453201" }, symbol % 10_000);
        Self { number: format!("{issuer}******{last_four:04}").into(), valid: format!("12/{:02}", (year + 3).rem_euclid(100)).into() }
    }
}

fn partial(number: &str) -> Option<String> {
    let plain = number.bytes().all(|b| b.is_ascii_digit() || b == b'*') && (13..=19).contains(&number.len());
    let (first, last) = (number.get(..6)?, number.get(number.len().checked_sub(4)?..)?);
    let shown = plain && !first.contains('*') && !last.contains('*');
    shown.then(|| format!("{first}{}{last}", "*".repeat(number.len() - 10)))
}

fn is_month_and_year(text: &str) -> bool {
    let digits = |part: &str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit());
    let month_of = |month: &str| month.parse::<u8>().is_ok_and(|month| (1..=12).contains(&month));
    text.split_once('/').is_some_and(|(month, year)| digits(month) && digits(year) && month_of(month))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_number_is_never_kept() {
        assert_eq!(&*Card::new("4111111111111111", "12/29").unwrap().number, "411111******1111");
        assert_eq!(&*Card::new("411111******1111", "01/30").unwrap().number, "411111******1111");
    }

    #[test]
    fn what_is_no_card_is_refused() {
        for number in ["", "1234", "4111-1111-1111-1111", "**************11", "41111111111111111111", "ěšč4111111111"] {
            assert!(Card::new(number, "12/29").is_err(), "{number}");
        }
        for valid in ["", "13/29", "00/29", "1/29", "12/2029", "12-29", "+1/29"] {
            assert!(Card::new("4111111111111111", valid).is_err(), "{valid}");
        }
    }

    #[test]
    fn a_made_up_card_is_a_card() {
        let card = Card::for_symbol(123_456_789, 2026);
        assert_eq!(Card::new(&card.number, &card.valid), Ok(card));
    }
}
