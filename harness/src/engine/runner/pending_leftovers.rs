//! What cases leave pending in a shared world, and when something last became final there.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How long a target may take to be free after it has shown something final: a terminal prints a receipt, its display clears.
const SETTLES: Duration = Duration::from_secs(5);

/// A resource that is pending, as far as the record shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PendingResource {
    pub(super) resource: String,
    pub(super) id: String,
    /// When it was known that an action has ended it, if one has: the target may take a while until it is final.
    pub(super) ended: Option<Instant>,
}

/// What cases have left pending, until one whose creation is refused as busy takes it to cancel it.
#[derive(Debug, Default)]
pub(super) struct LeftPending {
    pending: Mutex<Vec<PendingResource>>,
    /// When a response last showed something in a final state.
    shown_final: Mutex<Option<Instant>>,
}

impl LeftPending {
    /// Takes everything.
    pub(super) fn take(&self) -> Vec<PendingResource> {
        std::mem::take(&mut *self.pending.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes what a case leaves pending.
    pub(super) fn add(&self, left: Vec<PendingResource>) {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).extend(left);
    }

    /// Notes that a response shows something in a final state.
    pub(super) fn note_final(&self) {
        *self.shown_final.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Until when the target may take to be free after something final was shown.
    pub(super) fn settles_until(&self, at_most: Duration) -> Option<Instant> {
        let shown = *self.shown_final.lock().unwrap_or_else(PoisonError::into_inner);
        shown.map(|shown| shown + SETTLES.min(at_most))
    }
}
