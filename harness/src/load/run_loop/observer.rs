//! Who sees a load test while it goes on.

use std::io;

use super::completed_run::CompletedRun;
use super::run_progress::RunProgress;
use crate::load::result::LoadResult;

/// Sees every second of a load test.
pub trait LoadObserver {
    /// Sees a second.
    ///
    /// # Errors
    /// When the load can't go on without it.
    fn second(&mut self, progress: &RunProgress<'_>) -> io::Result<()>;

    /// Whether it wants the result so far after every second.
    fn wants_result(&self) -> bool {
        false
    }

    /// Takes what the load test would come to if it ended now.
    fn so_far(&mut self, _result: LoadResult) {}
}

/// Who only looks at the seconds.
impl<S: FnMut(&RunProgress<'_>) -> io::Result<()>> LoadObserver for S {
    fn second(&mut self, progress: &RunProgress<'_>) -> io::Result<()> {
        self(progress)
    }
}

/// An observer, and how a run becomes a result.
pub(crate) struct Observed<'o> {
    pub(crate) observer: &'o mut dyn LoadObserver,
    pub(crate) result: &'o dyn Fn(CompletedRun) -> LoadResult,
}

impl Observed<'_> {
    /// Gives the result so far to who wants it.
    pub(super) fn so_far(&mut self, run: impl FnOnce() -> CompletedRun) {
        if self.observer.wants_result() {
            self.observer.so_far((self.result)(run()));
        }
    }
}
