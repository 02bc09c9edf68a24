//! Values that several files spell alike.

use std::time::Duration;

use crate::source::{Diagnostic, Node, Problems};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_a_number_and_a_unit() {
        assert_eq!(parse_duration("250ms"), Some(Duration::from_millis(250)));
        assert_eq!(parse_duration("2h"), Some(Duration::from_secs(7200)));
        for wrong in ["", "5", "s", "5 s", "-1s", "1.5s", "5d"] {
            assert_eq!(parse_duration(wrong), None, "{wrong}");
        }
    }
}
