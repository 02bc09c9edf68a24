//! Payment codes, variable symbols and signing keys, repeatable under a seed.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Identifiers, TransId};
use crate::base::mix::mix;

/// Generates identifiers. Its counter lets many threads share it without a lock.
#[derive(Debug)]
pub(crate) struct IdGenerator {
    source: Source,
    drawn: AtomicU64,
}

#[derive(Debug)]
enum Source {
    /// The same seed generates the same identifiers.
    Seed(u64),
    /// A hash under a key from the operating system, so that payment codes can't be predicted.
    Secret(RandomState),
}

impl IdGenerator {
    /// Generates the same identifiers for the same seed.
    pub(crate) const fn seeded(seed: u64) -> Self {
        Self { source: Source::Seed(seed), drawn: AtomicU64::new(0) }
    }

    /// Derives the seed from the name of a world, so that worlds side by side get different identifiers.
    pub(crate) fn named(name: &str) -> Self {
        Self::seeded(name.bytes().fold(0, |seed, byte| mix(seed ^ u64::from(byte))))
    }

    /// Generates identifiers that can't be predicted.
    pub(crate) fn secret() -> Self {
        Self { source: Source::Secret(RandomState::new()), drawn: AtomicU64::new(0) }
    }

    /// Draws the identifiers of a new payment.
    pub(crate) fn draw(&self) -> Identifiers {
        let sequence = self.drawn.fetch_add(1, Ordering::Relaxed);
        let symbol = self.number(sequence, 1) % 1_000_000_000;
        let variable_symbol = u32::try_from(symbol).unwrap_or_default();
        Identifiers { id: TransId::from_random(self.number(sequence, 0)), variable_symbol, sequence }
    }

    /// Returns a signing key, the same for the same purpose.
    pub(crate) fn key(&self, purpose: u64) -> [u8; 32] {
        // Far beyond any sequence of payments.
        let first = 1 << 62 | purpose << 2;
        let mut key = [0; 32];
        for (part, sequence) in key.chunks_exact_mut(8).zip(first..) {
            part.copy_from_slice(&self.number(sequence, 0).to_le_bytes());
        }
        key
    }

    fn number(&self, sequence: u64, purpose: u64) -> u64 {
        match &self.source {
            Source::Seed(seed) => mix(mix(*seed) ^ mix(sequence << 1 | purpose)),
            Source::Secret(key) => key.hash_one((sequence, purpose)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hundred(ids: &IdGenerator) -> Vec<TransId> {
        (0..100).map(|_| ids.draw().id).collect()
    }

    #[test]
    fn the_same_seed_generates_the_same_identifiers() {
        assert_eq!(hundred(&IdGenerator::seeded(7)), hundred(&IdGenerator::seeded(7)));
        assert_ne!(hundred(&IdGenerator::seeded(7)), hundred(&IdGenerator::seeded(8)));
        assert_ne!(hundred(&IdGenerator::named("w1")), hundred(&IdGenerator::named("w2")));
    }

    #[test]
    fn each_purpose_has_a_key_of_its_own() {
        assert_eq!(IdGenerator::seeded(7).key(0), IdGenerator::seeded(7).key(0));
        assert_ne!(IdGenerator::seeded(7).key(0), IdGenerator::seeded(7).key(1));
        assert_ne!(IdGenerator::seeded(7).key(0), IdGenerator::seeded(8).key(0));
    }

    #[test]
    fn secret_generators_differ_from_world_to_world() {
        assert_ne!(hundred(&IdGenerator::secret()), hundred(&IdGenerator::secret()));
    }
}
