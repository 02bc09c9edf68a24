//! Tells the ledger, and the meter, of notifications while they happen.

use std::sync::{OnceLock, Weak};
use std::time::Instant;

use super::ledger::{Closed, Ledger};
use super::profile::Accounting;
use super::run::Run;
use crate::watch::Watch;

/// Every notification of a run.
pub(crate) struct Notices {
    ledger: Ledger,
    /// What the ledger's times are counted from.
    since: Instant,
    run: OnceLock<Weak<Run>>,
}

impl Notices {
    pub(crate) fn new(accounting: Accounting) -> Self {
        Self { ledger: Ledger::new(accounting), since: Instant::now(), run: OnceLock::new() }
    }

    /// From now on the lags belong to this run.
    pub(crate) fn belong_to(&self, run: Weak<Run>) {
        let _ = self.run.set(run);
    }

    /// How many are awaited.
    pub(crate) fn outstanding(&self) -> u64 {
        self.ledger.outstanding()
    }

    /// Counts everything.
    pub(crate) fn close(&self) -> Closed {
        self.ledger.close(self.since.elapsed())
    }

    fn at(&self, moment: Instant) -> std::time::Duration {
        moment.saturating_duration_since(self.since)
    }

    fn lag(&self, lag: Option<std::time::Duration>) {
        if let (Some(lag), Some(run)) = (lag, self.run.get().and_then(Weak::upgrade)) {
            run.meter.lag(lag);
        }
    }
}

impl Watch for Notices {
    fn due(&self, resource: &str, state: &str, since: Instant) {
        self.lag(self.ledger.due(resource, state, self.at(since)));
    }

    fn received(&self, resource: &str, state: &str, at: Instant, acknowledged: bool) {
        self.lag(self.ledger.received(resource, state, self.at(at), acknowledged));
    }

    fn told(&self, resource: &str, state: &str, asked: Instant) {
        self.ledger.status(resource, state, self.at(asked));
    }
}
