//! Reads the YAML files that are part of the program: mappings, lists and scalars (core schema), anchors and aliases. They are
//! tested, so a mistake in one is reported without its place.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Number, Value};

/// A collection that is still open, and the number of its anchor, or 0.
struct Open {
    collection: Collection,
    anchor: usize,
}

enum Collection {
    List(Vec<Value>),
    Map(Map<String, Value>, Option<String>),
}

/// Reads the only document of a text.
pub(crate) fn read(text: &str) -> Result<Value, String> {
    let mut open: Vec<Open> = Vec::new();
    let mut anchored: HashMap<usize, Value> = HashMap::new();
    let mut root = Value::Null;
    for event in Parser::new_from_str(text) {
        let (event, _) = event.map_err(|error| error.to_string())?;
        let (finished, anchor) = match event {
            Event::SequenceStart(anchor, None) => {
                open.push(Open { collection: Collection::List(Vec::new()), anchor });
                continue;
            }
            Event::MappingStart(anchor, None) => {
                open.push(Open { collection: Collection::Map(Map::new(), None), anchor });
                continue;
            }
            Event::Scalar(text, style, anchor, None) => {
                if let Some(Open { collection: Collection::Map(_, key @ None), .. }) = open.last_mut() {
                    *key = Some(text.into_owned());
                    continue;
                }
                (scalar(&text, style), anchor)
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open { collection: Collection::List(items), anchor }) => (Value::Array(items), anchor),
                Some(Open { collection: Collection::Map(fields, _), anchor }) => (Value::Object(fields), anchor),
                None => (Value::Null, 0),
            },
            Event::Alias(anchor) => (anchored.get(&anchor).cloned().ok_or("an alias stands within its anchor")?, 0),
            Event::Scalar(..) | Event::SequenceStart(..) | Event::MappingStart(..) => return Err("tags are not used here".to_owned()),
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) | Event::DocumentEnd => continue,
        };
        if anchor > 0 {
            anchored.insert(anchor, finished.clone());
        }
        match open.last_mut().map(|open| &mut open.collection) {
            None => root = finished,
            Some(Collection::List(items)) => items.push(finished),
            Some(Collection::Map(fields, key)) => {
                let key = key.take().ok_or("a key is a plain name")?;
                if fields.contains_key(&key) {
                    return Err(format!("`{key}` stands there twice"));
                }
                fields.insert(key, finished);
            }
        }
    }
    Ok(root)
}

fn scalar(text: &str, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return Value::String(text.to_owned());
    }
    match text {
        "" | "~" | "null" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number),
    }
}

/// Numbers in the spelling of JSON; `0123` and `2026-01-15` stay texts.
fn number(text: &str) -> Option<Number> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.starts_with(|first: char| first.is_ascii_digit()) { serde_json::from_str(text).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn mappings_lists_and_scalars_are_read() {
        let text = "a: 1\nb: [x, 'y', 1.5]\nc:\n  - d: true\n    e: ~\n  - 0123\n";
        assert_eq!(read(text), Ok(json!({ "a": 1, "b": ["x", "y", 1.5], "c": [{ "d": true, "e": null }, "0123"] })));
    }

    #[test]
    fn an_alias_is_what_its_anchor_is() {
        assert_eq!(read("a: &x { b: 1 }\nc: *x\nd: [&y 2, *y]"), Ok(json!({ "a": { "b": 1 }, "c": { "b": 1 }, "d": [2, 2] })));
    }

    #[test]
    fn mistakes_are_reported() {
        for (text, part) in
            [("a: 1\na: 2", "twice"), ("a: [1", "expected"), ("a: !x 1", "tags"), ("a: &x [*x]", "within"), ("[a]: 1", "plain name")]
        {
            let error = read(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
