//! Watches a run while it goes on: reads the meter every second, and notices why the run is to end.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::MissedTickBehavior;

use crate::base::interrupt::Interrupt;
use crate::load::meter::{Interval, Tick};
use crate::load::notification_accounting::NotificationAccounting;
use crate::load::prometheus::MetricsPage;
use crate::load::resources::Resources;
use crate::load::result::Early;
use crate::load::run_error::RunError;
use crate::load::run_state::RunState;

/// How often the run loop looks whether something has happened.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// How often the meter is read.
const SAMPLING_INTERVAL: Duration = Duration::from_secs(1);
/// The last interval has what ended while the run waited for its users; it is at least this long.
pub(super) const SHORTEST_INTERVAL: Duration = Duration::from_millis(1);

/// Whether the user ends the run: by a signal, or in goose's dashboard.
pub(super) fn is_ended_by_user(interrupt: &Interrupt) -> bool {
    interrupt.has_come() || goose::is_killswitch_triggered()
}

/// Where a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Users play, and nothing is measured.
    WarmUp,
    /// Users play, and everything is measured.
    Measuring,
    /// No iteration starts any more; the last ones end.
    Draining,
}

/// A second of a run while it goes on.
pub struct RunProgress<'s> {
    /// Where the run is.
    pub phase: Phase,
    /// What was measured in this second.
    pub interval: &'s Interval<'s>,
    /// Notifications that are due and have not come.
    pub outstanding: u64,
    /// Whether some scenario waits for notifications.
    pub awaits: bool,
    /// How long is measured in all.
    pub planned: Duration,
    /// How long the warm-up is before that.
    pub warm_up: Duration,
    /// The rate of this trial of a capacity search.
    pub trial: Option<f64>,
}

/// Watches a run while it goes on.
pub(super) struct RunWatcher<'d> {
    run: &'d RunState,
    notifications: &'d NotificationAccounting,
    /// Whether the warm-up is over.
    measuring: bool,
    /// The zero of all intervals: the start of the run, then the instant at which measuring really began.
    pub(super) origin: Duration,
    /// CPU time that this process had used when measuring began.
    pub(super) cpu: Option<Duration>,
    /// When the meter was last read, counted from `origin`.
    last: Duration,
    duration: Duration,
    trial: Option<f64>,
    /// Whether some scenario waits for notifications.
    awaits: bool,
    page: Option<Arc<MetricsPage>>,
}

impl<'d> RunWatcher<'d> {
    /// Watches a run that begins now. It is measured for `duration` after its warm-up.
    pub(super) fn new(
        run: &'d RunState,
        notifications: &'d NotificationAccounting,
        (duration, trial): (Duration, Option<f64>),
        awaits: bool,
        page: Option<Arc<MetricsPage>>,
    ) -> Self {
        let measuring = run.profile.warm_up.is_zero();
        let (origin, last, cpu) = (Duration::ZERO, Duration::ZERO, Resources::now().cpu);
        Self { run, notifications, measuring, origin, cpu, last, duration, trial, awaits, page }
    }

    /// Watches until the end of the run; returns why it ended before its time, if it did.
    pub(super) async fn watch(
        &mut self,
        interrupt: &Interrupt,
        on_second: &mut impl FnMut(&RunProgress<'_>) -> io::Result<()>,
    ) -> Result<Option<Early>, RunError> {
        let mut polls = tokio::time::interval(POLL_INTERVAL);
        polls.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            polls.tick().await;
            let elapsed = self.run.elapsed();
            self.begin_measuring(elapsed);
            let phase = if self.measuring { Phase::Measuring } else { Phase::WarmUp };
            if elapsed >= self.last_read() + SAMPLING_INTERVAL {
                self.read_meter(phase, elapsed, on_second)?;
            }
            // Users of ramping load may fail to get ready at any time.
            self.run.check()?;
            if is_ended_by_user(interrupt) {
                return Ok(Some(Early::Interrupted));
            }
            if self.run.killswitch_triggers() {
                return Ok(Some(Early::Killswitch));
            }
            if elapsed >= self.run.profile.warm_up + self.duration {
                return Ok(None);
            }
        }
    }

    /// When the meter was last read, counted from the start of the run.
    pub(super) fn last_read(&self) -> Duration {
        self.origin + self.last
    }

    fn begin_measuring(&mut self, elapsed: Duration) {
        if !self.measuring && elapsed >= self.run.profile.warm_up {
            self.run.meter.forget();
            self.measuring = true;
            self.origin = elapsed;
            self.cpu = Resources::now().cpu;
            self.last = Duration::ZERO;
        }
    }

    /// Reads the meter `elapsed` after the start of the run, and shows what was measured since it was last read.
    pub(super) fn read_meter(
        &mut self,
        phase: Phase,
        elapsed: Duration,
        on_second: &mut impl FnMut(&RunProgress<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let (from, at) = (self.last, elapsed.saturating_sub(self.origin));
        let intended = self.run.open.as_ref().map(|open| open.schedule.intended_between(self.origin + from, self.origin + at));
        self.last = at;
        let users = u64::try_from(self.run.users.load(Ordering::Relaxed)).unwrap_or(u64::MAX);
        let shown = self.run.meter.tick(Tick { at, users, intended }, |interval| on_second(&self.progress(phase, interval)));
        if let Some(page) = &self.page {
            page.update(&self.run.meter.snapshot());
        }
        shown
    }

    fn progress<'s>(&self, phase: Phase, interval: &'s Interval<'s>) -> RunProgress<'s> {
        RunProgress {
            phase,
            interval,
            outstanding: self.notifications.outstanding(),
            awaits: self.awaits,
            planned: self.duration,
            warm_up: self.run.profile.warm_up,
            trial: self.trial,
        }
    }
}
