//! The schedule of a world: payments expire, notifications are repeated.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use jiff::Timestamp;
use tokio::sync::Notify;

use crate::base::sync::lock;
use crate::common::TransId;
use crate::world::Notification;

/// Something that is due.
pub(super) enum Due {
    /// A payment may expire.
    Expiry(TransId),
    /// Time changes a QR payment: it expires, or a test ends.
    Qr(TransId),
    /// A notification is sent again.
    Notification(Box<Notification>),
}

/// A place in the schedule: time first, then the order in which it was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    at: Timestamp,
    number: u64,
}

#[derive(Default)]
struct Entries {
    due: BTreeMap<Place, Due>,
    added: u64,
}

/// Payments waiting for their payer have the number of their creation, so that they can be found and taken out; the
/// rest counts from here.
const NOTIFICATIONS_FROM: u64 = 1 << 63;

/// Everything that is due, by time.
#[derive(Default)]
pub(super) struct Schedule {
    entries: Mutex<Entries>,
    sooner: Arc<Notify>,
}

impl Schedule {
    /// A payment waits for its payer until `at`.
    pub(super) fn expect_payer(&self, at: Timestamp, sequence: u64, id: TransId) {
        self.add(self.entries(), Place { at, number: sequence }, Due::Expiry(id));
    }

    /// Time changes a QR payment at `at`.
    pub(super) fn expect_qr_payment(&self, at: Timestamp, sequence: u64, id: TransId) {
        self.add(self.entries(), Place { at, number: sequence }, Due::Qr(id));
    }

    /// A payment no longer waits for its payer.
    pub(super) fn stop_waiting(&self, at: Timestamp, sequence: u64) {
        self.entries().due.remove(&Place { at, number: sequence });
    }

    /// A notification is to be sent again.
    pub(super) fn repeat(&self, at: Timestamp, notification: Box<Notification>) {
        let mut entries = self.entries();
        entries.added += 1;
        let number = NOTIFICATIONS_FROM + entries.added;
        self.add(entries, Place { at, number }, Due::Notification(notification));
    }

    fn add(&self, mut entries: MutexGuard<'_, Entries>, place: Place, due: Due) {
        entries.due.insert(place, due);
        if entries.due.first_key_value().is_some_and(|(first, _)| *first == place) {
            self.sooner.notify_one();
        }
    }

    /// Takes out everything due at the earliest time, if that is not later than `until`.
    pub(super) fn pop_earliest(&self, until: Timestamp) -> Option<(Timestamp, Vec<Due>)> {
        let mut entries = self.entries();
        let earliest = entries.due.first_key_value().map(|(place, _)| place.at).filter(|at| *at <= until)?;
        let mut popped = Vec::new();
        while let Some(entry) = entries.due.first_entry().filter(|entry| entry.key().at == earliest) {
            popped.push(entry.remove());
        }
        Some((earliest, popped))
    }

    /// When the next thing is due.
    pub(super) fn next(&self) -> Option<Timestamp> {
        self.entries().due.first_key_value().map(|(place, _)| place.at)
    }

    /// The number of notifications that wait to be sent again.
    pub(super) fn notifications(&self) -> usize {
        self.entries().due.values().filter(|due| matches!(due, Due::Notification(_))).count()
    }

    /// Notifies when something became due sooner than all else.
    pub(super) fn wake_up(&self) -> Arc<Notify> {
        Arc::clone(&self.sooner)
    }

    /// Forgets everything.
    pub(super) fn clear(&self) {
        self.entries().due.clear();
        self.sooner.notify_one();
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        lock(&self.entries)
    }
}
