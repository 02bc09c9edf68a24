//! The passing of time: due actions are carried out in the order of time.

use std::sync::{Arc, Weak};
use std::time::Duration;

use jiff::Timestamp;

use super::World;
use super::schedule::Due;

/// Why a clock can't be advanced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AdvanceError {
    /// The world runs on real time.
    RealClock,
    /// Time doesn't go back.
    Backwards,
}

impl World {
    /// Moves a virtual clock on. Everything due on the way is carried out at its time, and its deliveries are over before
    /// time moves on; so when this returns, everything due until then has happened.
    pub(crate) async fn advance(self: &Arc<Self>, target: impl FnOnce(Timestamp) -> Timestamp) -> Result<Timestamp, AdvanceError> {
        if !self.clock.is_virtual() {
            return Err(AdvanceError::RealClock);
        }
        let _advancing = self.advancing.lock().await;
        let target = target(self.now());
        if target < self.now() {
            return Err(AdvanceError::Backwards);
        }
        self.outbox.settle().await;
        while let Some((at, due)) = self.schedule.pop_earliest(target) {
            self.clock.move_to(at);
            due.into_iter().for_each(|due| self.carry_out_due(due));
            self.outbox.settle().await;
        }
        self.clock.move_to(target);
        Ok(self.now())
    }

    fn carry_out_due(self: &Arc<Self>, due: Due) {
        match due {
            Due::Expiry(id) => {
                // Reading a payment is enough to let it expire.
                self.read_payment(id, |_, _| ());
            }
            Due::Qr(id) => {
                self.with_qr_payment(id, |_, _| ());
            }
            Due::Notification(notification) => self.send(*notification),
        }
    }
}

/// Carries out due actions in a world on real time, as long as the world exists.
pub(super) fn keep_time(world: &Arc<World>) {
    let wake_up = world.schedule.wake_up();
    let world: Weak<World> = Arc::downgrade(world);
    tokio::spawn(async move {
        while let Some(pause) = world.upgrade().map(|world| world.catch_up()) {
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = wake_up.notified() => {}
            }
        }
    });
}

impl World {
    /// Carries out the actions that are due, and returns the time until the next one.
    fn catch_up(self: &Arc<Self>) -> Duration {
        const LONG: Duration = Duration::from_secs(3600);
        let now = self.now();
        while let Some((_, due)) = self.schedule.pop_earliest(now) {
            due.into_iter().for_each(|due| self.carry_out_due(due));
        }
        self.schedule.next().map_or(LONG, |next| Duration::try_from(next.duration_since(now)).unwrap_or_default().min(LONG))
    }
}
