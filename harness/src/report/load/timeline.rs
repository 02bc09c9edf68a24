//! The part of a timeline that is drawn, and a long timeline in few rows.

use crate::load::histogram::{sum_of_lags, sum_of_moments};
use crate::load::percentile::percentile;
use crate::load::result::Moment;

/// The whole intervals of a timeline, without those at its end that are partial.
pub(super) fn whole<M>(timeline: &[M], is_partial: impl Fn(&M) -> bool) -> &[M] {
    let end = timeline.iter().position(is_partial).unwrap_or(timeline.len());
    timeline.get(..end).unwrap_or(timeline)
}

/// The timeline in at most `rows` moments: counts and response times are added up; of numbers that can't be added, the largest is kept.
/// Histograms are left out.
pub(super) fn coarser(timeline: &[Moment], rows: usize) -> Vec<Moment> {
    timeline.chunks(timeline.len().div_ceil(rows.max(1)).max(1)).filter_map(joined).collect()
}

fn joined(moments: &[Moment]) -> Option<Moment> {
    let (first, last) = (moments.first()?, moments.last()?);
    let sum = |number: fn(&Moment) -> u64| moments.iter().map(number).sum();
    let largest = |number: fn(&Moment) -> u64| moments.iter().map(number).max().unwrap_or(0);
    let largest_known = |number: fn(&Moment) -> Option<u64>| moments.iter().filter_map(number).max();
    let (p50, p99) = percentiles(moments).unwrap_or_else(|| (largest_known(|m| m.p50), largest_known(|m| m.p99)));
    Some(Moment {
        at: first.at,
        seconds: moments.iter().map(|m| m.seconds).sum(),
        requests: sum(|m| m.requests),
        errors: sum(|m| m.errors),
        intended: moments.iter().map(|m| m.intended).sum(),
        started: sum(|m| m.started),
        users: last.users,
        p50,
        p99,
        max: largest(|m| m.max),
        lag: None,
        lag_p99: lag(moments).unwrap_or_else(|| largest_known(|m| m.lag_p99)),
        histogram: String::new(),
        partial: false,
    })
}

/// p50 and p99 of all moments; `None` if a histogram can't be read.
fn percentiles(moments: &[Moment]) -> Option<(Option<u64>, Option<u64>)> {
    let sum = sum_of_moments(moments).ok()?;
    Some((percentile(&sum, 0.5), percentile(&sum, 0.99)))
}

/// p99 of all lags; `None` if a histogram can't be read.
fn lag(moments: &[Moment]) -> Option<Option<u64>> {
    Some(percentile(&sum_of_lags(moments).ok()?, 0.99))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::example_results as sample;

    #[test]
    fn nothing_is_lost_in_fewer_rows() {
        let timeline = sample::passed().timeline;
        for rows in [1, 7, 30, 60, 100] {
            let coarse = coarser(&timeline, rows);
            assert!(coarse.len() <= rows, "{rows}");
            let total = |timeline: &[Moment], number: fn(&Moment) -> u64| timeline.iter().map(number).sum::<u64>();
            for number in [|m: &Moment| m.requests, |m: &Moment| m.started, |m: &Moment| m.intended.unwrap(), |m: &Moment| m.seconds as u64]
            {
                assert_eq!(total(&coarse, number), total(&timeline, number), "{rows}");
            }
            assert_eq!(coarse.iter().map(|m| m.max).max(), timeline.iter().map(|m| m.max).max());
        }
        assert!(coarser(&[], 9).is_empty());
    }

    #[test]
    fn what_is_drawn_ends_before_the_partial_interval() {
        let mut timeline = sample::passed().timeline;
        assert_eq!(whole(&timeline, |moment| moment.partial).len(), 60);
        timeline[59].partial = true;
        assert_eq!(whole(&timeline, |moment| moment.partial), &timeline[..59]);
    }

    #[test]
    fn a_median_of_many_is_that_of_all_their_samples() {
        let coarse = coarser(&sample::passed().timeline, 1);
        // Three of sixty seconds are forty times as slow.
        let (p50, p99) = (coarse[0].p50.unwrap(), coarse[0].p99.unwrap());
        assert!((1000..1500).contains(&p50) && p99 > 30_000, "{p50} {p99}");
        let lag = coarse[0].lag_p99.unwrap();
        assert!((4000..5700).contains(&lag), "{lag}");
    }

    #[test]
    fn what_cant_be_added_is_bounded_by_its_largest() {
        let mut timeline = sample::passed().timeline;
        (timeline[3].histogram, timeline[4].lag) = ("AAAA".into(), Some("AAAA".into()));
        assert_eq!(coarser(&timeline, 1)[0].p50, timeline.iter().filter_map(|m| m.p50).max());
        assert_eq!(coarser(&timeline, 1)[0].lag_p99, timeline.iter().filter_map(|m| m.lag_p99).max());
    }
}
