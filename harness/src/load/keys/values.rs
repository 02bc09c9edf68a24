//! Values of a profile, and how large they may be. Each mistake is added at its place.

use std::ops::RangeInclusive;
use std::time::Duration;

use crate::base::source::{Diagnostic, Node, NodeKind, Problems};
use crate::base::values::{duration, parse_share};

/// The longest of all times in a profile: a week.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 3600);

pub(super) fn text(node: &Node, key: &str, problems: &mut Problems) -> Option<String> {
    let text = node.text().map(str::to_owned);
    if text.is_none() {
        problems.add(Diagnostic::at(node, format!("`{key}` is a text, but this is {}", node.describe())));
    }
    text
}

pub(super) fn whole_number(node: &Node, key: &str, range: RangeInclusive<u64>, problems: &mut Problems) -> Option<u64> {
    let number = match &node.kind {
        NodeKind::Number(number) => number.as_u64().filter(|number| range.contains(number)),
        NodeKind::Null | NodeKind::Bool(_) | NodeKind::Text(_) | NodeKind::List(_) | NodeKind::Map(_) => None,
    };
    if number.is_none() {
        let bounds = match (*range.start(), *range.end()) {
            (low, u64::MAX) => format!("{low} or more"),
            (low, high) => format!("{low} to {high}"),
        };
        problems.add(Diagnostic::at(node, format!("`{key}` is a whole number, {bounds}, but this is {}", node.describe())));
    }
    number
}

/// A rate above 0.
pub(super) fn rate(node: &Node, key: &str, highest: f64, problems: &mut Problems) -> Option<f64> {
    let rate = decimal(node).filter(|rate| *rate > 0.0 && *rate <= highest);
    if rate.is_none() {
        let message = format!("`{key}` is a number of iterations a second, above 0 and at most {highest}, but this is");
        problems.add(Diagnostic::at(node, format!("{message} {}", node.describe())));
    }
    rate
}

pub(super) fn number(node: &Node, key: &str, range: RangeInclusive<f64>, problems: &mut Problems) -> Option<f64> {
    let number = decimal(node).filter(|number| range.contains(number));
    if number.is_none() {
        let message = format!("`{key}` is a number from {} to {}, but this is {}", range.start(), range.end(), node.describe());
        problems.add(Diagnostic::at(node, message));
    }
    number
}

fn decimal(node: &Node) -> Option<f64> {
    match &node.kind {
        NodeKind::Number(number) => number.as_f64(),
        NodeKind::Null | NodeKind::Bool(_) | NodeKind::Text(_) | NodeKind::List(_) | NodeKind::Map(_) => None,
    }
}

/// A time above zero.
pub(super) fn positive_time(node: &Node, key: &str, problems: &mut Problems) -> Option<Duration> {
    let time = time(node, key, problems)?;
    if time.is_zero() {
        problems.add(Diagnostic::at(node, format!("`{key}` must be longer than nothing, for example 30s")));
        return None;
    }
    Some(time)
}

/// A time that may be zero.
pub(super) fn time(node: &Node, key: &str, problems: &mut Problems) -> Option<Duration> {
    let time = duration(node, problems)?;
    if time > LONGEST {
        problems.add(Diagnostic::at(node, format!("`{key}` is at most 168h; give a shorter time")));
        return None;
    }
    Some(time)
}

/// A share from 0 to 1, written as `50%`.
pub(super) fn share(node: &Node, key: &str, problems: &mut Problems) -> Option<f64> {
    let share = node.text().and_then(parse_share);
    if share.is_none() {
        let problem = Diagnostic::at(node, format!("`{key}` is a share from 0% to 100%, but this is {}", node.describe()));
        problems.add(problem.help("for example 50%"));
    }
    share
}
