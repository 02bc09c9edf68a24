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
use super::result::{ErrorKind, NotificationResult};
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
use watcher::{POLL_INTERVAL, RunWatcher, SHORTEST_INTERVAL, is_ended_by_user};

/// How often the run loop looks whether users are ready.
const READY_POLL_INTERVAL: Duration = Duration::from_millis(5);
/// What is under way when the user ends the run may take this long in each phase that is left; the report follows within seconds.
const GRACE: Duration = Duration::from_secs(1);
/// Users may take this long to get ready.
const READY_WITHIN: Duration = Duration::from_secs(120);

/// What a run needs.
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

/// Plays one run; `observed` sees every second of it.
pub(crate) async fn play(setup: RunSetup, mut observed: Observed<'_>) -> Result<CompletedRun, RunError> {
    let RunSetup { context, notifications, profile, cases, plan, shard, start_at, goose_dashboard, page, interrupt } = setup;
    let RunPlan { users: user_plan, schedule, duration, trial } = plan;
    let awaits = cases.iter().any(|case| case.steps.iter().any(|step| matches!(step.verb, StepVerb::Notification(_))));
    let run = Arc::new(RunState::new(context, Arc::clone(&profile), cases, (schedule, shard), goose_dashboard.is_some()));
    notifications.measure_in(Arc::downgrade(&run));
    // The threads outlive the users: connections that were opened on them are used until the last world is closed.
    let workers = Arc::new(WorkerThreads::start(cores())?);
    let (attack, users) = goose_adapter::attack(&run, &workers, &user_plan, goose_dashboard)?;
    // The killswitch that ended the last run of a search must not end this one.
    goose::reset_killswitch();
    let mut goose = tokio::spawn(attack.execute());
    let ready = wait_until_ready(&run, &user_plan, &mut goose, &interrupt).await;
    if let Err(error) = ready {
        give_up(&run, goose, &users, &interrupt).await;
        return Err(error);
    }
    let late = tokio::select! {
        late = wait_until(start_at) => late,
        () = interrupt.wait() => Duration::ZERO,
    };
    if is_ended_by_user(&interrupt) {
        give_up(&run, goose, &users, &interrupt).await;
        return Err(RunError::Interrupted);
    }
    let (begun, started) = (run.begin(), SystemTime::now() + profile.warm_up);
    if let Some(open) = &run.open {
        // The thread ends by itself, or with the run.
        drop(open.pacer.start(RealClock(begun))?);
    }
    let mut watcher = RunWatcher::new(&run, &notifications, (duration, trial), awaits, page);
    watcher.begun(started, late);
    let ended_early = match watcher.watch(&interrupt, &mut observed).await {
        Ok(ended_early) => ended_early,
        Err(error) => {
            give_up(&run, goose, &users, &interrupt).await;
            return Err(error);
        }
    };
    // Iterations that end later began in time: they are measured, but the time until they end is not.
    let ended = run.elapsed();
    dismiss(&run);
    // Users finish their iterations; every call has a time limit of its own.
    let _ = unless(&interrupt, goose).await;
    if let Err(error) = run.check_not_panicked() {
        leave(&run, &users).await;
        return Err(error);
    }
    watcher.read_meter(Phase::Draining, ended.max(watcher.last_read() + SHORTEST_INTERVAL), &mut observed)?;
    let cpu = watcher.cpu_used();
    let seconds = ended.saturating_sub(watcher.origin);
    let measured = run.meter.finish(seconds);
    // Re-checks come before the notifications are counted: a state that they see confirms or contradicts its notification.
    let conservation = unless(&interrupt, recheck::samples(&run, &users)).await.flatten();
    let notifications = count_notifications(&run, &notifications, awaits, &interrupt).await;
    let _ = unless(&interrupt, leave(&run, &users)).await;
    Ok(CompletedRun {
        measured,
        seconds: seconds.as_secs_f64(),
        ended_early,
        unreachable: run.is_unreachable(),
        notifications,
        conservation,
        findings: run.findings.all(),
        connections: run.connections(),
        cpu,
        started,
        late,
    })
}

type Goose = tokio::task::JoinHandle<Result<goose::metrics::GooseMetrics, GooseError>>;

/// Waits until all users are ready. Users of ramping load get ready while it goes on.
async fn wait_until_ready(run: &RunState, plan: &UserPlan, goose: &mut Goose, interrupt: &Interrupt) -> Result<(), RunError> {
    let wanted = match plan {
        UserPlan::Constant(users) => *users,
        UserPlan::Ramping(_) => 0,
    };
    let deadline = Instant::now() + READY_WITHIN;
    loop {
        run.check()?;
        if is_ended_by_user(interrupt) {
            return Err(RunError::Interrupted);
        }
        let ready = run.users.load(Ordering::Relaxed);
        if ready >= wanted {
            return Ok(());
        }
        if goose.is_finished() {
            return match goose.await {
                Ok(Err(error)) => Err(RunError::Goose(error)),
                Ok(Ok(_)) | Err(_) => Err(RunError::NotReady("the engine ended before its users were ready".to_owned())),
            };
        }
        if Instant::now() > deadline {
            return Err(RunError::NotReady(format!("only {ready} of {wanted} users were ready after {READY_WITHIN:?}")));
        }
        tokio::time::sleep(READY_POLL_INTERVAL).await;
    }
}

/// One worker thread for each core that this process may use.
fn cores() -> NonZero<usize> {
    std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)
}

/// Stops starting iterations, and lets goose stop the users.
fn dismiss(run: &RunState) {
    run.end();
    trigger_killswitch("the load is over");
}

/// Ends a run that has no result.
async fn give_up(run: &RunState, goose: Goose, users: &UserPool, interrupt: &Interrupt) {
    dismiss(run);
    let _ = unless(interrupt, goose).await;
    let _ = unless(interrupt, leave(run, users)).await;
}

/// Waits for something, but not for long once the user has ended the run: what is under way may take as long as calls may.
async fn unless<T>(interrupt: &Interrupt, waited_for: impl Future<Output = T>) -> Option<T> {
    let given_up = async {
        interrupt.wait().await;
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        done = waited_for => Some(done),
        () = given_up => None,
    }
}

/// Closes the worlds of all users.
async fn leave(run: &RunState, users: &UserPool) {
    if run.reports_to_goose {
        goose_adapter::remove_reports();
    }
    users.leave().await;
}

/// Waits for notifications that are still under way, and counts all of them.
async fn count_notifications(
    run: &RunState,
    notifications: &NotificationAccounting,
    awaits: bool,
    interrupt: &Interrupt,
) -> Option<NotificationResult> {
    if !awaits {
        return None;
    }
    let patience = if interrupt.is_raised() { GRACE } else { run.profile.notifications.lost };
    let deadline = Instant::now() + patience.min(run.profile.notifications.lost);
    while notifications.outstanding() > 0 && Instant::now() < deadline {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    let totals = notifications.close();
    for (finding, times) in totals.findings() {
        run.findings.add_times(finding, ErrorKind::Contract, run.second(), times);
    }
    Some(totals.result)
}
