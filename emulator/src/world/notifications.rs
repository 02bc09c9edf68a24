//! Notifications on their way: sent in the background, repeated, given up with an e-mail.

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::World;
use super::notifier::Notification;
use super::outbox::{Attempt, Email, Turn};
use super::settings::RetrySettings;
use crate::common::freedoms::Behaviour;

/// The delay of a notification in a world that sends them late.
const LATE: Duration = Duration::from_millis(120);

/// Counts a delivery as under way until it is dropped, even by a panic.
struct UnderWay {
    world: Arc<World>,
    turn: Option<Turn>,
}

impl UnderWay {
    fn new(world: &Arc<World>) -> Self {
        world.outbox.begin_delivery();
        Self { world: Arc::clone(world), turn: world.delivers_in_order().then(|| world.outbox.next_turn()) }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.world.outbox.end_delivery();
    }
}

impl World {
    /// Sends a notification in the background.
    pub(super) fn send(self: &Arc<Self>, notification: Notification) {
        let mut under_way = UnderWay::new(self);
        tokio::spawn(async move {
            let UnderWay { world, turn } = &mut under_way;
            tokio::select! {
                biased;
                () = world.outbox.until_closed() => {}
                () = world.deliver(notification, turn.as_mut()) => {}
            }
        });
    }

    /// Whether one delivery waits for the one before. Where time is virtual it stands still for deliveries anyway, and so the
    /// same calls are notified in the same order whatever else the machine does.
    fn delivers_in_order(&self) -> bool {
        self.clock.is_virtual() && !self.behaves(Behaviour::NotificationsReordered)
    }

    async fn deliver(self: &Arc<Self>, notification: Notification, turn: Option<&mut Turn>) {
        if let Some(turn) = turn {
            turn.comes().await;
        }
        let Ok(_permit) = self.outbox.permits.acquire().await else { return };
        // Boxed, so that a notification that waits for its turn takes no room for the sending: with a merchant that stalls,
        // hundreds of thousands may wait, for none is dropped.
        Box::pin(self.attempt(notification)).await;
    }

    async fn attempt(self: &Arc<Self>, mut notification: Notification) {
        notification.attempt += 1;
        let at = self.now();
        let timeout = Duration::from_secs(u64::from(self.settings.retry.timeout_seconds));
        if notification.attempt == 1
            && let Some(pause) = self.delay()
        {
            tokio::time::sleep(pause).await;
        }
        let result = self.notifier.send(&notification, timeout).await;
        if result.acknowledges() && self.behaves(Behaviour::NotificationsTwice) {
            self.notifier.send(&notification, timeout).await;
        }
        let acknowledged = result.acknowledges();
        let Notification { trans_id, status, attempt, .. } = notification;
        self.outbox.log(Attempt { trans_id, status, attempt, at, result });
        if !acknowledged {
            self.repeat_or_give_up(notification, at);
        }
    }

    /// The delay of a first attempt: of each of them, or of every other one, which the next then overtakes.
    fn delay(&self) -> Option<Duration> {
        let late = self.behaves(Behaviour::NotificationsLate)
            || self.behaves(Behaviour::NotificationsReordered) && self.outbox.count_delivery().is_multiple_of(2);
        late.then_some(LATE)
    }

    /// The document does not show the pauses. Those that a world was opened with stay.
    fn pause_after(&self, attempts: u32) -> Option<SignedDuration> {
        let retry = &self.settings.retry;
        let pause = retry.pause_after(attempts)?;
        let evenly = || SignedDuration::from_secs(i64::from(retry.first_seconds));
        Some(match *retry == RetrySettings::default() {
            true if self.behaves(Behaviour::RetriesEvenly) => evenly(),
            true if self.behaves(Behaviour::RetriesSlowly) => pause.saturating_mul(3),
            _ => pause,
        })
    }

    fn repeat_or_give_up(&self, notification: Notification, at: Timestamp) {
        match self.pause_after(notification.attempt) {
            Some(pause) => self.schedule.repeat(at.saturating_add(pause).unwrap_or(Timestamp::MAX), Box::new(notification)),
            None => self.outbox.mail(Email::error_report(notification, at)),
        }
    }
}
