//! Chooses the entry of the mix for every iteration.

use rand_pcg::Pcg32;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// Chooses the entry of the mix for every iteration. The weights, reduced by their common divisor, are exact: a block has as many
/// iterations as their sum, and each entry is played as often as its weight. Within a block the order is shuffled by seed and block
/// number, so every shard makes the same choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MixOrder {
    /// The end of each entry in a block before shuffling.
    ends: Vec<u64>,
}

impl MixOrder {
    /// The order of a mix with these weights.
    pub fn weighing(weights: &[u32]) -> Self {
        let common = weights.iter().fold(0, |all, weight| greatest_common_divisor(all, *weight)).max(1);
        let mut sum = 0;
        let ends = weights.iter().map(|weight| {
            sum += u64::from(weight / common);
            sum
        });
        Self { ends: ends.collect() }
    }

    /// The number of iterations in a block.
    pub fn block(&self) -> u64 {
        self.ends.last().copied().unwrap_or_default()
    }

    /// The index of the entry that iteration `number` plays.
    pub fn entry(&self, seed: u64, number: u64) -> usize {
        let block = self.block();
        if self.ends.len() < 2 || block == 0 {
            return 0;
        }
        let place = shuffled(seed, number / block, number % block, block);
        self.ends.partition_point(|end| *end <= place)
    }
}

/// The number at `place` after a Fisher–Yates shuffle of the numbers below `length`. Instead of swapping a list, the one place is traced
/// back through all swaps.
fn shuffled(seed: u64, block: u64, place: u64, length: u64) -> u64 {
    // The golden ratio spreads the seeds of neighbouring blocks, so that their orders differ.
    let mut random = Pcg32::seed_from_u64(seed.wrapping_add(block.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    (1..length).fold(place, |here, upper| {
        // Lengths are far below 2^32, so the bias of the multiplication is negligible.
        let lower = (u64::from(random.next_u32()) * (upper + 1)) >> 32;
        if here == upper {
            lower
        } else if here == lower {
            upper
        } else {
            here
        }
    })
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}
