//! A refused call of the gateway, of a terminal or about transfers.

use super::Code;

/// The response to a refused call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The documented code.
    pub(crate) code: Code,
    /// Text of the result.
    pub(crate) message: String,
}

impl Refusal {
    /// A documented code with the meaning that the document gives it.
    pub(crate) fn from_code(code: Code) -> Self {
        Self { code, message: code.meaning().to_owned() }
    }
}
