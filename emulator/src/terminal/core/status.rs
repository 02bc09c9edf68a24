//! The state of a terminal, and why a closing fails.

use crate::words::words;

words! {
    /// The state of a terminal.
    pub enum TerminalStatus {
        /// Connected to the authorization server.
        Online = "ONLINE",
        Offline = "OFFLINE",
        /// Processing a transaction.
        Busy = "BUSY",
        /// It can't be checked, or the terminal is unavailable.
        Unknown = "UNKNOWN",
    }
}

words! {
    /// The messages of a closing that failed.
    pub enum ClosingError {
        Busy = "Terminal busy",
        NotConnected = "Terminal not connected",
        Unfinished = "Closing unfinished",
        ProviderUnavailable = "Provider unavailable",
    }
}

impl TerminalStatus {
    /// Why a terminal in this state can't be closed, if it can't. The document doesn't tie the messages to the states; a
    /// terminal that can't be checked stands for a provider that can't be reached. `Closing unfinished` is left to
    /// faults.
    pub const fn prevents_closing(self) -> Option<ClosingError> {
        match self {
            Self::Online => None,
            Self::Offline => Some(ClosingError::NotConnected),
            Self::Busy => Some(ClosingError::Busy),
            Self::Unknown => Some(ClosingError::ProviderUnavailable),
        }
    }
}
