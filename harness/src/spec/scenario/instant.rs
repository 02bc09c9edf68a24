//! Times in templates: `{{ expiration | seconds }}`.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use minijinja::{Error, ErrorKind};

/// The zone of a time that names none.
const HOME: &str = "Europe/Prague";

/// The filter `seconds`: an ISO 8601 time as seconds since 1970, so that a script can compute with it.
#[expect(clippy::needless_pass_by_value, reason = "a filter takes its value")]
pub(super) fn seconds(text: String) -> Result<i64, Error> {
    let unreadable = || Error::new(ErrorKind::InvalidOperation, format!("`{text}` is no ISO 8601 time that can be computed with"));
    if let Ok(time) = text.parse::<Timestamp>() {
        return Ok(time.as_second());
    }
    let civil: DateTime = text.parse().map_err(|_| unreadable())?;
    let zone = TimeZone::get(HOME).map_err(|_| unreadable())?;
    Ok(civil.to_zoned(zone).map_err(|_| unreadable())?.timestamp().as_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_usual_way_to_write_a_time_is_the_same_time() {
        for text in [
            "2026-03-01T10:00:00Z",
            "2026-03-01T11:00:00+01:00",
            "2026-03-01T11:00:00.123+01:00",
            "2026-03-01T11:00:00,123+0100",
            "20260301T100000Z",
            "2026-03-01T11:00+01",
            "2026-03-01T11:00:00", // in Prague
        ] {
            assert_eq!(seconds(text.to_owned()).unwrap(), 1_772_359_200, "{text}");
        }
        assert!(seconds("soon".to_owned()).unwrap_err().to_string().contains("`soon` is no ISO 8601 time"));
    }
}
