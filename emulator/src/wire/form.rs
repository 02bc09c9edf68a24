//! `application/x-www-form-urlencoded`.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::Fields;
use super::fields::{Unreadable, Value};

/// The media type of responses.
pub(crate) const MEDIA_TYPE: &str = "application/x-www-form-urlencoded; charset=UTF-8";

/// Reads a form. Broken escapes, bytes that are not UTF-8 and repeated fields are refused.
pub(crate) fn decode(body: &[u8]) -> Result<Fields<'_>, Unreadable> {
    let mut fields = Fields::new(true);
    for pair in body.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty()) {
        let middle = pair.iter().position(|byte| *byte == b'=').unwrap_or(pair.len());
        let (name, value) = pair.split_at(middle);
        let value = value.strip_prefix(b"=").unwrap_or(value);
        fields.add(unescape(name)?, Some(Value::Text(unescape(value)?)))?;
    }
    Ok(fields)
}

/// Reads the fields of a form of the emulator's own, empty ones too.
pub(crate) fn pairs(body: &[u8]) -> Option<Vec<(String, String)>> {
    let text = |bytes: &[u8]| unescape(bytes).ok().map(Cow::into_owned);
    let pair = |pair: &[u8]| {
        let (name, value) = pair.split_at(pair.iter().position(|byte| *byte == b'=')?);
        Some((text(name)?, text(value.strip_prefix(b"=")?)?))
    };
    body.split(|byte| *byte == b'&').map(pair).collect()
}

fn unescape(text: &[u8]) -> Result<Cow<'_, str>, Unreadable> {
    const NOT_UTF8: Unreadable = Unreadable("the form is not UTF-8");
    if !text.iter().any(|byte| matches!(byte, b'%' | b'+')) {
        return std::str::from_utf8(text).map(Cow::Borrowed).map_err(|_| NOT_UTF8);
    }
    let mut plain = Vec::with_capacity(text.len());
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        plain.push(match byte {
            b'+' => b' ',
            b'%' => escaped(bytes.next(), bytes.next()).ok_or(Unreadable("a % is not followed by two hexadecimal digits"))?,
            other => *other,
        });
    }
    String::from_utf8(plain).map(Cow::Owned).map_err(|_| NOT_UTF8)
}

fn escaped(high: Option<&u8>, low: Option<&u8>) -> Option<u8> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(high?)? * 16 + digit(low?)?)
}

/// Everything but letters, digits and `-._~`, so that a space is `%20`.
pub(crate) const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Writes a value.
pub(crate) fn escape(text: &str, out: &mut Vec<u8>) {
    utf8_percent_encode(text, ESCAPED).for_each(|part| out.extend_from_slice(part.as_bytes()));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::wire::{FormRecord, Record as _};

    proptest! {
        #[test]
        fn what_is_written_reads_back(value in ".+") {
            let mut record = FormRecord::default();
            record.text("label", &value);
            let written = record.into_bytes();
            prop_assert!(written.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-._~%=".contains(byte)));
            let fields = decode(&written).unwrap();
            prop_assert_eq!(fields.text("label"), Ok(Some(value.as_str())));
        }

        #[test]
        fn any_bytes_are_read_without_harm(bytes: Vec<u8>) {
            let _ = decode(&bytes);
        }
    }

    #[test]
    fn both_spellings_of_a_space_are_read() {
        let fields = decode(b"a=x+y&b=x%20y&c=%C5%A1").unwrap();
        assert_eq!(fields.text("a"), Ok(Some("x y")));
        assert_eq!(fields.text("b"), Ok(Some("x y")));
        assert_eq!(fields.text("c"), Ok(Some("š")));
    }

    #[test]
    fn broken_forms_are_refused() {
        for broken in [&b"a=%"[..], b"a=%2", b"a=%zz", b"a=\xff", b"a=%FF", b"a=1&a=2", b"%61=1&a=2"] {
            assert!(decode(broken).is_err(), "{}", String::from_utf8_lossy(broken));
        }
    }

    #[test]
    fn a_field_sent_empty_is_absent() {
        let fields = decode(b"a=&b&&c=1").unwrap();
        assert_eq!((fields.text("a"), fields.text("b"), fields.integer("c")), (Ok(None), Ok(None), Ok(Some(1))));
    }

    #[test]
    fn integers_are_int32_without_decoration() {
        for text in ["1.0", "1e3", "+1", "0x1", "2147483648", "99999999999999999999", "%201", "-"] {
            let form = format!("a={text}");
            assert!(decode(form.as_bytes()).unwrap().integer("a").is_err(), "{text}");
        }
    }
}
