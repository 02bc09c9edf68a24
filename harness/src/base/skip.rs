//! Why a case was not run.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a case needs and the target does not offer or does not allow.
///
/// Events and tapes hold the text; a reason that is read back from one is [`SkipReason::Other`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", from = "String")]
pub enum SkipReason {
    /// An action that nothing in the target file can carry out: `payer.pays`.
    Needs(String),
    /// Settings that only a world of an emulator has.
    NeedsSettings,
    /// Anything else, in one sentence.
    Other(String),
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Needs(action) => write!(f, "needs `{action}`; add a driver for it to `world` in the target file"),
            Self::NeedsSettings => f.write_str("needs a world with settings of its own, which only an emulator has"),
            Self::Other(reason) => f.write_str(reason),
        }
    }
}

impl From<SkipReason> for String {
    fn from(reason: SkipReason) -> Self {
        reason.to_string()
    }
}

impl From<String> for SkipReason {
    fn from(reason: String) -> Self {
        Self::Other(reason)
    }
}

impl From<&str> for SkipReason {
    fn from(reason: &str) -> Self {
        Self::Other(reason.to_owned())
    }
}
