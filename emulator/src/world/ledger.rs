//! The payments of a world, in shards, so that calls about different payments don't wait for each other.

use std::collections::{HashMap, VecDeque, hash_map};
use std::sync::Mutex;

use crate::base::sync::lock;
use crate::common::TransId;
use crate::gateway::core::Payment;
use crate::qr::core::QrPayment;

const SHARDS: usize = 64;

/// What a ledger keeps.
pub(super) trait Entry {
    /// Its code.
    fn id(&self) -> TransId;
    /// Its place in the order of creation.
    fn sequence(&self) -> u64;
}

impl Entry for Payment {
    fn id(&self) -> TransId {
        self.id
    }

    fn sequence(&self) -> u64 {
        self.sequence
    }
}

impl Entry for QrPayment {
    fn id(&self) -> TransId {
        self.id
    }

    fn sequence(&self) -> u64 {
        self.sequence
    }
}

/// Boxed, so that a growing table moves pointers only.
type Shard<E> = Mutex<HashMap<TransId, Box<E>>>;

/// Payments by their code.
pub(super) struct Ledger<E> {
    shards: [Shard<E>; SHARDS],
    finished: Option<Finished>,
}

/// Finished payments in the order they finished, where only the last `keep` are kept.
struct Finished {
    keep: usize,
    ids: Mutex<VecDeque<TransId>>,
}

impl<E: Entry> Ledger<E> {
    /// An empty ledger, which keeps all finished payments, or only the last `keep_finished`.
    pub(super) fn new(keep_finished: Option<usize>) -> Self {
        let finished = keep_finished.map(|keep| Finished { keep, ids: Mutex::default() });
        Self { shards: std::array::from_fn(|_| Shard::default()), finished }
    }

    /// Adds a payment; gives it back if its code is taken.
    pub(super) fn insert(&self, payment: Box<E>) -> Result<(), Box<E>> {
        let Some(shard) = self.shard(payment.id()) else { return Err(payment) };
        match lock(shard).entry(payment.id()) {
            hash_map::Entry::Vacant(place) => {
                place.insert(payment);
                Ok(())
            }
            hash_map::Entry::Occupied(_) => Err(payment),
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

    /// A view of every payment, in the order of creation.
    pub(super) fn list<R>(&self, view: impl Fn(&E) -> R) -> Vec<R> {
        let mut rows: Vec<(u64, R)> = Vec::new();
        for shard in &self.shards {
            rows.extend(lock(shard).values().map(|payment| (payment.sequence(), view(payment.as_ref()))));
        }
        rows.sort_by_key(|(sequence, _)| *sequence);
        rows.into_iter().map(|(_, row)| row).collect()
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
