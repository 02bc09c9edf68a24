//! How a run goes on, second by second.

use std::time::Duration;

use crate::load::meter::Interval;

/// Where a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Users play, and nothing is measured.
    WarmUp,
    /// Users play, and everything is measured.
    Measuring,
    /// No iteration starts any more; the last ones end.
    Draining,
}

/// A second of a run while it goes on.
pub struct RunProgress<'s> {
    /// Where the run is.
    pub phase: Phase,
    /// What was measured in this second.
    pub interval: &'s Interval<'s>,
    /// Notifications that are due and have not come.
    pub outstanding: u64,
    /// Whether some scenario waits for notifications.
    pub awaits: bool,
    /// How long is measured in all.
    pub planned: Duration,
    /// How long the warm-up is before that.
    pub warm_up: Duration,
    /// The rate of this trial of a capacity search.
    pub trial: Option<f64>,
}
