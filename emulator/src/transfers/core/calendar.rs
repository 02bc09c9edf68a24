//! Business days of Czech banks.

use jiff::Timestamp;
use jiff::civil::{Date, Weekday};

use crate::base::prague;

/// Public holidays on a fixed day: month and day.
const HOLIDAYS: [(i8, i8); 11] = [(1, 1), (5, 1), (5, 8), (7, 5), (7, 6), (9, 28), (10, 28), (11, 17), (12, 24), (12, 25), (12, 26)];

/// The hour at which the transfers of the previous day are listed; "in the morning", the document says.
const MORNING: i8 = 6;

/// The day on which payments of `day` are transferred.
pub(crate) fn next_business_day(day: Date) -> Date {
    std::iter::successors(day.tomorrow().ok(), |day| day.tomorrow().ok()).find(|day| is_business_day(*day)).unwrap_or(Date::MAX)
}

/// The moment from which the transfers of a day are listed: "in the morning of the following day".
pub(crate) fn listed_from(day: Date) -> Timestamp {
    day.tomorrow().map_or(Timestamp::MAX, |morrow| prague::at(morrow.at(MORNING, 0, 0, 0)))
}

fn is_business_day(day: Date) -> bool {
    let weekend = matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday);
    !weekend && !HOLIDAYS.contains(&(day.month(), day.day())) && !is_around_easter(day)
}

/// Good Friday or Easter Monday.
fn is_around_easter(day: Date) -> bool {
    let from_sunday = easter_sunday(day.year()).and_then(|sunday| day.since(sunday).ok()).map(|span| span.get_days());
    matches!(from_sunday, Some(-2 | 1))
}

/// The Gregorian computus of Meeus, Jones and Butcher.
fn easter_sunday(year: i16) -> Option<Date> {
    let year = i32::from(year);
    let (golden, century, rest) = (year % 19, year / 100, year % 100);
    let moon = (19 * golden + century - century / 4 - (century - (century + 8) / 25 + 1) / 3 + 15) % 30;
    let weekday = (32 + 2 * (century % 4) + 2 * (rest / 4) - moon - rest % 4) % 7;
    let correction = (golden + 11 * moon + 22 * weekday) / 451;
    let days = moon + weekday - 7 * correction + 114;
    Date::new(i16::try_from(year).ok()?, i8::try_from(days / 31).ok()?, i8::try_from(days % 31 + 1).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(day: &str) -> String {
        next_business_day(day.parse().unwrap()).to_string()
    }

    #[test]
    fn weekends_and_holidays_are_passed_over() {
        for (paid, transferred) in [
            ("2026-01-15", "2026-01-16"),
            ("2026-01-16", "2026-01-19"),
            ("2026-01-17", "2026-01-19"),
            ("2026-01-18", "2026-01-19"),
            ("2026-04-02", "2026-04-07"),
            ("2026-12-23", "2026-12-28"),
            ("2026-12-31", "2027-01-04"),
            ("2026-11-16", "2026-11-18"),
        ] {
            assert_eq!(next(paid), transferred, "{paid}");
        }
    }

    #[test]
    fn easter_is_where_it_was() {
        for (year, sunday) in [(2024, "2024-03-31"), (2025, "2025-04-20"), (2026, "2026-04-05"), (2038, "2038-04-25")] {
            assert_eq!(easter_sunday(year).unwrap().to_string(), sunday);
        }
    }

    #[test]
    fn a_morning_is_six_in_prague_in_winter_and_in_summer() {
        for (day, morning) in
            [("2026-01-15", "2026-01-16T05:00:00Z"), ("2026-03-28", "2026-03-29T04:00:00Z"), ("2026-10-24", "2026-10-25T05:00:00Z")]
        {
            assert_eq!(listed_from(day.parse().unwrap()).to_string(), morning);
        }
    }
}
