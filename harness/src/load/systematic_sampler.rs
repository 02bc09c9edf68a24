//! Systematic sampling: chooses the iterations that are re-checked after the load.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Chooses at most `most` items of a stream of unknown length, spread evenly over it. Its lock is only needed for a chosen item.
#[derive(Debug)]
pub(crate) struct SystematicSampler<T> {
    most: usize,
    /// One in this number is selected.
    stride: AtomicU64,
    seen: AtomicU64,
    kept: Mutex<Vec<T>>,
}

impl<T> SystematicSampler<T> {
    /// A sampler that keeps at most `most` items.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, stride: AtomicU64::new(1), seen: AtomicU64::new(0), kept: Mutex::new(Vec::new()) }
    }

    /// Counts the next item; returns whether it is selected.
    pub(crate) fn selects_next(&self) -> bool {
        self.most > 0 && self.seen.fetch_add(1, Ordering::Relaxed).is_multiple_of(self.stride.load(Ordering::Relaxed))
    }

    /// Keeps a selected item. If that is one too many, every second one is dropped.
    pub(crate) fn keep(&self, one: T) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(one);
        if kept.len() > self.most {
            let mut keep = false;
            kept.retain(|_| {
                keep = !keep;
                keep
            });
            self.stride.store(self.stride.load(Ordering::Relaxed).saturating_mul(2), Ordering::Relaxed);
        }
    }

    /// Removes and returns the kept items.
    pub(crate) fn take_samples(&self) -> Vec<T> {
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample(most: usize, length: u64) -> Vec<u64> {
        let sampler = SystematicSampler::new(most);
        for number in 0..length {
            if sampler.selects_next() {
                sampler.keep(number);
            }
        }
        sampler.take_samples()
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
