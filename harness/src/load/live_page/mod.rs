//! The live page: how a load goes, in a browser on this machine, while it goes on.
//!
//! The page asks for one JSON document every second, which is written once a second however many browsers ask. It shows what
//! a target sent as text, never as markup.

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
    /// The page of a load that has not begun.
    pub fn new(title: &str, load: &str) -> Self {
        let snapshot = LiveSnapshot::new(title, load);
        Self { opened: Instant::now(), json: Mutex::new(json(&snapshot)), snapshot: Mutex::new(snapshot) }
    }

    /// Tells of a second.
    pub fn second(&self, now: &LoadProgress, interval: &Interval<'_>) {
        let at = self.opened.elapsed();
        self.change(|snapshot| snapshot.second(at, now, interval));
    }

    /// Tells what the load would come to if it ended now.
    pub fn so_far(&self, result: &LoadResult) {
        self.change(|snapshot| snapshot.so_far(result));
    }

    /// The content served at the moment.
    fn json(&self) -> Bytes {
        self.json.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change(&self, change: impl FnOnce(&mut LiveSnapshot)) {
        let mut snapshot = self.snapshot.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut snapshot);
        *self.json.lock().unwrap_or_else(PoisonError::into_inner) = json(&snapshot);
    }
}

/// It holds numbers and texts only, so writing cannot fail; if it did, the page would show no data.
fn json(snapshot: &LiveSnapshot) -> Bytes {
    serde_json::to_vec(snapshot).unwrap_or_default().into()
}
