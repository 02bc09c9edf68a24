//! The threads that the work is shared among.

use std::io;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use tokio::runtime::{Builder, Runtime};

use crate::base::interrupt::Interrupt;

/// Threads, each with a runtime on which a recording is played again.
pub(crate) struct Threads {
    runtimes: Vec<Runtime>,
    interrupt: Interrupt,
    /// Receives the number of finished jobs, and that of all.
    progress: Box<dyn Fn(usize, usize) + Send + Sync>,
}

impl Threads {
    /// Starts this many threads. They take no further job once the user ends the command.
    ///
    /// # Errors
    /// If the system has no more threads.
    pub(crate) fn new(count: NonZero<usize>, interrupt: Interrupt) -> io::Result<Self> {
        let runtimes = (0..count.get()).map(|_| Builder::new_current_thread().enable_time().build()).collect::<io::Result<_>>()?;
        Ok(Self { runtimes, interrupt, progress: Box::new(|_, _| ()) })
    }

    /// Reports to a function how many jobs have ended, and of how many.
    #[must_use]
    pub(crate) fn reporting(self, progress: impl Fn(usize, usize) + Send + Sync + 'static) -> Self {
        Self { progress: Box::new(progress), ..self }
    }

    /// The number of threads.
    pub(super) fn count(&self) -> usize {
        self.runtimes.len()
    }

    /// Runs a job for each number below `count` on the next free thread, and returns the results in order. When the user ends the
    /// command, the last jobs are left out.
    pub(super) fn share<T: Send>(&self, count: usize, job: impl Fn(&Runtime, usize) -> T + Sync) -> Vec<T> {
        let (next, ended) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let made = Mutex::new(Vec::with_capacity(count));
        std::thread::scope(|scope| {
            for runtime in &self.runtimes {
                scope.spawn(|| {
                    let mut own = Vec::new();
                    let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|index| *index < count && !self.interrupt.is_raised());
                    while let Some(index) = take() {
                        own.push((index, job(runtime, index)));
                        (self.progress)(ended.fetch_add(1, Ordering::Relaxed) + 1, count);
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
    fn the_results_are_in_order_whichever_thread_made_them() {
        let threads = Threads::new(NonZero::new(3).unwrap(), Interrupt::default()).unwrap();
        let squares = threads.share(1000, |runtime, index| runtime.block_on(async { index * index }));
        assert_eq!(squares, (0..1000).map(|index| index * index).collect::<Vec<_>>());
        assert_eq!(threads.share(0, |_, index| index), Vec::<usize>::new());
    }

    #[test]
    fn every_job_that_ends_is_reported() {
        let seen = std::sync::Arc::new(Mutex::new(Vec::new()));
        let reported = std::sync::Arc::clone(&seen);
        let threads = Threads::new(NonZero::new(2).unwrap(), Interrupt::default()).unwrap();
        threads.reporting(move |ended, of| reported.lock().unwrap().push((ended, of))).share(3, |_, index| index);
        let mut seen = seen.lock().unwrap().clone();
        seen.sort_unstable();
        assert_eq!(seen, [(1, 3), (2, 3), (3, 3)]);
    }

    #[test]
    fn no_job_starts_once_the_user_ends_the_command() {
        let interrupt = Interrupt::default();
        let threads = Threads::new(NonZero::new(1).unwrap(), interrupt.clone()).unwrap();
        let made = threads.share(1000, |_, index| {
            if index == 2 {
                interrupt.raise();
            }
            index
        });
        assert_eq!(made, [0, 1, 2]);
    }
}
