//! The outages of a world, current, planned and past.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::Timestamp;

use crate::base::sync::lock;
use crate::common::Selection;
use crate::status::core::Outage;

/// The outages of a world.
#[derive(Default)]
pub(crate) struct Outages {
    all: Mutex<Vec<Outage>>,
    /// Creations look here first: almost always there are none.
    count: AtomicUsize,
}

impl Outages {
    /// Publishes an outage and numbers it.
    pub(crate) fn publish(&self, outage: Outage) -> u32 {
        let mut all = lock(&self.all);
        let id = u32::try_from(all.len()).unwrap_or(u32::MAX).saturating_add(1);
        all.push(Outage { id, ..outage });
        self.count.store(all.len(), Ordering::Release);
        id
    }

    /// Ends an outage now; `false` if there is none of this number.
    pub(crate) fn end(&self, id: u32, now: Timestamp) -> bool {
        let mut all = lock(&self.all);
        let Some(outage) = all.iter_mut().find(|outage| outage.id == id) else { return false };
        outage.date_to = outage.date_to.min(now).max(outage.date_from);
        true
    }

    /// "Current, planned and recently resolved outages."
    pub(crate) fn shown(&self, now: Timestamp) -> Vec<Outage> {
        lock(&self.all).iter().filter(|outage| outage.is_shown(now)).cloned().collect()
    }

    /// Whether the whole gateway is out.
    pub(crate) fn is_complete(&self, now: Timestamp) -> bool {
        lock(&self.all).iter().any(|outage| outage.is_complete(now))
    }

    /// The methods that payers can't use.
    pub(crate) fn closed_methods(&self, now: Timestamp) -> Selection {
        if self.count.load(Ordering::Acquire) == 0 {
            return Selection::NONE;
        }
        let all = lock(&self.all);
        all.iter().filter(|outage| outage.is_on(now)).fold(Selection::NONE, |closed, outage| closed.or(outage.closed_methods()))
    }
}
