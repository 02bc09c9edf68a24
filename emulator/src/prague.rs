//! Time in Europe/Prague, winter or summer time according to the date.

use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

/// The zone's rules are part of the program, so it is always there; a test says so.
static ZONE: LazyLock<TimeZone> = LazyLock::new(|| TimeZone::get("Europe/Prague").unwrap_or(TimeZone::UTC));

/// What clocks in Prague show.
pub(crate) fn date_time(at: Timestamp) -> DateTime {
    ZONE.to_datetime(at)
}

/// The day it is in Prague.
pub(crate) fn date(at: Timestamp) -> Date {
    date_time(at).date()
}

/// When clocks in Prague show this. A time skipped in spring is the one an hour later, of a time repeated in autumn it is
/// the first.
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
    fn winter_and_summer_are_told_apart() {
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
