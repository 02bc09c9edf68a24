//! A part of a load that is split over several processes.

use std::fmt;

/// The most parts of a load.
pub(crate) const MOST_PARTS: u32 = 10_000;

/// Which part of how many a process plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    part: u32,
    parts: u32,
}

impl Shard {
    /// The only part of a load that is not split.
    pub const WHOLE: Self = Self { part: 1, parts: 1 };

    /// Part `part`, from 1 to `parts`; `None` if there is no such part.
    pub fn new(part: u32, parts: u32) -> Option<Self> {
        (1..=parts).contains(&part).then_some(Self { part, parts })
    }

    /// Its number, from 1.
    pub fn part(self) -> u32 {
        self.part
    }

    /// The number of parts of the load.
    pub fn parts(self) -> u32 {
        self.parts
    }

    /// The number in the whole load of the `index`-th item of this shard, both from 0; `None` on overflow.
    pub(crate) fn number(self, index: u64) -> Option<u64> {
        index.checked_mul(u64::from(self.parts))?.checked_add(u64::from(self.part - 1))
    }

    /// The number of this shard's `number`-th user among the users of all shards: unique over all shards.
    pub(crate) fn user(self, number: usize) -> usize {
        number * self.parts as usize + self.index()
    }

    /// Its share of a number of users; the shares of all shards add up to that number.
    pub(crate) fn share(self, users: usize) -> usize {
        let parts = self.parts as usize;
        users / parts + usize::from(self.index() < users % parts)
    }

    /// Its number, from 0.
    fn index(self) -> usize {
        (self.part - 1) as usize
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_no_parts_but_those_from_the_first_to_the_last() {
        assert_eq!((0..5).filter(|part| Shard::new(*part, 3).is_some()).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(Shard::new(1, 0), None);
    }

    #[test]
    fn users_of_all_shards_have_numbers_of_their_own() {
        let shards: Vec<_> = (1..=3).map(|part| Shard { part, parts: 3 }).collect();
        let mut numbers: Vec<_> = shards.iter().flat_map(|shard| (0..shard.share(7)).map(|number| shard.user(number))).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..7).collect::<Vec<_>>(), "those of the whole");
    }
}
