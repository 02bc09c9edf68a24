//! A recorded body: its text and the decoded view of it.

use serde::Serialize;
use serde_json::Value;

use super::{BodyFault, NotKept, Rest, decode_form, decode_json};
use crate::wire::format::Places;

/// The most that is read of a body unless its contract allows more (`x-largest`). Documented responses are far smaller; more is a
/// finding, not a crash.
pub const MAX_BODY_BYTES: usize = 4 * 1024 * 1024;

/// How a body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Coding {
    /// `application/x-www-form-urlencoded`.
    Form,
    /// `application/json`, or another type whose suffix says that it is JSON.
    Json,
    /// Anything else: kept as text, not decoded.
    Other,
}

impl Coding {
    /// The coding of a media type, parameters ignored.
    pub fn from_media_type(media_type: &str) -> Self {
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        if essence.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
            Self::Form
        } else if essence.eq_ignore_ascii_case("application/json") || ends_with_ignore_case(essence, "+json") {
            Self::Json
        } else {
            Self::Other
        }
    }

    /// Whether a body looks like this coding, whatever its media type.
    pub fn may_be_that_of(self, body: &[u8]) -> bool {
        match self {
            Self::Json => serde_json::from_slice::<serde::de::IgnoredAny>(body).is_ok(),
            Self::Form => body.contains(&b'=') && !body.iter().any(|byte| byte.is_ascii_whitespace() || b"<>{}\"".contains(byte)),
            Self::Other => false,
        }
    }
}

/// Whether a text ends with ASCII letters and signs, in capitals or not.
fn ends_with_ignore_case(text: &str, end: &str) -> bool {
    text.len().checked_sub(end.len()).and_then(|at| text.get(at..)).is_some_and(|last| last.eq_ignore_ascii_case(end))
}

/// A recorded body.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Body {
    /// The bytes as text (what is not UTF-8 replaced), secrets masked.
    pub text: String,
    /// The decoded bytes.
    #[serde(skip)]
    pub decoded: Decoded,
    /// Where the parts of the decoded value are, in files and tables.
    #[serde(skip)]
    pub places: Places,
    /// What was left out, if the body is too long to be kept.
    #[serde(skip)]
    pub omitted: Option<Box<Omitted>>,
    /// What the text stands for, if the body is a binary file.
    #[serde(skip)]
    pub file: Option<Box<BinaryFile>>,
}

/// A file that can't be shown as text.
#[derive(Clone, Debug, PartialEq)]
pub struct BinaryFile {
    /// Its length in bytes.
    pub size: usize,
    /// Its bytes, if it is short, was read to its end, and holds no secret.
    pub bytes: Option<Vec<u8>>,
}

/// What is known of those parts of a body that are not kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Omitted {
    /// Lists of which only the first items are kept.
    pub rests: Vec<Rest>,
    /// The full length in bytes, if the text is only its beginning.
    pub cut_from: Option<usize>,
}

/// A decoded body.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Decoded {
    /// No body.
    #[default]
    Empty,
    /// A value, and spelling mistakes that do not prevent it from being read.
    Value(Value, Vec<BodyFault>),
    /// It can't be read.
    Unreadable(BodyFault),
    /// A body in no coding known here.
    Opaque,
}

impl Omitted {
    /// Returns nothing if nothing is omitted.
    pub(crate) fn if_any(rests: Vec<Rest>, cut_from: Option<usize>) -> Option<Box<Self>> {
        (!rests.is_empty() || cut_from.is_some()).then(|| Box::new(Self { rests, cut_from }))
    }
}

impl Decoded {
    /// Decodes bytes.
    pub fn decode(coding: Coding, bytes: &[u8]) -> Self {
        if bytes.is_empty() {
            return Self::Empty;
        }
        match coding {
            Coding::Form => match decode_form(bytes) {
                Ok((value, faults)) => Self::Value(Value::Object(value), faults),
                Err(fault) => Self::Unreadable(fault),
            },
            Coding::Json => match decode_json(bytes) {
                Ok((value, faults)) => Self::Value(value, faults),
                Err(fault) => Self::Unreadable(fault),
            },
            Coding::Other => Self::Opaque,
        }
    }
}

impl Body {
    /// The decoded value, if it could be read.
    pub fn value(&self) -> Option<&Value> {
        match &self.decoded {
            Decoded::Value(value, _) => Some(value),
            Decoded::Empty | Decoded::Unreadable(_) | Decoded::Opaque => None,
        }
    }

    /// Lists of which only the first items are kept.
    pub fn rests(&self) -> &[Rest] {
        self.omitted.as_ref().map_or(&[], |omitted| &omitted.rests)
    }

    /// The full length in bytes, if the text is only its beginning.
    pub fn cut_from(&self) -> Option<usize> {
        self.omitted.as_ref().and_then(|omitted| omitted.cut_from)
    }

    /// The value at a JSON Pointer. Fails if that part was received but not kept.
    pub fn value_at(&self, pointer: &str) -> Result<Option<&Value>, NotKept> {
        let found = self.value().and_then(|value| value.pointer(pointer));
        match self.rests().iter().find(|rest| rest.hides(pointer)) {
            Some(rest) if found.is_none() => Err(rest.not_kept()),
            Some(_) | None => Ok(found),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suffix_says_that_a_media_type_is_json() {
        for json in ["application/json", "Application/JSON; charset=utf-8", "application/problem+json", "application/vnd.shop+JSON;v=1"] {
            assert_eq!(Coding::from_media_type(json), Coding::Json, "{json}");
        }
        for other in ["json", "text/html", "application/problem+xml", "application/json-seq", "ó+jso"] {
            assert_eq!(Coding::from_media_type(other), Coding::Other, "{other}");
        }
    }

    #[test]
    fn a_body_looks_like_its_coding_and_a_page_like_none() {
        let looks_like = |body: &str| [Coding::Json, Coding::Form].map(|coding| coding.may_be_that_of(body.as_bytes()));
        assert_eq!(looks_like(r#"{"code": 0}"#), [true, false]);
        assert_eq!(looks_like("code=0&message=OK+then"), [false, true]);
        for other in ["", "<h1 class=a>Not found</h1>", "code = 0", "{\"code\": "] {
            assert_eq!(looks_like(other), [false, false], "{other}");
        }
        assert!(!Coding::Other.may_be_that_of(b"{}"));
    }
}
