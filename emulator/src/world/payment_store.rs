//! The payments of a world, in shards, so that calls about different payments don't wait for each other.

use std::collections::{HashMap, VecDeque, hash_map};
use std::sync::Mutex;

use crate::base::sync::lock;
use crate::common::{IdGenerator, TransId};
use crate::gateway::core::Payment;
use crate::qr::core::QrPayment;

const SHARDS: usize = 64;
/// If only the last finished payments are kept: a payment that is still pending is dropped after this many newer ones, in
/// addition to the number that is kept.
const MOST_PENDING: usize = 100_000;

/// A payment that a store keeps.
pub(super) trait StoredPayment {
    /// Its code.
    fn id(&self) -> TransId;
    /// Gives it another code.
    fn set_id(&mut self, id: TransId);
    /// Its place in the order of creation.
    fn sequence(&self) -> u64;
    /// Whether nothing has become of it yet.
    fn is_pending(&self) -> bool;
}

impl StoredPayment for Payment {
    fn id(&self) -> TransId {
        self.id
    }

    fn set_id(&mut self, id: TransId) {
        self.id = id;
    }

    fn sequence(&self) -> u64 {
        self.sequence
    }

    fn is_pending(&self) -> bool {
        matches!(self.state, crate::gateway::core::State::Pending)
    }
}

impl StoredPayment for QrPayment {
    fn id(&self) -> TransId {
        self.id
    }

    fn set_id(&mut self, id: TransId) {
        self.id = id;
    }

    fn sequence(&self) -> u64 {
        self.sequence
    }

    fn is_pending(&self) -> bool {
        matches!(self.state, crate::qr::core::State::Pending)
    }
}

/// Boxed, so that a growing table moves pointers only.
type Shard<E> = Mutex<HashMap<TransId, Box<E>>>;

/// Payments by their code.
pub(super) struct PaymentStore<E> {
    shards: [Shard<E>; SHARDS],
    finished: Option<Finished>,
}

/// Finished payments in the order they finished, where only the last `keep` are kept.
struct Finished {
    keep: usize,
    ids: Mutex<VecDeque<TransId>>,
    /// All that were created lately.
    created: Mutex<VecDeque<TransId>>,
}

impl<E: StoredPayment> PaymentStore<E> {
    /// An empty store, which keeps all finished payments, or only the last `keep_finished`.
    pub(super) fn new(keep_finished: Option<usize>) -> Self {
        let finished = keep_finished.map(|keep| Finished { keep, ids: Mutex::default(), created: Mutex::default() });
        Self { shards: std::array::from_fn(|_| Shard::default()), finished }
    }

    /// Adds a payment under its code, or under the next one that is drawn for it: the same code of 36¹² may be drawn twice.
    pub(super) fn add(&self, payment: E, ids: &IdGenerator) -> TransId {
        let mut payment = Box::new(payment);
        loop {
            let id = payment.id();
            let Err(same_code) = self.insert(payment) else { return id };
            payment = same_code;
            payment.set_id(ids.draw().id);
        }
    }

    /// Adds a payment; gives it back if its code is taken.
    fn insert(&self, payment: Box<E>) -> Result<(), Box<E>> {
        let id = payment.id();
        let Some(shard) = self.shard(id) else { return Err(payment) };
        match lock(shard).entry(id) {
            hash_map::Entry::Vacant(place) => place.insert(payment),
            hash_map::Entry::Occupied(_) => return Err(payment),
        };
        self.forget_unpaid(id);
        Ok(())
    }

    /// If only some payments are kept, unpaid ones must not pile up either.
    fn forget_unpaid(&self, newest: TransId) {
        let Some(finished) = &self.finished else { return };
        let oldest = {
            let mut created = lock(&finished.created);
            created.push_back(newest);
            if created.len() > finished.keep.saturating_add(MOST_PENDING) { created.pop_front() } else { None }
        };
        let Some((oldest, shard)) = oldest.and_then(|oldest| Some((oldest, self.shard(oldest)?))) else { return };
        if let hash_map::Entry::Occupied(place) = lock(shard).entry(oldest)
            && place.get().is_pending()
        {
            place.remove();
        }
    }

    /// Runs an action on a payment, which is locked meanwhile.
    pub(super) fn with<R>(&self, id: TransId, action: impl FnOnce(&mut E) -> R) -> Option<R> {
        lock(self.shard(id)?).get_mut(&id).map(|payment| action(payment))
    }

    /// Notes that a payment is finished, and forgets the oldest such beyond those to keep.
    pub(super) fn finish(&self, id: TransId) {
        let Some(finished) = &self.finished else { return };
        let mut ids = lock(&finished.ids);
        ids.push_back(id);
        while ids.len() > finished.keep {
            if let Some(oldest) = ids.pop_front() {
                self.shard(oldest).map(|shard| lock(shard).remove(&oldest));
            }
        }
    }

    /// A view of the newest payments, in the order of creation, and how many older ones there are.
    pub(super) fn newest<R>(&self, most: usize, view: impl Fn(&E) -> R) -> (Vec<R>, usize) {
        let mut found: Vec<(u64, TransId)> = Vec::new();
        for shard in &self.shards {
            found.extend(lock(shard).values().map(|payment| (payment.sequence(), payment.id())));
        }
        found.sort_unstable_by_key(|(sequence, _)| *sequence);
        let older = found.len().saturating_sub(most);
        let rows = found.into_iter().skip(older).filter_map(|(_, id)| self.with(id, |payment| view(payment)));
        (rows.collect(), older)
    }

    /// The number of payments.
    pub(super) fn len(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).len()).sum()
    }

    fn shard(&self, id: TransId) -> Option<&Shard<E>> {
        let shards = u64::try_from(SHARDS).ok()?;
        self.shards.get(usize::try_from(id.number() % shards).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As little as a stored payment can be.
    struct Row(u64, bool);

    impl StoredPayment for Row {
        fn id(&self) -> TransId {
            TransId::from_random(self.0)
        }

        fn set_id(&mut self, id: TransId) {
            unreachable!("{id} is free")
        }

        fn sequence(&self) -> u64 {
            self.0
        }

        fn is_pending(&self) -> bool {
            self.1
        }
    }

    fn filled(keep: Option<usize>, rows: u64) -> PaymentStore<Row> {
        let store = PaymentStore::new(keep);
        for number in 0..rows {
            // The first is not pending.
            assert!(store.insert(Box::new(Row(number, number > 0))).is_ok());
        }
        store
    }

    #[test]
    fn forgetting_payments_includes_unpaid_ones() {
        let many = MOST_PENDING as u64 + 5;
        let store = filled(Some(2), many);
        assert_eq!(store.len(), MOST_PENDING + 2 + 1, "the newest, and the one that was paid");
        let has = |number| store.with(TransId::from_random(number), |_| ()).is_some();
        assert!(has(0) && !has(1) && !has(2) && has(3) && has(many - 1));
    }

    #[test]
    fn a_list_holds_the_newest_and_says_how_many_are_older() {
        let store = filled(None, 100);
        let (rows, older) = store.newest(3, StoredPayment::sequence);
        assert_eq!((rows, older), (vec![97, 98, 99], 97));
        assert_eq!(store.newest(1000, StoredPayment::sequence).1, 0);
    }
}
