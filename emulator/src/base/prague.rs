//! Time in Europe/Prague, winter or summer time according to the date.

use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

/// The rules of the zone are embedded in the program, so that it is always found.
static ZONE: LazyLock<TimeZone> = LazyLock::new(|| TimeZone::get("Europe/Prague").unwrap_or(TimeZone::UTC));

/// The date and time in Prague.
pub(crate) fn date_time(at: Timestamp) -> DateTime {
    ZONE.to_datetime(at)
}

/// The date in Prague.
pub(crate) fn date(at: Timestamp) -> Date {
    date_time(at).date()
}

/// The moment when clocks in Prague show a date and time. A time skipped in spring counts as one hour later, and of a time
/// repeated in autumn the first counts.
pub(crate) fn at(shown: DateTime) -> Timestamp {
    ZONE.to_timestamp(shown).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(at: &str) -> String {
        date_time(at.parse().unwrap()).to_string()
    }

    #[test]
    fn winter_time_and_summer_time_differ() {
        assert_eq!(shown("2026-01-15T23:00:00Z"), "2026-01-16T00:00:00");
        assert_eq!(shown("2026-07-15T22:00:00Z"), "2026-07-16T00:00:00");
    }

    #[test]
    fn days_of_change_are_23_and_25_hours_long() {
        for (day, hours) in [("2026-03-29", 23), ("2026-10-25", 25), ("2026-06-01", 24)] {
            let day: Date = day.parse().unwrap();
            let next = day.tomorrow().unwrap();
            assert_eq!(at(next.into()).duration_since(at(day.into())).as_hours(), hours, "{day}");
        }
    }
}
