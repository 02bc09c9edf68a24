//! How often which HTTP status was received.

use std::collections::BTreeMap;

/// Counts by status; a call has few different ones, the first of which is nearly always the one that is looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatusCounts(Vec<(u16, u64)>);

impl StatusCounts {
    /// Counts a response.
    pub fn count(&mut self, status: u16) {
        self.add_times(status, 1);
    }

    /// All of them.
    pub fn by_status(&self) -> BTreeMap<u16, u64> {
        self.0.iter().copied().collect()
    }

    pub(super) fn add(&mut self, other: &Self) {
        other.0.iter().for_each(|&(status, times)| self.add_times(status, times));
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    fn add_times(&mut self, status: u16, times: u64) {
        match self.0.iter_mut().find(|(known, _)| *known == status) {
            Some((_, count)) => *count += times,
            None => self.0.push((status, times)),
        }
    }
}
