//! Condenses a long timeline to few rows.

use crate::load::histogram::{quantile, sum_of_lags, sum_of_moments};
use crate::load::result::Moment;

/// The timeline in at most `rows` moments: counts and response times are added up; of numbers that can't be added, the largest is kept.
/// Histograms are left out.
pub(super) fn coarser(timeline: &[Moment], rows: usize) -> Vec<Moment> {
    timeline.chunks(timeline.len().div_ceil(rows.max(1)).max(1)).filter_map(joined).collect()
}

fn joined(moments: &[Moment]) -> Option<Moment> {
    let (first, last) = (moments.first()?, moments.last()?);
    let sum = |number: fn(&Moment) -> u64| moments.iter().map(number).sum();
    let largest = |number: fn(&Moment) -> u64| moments.iter().map(number).max().unwrap_or(0);
    let (p50, p99) = quantiles(moments).unwrap_or((largest(|m| m.p50), largest(|m| m.p99)));
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
        lag_p99: lag(moments).or_else(|| moments.iter().filter_map(|m| m.lag_p99).max()),
        histogram: String::new(),
    })
}

/// p50 and p99 of all moments; `None` if a histogram can't be read.
fn quantiles(moments: &[Moment]) -> Option<(u64, u64)> {
    let sum = sum_of_moments(moments).ok()?;
    Some((quantile(&sum, 0.5).unwrap_or(0), quantile(&sum, 0.99).unwrap_or(0)))
}

/// p99 of all lags; `None` if a histogram can't be read, or no notification was received.
fn lag(moments: &[Moment]) -> Option<u64> {
    quantile(&sum_of_lags(moments).ok()?, 0.99)
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
    fn a_median_of_many_is_that_of_all_their_samples() {
        let coarse = coarser(&sample::passed().timeline, 1);
        // Three of sixty seconds are forty times as slow.
        assert!((1000..1500).contains(&coarse[0].p50) && coarse[0].p99 > 30_000, "{} {}", coarse[0].p50, coarse[0].p99);
        let lag = coarse[0].lag_p99.unwrap();
        assert!((4000..5700).contains(&lag), "{lag}");
    }

    #[test]
    fn what_cant_be_added_is_bounded_by_its_largest() {
        let mut timeline = sample::passed().timeline;
        (timeline[3].histogram, timeline[4].lag) = ("AAAA".into(), Some("AAAA".into()));
        assert_eq!(coarser(&timeline, 1)[0].p50, timeline.iter().map(|m| m.p50).max().unwrap());
        assert_eq!(coarser(&timeline, 1)[0].lag_p99, timeline.iter().filter_map(|m| m.lag_p99).max());
    }
}
