//! One metric set for each thread, so that threads do not wait for each other.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::metric_set::MetricSet;

/// A thread always records into the same slot, so that the lock is uncontended and the counters stay in its core's cache. With a slot for
/// each user, two cores would contend for one.
#[derive(Debug)]
pub(super) struct ThreadSlots(Vec<Slot>);

/// Aligned so that no two slots share a cache line.
#[derive(Debug)]
#[repr(align(128))]
struct Slot(Mutex<Box<MetricSet<u32>>>);

thread_local! {
    static NUMBER: Cell<Option<usize>> = const { Cell::new(None) };
}

/// The number of this thread among those that have recorded anything.
fn thread_number() -> usize {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    NUMBER.get().unwrap_or_else(|| {
        let number = THREADS.fetch_add(1, Ordering::Relaxed);
        NUMBER.set(Some(number));
        number
    })
}

impl ThreadSlots {
    /// Creates this number of slots, at least one.
    pub(super) fn new(slots: usize, empty: impl Fn() -> MetricSet<u32>) -> Self {
        Self((0..slots.max(1)).map(|_| Slot(Mutex::new(Box::new(empty())))).collect())
    }

    /// Records into this thread's slot.
    pub(super) fn with(&self, record: impl FnOnce(&mut MetricSet<u32>)) {
        if let Some(Slot(metrics)) = self.0.get(thread_number() % self.0.len()) {
            record(&mut metrics.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Reads the metrics of every slot and leaves empty ones there. `spare` is swapped with the first slot's set, which is emptied and
    /// swapped with the next one's, so that a lock is held only while two pointers are swapped.
    pub(super) fn drain(&self, spare: &mut Box<MetricSet<u32>>, mut read: impl FnMut(&MetricSet<u32>)) {
        for Slot(metrics) in &self.0 {
            std::mem::swap(&mut *metrics.lock().unwrap_or_else(PoisonError::into_inner), spare);
            read(spare);
            spare.clear();
        }
    }
}
