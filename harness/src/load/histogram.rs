//! Distributions out of results: decoded, added, asked for quantiles.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;

use super::result::Latency;

/// Significant digits of every histogram of a result.
const DIGITS: u8 = 3;

/// The distribution behind a result's numbers; the error is a fragment that follows a name.
pub(crate) fn decode(latency: &Latency) -> Result<Histogram<u64>, String> {
    let histogram = decode_text(&latency.histogram)?;
    if histogram.len() != latency.count {
        return Err(format!("has a histogram of {} values where {} are counted", histogram.len(), latency.count));
    }
    Ok(histogram)
}

/// A histogram as results spell it: V2, deflated, base64. Nothing is an empty one.
pub(crate) fn decode_text(text: &str) -> Result<Histogram<u64>, String> {
    if text.is_empty() {
        return empty();
    }
    let bytes = STANDARD.decode(text).map_err(|error| format!("has a histogram that is not base64: {error}"))?;
    Deserializer::new().deserialize(&mut bytes.as_slice()).map_err(|error| format!("has a histogram that can't be read: {error}"))
}

/// All of them as one.
pub(crate) fn sum<'l>(latencies: impl IntoIterator<Item = &'l Latency>) -> Result<Histogram<u64>, String> {
    let mut sum = empty()?;
    for latency in latencies {
        sum.add(decode(latency)?).map_err(|error| format!("has a histogram that can't be added: {error}"))?;
    }
    Ok(sum)
}

/// The value that this share of the samples does not exceed, in microseconds; none without samples.
pub(crate) fn quantile(histogram: &Histogram<u64>, quantile: f64) -> Option<u64> {
    // A bucket's upper end may lie above everything that was recorded.
    (!histogram.is_empty()).then(|| histogram.value_at_quantile(quantile.clamp(0.0, 1.0)).min(histogram.max()))
}

fn empty() -> Result<Histogram<u64>, String> {
    Histogram::new(DIGITS).map_err(|error| format!("can't be added up: {error}"))
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;
    use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};

    /// What a result would tell of these times, in microseconds.
    pub(crate) fn latency(values: impl IntoIterator<Item = u64>) -> Latency {
        let mut histogram = empty().unwrap();
        for value in values {
            histogram.record(value).unwrap();
        }
        let at = |q| quantile(&histogram, q).unwrap_or_default();
        let mean = if histogram.is_empty() { 0.0 } else { histogram.mean() };
        Latency {
            count: histogram.len(),
            min: histogram.min(),
            mean,
            p50: at(0.5),
            p90: at(0.9),
            p95: at(0.95),
            p99: at(0.99),
            p999: at(0.999),
            max: if histogram.is_empty() { 0 } else { histogram.max() },
            histogram: encode(&histogram),
        }
    }

    /// A histogram as results spell it.
    pub(crate) fn encode(histogram: &Histogram<u64>) -> String {
        let mut bytes = Vec::new();
        V2DeflateSerializer::new().serialize(histogram, &mut bytes).unwrap();
        STANDARD.encode(bytes)
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
        assert_eq!(quantile(&empty().unwrap(), 0.5), None);
    }

    #[test]
    fn what_is_no_histogram_is_told() {
        let broken = |histogram: &str| decode(&Latency { histogram: histogram.into(), count: 3, ..Latency::default() }).unwrap_err();
        assert!(broken("ř").contains("not base64"), "{}", broken("ř"));
        assert!(broken("AAAA").contains("can't be read"), "{}", broken("AAAA"));
        assert!(broken("").contains("0 values where 3 are counted"), "{}", broken(""));
    }
}
