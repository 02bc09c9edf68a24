//! What is counted and almost forgotten: nine bytes of each.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::mem;

use super::pair::{BITS, Known};

/// Upper bits: which one. Lower bits: what is known of it.
#[derive(Clone, Copy, Debug)]
struct Mark(u64);

impl Mark {
    fn new(pair: u64, known: Known) -> Self {
        Self((pair >> BITS << BITS) | known.bits())
    }
}

impl PartialEq for Mark {
    fn eq(&self, other: &Self) -> bool {
        self.0 >> BITS == other.0 >> BITS
    }
}

impl Eq for Mark {}

impl Hash for Mark {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0 >> BITS);
    }
}

/// What is marked is a hash already.
#[derive(Debug, Default)]
struct Already(u64);

impl Hasher for Already {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        // The uppermost bits were shifted away; a table looks at those and at the lowest.
        self.0 = hash.rotate_right(BITS);
    }
}

type Marks = HashSet<Mark, BuildHasherDefault<Already>>;

/// The newest so many, in two generations: when the younger is full, the older is forgotten.
#[derive(Debug)]
pub(super) struct Settled {
    young: Marks,
    old: Marks,
    generation: usize,
}

impl Settled {
    /// An empty one, which remembers at least the last so many and at most twice as many.
    pub(super) fn new(generation: usize) -> Self {
        Self { young: Marks::default(), old: Marks::default(), generation }
    }

    /// Remembers one.
    pub(super) fn put(&mut self, pair: u64, known: Known) {
        if self.young.len() >= self.generation {
            self.old = mem::take(&mut self.young);
        }
        self.young.replace(Mark::new(pair, known));
    }

    /// Takes one out.
    pub(super) fn take(&mut self, pair: u64) -> Option<Known> {
        let mark = Mark::new(pair, Known::default());
        let found = self.young.take(&mark).or_else(|| self.old.take(&mark));
        found.map(|Mark(bits)| Known::of(bits))
    }

    pub(super) fn clear(&mut self) {
        self.young.clear();
        self.old.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_are_remembered_with_what_is_known_of_them() {
        let mut settled = Settled::new(3);
        for pair in 1..=7_u64 {
            settled.put(pair << 40, Known::DUE.with(Known::RECEIVED, pair % 2 == 0));
        }
        let found: Vec<_> = (1..=7_u64).map(|pair| settled.take(pair << 40).map(|known| known.has(Known::RECEIVED))).collect();
        assert_eq!(found, [None, None, None, Some(true), Some(false), Some(true), Some(false)]);
        assert_eq!(settled.take(7 << 40), None, "it was taken out");
    }
}
