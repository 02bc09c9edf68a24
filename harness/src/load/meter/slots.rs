//! Where samples are put down: a few sheets, so that threads do not wait for each other.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::sheet::Sheet;

/// A thread always writes on the same sheet: the lock is free and the counters are in its core's cache.
/// Choosing by user instead would make two cores meet on a sheet.
#[derive(Debug)]
pub(super) struct Slots(Vec<Slot>);

/// Apart from its neighbours in memory, so that one core's lock does not slow another's.
#[derive(Debug)]
#[repr(align(128))]
struct Slot(Mutex<Box<Sheet<u32>>>);

thread_local! {
    static SEAT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// The number of this thread among those that have measured anything.
fn seat() -> usize {
    static SEATS: AtomicUsize = AtomicUsize::new(0);
    SEAT.get().unwrap_or_else(|| {
        let seat = SEATS.fetch_add(1, Ordering::Relaxed);
        SEAT.set(Some(seat));
        seat
    })
}

impl Slots {
    /// So many sheets, at least one.
    pub(super) fn new(slots: usize, empty: impl Fn() -> Sheet<u32>) -> Self {
        Self((0..slots.max(1)).map(|_| Slot(Mutex::new(Box::new(empty())))).collect())
    }

    /// Writes on this thread's sheet.
    pub(super) fn with(&self, write: impl FnOnce(&mut Sheet<u32>)) {
        if let Some(Slot(sheet)) = self.0.get(seat() % self.0.len()) {
            write(&mut sheet.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Takes each sheet away, reads it, and gives it back empty to the next slot; `spare` is what is laid in the
    /// first one's place. A lock is held only as long as a pointer is exchanged.
    pub(super) fn take(&self, spare: &mut Box<Sheet<u32>>, mut read: impl FnMut(&Sheet<u32>)) {
        for Slot(sheet) in &self.0 {
            std::mem::swap(&mut *sheet.lock().unwrap_or_else(PoisonError::into_inner), spare);
            read(spare);
            spare.clear();
        }
    }
}
