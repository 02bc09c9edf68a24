//! Adds the counts of one result to those of another.

use crate::load::meter::{by_status_and_code, rate};
use crate::load::result::{
    Arrivals, ConnectionResult, ConservationResult, Generator, IterationTotals, JudgedIterations, LoadResult, NotificationResult,
    OperationResult, ScenarioResult,
};

/// Adds all counts. Times, timelines, findings and what follows from them need all parts at once and are not added here.
pub(super) fn add(sum: &mut LoadResult, other: &LoadResult) {
    sum.shards.parts.extend(&other.shards.parts);
    sum.seconds = sum.seconds.max(other.seconds);
    optional(&mut sum.arrivals, other.arrivals.as_ref(), arrivals);
    iterations(&mut sum.iterations, other.iterations);
    each(&mut sum.operations, &other.operations, |result| &result.operation, operation);
    each(&mut sum.scenarios, &other.scenarios, |result| &result.scenario, scenario);
    optional(&mut sum.notifications, other.notifications.as_ref(), notifications);
    optional(&mut sum.judged, other.judged.as_ref(), judged);
    optional(&mut sum.conservation, other.conservation.as_ref(), conservation);
    each(&mut sum.connections, &other.connections, |result| &result.protocol, connections);
    generator(&mut sum.generator, &other.generator);
}

/// Computes the rates over the common time.
pub(super) fn rates(sum: &mut LoadResult) {
    for operation in &mut sum.operations {
        operation.rate = rate(operation.requests, sum.seconds);
    }
}

fn optional<T: Clone>(sum: &mut Option<T>, other: Option<&T>, add: impl FnOnce(&mut T, &T)) {
    match (sum, other) {
        (Some(sum), Some(other)) => add(sum, other),
        (sum @ None, Some(other)) => *sum = Some(other.clone()),
        (_, None) => {}
    }
}

/// Adds results of the same name; those that only the other has are appended.
fn each<T: Clone>(sums: &mut Vec<T>, others: &[T], name: impl Fn(&T) -> &String, add: impl Fn(&mut T, &T)) {
    for other in others {
        match sums.iter_mut().find(|sum| name(sum) == name(other)) {
            Some(sum) => add(sum, other),
            None => sums.push(other.clone()),
        }
    }
}

/// Adds without overflow: the numbers in a file may be arbitrarily large.
fn count(sum: &mut u64, other: u64) {
    *sum = sum.saturating_add(other);
}

fn connections(sum: &mut ConnectionResult, other: &ConnectionResult) {
    count(&mut sum.opened, other.opened);
    sum.streams = sum.streams.max(other.streams);
}

fn arrivals(sum: &mut Arrivals, other: &Arrivals) {
    count(&mut sum.intended, other.intended);
    count(&mut sum.started, other.started);
    count(&mut sum.delayed, other.delayed);
    count(&mut sum.dropped, other.dropped);
}

fn iterations(sum: &mut IterationTotals, other: IterationTotals) {
    count(&mut sum.carried, other.carried);
    count(&mut sum.started, other.started);
    count(&mut sum.cut_off, other.cut_off);
}

fn operation(sum: &mut OperationResult, other: &OperationResult) {
    count(&mut sum.requests, other.requests);
    for (&kind, &failed) in &other.errors {
        count(sum.errors.entry(kind).or_default(), failed);
    }
    for found in &other.responses {
        match sum.responses.iter_mut().find(|known| (known.status, &known.code) == (found.status, &found.code)) {
            Some(known) => count(&mut known.calls, found.calls),
            None => sum.responses.push(found.clone()),
        }
    }
    sum.responses.sort_by(by_status_and_code);
}

fn scenario(sum: &mut ScenarioResult, other: &ScenarioResult) {
    count(&mut sum.passed, other.passed);
    count(&mut sum.failed, other.failed);
}

fn notifications(sum: &mut NotificationResult, other: &NotificationResult) {
    count(&mut sum.expected, other.expected);
    count(&mut sum.once, other.once);
    count(&mut sum.duplicated, other.duplicated);
    count(&mut sum.late, other.late);
    count(&mut sum.lost, other.lost);
    count(&mut sum.contradicting, other.contradicting);
    count(&mut sum.unexpected, other.unexpected);
}

fn judged(sum: &mut JudgedIterations, other: &JudgedIterations) {
    count(&mut sum.iterations, other.iterations);
    count(&mut sum.whole, other.whole);
}

fn conservation(sum: &mut ConservationResult, other: &ConservationResult) {
    sum.complete &= other.complete;
    count(&mut sum.examined, other.examined);
    count(&mut sum.held, other.held);
}

fn generator(sum: &mut Generator, other: &Generator) {
    sum.cpu_seconds += other.cpu_seconds;
    sum.cores = sum.cores.saturating_add(other.cores);
    sum.peak_memory = sum.peak_memory.max(other.peak_memory);
}
