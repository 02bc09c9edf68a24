//! On which side of a limit a value is.

use std::cmp::Ordering;

use serde_json::Value;

use crate::base::values::parse_decimal;
use crate::spec::scenario::instant::Instant;

/// Which side of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// `$greater-than`
    Greater,
    /// `$less-than`
    Less,
    /// `$at-least`
    AtLeast,
    /// `$at-most`
    AtMost,
}

/// A number, or a text of digits: the documents write amounts both ways.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => match text.strip_prefix('-') {
            Some(digits) => parse_decimal(digits).map(|number| -number),
            None => parse_decimal(text),
        },
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn time(value: &Value) -> Option<Instant> {
    value.as_str().and_then(Instant::read)
}

impl Side {
    pub(super) fn holds(self, value: &Value, limit: &Value) -> bool {
        match (number(value), number(limit)) {
            (Some(value), Some(limit)) => self.is(value.partial_cmp(&limit)),
            _ => time(value).zip(time(limit)).is_some_and(|(value, limit)| self.may_be(value.after(limit))),
        }
    }

    /// Whether some zone puts a time on this side: one that names none may be of any.
    fn may_be(self, (earliest, latest): (i64, i64)) -> bool {
        let apart = match self {
            Self::Greater | Self::AtLeast => latest,
            Self::Less | Self::AtMost => earliest,
        };
        self.is(Some(apart.cmp(&0)))
    }

    fn is(self, order: Option<Ordering>) -> bool {
        match self {
            Self::Greater => order == Some(Ordering::Greater),
            Self::Less => order == Some(Ordering::Less),
            Self::AtLeast => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
            Self::AtMost => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Greater => "$greater-than",
            Self::Less => "$less-than",
            Self::AtLeast => "$at-least",
            Self::AtMost => "$at-most",
        }
    }
}
