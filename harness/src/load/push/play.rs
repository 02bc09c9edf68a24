//! The load from its beginning to its end: lanes on their way, the meter read every second.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval_at, sleep_until};

use super::Options;
use super::carrier::Carrier;
use super::lanes::{Lanes, Turns};
use crate::load::meter::{Interval, Tick};
use crate::load::pacer::Starts;
use crate::load::result::Early;

/// How often the meter is read.
const TICK: Duration = Duration::from_secs(1);

/// One load.
pub(super) struct Play<'p, C, S> {
    pub(super) lanes: &'p Arc<Lanes<C>>,
    pub(super) options: &'p Options,
    pub(super) starts: &'p dyn Starts,
    pub(super) see: S,
}

/// How it went.
pub(super) struct Played {
    /// Why it ended before its time.
    pub(super) early: Option<Early>,
    /// How long pushes were begun; what was under way then is not in it.
    pub(super) measured: Duration,
}

impl<C: Carrier, S: FnMut(&Interval<'_>)> Play<'_, C, S> {
    /// Runs all lanes until the end of the load; `end` is called then, and `turns` gives nothing more. What is under
    /// way is awaited.
    pub(super) async fn run<T: Turns>(mut self, turns: &Arc<T>, end: impl Fn(), stop: impl Future<Output = ()>) -> Played {
        let mut drivers: JoinSet<()> = (0..self.options.connections).map(|_| Arc::clone(self.lanes).drive(Arc::clone(turns))).collect();
        let mut ticks = interval_at(self.lanes.start + TICK, TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let over = sleep_until(self.lanes.start + self.options.duration);
        tokio::pin!(over, stop);
        let (mut counted, mut played) = (0, None);
        let measured = |early| Some(Played { early, measured: self.lanes.start.elapsed().min(self.options.duration) });
        loop {
            tokio::select! {
                biased;
                () = &mut stop, if played.is_none() => played = measured(Some(Early::Interrupted)),
                () = &mut over, if played.is_none() => played = measured(None),
                _ = ticks.tick() => {
                    let until = played.as_ref().map_or_else(|| self.lanes.start.elapsed(), |played: &Played| played.measured);
                    counted = tick(self.lanes, self.starts, counted, until, &mut self.see);
                    if played.is_none() && self.is_pointless() {
                        played = measured(Some(Early::Killswitch));
                    }
                }
                driver = drivers.join_next() => if driver.is_none() { break },
            }
            if played.is_some() {
                end();
            }
        }
        // Everything was begun before the end, and the last answer is there: the load is as long as it was to be.
        let played = played.unwrap_or(Played { early: None, measured: self.options.duration });
        tick(self.lanes, self.starts, counted, played.measured, &mut self.see);
        played
    }

    fn is_pointless(&self) -> bool {
        let read = |count: &std::sync::atomic::AtomicU64| count.load(Ordering::Relaxed);
        let (pushed, failed) = (read(&self.lanes.counts.pushed), read(&self.lanes.counts.failed));
        #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
        let share = failed as f64 / pushed.max(1) as f64;
        pushed >= self.options.killswitch.after && share > self.options.killswitch.errors
    }
}

/// Reads the meter; what was due until `until` was to be begun, and of that `counted` was told before. Answers with the
/// number of all that was due.
fn tick<C>(lanes: &Lanes<C>, starts: &dyn Starts, counted: u64, until: Duration, see: &mut impl FnMut(&Interval<'_>)) -> u64 {
    let mut due = counted;
    while starts.due(due).is_some_and(|at| at < until) {
        due += 1;
    }
    let users = lanes.counts.busy.load(Ordering::Relaxed);
    lanes.meter.tick(Tick { at: lanes.start.elapsed(), users, intended: Some(due - counted) }, see);
    due
}
