//! Deliberate duplicates: notifications that are sent again after they were acknowledged.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};

use crate::engine::push::message_pool::PreparedPush;

/// The number of acknowledged notifications that are kept, the newest.
const KEPT: usize = 1024;

/// Decides which pushes are duplicates, and of which notifications.
pub(super) struct Duplicates {
    share: f64,
    seed: u64,
    acknowledged: Mutex<VecDeque<PreparedPush>>,
}

impl Duplicates {
    /// Makes a share (0 to 1) of all pushes duplicates; the same seed chooses the same ones.
    pub(super) fn new(share: f64, seed: u64) -> Self {
        Self { share, seed, acknowledged: Mutex::default() }
    }

    /// Whether the push with this number is a duplicate.
    pub(super) fn wants(&self, number: u64) -> bool {
        let mut hasher = DefaultHasher::new();
        (self.seed, number).hash(&mut hasher);
        #[expect(clippy::cast_precision_loss, reason = "a lot drawn needs no more digits")]
        let lot = hasher.finish() as f64 / u64::MAX as f64;
        lot < self.share
    }

    /// Removes and returns a notification that was acknowledged and has not been sent again.
    pub(super) fn pop(&self) -> Option<PreparedPush> {
        self.acknowledged.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    /// Keeps an acknowledged notification.
    pub(super) fn keep(&self, written: PreparedPush) {
        if self.share <= 0.0 {
            return;
        }
        let mut acknowledged = self.acknowledged.lock().unwrap_or_else(PoisonError::into_inner);
        if acknowledged.len() >= KEPT {
            acknowledged.pop_front();
        }
        acknowledged.push_back(written);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_kept_and_the_seed_decides() {
        let chosen = |share, seed| (0..10_000).filter(|number| Duplicates::new(share, seed).wants(*number)).collect::<Vec<_>>();
        assert_eq!(chosen(0.0, 1).len(), 0);
        assert_eq!(chosen(1.0, 1).len(), 10_000);
        let twentieth = chosen(0.05, 1);
        assert!((450..550).contains(&twentieth.len()), "{}", twentieth.len());
        assert_eq!(twentieth, chosen(0.05, 1));
        assert_ne!(twentieth, chosen(0.05, 2));
    }

    #[test]
    fn each_is_sent_again_once_and_few_are_kept() {
        let again = Duplicates::new(0.5, 1);
        let written = |format| PreparedPush { format, method: http::Method::POST, media_type: None, body: bytes::Bytes::new() };
        for number in 0..KEPT + 2 {
            again.keep(written(number));
        }
        assert_eq!(again.pop().map(|written| written.format), Some(2));
        assert_eq!(std::iter::from_fn(|| again.pop()).count(), KEPT - 1);
    }
}
