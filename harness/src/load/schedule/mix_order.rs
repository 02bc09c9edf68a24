//! Which entry of the mix an iteration plays.

use rand_pcg::Pcg32;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// Chooses the entry of the mix for every iteration. The weights are exact: in each block of as many iterations as the (shortened)
/// weights add up to, each entry has as many as it weighs. Within a block the order is shuffled by seed and block, so every shard
/// makes the same choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MixOrder {
    /// Where each entry ends in a block before it is shuffled.
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

    /// How many iterations a block has.
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

/// What stands at `place` after the numbers below `length` were shuffled (Fisher and Yates): instead of
/// swapping a list, the one place is followed back through all swaps.
fn shuffled(seed: u64, block: u64, place: u64, length: u64) -> u64 {
    // Neighbouring blocks must not be alike: the golden ratio sets their seeds far apart.
    let mut random = Pcg32::seed_from_u64(seed.wrapping_add(block.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    (1..length).fold(place, |here, upper| {
        // Weights are far below 2^32: the bias of the multiplication can't be noticed.
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
