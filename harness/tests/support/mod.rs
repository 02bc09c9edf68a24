//! What the proof tests share: an emulator to judge, a proxy that stands in its way, and the binary.
#![allow(dead_code, unreachable_pub, missing_docs)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

pub mod binary;
pub mod merchant;
pub mod proxy;
pub mod raw;

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use emulator::{Config, Emulator};
use harness::contract::{Contracts, Files};
use harness::event::{Event, InstanceFinished};
use harness::runner::{self, Context, Instance, Limits, Selection};
use harness::scenario::{self, Scenario};
use harness::source::Source;
use harness::target::{Allow, Notifications, Target, WorldKind};
use harness::verdict::{Finding, Verdict};
use indexmap::IndexMap;
use proxy::{Proxy, Tamper};
use url::Url;

pub const MAIN: (&str, &str) = ("100001", "secret-of-main-4d1b");
pub const OTHER: (&str, &str) = ("200002", "secret-of-other-90aa");

static CONTRACTS: LazyLock<Arc<Contracts>> = LazyLock::new(|| {
    // Whoever judges makes requests, and reqwest leaves the choice of a TLS provider to the program.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Arc::new(Contracts::read(&Files::contracts()).unwrap_or_else(|problems| panic!("{}", problems.render(false))))
});

static SCENARIOS: LazyLock<Vec<Arc<Scenario>>> = LazyLock::new(|| {
    let parsed = scenario::parse_all(&Files::scenarios(), &contracts());
    parsed.unwrap_or_else(|problems| panic!("{}", problems.render(false))).into_iter().map(Arc::new).collect()
});

/// The contracts in the binary.
pub fn contracts() -> Arc<Contracts> {
    Arc::clone(&CONTRACTS)
}

/// Instances of the scenarios in the binary whose name contains one of these; each must select something.
pub fn shipped(names: &[&str]) -> Vec<Instance> {
    let select = |name: &&str| {
        let selection = Selection { names: vec![(*name).to_owned()], ..Selection::default() };
        let selected = runner::plan(&SCENARIOS, &contracts(), &selection);
        assert!(!selected.is_empty(), "no scenario's name contains `{name}`");
        selected
    };
    names.iter().flat_map(select).collect()
}

/// Instances of a script written in a test.
pub fn scripted(text: &str) -> Vec<Instance> {
    let parsed = scenario::parse("gateway/in-a-test.yaml", &Source::new("in-a-test.yaml", text), &contracts());
    let scenario = parsed.unwrap_or_else(|problems| panic!("{}", problems.render(false)));
    runner::plan(&[Arc::new(scenario)], &contracts(), &Selection::default())
}

/// A script without a world: one call, answered by whatever stands at the target.
pub fn one_call(operation: &str) -> Vec<Instance> {
    scripted(&format!("title: One call\nclauses: [{operation}.call]\nsteps:\n  - call: {operation}\n"))
}

/// An emulator on a free port of this machine.
pub async fn emulator() -> Emulator {
    Emulator::start(Config::default()).await.unwrap()
}

/// A target on this machine, with two merchants, an inbox on a free port and short limits.
pub fn target(base: &Url) -> Target {
    let credential = |(merchant, secret): (&str, &str)| {
        let parts = [
            ("merchant", merchant.to_owned()),
            ("secret", secret.to_owned()),
            ("terminal", format!("T{merchant}")),
            ("terminal-secret", format!("{secret}-of-the-terminal")),
        ];
        parts.into_iter().map(|(part, value)| (part.to_owned(), value)).collect()
    };
    Target {
        title: "under test".to_owned(),
        bases: IndexMap::from([("default".to_owned(), base.clone())]),
        credentials: IndexMap::from([("main".to_owned(), credential(MAIN)), ("other".to_owned(), credential(OTHER))]),
        paths: IndexMap::new(),
        assert_assumed: true,
        notifications: Notifications { listen: Some(SocketAddr::from(([127, 0, 0, 1], 0))), public: None, within: Duration::from_secs(5) },
        world: WorldKind::Emulator(base.clone()),
        timeout: Duration::from_secs(10),
        poll_every: Duration::from_millis(5),
        poll_within: Duration::from_millis(500),
        certificate: None,
        allow: Allow::default(),
    }
}

/// A target without a world and without an inbox, for servers that only answer.
pub fn bare_target(base: &Url) -> Target {
    let mut target = target(base);
    target.world = WorldKind::Commands(IndexMap::new());
    target.notifications.listen = None;
    target
}

/// Judges a target. `seed` names the worlds, so that several runs can share one emulator.
pub async fn judge(target: Target, plan: Vec<Instance>, seed: u64, proxy: Option<&Proxy>) -> Vec<Arc<InstanceFinished>> {
    let context = match Context::start(contracts(), target, Vec::new(), seed).await {
        Ok(context) => Arc::new(context),
        Err(error) => panic!("the run can't begin: {error:?}"),
    };
    if let (Some(proxy), Some(inbox)) = (proxy, &context.inbox) {
        proxy.lead_to_inbox(inbox.address());
    }
    let mut finished = Vec::new();
    let told = runner::run(context, plan, BTreeSet::new(), Limits { jobs: 64 }, std::future::pending(), |event| {
        if let Event::InstanceFinished(instance) = event {
            finished.push(Arc::clone(instance));
        }
        Ok::<(), std::convert::Infallible>(())
    });
    let _ = told.await;
    finished
}

/// Judges an emulator through a proxy that tampers.
pub async fn judge_through(emulator: &Emulator, tamper: Tamper, plan: Vec<Instance>, seed: u64) -> Vec<Arc<InstanceFinished>> {
    let timeout = tamper.timeout;
    let proxy = Proxy::start(emulator.addr(), tamper).await;
    let mut target = target(&proxy.url());
    target.notifications.public = Some(proxy.inbox_url());
    target.timeout = timeout.unwrap_or(target.timeout);
    judge(target, plan, seed, Some(&proxy)).await
}

/// What was found in an instance; nothing unless it failed.
pub fn findings(instance: &InstanceFinished) -> &[Finding] {
    match &instance.verdict {
        Verdict::Failed { findings } => findings,
        Verdict::Passed | Verdict::Skipped { .. } | Verdict::Broken { .. } => &[],
    }
}

/// What did not pass, for people.
pub fn troubles(instances: &[Arc<InstanceFinished>]) -> Vec<String> {
    instances.iter().filter(|i| i.verdict != Verdict::Passed).map(|i| story(i)).collect()
}

/// How an instance ended, for people.
pub fn story(instance: &InstanceFinished) -> String {
    let told = match &instance.verdict {
        Verdict::Passed => "passed".to_owned(),
        Verdict::Skipped { reason } => format!("skipped: {reason}"),
        Verdict::Broken { reason } => format!("broken: {reason}"),
        Verdict::Failed { findings } => findings.iter().map(|f| format!("\n    {}", sentence(f))).collect(),
    };
    format!("{}: {told}", instance.name)
}

/// A finding in one line.
pub fn sentence(finding: &Finding) -> String {
    let part = |name: &str, value: &Option<serde_json::Value>| value.as_ref().map(|v| format!(", {name} {v}")).unwrap_or_default();
    let at = finding.at.as_deref().unwrap_or("-");
    let compared = format!("{}{}", part("expected", &finding.expected), part("got", &finding.got));
    format!("{} [{}] {} ({at}{compared})", finding.clauses.join(" + "), finding.operation, finding.message)
}
