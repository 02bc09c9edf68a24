//! A seeded source of choices.

use rand_pcg::Pcg32;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// Makes the same choices for the same seed and sequence number.
#[derive(Debug)]
pub(super) struct RandomChoices(Pcg32);

impl RandomChoices {
    pub(super) fn new(seed: u64, sequence: u64) -> Self {
        // The golden ratio spreads neighbouring numbers over all seeds.
        let mixed = seed.wrapping_add(sequence.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Self(Pcg32::seed_from_u64(mixed))
    }

    /// A number below a limit; 0 if the limit is 0.
    pub(super) fn below(&mut self, limit: u32) -> u32 {
        if limit == 0 { 0 } else { self.0.next_u32() % limit }
    }

    /// An index into a list of this length.
    pub(super) fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(u32::try_from(length).unwrap_or(u32::MAX))).unwrap_or_default()
    }

    /// One of these choices, by weight; none if every weight is 0.
    pub(super) fn weighted(&mut self, choices: impl Iterator<Item = (usize, u32)>) -> Option<usize> {
        let choices: Vec<(usize, u32)> = choices.filter(|(_, weight)| *weight > 0).collect();
        let mut left = self.below(choices.iter().map(|(_, weight)| weight).sum());
        for (choice, weight) in choices {
            if left < weight {
                return Some(choice);
            }
            left -= weight;
        }
        None
    }
}
