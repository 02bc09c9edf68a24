//! What is measured while the load runs: taken by many users at once, read once a second.
//!
//! A sample costs one lock that nobody else wants and two additions to a histogram; nothing is allocated.
//! Each thread counts on a sheet of its own; [`Meter::tick`] takes the sheets away, lays empty ones in their
//! place, and does everything that takes time on what it took.
//!
//! Memory is fixed: for each operation 184 KiB × (slots + 1) on the sheets and 736 KiB for the sums, for each
//! scenario half of it. The timeline has at most 600 stretches, some 3 bytes for each different time in them:
//! 1 to 5 MiB.

mod sheet;
mod slots;
mod sparse;
mod tally;
mod timeline;

#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hdrhistogram::Histogram;

use self::slots::Slots;
use self::tally::Tally;
use super::latency::record;
use super::result::{Arrivals, ErrorKind, Latency, Moment, OperationResult, ScenarioResult};

pub(super) use self::tally::rate;

pub use self::sheet::{Calls, Errors, Iterations, Sheet};

/// An iteration that is begun this much late is a delayed one.
pub const DELAYED: Duration = Duration::from_millis(10);

/// Measures one load test. Indices of operations and scenarios are those of the lists given to [`Meter::new`].
#[derive(Debug)]
pub struct Meter {
    names: Names,
    slots: Slots,
    tally: Mutex<Tally>,
}

/// What the indices stand for.
#[derive(Clone, Debug)]
struct Names {
    operations: Arc<[String]>,
    scenarios: Arc<[String]>,
}

/// One call, answered or not.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// From the sending to the end of the answer, or to when it was given up.
    pub service: Duration,
    /// How much later than intended it was sent; zero for closed load. The response time is both together.
    pub late: Duration,
    /// Why it failed.
    pub error: Option<ErrorKind>,
}

/// One iteration that has ended.
#[derive(Clone, Copy, Debug)]
pub struct Iteration {
    /// From its beginning to the end of its last step.
    pub service: Duration,
    /// How much later than intended it was begun; zero for closed load.
    pub late: Duration,
    /// Whether nothing was found.
    pub passed: bool,
}

/// When the meter is read, and what it can't know.
#[derive(Clone, Copy, Debug)]
pub struct Tick {
    /// Since the measuring began: since [`Meter::forget`], or the start where there is no warm-up.
    pub at: Duration,
    /// Users that play now.
    pub users: u64,
    /// Iterations that were to be begun since the last tick; none for closed load.
    pub intended: Option<u64>,
}

/// What was measured between two ticks.
#[derive(Debug)]
pub struct Interval<'m> {
    /// When it began, since the measuring began.
    pub at: Duration,
    /// How long it is.
    pub length: Duration,
    /// Users at its end.
    pub users: u64,
    /// Iterations that were to be begun in it; none for closed load.
    pub intended: Option<u64>,
    /// What the indices of the sheets stand for.
    pub operations: &'m [String],
    /// Likewise.
    pub scenarios: &'m [String],
    /// What was counted in it.
    pub sheet: &'m Sheet<u64>,
    /// The response times of all operations in it.
    pub response: &'m Histogram<u64>,
    /// What was counted until its end.
    pub totals: &'m Sheet<u64>,
}

/// What was measured until the last tick.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// When the last tick was, since the measuring began.
    pub at: Duration,
    /// Users at the last tick.
    pub users: u64,
    /// Iterations that were to be begun; none for closed load.
    pub intended: Option<u64>,
    /// What the indices of the sheet stand for.
    pub operations: Arc<[String]>,
    /// Likewise.
    pub scenarios: Arc<[String]>,
    /// What was counted.
    pub totals: Sheet<u64>,
}

/// What goes into a `LoadResult`.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// How many iterations were due and begun; none for closed load.
    pub arrivals: Option<Arrivals>,
    /// One for each operation of the meter, also where it was not called.
    pub operations: Vec<OperationResult>,
    /// One for each scenario of the meter, also where it was not played.
    pub scenarios: Vec<ScenarioResult>,
    /// At most 600 moments.
    pub timeline: Vec<Moment>,
    /// For `Generator`.
    pub scheduling: Latency,
    /// For `NotificationResult`.
    pub lag: Latency,
}

impl Meter {
    /// An empty meter. As many slots as threads that play users make it cheapest; it is right with any number.
    pub fn new(operations: Vec<String>, scenarios: Vec<String>, slots: usize) -> Self {
        let names = Names { operations: operations.into(), scenarios: scenarios.into() };
        let empty = || names.sheet::<u32>();
        let slots = Slots::new(slots, empty);
        let tally = Mutex::new(Tally::new(&names));
        Self { names, slots, tally }
    }

    /// A call has ended. Failed calls are among the times too: a time-out is a long time.
    pub fn call(&self, operation: usize, call: Call) {
        self.slots.with(|sheet| {
            let Some(calls) = sheet.operations.get_mut(operation) else { return stray(operation) };
            record(&mut calls.response, call.service.saturating_add(call.late));
            record(&mut calls.service, call.service);
            if let Some(kind) = call.error {
                calls.errors.count(kind);
            }
        });
    }

    /// An iteration has ended.
    pub fn iteration(&self, scenario: usize, iteration: Iteration) {
        self.slots.with(|sheet| {
            let Some(iterations) = sheet.scenarios.get_mut(scenario) else { return stray(scenario) };
            record(&mut iterations.response, iteration.service.saturating_add(iteration.late));
            let count = if iteration.passed { &mut iterations.passed } else { &mut iterations.failed };
            *count += 1;
        });
    }

    /// An iteration is begun, `late` after its intended start because all users were busy. `scheduling` is how
    /// much later than intended the generator itself was in telling a free user; none where there was no free
    /// user, and for closed load.
    pub fn begun(&self, scheduling: Option<Duration>, late: Duration) {
        self.slots.with(|sheet| {
            sheet.begun += 1;
            sheet.delayed += u64::from(late > DELAYED);
            if let Some(error) = scheduling {
                record(&mut sheet.scheduling, error);
            }
        });
    }

    /// A notification was received, so long after the change of state that it tells.
    pub fn lag(&self, lag: Duration) {
        self.slots.with(|sheet| record(&mut sheet.lag, lag));
    }

    /// Ends the interval that began with the last tick, adds it to the sums and the timeline, and shows it:
    /// to the interval log, the live view, the killswitch. Users are not held up meanwhile; but it takes some
    /// milliseconds, so it is better called where no user waits for the thread. `see` must not ask this meter.
    pub fn tick<T>(&self, tick: Tick, see: impl FnOnce(&Interval<'_>) -> T) -> T {
        let mut tally = self.tally();
        tally.collect(&self.slots);
        see(&tally.close(tick, &self.names))
    }

    /// Drops what was measured so far: the warm-up is over, and times count from now. A call that is under way
    /// now is measured when it ends.
    pub fn forget(&self) {
        let mut tally = self.tally();
        tally.collect(&self.slots);
        tally.forget();
    }

    /// What was measured until the last tick. Copies all sums, 376 KiB for each operation.
    pub fn snapshot(&self) -> Snapshot {
        self.tally().snapshot(&self.names)
    }

    /// What was measured until the last tick, as results. Rates are over the time `measured`.
    pub fn finish(&self, measured: Duration) -> Measured {
        self.tally().finish(&self.names, measured)
    }

    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Names {
    fn sheet<C: hdrhistogram::Counter>(&self) -> Sheet<C> {
        Sheet::new(self.operations.len(), self.scenarios.len())
    }
}

/// A sample of what the meter was not made for. It is dropped, but not while we test.
fn stray(index: usize) {
    debug_assert!(false, "the meter has no number {index}");
}
