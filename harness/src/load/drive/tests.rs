use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::thread::current;

use super::*;
use crate::contract::{Contracts, Files};
use crate::load::part::instance;
use crate::load::profile;
use crate::source::Source;
use crate::watch::Watch;
use crate::{scenario, target};

const TARGET: &str = r#"
title: the emulator
base: BASE
credentials: { main: { merchant: "100001", secret: main-secret-4d1b }, other: { merchant: "200002", secret: other-secret-90aa } }
notifications: { listen: "127.0.0.1:0", within: 5s }
world: { emulator: "BASE" }
"#;

const PROFILE: &str = "title: Journeys\nkind: constant-users\nusers: 4\nfor: 300ms\nconservation: off\n\
                       mix: [{ scenario: gateway/a-paid-payment-is-notified-and-reads-as-paid }]\n";

/// goose ends all runs of a process at once: no two of them go on at a time.
static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// Drives a short load with seed 1; the watch is told in the middle of every iteration, by whom it is played.
async fn driven(watch: impl Watch + 'static) -> Result<Driven, DriveError> {
    let _alone = ALONE.lock().await;
    let _ = rustls::crypto::ring::default_provider().install_default();
    let contracts = Arc::new(Contracts::read(&Files::contracts()).unwrap());
    let scenarios: Vec<_> = scenario::parse_all(&Files::scenarios(), &contracts).unwrap().into_iter().map(Arc::new).collect();
    let profile = profile::parse(&Source::new("load/some.yaml", PROFILE), &contracts, &scenarios).unwrap();
    let shape = Shape::of(&profile.kind, profile.warm_up, Shard::WHOLE).unwrap();
    let parts = profile::scripts(&profile, &contracts, &scenarios).unwrap().into_iter().map(|script| Arc::new(instance(script)));
    let emulator = emulator::Emulator::start(emulator::Config::default()).await.unwrap();
    let text = TARGET.replace("BASE", &emulator.base_url());
    let target = target::parse(&Source::new("target.yaml", text), &contracts, &|_| None).unwrap();
    let context = Context::start_watched(contracts, target, Vec::new(), 1, Some(Arc::new(watch))).await.unwrap();
    let setup = Setup {
        context: Arc::new(context),
        notices: Arc::new(Notices::new(profile.notifications)),
        parts: parts.collect(),
        profile: Arc::new(profile),
        shape,
        shard: Shard::WHOLE,
        start_at: None,
        dashboard: None,
        page: None,
    };
    drive(setup, |_| Ok(())).await
}

/// On which threads the iterations of each user are played.
#[derive(Clone, Default)]
struct Threads(Arc<Mutex<BTreeMap<String, BTreeSet<String>>>>);

impl Watch for Threads {
    fn told(&self, resource: &str, _: &str, _: Instant) {
        let (user, _) = resource.split_once('p').unwrap();
        self.0.lock().unwrap().entry(user.to_owned()).or_default().insert(current().name().unwrap_or_default().to_owned());
    }

    fn received(&self, _: &str, _: &str, _: Instant, _: bool) {}

    fn due(&self, _: &str, _: &str, _: Instant) {}
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_iterations_of_a_user_are_played_on_its_lane() {
    let threads = Threads::default();
    let driven = driven(threads.clone()).await.unwrap();
    let passed: u64 = driven.measured.scenarios.iter().map(|scenario| scenario.passed).sum();
    assert!(passed > 8, "more than one of each user: {passed}");
    let lanes = cores().get();
    let expected = (0..4).map(|user| (format!("1-u{user}"), BTreeSet::from([format!("lane-{}", user % lanes)])));
    assert_eq!(*threads.0.lock().unwrap(), expected.collect());
}

/// Breaks down while the second user plays.
struct Broken;

impl Watch for Broken {
    fn told(&self, resource: &str, _: &str, _: Instant) {
        assert!(!resource.starts_with("1-u1p"), "nobody thought of this");
    }

    fn received(&self, _: &str, _: &str, _: Instant, _: bool) {}

    fn due(&self, _: &str, _: &str, _: Instant) {}
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_user_that_panics_ends_the_run_with_what_it_said() {
    let Err(DriveError::Broken(why)) = driven(Broken).await else { panic!("it went on as if nothing had happened") };
    assert!(why.starts_with("user 1: ") && why.contains("nobody thought of this"), "{why}");
}
