//! `multipart/form-data`, which the documents don't support and some clients send. Tolerant worlds take it.

use std::borrow::Cow;

use super::Fields;
use super::fields::{Unreadable, Value};

const BROKEN: Unreadable = Unreadable("the multipart body is broken");

/// The boundary of a media type, if it is multipart.
pub(crate) fn boundary(media_type: &str) -> Option<&str> {
    let mut parts = media_type.split(';').map(str::trim);
    parts.next().filter(|essence| essence.eq_ignore_ascii_case("multipart/form-data"))?;
    let boundary = parts.find_map(|parameter| parameter.strip_prefix("boundary="))?.trim_matches('"');
    (1..=70).contains(&boundary.len()).then_some(boundary)
}

/// Reads the parts as text fields.
pub(crate) fn decode<'b>(body: &'b [u8], boundary: &str) -> Result<Fields<'b>, Unreadable> {
    let text = std::str::from_utf8(body).map_err(|_| Unreadable("the multipart body is not UTF-8"))?;
    let delimiter = format!("--{boundary}");
    let mut fields = Fields::new(true);
    let mut parts = text.split(delimiter.as_str());
    parts.next().filter(|preamble| preamble.is_empty()).ok_or(BROKEN)?;
    for part in parts {
        if part.starts_with("--") {
            return Ok(fields);
        }
        let part = part.strip_prefix("\r\n").and_then(|part| part.strip_suffix("\r\n")).ok_or(BROKEN)?;
        let (headers, value) = part.split_once("\r\n\r\n").ok_or(BROKEN)?;
        fields.add(Cow::Borrowed(name(headers).ok_or(BROKEN)?), Some(Value::Text(Cow::Borrowed(value))))?;
    }
    Err(BROKEN)
}

fn name(headers: &str) -> Option<&str> {
    let disposition = headers.lines().find(|line| line.to_ascii_lowercase().starts_with("content-disposition:"))?;
    disposition.split(';').find_map(|parameter| parameter.trim().strip_prefix("name=\"")?.strip_suffix('"'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BODY: &str = "--x\r\nContent-Disposition: form-data; name=\"label\"\r\n\r\na b\r\n--x\r\n\
        content-disposition: form-data; name=\"price\"\r\nContent-Type: text/plain\r\n\r\n100\r\n--x--\r\n";

    #[test]
    fn parts_are_fields() {
        let fields = decode(BODY.as_bytes(), "x").unwrap();
        assert_eq!((fields.text("label"), fields.integer("price")), (Ok(Some("a b")), Ok(Some(100))));
    }

    #[test]
    fn a_boundary_is_part_of_the_media_type() {
        assert_eq!(boundary("multipart/form-data; boundary=\"x y\""), Some("x y"));
        assert_eq!(boundary("multipart/form-data"), None);
        assert_eq!(boundary("text/plain; boundary=x"), None);
    }

    proptest! {
        #[test]
        fn a_body_cut_short_is_refused_or_whole(length in 0..BODY.len()) {
            let cut = BODY.get(..length).unwrap_or_default();
            prop_assert_eq!(decode(cut.as_bytes(), "x").is_ok(), cut.contains("--x--"));
        }

        #[test]
        fn any_bytes_are_read_without_harm(bytes: Vec<u8>) {
            let _ = decode(&bytes, "x");
        }
    }
}
