//! Reads the YAML files that are part of the program: plain mappings, lists and scalars (core schema). They are tested, so a
//! mistake in one is reported without its place.

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Number, Value};

/// A collection that is still open.
enum Open {
    List(Vec<Value>),
    Map(Map<String, Value>, Option<String>),
}

/// Reads the only document of a text.
pub(crate) fn read(text: &str) -> Result<Value, String> {
    let mut open = Vec::new();
    let mut root = Value::Null;
    for event in Parser::new_from_str(text) {
        let (event, _) = event.map_err(|error| error.to_string())?;
        let finished = match event {
            Event::SequenceStart(0, None) => {
                open.push(Open::List(Vec::new()));
                continue;
            }
            Event::MappingStart(0, None) => {
                open.push(Open::Map(Map::new(), None));
                continue;
            }
            Event::Scalar(text, style, 0, None) => {
                if let Some(Open::Map(_, key @ None)) = open.last_mut() {
                    *key = Some(text.into_owned());
                    continue;
                }
                scalar(&text, style)
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open::List(items)) => Value::Array(items),
                Some(Open::Map(fields, _)) => Value::Object(fields),
                None => Value::Null,
            },
            Event::Alias(_) | Event::Scalar(..) | Event::SequenceStart(..) | Event::MappingStart(..) => {
                return Err("anchors, aliases and tags are not used here".to_owned());
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) | Event::DocumentEnd => continue,
        };
        match open.last_mut() {
            None => root = finished,
            Some(Open::List(items)) => items.push(finished),
            Some(Open::Map(fields, key)) => {
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
    fn mistakes_are_reported() {
        for (text, part) in [("a: 1\na: 2", "twice"), ("a: [1", "expected"), ("a: &x 1", "anchors"), ("[a]: 1", "plain name")] {
            let error = read(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
