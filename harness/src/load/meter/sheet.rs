//! What was counted in some time, by whom does not matter.

use std::collections::BTreeMap;

use hdrhistogram::{Counter, Histogram};

use crate::load::latency::{self, histogram};
use crate::load::result::ErrorKind;

/// What was counted. Of fixed size: 2 histograms for each operation, one for each scenario, and two.
#[derive(Clone, Debug)]
pub struct Sheet<C: Counter> {
    /// By operation, as the meter was given them.
    pub operations: Vec<Calls<C>>,
    /// By scenario, as the meter was given them.
    pub scenarios: Vec<Iterations<C>>,
    /// From the intended start of an iteration to when a free user was told to begin it.
    pub scheduling: Histogram<C>,
    /// From a change of state to the receipt of the notification of it.
    pub lag: Histogram<C>,
    /// Iterations that were begun.
    pub begun: u64,
    /// How many of these were begun late, because all users were busy.
    pub delayed: u64,
}

/// The calls of one operation. Each call is in both histograms, failed or not.
#[derive(Clone, Debug)]
pub struct Calls<C: Counter> {
    /// From the intended start to the end of the answer.
    pub response: Histogram<C>,
    /// From the sending to the end of the answer.
    pub service: Histogram<C>,
    /// How many failed.
    pub errors: Errors,
}

/// The iterations of one scenario.
#[derive(Clone, Debug)]
pub struct Iterations<C: Counter> {
    /// From the intended start to the end of the last step.
    pub response: Histogram<C>,
    /// How many were played to their end with nothing found.
    pub passed: u64,
    /// How many were not.
    pub failed: u64,
}

/// Failed calls by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Errors {
    transport: u64,
    contract: u64,
    business: u64,
}

impl Errors {
    /// One more.
    pub fn count(&mut self, kind: ErrorKind) {
        match kind {
            ErrorKind::Transport => self.transport += 1,
            ErrorKind::Contract => self.contract += 1,
            ErrorKind::Business => self.business += 1,
        }
    }

    /// How many there are of all kinds.
    pub fn total(&self) -> u64 {
        self.transport + self.contract + self.business
    }

    /// How many there are of each kind, none left out.
    pub fn by_kind(&self) -> [(ErrorKind, u64); 3] {
        [(ErrorKind::Transport, self.transport), (ErrorKind::Contract, self.contract), (ErrorKind::Business, self.business)]
    }

    /// Those kinds of which there are any.
    pub fn present(&self) -> BTreeMap<ErrorKind, u64> {
        self.by_kind().into_iter().filter(|(_, count)| *count > 0).collect()
    }

    fn add(&mut self, other: Self) {
        self.transport += other.transport;
        self.contract += other.contract;
        self.business += other.business;
    }
}

impl<C: Counter> Sheet<C> {
    pub(super) fn new(operations: usize, scenarios: usize) -> Self {
        let calls = || Calls { response: histogram(), service: histogram(), errors: Errors::default() };
        let iterations = || Iterations { response: histogram(), passed: 0, failed: 0 };
        Self {
            operations: std::iter::repeat_with(calls).take(operations).collect(),
            scenarios: std::iter::repeat_with(iterations).take(scenarios).collect(),
            scheduling: histogram(),
            lag: histogram(),
            begun: 0,
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

    pub(super) fn clear(&mut self) {
        for calls in &mut self.operations {
            clear(&mut calls.response);
            clear(&mut calls.service);
            calls.errors = Errors::default();
        }
        for iterations in &mut self.scenarios {
            clear(&mut iterations.response);
            (iterations.passed, iterations.failed) = (0, 0);
        }
        clear(&mut self.scheduling);
        clear(&mut self.lag);
        (self.begun, self.delayed) = (0, 0);
    }
}

/// Nothing is written where nothing was: most histograms of a second stay empty.
fn clear<C: Counter>(histogram: &mut Histogram<C>) {
    if !histogram.is_empty() {
        histogram.reset();
    }
}

impl Sheet<u64> {
    pub(super) fn add(&mut self, other: &Self) {
        self.add_with(other, latency::add);
    }

    pub(super) fn widen(&mut self, other: &Sheet<u32>) {
        self.add_with(other, latency::widen);
    }

    fn add_with<D: Counter>(&mut self, other: &Sheet<D>, add: impl Fn(&mut Histogram<u64>, &Histogram<D>)) {
        for (sum, calls) in self.operations.iter_mut().zip(&other.operations) {
            add(&mut sum.response, &calls.response);
            add(&mut sum.service, &calls.service);
            sum.errors.add(calls.errors);
        }
        for (sum, iterations) in self.scenarios.iter_mut().zip(&other.scenarios) {
            add(&mut sum.response, &iterations.response);
            sum.passed += iterations.passed;
            sum.failed += iterations.failed;
        }
        add(&mut self.scheduling, &other.scheduling);
        add(&mut self.lag, &other.lag);
        self.begun += other.begun;
        self.delayed += other.delayed;
    }
}
