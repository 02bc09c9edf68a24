//! The charts of a result: their lines, axes and descriptions.

use super::chart::{Across, Chart, Series, Up};
use super::percentiles_over_time::percentiles_over_time;
use super::timeline::whole;
use crate::base::figures::{count, rate, time};
use crate::load::histogram::{quantile, sum};
use crate::load::percentile::fewest;
use crate::load::result::{Latency, LoadResult, Moment, OperationMoment, OperationResult};

/// Points of a curve of quantiles.
const QUANTILES: u32 = 160;
/// Nines of the last point.
const NINES: f64 = 5.0;
/// The label of the horizontal axis of most charts.
const TIME: &str = "since the measuring began";

/// The whole intervals of a timeline, and those of an earlier run, which may be empty.
#[derive(Clone, Copy)]
struct Timelines<'r> {
    now: &'r [Moment],
    then: &'r [Moment],
}

impl Timelines<'_> {
    /// A line for this run and, if there is an earlier run, a line for that.
    fn both(self, name: &str, number: impl Fn(&Moment) -> Option<f64> + Copy) -> Vec<Series> {
        [vec![series(name, self.now, number)], self.earlier(name, number)].concat()
    }

    fn earlier(self, name: &str, number: impl Fn(&Moment) -> Option<f64>) -> Vec<Series> {
        if self.then.is_empty() { Vec::new() } else { vec![series(&format!("{name} then"), self.then, number)] }
    }

    /// The same for a percentile of the times in each moment.
    fn both_percentiles(self, name: &str, times: fn(&Moment) -> &str, share: f64) -> Vec<Series> {
        [vec![percentile_line(name, self.now, times, share)], self.earlier_percentile(name, times, share)].concat()
    }

    fn earlier_percentile(self, name: &str, times: fn(&Moment) -> &str, share: f64) -> Vec<Series> {
        if self.then.is_empty() { Vec::new() } else { vec![percentile_line(&format!("{name} then"), self.then, times, share)] }
    }
}

/// Charts over time: response time, rates, users, errors, and the lag of notifications if there were any, each beside an earlier run.
pub(super) fn over_time<'r>(result: &'r LoadResult, before: Option<&'r LoadResult>) -> Vec<Chart> {
    let of = |result: &'r LoadResult| whole(&result.timeline, |moment| moment.partial);
    let timelines = Timelines { now: of(result), then: before.map(of).unwrap_or_default() };
    if timelines.now.is_empty() {
        return Vec::new();
    }
    let mut charts = vec![response(timelines), rates(timelines), users(timelines), errors(timelines)];
    if timelines.now.iter().any(|moment| moment.lag.is_some()) {
        charts.push(lag(timelines));
    }
    charts
}

fn response(timelines: Timelines<'_>) -> Chart {
    let mut lines = vec![
        percentile_line("p50", timelines.now, response_times, 0.5),
        percentile_line("p99", timelines.now, response_times, 0.99),
        // Moments without calls have no response times.
        series("max", timelines.now, |m| (m.requests > 0).then_some(m.max as f64)),
    ];
    lines.extend(timelines.earlier_percentile("p99", response_times, 0.99));
    timed("response", "Response time", Up::Microseconds, lines)
}

fn rates(timelines: Timelines<'_>) -> Chart {
    let mut lines = vec![series("started", timelines.now, |m| a_second(m.started, m))];
    let intended = timelines.now.iter().any(|m| m.intended.is_some());
    if intended {
        lines.push(series("intended", timelines.now, |m| a_second(m.intended?, m)));
    }
    lines.extend(timelines.earlier("started", |m| a_second(m.started, m)));
    timed(
        "rate",
        if intended { "Iterations started a second, against what was intended" } else { "Iterations started a second" },
        Up::PerSecond,
        lines,
    )
}

fn users(timelines: Timelines<'_>) -> Chart {
    timed("users", "Users", Up::Count, timelines.both("users", |m| Some(m.users as f64)))
}

fn errors(timelines: Timelines<'_>) -> Chart {
    timed("errors", "Calls that failed, a second", Up::PerSecond, timelines.both("errors", |m| a_second(m.errors, m)))
}

fn lag(timelines: Timelines<'_>) -> Chart {
    timed("lag", "Notification lag", Up::Microseconds, timelines.both_percentiles("p99", lags, 0.99))
}

fn response_times(moment: &Moment) -> &str {
    &moment.histogram
}

fn lags(moment: &Moment) -> &str {
    moment.lag.as_deref().unwrap_or_default()
}

fn a_second(count: u64, moment: &Moment) -> Option<f64> {
    (moment.seconds > 0.0).then(|| count as f64 / moment.seconds)
}

/// A line over time; the number of each moment is drawn in its middle.
fn series(name: &str, timeline: &[Moment], number: impl Fn(&Moment) -> Option<f64>) -> Series {
    let points = timeline.iter().map(|m| (m.at + m.seconds / 2.0, number(m).unwrap_or(f64::NAN))).collect();
    Series { name: name.into(), points }
}

/// A percentile over time; neighbours with too few times for it share a point.
fn percentile_line(name: &str, timeline: &[Moment], times: fn(&Moment) -> &str, share: f64) -> Series {
    let intervals = timeline.iter().map(|moment| (moment.at, moment.seconds, times(moment)));
    Series { name: name.into(), points: percentiles_over_time(intervals, share) }
}

fn timed(id: &str, title: &str, up: Up, series: Vec<Series>) -> Chart {
    let description = described(&series, up);
    Chart { id: id.into(), title: title.into(), description, across_title: TIME, across: Across::Seconds, up, series }
}

/// The charts of one operation over time, with its name.
pub(super) struct OperationCharts {
    pub(super) operation: String,
    /// Whether calls of it failed.
    pub(super) has_failed: bool,
    pub(super) charts: Vec<Chart>,
}

/// Charts over time for each operation, beside those of an earlier run.
pub(super) fn by_operation<'r>(result: &'r LoadResult, before: Option<&'r LoadResult>) -> Vec<OperationCharts> {
    let known = result.failing_first().into_iter().enumerate().filter(|(_, operation)| !operation.timeline.is_empty());
    let charts = known.map(|(number, operation)| {
        let earlier = before.and_then(|before| before.operations.iter().find(|other| other.operation == operation.operation));
        let of = |operation: &'r OperationResult| whole(&operation.timeline, |moment| moment.partial);
        let earlier = earlier.map(of).unwrap_or_default();
        let (name, timeline) = (&operation.operation, of(operation));
        OperationCharts {
            operation: name.clone(),
            has_failed: operation.failed() > 0,
            charts: vec![times_of(number, name, timeline, earlier), rate_of(number, name, timeline, earlier)],
        }
    });
    charts.collect()
}

fn times_of(number: usize, name: &str, timeline: &[OperationMoment], earlier: &[OperationMoment]) -> Chart {
    let line = |name: &str, timeline: &[OperationMoment], times: fn(&OperationMoment) -> &str, share| {
        let intervals = timeline.iter().map(|moment| (moment.at, moment.seconds, times(moment)));
        Series { name: name.into(), points: percentiles_over_time(intervals, share) }
    };
    let mut series = vec![
        line("response p50", timeline, responses_of, 0.5),
        line("response p99", timeline, responses_of, 0.99),
        line("service p99", timeline, services_of, 0.99),
    ];
    if !earlier.is_empty() {
        series.push(line("response p99 then", earlier, responses_of, 0.99));
    }
    timed(&format!("o{number}times"), &format!("Times of {name}"), Up::Microseconds, series)
}

fn responses_of(moment: &OperationMoment) -> &str {
    &moment.response
}

fn services_of(moment: &OperationMoment) -> &str {
    &moment.service
}

fn rate_of(number: usize, name: &str, timeline: &[OperationMoment], earlier: &[OperationMoment]) -> Chart {
    let a_second = |count: u64, m: &OperationMoment| (m.seconds > 0.0).then(|| count as f64 / m.seconds);
    let mut series = vec![points("calls", timeline, |m| a_second(m.requests, m)), points("failed", timeline, |m| a_second(m.errors, m))];
    if !earlier.is_empty() {
        series.push(points("calls then", earlier, |m| a_second(m.requests, m)));
    }
    timed(&format!("o{number}rate"), &format!("Calls of {name} a second"), Up::PerSecond, series)
}

fn points(name: &str, timeline: &[OperationMoment], number: impl Fn(&OperationMoment) -> Option<f64>) -> Series {
    let points = timeline.iter().map(|m| (m.at + m.seconds / 2.0, number(m).unwrap_or(f64::NAN))).collect();
    Series { name: name.into(), points }
}

/// The quantiles of response time and service time, and of the response time of an earlier run; `None` with too few samples for a median.
pub(super) fn quantiles(result: &LoadResult, before: Option<&LoadResult>) -> Option<Chart> {
    let line = |name, latency: fn(&OperationResult) -> &Latency| curve(name, result.operations.iter().map(latency));
    let mut series = vec![line("response", |o| &o.response)?, line("service", |o| &o.service)?];
    series.extend(before.and_then(|before| curve("response then", before.operations.iter().map(|o| &o.response))));
    let description = described(&series, Up::Microseconds);
    Some(Chart {
        id: "quantiles".into(),
        title: "Percentiles of all calls".into(),
        description,
        across_title: "share of all calls",
        across: Across::Quantiles,
        up: Up::Microseconds,
        series,
    })
}

fn curve<'r>(name: &str, latencies: impl Iterator<Item = &'r Latency>) -> Option<Series> {
    let histogram = sum(latencies).ok().filter(|histogram| histogram.len() >= fewest(0.5))?;
    // The curve ends where one sample lies beyond it.
    let nines = (histogram.len() as f64).log10().min(NINES);
    let share = |step: u32| 1.0 - 10f64.powf(-nines * f64::from(step) / f64::from(QUANTILES));
    let points = (0..=QUANTILES).map(share).filter_map(|share| Some((share, quantile(&histogram, share)? as f64)));
    Some(Series { name: name.into(), points: points.collect() })
}

/// `p50 between 900 µs and 1.20 ms, 1.10 ms at the end; users 12 throughout`
fn described(series: &[Series], up: Up) -> String {
    let write = |number: f64| match up {
        Up::Microseconds => time(number),
        Up::PerSecond => rate(number),
        Up::Count => count(number.max(0.0) as u64),
    };
    let one = |series: &Series| {
        let known = || series.points.iter().map(|(_, y)| *y).filter(|y| y.is_finite());
        let Some(last) = known().next_back() else { return format!("{}: nothing was measured", series.name) };
        let (low, high) = (known().fold(f64::INFINITY, f64::min), known().fold(0.0, f64::max));
        let (low, high, last) = (write(low), write(high), write(last));
        if low == high {
            return format!("{} {last} throughout", series.name);
        }
        format!("{} between {low} and {high}, {last} at the end", series.name)
    };
    series.iter().map(one).collect::<Vec<_>>().join("; ")
}
