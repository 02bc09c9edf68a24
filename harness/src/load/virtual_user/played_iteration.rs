//! An iteration that has ended.

use std::time::Duration;

use crate::engine::runner::Played;

/// An iteration that has ended.
pub(super) struct PlayedIteration {
    pub(super) played: Played,
    /// From its start to the end of its last step.
    pub(super) service: Duration,
    /// Whether it was judged as a whole, as in `verify`.
    pub(super) whole: bool,
}
