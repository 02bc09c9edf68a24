//! The transactions of a terminal, of which only the last finished ones may be kept.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

/// Transactions by their identifier.
#[derive(Debug)]
pub(crate) struct History<K, V> {
    entries: HashMap<K, V>,
    finished: VecDeque<K>,
    /// How many finished ones are kept.
    keep: usize,
}

impl<K: Copy + Eq + Hash, V> History<K, V> {
    /// An empty history, which keeps all finished transactions, or only the last `keep`.
    pub(crate) fn new(keep: Option<usize>) -> Self {
        Self { entries: HashMap::new(), finished: VecDeque::new(), keep: keep.unwrap_or(usize::MAX) }
    }

    /// Whether there is such a transaction.
    pub(crate) fn has(&self, id: K) -> bool {
        self.entries.contains_key(&id)
    }

    /// Adds a transaction.
    pub(crate) fn insert(&mut self, id: K, transaction: V) {
        self.entries.insert(id, transaction);
    }

    /// Finds a transaction.
    pub(crate) fn get(&self, id: K) -> Option<&V> {
        self.entries.get(&id)
    }

    /// All transactions, in no particular order.
    pub(crate) fn all(&self) -> impl Iterator<Item = &V> {
        self.entries.values()
    }

    /// Finds a transaction, to change it.
    pub(crate) fn get_mut(&mut self, id: K) -> Option<&mut V> {
        self.entries.get_mut(&id)
    }

    /// Notes that a transaction is finished, and forgets the oldest such beyond those to keep.
    pub(crate) fn finish(&mut self, id: K) {
        if self.keep == usize::MAX {
            return;
        }
        self.finished.push_back(id);
        while self.finished.len() > self.keep {
            if let Some(oldest) = self.finished.pop_front() {
                self.entries.remove(&oldest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_finished_transactions_are_forgotten_first() {
        let mut history = History::new(Some(2));
        for id in 0..5 {
            history.insert(id, ());
        }
        for id in [3, 1, 0] {
            history.finish(id);
        }
        assert_eq!((0..5).map(|id| history.has(id)).collect::<Vec<_>>(), [true, true, true, false, true]);
    }
}
