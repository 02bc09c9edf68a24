//! A percentile over time.

use crate::load::encoded_times::add_encoded;
use crate::load::latency::histogram;
use crate::load::percentile::percentile;

/// The points of a line: the middle of an interval, and a percentile of the times in it. `intervals` are the start, the length and the
/// encoded times of each. Neighbours are joined until they hold enough times for the percentile; what is left at the end has no point. An
/// interval without any time interrupts the line.
pub(super) fn percentiles_over_time<'t>(intervals: impl Iterator<Item = (f64, f64, &'t str)>, share: f64) -> Vec<(f64, f64)> {
    let (mut times, mut points, mut start) = (histogram(), Vec::new(), None);
    for (at, seconds, encoded) in intervals {
        let from = *start.get_or_insert(at);
        // What can't be read is no evidence.
        let _ = add_encoded(&mut times, encoded);
        let value = percentile(&times, share).map(|value| value as f64);
        if value.is_some() || times.is_empty() {
            points.push((f64::midpoint(from, at + seconds), value.unwrap_or(f64::NAN)));
            times.reset();
            start = None;
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::histogram::testing::latency;

    /// The points of a p50 or p99 of one-second intervals that hold so many times each.
    fn points(counts: &[u64], share: f64) -> Vec<(f64, f64)> {
        let encoded: Vec<String> = counts.iter().map(|&count| latency((0..count).map(|_| 70)).histogram).collect();
        percentiles_over_time(encoded.iter().zip(0..).map(|(times, at)| (f64::from(at), 1.0, times.as_str())), share)
    }

    #[test]
    fn intervals_with_too_few_times_are_joined_with_their_neighbours() {
        assert_eq!(points(&[100, 100], 0.99), [(0.5, 70.0), (1.5, 70.0)]);
        assert_eq!(points(&[60, 60, 100, 40], 0.99), [(1.0, 70.0), (2.5, 70.0)]);
        assert_eq!(points(&[60, 60], 0.5), [(0.5, 70.0), (1.5, 70.0)]);
    }

    #[test]
    fn an_interval_without_times_interrupts_the_line() {
        let found = points(&[100, 0, 100], 0.99);
        assert_eq!((found.len(), found[0], found[2]), (3, (0.5, 70.0), (2.5, 70.0)));
        assert!(found[1].1.is_nan());
    }
}
