//! Runs the send slots of one load and reads the meter every second.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep_until};

use super::options::PushOptions;
use super::send_slots::{ReleaseQueue, SendSlots};
use super::sender::PushSender;
use super::summary::{self, PushLoopEnd, RunInfo};
use crate::load::meter::{SAMPLING_INTERVAL, Tick};
use crate::load::pacer::IntendedStarts;
use crate::load::result::Early;
use crate::load::run_loop::{GRACE, LoadObserver, Phase, RunProgress};
use crate::load::silence::SilenceWatch;

/// One load.
pub(super) struct PushLoop<'p, C> {
    pub(super) slots: &'p Arc<SendSlots<C>>,
    pub(super) options: &'p PushOptions,
    pub(super) starts: &'p dyn IntendedStarts,
    pub(super) observer: &'p mut dyn LoadObserver,
    pub(super) about: &'p RunInfo,
}

/// How far a load has come.
#[derive(Default)]
struct PushProgress {
    /// The number of due pushes that earlier readings of the meter reported.
    counted: u64,
    /// The end of the load; `None` while pushes are started.
    played: Option<PushLoopEnd>,
    silence: SilenceWatch,
}

impl<C: PushSender> PushLoop<'_, C> {
    /// Runs all slots until the end of the load. Then it calls `end`, which must close `queue`, and waits for the pushes under way; if
    /// the user has ended the load, for [`GRACE`] at most.
    ///
    /// # Errors
    /// The error of the observer.
    pub(super) async fn run<T: ReleaseQueue>(
        mut self,
        queue: &Arc<T>,
        end: impl Fn(),
        stop: impl Future<Output = ()>,
    ) -> io::Result<PushLoopEnd> {
        let mut senders: JoinSet<()> = (0..self.options.connections).map(|_| Arc::clone(self.slots).run(Arc::clone(queue))).collect();
        let mut ticks = interval_at(self.slots.start + SAMPLING_INTERVAL, SAMPLING_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let over = sleep_until(self.slots.start + self.options.duration);
        tokio::pin!(over, stop);
        let mut progress = PushProgress::default();
        let (mut stopped, mut abort_at) = (false, None);
        loop {
            tokio::select! {
                biased;
                () = &mut stop, if !stopped => {
                    stopped = true;
                    progress.played.get_or_insert_with(|| self.ended(Some(Early::Interrupted)));
                    abort_at = Some(Instant::now() + GRACE);
                }
                () = sleep_until(abort_at.unwrap_or(self.slots.start)), if abort_at.is_some() => {
                    senders.abort_all();
                    abort_at = None;
                }
                () = &mut over, if progress.played.is_none() => progress.played = Some(self.ended(None)),
                _ = ticks.tick() => self.on_tick(&mut progress)?,
                sender = senders.join_next() => if sender.is_none() { break },
            }
            if progress.played.is_some() {
                end();
            }
        }
        // All pushes ended before the planned end: the load counts with its planned length.
        let played = progress.played.unwrap_or(PushLoopEnd { early: None, measured: self.options.duration });
        self.tick(progress.counted, played.measured, Phase::Draining)?;
        Ok(played)
    }

    /// The end of a load that starts no further push from now on.
    fn ended(&self, early: Option<Early>) -> PushLoopEnd {
        PushLoopEnd { early, measured: self.slots.start.elapsed().min(self.options.duration) }
    }

    /// Reads the meter, and ends a load that has become pointless.
    fn on_tick(&mut self, progress: &mut PushProgress) -> io::Result<()> {
        let (until, phase) = match &progress.played {
            None => (self.slots.start.elapsed(), Phase::Measuring),
            Some(PushLoopEnd { measured, .. }) => (*measured, Phase::Draining),
        };
        progress.counted = self.tick(progress.counted, until, phase)?;
        if progress.played.is_none() {
            progress.played = self.pointless(&mut progress.silence).map(|early| self.ended(Some(early)));
        }
        Ok(())
    }

    /// Why further pushes would prove nothing, if so.
    fn pointless(&self, silence: &mut SilenceWatch) -> Option<Early> {
        if silence.gives_up(&self.slots.responsiveness, self.slots.start.elapsed()) {
            return Some(Early::Unreachable);
        }
        self.killswitch_triggers().then_some(Early::Killswitch)
    }

    /// Reads the meter. `counted` is the number of due pushes that earlier readings reported; returns the number of pushes that are due
    /// before `until`.
    fn tick(&mut self, counted: u64, until: Duration, phase: Phase) -> io::Result<u64> {
        let Self { slots, options, starts, observer, about } = self;
        let mut due = counted;
        while starts.due(due).is_some_and(|at| at < until) {
            due += 1;
        }
        let users = slots.counts.busy.load(Ordering::Relaxed);
        slots.meter.tick(Tick { at: slots.start.elapsed(), users, intended: Some(due - counted) }, |interval| {
            observer.on_second(&RunProgress {
                phase,
                interval,
                outstanding: 0,
                awaits: false,
                planned: options.duration,
                warm_up: Duration::ZERO,
                trial: None,
            })
        })?;
        if observer.wants_result() {
            let so_far = PushLoopEnd { early: Some(Early::Unfinished), measured: until };
            observer.on_result(summary::result(slots, options, &so_far, about));
        }
        Ok(due)
    }

    fn killswitch_triggers(&self) -> bool {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        self.options.killswitch.triggers(read(&self.slots.counts.pushed), read(&self.slots.counts.failed))
    }
}
