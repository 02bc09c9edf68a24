//! Measures a running load: many users record concurrently, and one task reads once a second.
//!
//! Recording takes one uncontended lock and two additions to a histogram; it allocates nothing. Each thread records into a metric set of
//! its own. [`Meter::tick`] swaps these sets with empty ones and then does the slow work.
//!
//! Memory is fixed: for each operation 184 KiB × (slots + 1) in the sets and 736 KiB for the sums, for each scenario half of that. The
//! timeline has at most 600 spans, with about 3 bytes for each distinct time in them: 1 to 5 MiB.

mod aggregator;
mod metric_set;
mod readings;
mod response_counts;
mod sparse;
mod thread_slots;
mod timeline;

#[cfg(test)]
mod tests;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use self::aggregator::Aggregator;
use self::metric_set::Names;
use self::thread_slots::ThreadSlots;
use super::latency::record;
pub(crate) use super::partial::SAMPLING_INTERVAL;

pub(crate) use self::aggregator::rate;
pub use self::metric_set::{CallMetrics, ErrorCounts, IterationMetrics, MetricSet};
pub use self::readings::{Interval, Iteration, MeasuredCall, MeasuredTotals, Snapshot, Tick};
pub(super) use self::response_counts::by_status_and_code;
pub use self::response_counts::{ResponseCounts, ResultCode};

/// An iteration that starts later than this is a delayed one.
pub const DELAYED: Duration = Duration::from_millis(10);

/// Measures one load test. Indices of operations and scenarios are those of the lists given to [`Meter::new`].
#[derive(Debug)]
pub struct Meter {
    names: Names,
    slots: ThreadSlots,
    aggregator: Mutex<Aggregator>,
}

impl Meter {
    /// An empty meter. Any number of slots is correct; one for each thread that plays users is the fastest.
    pub fn new(operations: Vec<String>, scenarios: Vec<String>, slots: usize) -> Self {
        let names = Names { operations: operations.into(), scenarios: scenarios.into(), codes: Vec::new() };
        let empty = || names.metrics::<u32>();
        let slots = ThreadSlots::new(slots, empty);
        let aggregator = Mutex::new(Aggregator::new(&names));
        Self { names, slots, aggregator }
    }

    /// Names the result codes that [`ResultCode::Documented`] numbers, for each operation.
    #[must_use]
    pub fn naming(mut self, codes: Vec<Vec<String>>) -> Self {
        self.names.codes = codes;
        self
    }

    /// Records a call that has ended. Failed calls are measured too, so that time-outs show as long times.
    pub fn call(&self, operation: usize, call: MeasuredCall) {
        self.slots.with(|metrics| {
            let Some(calls) = metrics.operations.get_mut(operation) else { return stray(operation) };
            record(&mut calls.response, call.service.saturating_add(call.late));
            record(&mut calls.service, call.service);
            if let Some(kind) = call.error {
                calls.errors.count(kind);
            }
            calls.responses.count(call.status, call.code);
        });
    }

    /// Records an iteration that has ended.
    pub fn iteration(&self, scenario: usize, iteration: Iteration) {
        self.slots.with(|metrics| {
            let Some(iterations) = metrics.scenarios.get_mut(scenario) else { return stray(scenario) };
            record(&mut iterations.response, iteration.service.saturating_add(iteration.late));
            let count = if iteration.passed { &mut iterations.passed } else { &mut iterations.failed };
            *count += 1;
        });
    }

    /// Records an iteration that starts `late` after its intended start. `scheduling` is the generator's own delay, from the intended
    /// start to the start by a free user; `None` where no user was free, and for closed load.
    pub fn started(&self, scheduling: Option<Duration>, late: Duration) {
        self.slots.with(|metrics| {
            metrics.started += 1;
            metrics.delayed += u64::from(late > DELAYED);
            if let Some(error) = scheduling {
                record(&mut metrics.scheduling, error);
            }
        });
    }

    /// Records a notification by the time from its change of state to its receipt.
    pub fn lag(&self, lag: Duration) {
        self.slots.with(|metrics| record(&mut metrics.lag, lag));
    }

    /// Ends the interval that began with the last tick, adds it to the sums and the timeline, and passes it to `on_interval`. This does
    /// not block users, but takes some milliseconds, so it should not run on a thread that plays users. `on_interval` must not use this
    /// meter.
    pub fn tick<T>(&self, tick: Tick, on_interval: impl FnOnce(&Interval<'_>) -> T) -> T {
        let mut aggregator = self.aggregator();
        aggregator.collect(&self.slots);
        on_interval(&aggregator.close(tick, &self.names))
    }

    /// Drops all metrics at the end of the warm-up; times count from now. A call or an iteration that is under way is measured when it
    /// ends, and an iteration that was due stays due. `due` is the number that became due since the last tick, `None` for closed load.
    pub fn forget(&self, due: Option<u64>) {
        let mut aggregator = self.aggregator();
        aggregator.collect(&self.slots);
        aggregator.forget(due);
    }

    /// The metrics until the last tick. Copies all sums, 376 KiB for each operation.
    pub fn snapshot(&self) -> Snapshot {
        self.aggregator().snapshot(&self.names)
    }

    /// The metrics until the last tick, as results. Rates are over the duration `measured`.
    pub fn finish(&self, measured: Duration) -> MeasuredTotals {
        self.aggregator().finish(&self.names, measured)
    }

    fn aggregator(&self) -> MutexGuard<'_, Aggregator> {
        self.aggregator.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Handles a sample with an unknown index: it is dropped, and a debug build panics.
fn stray(index: usize) {
    debug_assert!(false, "the meter has no number {index}");
}
