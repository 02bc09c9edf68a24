//! The values that all kinds of load have, and how large they may be.

use std::ops::RangeInclusive;
use std::time::Duration;

use crate::source::{Diagnostic, Fields, Kind, Node, Problems};
use crate::values::{duration, parse_share};

/// How many users may play at a time.
const USERS: RangeInclusive<u64> = 1..=10_000;

/// The highest rate, in iterations a second.
const HIGHEST_RATE: f64 = 1_000_000.0;

/// The longest of all times in a profile: a week.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 3600);

/// The required key `users`.
pub(super) fn users(fields: &mut Fields<'_>, problems: &mut Problems) -> Option<usize> {
    let node = fields.require("users", problems)?;
    users_within(node, USERS, problems)
}

/// The required key `users` of a stage, which may end with nobody.
pub(super) fn users_of_stage(fields: &mut Fields<'_>, problems: &mut Problems) -> Option<usize> {
    let node = fields.require("users", problems)?;
    users_within(node, 0..=*USERS.end(), problems)
}

fn users_within(node: &Node, range: RangeInclusive<u64>, problems: &mut Problems) -> Option<usize> {
    whole(node, "users", range, problems).and_then(|users| usize::try_from(users).ok())
}

/// A whole number within bounds.
pub(super) fn whole(node: &Node, key: &str, range: RangeInclusive<u64>, problems: &mut Problems) -> Option<u64> {
    let number = match &node.kind {
        Kind::Number(number) => number.as_u64().filter(|number| range.contains(number)),
        Kind::Null | Kind::Bool(_) | Kind::Text(_) | Kind::List(_) | Kind::Map(_) => None,
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

/// A required rate above 0, in iterations a second.
pub(super) fn rate(fields: &mut Fields<'_>, key: &'static str, problems: &mut Problems) -> Option<f64> {
    let node = fields.require(key, problems)?;
    let rate = decimal(node).filter(|rate| *rate > 0.0 && *rate <= HIGHEST_RATE);
    if rate.is_none() {
        let message = format!("`{key}` is a number of iterations a second, above 0 and at most {HIGHEST_RATE}, but this is");
        problems.add(Diagnostic::at(node, format!("{message} {}", node.describe())));
    }
    rate
}

/// A rate that may be 0, where a ramp begins or ends.
pub(super) fn rate_of_ramp(node: &Node, key: &str, problems: &mut Problems) -> Option<f64> {
    within(node, key, 0.0..=HIGHEST_RATE, problems)
}

/// A number within bounds.
pub(super) fn within(node: &Node, key: &str, range: RangeInclusive<f64>, problems: &mut Problems) -> Option<f64> {
    let number = decimal(node).filter(|number| range.contains(number));
    if number.is_none() {
        let message = format!("`{key}` is a number from {} to {}, but this is {}", range.start(), range.end(), node.describe());
        problems.add(Diagnostic::at(node, message));
    }
    number
}

fn decimal(node: &Node) -> Option<f64> {
    match &node.kind {
        Kind::Number(number) => number.as_f64(),
        Kind::Null | Kind::Bool(_) | Kind::Text(_) | Kind::List(_) | Kind::Map(_) => None,
    }
}

/// A required time above nothing.
pub(super) fn time(fields: &mut Fields<'_>, key: &'static str, problems: &mut Problems) -> Option<Duration> {
    let node = fields.require(key, problems)?;
    positive_time(node, key, problems)
}

/// A time above nothing.
pub(super) fn positive_time(node: &Node, key: &str, problems: &mut Problems) -> Option<Duration> {
    let time = time_or_nothing(node, key, problems)?;
    if time.is_zero() {
        problems.add(Diagnostic::at(node, format!("`{key}` must be longer than nothing")));
        return None;
    }
    Some(time)
}

/// A time that may be nothing.
pub(super) fn time_or_nothing(node: &Node, key: &str, problems: &mut Problems) -> Option<Duration> {
    let time = duration(node, problems)?;
    if time > LONGEST {
        problems.add(Diagnostic::at(node, format!("`{key}` is at most 168h")));
        return None;
    }
    Some(time)
}

/// A share: `50%`.
pub(super) fn share(node: &Node, key: &str, problems: &mut Problems) -> Option<f64> {
    let share = node.text().and_then(parse_share);
    if share.is_none() {
        let problem = Diagnostic::at(node, format!("`{key}` is a share from 0% to 100%, but this is {}", node.describe()));
        problems.add(problem.help("for example 50%"));
    }
    share
}
