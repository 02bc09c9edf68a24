//! A completed run.

use std::time::{Duration, SystemTime};

use crate::load::meter::MeasuredTotals;
use crate::load::result::{ConnectionResult, ConservationResult, Early, JudgedIterations, LoadCause, NotificationResult};

/// The measurements of a completed run.
pub(crate) struct CompletedRun {
    pub(crate) measured: MeasuredTotals,
    pub(crate) seconds: f64,
    pub(crate) ended_early: Option<Early>,
    /// Whether calls were made and no connection could be opened for any of them.
    pub(crate) unreachable: bool,
    pub(crate) notifications: Option<NotificationResult>,
    pub(crate) judged: JudgedIterations,
    pub(crate) conservation: Option<ConservationResult>,
    pub(crate) findings: Vec<LoadCause>,
    pub(crate) connections: Vec<ConnectionResult>,
    /// CPU time of this process while measuring.
    pub(crate) cpu: Duration,
    /// The start of measuring.
    pub(crate) started: SystemTime,
    /// How much later than `start_at` the run started.
    pub(crate) late: Duration,
}
