//! Metrics over time in bounded memory: when there are too many spans, neighbours are joined.

use std::time::Duration;

use hdrhistogram::Histogram;

use super::sparse::SparseHistogram;
use crate::load::latency::{encode, histogram};
use crate::load::partial::marked;
use crate::load::percentile::percentile;
use crate::load::result::{Moment, OperationMoment};

/// The most spans: ten minutes by the second.
pub(super) const MOST_SPANS: usize = 600;

/// The most spans of one operation: there are many operations, and a chart has no room for more.
pub(super) const MOST_SPANS_OF_OPERATION: usize = 60;

/// The metrics of a span of the run.
#[derive(Clone, Debug)]
pub(super) struct TimelineSpan {
    pub(super) at: Duration,
    pub(super) length: Duration,
    pub(super) requests: u64,
    pub(super) errors: u64,
    pub(super) intended: Option<u64>,
    pub(super) started: u64,
    pub(super) users: u64,
    pub(super) response: SparseHistogram,
    /// In the timeline of all calls the lags of notifications, in that of one operation the service times.
    pub(super) lag: SparseHistogram,
}

#[derive(Debug)]
pub(super) struct Timeline {
    spans: Vec<TimelineSpan>,
    limit: usize,
    /// The number of ticks in a span; it doubles each time the limit is reached.
    ticks: u32,
    /// The number of ticks in the last span.
    ticks_of_last: u32,
    /// The converted spans. They no longer change, so that a conversion every second costs little.
    known: Vec<Moment>,
}

impl Timeline {
    pub(super) fn new(limit: usize) -> Self {
        Self { spans: Vec::new(), limit, ticks: 1, ticks_of_last: 0, known: Vec::new() }
    }

    pub(super) fn push(&mut self, tick: TimelineSpan) {
        match self.spans.last_mut() {
            // A second tick at the same instant has no length.
            Some(last) if self.ticks_of_last < self.ticks || tick.length.is_zero() => {
                *last = last.joined(&tick);
                self.ticks_of_last += u32::from(!tick.length.is_zero());
            }
            _ => {
                self.spans.push(tick);
                self.ticks_of_last = 1;
            }
        }
        if self.spans.len() > self.limit {
            self.halve();
        }
    }

    fn halve(&mut self) {
        let alone = self.spans.len() % 2 == 1;
        self.spans = self.spans.chunks(2).filter_map(join).collect();
        self.known.clear();
        if !alone {
            self.ticks_of_last += self.ticks;
        }
        self.ticks *= 2;
    }

    /// The spans of a timeline of one operation, which was measured for so many seconds.
    pub(super) fn operation_moments(&mut self, measured: f64) -> Vec<OperationMoment> {
        marked(self.moments(), measured).into_iter().map(OperationMoment::from_moment).collect()
    }

    pub(super) fn moments(&mut self) -> Vec<Moment> {
        let (mut response, mut lag) = (histogram(), histogram());
        let new = self.spans.iter().skip(self.known.len()).map(|span| span.moment(&mut response, &mut lag));
        self.known.extend(new);
        let moments = self.known.clone();
        // The last span may still grow.
        self.known.pop();
        moments
    }
}

fn join(neighbours: &[TimelineSpan]) -> Option<TimelineSpan> {
    let (first, rest) = neighbours.split_first()?;
    Some(rest.iter().fold(first.clone(), |sum, next| sum.joined(next)))
}

impl TimelineSpan {
    /// This span joined with the next one.
    fn joined(&self, next: &Self) -> Self {
        Self {
            at: self.at,
            length: self.length + next.length,
            requests: self.requests + next.requests,
            errors: self.errors + next.errors,
            intended: match (self.intended, next.intended) {
                (None, None) => None,
                (one, other) => Some(one.unwrap_or(0) + other.unwrap_or(0)),
            },
            started: self.started + next.started,
            users: next.users,
            response: self.response.joined(&next.response),
            lag: self.lag.joined(&next.lag),
        }
    }

    fn moment(&self, response: &mut Histogram<u64>, lag: &mut Histogram<u64>) -> Moment {
        response.reset();
        lag.reset();
        self.response.add_to(response);
        self.lag.add_to(lag);
        Moment {
            requests: self.requests,
            errors: self.errors,
            intended: self.intended,
            started: self.started,
            users: self.users,
            ..Moment::measured(self.at, self.length, response, lag)
        }
    }
}

impl Moment {
    /// A span with these times and without counts.
    fn measured(at: Duration, length: Duration, response: &Histogram<u64>, lag: &Histogram<u64>) -> Self {
        Self { at: seconds(at), seconds: seconds(length), ..Self::default() }.with_times(response, lag)
    }

    /// The same span with these times.
    #[must_use]
    pub(in crate::load) fn with_times(self, response: &Histogram<u64>, lag: &Histogram<u64>) -> Self {
        Self {
            p50: percentile(response, 0.5),
            p99: percentile(response, 0.99),
            max: response.max(),
            lag_p99: percentile(lag, 0.99),
            histogram: encode(response),
            lag: (!lag.is_empty()).then(|| encode(lag)),
            ..self
        }
    }
}

impl OperationMoment {
    /// Converts a moment whose lags are the service times of an operation.
    pub(in crate::load) fn from_moment(moment: Moment) -> Self {
        let Moment { at, seconds, requests, errors, p50, p99, histogram, lag_p99, lag, partial, .. } = moment;
        let service = lag.unwrap_or_default();
        Self { at, seconds, requests, errors, p50, p99, service_p99: lag_p99, response: histogram, service, partial }
    }

    /// The reverse: the service times of an operation become the lags.
    pub(in crate::load) fn as_moment(&self) -> Moment {
        Moment {
            at: self.at,
            seconds: self.seconds,
            requests: self.requests,
            errors: self.errors,
            histogram: self.response.clone(),
            lag: Some(self.service.clone()),
            ..Moment::default()
        }
    }
}

/// Seconds with three decimal places; more digits would be noise in the file.
fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::load::latency::{add, decode};

    fn tick(second: u64) -> TimelineSpan {
        let mut response = histogram();
        response.record(second * 10).unwrap();
        TimelineSpan {
            at: Duration::from_secs(second),
            length: Duration::from_secs(1),
            requests: 1,
            errors: second % 2,
            intended: Some(second),
            started: 2,
            users: second,
            lag: SparseHistogram::from_histogram(&response),
            response: SparseHistogram::from_histogram(&response),
        }
    }

    fn moments_of(limit: usize, ticks: u64) -> Vec<Moment> {
        let mut timeline = Timeline::new(limit);
        (0..ticks).for_each(|second| timeline.push(tick(second)));
        timeline.moments()
    }

    fn asked_now_and_then(limit: usize, ticks: u64) -> Vec<Moment> {
        let mut timeline = Timeline::new(limit);
        for second in 0..ticks {
            timeline.push(tick(second));
            if second % 3 != 1 {
                timeline.moments();
            }
        }
        timeline.moments()
    }

    #[test]
    fn one_point_a_second_as_long_as_there_is_room() {
        let moments = moments_of(4, 4);
        assert_eq!(
            moments.iter().map(|moment| (moment.at, moment.seconds)).collect::<Vec<_>>(),
            [(0.0, 1.0), (1.0, 1.0), (2.0, 1.0), (3.0, 1.0)]
        );
    }

    #[test]
    fn neighbours_become_one_when_there_is_none() {
        let spans = |ticks| moments_of(4, ticks).iter().map(|moment| (moment.at, moment.seconds)).collect::<Vec<_>>();
        assert_eq!(spans(5), [(0.0, 2.0), (2.0, 2.0), (4.0, 1.0)]);
        assert_eq!(spans(8), [(0.0, 2.0), (2.0, 2.0), (4.0, 2.0), (6.0, 2.0)]);
        assert_eq!(spans(9), [(0.0, 4.0), (4.0, 4.0), (8.0, 1.0)]);
        assert_eq!(spans(13), [(0.0, 4.0), (4.0, 4.0), (8.0, 4.0), (12.0, 1.0)]);
        let first = &moments_of(4, 5)[0];
        assert_eq!((first.requests, first.errors, first.intended, first.started, first.users), (2, 1, Some(1), 4, 1));
        assert_eq!((first.p50, first.p99, first.max, first.lag_p99), (Some(0), None, 10, None), "two calls have no p99");
    }

    #[test]
    fn a_second_tick_at_the_same_instant_adds_no_span() {
        let mut timeline = Timeline::new(4);
        timeline.push(tick(0));
        timeline.push(TimelineSpan { length: Duration::ZERO, ..tick(1) });
        timeline.push(tick(1));
        let moments = timeline.moments();
        assert_eq!(moments.iter().map(|moment| (moment.seconds, moment.requests)).collect::<Vec<_>>(), [(1.0, 2), (1.0, 1)]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn nothing_is_lost_and_the_limit_holds(limit in 1_usize..9, ticks in 0_u64..100) {
            let moments = moments_of(limit, ticks);
            prop_assert_eq!(&moments, &asked_now_and_then(limit, ticks));
            prop_assert!(moments.len() <= limit);
            prop_assert_eq!(moments.iter().map(|moment| moment.requests).sum::<u64>(), ticks);
            let (mut found, mut expected) = (histogram(), histogram::<u64>());
            moments.iter().for_each(|moment| add(&mut found, &decode(&moment.histogram).unwrap()));
            (0..ticks).for_each(|second| expected.record(second * 10).unwrap());
            prop_assert_eq!(found, expected);
            for pair in moments.windows(2) {
                prop_assert!((pair[0].at + pair[0].seconds - pair[1].at).abs() < 1e-9);
            }
            // All spans are equally long except the last one, which still grows.
            let whole: Vec<f64> = moments.iter().rev().skip(1).map(|moment| moment.seconds).collect();
            prop_assert!(whole.windows(2).all(|pair| (pair[0] - pair[1]).abs() < 1e-9), "{whole:?}");
        }
    }
}
