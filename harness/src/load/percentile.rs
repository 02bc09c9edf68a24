//! Percentiles, and how many times they need.

use hdrhistogram::{Counter, Histogram};

/// The fewest times of which a percentile says something: one of them lies beyond it. With fewer it is only the largest time, or the
/// smallest, under another name: p50 needs 2 times, p95 20, p99 100, p99.9 1,000.
pub(crate) fn fewest(share: f64) -> u64 {
    let beyond = share.min(1.0 - share);
    if beyond <= 0.0 {
        return 1;
    }
    // 1 - 0.9 is a little less than a tenth, and must not come to 11.
    (1.0 / beyond * (1.0 - 1e-9)).ceil() as u64
}

/// A percentile in microseconds; `None` with too few times for it.
pub(crate) fn percentile<C: Counter>(times: &Histogram<C>, share: f64) -> Option<u64> {
    // A bucket's upper end may lie above all recorded values.
    (times.len() >= fewest(share)).then(|| times.value_at_quantile(share.clamp(0.0, 1.0)).min(times.max()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::latency::histogram;

    #[test]
    fn a_percentile_needs_as_many_times_that_one_lies_beyond_it() {
        let shares = [0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999, 0.01, 0.0, 1.0];
        assert_eq!(shares.map(fewest), [2, 4, 10, 20, 100, 1_000, 10_000, 100_000, 100, 1, 1]);
    }

    #[test]
    fn with_too_few_times_there_is_no_percentile() {
        let of = |times: u64, share| {
            let mut histogram = histogram::<u64>();
            (1..=times).for_each(|time| histogram.record(time).unwrap());
            percentile(&histogram, share)
        };
        assert_eq!([of(99, 0.99), of(100, 0.99), of(99, 0.95)], [None, Some(99), Some(95)]);
        assert_eq!([of(0, 1.0), of(1, 1.0), of(1, 0.5), of(2, 0.5)], [None, Some(1), None, Some(1)]);
    }
}
