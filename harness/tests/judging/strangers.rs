//! Strangers: emulators that use the freedoms of the documents in another way than ours. None of them lies, so nothing may be found.

use std::sync::Arc;

use emulator::{Config, Emulator, FreedomSettings, freedoms};
use futures::StreamExt as _;
use harness::base::verdict::Verdict;
use harness::engine::event::CaseFinished;

use crate::support::{findings, judge, sentence, shipped, target};

const APIS: [&str; 6] = ["gateway", "status", "terminal", "transfers", "qr", "device"];

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

/// Judges an emulator of these freedoms by the shipped scenarios of some APIs, and returns what should not be.
async fn alarms(name: String, settings: FreedomSettings, apis: Vec<String>) -> Vec<String> {
    let emulator = Emulator::start(Config { freedoms: Some(settings), ..Config::default() }).await.unwrap();
    let mut target = target(&emulator.base_url().parse().unwrap());
    // As on a live target: what the documents do not show is not asserted.
    target.assert_assumed = false;
    let names: Vec<String> = apis.iter().map(|api| format!("{api} / ")).collect();
    let plan = shipped(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let (count, finished) = (plan.len(), judge(target, plan, 1, None).await);
    assert_eq!(finished.len(), count);
    emulator.stop().await;
    finished.iter().filter_map(|case| Some(format!("{name}: {}: {}", case.name, alarm(&name, case)?))).collect()
}

/// What is wrong with the result of a case, if anything is.
fn alarm(stranger: &str, case: &Arc<CaseFinished>) -> Option<String> {
    match &case.verdict {
        Verdict::Passed => None,
        Verdict::Skipped { reason } => Some(reason.to_string()),
        Verdict::Broken { reason } => {
            let explained = UNJUDGED.iter().any(|(of, name)| stranger.starts_with(of) && case.name.to_string().starts_with(name));
            (!explained).then(|| reason.to_string())
        }
        Verdict::Failed { .. } => findings(case).iter().find(|finding| finding.assumed.is_none()).map(sentence),
    }
}

async fn no_alarms(strangers: Vec<(String, FreedomSettings, Vec<String>)>) {
    assert!(!strangers.is_empty());
    let judged = strangers.into_iter().map(|(name, settings, apis)| alarms(name, settings, apis));
    let alarms = futures::stream::iter(judged).buffer_unordered(2).concat().await;
    assert!(alarms.is_empty(), "{} false alarms:\n{}", alarms.len(), alarms.join("\n"));
}

/// Every alternative but today's, of the freedoms that are shown by this API first.
fn alternatives_of(api: &str) -> Vec<(String, FreedomSettings, Vec<String>)> {
    let shown = freedoms().iter().filter(|freedom| freedom.apis.first().is_some_and(|first| first == api));
    let alternatives = shown.flat_map(|freedom| {
        let others = freedom.alternatives.keys().filter(|name| **name != freedom.today);
        others.map(|name| (format!("{}={name}", freedom.id), FreedomSettings::only(&freedom.id, name), freedom.apis.clone()))
    });
    alternatives.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_alternative_of_the_gateway_is_flagged() {
    no_alarms(alternatives_of("gateway")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_alternative_of_the_status_api_is_flagged() {
    no_alarms(alternatives_of("status")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_alternative_of_the_terminal_is_flagged() {
    no_alarms(alternatives_of("terminal")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_alternative_of_the_transfers_is_flagged() {
    no_alarms(alternatives_of("transfers")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_alternative_of_qr_payments_is_flagged() {
    no_alarms(alternatives_of("qr")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_alternative_of_the_devices_is_flagged() {
    no_alarms(alternatives_of("device")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_combination_by_chance_is_flagged() {
    let apis: Vec<String> = APIS.map(str::to_owned).into();
    no_alarms((1..=40).map(|seed| (format!("random:{seed}"), FreedomSettings::random(seed), apis.clone())).collect()).await;
}
