//! The code that a fault responds with.

use serde::{Deserialize, Serialize};

/// A code of the gateway, an HTTP status of the QR payment API, or an `errorCode` of the device API.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(untagged)]
pub(super) enum FaultCode {
    Number(u16),
    Name(String),
}

impl FaultCode {
    /// The number, if it is one.
    pub(super) const fn number(&self) -> Option<u16> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Name(_) => None,
        }
    }
}

impl std::fmt::Display for FaultCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Name(word) => word.fmt(f),
        }
    }
}
