//! Why a command could not do its work: words for the user and the exit code.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use crate::base::exit::Exit;
use crate::base::source::Problems;
use crate::base::text::printable;
use crate::engine::runner::StartError;
use crate::modes::preflight::PreflightError;

/// Why there is no outcome.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// Mistakes in files.
    #[error("files have mistakes")]
    Problems(Problems),
    /// Mistakes in files of a command that sends nothing to a target.
    #[error("files have mistakes")]
    Settings(Problems),
    /// Standard output was closed.
    #[error("standard output was closed")]
    Closed,
    /// Anything else.
    #[error("{message}")]
    Other {
        /// How the process ends.
        exit: Exit,
        /// A description of the failure, and what to do about it.
        message: String,
    },
}

impl Failure {
    /// Invalid input. Nothing was sent.
    pub(super) fn invalid(message: impl Display) -> Self {
        Self::Other { exit: Exit::InvalidInput, message: message.to_string() }
    }

    /// The target does not respond.
    pub(super) fn unreachable(message: impl Display) -> Self {
        Self::Other { exit: Exit::Unreachable, message: message.to_string() }
    }

    /// A fault of Paycheck or of this machine.
    pub(super) fn internal(message: impl Display) -> Self {
        Self::Other { exit: Exit::Internal, message: message.to_string() }
    }

    /// The user ended the command before there was anything to report.
    pub(super) fn interrupted(message: impl Display) -> Self {
        Self::Other { exit: Exit::Interrupted, message: message.to_string() }
    }

    /// A requested file that cannot be written.
    pub(super) fn cannot_write(path: &Path, error: &io::Error) -> Self {
        Self::invalid(format!("{} can't be written: {error}", path.display()))
    }

    /// Writes the reason to standard error and returns the exit.
    pub(super) fn explain(&self, colours: bool) -> Exit {
        let mut out = io::stderr().lock();
        // Nothing is left to do if standard error itself can't be written.
        match self {
            Self::Problems(problems) => {
                let _ = out.write_all(problems.render(colours).as_bytes());
                Exit::InvalidInput
            }
            Self::Settings(problems) => {
                let _ = out.write_all(problems.render_before(colours, "").as_bytes());
                Exit::InvalidInput
            }
            Self::Closed => Exit::Interrupted,
            Self::Other { exit, message } => {
                let _ = writeln!(out, "error: {}", printable(message));
                *exit
            }
        }
    }
}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Self {
        Self::Problems(problems)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::internal(error),
        }
    }
}

impl From<PreflightError> for Failure {
    fn from(error: PreflightError) -> Self {
        match error {
            PreflightError::Unreachable { .. } => Self::unreachable(error),
            PreflightError::SpeaksTls { .. } | PreflightError::NotTheApi { .. } | PreflightError::Credentials { .. } => {
                Self::invalid(format!("{error}; nothing else was sent (`--no-preflight` goes on all the same)"))
            }
        }
    }
}

impl From<StartError> for Failure {
    fn from(error: StartError) -> Self {
        match error {
            StartError::Unreachable(message) => Self::unreachable(message),
            StartError::Invalid(message) => Self::invalid(message),
            StartError::Internal(message) => Self::internal(message),
        }
    }
}
