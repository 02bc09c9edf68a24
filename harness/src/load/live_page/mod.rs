//! The live page shows a running load in a browser on this machine.
//!
//! The page fetches one JSON document every second. The document is written once a second, however many browsers fetch it. Everything
//! that a target sent is shown as text, never as markup.

mod history;
mod serve;
mod snapshot;
#[cfg(test)]
mod tests;

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use bytes::Bytes;

use super::meter::Interval;
use super::progress::LoadProgress;
use super::result::LoadResult;
use super::run_loop::Phase;
pub use serve::serve;
use snapshot::LiveSnapshot;

/// The contents of the page, as of the last second.
#[derive(Debug)]
pub struct LivePage {
    opened: Instant,
    snapshot: Mutex<LiveSnapshot>,
    /// The snapshot as it is served.
    json: Mutex<Bytes>,
}

impl LivePage {
    /// The page of a load that has not started.
    pub fn new(title: &str, load: &str) -> Self {
        let snapshot = LiveSnapshot::new(title, load);
        Self { opened: Instant::now(), json: Mutex::new(json(&snapshot)), snapshot: Mutex::new(snapshot) }
    }

    /// Shows the last second.
    pub fn show_second(&self, phase: Phase, now: &LoadProgress, interval: &Interval<'_>) {
        let at = self.opened.elapsed();
        self.change(|snapshot| snapshot.set_second(at, phase, now, interval));
    }

    /// Shows the result so far.
    pub fn show_result(&self, result: &LoadResult) {
        self.change(|snapshot| snapshot.set_result(result));
    }

    /// The JSON that is served now.
    fn json(&self) -> Bytes {
        self.json.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change(&self, change: impl FnOnce(&mut LiveSnapshot)) {
        let mut snapshot = self.snapshot.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut snapshot);
        *self.json.lock().unwrap_or_else(PoisonError::into_inner) = json(&snapshot);
    }
}

/// A snapshot holds only numbers and texts, so serialising cannot fail; if it did, the page would show no data.
fn json(snapshot: &LiveSnapshot) -> Bytes {
    serde_json::to_vec(snapshot).unwrap_or_default().into()
}
