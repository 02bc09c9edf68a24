//! Outages of the gateway, current, planned and past.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::gateway::core::method::Selection;
use crate::sync::lock;
use crate::words::words;

words! {
    /// What an outage affects.
    pub(crate) enum OutageKind {
        /// The whole gateway.
        Complete = "COMPLETE",
        PaymentButton = "PAYMENT_BUTTON",
        QrCode = "QR_CODE",
    }
}

/// "Recently resolved": how long a past outage is still told about.
const RECENTLY: SignedDuration = SignedDuration::from_hours(7 * 24);

/// An outage record, as told by the status API.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Outage {
    pub(crate) id: u32,
    pub(crate) name_cs: String,
    pub(crate) name_sk: String,
    pub(crate) name_en: String,
    pub(crate) date_from: Timestamp,
    pub(crate) date_to: Timestamp,
    pub(crate) date_published: Timestamp,
    pub(crate) detail_cs: String,
    pub(crate) detail_sk: String,
    pub(crate) detail_en: String,
    pub(crate) methods: Vec<String>,
    #[serde(rename = "type", serialize_with = "kind_word")]
    pub(crate) kind: OutageKind,
    pub(crate) scheduled: bool,
}

fn kind_word<S: serde::Serializer>(kind: &OutageKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.word())
}

impl Outage {
    fn is_on(&self, now: Timestamp) -> bool {
        (self.date_from..self.date_to).contains(&now)
    }

    fn closed(&self) -> Selection {
        match self.kind {
            OutageKind::Complete => Selection::ALL,
            OutageKind::PaymentButton | OutageKind::QrCode => {
                Selection::such_that(|method| self.methods.iter().any(|affected| affected == method.id))
            }
        }
    }
}

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
    pub(crate) fn told_about(&self, now: Timestamp) -> Vec<Outage> {
        lock(&self.all).iter().filter(|outage| outage.date_to.saturating_add(RECENTLY).unwrap_or(Timestamp::MAX) >= now).cloned().collect()
    }

    /// Whether the whole gateway is out.
    pub(crate) fn is_complete(&self, now: Timestamp) -> bool {
        lock(&self.all).iter().any(|outage| outage.kind == OutageKind::Complete && outage.is_on(now))
    }

    /// The methods nobody can pay with.
    pub(crate) fn closed(&self, now: Timestamp) -> Selection {
        if self.count.load(Ordering::Acquire) == 0 {
            return Selection::NONE;
        }
        let all = lock(&self.all);
        all.iter().filter(|outage| outage.is_on(now)).fold(Selection::NONE, |closed, outage| closed.or(outage.closed()))
    }
}
