//! One run from the first virtual user to the last: waits until users are ready, lets them play, reads the meter every second, and
//! ends the run.

mod completed_run;
mod observer;
mod recheck;
mod run_progress;
#[cfg(test)]
mod tests;
mod watcher;

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

use goose::{GooseError, trigger_killswitch};

use super::goose_adapter::{self, GooseDashboard};
use super::metrics::MetricsPage;
use super::notification_accounting::NotificationAccounting;
use super::pacer::RealClock;
use super::profile::Profile;
use super::result::{Early, ErrorKind, NotificationResult};
use super::run_error::RunError;
use super::run_plan::{RunPlan, UserPlan};
use super::run_state::RunState;
use super::shard::Shard;
use super::start_at::wait_until;
use super::user_pool::UserPool;
use super::worker_threads::WorkerThreads;
use crate::base::interrupt::Interrupt;
use crate::engine::runner::{Case, Context};
use crate::spec::scenario::StepVerb;
pub(crate) use completed_run::CompletedRun;
pub use observer::LoadObserver;
pub(crate) use observer::Observed;
pub use run_progress::{Phase, RunProgress};
use watcher::{POLL_INTERVAL, RunWatcher, is_ended_by_user};

/// How often the run loop checks whether users are ready.
const READY_POLL_INTERVAL: Duration = Duration::from_millis(5);
/// How long each remaining phase may take once the user has ended the run, so that the report follows within seconds.
pub(super) const GRACE: Duration = Duration::from_secs(1);
/// How long users may take to get ready.
const READY_WITHIN: Duration = Duration::from_secs(120);

/// The inputs of a run.
pub(crate) struct RunSetup {
    pub(crate) context: Arc<Context>,
    pub(crate) notifications: Arc<NotificationAccounting>,
    pub(crate) profile: Arc<Profile>,
    /// The cases that the mix plays, in its order.
    pub(crate) cases: Vec<Arc<Case>>,
    pub(crate) plan: RunPlan,
    pub(crate) shard: Shard,
    pub(crate) start_at: Option<SystemTime>,
    pub(crate) goose_dashboard: Option<GooseDashboard>,
    pub(crate) page: Option<Arc<MetricsPage>>,
    pub(crate) interrupt: Interrupt,
}

/// Plays one run and reports every second to `observed`.
pub(crate) async fn play(setup: RunSetup, mut observed: Observed<'_>) -> Result<CompletedRun, RunError> {
    let RunSetup { context, notifications, profile, cases, plan, shard, start_at, goose_dashboard, page, interrupt } = setup;
    let RunPlan { users: user_plan, schedule, duration, trial } = plan;
    let awaits = cases.iter().any(|case| case.steps.iter().any(|step| matches!(step.verb, StepVerb::Notification(_))));
    let run = Arc::new(RunState::new(context, profile, cases, schedule, shard, goose_dashboard.is_some()));
    notifications.measure_in(Arc::downgrade(&run));
    if !run.profile.warm_up.is_zero() {
        notifications.begin_warm_up();
    }
    // The threads outlive the users: connections that were opened on them are used until the last world is closed.
    let workers = Arc::new(WorkerThreads::start(cores())?);
    if let Some(inbox) = &run.context.inbox {
        inbox.serve_on(workers.runtimes());
    }
    let (attack, users) = goose_adapter::attack(&run, &workers, &user_plan, goose_dashboard)?;
    // The killswitch that ended the last run of a search must not end this one.
    goose::reset_killswitch();
    let mut active = ActiveRun { run: Arc::clone(&run), users, goose: tokio::spawn(attack.execute()), interrupt };
    let (started, late) = match active.start(&user_plan, start_at).await {
        Ok(start) => start,
        Err(error) => return Err(active.give_up(error).await),
    };
    let mut watcher = RunWatcher::new(&run, &notifications, duration, trial, awaits, page);
    watcher.set_start(started, late);
    match watcher.watch(&active.interrupt, &mut observed).await {
        Ok(ended_early) => active.finish(ended_early, watcher, &mut observed).await,
        Err(error) => Err(active.give_up(error).await),
    }
}

type Goose = tokio::task::JoinHandle<Result<goose::metrics::GooseMetrics, GooseError>>;

/// A run with its users.
struct ActiveRun {
    run: Arc<RunState>,
    users: UserPool,
    goose: Goose,
    interrupt: Interrupt,
}

impl ActiveRun {
    /// Starts the run when its users are ready, but not before `start_at`. Returns when measuring begins, and how much later than
    /// intended.
    async fn start(&mut self, plan: &UserPlan, start_at: Option<SystemTime>) -> Result<(SystemTime, Duration), RunError> {
        self.wait_until_ready(plan).await?;
        let late = tokio::select! {
            late = wait_until(start_at) => late,
            () = self.interrupt.wait() => Duration::ZERO,
        };
        if is_ended_by_user(&self.interrupt) {
            return Err(RunError::Interrupted);
        }
        let (begun, started) = (self.run.begin(), SystemTime::now() + self.run.profile.warm_up);
        if let Some(open) = &self.run.open {
            // The thread ends by itself, or with the run.
            drop(open.pacer.start(RealClock(begun))?);
        }
        Ok((started, late))
    }

    /// Waits until all users are ready. Users of ramping load get ready during the run.
    async fn wait_until_ready(&mut self, plan: &UserPlan) -> Result<(), RunError> {
        let wanted = match plan {
            UserPlan::Constant(users) => *users,
            UserPlan::Ramping(_) => 0,
        };
        let deadline = Instant::now() + READY_WITHIN;
        loop {
            self.run.check()?;
            if is_ended_by_user(&self.interrupt) {
                return Err(RunError::Interrupted);
            }
            let ready = self.run.users.load(Ordering::Relaxed);
            if ready >= wanted {
                return Ok(());
            }
            if self.goose.is_finished() {
                return match (&mut self.goose).await {
                    Ok(Err(error)) => Err(RunError::Goose(error)),
                    Ok(Ok(_)) | Err(_) => Err(RunError::NotReady("goose, which runs the users, ended before they were ready".to_owned())),
                };
            }
            if Instant::now() > deadline {
                return Err(RunError::NotReady(not_ready(ready, wanted)));
            }
            tokio::time::sleep(READY_POLL_INTERVAL).await;
        }
    }

    /// Ends the run at the end of its time: users finish their iterations, then samples are re-checked and notifications counted.
    async fn finish(
        self,
        ended_early: Option<Early>,
        mut watcher: RunWatcher<'_>,
        observed: &mut Observed<'_>,
    ) -> Result<CompletedRun, RunError> {
        let Self { run, users, goose, interrupt } = self;
        // Nothing is waited for that a dead target does not do.
        let interrupt = if run.is_given_up() { raised() } else { interrupt };
        // Iterations that end later are measured, since they started in time, but the time until they end is not.
        let ended = run.elapsed();
        let cpu = watcher.cpu_used();
        dismiss(&run);
        // Every call has a time limit of its own.
        let _ = with_grace(&interrupt, goose).await;
        if let Err(error) = watcher.read_last(ended, observed) {
            let _ = with_grace(&interrupt, leave(&run, &users)).await;
            return Err(error);
        }
        let seconds = ended.saturating_sub(watcher.origin);
        let measured = run.meter.finish(seconds);
        // Re-checks come before the notifications are counted: a state that they see confirms or contradicts its notification.
        let conservation = with_grace(&interrupt, recheck::samples(&run, &users)).await.flatten();
        let notifications = count_notifications(&run, watcher.notifications, watcher.awaits, &interrupt).await;
        let _ = with_grace(&interrupt, leave(&run, &users)).await;
        Ok(CompletedRun {
            measured,
            seconds: seconds.as_secs_f64(),
            ended_early,
            unreachable: run.is_unreachable(),
            notifications,
            judged: run.judged(),
            conservation,
            findings: run.findings.causes(),
            connections: run.connections(),
            cpu,
            started: watcher.started,
            late: watcher.late,
        })
    }

    /// Ends the run without a result, and returns why.
    async fn give_up(self, error: RunError) -> RunError {
        dismiss(&self.run);
        let _ = with_grace(&self.interrupt, self.goose).await;
        let _ = with_grace(&self.interrupt, leave(&self.run, &self.users)).await;
        error
    }
}

/// Why a run can't begin whose users take too long.
fn not_ready(ready: usize, wanted: usize) -> String {
    format!(
        "only {ready} of {wanted} users were ready after {READY_WITHIN:?}: each opens its worlds and plays its `once` steps; use fewer \
         users, or a target that responds faster"
    )
}

/// The number of worker threads: one for each core that this process may use.
fn cores() -> NonZero<usize> {
    std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)
}

/// Stops starting iterations, and lets goose stop the users.
fn dismiss(run: &RunState) {
    run.end();
    trigger_killswitch("the load is over");
}

/// Waits for a future; once the user has ended the run, for [`GRACE`] at most.
async fn with_grace<T>(interrupt: &Interrupt, waited_for: impl Future<Output = T>) -> Option<T> {
    let given_up = async {
        interrupt.wait().await;
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        done = waited_for => Some(done),
        () = given_up => None,
    }
}

/// An interrupt that has come.
fn raised() -> Interrupt {
    let interrupt = Interrupt::default();
    interrupt.raise();
    interrupt
}

/// Closes the worlds of all users.
async fn leave(run: &RunState, users: &UserPool) {
    if run.reports_to_goose {
        goose_adapter::remove_reports();
    }
    users.leave().await;
}

/// Waits until no notification is outstanding, or those that are count as lost.
async fn await_outstanding(notifications: &NotificationAccounting, lost: Duration, interrupt: &Interrupt) {
    let all_received = async {
        while notifications.outstanding() > 0 {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    };
    let _ = with_grace(interrupt, tokio::time::timeout(lost, all_received)).await;
}

/// Waits for notifications that are under way, and counts all notifications.
async fn count_notifications(
    run: &RunState,
    notifications: &NotificationAccounting,
    awaits: bool,
    interrupt: &Interrupt,
) -> Option<NotificationResult> {
    if !awaits {
        return None;
    }
    await_outstanding(notifications, run.profile.notifications.lost, interrupt).await;
    let totals = notifications.close();
    for (finding, times) in totals.findings() {
        run.findings.add_times(finding, ErrorKind::Contract, run.second(), times);
    }
    Some(totals.result)
}
