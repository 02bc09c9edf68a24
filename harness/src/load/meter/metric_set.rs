//! A set of metrics: histograms and counts.

use std::collections::BTreeMap;
use std::sync::Arc;

use hdrhistogram::{Counter, Histogram};

use super::response_counts::ResponseCounts;
use crate::load::latency::{self, histogram};
use crate::load::result::ErrorKind;

/// The metrics of an interval. Their size is fixed: two histograms for each operation, one for each scenario, and two more.
#[derive(Clone, Debug)]
pub struct MetricSet<C: Counter> {
    /// By operation, in the order of the meter.
    pub operations: Vec<CallMetrics<C>>,
    /// By scenario, in the order of the meter.
    pub scenarios: Vec<IterationMetrics<C>>,
    /// From the intended start of an iteration to the start by a free user: the generator's own delay.
    pub scheduling: Histogram<C>,
    /// From a change of state to the receipt of its notification.
    pub lag: Histogram<C>,
    /// Iterations that started.
    pub started: u64,
    /// Iterations that started late because all users were busy.
    pub delayed: u64,
}

/// The calls of one operation. Each call is in both histograms, failed or not.
#[derive(Clone, Debug)]
pub struct CallMetrics<C: Counter> {
    /// From the intended start to the end of the response.
    pub response: Histogram<C>,
    /// From the sending to the end of the response.
    pub service: Histogram<C>,
    /// Failed calls.
    pub errors: ErrorCounts,
    /// Calls by HTTP status and result code.
    pub responses: ResponseCounts,
}

/// The iterations of one scenario.
#[derive(Clone, Debug)]
pub struct IterationMetrics<C: Counter> {
    /// From the intended start to the end of the last step.
    pub response: Histogram<C>,
    /// Iterations that ended without findings.
    pub passed: u64,
    /// Iterations that ended with findings.
    pub failed: u64,
}

/// Failed calls by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ErrorCounts {
    transport: u64,
    contract: u64,
    business: u64,
}

impl ErrorCounts {
    /// Counts a failed call.
    pub fn count(&mut self, kind: ErrorKind) {
        match kind {
            ErrorKind::Transport => self.transport += 1,
            ErrorKind::Contract => self.contract += 1,
            ErrorKind::Business => self.business += 1,
        }
    }

    /// Failed calls of all kinds.
    pub fn total(&self) -> u64 {
        self.transport + self.contract + self.business
    }

    /// Failed calls of each kind, zeros included.
    pub fn by_kind(&self) -> [(ErrorKind, u64); 3] {
        [(ErrorKind::Transport, self.transport), (ErrorKind::Contract, self.contract), (ErrorKind::Business, self.business)]
    }

    /// Failed calls of the kinds that occurred.
    pub fn present(&self) -> BTreeMap<ErrorKind, u64> {
        self.by_kind().into_iter().filter(|(_, count)| *count > 0).collect()
    }

    fn add(&mut self, other: Self) {
        self.transport += other.transport;
        self.contract += other.contract;
        self.business += other.business;
    }
}

impl<C: Counter> MetricSet<C> {
    pub(super) fn new(operations: usize, scenarios: usize) -> Self {
        let calls = || CallMetrics {
            response: histogram(),
            service: histogram(),
            errors: ErrorCounts::default(),
            responses: ResponseCounts::default(),
        };
        let iterations = || IterationMetrics { response: histogram(), passed: 0, failed: 0 };
        Self {
            operations: std::iter::repeat_with(calls).take(operations).collect(),
            scenarios: std::iter::repeat_with(iterations).take(scenarios).collect(),
            scheduling: histogram(),
            lag: histogram(),
            started: 0,
            delayed: 0,
        }
    }

    /// Calls of all operations.
    pub fn requests(&self) -> u64 {
        self.operations.iter().map(|calls| calls.response.len()).sum()
    }

    /// Failed calls of all operations.
    pub fn errors(&self) -> u64 {
        self.operations.iter().map(|calls| calls.errors.total()).sum()
    }

    /// Iterations of all scenarios that have ended.
    pub fn finished(&self) -> u64 {
        self.scenarios.iter().map(|iterations| iterations.passed + iterations.failed).sum()
    }

    pub(super) fn clear(&mut self) {
        for calls in &mut self.operations {
            clear(&mut calls.response);
            clear(&mut calls.service);
            calls.errors = ErrorCounts::default();
            calls.responses.clear();
        }
        for iterations in &mut self.scenarios {
            clear(&mut iterations.response);
            (iterations.passed, iterations.failed) = (0, 0);
        }
        clear(&mut self.scheduling);
        clear(&mut self.lag);
        (self.started, self.delayed) = (0, 0);
    }
}

/// Resets a histogram. Most histograms of a second are empty; these are skipped, since resetting writes to all of their memory.
fn clear<C: Counter>(histogram: &mut Histogram<C>) {
    if !histogram.is_empty() {
        histogram.reset();
    }
}

impl MetricSet<u64> {
    pub(super) fn add(&mut self, other: &Self) {
        self.add_with(other, latency::add);
    }

    pub(super) fn widen(&mut self, other: &MetricSet<u32>) {
        self.add_with(other, latency::widen);
    }

    fn add_with<D: Counter>(&mut self, other: &MetricSet<D>, add: impl Fn(&mut Histogram<u64>, &Histogram<D>)) {
        for (sum, calls) in self.operations.iter_mut().zip(&other.operations) {
            add(&mut sum.response, &calls.response);
            add(&mut sum.service, &calls.service);
            sum.errors.add(calls.errors);
            sum.responses.add(&calls.responses);
        }
        for (sum, iterations) in self.scenarios.iter_mut().zip(&other.scenarios) {
            add(&mut sum.response, &iterations.response);
            sum.passed += iterations.passed;
            sum.failed += iterations.failed;
        }
        add(&mut self.scheduling, &other.scheduling);
        add(&mut self.lag, &other.lag);
        self.started += other.started;
        self.delayed += other.delayed;
    }
}

/// The names behind the indices of a set.
#[derive(Clone, Debug)]
pub(super) struct Names {
    pub(super) operations: Arc<[String]>,
    pub(super) scenarios: Arc<[String]>,
    /// The documented result codes of each operation; empty where its API has no such codes.
    pub(super) codes: Vec<Vec<String>>,
}

impl Names {
    /// An empty set of metrics for these names.
    pub(super) fn metrics<C: Counter>(&self) -> MetricSet<C> {
        MetricSet::new(self.operations.len(), self.scenarios.len())
    }
}
