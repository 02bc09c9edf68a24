//! The sums of what was taken from the slots, tick by tick.

use std::sync::Arc;
use std::time::Duration;

use hdrhistogram::Histogram;

use super::slots::Slots;
use super::sparse::Sparse;
use super::timeline::{STRETCHES, Stretch, Timeline};
use super::{Interval, Measured, Names, Sheet, Snapshot, Tick};
use crate::load::latency::{add, histogram};
use crate::load::result::{Arrivals, Latency, OperationResult, ScenarioResult};

#[derive(Debug)]
pub(super) struct Tally {
    /// Empty, to be laid into a slot.
    spare: Box<Sheet<u32>>,
    /// Since the last tick.
    interval: Sheet<u64>,
    /// The response times of all operations in it.
    response: Histogram<u64>,
    totals: Sheet<u64>,
    timeline: Timeline,
    at: Duration,
    users: u64,
    intended: Option<u64>,
}

impl Tally {
    pub(super) fn new(names: &Names) -> Self {
        Self {
            spare: Box::new(names.sheet()),
            interval: names.sheet(),
            response: histogram(),
            totals: names.sheet(),
            timeline: Timeline::new(STRETCHES),
            at: Duration::ZERO,
            users: 0,
            intended: None,
        }
    }

    /// Fills the interval with what the slots hold.
    pub(super) fn collect(&mut self, slots: &Slots) {
        self.interval.clear();
        let interval = &mut self.interval;
        slots.take(&mut self.spare, |sheet| interval.widen(sheet));
    }

    /// Ends the interval.
    pub(super) fn close<'m>(&'m mut self, tick: Tick, names: &'m Names) -> Interval<'m> {
        self.response.reset();
        self.interval.operations.iter().for_each(|calls| add(&mut self.response, &calls.response));
        self.totals.add(&self.interval);
        let at = self.at;
        self.at = tick.at.max(at);
        let length = self.at.saturating_sub(at);
        self.users = tick.users;
        self.intended = self.intended.map_or(tick.intended, |sum| Some(sum + tick.intended.unwrap_or(0)));
        self.timeline.push(Stretch {
            at,
            length,
            requests: self.interval.requests(),
            errors: self.interval.errors(),
            intended: tick.intended,
            begun: self.interval.begun,
            users: tick.users,
            response: Sparse::of(&self.response),
            lag: Sparse::of(&self.interval.lag),
        });
        Interval {
            at,
            length,
            users: tick.users,
            intended: tick.intended,
            operations: &names.operations,
            scenarios: &names.scenarios,
            sheet: &self.interval,
            response: &self.response,
            totals: &self.totals,
        }
    }

    pub(super) fn forget(&mut self) {
        self.interval.clear();
        self.totals.clear();
        self.timeline = Timeline::new(STRETCHES);
        self.at = Duration::ZERO;
        self.intended = None;
    }

    pub(super) fn snapshot(&self, names: &Names) -> Snapshot {
        Snapshot {
            at: self.at,
            users: self.users,
            intended: self.intended,
            operations: Arc::clone(&names.operations),
            scenarios: Arc::clone(&names.scenarios),
            totals: self.totals.clone(),
        }
    }

    pub(super) fn finish(&self, names: &Names, measured: Duration) -> Measured {
        let operations = names.operations.iter().zip(&self.totals.operations).map(|(operation, calls)| OperationResult {
            operation: operation.clone(),
            requests: calls.response.len(),
            rate: rate(calls.response.len(), measured.as_secs_f64()),
            errors: calls.errors.present(),
            response: Latency::of(&calls.response),
            service: Latency::of(&calls.service),
        });
        let scenarios = names.scenarios.iter().zip(&self.totals.scenarios).map(|(scenario, iterations)| ScenarioResult {
            scenario: scenario.clone(),
            passed: iterations.passed,
            failed: iterations.failed,
            response: Latency::of(&iterations.response),
        });
        Measured {
            arrivals: self.intended.map(|intended| self.arrivals(intended)),
            operations: operations.collect(),
            scenarios: scenarios.collect(),
            timeline: self.timeline.moments(),
            scheduling: Latency::of(&self.totals.scheduling),
            lag: Latency::of(&self.totals.lag),
        }
    }

    fn arrivals(&self, intended: u64) -> Arrivals {
        let begun = self.totals.begun;
        // What was due in the warm-up may be begun after it, so more can be begun than were due.
        Arrivals { intended, begun, delayed: self.totals.delayed, missed: intended.saturating_sub(begun) }
    }
}

/// How many a second; none in no time.
pub(in crate::load) fn rate(count: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { count as f64 / seconds } else { 0.0 }
}
