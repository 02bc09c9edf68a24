//! The metrics of a running load for other tools: Prometheus and OTLP.
//!
//! All names begin with `paycheck_load_`, times are seconds, and counters count from the end of the warm-up.

mod family;
mod page;

use hdrhistogram::Histogram;

pub use self::family::{BOUNDS, Buckets, Family, MetricType, Point, Value};
pub use self::page::{MetricReading, MetricsPage};

use self::family::Families;
use super::meter::Snapshot;
use super::result::{ConnectionResult, NotificationResult};

/// The metrics of a load test. Times have three digits, so a bucket may contain a time that is at most 0.1 % above its bound.
/// `notifications` are the counts so far, if some scenario waits for notifications; `connections` include those that were opened while
/// users got ready.
pub fn families(snapshot: &Snapshot, notifications: Option<&NotificationResult>, connections: &[ConnectionResult]) -> Vec<Family> {
    let mut out = Families::default();
    calls(&mut out, snapshot);
    iterations(&mut out, snapshot);
    times(&mut out, snapshot);
    connections_of(&mut out, connections);
    if let Some(result) = notifications {
        notifications_of(&mut out, result);
    }
    out.finish()
}

fn calls(out: &mut Families, snapshot: &Snapshot) {
    let operations = || snapshot.operations.iter().zip(&snapshot.totals.operations);
    out.family("requests_total", MetricType::Counter, "Calls that have ended, failed or not.");
    for (operation, calls) in operations() {
        out.sample(&[("operation", operation)], calls.response.len().into());
    }
    out.family("errors_total", MetricType::Counter, "Calls that failed.");
    for (operation, calls) in operations() {
        for (kind, count) in calls.errors.by_kind() {
            out.sample(&[("operation", operation), ("kind", kind.name())], count.into());
        }
    }
}

fn iterations(out: &mut Families, snapshot: &Snapshot) {
    let totals = &snapshot.totals;
    out.family("iterations_total", MetricType::Counter, "Iterations that have ended.");
    for (scenario, iterations) in snapshot.scenarios.iter().zip(&totals.scenarios) {
        out.sample(&[("scenario", scenario), ("result", "passed")], iterations.passed.into());
        out.sample(&[("scenario", scenario), ("result", "failed")], iterations.failed.into());
    }
    out.family("iterations_started_total", MetricType::Counter, "Iterations that started.");
    out.sample(&[], totals.started.into());
    out.family(
        "iterations_delayed_total",
        MetricType::Counter,
        "Iterations that started more than 10 ms late because all users were busy.",
    );
    out.sample(&[], totals.delayed.into());
    if let Some(intended) = snapshot.intended {
        out.family("iterations_intended_total", MetricType::Counter, "Iterations that were due.");
        out.sample(&[], intended.into());
        out.family(
            "iterations_dropped",
            MetricType::Gauge,
            "Iterations that are due and have not started; those left at the end are dropped.",
        );
        out.sample(&[], intended.saturating_sub(totals.started).into());
    }
    out.family("users", MetricType::Gauge, "Users that play.");
    out.sample(&[], snapshot.users.into());
    out.family("measured_seconds", MetricType::Gauge, "How long has been measured.");
    out.sample(&[], snapshot.at.as_secs_f64().into());
}

fn connections_of(out: &mut Families, connections: &[ConnectionResult]) {
    if connections.is_empty() {
        return;
    }
    out.family("connections_total", MetricType::Counter, "Connections that were opened, from when users got ready.");
    for spoken in connections {
        out.sample(&[("protocol", &spoken.protocol)], spoken.opened.into());
    }
    out.family("streams_most", MetricType::Gauge, "The most calls that were under way at once on one connection.");
    for spoken in connections {
        out.sample(&[("protocol", &spoken.protocol)], spoken.streams.into());
    }
}

fn times(out: &mut Families, snapshot: &Snapshot) {
    let operations = || snapshot.operations.iter().zip(&snapshot.totals.operations);
    out.family("response_seconds", MetricType::Histogram, "From the intended start of a call to the end of its response.");
    for (operation, calls) in operations() {
        histogram(out, &[("operation", operation)], &calls.response);
    }
    out.family("service_seconds", MetricType::Histogram, "From the sending of a call to the end of its response.");
    for (operation, calls) in operations() {
        histogram(out, &[("operation", operation)], &calls.service);
    }
    out.family("scheduling_seconds", MetricType::Histogram, "How much later than intended an iteration began though a user was free.");
    histogram(out, &[], &snapshot.totals.scheduling);
    out.family("notification_lag_seconds", MetricType::Histogram, "From a change of state to the receipt of the notification of it.");
    histogram(out, &[], &snapshot.totals.lag);
}

fn histogram(out: &mut Families, labels: &[(&'static str, &str)], times: &Histogram<u64>) {
    let mut buckets = Buckets::default();
    for step in times.iter_recorded() {
        let (time, count) = (times.lowest_equivalent(step.value_iterated_to()), step.count_at_value());
        buckets.add(time, times.median_equivalent(time), count);
    }
    out.sample(labels, Value::Times(buckets));
}

fn notifications_of(out: &mut Families, result: &NotificationResult) {
    out.family("notifications_expected", MetricType::Gauge, "Notifications that were due until now.");
    out.sample(&[], result.expected.into());
    out.family("notifications", MetricType::Gauge, "Notifications so far by result; late and lost ones are counted with a delay.");
    let results = [
        ("once", result.once),
        ("duplicated", result.duplicated),
        ("late", result.late),
        ("lost", result.lost),
        ("contradicting", result.contradicting),
        ("unexpected", result.unexpected),
    ];
    for (name, count) in results {
        out.sample(&[("result", name)], count.into());
    }
}
