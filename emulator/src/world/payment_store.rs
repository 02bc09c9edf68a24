//! The payments of a world, in shards, so that calls about different payments don't wait for each other.

use std::collections::{HashMap, VecDeque, hash_map};
use std::sync::Mutex;

use crate::base::sync::lock;
use crate::common::{IdGenerator, TransId};
use crate::gateway::core::Payment;
use crate::qr::core::QrPayment;

const SHARDS: usize = 64;
/// If only the last finished payments are kept: a payment that is still unfinished is forgotten after this many newer ones, in
/// addition to the number that is kept.
const MOST_UNFINISHED: usize = 100_000;

/// A payment that a store keeps.
pub(super) trait StoredPayment {
    /// Its code.
    fn id(&self) -> TransId;
    /// Gives it another code.
    fn set_id(&mut self, id: TransId);
    /// Its place in the order of creation.
    fn sequence(&self) -> u64;
    /// Whether it has not reached its final state.
    fn is_unfinished(&self) -> bool;
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

    fn is_unfinished(&self) -> bool {
        use crate::gateway::core::State;
        matches!(self.state, State::Pending | State::Authorized { .. })
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

    fn is_unfinished(&self) -> bool {
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

    /// Adds a payment under its code, or under the next one that is drawn for it: the same code of 36¹² may be drawn twice. Returns
    /// the code, and the unfinished payment that is forgotten for it.
    pub(super) fn add(&self, payment: E, ids: &IdGenerator) -> (TransId, Option<Box<E>>) {
        let mut payment = Box::new(payment);
        loop {
            let id = payment.id();
            let Err(same_code) = self.insert(payment) else { return (id, self.forget_unfinished(id)) };
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
        Ok(())
    }

    /// If only some payments are kept, unfinished ones must not pile up either. Returns the one that is forgotten.
    fn forget_unfinished(&self, newest: TransId) -> Option<Box<E>> {
        let finished = self.finished.as_ref()?;
        let oldest = {
            let mut created = lock(&finished.created);
            created.push_back(newest);
            if created.len() > finished.keep.saturating_add(MOST_UNFINISHED) { created.pop_front() } else { None }
        };
        let oldest = oldest?;
        match lock(self.shard(oldest)?).entry(oldest) {
            hash_map::Entry::Occupied(place) if place.get().is_unfinished() => Some(place.remove()),
            hash_map::Entry::Occupied(_) | hash_map::Entry::Vacant(_) => None,
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
    use crate::common::examples::noon;
    use crate::gateway::core::examples::{creation, payment_of};
    use crate::gateway::core::payer::Payer;
    use crate::gateway::core::{Capture, Creation};

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

        fn is_unfinished(&self) -> bool {
            self.1
        }
    }

    /// A store with this many payments, and the numbers of those that were forgotten meanwhile.
    fn filled(keep: Option<usize>, rows: u64) -> (PaymentStore<Row>, Vec<u64>) {
        let (store, ids) = (PaymentStore::new(keep), IdGenerator::seeded(1));
        // The first is finished.
        let forgotten = (0..rows).filter_map(|number| store.add(Row(number, number > 0), &ids).1).map(|row| row.0).collect();
        (store, forgotten)
    }

    #[test]
    fn forgetting_payments_includes_unfinished_ones() {
        let many = MOST_UNFINISHED as u64 + 5;
        let (store, forgotten) = filled(Some(2), many);
        assert_eq!(forgotten, [1, 2], "so that they can be taken out of the schedule");
        assert_eq!(store.len(), MOST_UNFINISHED + 2 + 1, "the newest, and the one that is finished");
        let has = |number| store.with(TransId::from_random(number), |_| ()).is_some();
        assert!(has(0) && !has(1) && !has(2) && has(3) && has(many - 1));
    }

    #[test]
    fn an_authorized_payment_is_unfinished() {
        let mut payment = payment_of(&Creation { preauth: true, ..creation() });
        payment.pay(Payer::default(), noon()).unwrap();
        assert!(payment.is_unfinished());
        Capture::default().apply(&mut payment).unwrap();
        assert!(!payment.is_unfinished());
    }

    #[test]
    fn a_list_holds_the_newest_and_says_how_many_are_older() {
        let (store, _) = filled(None, 100);
        let (rows, older) = store.newest(3, StoredPayment::sequence);
        assert_eq!((rows, older), (vec![97, 98, 99], 97));
        assert_eq!(store.newest(1000, StoredPayment::sequence).1, 0);
    }
}
