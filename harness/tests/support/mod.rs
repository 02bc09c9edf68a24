//! Support for the tests: an emulator to judge, a proxy that tampers with its traffic, and the binary.
#![allow(dead_code, unreachable_pub, missing_docs)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

pub mod binary;
pub mod live;
pub mod merchant;
pub mod proxy;
pub mod raw;
pub mod whole_run;

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use emulator::{Config, Emulator};
use harness::base::source::Source;
use harness::base::verdict::{Finding, Verdict};
use harness::engine::event::{CaseFinished, Event};
use harness::engine::runner::{self, Case, Context, Limits, Selection};
use harness::spec::contract::{Contracts, Files};
use harness::spec::scenario::{self, Scenario};
use harness::spec::target::{Allow, GiveUp, HttpChoice, Notifications, Settings, Target, WorldKind};
use indexmap::IndexMap;
use proxy::{Proxy, Tamper};
use url::Url;

pub const MAIN: (&str, &str) = ("100001", "secret-of-main-4d1b");
pub const OTHER: (&str, &str) = ("200002", "secret-of-other-90aa");

static CONTRACTS: LazyLock<Arc<Contracts>> = LazyLock::new(|| {
    // reqwest leaves the choice of a TLS provider to the program.
    Arc::new(Contracts::read(&Files::contracts()).unwrap_or_else(|problems| panic!("{}", problems.render(false))))
});

static SCENARIOS: LazyLock<Vec<Arc<Scenario>>> = LazyLock::new(|| {
    let parsed = scenario::parse_all(&Files::scenarios(), &contracts());
    parsed.unwrap_or_else(|problems| panic!("{}", problems.render(false))).into_iter().map(Arc::new).collect()
});

/// The scenarios in the binary.
pub fn scenarios() -> &'static [Arc<Scenario>] {
    &SCENARIOS
}

/// A free address that is known before anything listens on it. Where loopback has many addresses, it is one of this process alone: any
/// other program could take a port of the usual one meanwhile.
pub fn free_address() -> SocketAddr {
    let [.., middle, low] = std::process::id().to_be_bytes();
    let own = if cfg!(target_os = "linux") { [127, 9, middle, low] } else { [127, 0, 0, 1] };
    std::net::TcpListener::bind((std::net::Ipv4Addr::from(own), 0)).unwrap().local_addr().unwrap()
}

/// The contracts in the binary.
pub fn contracts() -> Arc<Contracts> {
    Arc::clone(&CONTRACTS)
}

/// Every shipped case with its name: a plan of all takes longer than most cases.
static PLAN: LazyLock<Vec<(String, Case)>> = LazyLock::new(|| {
    let plan = runner::plan(&SCENARIOS, &contracts(), &Selection::default());
    plan.into_iter().map(|case| (case.name.to_string(), case)).collect()
});

/// The shipped cases whose name contains one of these texts; each text must select some. A text that is the name of a scenario or a case
/// does not select those whose names begin or end with it.
pub fn shipped(names: &[&str]) -> Vec<Case> {
    let select = |part: &&str| {
        let with = |selects: &dyn Fn(&str) -> bool| -> Vec<Case> {
            PLAN.iter().filter(|(name, _)| selects(name)).map(|(_, case)| case.clone()).collect()
        };
        let between = format!(" / {part} / ");
        let named = with(&|name| format!(" / {name} / ").contains(&between));
        let selected = if named.is_empty() { with(&|name| name.contains(part)) } else { named };
        assert!(!selected.is_empty(), "no scenario's name contains `{part}`");
        selected
    };
    names.iter().flat_map(select).collect()
}

/// A thinned plan has one in so many cases of each scenario.
pub const OF_SO_MANY: usize = 4;

/// The cases of each scenario that a world plays, by its number: one at least; the next world plays the next ones. Cases of one
/// scenario differ in their values only.
pub fn thinned(plan: Vec<Case>, world: usize) -> Vec<Case> {
    let of_one_scenario = plan.chunk_by(|one, next| Arc::ptr_eq(&one.scenario, &next.scenario));
    of_one_scenario.flat_map(|cases| cases.iter().skip(world % OF_SO_MANY.min(cases.len())).step_by(OF_SO_MANY).cloned()).collect()
}

/// The cases of a scenario written in a test.
pub fn scripted(text: &str) -> Vec<Case> {
    let parsed = scenario::parse("gateway/in-a-test.yaml", &Source::new("in-a-test.yaml", text), &contracts());
    let scenario = parsed.unwrap_or_else(|problems| panic!("{}", problems.render(false)));
    runner::plan(&[Arc::new(scenario)], &contracts(), &Selection::default())
}

/// A scenario without a world: one call.
pub fn one_call(operation: &str) -> Vec<Case> {
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
            ("qr-user", format!("qr-{merchant}")),
            ("qr-password", format!("{secret}-of-qr")),
            ("mid", format!("M{merchant}")),
            ("qr-terminal", format!("Q{merchant}")),
            ("device-user", format!("device-{merchant}")),
            ("device-password", format!("{secret}-of-devices")),
            ("serial", format!("SN{merchant}")),
            ("activation-code", format!("AC{merchant}")),
        ];
        parts.into_iter().map(|(part, value)| (part.to_owned(), value)).collect()
    };
    Target {
        title: "under test".to_owned(),
        bases: IndexMap::from([("default".to_owned(), base.clone())]),
        credentials: IndexMap::from([("main".to_owned(), credential(MAIN)), ("other".to_owned(), credential(OTHER))]),
        paths: IndexMap::new(),
        methods: IndexMap::new(),
        examples: IndexMap::new(),
        layouts: IndexMap::new(),
        assert_assumed: true,
        notifications: Notifications { listen: Some(SocketAddr::from(([127, 0, 0, 1], 0))), public: None, within: Duration::from_secs(5) },
        world: WorldKind::Emulator(base.clone()),
        http: HttpChoice::Auto,
        // A machine that is busy with other things is no silent target.
        timeout: Duration::from_secs(120),
        poll_every: Duration::from_millis(5),
        poll_within: Duration::from_millis(500),
        give_up: GiveUp::default(),
        certificate: None,
        variables: IndexMap::new(),
        settings: Settings::default(),
        reach: None,
        allow: Allow::default(),
    }
}

/// A target without a world and without an inbox, for servers that only respond.
pub fn bare_target(base: &Url) -> Target {
    let mut target = target(base);
    target.world = WorldKind::without_actions();
    target.notifications.listen = None;
    target
}

/// Judges a target. `seed` names the worlds, so that several runs can share one emulator.
pub async fn judge(target: Target, plan: Vec<Case>, seed: u64, proxy: Option<&Proxy>) -> Vec<Arc<CaseFinished>> {
    let mut finished = Vec::new();
    judge_each(target, plan, seed, proxy, |case| finished.push(Arc::clone(case))).await;
    finished
}

/// Judges a target, and shows each case as soon as it is finished: thousands of them are not kept.
pub async fn judge_each(target: Target, plan: Vec<Case>, seed: u64, proxy: Option<&Proxy>, mut show: impl FnMut(&Arc<CaseFinished>)) {
    let context = match Context::start(contracts(), target, Vec::new(), seed).await {
        Ok(context) => Arc::new(context),
        Err(error) => panic!("the run can't begin: {error:?}"),
    };
    if let (Some(proxy), Some(inbox)) = (proxy, &context.inbox) {
        proxy.forward_to_inbox(inbox.address());
    }
    let run = runner::run(context, plan, BTreeSet::new(), Limits { jobs: 64 }, std::future::pending(), |event| {
        if let Event::CaseFinished(case) = event {
            show(case);
        }
        Ok::<(), std::convert::Infallible>(())
    });
    let _ = run.await;
}

/// Judges an emulator through a proxy that tampers.
pub async fn judge_through(emulator: &Emulator, tamper: Tamper, plan: Vec<Case>, seed: u64) -> Vec<Arc<CaseFinished>> {
    let timeout = tamper.timeout;
    let proxy = Proxy::start(emulator.addr(), tamper).await;
    let mut target = target(&proxy.url());
    target.notifications.public = Some(proxy.inbox_url());
    target.timeout = timeout.unwrap_or(target.timeout);
    judge(target, plan, seed, Some(&proxy)).await
}

/// The findings of a case; none unless it failed.
pub fn findings(case: &CaseFinished) -> &[Finding] {
    match &case.verdict {
        Verdict::Failed { findings } => findings,
        Verdict::Passed | Verdict::Skipped { .. } | Verdict::NotJudged { .. } => &[],
    }
}

/// The cases that did not pass, in words.
pub fn troubles(cases: &[Arc<CaseFinished>]) -> Vec<String> {
    cases.iter().filter(|i| i.verdict != Verdict::Passed).map(|i| story(i)).collect()
}

/// The result of a case, in words.
pub fn story(case: &CaseFinished) -> String {
    let result = match &case.verdict {
        Verdict::Passed => "passed".to_owned(),
        Verdict::Skipped { reason } => format!("skipped: {reason}"),
        Verdict::NotJudged { reason } => format!("broken: {reason}"),
        Verdict::Failed { findings } => findings.iter().map(|f| format!("\n    {}", sentence(f))).collect(),
    };
    format!("{}: {result}", case.name)
}

/// A finding in one line.
pub fn sentence(finding: &Finding) -> String {
    let part = |name: &str, value: &Option<serde_json::Value>| value.as_ref().map(|v| format!(", {name} {v}")).unwrap_or_default();
    let at = finding.at.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string);
    let compared = format!("{}{}", part("expected", &finding.expected), part("got", &finding.got));
    format!("{} [{}] {} ({at}{compared})", finding.clauses.join(" + "), finding.operation, finding.message)
}
