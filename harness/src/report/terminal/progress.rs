//! The progress line on standard error, drawn only for a person at a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

const TEMPLATE: &str = "{bar:30} {pos} of {len} finished, {msg} ({elapsed})";

/// The line, or nothing.
pub(super) struct Progress(Option<ProgressBar>);

impl Progress {
    /// No line.
    pub(super) fn hidden() -> Self {
        Self(None)
    }

    /// A line for this many cases.
    pub(super) fn shown(cases: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(cases as u64), ProgressDrawTarget::stderr());
        let bar = bar.with_style(ProgressStyle::with_template(TEMPLATE).unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self(Some(bar.with_message(failures(0))))
    }

    /// Updates the line.
    pub(super) fn show(&self, finished: usize, failed: usize) {
        if let Some(bar) = &self.0 {
            bar.set_position(finished as u64);
            bar.set_message(failures(failed));
        }
    }

    /// The position of the line.
    #[cfg(test)]
    pub(super) fn position(&self) -> Option<u64> {
        self.0.as_ref().map(ProgressBar::position)
    }

    /// Writes something else while the line is hidden.
    pub(super) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// Removes the line.
    pub(super) fn end(&mut self) {
        if let Some(bar) = self.0.take() {
            bar.finish_and_clear();
        }
    }
}

fn failures(count: usize) -> String {
    if count == 0 { "none failed so far".into() } else { format!("{count} failed so far") }
}
