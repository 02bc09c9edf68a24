//! Why there was no load on a notification endpoint.

use thiserror::Error;

/// Why there was no load.
#[derive(Debug, Error)]
pub enum PushLoadError {
    /// The endpoint, or what is asked for, can't be used.
    #[error("{0}")]
    Invalid(String),
    /// The gateway does not create the payments, or the system has no thread.
    #[error("{0}")]
    Internal(String),
}
