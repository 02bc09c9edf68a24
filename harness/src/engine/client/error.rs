//! The error of a client that cannot be made.

/// Why a client cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The certificate that the target file names is invalid.
    #[error("the certificate can't be used: {0}")]
    Certificate(String),
    /// The HTTP library refuses its settings.
    #[error("no HTTP client: {0}")]
    Library(String),
}
