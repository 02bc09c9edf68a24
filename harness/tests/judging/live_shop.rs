//! A conforming test shop that was built by strangers, judged as a QA engineer would: no control API, a reverse proxy that rewrites
//! host and path, real time. Nothing that it may do is flagged, however many cases are played at once.

use std::collections::BTreeSet;
use std::sync::Arc;

use emulator::FreedomSettings;
use harness::base::source::Source;
use harness::base::verdict::Verdict;
use harness::engine::event::{CaseFinished, Event, RunFinished};
use harness::engine::outcome::{Collector, Ended, Verb};
use harness::engine::runner::{self, Case, Context, Limits};
use harness::spec::contract::Contracts;
use harness::spec::target::{self, Target};
use serde_json::json;

use crate::support::live::{ReverseProxy, Shop};
use crate::support::{contracts, findings, shipped, story, thinned};

/// What a payer and a cardholder do.
pub const PAYER: &[&str] =
    &["payer.pays", "payer.fails", "payer.cancels", "cardholder.pays", "cardholder.is-declined", "cardholder.leaves"];

/// Whatever happens outside the APIs, but faults and the clock.
pub fn everybody() -> Vec<String> {
    let contracts = contracts();
    let actions = contracts.actions.values().filter(|action| !action.fault && action.capability() != "clock");
    actions.map(|action| action.name.clone()).collect()
}

/// What a run at the shop needs; `adapts` changes what its target file says.
async fn context(shop: &Shop, actions: &[&str], adapts: impl FnOnce(&mut Target)) -> Arc<Context> {
    context_by(contracts(), shop, actions, adapts).await
}

/// The same, by these contracts.
async fn context_by(by: Arc<Contracts>, shop: &Shop, actions: &[&str], adapts: impl FnOnce(&mut Target)) -> Arc<Context> {
    let file = Source::new("target.yaml", shop.target_file(actions, ""));
    let mut target = target::parse(&file, &contracts(), &|_| None).unwrap_or_else(|problems| panic!("{}", problems.render(false)));
    adapts(&mut target);
    let context = Arc::new(Context::start(by, target, Vec::new(), 7).await.unwrap());
    shop.notifies(context.inbox.as_ref().unwrap().address());
    context
}

/// Judges a shop; `adapts` changes what its target file says.
pub async fn judged(
    shop: &Shop,
    actions: &[&str],
    plan: Vec<Case>,
    jobs: usize,
    adapts: impl FnOnce(&mut Target),
) -> (Vec<Arc<CaseFinished>>, RunFinished) {
    judged_by(contracts(), shop, actions, plan, jobs, adapts).await
}

/// Judges a shop by these contracts.
pub async fn judged_by(
    by: Arc<Contracts>,
    shop: &Shop,
    actions: &[&str],
    plan: Vec<Case>,
    jobs: usize,
    adapts: impl FnOnce(&mut Target),
) -> (Vec<Arc<CaseFinished>>, RunFinished) {
    let context = context_by(by, shop, actions, adapts).await;
    let mut finished = Vec::new();
    let run = runner::run(context, plan, BTreeSet::new(), Limits { jobs }, std::future::pending(), |event| {
        if let Event::CaseFinished(case) = event {
            finished.push(Arc::clone(case));
        }
        Ok::<(), std::convert::Infallible>(())
    });
    let run = run.await.unwrap();
    (finished, run)
}

/// One case, played to its end.
const NOTIFIED: &[&str] = &["a-paid-payment-is-notified-and-reads-as-paid / v2.0"];

#[tokio::test]
async fn the_inbox_may_be_behind_a_proxy_that_keeps_the_path() {
    let shop = Shop::open_behind(ReverseProxy::start("", "").await, json!({}), None).await;
    let (finished, run) = judged(&shop, PAYER, shipped(NOTIFIED), 1, |_| ()).await;
    assert_eq!((troubles(&finished), run.notifications), (Vec::new(), 1));
}

/// Whatever else sends to the inbox is no case's, and the summary says where it came.
#[tokio::test]
async fn a_notification_that_belongs_to_no_case_is_a_line_of_the_summary() {
    let shop = Shop::open(json!({}), None).await;
    let (context, plan) = (context(&shop, PAYER, |_| ()), shipped(NOTIFIED));
    let context = context.await;
    let address = format!("http://{}/from/elsewhere", context.inbox.as_ref().unwrap().address());
    let stray = json!({ "transId": "SOME-BODY-ELSE", "status": "PAID" });
    reqwest::Client::new().post(address).json(&stray).send().await.unwrap();
    let mut collector = Collector::new(Verb::Verify);
    let run = runner::run(context, plan, BTreeSet::new(), Limits { jobs: 1 }, std::future::pending(), |event| {
        collector.collect(event);
        Ok::<(), std::convert::Infallible>(())
    });
    assert_eq!(run.await.unwrap().counts.passed, 1);
    let figures = collector.outcome(Ended::Completed).figures;
    let line = figures.iter().find(|figure| figure.label == "inbox").unwrap_or_else(|| panic!("{figures:?}"));
    assert_eq!(line.text, "1 notification arrived at /from/elsewhere for no case of this run: about SOME-BODY-ELSE");
}

/// The cases with a finding, or without a verdict, in words.
fn troubles(finished: &[Arc<CaseFinished>]) -> Vec<String> {
    let troubled = finished.iter().filter(|case| matches!(case.verdict, Verdict::Failed { .. } | Verdict::NotJudged { .. }));
    troubled.map(|case| story(case)).collect()
}

/// Returns the clauses that were judged.
async fn is_green(shop: &Shop, actions: &[&str], plan: Vec<Case>, jobs: usize, least: usize) -> BTreeSet<String> {
    let (finished, run) = judged(shop, actions, plan, jobs, |_| ()).await;
    assert_eq!(run.unexpected, [], "notifications that belong to no case");
    let troubles = troubles(&finished);
    assert!(troubles.is_empty(), "{} of {}:\n{}", troubles.len(), finished.len(), troubles.join("\n"));
    let clauses: BTreeSet<String> = finished.iter().flat_map(|case| &case.held).cloned().collect();
    assert!(clauses.len() >= least, "{} clauses were judged", clauses.len());
    clauses
}

#[tokio::test]
async fn with_a_payer_and_a_cardholder() {
    is_green(&Shop::open(json!({}), None).await, PAYER, in_part(0), 64, 900).await;
}

#[tokio::test]
async fn with_everybody_who_has_to_do_with_it() {
    let actions = everybody();
    let actions: Vec<&str> = actions.iter().map(String::as_str).collect();
    let judged = is_green(&Shop::open(json!({}), None).await, &actions, shipped(&[""]), 64, 1200).await;
    let contracts = contracts();
    let open = contracts.clauses.values().filter(|clause| clause.unchecked.is_none() && !judged.contains(&clause.id));
    let open: String = open.map(|clause| format!("{}\n", clause.id)).collect();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../snapshots/breaks");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    // What is left needs a fault, a clock, or a shop that is set to something else.
    settings.bind(|| insta::assert_snapshot!("clauses-out-of-reach-without-a-control-api", open));
}

/// What a run has left in a shop, connections and their codes among it, is in nobody's way in the next.
#[tokio::test]
async fn a_second_run_finds_nothing_either() {
    let actions = everybody();
    let actions: Vec<&str> = actions.iter().map(String::as_str).collect();
    let shop = Shop::open(json!({}), None).await;
    for run in ["first", "second"] {
        let (finished, _) = judged(&shop, &actions, shipped(&["device / "]), 64, |_| ()).await;
        assert_eq!(troubles(&finished), Vec::<String>::new(), "the {run} run");
    }
}

/// Which round of `bench/live.sh` this is, if it is one.
fn round() -> Option<u64> {
    std::env::var("LIVE_ROUND").ok().map(|round| round.parse().unwrap())
}

/// Some cases of every scenario, another part for each number; a round of `bench/live.sh` plays all.
fn in_part(number: usize) -> Vec<Case> {
    let all = shipped(&[""]);
    if round().is_some() { all } else { thinned(all, number) }
}

/// The freedoms by chance: always the same ones, unless it is a round of `bench/live.sh`.
fn seeds() -> [u64; 2] {
    round().map_or([11, 12], |round| [2 * round + 11, 2 * round + 12])
}

/// Strangers may leave out what the documents leave open, so fewer clauses are judged, and some cases not at all; none is flagged.
#[tokio::test]
async fn with_freedoms_by_chance() {
    // Both wait more than they work.
    let [one, other] = seeds().map(flags_nothing);
    tokio::join!(one, other);
}

async fn flags_nothing(seed: u64) {
    let shop = Shop::open(json!({}), Some(FreedomSettings::random(seed))).await;
    let (finished, run) = judged(&shop, PAYER, in_part(seed as usize), 64, |_| ()).await;
    assert_eq!(run.unexpected, [], "notifications that belong to no case");
    let flagged = finished.iter().filter(|case| findings(case).iter().any(|finding| finding.assumed.is_none()));
    let flagged: Vec<String> = flagged.map(|case| story(case)).collect();
    assert!(flagged.is_empty(), "seed {seed}: {} of {}:\n{}", flagged.len(), finished.len(), flagged.join("\n"));
    let clauses: BTreeSet<&String> = finished.iter().flat_map(|case| &case.held).collect();
    assert!(clauses.len() >= 700, "seed {seed}: {} clauses were judged", clauses.len());
}

/// One case after the other takes a quarter of an hour of waiting for what must not arrive; `bench/live.sh` does it.
#[tokio::test]
#[ignore = "it waits in real time"]
async fn one_after_the_other() {
    is_green(&Shop::open(json!({}), None).await, PAYER, shipped(&[""]), 1, 1080).await;
}

/// A fault that is ordered for one case is met by that case: nothing else is played beside it.
#[tokio::test]
async fn with_faults_that_any_case_could_meet() {
    let shop = Shop::open(json!({}), None).await;
    let cases = shipped(&["status-answers-every-documented-code", "texts-come-back-as-they-were-sent", "a-pending-payment-is-cancelled"]);
    let finished = judged(&shop, &["payer.pays", "gateway.fails"], cases, 32, |_| ()).await.0;
    let troubles = troubles(&finished);
    assert!(troubles.is_empty(), "{}", troubles.join("\n"));
}

/// The case that performs a fault is played alone, unless the fault is about a device, which is of one case.
#[test]
fn a_fault_is_shared_unless_it_is_about_a_device() {
    let contracts = contracts();
    let faults = contracts.actions.values().filter(|action| action.fault && !action.parameters.contains_key("deviceId"));
    let missed: Vec<&String> = faults.filter(|action| !action.shared).map(|action| &action.name).collect();
    assert!(missed.is_empty(), "`shared: true` is missing in contracts/world.yaml: {missed:?}");
}
