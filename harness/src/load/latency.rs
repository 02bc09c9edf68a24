//! Histograms of times, and [`Latency`]: their summary in a result.
//!
//! All histograms of a load test have the same bounds, so that any two of them can be added exactly. They hold microseconds from 0 to
//! [`LONGEST`] with three significant digits: a value is at most 0.1 % too high. A longer time counts as the longest. A histogram has
//! 23,552 counters, 92 KiB of `u32` or 184 KiB of `u64`, whatever it holds.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::serialization::{DeserializeError, Deserializer, Serializer, V2DeflateSerializer};
use hdrhistogram::{Counter, Histogram};
use thiserror::Error;

use super::percentile::percentile;
use super::result::Latency;

/// The longest time in microseconds: 71 minutes. Longer times count as this one.
pub const LONGEST: u64 = u32::MAX as u64;

/// How many digits of a time are kept.
const DIGITS: u8 = 3;

/// An empty histogram with the common bounds.
#[allow(clippy::expect_used, reason = "the bounds are constants, and the library takes them")]
pub fn histogram<C: Counter>() -> Histogram<C> {
    Histogram::new_with_bounds(1, LONGEST, DIGITS).expect("bounds that a histogram can have")
}

/// Records a time.
pub fn record<C: Counter>(histogram: &mut Histogram<C>, time: Duration) {
    histogram.saturating_record(u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
}

/// Adds one histogram to another; both are of [`histogram`] or [`decode`].
pub fn add<C: Counter>(sum: &mut Histogram<C>, other: &Histogram<C>) {
    let added = sum.add(other);
    debug_assert!(added.is_ok(), "histograms of the same bounds can be added");
}

/// Adds a histogram of small counters to one of large ones.
pub fn widen(sum: &mut Histogram<u64>, other: &Histogram<u32>) {
    for step in other.iter_recorded() {
        sum.saturating_record_n(step.value_iterated_to(), u64::from(step.count_at_value()));
    }
}

/// A histogram as V2, deflated, in base64.
pub fn encode<C: Counter>(histogram: &Histogram<C>) -> String {
    let mut bytes = Vec::new();
    // Writing to memory fails only for a count of 2^63. The text is empty then, and its count contradicts the result.
    match V2DeflateSerializer::new().serialize(histogram, &mut bytes) {
        Ok(_) => STANDARD.encode(bytes),
        Err(_) => String::new(),
    }
}

/// Why a histogram of a result can't be read. The caller puts the name of the histogram before the text.
#[derive(Debug, Error)]
pub enum LatencyError {
    /// It is no base64.
    #[error("is no base64")]
    Base64(#[source] base64::DecodeError),
    /// It ends too early.
    #[error("is cut short, or no HdrHistogram")]
    CutShort(#[source] std::io::Error),
    /// It is no HdrHistogram.
    #[error("is no HdrHistogram in V2 format: {0}")]
    Format(DeserializeError),
    /// It has other bounds, so that it can't be added exactly.
    #[error("counts from {low} to {high} with {digits} digits; only one from 1 to {LONGEST} with {DIGITS} can be added exactly")]
    Bounds {
        /// Its smallest value.
        low: u64,
        /// Its largest value.
        high: u64,
        /// Its significant digits.
        digits: u8,
    },
    /// Its number of samples contradicts the result.
    #[error("holds {held} times where the result counts {said}")]
    Count {
        /// The number in the result.
        said: u64,
        /// The number in the histogram.
        held: u64,
    },
}

impl From<DeserializeError> for LatencyError {
    fn from(error: DeserializeError) -> Self {
        match error {
            DeserializeError::IoError(error) => Self::CutShort(error),
            error => Self::Format(error),
        }
    }
}

/// Reads what [`encode`] wrote; an empty text is an empty histogram.
///
/// # Errors
/// When it is no histogram, or has other bounds.
pub fn decode(text: &str) -> Result<Histogram<u64>, LatencyError> {
    if text.is_empty() {
        return Ok(histogram());
    }
    let bytes = STANDARD.decode(text).map_err(LatencyError::Base64)?;
    let found: Histogram<u64> = Deserializer::new().deserialize(&mut bytes.as_slice())?;
    if (found.low(), found.high(), found.sigfig()) == (1, LONGEST, DIGITS) {
        Ok(found)
    } else {
        Err(LatencyError::Bounds { low: found.low(), high: found.high(), digits: found.sigfig() })
    }
}

impl Latency {
    /// Summarises a histogram; when it is empty, all numbers are zero. A percentile for which there are too few times is absent.
    pub fn from_histogram<C: Counter>(histogram: &Histogram<C>) -> Self {
        Self {
            count: histogram.len(),
            min: histogram.min(),
            mean: histogram.mean(),
            p50: percentile(histogram, 0.5),
            p90: percentile(histogram, 0.9),
            p95: percentile(histogram, 0.95),
            p99: percentile(histogram, 0.99),
            p999: percentile(histogram, 0.999),
            max: histogram.max(),
            histogram: encode(histogram),
        }
    }

    /// The whole distribution.
    ///
    /// # Errors
    /// When the histogram can't be read, or its number of samples is not `count`.
    pub fn times(&self) -> Result<Histogram<u64>, LatencyError> {
        let times = decode(&self.histogram)?;
        if times.len() == self.count { Ok(times) } else { Err(LatencyError::Count { said: self.count, held: times.len() }) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn histogram_of(times: &[u64]) -> Histogram<u64> {
        let mut histogram = histogram();
        times.iter().for_each(|&time| record(&mut histogram, Duration::from_micros(time)));
        histogram
    }

    #[test]
    fn times_are_kept_with_three_digits() {
        let latency = Latency::from_histogram(&histogram_of(&(1..=1000).map(|time| time * 100).collect::<Vec<_>>()));
        assert_eq!((latency.count, latency.min, latency.max), (1000, 100, 100_031));
        let percentiles = [latency.p50, latency.p90, latency.p95, latency.p99, latency.p999];
        assert_eq!(percentiles, [50_015, 90_047, 95_039, 99_007, 99_903].map(Some));
        assert!((latency.mean - 50_050.0).abs() < 50.0, "{}", latency.mean);
    }

    #[test]
    fn a_percentile_of_too_few_times_is_absent_and_the_largest_is_there() {
        let latency = Latency::from_histogram(&histogram_of(&(1..=99).collect::<Vec<_>>()));
        let percentiles = [latency.p50, latency.p90, latency.p95, latency.p99, latency.p999];
        assert_eq!((percentiles, latency.max), ([Some(50), Some(90), Some(95), None, None], 99));
    }

    #[test]
    fn a_time_beyond_the_longest_counts_as_the_longest() {
        let mut times = histogram_of(&[]);
        record(&mut times, Duration::MAX);
        assert_eq!((times.len(), times.max()), (1, LONGEST));
        assert_eq!(Latency::from_histogram(&times).max, LONGEST);
    }

    #[test]
    fn nothing_measured_is_all_zero_and_can_be_read_back() {
        let latency = Latency::from_histogram(&histogram_of(&[]));
        assert_eq!(latency, Latency { histogram: latency.histogram.clone(), ..Latency::default() });
        assert_eq!(latency.times().unwrap().len(), 0);
        assert_eq!(Latency::default().times().unwrap().len(), 0);
    }

    #[test]
    fn an_unreadable_histogram_is_an_error() {
        let good = Latency::from_histogram(&histogram_of(&[17]));
        let message = |latency: Latency| latency.times().unwrap_err().to_string();
        insta::assert_snapshot!([
            message(Latency { count: 2, ..good.clone() }),
            message(Latency { histogram: "?".to_owned(), ..good.clone() }),
            message(Latency { histogram: STANDARD.encode("no histogram at all"), ..good.clone() }),
            message(Latency { histogram: good.histogram[..40].to_owned(), ..good.clone() }),
            message(Latency { histogram: encode(&Histogram::<u64>::new_with_bounds(1, 3_600_000_000, 2).unwrap()), ..good.clone() }),
            message(Latency { histogram: String::new(), ..good }),
        ].join("\n"), @r"
        holds 1 times where the result counts 2
        is no base64
        is no HdrHistogram in V2 format: The cookie (first 4 bytes) did not match that for any supported format
        is cut short, or no HdrHistogram
        counts from 1 to 3600000000 with 2 digits; only one from 1 to 4294967295 with 3 can be added exactly
        holds 0 times where the result counts 1
        ");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn adding_is_as_if_one_had_measured_all(
            one in prop::collection::vec(0..LONGEST * 2, 0..50),
            other in prop::collection::vec(0..LONGEST * 2, 0..50),
        ) {
            let mut sum = histogram();
            Latency::from_histogram(&histogram_of(&one)).add_to(&mut sum).unwrap();
            Latency::from_histogram(&histogram_of(&other)).add_to(&mut sum).unwrap();
            let all = histogram_of(&[one, other].concat());
            prop_assert_eq!(Latency::from_histogram(&sum), Latency::from_histogram(&all));
            prop_assert_eq!(sum, all);
        }

        #[test]
        fn small_counters_add_up_as_large_ones(one in prop::collection::vec(0..LONGEST * 2, 0..50)) {
            let mut small: Histogram<u32> = histogram();
            one.iter().for_each(|&time| record(&mut small, Duration::from_micros(time)));
            let mut sum = histogram_of(&[5]);
            widen(&mut sum, &small);
            prop_assert_eq!(sum, histogram_of(&[one, vec![5]].concat()));
        }
    }
}
