//! The version of HTTP that is asked for: `http: auto | 1 | 2` in a target file and in a load profile.

use serde_json::{Value, json};

use crate::base::source::{Diagnostic, Node, Problems};

/// The version of HTTP that a target is asked to speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HttpChoice {
    /// What client and target agree on in the TLS handshake; HTTP/1.1 without TLS.
    #[default]
    Auto,
    /// HTTP/1.1.
    One,
    /// HTTP/2; without TLS by prior knowledge.
    Two,
}

impl HttpChoice {
    /// Whether HTTP/2 may be spoken with a URL of this scheme.
    pub(crate) fn may_be_two(self, scheme: &str) -> bool {
        self == Self::Two || (self == Self::Auto && scheme == "https")
    }

    /// Reads the value of the key `http`.
    pub(crate) fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        let read = match node.to_json() {
            Value::String(text) if text == "auto" => Some(Self::Auto),
            Value::Number(number) if number.as_u64() == Some(1) => Some(Self::One),
            Value::Number(number) if number.as_u64() == Some(2) => Some(Self::Two),
            _ => None,
        };
        if read.is_none() {
            let problem = Diagnostic::at(node, format!("`http` is auto, 1 or 2, but this is {}", node.describe()));
            problems.add(problem.help("auto lets TLS decide and is HTTP/1.1 without it; 2 on plain http is HTTP/2 by prior knowledge"));
        }
        read
    }

    /// What the key `http` takes, for editors.
    pub(crate) fn schema() -> Value {
        json!({
            "enum": ["auto", 1, 2],
            "description": "The version of HTTP: auto lets TLS decide and is HTTP/1.1 without it; 2 without TLS is by prior knowledge.",
        })
    }
}
