//! Metrics for Prometheus while the load runs.

mod page;
mod server;
mod text;

#[cfg(test)]
mod tests;

use hdrhistogram::Histogram;

pub use self::page::MetricsPage;
pub use self::server::{TextSource, serve};
pub use super::web_server::WebServer;

use self::text::{MetricFamilies, MetricType};
use super::meter::Snapshot;
use super::result::{ConnectionResult, NotificationResult};

/// Upper bounds of the buckets of times, in microseconds: 0.5 ms to 10 s.
const BUCKETS: [u64; 14] =
    [500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000];

/// The metrics of a load test. All names begin with `paycheck_load_`, times are seconds, and counters count from the end of the
/// warm-up. Times have three digits, so a bucket may hold one that is at most 0.1 % above its bound. `notifications` are those so
/// far, where some are waited for; `connections` are counted from when users got ready.
pub fn text(snapshot: &Snapshot, notifications: Option<&NotificationResult>, connections: &[ConnectionResult]) -> String {
    let mut out = MetricFamilies::default();
    calls(&mut out, snapshot);
    iterations(&mut out, snapshot);
    times(&mut out, snapshot);
    connections_of(&mut out, connections);
    if let Some(result) = notifications {
        notifications_of(&mut out, result);
    }
    out.finish()
}

fn calls(out: &mut MetricFamilies, snapshot: &Snapshot) {
    let operations = || snapshot.operations.iter().zip(&snapshot.totals.operations);
    out.family("requests_total", MetricType::Counter, "Calls that have ended, failed or not.");
    for (operation, calls) in operations() {
        out.sample("", &[("operation", operation)], calls.response.len());
    }
    out.family("errors_total", MetricType::Counter, "Calls that failed.");
    for (operation, calls) in operations() {
        for (kind, count) in calls.errors.by_kind() {
            out.sample("", &[("operation", operation), ("kind", kind.name())], count);
        }
    }
}

fn iterations(out: &mut MetricFamilies, snapshot: &Snapshot) {
    let totals = &snapshot.totals;
    out.family("iterations_total", MetricType::Counter, "Iterations that have ended.");
    for (scenario, iterations) in snapshot.scenarios.iter().zip(&totals.scenarios) {
        out.sample("", &[("scenario", scenario), ("result", "passed")], iterations.passed);
        out.sample("", &[("scenario", scenario), ("result", "failed")], iterations.failed);
    }
    out.family("iterations_started_total", MetricType::Counter, "Iterations that started.");
    out.sample("", &[], totals.started);
    out.family(
        "iterations_delayed_total",
        MetricType::Counter,
        "Iterations that started more than 10 ms late because all users were busy.",
    );
    out.sample("", &[], totals.delayed);
    if let Some(intended) = snapshot.intended {
        out.family("iterations_intended_total", MetricType::Counter, "Iterations that were due.");
        out.sample("", &[], intended);
        out.family(
            "iterations_dropped",
            MetricType::Gauge,
            "Iterations that are due and have not started; those left at the end are dropped.",
        );
        out.sample("", &[], intended.saturating_sub(totals.started));
    }
    out.family("users", MetricType::Gauge, "Users that play.");
    out.sample("", &[], snapshot.users);
    out.family("measured_seconds", MetricType::Gauge, "How long has been measured.");
    out.sample("", &[], snapshot.at.as_secs_f64());
}

fn connections_of(out: &mut MetricFamilies, connections: &[ConnectionResult]) {
    if connections.is_empty() {
        return;
    }
    out.family("connections_total", MetricType::Counter, "Connections that were opened, from when users got ready.");
    for spoken in connections {
        out.sample("", &[("protocol", &spoken.protocol)], spoken.opened);
    }
    out.family("streams_most", MetricType::Gauge, "The most calls that were under way at once on one connection.");
    for spoken in connections {
        out.sample("", &[("protocol", &spoken.protocol)], spoken.streams);
    }
}

fn times(out: &mut MetricFamilies, snapshot: &Snapshot) {
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

fn histogram(out: &mut MetricFamilies, labels: &[(&str, &str)], times: &Histogram<u64>) {
    let mut counts = [0_u64; BUCKETS.len()];
    let mut micros = 0_u128;
    for step in times.iter_recorded() {
        let (time, count) = (times.lowest_equivalent(step.value_iterated_to()), step.count_at_value());
        micros += u128::from(times.median_equivalent(time)) * u128::from(count);
        let within = BUCKETS.iter().zip(&mut counts).filter(|(bound, _)| time <= **bound);
        within.for_each(|(_, sum)| *sum += count);
    }
    for (bound, count) in BUCKETS.iter().zip(counts) {
        out.sample("_bucket", &[labels, &[("le", &seconds(u128::from(*bound)))]].concat(), count);
    }
    out.sample("_bucket", &[labels, &[("le", "+Inf")]].concat(), times.len());
    out.sample("_sum", labels, seconds(micros));
    out.sample("_count", labels, times.len());
}

/// Microseconds as seconds, exactly.
fn seconds(micros: u128) -> String {
    let mut text = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    text
}

fn notifications_of(out: &mut MetricFamilies, result: &NotificationResult) {
    out.family("notifications_expected", MetricType::Gauge, "Notifications that were due until now.");
    out.sample("", &[], result.expected);
    out.family("notifications", MetricType::Gauge, "What became of notifications until now; what is late or lost is known late.");
    let results = [
        ("once", result.once),
        ("duplicated", result.duplicated),
        ("late", result.late),
        ("lost", result.lost),
        ("contradicting", result.contradicting),
        ("unexpected", result.unexpected),
    ];
    for (name, count) in results {
        out.sample("", &[("result", name)], count);
    }
}
