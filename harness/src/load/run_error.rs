//! Why a run has no result.

use std::io;

use goose::GooseError;
use thiserror::Error;

/// Why a run has no result.
#[derive(Debug, Error)]
pub(crate) enum RunError {
    /// A virtual user could not get ready: the target can't be reached, or refuses what the scenario needs.
    #[error("{0}")]
    NotReady(String),
    /// The user ended the load before it started.
    #[error("ended by the user before it began")]
    Interrupted,
    /// goose refused its configuration.
    #[error(transparent)]
    Goose(#[from] GooseError),
    /// This program panicked while a virtual user played.
    #[error("{0}")]
    Panicked(String),
    /// A file could not be written, or a thread could not be started.
    #[error(transparent)]
    Io(#[from] io::Error),
}
