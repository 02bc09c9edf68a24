//! Confidence intervals of measured numbers, and the differences that they show.
//!
//! The intervals assume independent samples. Calls that queue behind one another are not independent, so two runs of the same profile
//! may differ by more than the intervals show.

use hdrhistogram::Histogram;

use super::change::{BaselineChange, BaselineDifference};

/// Standard deviations within which 95 % of a normal distribution lie.
const CONFIDENCE: f64 = 1.96;

/// A number and its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ConfidenceInterval {
    number: f64,
    /// None where there are too few samples.
    bounds: Option<(f64, f64)>,
}

/// The change from one to the other.
pub(super) fn change(before: Option<ConfidenceInterval>, after: Option<ConfidenceInterval>, more_is_better: bool) -> BaselineChange {
    let difference = match (before.and_then(|i| i.bounds), after.and_then(|i| i.bounds)) {
        (Some((_, high)), Some((low, _))) if high < low => directed(more_is_better),
        (Some((low, _)), Some((_, high))) if high < low => directed(!more_is_better),
        (Some(_), Some(_)) => BaselineDifference::NotShown,
        (None, _) | (_, None) => BaselineDifference::Unknown,
    };
    BaselineChange { before: before.map(|i| i.number), after: after.map(|i| i.number), difference }
}

fn directed(better: bool) -> BaselineDifference {
    if better { BaselineDifference::Better } else { BaselineDifference::Worse }
}

/// The confidence interval of a quantile. The number of samples below the true quantile is binomial, so the interval lies between the
/// samples of the ranks around it. Beyond the last sample it has no bounds.
pub(super) fn quantile(histogram: &Histogram<u64>, share: f64, number: u64) -> ConfidenceInterval {
    let count = histogram.len() as f64;
    let spread = CONFIDENCE * (count * share * (1.0 - share)).sqrt();
    let (low, high) = ((count * share - spread).floor(), (count * share + spread).ceil() + 1.0);
    let ranked = |rank: f64| histogram.value_at_quantile(rank / count);
    let bounds = (low >= 1.0 && high <= count)
        .then(|| (histogram.lowest_equivalent(ranked(low)) as f64, histogram.highest_equivalent(ranked(high)) as f64));
    ConfidenceInterval { number: number as f64, bounds }
}

/// The confidence interval of a share: Wilson's, which is valid for shares of 0 % and 100 % too.
pub(super) fn share(part: u64, of: u64) -> Option<ConfidenceInterval> {
    let count = of as f64;
    let share = part as f64 / count;
    let square = CONFIDENCE * CONFIDENCE / count;
    let centre = (share + square / 2.0) / (1.0 + square);
    let spread = CONFIDENCE * (share * (1.0 - share) / count + square / (4.0 * count)).sqrt() / (1.0 + square);
    (of > 0).then_some(ConfidenceInterval { number: share, bounds: Some((centre - spread, centre + spread)) })
}

/// The confidence interval of a rate: that of a Poisson process.
pub(super) fn rate(count: u64, seconds: f64) -> Option<ConfidenceInterval> {
    let (number, spread) = (count as f64, CONFIDENCE * (count as f64).sqrt());
    let bounds = Some(((number - spread) / seconds, (number + spread) / seconds));
    (count > 0 && seconds > 0.0).then_some(ConfidenceInterval { number: number / seconds, bounds })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn histogram(values: impl IntoIterator<Item = u64>) -> Histogram<u64> {
        let mut histogram = Histogram::new(3).unwrap();
        values.into_iter().for_each(|value| histogram.record(value).unwrap());
        histogram
    }

    fn bounds(count: u64, share: f64) -> Option<(f64, f64)> {
        quantile(&histogram(1..=count), share, 0).bounds
    }

    #[test]
    fn a_quantile_is_known_to_the_ranks_around_it() {
        // 500 ± 1.96·√250 = 500 ± 31 of 1000; 990 ± 6.2.
        assert_eq!(bounds(1000, 0.5), Some((469.0, 532.0)));
        assert_eq!(bounds(1000, 0.99), Some((983.0, 998.0)));
    }

    #[test]
    fn few_samples_leave_the_tail_unknown() {
        assert_eq!(bounds(100, 0.99), None);
        assert_eq!(bounds(2, 0.5), None);
        assert!(bounds(100, 0.5).is_some());
    }

    #[test]
    fn a_share_of_zero_has_an_upper_bound() {
        let (low, high) = share(0, 1000).unwrap().bounds.unwrap();
        assert!(low.abs() < 1e-9 && (0.003..0.005).contains(&high), "{low} {high}");
        assert_eq!(share(0, 0), None);
    }

    #[test]
    fn only_what_does_not_overlap_differs() {
        let difference = |before, after, more| change(rate(before, 10.0), rate(after, 10.0), more).difference;
        assert_eq!(difference(1000, 1100, true), BaselineDifference::NotShown);
        assert_eq!(difference(1000, 1200, true), BaselineDifference::Better);
        assert_eq!(difference(1000, 1200, false), BaselineDifference::Worse);
        assert_eq!(difference(1200, 1000, true), BaselineDifference::Worse);
        assert_eq!(change(None, rate(9, 1.0), true).difference, BaselineDifference::Unknown);
    }

    proptest! {
        #[test]
        fn the_number_lies_within_its_interval(values in prop::collection::vec(1u64..100_000, 1..400), percent in 1u32..100) {
            let (histogram, share) = (histogram(values), f64::from(percent) / 100.0);
            let number = histogram.value_at_quantile(share);
            if let Some((low, high)) = quantile(&histogram, share, number).bounds {
                prop_assert!(low <= number as f64 && number as f64 <= high, "{low} {number} {high}");
            }
        }
    }
}
