//! The threads that the work is shared among.

use std::io;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use tokio::runtime::{Builder, Runtime};

/// Threads, each with a runtime on which a recording is played again.
pub(crate) struct Threads(Vec<Runtime>);

impl Threads {
    /// So many.
    ///
    /// # Errors
    /// Where the system has no more.
    pub(crate) fn new(count: NonZero<usize>) -> io::Result<Self> {
        (0..count.get()).map(|_| Builder::new_current_thread().enable_time().build()).collect::<io::Result<_>>().map(Self)
    }

    /// How many.
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// Does a job for each number below `count`, whoever is free the next one; what they make, in order.
    pub(super) fn share<T: Send>(&self, count: usize, job: impl Fn(&Runtime, usize) -> T + Sync) -> Vec<T> {
        let next = AtomicUsize::new(0);
        let made = Mutex::new(Vec::with_capacity(count));
        std::thread::scope(|scope| {
            for runtime in &self.0 {
                scope.spawn(|| {
                    let mut own = Vec::new();
                    let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|index| *index < count);
                    while let Some(index) = take() {
                        own.push((index, job(runtime, index)));
                    }
                    made.lock().unwrap_or_else(PoisonError::into_inner).extend(own);
                });
            }
        });
        let mut made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
        made.sort_unstable_by_key(|(index, _)| *index);
        made.into_iter().map(|(_, made)| made).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_results_are_in_order_whoever_made_them() {
        let threads = Threads::new(NonZero::new(3).unwrap()).unwrap();
        let squares = threads.share(1000, |runtime, index| runtime.block_on(async { index * index }));
        assert_eq!(squares, (0..1000).map(|index| index * index).collect::<Vec<_>>());
        assert_eq!(threads.share(0, |_, index| index), Vec::<usize>::new());
    }
}
