//! Replacements of a value.

use serde_json::{Map, Value, json};

use crate::base::pointer;

/// A change of a value that depends on the value alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueChange {
    Dropped,
    Null,
    Wrapped,
    Listed,
    Text,
    Number,
    Emptied,
    Opposite,
    OneMore,
    OneLess,
    Hundredfold,
    Negative,
    Fraction,
    Zero,
    OtherCharacter,
    Shorter,
    Longer,
    OtherCase,
    Indented,
    ItemTwice,
    ItemGone,
    Reversed,
    FieldMore,
}

impl ValueChange {
    /// The changes that apply to a value of this kind; not every value has all of them.
    pub(super) fn applicable_to(value: &Value) -> impl Iterator<Item = Self> {
        use ValueChange::*;
        let own: &[Self] = match value {
            Value::Null => &[Text, Number, Emptied],
            Value::Bool(_) => &[Opposite, Text],
            Value::Number(_) => &[Text, OneMore, OneLess, Hundredfold, Negative, Fraction, Zero, Emptied],
            Value::String(_) => &[Emptied, Listed, Number, OtherCharacter, Shorter, Longer, OtherCase, Indented],
            Value::Array(_) => &[Text, Emptied, ItemTwice, ItemGone, Reversed],
            Value::Object(_) => &[Emptied, Text, Listed, FieldMore],
        };
        [Dropped, Null, Wrapped].into_iter().chain(own.iter().copied())
    }

    /// In words.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Dropped => "dropped",
            Self::Null => "null",
            Self::Wrapped => "an object",
            Self::Listed => "a list",
            Self::Text => "a text",
            Self::Number => "a number",
            Self::Emptied => "emptied",
            Self::Opposite => "the opposite",
            Self::OneMore => "one more",
            Self::OneLess => "one less",
            Self::Hundredfold => "a hundred times",
            Self::Negative => "negative",
            Self::Fraction => "a fraction",
            Self::Zero => "zero",
            Self::OtherCharacter => "one character changed",
            Self::Shorter => "one character less",
            Self::Longer => "one character more",
            Self::OtherCase => "other case",
            Self::Indented => "a blank before",
            Self::ItemTwice => "an item twice",
            Self::ItemGone => "an item gone",
            Self::Reversed => "in reverse order",
            Self::FieldMore => "a field more",
        }
    }

    /// The changed value; none if the change has no effect, or removes the value.
    fn made(self, value: &Value) -> Option<Value> {
        let other = match (self, value) {
            (Self::Dropped, _) => return None,
            (Self::Null, _) => Value::Null,
            (Self::Wrapped, _) => json!({"value": value}),
            (Self::Listed, _) => json!([value]),
            (_, Value::Null) => of_nothing(self)?,
            (_, Value::Bool(flag)) => of_a_flag(self, *flag)?,
            (_, Value::Number(number)) => of_a_number(self, number)?,
            (_, Value::String(text)) => of_a_text(self, text)?,
            (_, Value::Array(items)) => of_a_list(self, items)?,
            (_, Value::Object(fields)) => of_an_object(self, fields)?,
        };
        (other != *value).then_some(other)
    }
}

fn of_nothing(change: ValueChange) -> Option<Value> {
    Some(match change {
        ValueChange::Text => json!("text"),
        ValueChange::Number => json!(1),
        ValueChange::Emptied => json!(""),
        _ => return None,
    })
}

fn of_a_flag(change: ValueChange, flag: bool) -> Option<Value> {
    Some(match change {
        ValueChange::Opposite => json!(!flag),
        ValueChange::Text => json!(flag.to_string()),
        _ => return None,
    })
}

fn of_a_number(change: ValueChange, number: &serde_json::Number) -> Option<Value> {
    let whole = number.as_i64();
    Some(match (change, whole) {
        (ValueChange::Text, _) => json!(number.to_string()),
        (ValueChange::OneMore, None) => json!(number.as_f64()? + 1.0),
        (ValueChange::OneMore, Some(whole)) => json!(whole.saturating_add(1)),
        (ValueChange::OneLess, Some(whole)) => json!(whole.saturating_sub(1)),
        (ValueChange::Hundredfold, Some(whole)) => json!(whole.saturating_mul(100)),
        (ValueChange::Negative, Some(whole)) => json!(whole.saturating_neg().min(-1)),
        (ValueChange::Fraction, Some(whole)) => json!(whole as f64 + 0.5),
        (ValueChange::Zero, Some(_)) => json!(0),
        (ValueChange::Emptied, Some(_)) => json!(""),
        _ => return None,
    })
}

fn of_a_text(change: ValueChange, text: &str) -> Option<Value> {
    Some(match change {
        ValueChange::Emptied => json!(""),
        ValueChange::Number => text.parse::<i64>().map_or_else(|_| json!(4711), |number| json!(number)),
        ValueChange::OtherCharacter => json!(other_text(text)?),
        ValueChange::Shorter => {
            let mut shorter = text.to_owned();
            shorter.pop().filter(|_| !shorter.is_empty())?;
            json!(shorter)
        }
        ValueChange::Longer => json!(format!("{text}{}", text.chars().next_back()?)),
        ValueChange::OtherCase if text.chars().any(char::is_lowercase) => json!(text.to_uppercase()),
        ValueChange::OtherCase => json!(text.to_lowercase()),
        ValueChange::Indented => json!(format!(" {text}")),
        _ => return None,
    })
}

/// The same text with its last letter or digit replaced by the next one of its kind.
fn other_text(text: &str) -> Option<String> {
    let (at, last) = text.char_indices().rev().find(|(_, c)| c.is_ascii_alphanumeric())?;
    let next = match last {
        '9' => '0',
        'z' => 'a',
        'Z' => 'A',
        c => char::from(u8::try_from(c).ok()?.saturating_add(1)),
    };
    Some(format!("{}{next}{}", text.get(..at)?, text.get(at + last.len_utf8()..)?))
}

fn of_a_list(change: ValueChange, items: &[Value]) -> Option<Value> {
    Some(match change {
        ValueChange::Text => json!("text"),
        ValueChange::Emptied => json!([]),
        ValueChange::ItemTwice => items.first().into_iter().chain(items).cloned().collect(),
        ValueChange::ItemGone => items.iter().skip(1).cloned().collect(),
        ValueChange::Reversed => items.iter().rev().cloned().collect(),
        _ => return None,
    })
}

fn of_an_object(change: ValueChange, fields: &Map<String, Value>) -> Option<Value> {
    Some(match change {
        ValueChange::Emptied => json!({}),
        ValueChange::Text => json!("text"),
        ValueChange::FieldMore => {
            let mut more = fields.clone();
            more.insert("mutant".to_owned(), json!("more"));
            Value::Object(more)
        }
        _ => return None,
    })
}

/// How many items of a list are changed.
const ITEMS: usize = 2;

/// Every place in a value, the root included, with the value there.
pub(super) fn places(value: &Value) -> Vec<(String, &Value)> {
    let mut all = Vec::new();
    collect(String::new(), value, &mut all);
    all
}

fn collect<'v>(at: String, value: &'v Value, all: &mut Vec<(String, &'v Value)>) {
    match value {
        Value::Object(fields) => {
            for (name, below) in fields {
                collect(pointer::field(&at, name), below, all);
            }
        }
        Value::Array(items) => {
            for (index, below) in items.iter().enumerate().take(ITEMS) {
                collect(pointer::item(&at, index), below, all);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    all.push((at, value));
}

/// The value with a change at a place; none if it has no effect.
pub(super) fn changed(value: &Value, pointer: &str, change: ValueChange) -> Option<Value> {
    match change {
        ValueChange::Dropped => without(value, pointer),
        _ => with(value, pointer, change.made(value.pointer(pointer)?)?),
    }
}

/// The value with another one at a place.
pub(super) fn with(value: &Value, pointer: &str, other: Value) -> Option<Value> {
    let mut changed = value.clone();
    *changed.pointer_mut(pointer)? = other;
    Some(changed)
}

/// The value without the one at a place.
fn without(value: &Value, pointer: &str) -> Option<Value> {
    let (above, name) = pointer::split_last(pointer)?;
    let mut changed = value.clone();
    match changed.pointer_mut(above)? {
        Value::Object(fields) => fields.shift_remove(&*pointer::unescaped(name)).map(|_| ()),
        Value::Array(items) => name.parse::<usize>().ok().filter(|index| *index < items.len()).map(|index| _ = items.remove(index)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }?;
    Some(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_found() {
        let value = json!({"a": [{"b/c": 1}, 2, 3], "d": "x"});
        let found: Vec<_> = places(&value).into_iter().map(|(at, _)| at).collect();
        assert_eq!(found, ["/a/0/b~1c", "/a/0", "/a/1", "/a", "/d", ""]);
    }

    #[test]
    fn a_value_is_replaced_or_gone() {
        let value = json!({"a": [{"b/c": 1}, 2]});
        assert_eq!(with(&value, "/a/0/b~1c", json!(7)), Some(json!({"a": [{"b/c": 7}, 2]})));
        assert_eq!(changed(&value, "/a/0/b~1c", ValueChange::OneMore), Some(json!({"a": [{"b/c": 2}, 2]})));
        assert_eq!(changed(&value, "/a/0/b~1c", ValueChange::Dropped), Some(json!({"a": [{}, 2]})));
        assert_eq!(changed(&value, "/a/0", ValueChange::Dropped), Some(json!({"a": [2]})));
        for change in [ValueChange::Dropped, ValueChange::Null] {
            assert_eq!(changed(&value, "/x", change), None);
        }
    }

    #[test]
    fn nothing_is_replaced_by_itself() {
        for value in
            [json!(0), json!(-1), json!(0.5), json!(""), json!("x"), json!("…"), json!([]), json!([1]), json!({}), json!(null), json!(true)]
        {
            for change in ValueChange::applicable_to(&value) {
                assert_ne!(change.made(&value), Some(value.clone()), "{}", change.words());
            }
        }
    }

    #[test]
    fn every_change_of_a_kind_of_value_can_be_made() {
        for value in [json!(7), json!("12 Kč"), json!([1, 2]), json!({"a": 1}), json!(null), json!(true)] {
            let unmade: Vec<_> = ValueChange::applicable_to(&value).filter(|change| change.made(&value).is_none()).collect();
            let nothing_to_do = if value.is_null() { vec![ValueChange::Dropped, ValueChange::Null] } else { vec![ValueChange::Dropped] };
            assert_eq!(unmade, nothing_to_do, "{value}");
        }
    }

    #[test]
    fn another_text_looks_alike() {
        assert_eq!(other_text("AB12-CD39").as_deref(), Some("AB12-CD30"));
        assert_eq!(other_text("2026-01-01T10:00:00Z").as_deref(), Some("2026-01-01T10:00:00A"));
        assert_eq!(other_text("…"), None);
    }
}
