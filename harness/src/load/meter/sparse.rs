//! A histogram that is kept for long: only the counts that are not zero, 8 bytes each.

use hdrhistogram::Histogram;

use crate::load::latency::LONGEST;

/// Values in rising order, each with its count. A value stands twice where the count would be too large.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sparse(Vec<(u32, u32)>);

impl Sparse {
    pub(super) fn of(histogram: &Histogram<u64>) -> Self {
        let mut counts = Vec::new();
        for step in histogram.iter_recorded() {
            let value = u32::try_from(step.value_iterated_to().min(LONGEST)).unwrap_or(u32::MAX);
            let mut rest = step.count_at_value();
            while rest > 0 {
                let count = u32::try_from(rest).unwrap_or(u32::MAX);
                counts.push((value, count));
                rest -= u64::from(count);
            }
        }
        counts.shrink_to_fit();
        Self(counts)
    }

    /// Both together.
    pub(super) fn joined(&self, other: &Self) -> Self {
        let mut counts: Vec<(u32, u32)> = Vec::with_capacity(self.0.len() + other.0.len());
        let (mut ours, mut theirs) = (self.0.iter().peekable(), other.0.iter().peekable());
        while let Some(&(value, count)) = match (ours.peek(), theirs.peek()) {
            (Some(our), Some(their)) if their.0 < our.0 => theirs.next(),
            (Some(_), _) => ours.next(),
            (None, _) => theirs.next(),
        } {
            match counts.last_mut().filter(|last| last.0 == value) {
                Some(last) if last.1.checked_add(count).is_some() => last.1 += count,
                _ => counts.push((value, count)),
            }
        }
        counts.shrink_to_fit();
        Self(counts)
    }

    pub(super) fn add_to(&self, histogram: &mut Histogram<u64>) {
        for &(value, count) in &self.0 {
            histogram.saturating_record_n(u64::from(value), u64::from(count));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::load::latency::{self, histogram};

    fn back(sparse: &Sparse) -> Histogram<u64> {
        let mut times = histogram();
        sparse.add_to(&mut times);
        times
    }

    #[test]
    fn counts_beyond_32_bits_stay_exact() {
        let mut many = histogram();
        many.record_n(700, u64::from(u32::MAX) * 3 + 2).unwrap();
        many.record(LONGEST).unwrap();
        let sparse = Sparse::of(&many);
        assert_eq!(back(&sparse), many);
        let twice = sparse.joined(&sparse);
        assert_eq!(back(&twice).len(), many.len() * 2);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn joined_holds_what_both_hold(
            one in prop::collection::vec((0..LONGEST * 2, 1..u64::from(u32::MAX) * 2), 0..30),
            other in prop::collection::vec((0..LONGEST * 2, 1..u64::from(u32::MAX) * 2), 0..30),
        ) {
            let of = |times: &[(u64, u64)]| {
                let mut histogram = histogram();
                times.iter().for_each(|&(time, count)| histogram.saturating_record_n(time, count));
                histogram
            };
            let (one, other) = (of(&one), of(&other));
            prop_assert_eq!(&back(&Sparse::of(&one)), &one);
            let joined = Sparse::of(&one).joined(&Sparse::of(&other));
            let mut both = one;
            latency::add(&mut both, &other);
            prop_assert_eq!(back(&joined), both);
            prop_assert!(joined.0.is_sorted_by_key(|count| count.0));
        }
    }
}
