//! Reports notifications to the ledger and the meter as they arrive.

use std::sync::{OnceLock, Weak};
use std::time::{Duration, Instant};

use super::ledger::{Ledger, LedgerTotals};
use super::profile::NotificationDeadlines;
use super::result::NotificationResult;
use super::run_state::RunState;
use crate::engine::notification_observer::NotificationObserver;

/// The notifications of a run.
pub(crate) struct NotificationAccounting {
    ledger: Ledger,
    /// The zero of the ledger's times.
    since: Instant,
    run: OnceLock<Weak<RunState>>,
}

impl NotificationAccounting {
    pub(crate) fn new(deadlines: NotificationDeadlines) -> Self {
        Self { ledger: Ledger::new(deadlines), since: Instant::now(), run: OnceLock::new() }
    }

    /// Measures the lags in this run from now on.
    pub(crate) fn measure_in(&self, run: Weak<RunState>) {
        let _ = self.run.set(run);
    }

    /// Notifications that become due from now on are of the warm-up.
    pub(crate) fn begin_warm_up(&self) {
        self.ledger.set_warm_up(true);
    }

    /// Notifications that become due from now on are measured.
    pub(crate) fn begin_measuring(&self) {
        self.ledger.set_warm_up(false);
    }

    /// The number of notifications that are due and not received.
    pub(crate) fn outstanding(&self) -> u64 {
        self.ledger.outstanding()
    }

    /// The counts so far, without the notifications that are still awaited.
    pub(crate) fn so_far(&self) -> NotificationResult {
        self.ledger.so_far()
    }

    /// Closes the ledger and returns its totals.
    pub(crate) fn close(&self) -> LedgerTotals {
        self.ledger.close(self.since.elapsed())
    }

    fn at(&self, moment: Instant) -> Duration {
        moment.saturating_duration_since(self.since)
    }

    fn measure(&self, lag: Option<Duration>) {
        if let (Some(lag), Some(run)) = (lag, self.run.get().and_then(Weak::upgrade)) {
            run.meter.lag(lag);
        }
    }
}

impl NotificationObserver for NotificationAccounting {
    fn due(&self, resource: &str, state: &str, since: Instant) {
        self.measure(self.ledger.due(resource, state, self.at(since)));
    }

    fn received(&self, resource: &str, state: &str, at: Instant, acknowledged: bool) {
        self.measure(self.ledger.received(resource, state, self.at(at), acknowledged));
    }

    fn status_seen(&self, resource: &str, state: &str, asked: Instant) {
        self.ledger.status(resource, state, self.at(asked));
    }
}
