//! The expected value of a part of a response. A plain value must be equal; a mapping is matched field by field and allows
//! further fields; `$…` are matchers.

mod equal;
pub(super) mod read;
mod side;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use indexmap::IndexMap;
use regex::Regex;
use serde_json::{Value, json};

use crate::spec::scenario::near::is_near;
use crate::spec::scenario::template::{Template, TemplateError, Variables};
use crate::wire::exchange::{Body, NotKept, Rest};
use crate::wire::expression::text_of;
use side::Side;

/// The expectation of one value.
#[derive(Clone, Debug)]
pub enum Matcher {
    /// Equal, type included; a number is its value, however it is written.
    Equal(Template),
    /// The same amount with a decimal comma, with any number of decimals.
    Amount(Template),
    /// Present.
    Any,
    /// Absent.
    Absent,
    /// No match for this; an absent value matches nothing.
    Not(Box<Matcher>),
    /// A match for one of these.
    OneOf(Vec<Matcher>),
    /// Its text matches.
    Pattern(Arc<Regex>),
    /// A number, a text of digits or a time of ISO 8601 on one side of a limit.
    Compare(Side, Template),
    /// A time of ISO 8601, about this one.
    Near(Template),
    /// The number of characters of a text, or of items of a list.
    Length(Template),
    /// A part of a text, or an item of a list.
    Contains(Box<Matcher>),
    /// No item of a list matches.
    Lacks(Box<Matcher>),
    /// Some text or number in it, however deep, or the name of a field, matches.
    Somewhere(Box<Matcher>),
    /// Absent, or a match.
    Optional(Box<Matcher>),
    /// A match once no number in it has a sign, for amounts of which the documents do not say how they are signed.
    Unsigned(Box<Matcher>),
    /// Fields of a mapping.
    Fields(IndexMap<String, Matcher>),
    /// Items of a list, all of them.
    Items(Vec<Matcher>),
    /// An HTTP status of success, 2xx.
    Success,
    /// An HTTP status that refuses, 4xx or 5xx.
    Refusal,
}

/// A value that does not match.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// Where, as a JSON Pointer.
    pub pointer: String,
    /// What was expected.
    pub expected: Value,
    /// The actual value; null if absent.
    pub got: Value,
}

/// Why an expectation cannot be decided.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatchError {
    /// A template in it can't be filled in.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// It asks for a part of a list that is not kept.
    #[error(transparent)]
    NotKept(#[from] NotKept),
}

impl From<MatchError> for String {
    fn from(error: MatchError) -> Self {
        error.to_string()
    }
}

/// The context of an expectation besides the value.
#[derive(Clone, Debug)]
pub struct Given<'g> {
    variables: &'g Variables,
    /// Lists of which only the first items are in the value, and how many there are.
    cut: Vec<(&'g Value, &'g Rest)>,
}

impl<'g> Given<'g> {
    /// The context of a value that is complete.
    pub fn uncut(variables: &'g Variables) -> Self {
        Self { variables, cut: Vec::new() }
    }

    /// The context of a body, of which some lists may be cut.
    pub fn with(variables: &'g Variables, body: &'g Body) -> Self {
        let list = |rest: &'g Rest| Some((body.value()?.pointer(&rest.pointer)?, rest));
        Self { variables, cut: body.rests().iter().filter_map(list).collect() }
    }

    /// The remainder of a list, if it is cut.
    fn rest(&self, list: &Value) -> Option<&'g Rest> {
        self.cut.iter().find(|(cut, _)| std::ptr::eq(*cut, list)).map(|(_, rest)| *rest)
    }

    /// Fails where the value, or a list in it, is cut, so that it cannot be judged.
    fn all_kept(&self, value: &Value) -> Result<(), NotKept> {
        if self.cut.is_empty() {
            return Ok(());
        }
        match (self.rest(value), value) {
            (Some(rest), _) => Err(rest.not_kept()),
            (None, Value::Array(items)) => items.iter().try_for_each(|item| self.all_kept(item)),
            (None, Value::Object(fields)) => fields.values().try_for_each(|field| self.all_kept(field)),
            (None, Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => Ok(()),
        }
    }
}

impl Matcher {
    /// The names that must be known when it is used.
    pub(crate) fn names(&self) -> BTreeSet<String> {
        match self {
            Self::Equal(template) | Self::Amount(template) | Self::Compare(_, template) | Self::Near(template) | Self::Length(template) => {
                template.names()
            }
            Self::OneOf(matchers) => matchers.iter().flat_map(Self::names).collect(),
            Self::Not(inner)
            | Self::Contains(inner)
            | Self::Lacks(inner)
            | Self::Somewhere(inner)
            | Self::Optional(inner)
            | Self::Unsigned(inner) => inner.names(),
            Self::Fields(fields) => fields.values().flat_map(Self::names).collect(),
            Self::Items(items) => items.iter().flat_map(Self::names).collect(),
            Self::Any | Self::Absent | Self::Pattern(_) | Self::Success | Self::Refusal => BTreeSet::new(),
        }
    }

    /// Everything in a value that is not as it must be. An error is a template that can't be rendered, or
    /// something that can't be said of a list because only its first items are kept.
    pub fn mismatches(&self, at: &str, value: Option<&Value>, given: &Given<'_>) -> Result<Vec<Mismatch>, MatchError> {
        match self {
            Self::Fields(fields) => fields_mismatch(fields, at, value, given),
            Self::Items(items) => items_mismatch(items, at, value, given),
            Self::Optional(inner) => value.map_or(Ok(Vec::new()), |value| inner.mismatches(at, Some(value), given)),
            Self::Unsigned(inner) => {
                value.map_or(Ok(()), |value| given.all_kept(value))?;
                inner.mismatches(at, value.map(unsigned).as_ref(), given)
            }
            Self::Equal(_)
            | Self::Amount(_)
            | Self::Any
            | Self::Absent
            | Self::Not(_)
            | Self::OneOf(_)
            | Self::Pattern(_)
            | Self::Compare(..)
            | Self::Near(_)
            | Self::Length(_)
            | Self::Success
            | Self::Refusal
            | Self::Lacks(_)
            | Self::Somewhere(_)
            | Self::Contains(_) => {
                if self.holds(value, given)? {
                    return Ok(Vec::new());
                }
                Ok(vec![Mismatch { pointer: at.to_owned(), expected: self.describe(given)?, got: self.shown(value, given) }])
            }
        }
    }

    /// What to show of a value that does not match: of a list of another length, that length.
    fn shown(&self, value: Option<&Value>, given: &Given<'_>) -> Value {
        let length = value.filter(|value| value.is_array() && self.is_about_length()).and_then(|list| length_of(list, given));
        length.map_or_else(|| value.cloned().unwrap_or(Value::Null), |length| json!({ "$length": length }))
    }

    fn is_about_length(&self) -> bool {
        match self {
            Self::Length(_) => true,
            Self::OneOf(matchers) => matchers.iter().all(Self::is_about_length),
            _ => false,
        }
    }

    pub(crate) fn holds(&self, value: Option<&Value>, given: &Given<'_>) -> Result<bool, MatchError> {
        Ok(match self {
            Self::Any => value.is_some(),
            Self::Absent => value.is_none(),
            Self::Equal(template) => {
                value.map_or(Ok(()), |value| given.all_kept(value))?;
                let expected = template.render(given.variables)?;
                value.is_some_and(|value| equal::equal(value, &expected))
            }
            Self::Amount(template) => {
                let expected = template.render(given.variables)?;
                value.is_some_and(|value| equal::same_amount(value, &expected))
            }
            Self::Not(inner) => !inner.holds(value, given)?,
            Self::OneOf(matchers) => {
                for matcher in matchers {
                    if matcher.holds(value, given)? {
                        return Ok(true);
                    }
                }
                false
            }
            Self::Pattern(pattern) => value.and_then(text_of).is_some_and(|text| pattern.is_match(&text)),
            Self::Compare(side, limit) => {
                let limit = limit.render(given.variables)?;
                value.is_some_and(|value| side.holds(value, &limit))
            }
            Self::Near(time) => {
                let time = time.render(given.variables)?;
                value.is_some_and(|value| is_near(value, &time))
            }
            Self::Length(length) => {
                let length = length.render(given.variables)?;
                value.and_then(|value| length_of(value, given)).is_some_and(|got| length.as_u64() == Some(got))
            }
            Self::Success => status_in(value, 200..300),
            Self::Refusal => status_in(value, 400..600),
            Self::Contains(inner) => contains(inner, value, given)?,
            Self::Lacks(inner) => value.is_some_and(Value::is_array) && !contains(inner, value, given)?,
            Self::Somewhere(inner) => value.map_or(Ok(false), |value| somewhere(inner, value, given))?,
            Self::Fields(_) | Self::Items(_) | Self::Optional(_) | Self::Unsigned(_) => self.mismatches("", value, given)?.is_empty(),
        })
    }

    /// The matcher as a value for reports: the plain value, or the matcher with its templates filled in.
    pub(crate) fn describe(&self, given: &Given<'_>) -> Result<Value, MatchError> {
        let named = |name: &str, value: Value| Value::Object([(name.to_owned(), value)].into_iter().collect());
        Ok(match self {
            Self::Equal(template) | Self::Amount(template) => template.render(given.variables)?,
            Self::Any => named("$any", true.into()),
            Self::Absent => named("$absent", true.into()),
            Self::Success => "2xx".into(),
            Self::Refusal => "4xx or 5xx".into(),
            Self::Not(inner) => named("$not", inner.describe(given)?),
            Self::OneOf(matchers) => {
                let mut alternatives: Vec<Value> = Vec::new();
                for matcher in matchers {
                    let alternative = matcher.describe(given)?;
                    if !alternatives.contains(&alternative) {
                        alternatives.push(alternative);
                    }
                }
                named("$one-of", Value::Array(alternatives))
            }
            Self::Pattern(pattern) => named("$pattern", pattern.as_str().into()),
            Self::Compare(side, limit) => named(side.name(), limit.render(given.variables)?),
            Self::Near(time) => named("$near", time.render(given.variables)?),
            Self::Length(length) => named("$length", length.render(given.variables)?),
            Self::Contains(inner) => named("$contains", inner.describe(given)?),
            Self::Lacks(inner) => named("$lacks", inner.describe(given)?),
            Self::Somewhere(inner) => named("$somewhere", inner.describe(given)?),
            Self::Optional(inner) => named("$optional", inner.describe(given)?),
            Self::Unsigned(inner) => named("$unsigned", inner.describe(given)?),
            Self::Fields(fields) => {
                Value::Object(fields.iter().map(|(k, m)| Ok((k.clone(), m.describe(given)?))).collect::<Result<_, MatchError>>()?)
            }
            Self::Items(items) => Value::Array(items.iter().map(|m| m.describe(given)).collect::<Result<_, _>>()?),
        })
    }
}

fn fields_mismatch(
    fields: &IndexMap<String, Matcher>,
    at: &str,
    value: Option<&Value>,
    given: &Given<'_>,
) -> Result<Vec<Mismatch>, MatchError> {
    let mut found = Vec::new();
    for (name, matcher) in fields {
        let inner = value.and_then(|v| match v {
            Value::Array(items) => name.parse::<usize>().ok().and_then(|i| items.get(i)),
            other => other.get(name),
        });
        if let (None, Some(rest)) = (inner, value.and_then(|list| given.rest(list)))
            && rest.hides(&format!("{}/{name}", rest.pointer))
        {
            return Err(rest.not_kept().into());
        }
        found.extend(matcher.mismatches(&format!("{at}/{name}"), inner, given)?);
    }
    Ok(found)
}

fn items_mismatch(items: &[Matcher], at: &str, value: Option<&Value>, given: &Given<'_>) -> Result<Vec<Mismatch>, MatchError> {
    let got = value.and_then(Value::as_array);
    let length = got.map(|got| value.and_then(|list| given.rest(list)).map_or(got.len(), |rest| rest.length));
    if length != Some(items.len()) {
        let expected = Value::String(format!("a list of {}", items.len()));
        return Ok(vec![Mismatch { pointer: at.to_owned(), expected, got: value.cloned().unwrap_or(Value::Null) }]);
    }
    value.map_or(Ok(()), |list| given.rest(list).map_or(Ok(()), |rest| Err(rest.not_kept())))?;
    let mut found = Vec::new();
    for (index, matcher) in items.iter().enumerate() {
        found.extend(matcher.mismatches(&format!("{at}/{index}"), got.and_then(|g| g.get(index)), given)?);
    }
    Ok(found)
}

fn contains(inner: &Matcher, value: Option<&Value>, given: &Given<'_>) -> Result<bool, MatchError> {
    match value {
        Some(Value::String(text)) => Ok(inner.describe(given)?.as_str().is_some_and(|part| text.contains(part))),
        Some(list @ Value::Array(items)) => {
            let mut unknown = given.rest(list).map(|rest| MatchError::from(rest.not_kept()));
            for item in items {
                match inner.holds(Some(item), given) {
                    Ok(true) => return Ok(true),
                    Ok(false) => {}
                    Err(why) => unknown = Some(why),
                }
            }
            unknown.map_or(Ok(false), Err)
        }
        _ => Ok(false),
    }
}

/// Whether some leaf or field name in a value matches; an error if the match could be in a part that was not kept.
fn somewhere(inner: &Matcher, value: &Value, given: &Given<'_>) -> Result<bool, MatchError> {
    let parts: Vec<(Option<&String>, &Value)> = match value {
        Value::Array(items) => items.iter().map(|item| (None, item)).collect(),
        Value::Object(fields) => fields.iter().map(|(name, field)| (Some(name), field)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return inner.holds(Some(value), given),
    };
    let mut unknown = given.rest(value).map(|rest| MatchError::from(rest.not_kept()));
    for (name, part) in parts {
        let is_named = name.map_or(Ok(false), |name| inner.holds(Some(&Value::String(name.clone())), given))?;
        match if is_named { Ok(true) } else { somewhere(inner, part, given) } {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(why) => unknown = Some(why),
        }
    }
    unknown.map_or(Ok(false), Err)
}

/// A value in which no number has a sign.
fn unsigned(value: &Value) -> Value {
    match value {
        Value::Number(number) => number.as_i64().map_or_else(|| value.clone(), |number| number.unsigned_abs().into()),
        Value::Array(items) => items.iter().map(unsigned).collect(),
        Value::Object(fields) => Value::Object(fields.iter().map(|(name, field)| (name.clone(), unsigned(field))).collect()),
        Value::Null | Value::Bool(_) | Value::String(_) => value.clone(),
    }
}

fn status_in(value: Option<&Value>, range: std::ops::Range<u64>) -> bool {
    value.and_then(Value::as_u64).is_some_and(|status| range.contains(&status))
}

fn length_of(value: &Value, given: &Given<'_>) -> Option<u64> {
    let length = match value {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => given.rest(value).map_or(items.len(), |rest| rest.length),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    u64::try_from(length).ok()
}
