//! Values that several file formats spell alike.

use std::time::Duration;

use crate::base::source::{Diagnostic, Node, Problems};

/// A time span: `250ms`, `30s`, `5m`, `2h`.
pub fn duration(node: &Node, problems: &mut Problems) -> Option<Duration> {
    let read = node.text().and_then(parse_duration);
    if read.is_none() {
        problems.add(
            Diagnostic::at(node, format!("a time is a number and a unit, but this is {}", node.describe()))
                .help("for example 250ms, 30s, 5m, 2h"),
        );
    }
    read
}

/// Reads `250ms`, `30s`, `5m`, `2h`.
pub fn parse_duration(text: &str) -> Option<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().ok()?;
    match unit {
        "ms" => Some(Duration::from_millis(number)),
        "s" => Some(Duration::from_secs(number)),
        "m" => Some(Duration::from_secs(number.checked_mul(60)?)),
        "h" => Some(Duration::from_secs(number.checked_mul(3600)?)),
        _ => None,
    }
}

/// Reads a share of 0 to 1 from percent: `0.1%`, `50%`.
pub fn parse_share(text: &str) -> Option<f64> {
    let percent = parse_decimal(text.strip_suffix('%')?)?;
    (percent <= 100.0).then(|| of_percent(percent))
}

/// The share of a percentage, rounded as it would be written: 99.9 is 0.999, not 0.9990000000000001.
pub fn of_percent(percent: f64) -> f64 {
    (percent * 1e7).round() / 1e9
}

/// Reads digits with at most a decimal point: no sign, no exponent, nothing infinite.
pub fn parse_decimal(text: &str) -> Option<f64> {
    let plain = text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(|c| c.is_ascii_digit() || c == '.');
    text.parse().ok().filter(|number: &f64| plain && number.is_finite())
}

/// An amount in minor units as people write it: 12300 is `123.00`.
pub fn amount_text(minor: i64) -> String {
    let sign = if minor < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", minor.unsigned_abs() / 100, minor.unsigned_abs() % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_written_with_its_minor_units() {
        let written = [12_300, 5, -105, 0].map(amount_text);
        assert_eq!(written, ["123.00", "0.05", "-1.05", "0.00"]);
    }

    #[test]
    fn a_time_has_a_number_and_a_unit() {
        assert_eq!(parse_duration("250ms"), Some(Duration::from_millis(250)));
        assert_eq!(parse_duration("2h"), Some(Duration::from_secs(7200)));
        for wrong in ["", "5", "s", "5 s", "-1s", "1.5s", "5d"] {
            assert_eq!(parse_duration(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_share_is_a_number_of_percent() {
        assert_eq!(parse_share("50%"), Some(0.5));
        assert_eq!(parse_share("100%"), Some(1.0));
        assert_eq!(parse_share("0.7%"), Some(0.007));
        assert_eq!(parse_share("99.9%"), Some(0.999));
        for wrong in ["", "%", "50", "-1%", "101%", "1e1%", "NaN%", "inf%", "5 %", ".5%", "1.2.3%"] {
            assert_eq!(parse_share(wrong), None, "{wrong}");
        }
    }
}
