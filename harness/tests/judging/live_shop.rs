//! A conforming test shop that was built by strangers, judged as a QA engineer would: no control API, a reverse proxy that rewrites
//! host and path, real time. Nothing that it may do is flagged, however many cases are played at once.

use std::collections::BTreeSet;
use std::sync::Arc;

use harness::base::source::Source;
use harness::base::verdict::Verdict;
use harness::engine::event::{CaseFinished, Event};
use harness::engine::runner::{self, Case, Context, Limits};
use harness::spec::target;
use serde_json::json;

use crate::support::live::Shop;
use crate::support::{contracts, shipped, story};

/// What a payer and a cardholder do.
const PAYER: &[&str] = &["payer.pays", "payer.fails", "payer.cancels", "cardholder.pays", "cardholder.is-declined", "cardholder.leaves"];

async fn judged(shop: &Shop, actions: &[&str], plan: Vec<Case>, jobs: usize) -> (Vec<Arc<CaseFinished>>, usize) {
    let file = Source::new("target.yaml", shop.target_file(actions, ""));
    let target = target::parse(&file, &contracts(), &|_| None).unwrap_or_else(|problems| panic!("{}", problems.render(false)));
    let context = Arc::new(Context::start(contracts(), target, Vec::new(), 7).await.unwrap());
    shop.notifies(context.inbox.as_ref().unwrap().address());
    let mut finished = Vec::new();
    let run = runner::run(context, plan, BTreeSet::new(), Limits { jobs }, std::future::pending(), |event| {
        if let Event::CaseFinished(case) = event {
            finished.push(Arc::clone(case));
        }
        Ok::<(), std::convert::Infallible>(())
    });
    let run = run.await.unwrap();
    assert_eq!(run.unexpected, [], "notifications that belong to no case");
    let clauses: BTreeSet<String> = finished.iter().flat_map(|case| case.held.iter().cloned()).collect();
    (finished, clauses.len())
}

/// The cases with a finding, or without a verdict, in words.
fn troubles(finished: &[Arc<CaseFinished>]) -> Vec<String> {
    let troubled = finished.iter().filter(|case| matches!(case.verdict, Verdict::Failed { .. } | Verdict::Broken { .. }));
    troubled.map(|case| story(case)).collect()
}

async fn is_green(actions: &[&str], jobs: usize, least: usize) {
    let shop = Shop::open(json!({})).await;
    let (finished, clauses) = judged(&shop, actions, shipped(&[""]), jobs).await;
    let troubles = troubles(&finished);
    assert!(troubles.is_empty(), "{} of {}:\n{}", troubles.len(), finished.len(), troubles.join("\n"));
    assert!(clauses >= least, "{clauses} clauses were judged");
}

#[tokio::test]
async fn with_a_payer_and_a_cardholder() {
    is_green(PAYER, 64, 1080).await;
}

/// Everything that happens outside the APIs, but faults and the clock.
#[tokio::test]
async fn with_everybody_who_has_to_do_with_it() {
    let contracts = contracts();
    let actions = contracts.actions.values().filter(|action| !action.fault && action.capability() != "clock");
    let actions: Vec<&str> = actions.map(|action| action.name.as_str()).collect();
    is_green(&actions, 64, 1200).await;
}

/// One case after the other takes a quarter of an hour of waiting for what must not arrive; `bench/live.sh` does it.
#[tokio::test]
#[ignore = "it waits in real time"]
async fn one_after_the_other() {
    is_green(PAYER, 1, 1080).await;
}
