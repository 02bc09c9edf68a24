//! goose as the engine: it starts, ramps and stops the users; each of its users is one of ours.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use goose::config::GooseConfiguration;
use goose::goose::{GooseUser, Scenario, Transaction, TransactionFunction, TransactionResult};
use goose::{GooseAttack, GooseError};

use super::lanes::{Broken, Lanes};
use super::profile::UserStage;
use super::result::ErrorKind;
use super::run::Run;
use super::user::User;

/// How many users there are, and how they come and go.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Crowd {
    /// So many from the beginning to the end.
    Constant(usize),
    /// As the stages say.
    Ramping(Vec<UserStage>),
}

impl Crowd {
    /// How many users there ever are, those that came for another one that went counted too.
    fn total(&self) -> usize {
        match self {
            Self::Constant(users) => *users,
            Self::Ramping(stages) => {
                let mut before = 0;
                stages.iter().map(|stage| stage.users.saturating_sub(std::mem::replace(&mut before, stage.users))).sum()
            }
        }
    }
}

/// The users of a run, each in a seat of its own. They outlive goose, so that what they did can be looked
/// at again.
pub(crate) type Users = Arc<[Mutex<Option<Box<User>>>]>;

/// Where goose shows what is going on.
pub(crate) type Dashboard = std::net::SocketAddr;

/// An attack that is ready to be executed.
pub(crate) fn attack(
    run: &Arc<Run>,
    lanes: &Arc<Lanes>,
    crowd: &Crowd,
    dashboard: Option<Dashboard>,
) -> Result<(GooseAttack, Users), GooseError> {
    let users: Users = (0..crowd.total()).map(|_| Mutex::new(None)).collect();
    let scenario = Scenario::new("users")
        .register_transaction(Transaction::new(arriving(run, lanes, &users)).set_name("arrive").set_on_start())
        .register_transaction(Transaction::new(playing(run, lanes, &users)).set_name("play"))
        .register_transaction(Transaction::new(leaving(run)).set_name("leave").set_on_stop());
    let attack = GooseAttack::initialize_with_config(configuration(run, crowd, dashboard)?)?.register_scenario(scenario);
    Ok((attack, users))
}

/// What goose is told. It prints nothing, writes no file and opens no port that nobody asked for.
fn configuration(run: &Run, crowd: &Crowd, dashboard: Option<Dashboard>) -> Result<GooseConfiguration, GooseError> {
    let host = run.context.target.bases.values().next().map(ToString::to_string).unwrap_or_default();
    let mut arguments = vec!["--host".to_owned(), host, "--no-telnet".to_owned(), "--no-print-metrics".to_owned(), "-qqq".to_owned()];
    match crowd {
        // All at once: goose would start one a second.
        Crowd::Constant(users) => arguments.extend(["--users".into(), users.to_string(), "--increase-rate".into(), "10000".into()]),
        Crowd::Ramping(stages) => arguments.extend(["--test-plan".into(), plan(stages)]),
    }
    match dashboard {
        None => arguments.push("--no-metrics".into()),
        Some(address) => arguments.extend([
            "--dashboard".into(),
            "--dashboard-host".into(),
            address.ip().to_string(),
            "--dashboard-port".into(),
            address.port().to_string(),
            // goose keeps a report of every run with a dashboard; nobody asked for it here.
            "--output-dir".into(),
            reports().display().to_string(),
        ]),
    }
    GooseConfiguration::parse_args_default(&arguments)
}

/// Where goose keeps the reports of its dashboard.
fn reports() -> PathBuf {
    std::env::temp_dir().join(format!("paycheck-{}", std::process::id()))
}

/// Removes what goose has kept. Where it can't be removed, it is in a folder for what is left over.
pub(crate) fn clear() {
    let _ = std::fs::remove_dir_all(reports());
}

/// The stages as goose writes them: `10,30s;0,5s`. It counts in whole seconds.
fn plan(stages: &[UserStage]) -> String {
    let stage = |stage: &UserStage| format!("{},{}s", stage.users, stage.duration.as_secs().max(1));
    stages.iter().map(stage).collect::<Vec<_>>().join(";")
}

/// A user arrives: it is made ready on its lane, and waits in its seat.
fn arriving(run: &Arc<Run>, lanes: &Arc<Lanes>, users: &Users) -> TransactionFunction {
    let (run, lanes, users) = (Arc::clone(run), Arc::clone(lanes), Arc::clone(users));
    Arc::new(move |goose: &mut GooseUser| {
        let (run, lanes, users, number) = (Arc::clone(&run), Arc::clone(&lanes), Arc::clone(&users), goose.weighted_users_index);
        Box::pin(async move {
            match lanes.play(number, User::ready(Arc::clone(&run), number)).await {
                Ok(Ok(user)) => sit(&users, number, Box::new(user)),
                Ok(Err(reason)) => run.not_ready(reason),
                Err(Broken(reason)) => run.broke(number, &reason),
            }
            run.users.fetch_add(1, Ordering::Relaxed);
            Ok(())
        })
    })
}

/// goose's own work for a transaction, its question whether the user is to go, and the way to the lane and back
/// are shared by all the iterations of a spell.
const SPELL: Duration = Duration::from_millis(50);

/// A user plays iterations as they are due, on its lane.
fn playing(run: &Arc<Run>, lanes: &Arc<Lanes>, users: &Users) -> TransactionFunction {
    let (run, lanes, users) = (Arc::clone(run), Arc::clone(lanes), Arc::clone(users));
    Arc::new(move |goose: &mut GooseUser| {
        let (run, lanes, users) = (Arc::clone(&run), Arc::clone(&lanes), Arc::clone(&users));
        Box::pin(async move {
            let number = goose.weighted_users_index;
            let Some(user) = stand_up(&users, number) else { return idle().await };
            match lanes.play(number, spell(Arc::clone(&run), user)).await {
                Ok((user, more)) => {
                    let told = tell(goose, &run, &user).await;
                    sit(&users, number, user);
                    told?;
                    if more { Ok(()) } else { idle().await }
                }
                Err(Broken(reason)) => {
                    run.broke(number, &reason);
                    idle().await
                }
            }
        })
    })
}

/// A user plays for a while. False when nothing is left to be played.
async fn spell(run: Arc<Run>, mut user: Box<User>) -> (Box<User>, bool) {
    user.made.clear();
    let begun = Instant::now();
    while begun.elapsed() < SPELL {
        let Some(turn) = run.next(run.context.seed).await else { return (user, false) };
        user.play(turn).await;
    }
    (user, true)
}

/// Nothing is left to be played; goose takes a moment to notice.
async fn idle() -> TransactionResult {
    tokio::time::sleep(Duration::from_millis(20)).await;
    Ok(())
}

/// A user goes.
fn leaving(run: &Arc<Run>) -> TransactionFunction {
    let run = Arc::clone(run);
    Arc::new(move |_: &mut GooseUser| {
        let run = Arc::clone(&run);
        Box::pin(async move {
            run.users.fetch_sub(1, Ordering::Relaxed);
            Ok(())
        })
    })
}

/// Tells goose of every call of a spell, for its dashboard.
async fn tell(goose: &mut GooseUser, run: &Run, user: &User) -> TransactionResult {
    for made in &user.made {
        let name = run.operations.names().get(made.operation).map_or("other", String::as_str);
        let error = made.error.map(|kind| match kind {
            ErrorKind::Transport => "transport",
            ErrorKind::Contract => "contract",
            ErrorKind::Business => "business",
        });
        goose.record_custom_request_duration("CALL", name, made.service, error.is_none(), None, error).await?;
    }
    Ok(())
}

fn sit(users: &Users, number: usize, user: Box<User>) {
    if let Some(seat) = users.get(number) {
        *seat.lock().unwrap_or_else(PoisonError::into_inner) = Some(user);
    }
}

pub(crate) fn stand_up(users: &Users, number: usize) -> Option<Box<User>> {
    users.get(number)?.lock().unwrap_or_else(PoisonError::into_inner).take()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_who_ever_comes_has_a_seat() {
        let stage = |users| UserStage { users, duration: Duration::from_secs(1) };
        assert_eq!(Crowd::Constant(5).total(), 5);
        assert_eq!(Crowd::Ramping(vec![stage(5), stage(5), stage(2), stage(6), stage(0)]).total(), 9);
    }

    #[test]
    fn stages_are_told_as_goose_reads_them() {
        let stages =
            [UserStage { users: 10, duration: Duration::from_secs(90) }, UserStage { users: 0, duration: Duration::from_millis(300) }];
        assert_eq!(plan(&stages), "10,90s;0,1s");
    }
}
