//! A recorded body: its text and the decoded view of it.

use serde::Serialize;
use serde_json::Value;

use super::{decode_form, decode_json};

/// The most that is read of a body. Documented answers are far smaller; more is a finding, not a crash.
pub const MAX_BODY_BYTES: usize = 4 * 1024 * 1024;

/// How a body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Coding {
    /// `application/x-www-form-urlencoded`.
    Form,
    /// `application/json`.
    Json,
    /// Anything else: kept as text, not decoded.
    Other,
}

impl Coding {
    /// The coding of a media type, parameters ignored.
    pub fn of(media_type: &str) -> Self {
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        if essence.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
            Self::Form
        } else if essence.eq_ignore_ascii_case("application/json") {
            Self::Json
        } else {
            Self::Other
        }
    }
}

/// A recorded body.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Body {
    /// The bytes as text (what is not UTF-8 replaced), secrets masked.
    pub text: String,
    /// What they say.
    #[serde(skip)]
    pub decoded: Decoded,
}

/// What a body says.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Decoded {
    /// No body.
    #[default]
    Empty,
    /// A value, and what is wrong with its spelling although it can be read.
    Value(Value, Vec<BodyFault>),
    /// It can't be read.
    Unreadable(BodyFault),
    /// A body in no coding known here.
    Opaque,
}

/// Something wrong with the bytes of a body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BodyFault {
    /// Where, in bytes from the start.
    pub offset: usize,
    /// What.
    pub message: String,
}

impl Decoded {
    /// Decodes bytes.
    pub fn of(coding: Coding, bytes: &[u8]) -> Self {
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
}
