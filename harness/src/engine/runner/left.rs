//! What cases leave pending in a shared world.

use std::sync::{Mutex, PoisonError};

use tokio::time::Instant;

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
pub(super) struct LeftPending(Mutex<Vec<PendingResource>>);

impl LeftPending {
    /// Takes everything.
    pub(super) fn take(&self) -> Vec<PendingResource> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes what a case leaves pending.
    pub(super) fn add(&self, left: Vec<PendingResource>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(left);
    }
}
