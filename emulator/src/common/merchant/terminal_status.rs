//! The state of a card terminal.

use crate::base::wire_enum::wire_enum;

wire_enum! {
    /// The state of a terminal.
    pub(crate) enum TerminalStatus {
        /// Connected to the authorization server.
        Online = "ONLINE",
        Offline = "OFFLINE",
        /// Processing a transaction.
        Busy = "BUSY",
        /// It can't be checked, or the terminal is unavailable.
        Unknown = "UNKNOWN",
    }
}
