//! The progress of a run, second by second.

use std::time::Duration;

use crate::load::meter::Interval;

/// The phase of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Users play, but nothing is measured.
    WarmUp,
    /// Users play and are measured.
    Measuring,
    /// No iteration starts; the last ones end.
    Draining,
}

/// A second of a run.
pub struct RunProgress<'s> {
    /// The phase.
    pub phase: Phase,
    /// The measurements of this second.
    pub interval: &'s Interval<'s>,
    /// Notifications that are due and not received.
    pub outstanding: u64,
    /// Whether some scenario waits for notifications.
    pub awaits: bool,
    /// The planned duration of measuring.
    pub planned: Duration,
    /// The duration of the warm-up before it.
    pub warm_up: Duration,
    /// The rate of this trial of a capacity search.
    pub trial: Option<f64>,
}
