//! Why a change of the configuration is refused.

/// A change of the configuration that the document doesn't allow.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    /// A field is unknown, or of another type.
    #[error(transparent)]
    Field(#[from] serde_json::Error),
    /// The default PIN has another pattern.
    #[error("defaultPin has 4 to 12 digits")]
    Pin,
    /// The document code is assigned already.
    #[error("documentDeviceCode is assigned, and never changed")]
    CodeAssigned,
    /// The document code is malformed or taken.
    #[error("documentDeviceCode is two digits that are free")]
    CodeTaken,
    /// The document code is neither text nor null.
    #[error("documentDeviceCode is two digits, or null")]
    CodeMalformed,
}
