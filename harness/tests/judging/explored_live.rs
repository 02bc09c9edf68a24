//! Exploration of a shop without a control API: what its target file can't bring about is left out, and is no finding.

use std::sync::Arc;

use harness::base::source::Source;
use harness::engine::runner::Context;
use harness::modes::explore::{ExplorationLimits, explore, read_all};
use harness::spec::contract::Files;
use harness::spec::target;
use serde_json::json;

use crate::live_shop::PAYER;
use crate::support::contracts;
use crate::support::live::Shop;

const FEW: ExplorationLimits = ExplorationLimits { sequences: 4, deadline: None, max_steps: 8, jobs: 1, max_failures: 1 };

#[tokio::test]
async fn time_that_nobody_moves_is_left_out() {
    let shop = Shop::open(json!({}), None).await;
    let actions: Vec<&str> = PAYER.iter().copied().chain(["world.settles"]).collect();
    let file = Source::new("target.yaml", shop.target_file(&actions, "  waits-up-to: 1s\n"));
    let target = target::parse(&file, &contracts(), &|_| None).unwrap_or_else(|problems| panic!("{}", problems.render(false)));
    let context = Arc::new(Context::start(contracts(), target, Vec::new(), 7).await.unwrap());
    shop.notifies(context.inbox.as_ref().unwrap().address());
    let models = read_all(&Files::contracts(), &contracts()).unwrap_or_else(|problems| panic!("{}", problems.render(false)));
    let model = Arc::new(models.into_iter().find(|model| model.api == "gateway").unwrap());
    let explored = explore(&context, &model, FEW, std::future::pending()).await;
    assert_eq!(explored.unavailable.get("wait").map(String::as_str), Some("nothing moves the clock of the target"));
    assert!(explored.error.is_none() && explored.counterexamples.is_empty(), "{:?}", explored.counterexamples.first().map(|c| &c.script));
    assert_eq!(explored.sequences, 4);
}
