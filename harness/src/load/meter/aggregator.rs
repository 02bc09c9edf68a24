//! Adds up the metrics that the threads recorded, tick by tick.

use std::sync::Arc;
use std::time::Duration;

use hdrhistogram::Histogram;

use super::metric_set::{CallMetrics, MetricSet, Names};
use super::readings::{Interval, MeasuredTotals, Snapshot, Tick};
use super::sparse::SparseHistogram;
use super::thread_slots::ThreadSlots;
use super::timeline::{MOST_SPANS, MOST_SPANS_OF_OPERATION, Timeline, TimelineSpan};
use crate::load::latency::{add, histogram};
use crate::load::partial::marked;
use crate::load::result::{Arrivals, IterationTotals, Latency, OperationResult, ScenarioResult};

#[derive(Debug)]
pub(super) struct Aggregator {
    /// An empty set that is swapped with that of a slot.
    spare: Box<MetricSet<u32>>,
    /// The metrics since the last tick.
    interval: MetricSet<u64>,
    /// The response times of all operations since the last tick.
    response: Histogram<u64>,
    totals: MetricSet<u64>,
    timeline: Timeline,
    /// One for each operation.
    timelines: Vec<Timeline>,
    at: Duration,
    users: u64,
    /// Iterations that were due, those that were waiting when measuring began included.
    intended: Option<u64>,
    /// Iterations that were under way when measuring began.
    carried: u64,
}

impl Aggregator {
    pub(super) fn new(names: &Names) -> Self {
        Self {
            spare: Box::new(names.metrics()),
            interval: names.metrics(),
            response: histogram(),
            totals: names.metrics(),
            timeline: Timeline::new(MOST_SPANS),
            timelines: timelines(names.operations.len()),
            at: Duration::ZERO,
            users: 0,
            intended: None,
            carried: 0,
        }
    }

    /// Moves what the slots hold into the interval.
    pub(super) fn collect(&mut self, slots: &ThreadSlots) {
        self.interval.clear();
        let interval = &mut self.interval;
        slots.drain(&mut self.spare, |metrics| interval.widen(metrics));
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
        self.timeline.push(TimelineSpan {
            at,
            length,
            requests: self.interval.requests(),
            errors: self.interval.errors(),
            intended: tick.intended,
            started: self.interval.started,
            users: tick.users,
            response: SparseHistogram::from_histogram(&self.response),
            lag: SparseHistogram::from_histogram(&self.interval.lag),
        });
        for (timeline, calls) in self.timelines.iter_mut().zip(&self.interval.operations) {
            timeline.push(span_of(calls, at, length));
        }
        Interval {
            at,
            length,
            users: tick.users,
            intended: tick.intended,
            operations: &names.operations,
            scenarios: &names.scenarios,
            metrics: &self.interval,
            response: &self.response,
            totals: &self.totals,
        }
    }

    /// Resets all metrics. Iterations that are due or under way are carried over; `due` of them were due since the last tick.
    pub(super) fn forget(&mut self, due: Option<u64>) {
        let started = self.totals.started + self.interval.started;
        let intended = self.intended.map_or(due, |sum| Some(sum + due.unwrap_or(0)));
        self.intended = intended.map(|intended| intended.saturating_sub(started));
        self.carried = (self.carried + started).saturating_sub(self.totals.finished() + self.interval.finished());
        self.interval.clear();
        self.totals.clear();
        self.timeline = Timeline::new(MOST_SPANS);
        self.timelines = timelines(self.timelines.len());
        self.at = Duration::ZERO;
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

    pub(super) fn finish(&mut self, names: &Names, measured: Duration) -> MeasuredTotals {
        let seconds = measured.as_secs_f64();
        let known = names.operations.iter().zip(&self.totals.operations).zip(&mut self.timelines).enumerate();
        let operations: Vec<_> = known
            .map(|(number, ((operation, calls), timeline))| OperationResult {
                operation: operation.clone(),
                requests: calls.response.len(),
                rate: rate(calls.response.len(), seconds),
                errors: calls.errors.present(),
                response: Latency::from_histogram(&calls.response),
                service: Latency::from_histogram(&calls.service),
                responses: calls.responses.named(names.codes.get(number).map_or(&[], Vec::as_slice)),
                // Operations that are called only while users get ready are left out.
                timeline: if calls.response.is_empty() { Vec::new() } else { timeline.operation_moments(seconds) },
            })
            .collect();
        let scenarios = names.scenarios.iter().zip(&self.totals.scenarios).map(|(scenario, iterations)| ScenarioResult {
            scenario: scenario.clone(),
            passed: iterations.passed,
            failed: iterations.failed,
            response: Latency::from_histogram(&iterations.response),
        });
        MeasuredTotals {
            arrivals: self.intended.map(|intended| self.arrivals(intended)),
            iterations: self.iterations(),
            operations,
            scenarios: scenarios.collect(),
            timeline: marked(self.timeline.moments(), seconds),
            scheduling: Latency::from_histogram(&self.totals.scheduling),
            lag: Latency::from_histogram(&self.totals.lag),
        }
    }

    fn arrivals(&self, intended: u64) -> Arrivals {
        let started = self.totals.started;
        // Iterations that start while the run ends may have become due after the last tick.
        let intended = intended.max(started);
        Arrivals { intended, started, delayed: self.totals.delayed, dropped: intended - started }
    }

    fn iterations(&self) -> IterationTotals {
        let (carried, started) = (self.carried, self.totals.started);
        IterationTotals { carried, started, cut_off: (carried + started).saturating_sub(self.totals.finished()) }
    }
}

fn timelines(operations: usize) -> Vec<Timeline> {
    std::iter::repeat_with(|| Timeline::new(MOST_SPANS_OF_OPERATION)).take(operations).collect()
}

/// The calls of one operation.
fn span_of(calls: &CallMetrics<u64>, at: Duration, length: Duration) -> TimelineSpan {
    TimelineSpan {
        at,
        length,
        requests: calls.response.len(),
        errors: calls.errors.total(),
        intended: None,
        started: 0,
        users: 0,
        response: SparseHistogram::from_histogram(&calls.response),
        lag: SparseHistogram::from_histogram(&calls.service),
    }
}

/// A count as a rate per second; 0 where no time has passed.
pub(crate) fn rate(count: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { count as f64 / seconds } else { 0.0 }
}
