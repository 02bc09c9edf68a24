//! Dates and times in ISO 8601.

use jiff::Timestamp;
use jiff::civil::DateTime;

/// Whether the text is a date, or a date and a time, in ISO 8601. The document doesn't say whether an offset has to be
/// there, so it may be missing.
pub(crate) fn is_date_time(text: &str) -> bool {
    // Both parsers also take a space for the T, and a time zone in brackets, which ISO 8601 doesn't know.
    let plain = !text.contains([' ', '[', '_']);
    plain && (text.parse::<Timestamp>().is_ok() || text.parse::<DateTime>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_and_a_fraction_may_be_there() {
        for text in
            ["2026-01-15T12:00:00Z", "2026-01-15T12:00:00.123+01:00", "2026-01-15T12:00:00", "2026-01-15T12:00:00-0500", "2026-01-15"]
        {
            assert!(is_date_time(text), "{text}");
        }
    }

    #[test]
    fn anything_else_is_no_time() {
        for text in ["", "now", "15.1.2026", "2026-13-01T00:00:00Z", "2026-01-15 12:00:00", "2026-01-15T25:00:00Z", "1768478400"] {
            assert!(!is_date_time(text), "{text}");
        }
    }
}
