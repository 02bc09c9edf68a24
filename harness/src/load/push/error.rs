//! The error of a load on a notification endpoint.

use thiserror::Error;

/// Why a load on a notification endpoint has no result.
#[derive(Debug, Error)]
pub enum PushLoadError {
    /// The endpoint or an option can't be used.
    #[error("{0}")]
    Invalid(String),
    /// The gateway refuses to create payments, or a thread can't be started.
    #[error("{0}")]
    Internal(String),
}
