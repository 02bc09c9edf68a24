//! Waiting for what time brings, where nothing can move the clock.

use std::time::Duration;

use crate::base::skip::SkipReason;

/// How long the next notification is waited for, and why the case ends there if nothing comes: the documents give no schedule that it
/// could be late by.
#[derive(Clone, Debug)]
pub(super) struct Patience {
    pub(super) within: Duration,
    pub(super) if_nothing_comes: SkipReason,
}

impl Patience {
    /// The time that an action lets pass at most (`asked`), as far as the target file lets a case wait.
    pub(super) fn new(asked: Option<Duration>, bound: Duration) -> Self {
        let within = asked.map_or(bound, |asked| bound.min(asked));
        Self { within, if_nothing_comes: SkipReason::NothingCame { within } }
    }
}
