//! What a refused call responds with.

use http::StatusCode;

/// A refused call: the QR payment API has no codes of its own, only HTTP statuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
}

impl Refusal {
    /// A status with a sentence.
    pub(crate) fn new(status: StatusCode, message: &str) -> Self {
        Self { status, message: message.to_owned() }
    }
}
