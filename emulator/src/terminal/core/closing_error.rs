//! Why a closing fails.

use crate::base::wire_enum::wire_enum;
use crate::common::TerminalStatus;

wire_enum! {
    /// The messages of a closing that failed.
    pub(crate) enum ClosingError {
        Busy = "Terminal busy",
        NotConnected = "Terminal not connected",
        Unfinished = "Closing unfinished",
        ProviderUnavailable = "Provider unavailable",
    }
}

impl ClosingError {
    /// Returns why a terminal in this state can't be closed, if it can't. The document doesn't tie the messages to the states;
    /// a terminal that can't be checked stands for a provider that can't be reached. `Closing unfinished` is left to faults.
    pub(crate) const fn from_status(status: TerminalStatus) -> Option<Self> {
        match status {
            TerminalStatus::Online => None,
            TerminalStatus::Offline => Some(Self::NotConnected),
            TerminalStatus::Busy => Some(Self::Busy),
            TerminalStatus::Unknown => Some(Self::ProviderUnavailable),
        }
    }
}
