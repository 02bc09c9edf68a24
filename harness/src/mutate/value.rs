//! What may stand in place of a value.

use serde_json::{Map, Value, json};

/// A change of a value, in words; without a value the field is gone.
pub(super) struct Instead {
    pub(super) change: String,
    pub(super) value: Option<Value>,
}

fn instead(change: &str, value: impl Into<Option<Value>>) -> Instead {
    Instead { change: change.to_owned(), value: value.into() }
}

/// Everything that may stand in place of a value that needs nothing else to be known.
pub(super) fn instead_of(value: &Value) -> Vec<Instead> {
    let mut all = vec![instead("dropped", None), instead("null", Value::Null), instead("an object", json!({"value": value}))];
    all.extend(match value {
        Value::Null => vec![instead("a text", json!("text")), instead("a number", json!(1)), instead("emptied", json!(""))],
        Value::Bool(flag) => vec![instead("the opposite", json!(!flag)), instead("a text", json!(flag.to_string()))],
        Value::Number(number) => numbers(number),
        Value::String(text) => texts(text),
        Value::Array(items) => lists(items),
        Value::Object(fields) => objects(fields),
    });
    all.retain(|other| other.value.as_ref() != Some(value));
    all
}

fn numbers(number: &serde_json::Number) -> Vec<Instead> {
    let text = instead("a text", json!(number.to_string()));
    let Some(whole) = number.as_i64() else {
        let more = number.as_f64().map(|n| json!(n + 1.0)).unwrap_or_default();
        return vec![text, instead("one more", more)];
    };
    vec![
        text,
        instead("one more", json!(whole.saturating_add(1))),
        instead("one less", json!(whole.saturating_sub(1))),
        instead("a hundred times", json!(whole.saturating_mul(100))),
        instead("negative", json!(whole.saturating_neg().min(-1))),
        instead("a fraction", json!(whole as f64 + 0.5)),
        instead("zero", json!(0)),
        instead("emptied", json!("")),
    ]
}

fn texts(text: &str) -> Vec<Instead> {
    let mut all = vec![instead("emptied", json!("")), instead("a list", json!([text]))];
    all.push(match text.parse::<i64>() {
        Ok(number) => instead("a number", json!(number)),
        Err(_) => instead("a number", json!(4711)),
    });
    if let Some(other) = other_text(text) {
        all.push(instead("one character changed", json!(other)));
    }
    let mut shorter = text.to_owned();
    if shorter.pop().is_some() && !shorter.is_empty() {
        all.push(instead("one character less", json!(shorter)));
    }
    if let Some(last) = text.chars().next_back() {
        all.push(instead("one character more", json!(format!("{text}{last}"))));
    }
    let switched = if text.chars().any(char::is_lowercase) { text.to_uppercase() } else { text.to_lowercase() };
    all.push(instead("other case", json!(switched)));
    all.push(instead("a blank before", json!(format!(" {text}"))));
    all
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

fn lists(items: &[Value]) -> Vec<Instead> {
    let mut all = vec![instead("a text", json!("text")), instead("emptied", json!([]))];
    if let Some((first, rest)) = items.split_first() {
        let twice: Vec<_> = std::iter::once(first).chain(items).cloned().collect();
        all.push(instead("an item twice", Value::Array(twice)));
        all.push(instead("an item gone", Value::Array(rest.to_vec())));
    }
    let reversed: Vec<_> = items.iter().rev().cloned().collect();
    all.push(instead("in reverse order", Value::Array(reversed)));
    all
}

fn objects(fields: &Map<String, Value>) -> Vec<Instead> {
    let mut more = fields.clone();
    more.insert("mutant".to_owned(), json!("more"));
    vec![
        instead("emptied", json!({})),
        instead("a text", json!("text")),
        instead("a list", json!([fields])),
        instead("a field more", Value::Object(more)),
    ]
}

/// How many items of a list are looked into.
const ITEMS: usize = 2;

/// Every place in a value, its own included, with what stands there.
pub(super) fn places(value: &Value) -> Vec<(String, &Value)> {
    let mut all = Vec::new();
    collect(String::new(), value, &mut all);
    all
}

fn collect<'v>(at: String, value: &'v Value, all: &mut Vec<(String, &'v Value)>) {
    match value {
        Value::Object(fields) => {
            for (name, below) in fields {
                collect(format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")), below, all);
            }
        }
        Value::Array(items) => {
            for (index, below) in items.iter().enumerate().take(ITEMS) {
                collect(format!("{at}/{index}"), below, all);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    all.push((at, value));
}

/// The value with another one at a place, or with none there.
pub(super) fn with(value: &Value, pointer: &str, other: Option<Value>) -> Option<Value> {
    let mut changed = value.clone();
    let Some(other) = other else {
        let (above, name) = pointer.rsplit_once('/')?;
        match changed.pointer_mut(above)? {
            Value::Object(fields) => fields.shift_remove(&name.replace("~1", "/").replace("~0", "~")).map(|_| ()),
            Value::Array(items) => name.parse::<usize>().ok().filter(|index| *index < items.len()).map(|index| _ = items.remove(index)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        }?;
        return Some(changed);
    };
    *changed.pointer_mut(pointer)? = other;
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
        assert_eq!(with(&value, "/a/0/b~1c", Some(json!(7))), Some(json!({"a": [{"b/c": 7}, 2]})));
        assert_eq!(with(&value, "/a/0/b~1c", None), Some(json!({"a": [{}, 2]})));
        assert_eq!(with(&value, "/a/0", None), Some(json!({"a": [2]})));
        assert_eq!(with(&value, "/x", None), None);
    }

    #[test]
    fn nothing_is_replaced_by_itself() {
        for value in [json!(0), json!(""), json!("x"), json!([]), json!({}), json!(null), json!(true)] {
            for other in instead_of(&value) {
                assert_ne!(other.value.as_ref(), Some(&value), "{}", other.change);
            }
        }
    }

    #[test]
    fn another_text_looks_alike() {
        assert_eq!(other_text("AB12-CD39").as_deref(), Some("AB12-CD30"));
        assert_eq!(other_text("2026-01-01T10:00:00Z").as_deref(), Some("2026-01-01T10:00:00A"));
        assert_eq!(other_text("…"), None);
    }
}
