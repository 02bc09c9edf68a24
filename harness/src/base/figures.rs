//! Numbers as people read them: three significant digits and a unit.

use serde::{Deserialize, Serialize};

/// The unit of a number that a threshold speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Microseconds.
    Microseconds,
    /// A share of all, 0 to 1.
    Share,
    /// A number of things.
    Count,
    /// A number of things a second.
    PerSecond,
    /// A factor.
    Times,
}

/// Times: the unit, its length in microseconds.
const TIMES: [(&str, f64); 3] = [("µs", 1.0), ("ms", 1e3), ("s", 1e6)];
/// The share of a unit from which on a number is one of it, after rounding.
const ROUNDED_UP: f64 = 0.9995;
/// Memory: the unit, its size in bytes.
const SIZES: [(&str, f64); 4] = [("B", 1.0), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9)];

/// Microseconds: `850 µs`, `1.23 ms`, `12.3 s`; beyond two minutes `3 min 20 s`.
pub(crate) fn time(microseconds: f64) -> String {
    if microseconds >= 120e6 { span(microseconds / 1e6) } else { scaled(microseconds, &TIMES) }
}

/// Seconds: `12.3 s`, `3 min 20 s`, `2 h 05 min`.
pub(crate) fn span(seconds: f64) -> String {
    let rounded = if seconds.is_finite() { seconds.max(0.0).round() as u64 } else { 0 };
    match rounded {
        0..120 => format!("{seconds:.1} s"),
        120..7200 => format!("{} min {:02} s", rounded / 60, rounded % 60),
        _ => format!("{} h {:02} min", rounded / 3600, rounded % 3600 / 60),
    }
}

/// Bytes: `48.2 MB`.
pub(crate) fn bytes(bytes: u64) -> String {
    scaled(bytes as f64, &SIZES)
}

/// `12,000`
pub(crate) fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 call`, `12,000 calls`
pub(crate) fn count_of(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(number), if number == 1 { "" } else { "s" })
}

/// `0.12 %`; a share above zero never reads as zero.
pub(crate) fn percent(share: f64) -> String {
    match share * 100.0 {
        percent if !percent.is_finite() => "–".into(),
        percent if percent != 0.0 && percent.abs() < 0.001 => "<0.001 %".into(),
        percent if percent != 100.0 && percent > 99.9 => format!("{} %", trimmed(percent, 4).trim_end_matches('.')),
        percent => format!("{} %", digits(percent)),
    }
}

/// `200/s`
pub(crate) fn rate(rate: f64) -> String {
    format!("{}/s", digits(rate))
}

/// A threshold's number.
pub(crate) fn measured(number: f64, unit: Unit) -> String {
    match unit {
        Unit::Microseconds => time(number),
        Unit::Share => percent(number),
        Unit::Count => count(number.max(0.0) as u64),
        Unit::PerSecond => rate(number),
        Unit::Times => format!("{} times", digits(number)),
    }
}

/// A threshold's number beside its bound, with as many digits as tell the two apart: 19.96 beside 20 is no 20.
pub(crate) fn measured_beside(number: f64, bound: f64, unit: Unit) -> String {
    let shown = measured(number, unit);
    if number == bound || shown != measured(bound, unit) {
        return shown;
    }
    let (size, name) = shown_in(number, unit);
    let exact = |value: f64, places: usize| format!("{}{name}", separated(&trimmed(value / size, places)));
    let apart = (1..=MOST_PLACES).find(|places| exact(number, *places) != exact(bound, *places));
    apart.map_or(shown, |places| exact(number, places))
}

/// More decimal places than a measured number has.
const MOST_PLACES: usize = 12;

/// The size and the name of the unit that a number is shown in.
fn shown_in(number: f64, unit: Unit) -> (f64, &'static str) {
    match unit {
        Unit::Microseconds => {
            let [microseconds, milliseconds, seconds] = TIMES.map(|(_, size)| size);
            match number {
                _ if number >= seconds * ROUNDED_UP => (seconds, " s"),
                _ if number >= milliseconds * ROUNDED_UP => (milliseconds, " ms"),
                _ => (microseconds, " µs"),
            }
        }
        Unit::Share => (0.01, " %"),
        Unit::Count => (1.0, ""),
        Unit::PerSecond => (1.0, "/s"),
        Unit::Times => (1.0, " times"),
    }
}

/// Decimal digits with separators in the whole part.
fn separated(digits: &str) -> String {
    let (whole, places) = digits.split_once('.').map_or((digits, ""), |(whole, places)| (whole, places));
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), count);
    if places.is_empty() { whole } else { format!("{whole}.{places}") }
}

/// Three significant digits, or all digits of a whole number, with separators.
pub(crate) fn digits(number: f64) -> String {
    match number.abs() {
        _ if !number.is_finite() => "–".into(),
        size if size >= 99.95 => signed(number, count(size.round() as u64)),
        size if size >= 9.995 => trimmed(number, 1),
        size if size >= 0.0995 => trimmed(number, 2),
        _ => trimmed(number, 3),
    }
}

fn signed(number: f64, text: String) -> String {
    if number < 0.0 { format!("-{text}") } else { text }
}

/// With at most `places` decimal places, without zeros at the end.
fn trimmed(number: f64, places: usize) -> String {
    let text = format!("{number:.places$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text.as_str() };
    if text == "-0" { "0".into() } else { text.into() }
}

/// A number in the largest unit of which it is at least one, after rounding.
fn scaled(number: f64, units: &[(&str, f64)]) -> String {
    let fits = |unit: &&(&str, f64)| number >= unit.1 * ROUNDED_UP;
    match units.iter().rev().find(fits).or(units.first()) {
        // A count has no decimal places.
        Some((unit, size)) if *size == 1.0 => format!("{} {unit}", digits(number)),
        Some((unit, size)) => format!("{} {unit}", significant(number / size)),
        None => digits(number),
    }
}

/// Three digits, zeros at the end kept, so that columns of times look alike.
fn significant(number: f64) -> String {
    match number {
        _ if !number.is_finite() => "–".into(),
        _ if number >= 99.95 => count(number.round() as u64),
        _ if number >= 9.995 => format!("{number:.1}"),
        _ => format!("{number:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits_and_a_fitting_unit() {
        let texts = [0.0, 7.0, 850.0, 999.4, 999.6, 1234.0, 12_345.0, 999_900.0, 1_234_567.0, 61e6, 200e6, 7_500e6].map(time);
        let expected =
            ["0 µs", "7 µs", "850 µs", "999 µs", "1.00 ms", "1.23 ms", "12.3 ms", "1.00 s", "1.23 s", "61.0 s", "3 min 20 s", "2 h 05 min"];
        assert_eq!(texts, expected);
    }

    #[test]
    fn shares_never_read_as_nothing_or_everything_unless_they_are() {
        let texts = [0.0, 1e-7, 0.000_123, 0.0012, 0.5, 0.9999, 1.0].map(percent);
        assert_eq!(texts, ["0 %", "<0.001 %", "0.012 %", "0.12 %", "50 %", "99.99 %", "100 %"]);
    }

    #[test]
    fn counts_rates_and_sizes() {
        assert_eq!([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([0, 1, 1000].map(|number| count_of(number, "call")), ["0 calls", "1 call", "1,000 calls"]);
        assert_eq!([0.0, 0.25, 9.5, 49.94, 200.0, 12_345.6].map(rate), ["0/s", "0.25/s", "9.5/s", "49.9/s", "200/s", "12,346/s"]);
        assert_eq!(bytes(48_200_000), "48.2 MB");
        assert_eq!(measured(1.5, Unit::Times), "1.5 times");
    }

    #[test]
    fn a_number_beside_its_bound_never_reads_as_the_bound_unless_it_is() {
        let beside = [
            (19.96, 20.0, Unit::PerSecond, "19.96/s"),
            (19.999_97, 20.0, Unit::PerSecond, "19.99997/s"),
            (20.0, 20.0, Unit::PerSecond, "20/s"),
            (12_345.6, 12_346.0, Unit::PerSecond, "12,345.6/s"),
            (0.001_000_4, 0.001, Unit::Share, "0.10004 %"),
            (2e-6, 1e-6, Unit::Share, "0.0002 %"),
            (50_020.0, 50_000.0, Unit::Microseconds, "50.02 ms"),
            (61_200.0, 50_000.0, Unit::Microseconds, "61.2 ms"),
            (200_400_000.0, 200_000_000.0, Unit::Microseconds, "200.4 s"),
            (999.6, 1_000.0, Unit::Microseconds, "0.9996 ms"),
            (1.5004, 1.5, Unit::Times, "1.5004 times"),
            (4.0, 0.0, Unit::Count, "4"),
        ];
        for (number, bound, unit, shown) in beside {
            assert_eq!(measured_beside(number, bound, unit), shown);
        }
    }

    #[test]
    fn what_is_no_number_is_a_dash() {
        assert_eq!([time(f64::NAN), rate(f64::INFINITY), percent(f64::NAN)], ["– µs", "–/s", "–"]);
    }
}
