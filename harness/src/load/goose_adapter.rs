//! goose starts, ramps and stops users; each of its users plays one virtual user of ours.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use goose::client::GooseClientBuilder;
use goose::config::GooseConfiguration;
use goose::goose::{GooseUser, Scenario, Transaction, TransactionFunction, TransactionResult};
use goose::test_plan::TestPlan;
use goose::{GooseAttack, GooseError};

use super::result::ErrorKind;
use super::run_plan::{UserPlan, UserStage};
use super::run_state::RunState;
use super::user_pool::UserPool;
use super::virtual_user::VirtualUser;
use super::worker_threads::{TaskFailed, WorkerThreads};

/// The address of goose's dashboard.
pub(crate) type GooseDashboard = std::net::SocketAddr;

/// How long a user plays before it returns to goose. All iterations of a stint share the cost of a goose transaction and of the way to
/// the worker thread and back.
const STINT: Duration = Duration::from_millis(50);
/// How often a user with nothing left to play returns to goose, which then stops it.
const IDLE: Duration = Duration::from_millis(20);

/// An attack that is ready to be executed, and its users.
pub(crate) fn attack(
    run: &Arc<RunState>,
    workers: &Arc<WorkerThreads>,
    plan: &UserPlan,
    dashboard: Option<GooseDashboard>,
) -> Result<(GooseAttack, UserPool), GooseError> {
    let users = UserPool::new(plan.total());
    let scenario = Scenario::new("users")
        .register_transaction(Transaction::new(starting(run, workers, &users)).set_name("start").set_on_start())
        .register_transaction(Transaction::new(playing(run, workers, &users)).set_name("play"))
        .register_transaction(Transaction::new(stopping(run)).set_name("stop").set_on_stop());
    // Our users have their own connections. goose's client sends nothing; one for each user would read the platform's certificates anew.
    let unused = GooseClientBuilder::new().without_cookies();
    let attack = GooseAttack::initialize_with_config(configuration(run, plan, dashboard)?)?.register_scenario(scenario);
    Ok((attack.set_client_builder_without_cookies(unused)?, users))
}

/// goose prints nothing, writes no file and opens no port but that of the dashboard.
fn configuration(run: &RunState, plan: &UserPlan, dashboard: Option<GooseDashboard>) -> Result<GooseConfiguration, GooseError> {
    let host = run.context.target.bases.values().next().map(ToString::to_string).unwrap_or_default();
    let mut arguments = vec!["--host".to_owned(), host, "--no-telnet".to_owned(), "--no-print-metrics".to_owned(), "-qqq".to_owned()];
    if let UserPlan::Constant(users) = plan {
        // goose would start one user a second; this rate is all at once.
        arguments.extend(["--users".into(), users.to_string(), "--increase-rate".into(), "10000".into()]);
    }
    match dashboard {
        None => arguments.push("--no-metrics".into()),
        Some(address) => arguments.extend([
            "--dashboard".into(),
            "--dashboard-host".into(),
            address.ip().to_string(),
            "--dashboard-port".into(),
            address.port().to_string(),
            // goose writes a report of every run with a dashboard.
            "--output-dir".into(),
            report_folder().display().to_string(),
        ]),
    }
    let configuration = GooseConfiguration::parse_args_default(&arguments)?;
    match plan {
        UserPlan::Constant(_) => Ok(configuration),
        UserPlan::Ramping(stages) => with_stages(&configuration, stages),
    }
}

/// A configuration with a test plan. goose parses whole seconds only but holds milliseconds, so the plan is set as data rather than as
/// text.
fn with_stages(configuration: &GooseConfiguration, stages: &[UserStage]) -> Result<GooseConfiguration, GooseError> {
    let mut data = serde_json::to_value(configuration)?;
    if let Some(options) = data.as_object_mut() {
        options.insert("test_plan".to_owned(), serde_json::to_value(test_plan(stages))?);
    }
    Ok(serde_json::from_value(data)?)
}

/// The stages as goose holds them: users and milliseconds.
fn test_plan(stages: &[UserStage]) -> TestPlan {
    let step = |stage: &UserStage| (stage.users, usize::try_from(stage.duration.as_millis()).unwrap_or(usize::MAX));
    TestPlan { steps: stages.iter().map(step).collect(), current: 0 }
}

/// Where goose writes the reports of its dashboard.
fn report_folder() -> PathBuf {
    std::env::temp_dir().join(format!("paycheck-{}", std::process::id()))
}

/// Removes the reports that goose wrote. If that fails, they stay in the system's temporary folder.
pub(crate) fn remove_reports() {
    let _ = std::fs::remove_dir_all(report_folder());
}

/// Gets a virtual user ready on its worker thread.
fn starting(run: &Arc<RunState>, workers: &Arc<WorkerThreads>, users: &UserPool) -> TransactionFunction {
    let (run, workers, users) = (Arc::clone(run), Arc::clone(workers), users.clone());
    Arc::new(move |goose: &mut GooseUser| {
        let (run, workers, users, number) = (Arc::clone(&run), Arc::clone(&workers), users.clone(), goose.weighted_users_index);
        Box::pin(async move {
            match workers.play(number, VirtualUser::ready(Arc::clone(&run), number)).await {
                Ok(Ok(user)) => users.put(number, Box::new(user)),
                Ok(Err(reason)) => run.report_not_ready(reason.to_string()),
                Err(TaskFailed(reason)) => run.report_panic(number, &reason),
            }
            run.users.fetch_add(1, Ordering::Relaxed);
            Ok(())
        })
    })
}

/// Lets a virtual user play iterations on its worker thread, as they are due.
fn playing(run: &Arc<RunState>, workers: &Arc<WorkerThreads>, users: &UserPool) -> TransactionFunction {
    let (run, workers, users) = (Arc::clone(run), Arc::clone(workers), users.clone());
    Arc::new(move |goose: &mut GooseUser| {
        let (run, workers, users) = (Arc::clone(&run), Arc::clone(&workers), users.clone());
        Box::pin(async move {
            let number = goose.weighted_users_index;
            let Some(user) = users.claim(number) else { return idle().await };
            match workers.play(number, play_stint(Arc::clone(&run), user)).await {
                Ok((user, more)) => {
                    let reported = report(goose, &run, &user).await;
                    users.put(number, user);
                    reported?;
                    if more { Ok(()) } else { idle().await }
                }
                Err(TaskFailed(reason)) => {
                    run.report_panic(number, &reason);
                    idle().await
                }
            }
        })
    })
}

/// Plays one stint. Returns `false` when nothing is left to play.
async fn play_stint(run: Arc<RunState>, mut user: Box<VirtualUser>) -> (Box<VirtualUser>, bool) {
    user.calls.clear();
    let begun = Instant::now();
    while begun.elapsed() < STINT {
        let Some(next) = run.next_iteration(run.context.seed).await else { return (user, false) };
        user.play(next).await;
    }
    (user, true)
}

async fn idle() -> TransactionResult {
    tokio::time::sleep(IDLE).await;
    Ok(())
}

/// Counts a user that goose stops.
fn stopping(run: &Arc<RunState>) -> TransactionFunction {
    let run = Arc::clone(run);
    Arc::new(move |_: &mut GooseUser| {
        let run = Arc::clone(&run);
        Box::pin(async move {
            run.users.fetch_sub(1, Ordering::Relaxed);
            Ok(())
        })
    })
}

/// Reports every call of a stint to goose, for its dashboard.
async fn report(goose: &mut GooseUser, run: &RunState, user: &VirtualUser) -> TransactionResult {
    for call in &user.calls {
        let name = run.operations.names().get(call.operation).map_or("other", String::as_str);
        let error = call.error.map(ErrorKind::name);
        goose.record_custom_request_duration("CALL", name, call.service, error.is_none(), None, error).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_as_long_as_the_profile_says() {
        let stages = [(10, 90_000), (3, 1_500), (0, 300)];
        let plan = test_plan(&stages.map(|(users, ms)| UserStage { users, duration: Duration::from_millis(ms) }));
        assert_eq!(plan.steps, [(10, 90_000), (3, 1_500), (0, 300)]);
    }

    #[test]
    fn goose_is_configured_with_the_milliseconds_and_everything_else_stays() {
        let plain = GooseConfiguration::parse_args_default(&["--host", "http://127.0.0.1:9", "--no-metrics"]).unwrap();
        let stages = [UserStage { users: 2, duration: Duration::from_millis(1_500) }];
        let mut data = serde_json::to_value(with_stages(&plain, &stages).unwrap()).unwrap();
        let plan = data["test_plan"].take();
        assert_eq!(plan["steps"], serde_json::json!([[2, 1_500]]));
        assert_eq!(data, serde_json::to_value(&plain).unwrap());
    }
}
