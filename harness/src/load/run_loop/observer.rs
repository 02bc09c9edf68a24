//! Observers of a running load test.

use std::io;

use super::completed_run::CompletedRun;
use super::run_progress::RunProgress;
use crate::load::result::LoadResult;

/// Observes a running load test.
pub trait LoadObserver {
    /// Called after every second.
    ///
    /// # Errors
    /// An error ends the load.
    fn on_second(&mut self, progress: &RunProgress<'_>) -> io::Result<()>;

    /// Whether [`Self::on_result`] is to be called after every second.
    fn wants_result(&self) -> bool {
        false
    }

    /// Called with the result so far.
    fn on_result(&mut self, _result: LoadResult) {}
}

impl<S: FnMut(&RunProgress<'_>) -> io::Result<()>> LoadObserver for S {
    fn on_second(&mut self, progress: &RunProgress<'_>) -> io::Result<()> {
        self(progress)
    }
}

/// An observer, and the function that turns a run into a result.
pub(crate) struct Observed<'o> {
    pub(crate) observer: &'o mut dyn LoadObserver,
    pub(crate) result: &'o dyn Fn(CompletedRun) -> LoadResult,
}

impl Observed<'_> {
    /// Passes the result so far to the observer, if it wants that.
    pub(super) fn report_so_far(&mut self, run: impl FnOnce() -> CompletedRun) {
        if self.observer.wants_result() {
            self.observer.on_result((self.result)(run()));
        }
    }
}
