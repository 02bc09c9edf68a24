//! The metrics as of the last reading of the meter.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use super::{Family, families};
use crate::load::meter::Snapshot;
use crate::load::result::{ConnectionResult, NotificationResult};

/// The metrics as of the last reading of the meter. Reading them here does not disturb the users.
#[derive(Debug, Default)]
pub struct MetricsPage(RwLock<Option<Arc<MetricReading>>>);

/// The metrics at an instant.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricReading {
    /// The start of the counters.
    pub began: SystemTime,
    /// How long the counters have counted.
    pub measured: Duration,
    /// The metrics.
    pub families: Vec<Family>,
}

impl MetricsPage {
    /// Replaces the metrics; `notifications` are the counts so far, if some scenario waits for notifications.
    pub fn update(&self, snapshot: &Snapshot, notifications: Option<&NotificationResult>, connections: &[ConnectionResult]) {
        self.update_at(SystemTime::now(), snapshot, notifications, connections);
    }

    /// Replaces the metrics at a time. The start of the counters stays the same until they are reset, because readers take another start
    /// for a reset.
    pub(crate) fn update_at(
        &self,
        now: SystemTime,
        snapshot: &Snapshot,
        notifications: Option<&NotificationResult>,
        connections: &[ConnectionResult],
    ) {
        let families = families(snapshot, notifications, connections);
        let mut page = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let goes_on = page.as_ref().filter(|before| before.measured <= snapshot.at).map(|before| before.began);
        let began = goes_on.or_else(|| now.checked_sub(snapshot.at)).unwrap_or(now);
        *page = Some(Arc::new(MetricReading { began, measured: snapshot.at, families }));
    }

    /// The metrics; none before the first reading.
    pub fn reading(&self) -> Option<Arc<MetricReading>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
