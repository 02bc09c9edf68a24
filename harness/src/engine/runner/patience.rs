//! Waiting for what time brings, where nothing can move the clock.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::base::skip::SkipReason;
use crate::wire::expression::text_of;

/// How long the next notification is waited for, and why the case ends there if nothing comes: the documents give no schedule that it
/// could be late by.
#[derive(Clone, Debug)]
pub(super) struct Patience {
    pub(super) within: Duration,
    pub(super) if_nothing_comes: SkipReason,
}

impl Patience {
    /// The time that an action lets pass at most, as far as the target file lets a case wait.
    pub(super) fn new(with: &Map<String, Value>, bound: Duration) -> Self {
        let asked = with.get("seconds").and_then(text_of).and_then(|seconds| seconds.parse().ok()).unwrap_or(u64::MAX);
        let within = bound.min(Duration::from_secs(asked));
        let waited = within.as_secs_f64();
        let why = format!("nothing came within {waited} s, and the documents give no schedule; `world.waits-up-to` waits longer");
        Self { within, if_nothing_comes: SkipReason::Other(why) }
    }
}
