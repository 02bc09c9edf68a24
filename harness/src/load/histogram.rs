//! Distributions in results: their sums and quantiles.

use hdrhistogram::Histogram;

use super::encoded_times::add_encoded;
use super::latency::{self, LatencyError};
use super::result::{Latency, Moment};

/// The distribution behind the numbers of a [`Latency`].
pub(crate) fn decode(latency: &Latency) -> Result<Histogram<u64>, LatencyError> {
    latency.times()
}

/// The sum of the distributions.
pub(crate) fn sum<'l>(latencies: impl IntoIterator<Item = &'l Latency>) -> Result<Histogram<u64>, LatencyError> {
    let mut sum = latency::histogram();
    latencies.into_iter().try_for_each(|latency| latency.add_to(&mut sum))?;
    Ok(sum)
}

/// The response times of all moments together.
pub(crate) fn sum_of_moments(timeline: &[Moment]) -> Result<Histogram<u64>, LatencyError> {
    added(timeline.iter().map(|moment| moment.histogram.as_str()))
}

/// The notification lags of all moments together.
pub(crate) fn sum_of_lags(timeline: &[Moment]) -> Result<Histogram<u64>, LatencyError> {
    added(timeline.iter().filter_map(|moment| moment.lag.as_deref()))
}

fn added<'t>(mut texts: impl Iterator<Item = &'t str>) -> Result<Histogram<u64>, LatencyError> {
    let mut sum = latency::histogram();
    texts.try_for_each(|text| add_encoded(&mut sum, text).map(drop))?;
    Ok(sum)
}

/// A quantile in microseconds; `None` without samples.
pub(crate) fn quantile(histogram: &Histogram<u64>, quantile: f64) -> Option<u64> {
    // A bucket's upper end may lie above all recorded values.
    (!histogram.is_empty()).then(|| histogram.value_at_quantile(quantile.clamp(0.0, 1.0)).min(histogram.max()))
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    /// The summary of these times, in microseconds.
    pub(crate) fn latency(values: impl IntoIterator<Item = u64>) -> Latency {
        let mut histogram = latency::histogram::<u64>();
        for value in values {
            histogram.record(value).unwrap();
        }
        Latency::from_histogram(&histogram)
    }
}

#[cfg(test)]
mod tests {
    use super::testing::latency;
    use super::*;

    #[test]
    fn a_sum_holds_the_samples_of_all() {
        let sum = sum([&latency(1..=900), &latency(100_000..100_100)]).unwrap();
        assert_eq!((sum.len(), quantile(&sum, 0.9), sum.count_between(90_000, 200_000)), (1000, Some(900), 100));
        assert_eq!(quantile(&sum, 1.0), Some(sum.max()));
        assert_eq!(quantile(&latency::histogram(), 0.5), None);
    }

    #[test]
    fn moments_are_added_and_those_without_lags_have_none_to_add() {
        let text = |n| latency([n]).histogram;
        let moment = |n, lag| Moment { histogram: text(n), lag, ..Moment::default() };
        let timeline = [moment(1, None), moment(100, Some(text(7))), moment(1_000_000, None)];
        assert_eq!((sum_of_moments(&timeline).unwrap().len(), sum_of_lags(&timeline).unwrap().max()), (3, 7));
    }

    #[test]
    fn what_cant_be_read_is_not_added() {
        assert!(sum([&latency([1]), &Latency { histogram: "AAAA".into(), ..Latency::default() }]).is_err());
    }
}
