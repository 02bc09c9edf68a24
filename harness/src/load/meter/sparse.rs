//! A compact histogram for the timeline: only the counts that are not zero, about 3 bytes each.

use std::iter::Peekable;

use hdrhistogram::Histogram;

/// Values in rising order, each as its distance from the previous one and its count. Both are variable-length integers of 7 bits a byte,
/// the lowest first; the highest bit of a byte means that more follow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SparseHistogram(Box<[u8]>);

impl SparseHistogram {
    pub(super) fn from_histogram(histogram: &Histogram<u64>) -> Self {
        histogram.iter_recorded().map(|step| (step.value_iterated_to(), step.count_at_value())).collect()
    }

    /// The sum of both.
    pub(super) fn joined(&self, other: &Self) -> Self {
        Joined { ours: self.steps().peekable(), theirs: other.steps().peekable() }.collect()
    }

    pub(super) fn add_to(&self, histogram: &mut Histogram<u64>) {
        self.steps().for_each(|(value, count)| histogram.saturating_record_n(value, count));
    }

    fn steps(&self) -> Steps<'_> {
        Steps { bytes: self.0.iter(), value: 0 }
    }
}

impl FromIterator<(u64, u64)> for SparseHistogram {
    /// Builds a histogram from values in rising order with their counts.
    fn from_iter<I: IntoIterator<Item = (u64, u64)>>(steps: I) -> Self {
        let (mut bytes, mut last) = (Vec::new(), 0);
        for (value, count) in steps {
            put(&mut bytes, value - last);
            put(&mut bytes, count);
            last = value;
        }
        Self(bytes.into())
    }
}

fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Values in rising order with their counts.
struct Steps<'s> {
    bytes: std::slice::Iter<'s, u8>,
    value: u64,
}

impl Steps<'_> {
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.bytes.next()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        Some(number)
    }
}

impl Iterator for Steps<'_> {
    type Item = (u64, u64);

    fn next(&mut self) -> Option<Self::Item> {
        self.value += self.number()?;
        Some((self.value, self.number()?))
    }
}

/// The steps of two histograms in rising order; counts of the same value are added.
struct Joined<'s> {
    ours: Peekable<Steps<'s>>,
    theirs: Peekable<Steps<'s>>,
}

impl Iterator for Joined<'_> {
    type Item = (u64, u64);

    fn next(&mut self) -> Option<Self::Item> {
        match (self.ours.peek(), self.theirs.peek()) {
            (Some(our), Some(their)) if our.0 == their.0 => {
                let (value, count) = self.ours.next()?;
                Some((value, count.saturating_add(self.theirs.next()?.1)))
            }
            (Some(our), Some(their)) if their.0 < our.0 => self.theirs.next(),
            (Some(_), _) => self.ours.next(),
            (None, _) => self.theirs.next(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::load::latency::{self, LONGEST, histogram};

    fn back(sparse: &SparseHistogram) -> Histogram<u64> {
        let mut times = histogram();
        sparse.add_to(&mut times);
        times
    }

    fn histogram_of(times: &[(u64, u64)]) -> Histogram<u64> {
        let mut histogram = histogram();
        times.iter().for_each(|&(time, count)| histogram.saturating_record_n(time, count));
        histogram
    }

    #[test]
    fn a_sparse_histogram_takes_three_bytes_a_value() {
        // As many different times as a busy second has.
        let busy: Vec<_> = (0..2_000).map(|step| (step * step / 100, 1 + step % 200)).collect();
        let (times, bytes) = (histogram_of(&busy), SparseHistogram::from_histogram(&histogram_of(&busy)).0.len());
        let different = times.iter_recorded().count();
        assert!(different > 1_000 && bytes < different * 3, "{bytes} bytes for {different} times");
    }

    #[test]
    fn no_number_is_too_large() {
        let many = histogram_of(&[(0, 1), (LONGEST, u64::MAX / 4)]);
        assert_eq!(back(&SparseHistogram::from_histogram(&many)), many);
        assert_eq!(SparseHistogram::from_histogram(&histogram_of(&[])), SparseHistogram::default());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn joined_holds_what_both_hold(
            one in prop::collection::vec((0..LONGEST * 2, 1..1_u64 << 40), 0..30),
            other in prop::collection::vec((0..LONGEST * 2, 1..1_u64 << 40), 0..30),
            common in prop::collection::vec((0..LONGEST * 2, 1..1_u64 << 40), 0..5),
        ) {
            let (one, other) = (histogram_of(&[one, common.clone()].concat()), histogram_of(&[other, common].concat()));
            prop_assert_eq!(&back(&SparseHistogram::from_histogram(&one)), &one);
            let joined = SparseHistogram::from_histogram(&one).joined(&SparseHistogram::from_histogram(&other));
            let mut both = one;
            latency::add(&mut both, &other);
            prop_assert_eq!(&joined, &SparseHistogram::from_histogram(&both));
            prop_assert_eq!(back(&joined), both);
        }
    }
}
