//! Every form of a time that ISO 8601 has: calendar dates, ordinal dates and week dates, in the basic and in the extended format, with
//! seconds or without, and with decimals of what is written last.

use std::sync::LazyLock;

use jiff::civil::{Date, DateTime, ISOWeekDate, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use regex::{Captures, Regex};

/// The forms. A blank in place of the `T` is RFC 3339's, and so are small letters.
const FORMS: &str = concat!(
    "^(?<year>[0-9]{4})-?(?:(?<month>[0-9]{2})-?(?<day>[0-9]{2})|(?<ordinal>[0-9]{3})|W(?<week>[0-9]{2})-?(?<weekday>[1-7]))",
    "[Tt ](?<hour>[0-9]{2})(?::?(?<minute>[0-9]{2})(?::?(?<second>[0-9]{2}))?)?(?:[.,](?<decimals>[0-9]+))?",
    "(?<zone>[Zz]|(?<sign>[+\u{2212}-])(?<hours>[0-9]{2})(?::?(?<minutes>[0-9]{2}))?)?$"
);

static PATTERN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(FORMS).ok());

/// A time as it is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written {
    civil: DateTime,
    /// How far its zone is ahead of UTC; none if it names no zone.
    ahead: Option<SignedDuration>,
}

impl Written {
    /// Reads a time of a day.
    pub(super) fn read(text: &str) -> Option<Self> {
        let parts = PATTERN.as_ref()?.captures(text)?;
        let civil = date(&parts)?.to_datetime(jiff::civil::Time::midnight()).checked_add(time_of_day(&parts)?).ok()?;
        let ahead = match parts.name("zone") {
            Some(_) => Some(ahead(&parts)?),
            None => None,
        };
        Some(Self { civil, ahead })
    }

    /// Whether it names a zone.
    pub(super) fn has_zone(self) -> bool {
        self.ahead.is_some()
    }

    /// The time; one that names no zone is of this one.
    pub(super) fn timestamp(self, zone: TimeZone) -> Option<Timestamp> {
        match self.ahead {
            Some(ahead) => self.civil.to_zoned(TimeZone::UTC).ok()?.timestamp().checked_sub(ahead).ok(),
            None => Some(self.civil.to_zoned(zone).ok()?.timestamp()),
        }
    }
}

fn number<N: std::str::FromStr>(parts: &Captures<'_>, name: &str) -> Option<N> {
    parts.name(name)?.as_str().parse().ok()
}

fn date(parts: &Captures<'_>) -> Option<Date> {
    let year = number(parts, "year")?;
    if let Some(day) = number(parts, "ordinal") {
        return Date::new(year, 1, 1).ok()?.with().day_of_year(day).build().ok();
    }
    if let Some(week) = number(parts, "week") {
        let weekday = Weekday::from_monday_one_offset(number(parts, "weekday")?).ok()?;
        return Some(ISOWeekDate::new(year, week, weekday).ok()?.date());
    }
    Date::new(year, number(parts, "month")?, number(parts, "day")?).ok()
}

/// The time since midnight: up to 24:00, the end of the day, and with a leap second.
fn time_of_day(parts: &Captures<'_>) -> Option<SignedDuration> {
    let part = |name: &str, most: i64| match parts.name(name) {
        Some(_) => number(parts, name).filter(|value: &i64| *value <= most).map(Some),
        None => Some(None),
    };
    let (hour, minute, second) = (part("hour", 24)??, part("minute", 59)?, part("second", 60)?);
    // What the decimals are of.
    let last: i64 = match (minute, second) {
        (_, Some(_)) => 1,
        (Some(_), None) => 60,
        (None, None) => 3600,
    };
    let digits: String = parts.name("decimals").map_or("", |decimals| decimals.as_str()).chars().take(9).collect();
    let billionths: i64 = format!("{digits:0<9}").parse().ok()?;
    let whole = hour * 3600 + minute.unwrap_or(0) * 60 + second.unwrap_or(0);
    let time = SignedDuration::from_secs(whole) + SignedDuration::from_nanos(billionths * last);
    (time <= SignedDuration::from_hours(24)).then_some(time)
}

fn ahead(parts: &Captures<'_>) -> Option<SignedDuration> {
    let Some(sign) = parts.name("sign") else { return Some(SignedDuration::ZERO) };
    let minutes: i64 = number(parts, "hours").map(|hours: i64| hours * 60)? + number(parts, "minutes").unwrap_or(0);
    Some(SignedDuration::from_mins(if sign.as_str() == "+" { minutes } else { -minutes }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        Written::read(text)?.timestamp(TimeZone::UTC).map(|time| time.to_string())
    }

    #[test]
    fn every_form_of_iso_8601_is_read() {
        for text in [
            "2026-03-01T10:30:00Z",
            "20260301T103000Z",
            "2026-060T10:30:00Z",
            "2026060T103000Z",
            "2026-W09-7T10:30:00Z",
            "2026W097T103000Z",
            "2026-03-01T10:30Z",
            "2026-03-01T10:30,0Z",
            "2026-03-01T10.5Z",
            "2026-060T10,5+00",
            "2026-03-01T11:30:00.000+01:00",
            "2026-03-01T08:00:00\u{2212}0230",
            "2026-03-01t10:30:00z",
            "2026-03-01T10:30:00",
        ] {
            assert_eq!(read(text).as_deref(), Some("2026-03-01T10:30:00Z"), "{text}");
        }
        assert_eq!(read("2026-02-28T24:00:00Z").as_deref(), Some("2026-03-01T00:00:00Z"));
        assert_eq!(read("2025-W01-1T00:00Z").as_deref(), Some("2024-12-30T00:00:00Z"));
        assert_eq!(read("2026-03-01T10:30:00,1234567891Z").as_deref(), Some("2026-03-01T10:30:00.123456789Z"));
    }

    #[test]
    fn what_is_no_time_is_none() {
        for text in [
            "",
            "now",
            "2026-03-01",
            "2026-13-01T10:00Z",
            "2026-366T10:00Z",
            "2026-W54-1T10:00Z",
            "2026-W09-8T10:00Z",
            "2026-03-01T25:00Z",
            "2026-03-01T24:00:01Z",
            "2026-03-01T10:60Z",
            "2026-03-01T10:00+",
            "2026-03-01T10:00Z ",
            "2026-1-1T10:00Z",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
