//! Strangers: emulators that use the freedoms of the documents in another way than ours. None of them lies, so nothing may be found.

use std::collections::BTreeSet;
use std::sync::Arc;

use emulator::{Config, Emulator, FreedomSettings, freedoms};
use futures::StreamExt as _;
use harness::base::verdict::Verdict;
use harness::engine::event::CaseFinished;
use harness::engine::runner::Case;

use crate::support::{OF_SO_MANY, findings, judge_each, sentence, shipped, target, thinned};

pub const APIS: [&str; 6] = ["gateway", "status", "terminal", "transfers", "qr", "device"];

/// Alternatives that leave cases unjudged, and the beginning of the names of these.
const UNJUDGED: &[(&str, &str)] = &[
    // A request that the documents do not show may be refused.
    ("device.batch.bad-record=whole", "device / "),
    ("device.uploads=strict", "device / "),
    // An error page by 404 at a path that is assumed.
    ("gateway.error-page=404", "gateway / "),
    // What is not there can't be judged.
    ("gateway.paths=", "gateway / "),
    ("gateway.paths=", "transfers / "),
    ("terminal.paths=", "terminal / "),
    ("terminal.paths=", "transfers / "),
    ("qr.paths=", "qr / "),
    ("qr.paths=", "transfers / "),
    ("device.paths=", "device / "),
    // By chance, each of them.
    ("random:", "device / "),
    ("random:", "gateway / "),
];

/// What only `verify` recognises, which compares an answer at an assumed path with that at a path that does not exist.
pub const FOR_VERIFY_ALONE: &str = "gateway.paths=refused";

/// A conforming emulator: its name, its freedoms, and the cases that judge it.
pub struct Stranger {
    pub name: String,
    pub freedoms: FreedomSettings,
    plan: Vec<Case>,
}

/// The shipped cases of some APIs.
fn cases_of(apis: &[impl AsRef<str>]) -> Vec<Case> {
    let names: Vec<String> = apis.iter().map(|api| format!("{} / ", api.as_ref())).collect();
    shipped(&names.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Judges a stranger, and returns what should not be.
async fn alarms(Stranger { name, freedoms, plan }: Stranger) -> Vec<String> {
    let emulator = Emulator::start(Config { freedoms: Some(freedoms), ..Config::default() }).await.unwrap();
    let mut target = target(&emulator.base_url().parse().unwrap());
    // As on a live target: what the documents do not show is not asserted.
    target.assert_assumed = false;
    let (count, mut finished, mut alarms) = (plan.len(), 0, Vec::new());
    judge_each(target, plan, 1, None, |case| {
        finished += 1;
        alarms.extend(alarm(&name, case).map(|alarm| format!("{name}: {}: {alarm}", case.name)));
    })
    .await;
    assert_eq!(finished, count);
    emulator.stop().await;
    alarms
}

/// What is wrong with the result of a case, if anything is.
fn alarm(stranger: &str, case: &Arc<CaseFinished>) -> Option<String> {
    match &case.verdict {
        Verdict::Passed => None,
        Verdict::Skipped { reason } => Some(reason.to_string()),
        Verdict::NotJudged { reason } => {
            let explained = UNJUDGED.iter().any(|(of, name)| stranger.starts_with(of) && case.name.to_string().starts_with(name));
            // A connection or a driver that breaks is no freedom.
            let is_open = reason.excused().is_some();
            (!explained || !is_open).then(|| reason.to_string())
        }
        Verdict::Failed { .. } => findings(case).iter().find(|finding| finding.assumed.is_none()).map(sentence),
    }
}

/// How many are judged at a time: most of the time of each is waiting, for late notifications.
const AT_ONCE: usize = 4;

/// Asserts that none of the strangers causes an alarm, as they are found by `alarms`.
pub async fn none_is_flagged<A: Future<Output = Vec<String>>>(strangers: Vec<Stranger>, alarms: impl Fn(Stranger) -> A) {
    assert!(!strangers.is_empty());
    let alarms = futures::stream::iter(strangers.into_iter().map(alarms)).buffer_unordered(AT_ONCE).concat().await;
    assert!(alarms.is_empty(), "{} false alarms:\n{}", alarms.len(), alarms.join("\n"));
}

async fn no_alarms(strangers: Vec<Stranger>) {
    // Each is a task of its own, so that they share the cores.
    let judged = |stranger| async { tokio::spawn(alarms(stranger)).await.unwrap() };
    none_is_flagged(strangers, judged).await;
}

/// How many alternatives, each of another freedom, are played in one world: a world for each takes as many times as long
/// (`cargo test --test judging -- --ignored each_alternative_alone`).
pub const TOGETHER: usize = 16;

/// Every alternative but today's, of the freedoms that are shown by this API first, in as few worlds as that takes. One that leaves
/// cases unjudged would hide the others, and has a world of its own. Unless each is to be played
/// alone, a world is judged by every scenario, but by a part of its cases.
pub fn alternatives_of(api: &str, together: usize) -> Vec<Stranger> {
    let shown = freedoms().iter().filter(|freedom| freedom.apis.first().is_some_and(|first| first == api));
    let alternatives = shown.flat_map(|freedom| {
        let others = freedom.alternatives.keys().filter(|name| **name != freedom.default);
        others.map(|name| (format!("{}={name}", freedom.id), &freedom.apis))
    });
    let leaves_unjudged = |(name, _): &(String, _)| UNJUDGED.iter().any(|(of, _)| name.starts_with(of));
    let (alone, others): (Vec<_>, Vec<_>) = alternatives.partition(leaves_unjudged);
    let freedom = |(name, _): &(String, _)| name.split('=').next().map(str::to_owned);
    let most = others.chunk_by(|one, next| freedom(one) == freedom(next)).map(<[_]>::len).max().unwrap_or_default();
    let worlds = others.len().div_ceil(together).max(most);
    // Dealt like cards: those of one freedom stand side by side, so they come into different worlds.
    let dealt = (0..worlds).map(|world| others.iter().skip(world).step_by(worlds).cloned().collect());
    let worlds = alone.into_iter().map(|one| vec![one]).chain(dealt).enumerate();
    worlds.map(|(index, alternatives)| world(alternatives, (together > 1).then_some(index))).collect()
}

/// A world of some alternatives, judged by the cases of the APIs that show one of them: all, or a part that its number decides.
fn world(alternatives: Vec<(String, &Vec<String>)>, thinned_by: Option<usize>) -> Stranger {
    let apis: BTreeSet<&String> = alternatives.iter().flat_map(|(_, apis)| *apis).collect();
    let all = cases_of(&apis.into_iter().collect::<Vec<_>>());
    let plan = match thinned_by {
        Some(world) => thinned(all, world),
        None => all,
    };
    let name = alternatives.into_iter().map(|(name, _)| name).collect::<Vec<_>>().join(",");
    Stranger { freedoms: FreedomSettings::parse(&name).unwrap(), name, plan }
}

#[test]
fn every_alternative_is_played_and_none_hides_another() {
    let played: Vec<String> = APIS.iter().flat_map(|api| alternatives_of(api, TOGETHER)).map(|stranger| stranger.name).collect();
    let each: BTreeSet<&str> = played.iter().flat_map(|world| world.split(',')).collect();
    let known = freedoms().iter().map(|freedom| freedom.alternatives.len() - 1).sum::<usize>();
    assert_eq!(each.len(), known, "{each:?}");
    for world in &played {
        let freedoms: Vec<_> = world.split(',').map(|one| one.split('=').next()).collect();
        assert_eq!(freedoms.iter().collect::<BTreeSet<_>>().len(), freedoms.len(), "two alternatives of one freedom: {world}");
    }
}

#[test]
fn a_world_plays_every_scenario_and_neighbours_play_every_case() {
    let all = cases_of(&APIS);
    let names = |plan: &[Case]| plan.iter().map(|case| case.name.to_string()).collect::<BTreeSet<_>>();
    let scenarios = |plan: &[Case]| plan.iter().map(|case| Arc::as_ptr(&case.scenario)).collect::<BTreeSet<_>>();
    let worlds: Vec<Vec<Case>> = (5..5 + OF_SO_MANY).map(|world| thinned(all.clone(), world)).collect();
    assert!(worlds.iter().all(|plan| scenarios(plan) == scenarios(&all) && plan.len() < all.len() * 2 / 3));
    assert_eq!(names(&worlds.concat()), names(&all));
}

#[tokio::test(flavor = "multi_thread")]
async fn no_alternative_of_the_gateway_is_flagged() {
    no_alarms(alternatives_of("gateway", TOGETHER)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_alternative_of_the_status_api_is_flagged() {
    no_alarms(alternatives_of("status", TOGETHER)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_alternative_of_the_terminal_is_flagged() {
    no_alarms(alternatives_of("terminal", TOGETHER)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_alternative_of_the_transfers_is_flagged() {
    no_alarms(alternatives_of("transfers", TOGETHER)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_alternative_of_qr_payments_is_flagged() {
    no_alarms(alternatives_of("qr", TOGETHER)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_alternative_of_the_devices_is_flagged() {
    no_alarms(alternatives_of("device", TOGETHER)).await;
}

/// Each combination is judged by every tenth case, so that each case meets two of them; `bench/strangers.sh` plays all.
#[tokio::test(flavor = "multi_thread")]
async fn no_combination_by_chance_is_flagged() {
    let mut everything = cases_of(&APIS);
    // These take as long as a hundred others.
    everything.retain(|case| !case.name.scenario.ends_with("1000-times"));
    let combination = |seed: u64| {
        let plan = everything.iter().skip((seed % 10) as usize).step_by(10).cloned().collect();
        Stranger { name: format!("random:{seed}"), freedoms: FreedomSettings::random(seed), plan }
    };
    no_alarms((1..=20).map(combination).collect()).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the alternatives one by one, and all cases: forty times the time of the tests above"]
async fn each_alternative_alone_is_not_flagged() {
    no_alarms(APIS.iter().flat_map(|api| alternatives_of(api, 1)).collect()).await;
}
