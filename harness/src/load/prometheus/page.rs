//! The metrics as of the last reading of the meter.

use std::sync::{PoisonError, RwLock};

use super::text;
use crate::load::meter::Snapshot;
use crate::load::result::{ConnectionResult, NotificationResult};

/// The metrics as of the last reading of the meter, so that a scrape does not disturb the users.
#[derive(Debug, Default)]
pub struct MetricsPage(RwLock<String>);

impl MetricsPage {
    /// Replaces the page; `notifications` are those so far, where some are waited for.
    pub fn update(&self, snapshot: &Snapshot, notifications: Option<&NotificationResult>, connections: &[ConnectionResult]) {
        let text = text(snapshot, notifications, connections);
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = text;
    }

    /// The page; empty before the first reading.
    pub fn text(&self) -> String {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
