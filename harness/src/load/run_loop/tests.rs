use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::thread::current;

use goose::test_plan::TestPlanStepAction;

use super::*;
use crate::base::source::Source;
use crate::engine::notification_observer::NotificationObserver;
use crate::load::profile::{self, NotificationDeadlines};
use crate::load::result::Early;
use crate::spec::contract::Contracts;
use crate::spec::{scenario, target};

const TARGET: &str = r#"
title: the emulator
base: BASE
credentials: { main: { merchant: "100001", secret: main-secret-4d1b }, other: { merchant: "200002", secret: other-secret-90aa } }
notifications: { listen: "127.0.0.1:0", within: 5s }
world: { emulator: "BASE" }
"#;

const PROFILE: &str = "title: Journeys\nkind: constant-users\nusers: 4\nfor: 10m\nconservation: off\n\
                       mix: [{ scenario: gateway/a-paid-payment-is-notified-and-reads-as-paid }]\n";

/// goose's killswitch ends all runs of a process, so tests run one at a time.
static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// The inputs of a run with seed 1; `watch` observes the middle of every iteration, on the thread that plays it.
async fn setup(profile: &str, watch: impl NotificationObserver + 'static) -> (RunSetup, emulator::Emulator) {
    let contracts = Contracts::shipped();
    let scenarios = scenario::shipped();
    let profile = profile::parse(&Source::new("load/some.yaml", profile), &contracts, &scenarios).unwrap();
    let plan = profile.kind.runs(profile.warm_up, Shard::WHOLE).next().unwrap();
    let cases = profile::scripts(&profile, &contracts, &scenarios).unwrap().into_iter().map(|script| Arc::new(script.into_case()));
    let emulator = emulator::Emulator::start(emulator::Config::default()).await.unwrap();
    let text = TARGET.replace("BASE", &emulator.base_url());
    let target = target::parse(&Source::new("target.yaml", text), &contracts, &|_| None).unwrap();
    let context = Context::start_observed(contracts, target, Vec::new(), 1, Some(Arc::new(watch))).await.unwrap();
    let setup = RunSetup {
        context: Arc::new(context),
        notifications: Arc::new(NotificationAccounting::new(profile.notifications)),
        cases: cases.collect(),
        profile: Arc::new(profile),
        plan,
        shard: Shard::WHOLE,
        start_at: None,
        goose_dashboard: None,
        page: None,
        interrupt: Interrupt::default(),
    };
    (setup, emulator)
}

/// Plays a load until `watch` ends it.
async fn played(watch: impl NotificationObserver + 'static) -> Result<CompletedRun, RunError> {
    let _alone = ALONE.lock().await;
    let (setup, _emulator) = setup(PROFILE, watch).await;
    play(setup, Observed { observer: &mut |_: &RunProgress<'_>| Ok(()), result: &|_| unreachable!("never called") }).await
}

/// The number of iterations of each user that a test waits for.
const ITERATIONS: usize = 3;

/// The threads on which the iterations of each user are played. The run ends when each of the four users has played enough.
#[derive(Clone, Default)]
struct Threads(Arc<Mutex<BTreeMap<String, Vec<String>>>>);

impl NotificationObserver for Threads {
    fn status_seen(&self, resource: &str, _: &str, _: Instant) {
        let (user, _) = resource.split_once('p').unwrap();
        let mut threads = self.0.lock().unwrap();
        threads.entry(user.to_owned()).or_default().push(current().name().unwrap_or_default().to_owned());
        if threads.len() == 4 && threads.values().all(|iterations| iterations.len() >= ITERATIONS) {
            goose::trigger_killswitch("enough was seen");
        }
    }

    fn received(&self, _: &str, _: &str, _: Instant, _: bool) {}

    fn due(&self, _: &str, _: &str, _: Instant) {}
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_iterations_of_a_user_are_played_on_its_worker_thread() {
    let threads = Threads::default();
    let run = played(threads.clone()).await.unwrap();
    assert_eq!(run.ended_early, Some(Early::Interrupted));
    let seen: BTreeMap<_, BTreeSet<_>> =
        threads.0.lock().unwrap().iter().map(|(user, threads)| (user.clone(), threads.iter().cloned().collect())).collect();
    let workers = cores().get();
    let expected = (0..4).map(|user| (format!("1-u{user}"), BTreeSet::from([format!("worker-{}", user % workers)])));
    assert_eq!(seen, expected.collect());
}

/// Panics while the second user plays.
struct Panicking;

impl NotificationObserver for Panicking {
    fn status_seen(&self, resource: &str, _: &str, _: Instant) {
        assert!(!resource.starts_with("1-u1p"), "an unforeseen failure");
    }

    fn received(&self, _: &str, _: &str, _: Instant, _: bool) {}

    fn due(&self, _: &str, _: &str, _: Instant) {}
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_user_that_panics_ends_the_run_with_its_message() {
    let Err(RunError::Panicked(why)) = played(Panicking).await else { panic!("it went on as if nothing had happened") };
    assert!(why.starts_with("user 1: ") && why.contains("an unforeseen failure"), "{why}");
}

/// Observes nothing.
struct Nothing;

impl NotificationObserver for Nothing {
    fn status_seen(&self, _: &str, _: &str, _: Instant) {}

    fn received(&self, _: &str, _: &str, _: Instant, _: bool) {}

    fn due(&self, _: &str, _: &str, _: Instant) {}
}

#[tokio::test(start_paused = true)]
async fn a_user_who_ends_the_run_waits_a_second_for_outstanding_notifications() {
    let deadlines = NotificationDeadlines { lost: Duration::from_secs(100), ..NotificationDeadlines::default() };
    let waited = async |interrupted_after| {
        let (notifications, interrupt) = (NotificationAccounting::new(deadlines), Interrupt::default());
        notifications.due("p1", "PAID", Instant::now());
        let begun = tokio::time::Instant::now();
        let interrupting = async {
            tokio::time::sleep(interrupted_after).await;
            interrupt.raise();
        };
        tokio::join!(await_outstanding(&notifications, deadlines.lost, &interrupt), async {
            tokio::select! {
                () = interrupting => {}
                () = tokio::time::sleep(deadlines.lost) => {}
            }
        });
        begun.elapsed()
    };
    assert!(waited(Duration::from_secs(2)).await <= Duration::from_secs(2) + GRACE + POLL_INTERVAL);
    assert!(waited(Duration::from_secs(1000)).await >= deadlines.lost, "otherwise a notification that is late would count as lost");
}

/// A stage of 1.1 s lasts at least that long; goose would cut it to a second if it read the stages itself.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn goose_ramps_in_stages_that_are_no_whole_seconds() {
    let _alone = ALONE.lock().await;
    let stages = "kind: ramping-users\nstages: [{ users: 2, for: 1100ms }, { users: 0, for: 100ms }]";
    let profile = PROFILE.replace("kind: constant-users\nusers: 4\nfor: 10m", stages);
    let (RunSetup { context, profile, cases, plan, shard, .. }, _emulator) = setup(&profile, Nothing).await;
    let run = Arc::new(RunState::new(context, profile, cases, None, shard, false));
    let workers = Arc::new(WorkerThreads::start(cores()).unwrap());
    let (attack, users) = goose_adapter::attack(&run, &workers, &plan.users, None).unwrap();
    goose::reset_killswitch();
    // Users start and stop without playing anything.
    run.end();
    let history = attack.execute().await.unwrap().history;
    users.leave().await;
    let began = |wanted: fn(&TestPlanStepAction) -> bool| history.iter().find(|step| wanted(&step.action)).unwrap().timestamp;
    let up = began(|action| matches!(action, TestPlanStepAction::Increasing));
    let down = began(|action| matches!(action, TestPlanStepAction::Decreasing));
    assert!((down - up).num_milliseconds() >= 1100, "{history:?}");
}
