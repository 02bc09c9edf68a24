//! The PIN of protected functions.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{App, Flaw};

/// "If the key is missing, the app uses its own default."
pub const BUILT_IN: &str = "2580";

/// The operator's PIN, once there is one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pin {
    own: Option<String>,
}

impl Pin {
    /// "After a reset, defaultPin applies again."
    pub(super) fn reset(&mut self) {
        self.own = None;
    }
}

impl App {
    /// Whether this PIN opens the protected functions.
    pub fn opens(&self, pin: &str) -> bool {
        let built_in = if self.has(Flaw::HasNoPinOfItsOwn) { "" } else { BUILT_IN };
        let default = self.config().default_pin.as_deref().unwrap_or(built_in);
        let is_own = self.memory.pin.own.as_deref() == Some(pin);
        let default_applies = self.memory.pin.own.is_none() || self.has(Flaw::AlwaysOpensByDefaultPin);
        is_own || default_applies && pin == default
    }

    /// The operator changes the PIN. "The server never learns the new one", not even from the log.
    pub fn change_pin(&mut self, pin: &str, now: Timestamp) {
        let entry = if self.has(Flaw::LogsThePin) { format!("the PIN is {pin}") } else { "the PIN is changed".to_owned() };
        self.note(entry, now);
        self.memory.pin.own = Some(pin.to_owned());
    }
}
