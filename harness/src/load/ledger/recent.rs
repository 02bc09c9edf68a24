//! Remembers counted notifications in nine bytes each.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::mem;

use super::flags::{BITS, NotificationFlags};

/// A notification: the upper bits identify it, the lower bits are its flags.
#[derive(Clone, Copy, Debug)]
struct Mark(u64);

impl Mark {
    fn new(pair: u64, flags: NotificationFlags) -> Self {
        Self((pair >> BITS << BITS) | flags.bits())
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

/// Hashes a mark by its upper bits, which are a hash already.
#[derive(Debug, Default)]
struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        // A hash table uses the highest and the lowest bits; the highest were shifted away.
        self.0 = hash.rotate_right(BITS);
    }
}

type Marks = HashSet<Mark, BuildHasherDefault<IdentityHasher>>;

/// The newest notifications in two generations: when the younger is full, the older is dropped.
#[derive(Debug)]
pub(super) struct RecentNotifications {
    young: Marks,
    old: Marks,
    generation: usize,
}

impl RecentNotifications {
    /// Creates an empty memory for at least the last `generation` notifications, and at most twice that number.
    pub(super) fn new(generation: usize) -> Self {
        Self { young: Marks::default(), old: Marks::default(), generation }
    }

    /// Adds a notification.
    pub(super) fn put(&mut self, pair: u64, flags: NotificationFlags) {
        if self.young.len() >= self.generation {
            self.old = mem::take(&mut self.young);
        }
        self.young.replace(Mark::new(pair, flags));
    }

    /// Removes a notification and returns its flags.
    pub(super) fn remove(&mut self, pair: u64) -> Option<NotificationFlags> {
        let mark = Mark::new(pair, NotificationFlags::default());
        let found = self.young.take(&mark).or_else(|| self.old.take(&mark));
        found.map(|Mark(bits)| NotificationFlags::from_bits(bits))
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
        let mut settled = RecentNotifications::new(3);
        for pair in 1..=7_u64 {
            settled.put(pair << 40, NotificationFlags::DUE.with_if(NotificationFlags::RECEIVED, pair % 2 == 0));
        }
        let found: Vec<_> =
            (1..=7_u64).map(|pair| settled.remove(pair << 40).map(|flags| flags.has(NotificationFlags::RECEIVED))).collect();
        assert_eq!(found, [None, None, None, Some(true), Some(false), Some(true), Some(false)]);
        assert_eq!(settled.remove(7 << 40), None, "it was taken out");
    }
}
