//! How long a payment waits for its payer.

use jiff::SignedDuration;

const SHORTEST: i64 = 30 * 60;
const LONGEST: i64 = 7 * 24 * 60 * 60;

/// Why a text is no expiration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExpirationError {
    /// It is not an integer and one unit.
    Malformed,
    /// It is below 30 minutes or above 7 days.
    OutOfBounds,
}

/// Reads `^[1-9][0-9]*(m|h|d)$`, between 30 minutes and 7 days.
pub(crate) fn parse(text: &str) -> Result<SignedDuration, ExpirationError> {
    let seconds = seconds(text).ok_or(ExpirationError::Malformed)?;
    if (SHORTEST..=LONGEST).contains(&seconds) { Ok(SignedDuration::from_secs(seconds)) } else { Err(ExpirationError::OutOfBounds) }
}

fn seconds(text: &str) -> Option<i64> {
    let (count, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let unit = match unit {
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        _ => return None,
    };
    let plain = count.bytes().all(|b| b.is_ascii_digit()) && !count.is_empty() && !count.starts_with('0');
    // An integer too long to count is well formed, and longer than any bound.
    plain.then(|| count.parse::<i64>().unwrap_or(i64::MAX).saturating_mul(unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirty_minutes_to_seven_days_in_any_unit() {
        for (text, seconds) in [("30m", 1800), ("1h", 3600), ("168h", 604_800), ("10080m", 604_800), ("7d", 604_800)] {
            assert_eq!(parse(text), Ok(SignedDuration::from_secs(seconds)), "{text}");
        }
    }

    #[test]
    fn outside_of_the_bounds_is_refused() {
        for text in ["29m", "10081m", "169h", "8d", "99999999999999999999d"] {
            assert_eq!(parse(text), Err(ExpirationError::OutOfBounds), "{text}");
        }
    }

    #[test]
    fn one_integer_and_one_unit() {
        for text in ["", "d", "1", "0d", "01d", "1D", "1s", "1h30m", "-1d", "+1d", " 1d", "1 d", "1.5d", "1é"] {
            assert_eq!(parse(text), Err(ExpirationError::Malformed), "{text}");
        }
    }
}
