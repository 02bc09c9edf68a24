//! The fields of a request, from a form or from a JSON object.

use std::borrow::Cow;

/// A value as sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value<'a> {
    /// Text; the only kind there is in forms.
    Text(Cow<'a, str>),
    /// A JSON number without a fraction.
    Integer(i64),
    /// A JSON boolean.
    Boolean(bool),
    /// A JSON number with a fraction, if only `.0`.
    Decimal(f64),
    /// A value of another type than any documented one: arrays, objects.
    Other,
}

/// Why a body can't be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unreadable(pub(crate) &'static str);

/// A field of another type than documented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Malformed(pub(crate) &'static str);

/// More fields than any request of the documents has; a limit for hostile bodies.
const MOST_FIELDS: usize = 200;

/// Named values. A field sent empty, or as `null`, counts as absent.
#[derive(Debug, Default)]
pub(crate) struct Fields<'a> {
    entries: Vec<(Cow<'a, str>, Option<Value<'a>>)>,
    numeric_flags: bool,
    loose: bool,
}

impl<'a> Fields<'a> {
    /// No fields yet. Forms write booleans as `1` and `0` too: `numeric_flags`.
    pub(crate) fn new(numeric_flags: bool) -> Self {
        Self { entries: Vec::with_capacity(16), numeric_flags, loose: false }
    }

    /// The same fields, whose values may also be written as programming languages print them: `True`, `Y`, `1`, `12300.00`.
    #[must_use]
    pub(crate) fn loosely(mut self) -> Self {
        self.loose = true;
        self
    }

    /// Adds a field as sent; `None` is the `null` of JSON.
    pub(crate) fn add(&mut self, name: Cow<'a, str>, value: Option<Value<'a>>) -> Result<(), Unreadable> {
        if self.entries.len() == MOST_FIELDS {
            return Err(Unreadable("there are too many fields"));
        }
        if self.entries.iter().any(|(known, _)| *known == name) {
            return Err(Unreadable("a field is repeated"));
        }
        self.entries.push((name, value));
        Ok(())
    }

    fn get(&self, name: &str) -> Option<&Value<'a>> {
        let (_, value) = self.entries.iter().find(|(known, _)| known == name)?;
        value.as_ref().filter(|value| !matches!(value, Value::Text(text) if text.is_empty()))
    }

    /// A field that is text.
    pub(crate) fn text(&self, name: &'static str) -> Result<Option<&str>, Malformed> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(_) => Err(Malformed(name)),
        }
    }

    /// A field that is an int32. Clients also send the digits as text.
    pub(crate) fn integer(&self, name: &'static str) -> Result<Option<i64>, Malformed> {
        let number = self.long(name)?;
        if number.is_none_or(|number| i32::try_from(number).is_ok()) { Ok(number) } else { Err(Malformed(name)) }
    }

    /// A field that is an integer of a size the document doesn't limit.
    pub(crate) fn long(&self, name: &'static str) -> Result<Option<i64>, Malformed> {
        let number = match self.get(name) {
            None => return Ok(None),
            Some(Value::Integer(number)) => Some(*number),
            Some(Value::Text(digits)) => digits_to_integer(digits),
            // A whole number is printed without its fraction.
            Some(Value::Decimal(number)) if self.loose => number.to_string().parse().ok(),
            Some(Value::Decimal(_) | Value::Boolean(_) | Value::Other) => None,
        };
        number.map(Some).ok_or(Malformed(name))
    }

    /// A field that is a boolean. Clients also send it as text.
    pub(crate) fn flag(&self, name: &'static str) -> Result<Option<bool>, Malformed> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Boolean(flag)) => Ok(Some(*flag)),
            Some(Value::Text(word)) => self.text_to_flag(word).map(Some).ok_or(Malformed(name)),
            Some(Value::Integer(number @ (0 | 1))) if self.loose => Ok(Some(*number == 1)),
            Some(Value::Integer(_) | Value::Decimal(_) | Value::Other) => Err(Malformed(name)),
        }
    }

    fn text_to_flag(&self, word: &str) -> Option<bool> {
        match word {
            "true" => Some(true),
            "false" => Some(false),
            "1" if self.numeric_flags || self.loose => Some(true),
            "0" if self.numeric_flags || self.loose => Some(false),
            _ if self.loose => loose_flag(word),
            _ => None,
        }
    }
}

fn loose_flag(word: &str) -> Option<bool> {
    let is_any = |words: [&str; 3]| words.iter().any(|known| known.eq_ignore_ascii_case(word));
    if is_any(["true", "yes", "Y"]) {
        return Some(true);
    }
    is_any(["false", "no", "N"]).then_some(false)
}

fn digits_to_integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}
