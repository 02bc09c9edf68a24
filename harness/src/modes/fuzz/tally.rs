//! The progress of a run.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::base::text::counted;

/// Counts of a run, shared with the task that reports them.
#[derive(Debug, Default)]
pub struct Tally {
    requests: AtomicUsize,
    operations: AtomicUsize,
    causes: AtomicUsize,
}

impl Tally {
    pub(super) fn sent(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn found(&self) {
        self.causes.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn ended(&self) {
        self.operations.fetch_add(1, Ordering::Relaxed);
    }

    /// The progress through `planned` operations.
    pub fn progress(&self, planned: usize) -> String {
        let [requests, operations, causes] = [&self.requests, &self.operations, &self.causes].map(|count| count.load(Ordering::Relaxed));
        let found = if causes == 0 { "nothing found".to_owned() } else { format!("{} found", counted(causes, "cause")) };
        format!("{operations} of {}, {}, {found}", counted(planned, "operation"), counted(requests, "request"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_counts_what_was_sent_ended_and_found() {
        let tally = Tally::default();
        assert_eq!(tally.progress(46), "0 of 46 operations, 0 requests, nothing found");
        tally.sent();
        tally.ended();
        tally.found();
        assert_eq!(tally.progress(1), "1 of 1 operation, 1 request, 1 cause found");
    }
}
