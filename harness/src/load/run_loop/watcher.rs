//! Watches a run: reads the meter every second, and checks whether the run is to end.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use tokio::time::MissedTickBehavior;

use super::completed_run::CompletedRun;
use super::observer::Observed;
use super::run_progress::{Phase, RunProgress};
use crate::base::interrupt::Interrupt;
use crate::load::meter::{Interval, SAMPLING_INTERVAL, Tick};
use crate::load::metrics::MetricsPage;
use crate::load::notification_accounting::NotificationAccounting;
use crate::load::resources::Resources;
use crate::load::result::{Early, NotificationResult};
use crate::load::run_error::RunError;
use crate::load::run_state::RunState;
use crate::load::silence::SilenceWatch;

/// How often the run loop checks for events.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// The shortest length of the last interval, which contains the calls that ended while the run waited for its users.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(1);

/// Whether the user has ended the run: by a signal, or in goose's dashboard.
pub(super) fn is_ended_by_user(interrupt: &Interrupt) -> bool {
    interrupt.is_raised() || goose::is_killswitch_triggered()
}

/// Watches a run.
pub(super) struct RunWatcher<'d> {
    run: &'d RunState,
    pub(super) notifications: &'d NotificationAccounting,
    /// Whether the warm-up is over.
    measuring: bool,
    /// The zero of all intervals: the start of the run, then the instant at which measuring actually began.
    pub(super) origin: Duration,
    /// CPU time that this process had used when measuring began.
    pub(super) cpu: Option<Duration>,
    /// When the meter was last read, counted from `origin`.
    last: Duration,
    duration: Duration,
    silence: SilenceWatch,
    trial: Option<f64>,
    /// Whether some scenario waits for notifications.
    pub(super) awaits: bool,
    page: Option<Arc<MetricsPage>>,
    /// When measuring begins.
    pub(super) started: SystemTime,
    /// How much later than intended it begins.
    pub(super) late: Duration,
}

impl<'d> RunWatcher<'d> {
    /// Watches a run that begins now. It is measured for `duration` after its warm-up.
    pub(super) fn new(
        run: &'d RunState,
        notifications: &'d NotificationAccounting,
        duration: Duration,
        trial: Option<f64>,
        awaits: bool,
        page: Option<Arc<MetricsPage>>,
    ) -> Self {
        let measuring = run.profile.warm_up.is_zero();
        let (origin, last, cpu) = (Duration::ZERO, Duration::ZERO, Resources::now().cpu);
        Self {
            run,
            notifications,
            measuring,
            origin,
            cpu,
            last,
            duration,
            silence: SilenceWatch::default(),
            trial,
            awaits,
            page,
            started: SystemTime::now(),
            late: Duration::ZERO,
        }
    }

    /// Notes when measuring begins, and how much later than intended.
    pub(super) fn set_start(&mut self, started: SystemTime, late: Duration) {
        (self.started, self.late) = (started, late);
    }

    /// CPU time that this process has used since measuring began; none in the warm-up.
    pub(super) fn cpu_used(&self) -> Duration {
        if !self.measuring {
            return Duration::ZERO;
        }
        Resources::now().cpu.zip(self.cpu).map(|(now, then)| now.saturating_sub(then)).unwrap_or_default()
    }

    /// Watches until the end of the run; returns why it ended early, if it did.
    pub(super) async fn watch(&mut self, interrupt: &Interrupt, observed: &mut Observed<'_>) -> Result<Option<Early>, RunError> {
        let mut polls = tokio::time::interval(POLL_INTERVAL);
        polls.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            polls.tick().await;
            let elapsed = self.run.elapsed();
            self.begin_measuring(elapsed);
            let phase = if self.measuring { Phase::Measuring } else { Phase::WarmUp };
            if elapsed >= self.last_read() + SAMPLING_INTERVAL {
                self.read_meter(phase, elapsed, observed)?;
            }
            // During ramping load, a user may fail to get ready at any time.
            self.run.check()?;
            if is_ended_by_user(interrupt) {
                return Ok(Some(Early::Interrupted));
            }
            if self.silence.gives_up(&self.run.responsiveness, elapsed) {
                self.run.give_up();
                return Ok(Some(Early::Unreachable));
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
    fn last_read(&self) -> Duration {
        self.origin + self.last
    }

    fn begin_measuring(&mut self, elapsed: Duration) {
        if !self.measuring && elapsed >= self.run.profile.warm_up {
            self.notifications.begin_measuring();
            self.discard(elapsed);
        }
    }

    /// Discards what was measured until now.
    fn discard(&mut self, elapsed: Duration) {
        self.run.meter.forget(self.intended_until(elapsed));
        self.measuring = true;
        self.origin = elapsed;
        self.cpu = Resources::now().cpu;
        self.last = Duration::ZERO;
    }

    /// Reads the meter when all users have ended; the last iteration started `ended` after the start of the run, or earlier. Of a run
    /// that ended in its warm-up, nothing is measured.
    pub(super) fn read_last(&mut self, ended: Duration, observed: &mut Observed<'_>) -> Result<(), RunError> {
        self.run.check_not_panicked()?;
        if !self.measuring {
            self.discard(ended);
            self.started = SystemTime::now();
        }
        self.read_meter(Phase::Draining, ended.max(self.last_read() + SHORTEST_INTERVAL), observed)?;
        Ok(())
    }

    /// Reads the meter `elapsed` after the start of the run, and reports the interval since the last reading.
    fn read_meter(&mut self, phase: Phase, elapsed: Duration, observed: &mut Observed<'_>) -> io::Result<()> {
        let at = elapsed.saturating_sub(self.origin);
        let intended = self.intended_until(elapsed);
        self.last = at;
        let users = u64::try_from(self.run.users.load(Ordering::Relaxed)).unwrap_or(u64::MAX);
        let shown =
            self.run.meter.tick(Tick { at, users, intended }, |interval| observed.observer.on_second(&self.progress(phase, interval)));
        if phase != Phase::WarmUp {
            observed.report_so_far(|| self.so_far());
        }
        if let Some(page) = &self.page {
            page.update(&self.run.meter.snapshot(), self.notifications_so_far().as_ref(), &self.run.connections());
        }
        shown
    }

    /// Iterations that were due since the last reading; `None` for closed load.
    fn intended_until(&self, elapsed: Duration) -> Option<u64> {
        self.run.open.as_ref().map(|open| open.schedule.intended_between(self.last_read(), elapsed))
    }

    fn notifications_so_far(&self) -> Option<NotificationResult> {
        self.awaits.then(|| self.notifications.so_far())
    }

    /// The run as if it had ended at the last reading.
    fn so_far(&self) -> CompletedRun {
        CompletedRun {
            measured: self.run.meter.finish(self.last),
            seconds: self.last.as_secs_f64(),
            ended_early: Some(Early::Unfinished),
            unreachable: self.run.is_unreachable(),
            notifications: self.notifications_so_far(),
            judged: self.run.judged(),
            conservation: None,
            findings: self.run.findings.causes(),
            connections: self.run.connections(),
            cpu: self.cpu_used(),
            started: self.started,
            late: self.late,
        }
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
