//! The last minutes of a load, for the charts of the live page.

use std::collections::VecDeque;
use std::time::Duration;

use serde::Serialize;

use crate::load::latency::{add, histogram};
use crate::load::meter::Interval;
use crate::load::percentile::percentile;

/// The number of seconds that are kept.
const KEPT: usize = 600;

/// A second of a load. Times are microseconds, `null` where too few were measured.
#[derive(Debug, Serialize)]
struct HistoryPoint {
    /// Seconds since the page was opened.
    at: f64,
    /// Calls a second.
    rate: f64,
    /// Failed calls a second.
    errors: f64,
    users: u64,
    p50: Option<u64>,
    p99: Option<u64>,
    #[serde(rename = "service-p99")]
    service_p99: Option<u64>,
    #[serde(rename = "lag-p99")]
    lag_p99: Option<u64>,
}

/// The last seconds, the oldest first.
#[derive(Debug, Default, Serialize)]
#[serde(transparent)]
pub(super) struct History(VecDeque<HistoryPoint>);

impl History {
    pub(super) fn push(&mut self, at: Duration, interval: &Interval<'_>) {
        if self.0.len() >= KEPT {
            self.0.pop_front();
        }
        let mut service = histogram::<u64>();
        interval.metrics.operations.iter().for_each(|calls| add(&mut service, &calls.service));
        self.0.push_back(HistoryPoint {
            at: (at.as_secs_f64() * 10.0).round() / 10.0,
            rate: per_second(interval.metrics.requests(), interval.length),
            errors: per_second(interval.metrics.errors(), interval.length),
            users: interval.users,
            p50: percentile(interval.response, 0.5),
            p99: percentile(interval.response, 0.99),
            service_p99: percentile(&service, 0.99),
            lag_p99: percentile(&interval.metrics.lag, 0.99),
        });
    }
}

/// A count within a time as a rate per second.
pub(super) fn per_second(count: u64, length: Duration) -> f64 {
    crate::load::meter::rate(count, length.as_secs_f64())
}
