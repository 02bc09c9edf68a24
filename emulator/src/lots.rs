//! What is drawn by lot: payment codes and variable symbols.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::gateway::core::{Minted, TransId};

/// A source of lots. The counter makes it usable from many threads without a lock.
#[derive(Debug)]
pub(crate) struct Lots {
    source: Source,
    drawn: AtomicU64,
}

#[derive(Debug)]
enum Source {
    /// The same seed draws the same lots.
    Seed(u64),
    /// A keyed hash under a key from the operating system: nobody guesses the next payment code.
    Secret(RandomState),
}

impl Lots {
    /// Repeatable lots.
    pub(crate) const fn seeded(seed: u64) -> Self {
        Self { source: Source::Seed(seed), drawn: AtomicU64::new(0) }
    }

    /// Repeatable lots of a world without a seed: those of worlds side by side differ.
    pub(crate) fn named(name: &str) -> Self {
        Self::seeded(name.bytes().fold(0, |seed, byte| mix(seed ^ u64::from(byte))))
    }

    /// Lots nobody can guess.
    pub(crate) fn secret() -> Self {
        Self { source: Source::Secret(RandomState::new()), drawn: AtomicU64::new(0) }
    }

    /// Draws for a new payment.
    pub(crate) fn mint(&self) -> Minted {
        let sequence = self.drawn.fetch_add(1, Ordering::Relaxed);
        let symbol = self.lot(sequence, 1) % 1_000_000_000;
        Minted { id: TransId::from_random(self.lot(sequence, 0)), variable_symbol: u32::try_from(symbol).unwrap_or_default(), sequence }
    }

    /// A key to sign with, the same for the same purpose from the same lots.
    pub(crate) fn key(&self, purpose: u64) -> [u8; 32] {
        // Far beyond any sequence of payments.
        let first = 1 << 62 | purpose << 2;
        let mut key = [0; 32];
        for (part, sequence) in key.chunks_exact_mut(8).zip(first..) {
            part.copy_from_slice(&self.lot(sequence, 0).to_le_bytes());
        }
        key
    }

    fn lot(&self, sequence: u64, purpose: u64) -> u64 {
        match &self.source {
            Source::Seed(seed) => mix(mix(*seed) ^ mix(sequence << 1 | purpose)),
            Source::Secret(key) => key.hash_one((sequence, purpose)),
        }
    }
}

/// The finishing step of SplitMix64.
pub(crate) const fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(lots: &Lots) -> Vec<TransId> {
        (0..100).map(|_| lots.mint().id).collect()
    }

    #[test]
    fn the_same_seed_draws_the_same_lots() {
        assert_eq!(draw(&Lots::seeded(7)), draw(&Lots::seeded(7)));
        assert_ne!(draw(&Lots::seeded(7)), draw(&Lots::seeded(8)));
        assert_ne!(draw(&Lots::named("w1")), draw(&Lots::named("w2")));
    }

    #[test]
    fn each_purpose_has_a_key_of_its_own() {
        assert_eq!(Lots::seeded(7).key(0), Lots::seeded(7).key(0));
        assert_ne!(Lots::seeded(7).key(0), Lots::seeded(7).key(1));
        assert_ne!(Lots::seeded(7).key(0), Lots::seeded(8).key(0));
    }

    #[test]
    fn secret_lots_differ_from_world_to_world() {
        assert_ne!(draw(&Lots::secret()), draw(&Lots::secret()));
    }
}
