//! Repeats a call while its response is pending.

use std::time::{Duration, Instant};

use crate::engine::runner::{FastCall, UserSession};

/// The limits of repeating a call while its response is pending.
#[derive(Clone, Copy)]
pub(super) struct Polling {
    pub(super) deadline: Instant,
    pub(super) pause: Duration,
}

impl Polling {
    /// Starts now; `None` if the call is not repeated.
    pub(super) fn start(call: &FastCall, session: &UserSession) -> Option<Self> {
        call.polling(session).map(|(within, pause)| Self { deadline: Instant::now() + within, pause })
    }

    /// Whether there is time for another response.
    pub(super) fn has_time(self) -> bool {
        Instant::now() + self.pause <= self.deadline
    }
}
