//! The character encoding of a file; it may depend on the request.

use encoding_rs::{DecoderResult, Encoding, UTF_8};
use indexmap::IndexMap;
use serde_json::Value;

use super::FormatError;
use crate::base::file_position::FilePosition;
use crate::wire::exchange::{BodyFault, Request};
use crate::wire::expression::{RuntimeExpression, text_of};

/// A character encoding.
#[derive(Clone, Debug, PartialEq)]
pub enum Charset {
    /// The same for every request.
    Fixed(&'static Encoding),
    /// Chosen by the request.
    Asked {
        /// The place in the request.
        from: RuntimeExpression,
        /// The encodings by the value at that place.
        by: IndexMap<String, &'static Encoding>,
        /// The encoding without such a value.
        default: &'static Encoding,
    },
}

impl Default for Charset {
    fn default() -> Self {
        Self::Fixed(UTF_8)
    }
}

impl Charset {
    /// Reads `utf-8`, or `{ from: $request.query.encoding, win1250: windows-1250, default: utf-8 }`.
    pub(super) fn parse(value: &Value) -> Result<Self, FormatError> {
        if let Some(label) = value.as_str() {
            return encoding(label).map(Self::Fixed);
        }
        let map = value.as_object().ok_or(FormatError::Charset)?;
        let from = map.get("from").and_then(Value::as_str).ok_or(FormatError::CharsetFrom)?;
        let mut by = IndexMap::new();
        for (asked, label) in map.iter().filter(|(key, _)| *key != "from") {
            by.insert(asked.clone(), encoding(label.as_str().unwrap_or_default())?);
        }
        let default = by.shift_remove("default").unwrap_or(UTF_8);
        Ok(Self::Asked { from: RuntimeExpression::parse(from)?, by, default })
    }

    /// Whether the request chooses it.
    pub(super) fn is_asked(&self) -> bool {
        matches!(self, Self::Asked { .. })
    }

    /// The encoding for the response to a request.
    pub(super) fn encoding_for(&self, request: &Request) -> &'static Encoding {
        match self {
            Self::Fixed(encoding) => encoding,
            Self::Asked { from, by, default } => {
                let asked = from.sent(request).and_then(text_of);
                asked.and_then(|asked| by.get(&asked).copied()).unwrap_or(default)
            }
        }
    }
}

/// Lines are found by their bytes, so only ASCII-compatible charsets can be used.
fn encoding(label: &str) -> Result<&'static Encoding, FormatError> {
    let encoding = Encoding::for_label(label.as_bytes()).ok_or_else(|| FormatError::UnknownCharset(label.to_owned()))?;
    if encoding.is_ascii_compatible() { Ok(encoding) } else { Err(FormatError::UnreadableCharset(label.to_owned())) }
}

/// Appends the decoded bytes. The error is the number of valid ones.
pub(super) fn append(encoding: &'static Encoding, bytes: &[u8], text: &mut String) -> Result<(), usize> {
    if encoding == UTF_8 {
        text.push_str(std::str::from_utf8(bytes).map_err(|error| error.valid_up_to())?);
        return Ok(());
    }
    let mut decoder = encoding.new_decoder_without_bom_handling();
    text.reserve(decoder.max_utf8_buffer_length_without_replacement(bytes.len()).unwrap_or(0));
    match decoder.decode_to_string_without_replacement(bytes, text, true) {
        (DecoderResult::Malformed(wrong, after), read) => Err(read.saturating_sub(usize::from(wrong) + usize::from(after))),
        (DecoderResult::InputEmpty | DecoderResult::OutputFull, _) => Ok(()),
    }
}

/// The text of a file in UTF-8, without the mark that it may begin with. The error is the position of the first invalid byte.
pub(super) fn utf8(bytes: &[u8]) -> Result<&str, BodyFault> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(text).map_err(|error| {
        let good = bytes.len() - text.len() + error.valid_up_to();
        let line = bytes.iter().take(good).filter(|byte| **byte == b'\n').count() + 1;
        not_in(UTF_8, line, good)
    })
}

/// An invalid byte, by its position in the file.
pub(super) fn not_in(encoding: &'static Encoding, line: usize, byte: usize) -> BodyFault {
    BodyFault::new(FilePosition::line(line).byte_of_file(byte), format!("the file is not {}", encoding.name()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_request_may_ask_for_an_encoding() {
        let charset = Charset::parse(&json!({"from": "$request.query.encoding", "win1250": "windows-1250", "default": "utf-8"})).unwrap();
        let asking = |encoding: &str| {
            let mut request = Request::default();
            request.query.insert("encoding".to_owned(), json!(encoding));
            request
        };
        let read = |bytes: &[u8], request: &Request| {
            let mut text = String::new();
            append(charset.encoding_for(request), bytes, &mut text).map(|()| text)
        };
        assert_eq!(read(b"\x9elu\x9d", &asking("win1250")).as_deref(), Ok("žluť"));
        assert_eq!(read("žluť".as_bytes(), &asking("utf8")).as_deref(), Ok("žluť"));
        assert_eq!(read("žluť".as_bytes(), &Request::default()).as_deref(), Ok("žluť"));
    }

    #[test]
    fn a_wrong_byte_is_found_on_its_line() {
        let found = |bytes: &[u8]| utf8(bytes).map_err(|fault| (fault.position.to_string(), fault.message)).unwrap_err();
        let not_utf8 = || "the file is not UTF-8".to_owned();
        assert_eq!(found(b"a;b\r\n\x9elu"), ("line 2, byte 5 of the file".to_owned(), not_utf8()));
        assert_eq!(found(b"\xef\xbb\xbfa;b\r\n\x9elu"), ("line 2, byte 8 of the file".to_owned(), not_utf8()));
        assert_eq!(utf8("\u{feff}žluť".as_bytes()), Ok("žluť"));
        let greek = encoding("windows-1253").unwrap();
        assert_eq!(append(greek, b"\xe1\xe2\r\nx\xaa", &mut String::new()), Err(5), "windows-1253 has no 0xAA");
    }
}
