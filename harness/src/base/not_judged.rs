//! Why a case that ran has no verdict.

use std::fmt;

use serde::{Deserialize, Serialize};

/// HTTP statuses of a server that has nothing at a path, or nothing for this verb (RFC 9110, sections 15.5.5, 15.5.6 and 15.6.2).
pub const NOTHING_THERE: [u16; 3] = [404, 405, 501];

/// Why a case that ran could not be judged.
///
/// Events and tapes hold the text; a reason that is read back from one is [`NotJudgedReason::Other`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", from = "String")]
pub enum NotJudgedReason {
    /// The target has nothing at an assumed path, one that neither the documents nor the target file states.
    NotThere {
        /// The operation.
        operation: String,
        /// The HTTP status of that response.
        status: u16,
        /// Why the path is assumed.
        assumed: String,
    },
    /// The target refuses a request whose fields the documents do not show, and the target file has no example of its own.
    RequestNotShown {
        /// The operation.
        operation: String,
        /// Why the request is assumed.
        assumed: String,
    },
    /// A value of the request is not listed by the documents, and the refusal may be about it.
    ValueNotShown {
        /// The operation.
        operation: String,
        /// The field.
        field: String,
        /// Why it is assumed.
        assumed: String,
    },
    /// Anything else, in one sentence.
    Other(String),
}

impl NotJudgedReason {
    /// The operation that cannot be judged because of an assumption of ours. Such a case may be tolerated like a skipped one.
    pub fn excused(&self) -> Option<&str> {
        match self {
            Self::NotThere { operation, .. } | Self::RequestNotShown { operation, .. } | Self::ValueNotShown { operation, .. } => {
                Some(operation)
            }
            Self::Other(_) => None,
        }
    }
}

impl fmt::Display for NotJudgedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotThere { operation, status, assumed } => {
                let assumed = assumed.trim_end_matches('.');
                let as_unknown = if NOTHING_THERE.contains(status) { "" } else { ", as at a path that does not exist" };
                write!(
                    f,
                    "nothing shows that {operation} is at its assumed path (HTTP {status}{as_unknown}); if it is elsewhere, state it under `paths` in the target file. {assumed}"
                )
            }
            Self::RequestNotShown { operation, assumed } => {
                let assumed = assumed.trim_end_matches('.');
                write!(
                    f,
                    "what {operation} is sent is not documented, and this target does not take what the case sends; state a request that it takes under `examples` in the target file. {assumed}"
                )
            }
            Self::ValueNotShown { operation, field, assumed } => {
                write!(f, "{operation} refuses a `{field}` that this target may not have. {}", assumed.trim_end_matches('.'))
            }
            Self::Other(reason) => f.write_str(reason),
        }
    }
}

impl From<NotJudgedReason> for String {
    fn from(reason: NotJudgedReason) -> Self {
        reason.to_string()
    }
}

impl From<String> for NotJudgedReason {
    fn from(reason: String) -> Self {
        Self::Other(reason)
    }
}

impl From<&str> for NotJudgedReason {
    fn from(reason: &str) -> Self {
        Self::Other(reason.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_assumption_of_ours_excuses_and_the_text_says_what_to_do() {
        let gone = NotJudgedReason::NotThere { operation: "shop.send".into(), status: 404, assumed: "The path is not shown.".into() };
        assert_eq!(gone.excused(), Some("shop.send"));
        assert_eq!(NotJudgedReason::from("no connection").excused(), None);
        let text = gone.to_string();
        assert!(!text.contains("does not exist"), "{text}");
        let alike = NotJudgedReason::NotThere { operation: "shop.send".into(), status: 200, assumed: "Not shown.".into() }.to_string();
        assert!(alike.contains("HTTP 200, as at a path that does not exist"), "{alike}");
        assert!(["shop.send", "HTTP 404", "`paths`", "The path is not shown"].iter().all(|part| text.contains(part)), "{text}");
        assert_eq!(NotJudgedReason::from(text.clone()), NotJudgedReason::Other(text));
    }
}
