//! Systematic sampling: chooses which iterations are re-checked when the load is over.

/// Chooses at most `most` of a stream of unknown length, spread evenly over it.
#[derive(Debug)]
pub(crate) struct SystematicSampler<T> {
    most: usize,
    /// Of this many, one is selected.
    stride: u64,
    seen: u64,
    kept: Vec<T>,
}

impl<T> SystematicSampler<T> {
    /// A sampler that keeps at most `most`.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, stride: 1, seen: 0, kept: Vec::new() }
    }

    /// Whether the next one is selected. Counts it.
    pub(crate) fn selects_next(&mut self) -> bool {
        let selected = self.most > 0 && self.seen.is_multiple_of(self.stride);
        self.seen += 1;
        selected
    }

    /// Keeps one that was selected. When that is one too many, every second one is dropped.
    pub(crate) fn keep(&mut self, one: T) {
        self.kept.push(one);
        if self.kept.len() > self.most {
            let mut keep = false;
            self.kept.retain(|_| {
                keep = !keep;
                keep
            });
            self.stride = self.stride.saturating_mul(2);
        }
    }

    pub(crate) fn into_kept(self) -> Vec<T> {
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample(most: usize, length: u64) -> Vec<u64> {
        let mut sampler = SystematicSampler::new(most);
        for number in 0..length {
            if sampler.selects_next() {
                sampler.keep(number);
            }
        }
        sampler.into_kept()
    }

    #[test]
    fn few_are_all_kept() {
        assert_eq!(sample(5, 4), [0, 1, 2, 3]);
        assert_eq!(sample(0, 4), Vec::<u64>::new());
    }

    proptest! {
        #[test]
        fn many_are_kept_evenly(most in 2usize..50, length in 1u64..5000) {
            let kept = sample(most, length);
            prop_assert!(kept.len() <= most);
            prop_assert!(kept.len() as u64 >= length.min(most as u64 / 2));
            let gaps: Vec<u64> = kept.windows(2).map(|pair| pair[1] - pair[0]).collect();
            prop_assert!(gaps.windows(2).all(|pair| pair[0] == pair[1]), "{:?}", kept);
        }
    }
}
