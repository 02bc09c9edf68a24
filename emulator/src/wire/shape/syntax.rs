//! Bodies read as fields, and written in other spellings.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::fields::text_of;
use crate::common::freedoms::Spelling;
use crate::wire::form;

/// The syntax of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Syntax {
    Json,
    Form,
}

impl Syntax {
    /// The syntax of a media type; others are not read.
    pub(super) fn from_media_type(media_type: &str) -> Option<Self> {
        match media_type.split(';').next().unwrap_or_default().trim() {
            "application/json" => Some(Self::Json),
            "application/x-www-form-urlencoded" => Some(Self::Form),
            _ => None,
        }
    }

    /// Reads a body; `None` if it is empty or something else.
    pub(super) fn read(self, bytes: &[u8]) -> Option<Value> {
        match self {
            Self::Json => serde_json::from_slice(bytes).ok(),
            Self::Form => {
                let fields = form::pairs(bytes)?;
                Some(Value::Object(fields.into_iter().map(|(name, value)| (name, Value::String(value))).collect()))
            }
        }
    }

    /// Writes a body.
    pub(super) fn write(self, body: &Value, spelling: Option<Spelling>) -> Vec<u8> {
        match (self, body) {
            (Self::Form, Value::Object(fields)) => write_form(fields, spelling),
            (_, body) => write_json(body, spelling),
        }
    }
}

fn write_json(body: &Value, spelling: Option<Spelling>) -> Vec<u8> {
    match spelling {
        Some(Spelling::Pretty) => serde_json::to_vec_pretty(body).unwrap_or_default(),
        Some(Spelling::Ascii) => in_ascii(&body.to_string()).into_bytes(),
        Some(Spelling::Plus | Spelling::Lower) | None => body.to_string().into_bytes(),
    }
}

/// Letters beyond ASCII occur only in strings, where they may be escaped.
fn in_ascii(json: &str) -> String {
    let mut ascii = String::with_capacity(json.len());
    for letter in json.chars() {
        if letter.is_ascii() {
            ascii.push(letter);
        } else {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                let _ = write!(ascii, "\\u{unit:04x}");
            }
        }
    }
    ascii
}

fn write_form(fields: &Map<String, Value>, spelling: Option<Spelling>) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, value) in fields {
        if !out.is_empty() {
            out.push(b'&');
        }
        escape(name, spelling, &mut out);
        out.push(b'=');
        if !value.is_null() {
            escape(&text_of(value), spelling, &mut out);
        }
    }
    out
}

fn escape(text: &str, spelling: Option<Spelling>, out: &mut Vec<u8>) {
    let mut escaped = Vec::with_capacity(text.len());
    form::escape(text, &mut escaped);
    let escaped = String::from_utf8_lossy(&escaped);
    match spelling {
        Some(Spelling::Plus) => out.extend(escaped.replace("%20", "+").bytes()),
        Some(Spelling::Lower) => lower_escapes(&escaped, out),
        Some(Spelling::Pretty | Spelling::Ascii) | None => out.extend(escaped.bytes()),
    }
}

fn lower_escapes(escaped: &str, out: &mut Vec<u8>) {
    let mut digits = 0;
    for byte in escaped.bytes() {
        out.push(if digits > 0 { byte.to_ascii_lowercase() } else { byte });
        digits = if byte == b'%' { 2_u8 } else { digits.saturating_sub(1) };
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_form_is_read_and_written_in_every_spelling() {
        let body = Syntax::Form.read(b"a=x%20%C5%A1&b=").unwrap();
        assert_eq!(body, json!({ "a": "x š", "b": "" }));
        let written = |spelling| String::from_utf8(Syntax::Form.write(&body, spelling)).unwrap();
        assert_eq!(written(None), "a=x%20%C5%A1&b=");
        assert_eq!(written(Some(Spelling::Plus)), "a=x+%C5%A1&b=");
        assert_eq!(written(Some(Spelling::Lower)), "a=x%20%c5%a1&b=");
    }

    #[test]
    fn json_is_written_in_every_spelling() {
        let body = json!({ "a": "š😀" });
        let written = |spelling| String::from_utf8(Syntax::Json.write(&body, Some(spelling))).unwrap();
        assert_eq!(written(Spelling::Ascii), r#"{"a":"\u0161\ud83d\ude00"}"#);
        assert_eq!(serde_json::from_str::<Value>(&written(Spelling::Ascii)).unwrap(), body);
        assert_eq!(written(Spelling::Pretty), "{\n  \"a\": \"š😀\"\n}");
    }
}
