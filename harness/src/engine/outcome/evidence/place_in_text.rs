//! Where in the text of a body the place of a finding is.

use std::ops::Range;

use serde_json::Value;

use crate::base::file_position::{FilePosition, FileStart};
use crate::base::place::Place;
use crate::base::pointer;
use crate::wire::exchange::escape;
use crate::wire::expression::text_of;

/// The bytes of a body's text that a place means; for a value that is missing, those of what should hold it. None if the whole body is
/// meant, or if the text does not show where the place is. `got` is the value that was found there.
pub(super) fn place_in_text(text: &str, at: &Place, got: Option<&Value>) -> Option<Range<usize>> {
    let Place::Body { position, .. } = at else { return None };
    let pointer = at.pointer().unwrap_or_default();
    JsonText(text.as_bytes()).find(pointer).or_else(|| in_file(text, position, got)).or_else(|| in_form(text, pointer))
}

/// The line or the byte that a position names. A position in the entry of an archive is in another text.
fn in_file(text: &str, position: &FilePosition, got: Option<&Value>) -> Option<Range<usize>> {
    match position.start()? {
        FileStart::Line(number) => {
            let line = line(text, number)?;
            Some(got.and_then(|got| only_place_of(got, text, line.clone())).unwrap_or(line))
        }
        FileStart::Byte(offset) => {
            let byte = text.floor_char_boundary(offset);
            (byte < text.len()).then_some(byte..byte)
        }
    }
}

/// A line, from 1, without its end.
fn line(text: &str, number: usize) -> Option<Range<usize>> {
    let start = match number.checked_sub(2) {
        Some(breaks) => text.match_indices('\n').nth(breaks)?.0 + 1,
        None => 0,
    };
    let rest = text.get(start..)?;
    Some(start..start + rest.find('\n').unwrap_or(rest.len()))
}

/// Where a value stands in a line, if it stands there once: a file has columns of many widths, and a long line more than fits on a screen.
fn only_place_of(value: &Value, text: &str, line: Range<usize>) -> Option<Range<usize>> {
    let value = text_of(value).filter(|value| !value.is_empty())?;
    let mut places = text.get(line.clone())?.match_indices(value.as_str());
    let (at, found) = places.next()?;
    places.next().is_none().then_some(line.start + at..line.start + at + found.len())
}

/// A field of a form.
fn in_form(text: &str, pointer: &str) -> Option<Range<usize>> {
    let mut name = String::new();
    escape(&pointer::names(pointer).next()?, &mut name);
    let mut start = 0;
    text.split('&').find_map(|pair| {
        let place = start..start + pair.len();
        start = place.end + 1;
        (pair.split('=').next() == Some(name.as_str())).then_some(place)
    })
}

/// A text that is read as JSON as far as it goes: it may be cut, or broken further below.
struct JsonText<'t>(&'t [u8]);

impl JsonText<'_> {
    /// The last member or item on the way to the value at a pointer.
    fn find(&self, pointer: &str) -> Option<Range<usize>> {
        let (mut found, mut value) = (None, self.after_space(0));
        for name in pointer::names(pointer) {
            let Some((part, inner)) = self.part(value, &name) else { break };
            (found, value) = (Some(part), inner);
        }
        found
    }

    /// A member of the object, or an item of the array, that begins at `at`: its bytes, and where its value begins.
    fn part(&self, at: usize, name: &str) -> Option<(Range<usize>, usize)> {
        match self.0.get(at)? {
            b'{' => self.member(at + 1, name),
            b'[' => self.item(at + 1, name.parse().ok()?),
            _ => None,
        }
    }

    fn member(&self, at: usize, name: &str) -> Option<(Range<usize>, usize)> {
        let mut at = self.after_space(at);
        loop {
            let key = at..self.after_text(at)?;
            let value = self.after(self.after_space(key.end), b':')?;
            let end = self.after_value(value);
            if self.is_name(key.clone(), name) {
                return Some((key.start..end, value));
            }
            at = self.after(self.after_space(end), b',')?;
        }
    }

    fn item(&self, at: usize, index: usize) -> Option<(Range<usize>, usize)> {
        let mut at = self.after_space(at);
        for _ in 0..index {
            at = self.after(self.after_space(self.after_value(at)), b',')?;
        }
        let end = self.after_value(at);
        (end > at).then_some((at..end, at))
    }

    /// Whether a key, with its quotation marks, is this name.
    fn is_name(&self, key: Range<usize>, name: &str) -> bool {
        let key = self.0.get(key).unwrap_or_default();
        let between_marks = key.strip_prefix(b"\"").and_then(|key| key.strip_suffix(b"\""));
        // Hardly any key has an escape, and a list has many keys.
        between_marks == Some(name.as_bytes())
            || (key.contains(&b'\\') && serde_json::from_slice::<String>(key).is_ok_and(|spelled| spelled == name))
    }

    /// What follows this byte and the space after it, if the byte is there.
    fn after(&self, at: usize, byte: u8) -> Option<usize> {
        (self.0.get(at) == Some(&byte)).then(|| self.after_space(at + 1))
    }

    fn after_space(&self, at: usize) -> usize {
        at + self.0.get(at..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_whitespace()).count()
    }

    /// The end of the text whose quotation mark is at `at`; none if there is none.
    fn after_text(&self, at: usize) -> Option<usize> {
        let inside = self.0.get(at..)?.strip_prefix(b"\"")?;
        let mut is_escaped = false;
        let length = inside.iter().position(|byte| {
            let ends = *byte == b'"' && !is_escaped;
            is_escaped = *byte == b'\\' && !is_escaped;
            ends
        });
        Some(length.map_or(self.0.len(), |length| at + length + 2))
    }

    /// The end of the value that begins at `from`, without the space after it.
    fn after_value(&self, from: usize) -> usize {
        let (mut at, mut depth) = (from, 0_usize);
        while let Some(byte) = self.0.get(at) {
            match byte {
                b',' | b'}' | b']' if depth == 0 => break,
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            at = self.after_text(at).unwrap_or(at + 1);
        }
        from + self.0.get(from..at).unwrap_or_default().trim_ascii_end().len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::base::place::Message;

    fn found<'t>(text: &'t str, at: &Place, got: Option<&Value>) -> Option<&'t str> {
        place_in_text(text, at, got).map(|place| text.get(place).unwrap())
    }

    #[test]
    fn a_value_of_json_is_found_with_its_name_and_a_missing_one_by_what_should_hold_it() {
        let text = r#" {"a": [1, {"b,]}": "x\"},", "ž": {"d/e": [ ]}} , -2.5e3 ], "c\u0041": null, "last": true }"#;
        for (pointer, part) in [
            ("/a/1/b,]}", Some(r#""b,]}": "x\"},""#)),
            ("/a/1/ž/d~1e", Some(r#""d/e": [ ]"#)),
            ("/a/1/ž/d~1e/0", Some(r#""d/e": [ ]"#)),
            ("/a/2", Some("-2.5e3")),
            ("/a/3", Some(r#""a": [1, {"b,]}": "x\"},", "ž": {"d/e": [ ]}} , -2.5e3 ]"#)),
            ("/cA", Some(r#""c\u0041": null"#)),
            ("/last", Some(r#""last": true"#)),
            ("/last/x", Some(r#""last": true"#)),
            ("/missing", None),
            ("", None),
        ] {
            assert_eq!(found(text, &Place::value(Message::Response, pointer), None), part, "{pointer}");
        }
    }

    #[test]
    fn json_that_is_cut_or_broken_is_read_as_far_as_it_goes() {
        let at = |pointer: &str| Place::value(Message::Response, pointer);
        assert_eq!(found(r#"{"a": {"b": "cut her"#, &at("/a/b"), None), Some(r#""b": "cut her"#));
        assert_eq!(found(r#"{"a": 1, broken, "b": 2}"#, &at("/a"), None), Some(r#""a": 1"#));
        assert_eq!(found(r#"{"a": 1, broken, "b": 2}"#, &at("/b"), None), None);
    }

    #[test]
    fn a_line_of_a_file_is_narrowed_to_the_value_that_stands_in_it_once() {
        let text = "ID;Currency;Amount\nA1;CZK;10,50\nA2;EUR;2\n";
        let at = |line| Place::value(Message::Response, "/rows/1/Amount").in_file(FilePosition::line(line).column(3));
        assert_eq!(found(text, &at(3), None), Some("A2;EUR;2"));
        assert_eq!(found(text, &at(2), Some(&json!("10,50"))), Some("10,50"));
        assert_eq!(found(text, &at(3), Some(&json!("2"))), Some("A2;EUR;2"), "it stands there twice");
        assert_eq!(found(text, &at(1), Some(&Value::Null)), Some("ID;Currency;Amount"));
        assert_eq!(found(text, &at(9), None), None);
    }

    #[test]
    fn a_byte_a_field_of_a_form_and_a_file_in_json_are_found() {
        let broken = Place::body(Message::Response).in_file(FilePosition::byte(2));
        assert_eq!(place_in_text("ab}", &broken, None), Some(2..2));
        let form = Place::field(Message::Notification, "pay id");
        assert_eq!(found("id=1&pay%20id=7&x=", &form, None), Some("pay%20id=7"));
        let inner = Place::value(Message::Response, "/file/rows/4/Amount").in_file(FilePosition::line(5));
        assert_eq!(found(r#"{"code":0,"file":"SUQ7"}"#, &inner, None), Some(r#""file":"SUQ7""#), "line 5 is not one of the JSON text");
    }

    #[test]
    fn other_places_are_not_in_a_body() {
        let entry = Place::body(Message::Response).in_file(FilePosition::line(1).inside(&FilePosition::entry("a.csv")));
        for at in [Place::Status, Place::Whole(Message::Response), Place::body(Message::Response), entry] {
            assert_eq!(place_in_text("{\"a\": 1}", &at, None), None, "{at}");
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![Just(Value::Null), any::<i32>().prop_map(Value::from), "[a-c\"\\\\,{}\\[\\] ž]{0,4}".prop_map(Value::from)];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec(("[a-b\"/~]{1,2}", inner), 0..4).prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    /// Every value of a JSON text, by its pointer.
    fn parts(value: &Value, at: &str, into: &mut Vec<(String, Value)>) {
        let below: Vec<(String, &Value)> = match value {
            Value::Object(fields) => fields.iter().map(|(name, value)| (pointer::field(at, name), value)).collect(),
            Value::Array(items) => items.iter().enumerate().map(|(index, value)| (pointer::item(at, index), value)).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
        };
        for (at, value) in below {
            into.push((at.clone(), value.clone()));
            parts(value, &at, into);
        }
    }

    proptest! {
        #[test]
        fn every_value_is_found_in_every_layout(value in any_json(), pretty in any::<bool>()) {
            let text = if pretty { format!("{value:#}") } else { value.to_string() };
            let mut all = Vec::new();
            parts(&value, "", &mut all);
            for (at, value) in all {
                let part = found(&text, &Place::value(Message::Response, at.as_str()), None).unwrap();
                let is_item = at.rsplit('/').next().is_some_and(pointer::is_index);
                let whole = if is_item { format!("[{part}]") } else { format!("{{{part}}}") };
                let mut read = Vec::new();
                parts(&serde_json::from_str(&whole).unwrap(), "", &mut read);
                prop_assert_eq!(&read[0].1, &value, "{}", at);
            }
        }

        #[test]
        fn no_text_makes_it_panic(text in "[\\[\\]{}\",:\\\\ ab1\nž&=]{0,40}", at in "(/[ab01]{0,2}){0,4}", line in 0_usize..5) {
            let at = Place::value(Message::Response, at);
            for at in [at.clone().in_file(FilePosition::line(line)), at.clone().in_file(FilePosition::byte(line)), at] {
                let place = place_in_text(&text, &at, Some(&json!("a")));
                prop_assert!(place.is_none_or(|place| text.get(place).is_some()), "{}", at);
            }
        }
    }
}
