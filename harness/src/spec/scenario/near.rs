//! Times that are about the same.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::iso8601::Written;

/// How far two clocks may be apart: no document says that they agree, only that a time is the current one.
const APART: SignedDuration = SignedDuration::from_mins(15);

/// Whether two texts are times of ISO 8601 that are about the same.
pub(super) fn is_near(value: &Value, other: &Value) -> bool {
    time(value).zip(time(other)).is_some_and(|(time, other)| time.duration_since(other).abs() <= APART)
}

/// A time; one without a zone is in UTC, as all times of the documents that are near to now.
fn time(value: &Value) -> Option<Timestamp> {
    Written::read(value.as_str()?)?.timestamp(TimeZone::UTC)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_iso_8601_is_read() {
        let now = Value::from("2026-03-01T10:00:00Z");
        for near in [
            "20260301T100000Z",
            "2026-03-01T10:00:00,123456Z",
            "2026-03-01T10:00Z",
            "2026-060T10:00:00Z",
            "2026-W09-7T10Z",
            "2026-03-01T12:14:59+02:00",
            "2026-03-01T09:45:00Z",
            "2026-03-01T10:00:00",
            "2026-03-01T10:00:00.281881158",
            "2026-03-01T10:00:00,123456789012Z",
            "2026-03-01T10:00:00.123456789012",
        ] {
            assert!(is_near(&near.into(), &now), "{near}");
        }
        for far in ["2026-03-01T10:15:01Z", "2020-01-01T00:00:00Z", "2026-03-01T11:00:00", "2026-03-01", "now", ""] {
            assert!(!is_near(&far.into(), &now), "{far}");
        }
        assert!(!is_near(&Value::from(1), &now));
    }
}
