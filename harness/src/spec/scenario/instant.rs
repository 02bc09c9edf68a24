//! Times in templates and expectations: `{{ expiration | seconds }}`, `{{ now | later(900) }}`.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use minijinja::{Error, ErrorKind};

use super::iso8601::Written;

/// The zone of a time that names none.
const HOME: &str = "Europe/Prague";

/// How far a time without a zone may be from what it says.
const ANY_ZONE: i64 = 13 * 60 * 60;

/// A time of ISO 8601.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instant {
    /// Seconds since 1970.
    seconds: i64,
    has_zone: bool,
}

impl Instant {
    /// Reads a time; one without a zone is that of home.
    pub(super) fn read(text: &str) -> Option<Self> {
        if let Some(written) = Written::read(text) {
            let time = written.timestamp(TimeZone::get(HOME).ok()?)?;
            return Some(Self { seconds: time.as_second(), has_zone: written.has_zone() });
        }
        // A day without a time.
        let civil: DateTime = text.parse().ok()?;
        let zoned = civil.to_zoned(TimeZone::get(HOME).ok()?).ok()?;
        Some(Self { seconds: zoned.timestamp().as_second(), has_zone: false })
    }

    /// How many seconds later than another it may be: the earliest and the latest. They differ if one of the two names no zone.
    pub(super) fn after(self, other: Self) -> (i64, i64) {
        let apart = self.seconds - other.seconds;
        let free = if self.has_zone == other.has_zone { 0 } else { ANY_ZONE };
        (apart - free, apart + free)
    }
}

/// The filter `seconds`: an ISO 8601 time as seconds since 1970, so that a script can compute with it.
#[expect(clippy::needless_pass_by_value, reason = "a filter takes its value")]
pub(super) fn seconds(text: String) -> Result<i64, Error> {
    read(&text).map(|time| time.seconds)
}

/// The filter `later`: the time that many seconds later, in UTC.
#[expect(clippy::needless_pass_by_value, reason = "a filter takes its value")]
pub(super) fn later(text: String, seconds: i64) -> Result<String, Error> {
    let unreachable = |_| Error::new(ErrorKind::InvalidOperation, format!("no time is {seconds} s after `{text}`"));
    let time = Timestamp::from_second(read(&text)?.seconds.saturating_add(seconds)).map_err(unreachable)?;
    Ok(time.to_string())
}

fn read(text: &str) -> Result<Instant, Error> {
    let unreadable = || Error::new(ErrorKind::InvalidOperation, format!("`{text}` is no ISO 8601 time that can be computed with"));
    Instant::read(text).ok_or_else(unreadable)
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
            "2026-03-01t10:00:00z",
            "2026-03-01T11:00+01",
            "2026-060T10:00:00Z",
            "2026-W09-7T11:00+01:00",
            "2026-03-01T11:00:00", // in Prague
        ] {
            assert_eq!(seconds(text.to_owned()).unwrap(), 1_772_359_200, "{text}");
        }
        assert_eq!(later("2026-03-01T11:00+01".to_owned(), -60).unwrap(), "2026-03-01T09:59:00Z");
        assert!(seconds("soon".to_owned()).unwrap_err().to_string().contains("`soon` is no ISO 8601 time"));
    }
}
