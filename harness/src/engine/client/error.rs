//! Why there is no client.

/// Why no client can be made.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The certificate that the target file names is not one.
    #[error("the certificate can't be used: {0}")]
    Certificate(String),
    /// The HTTP library refuses its settings.
    #[error("no HTTP client: {0}")]
    Library(String),
}
