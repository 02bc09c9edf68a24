//! Exploration of a shop without a control API: what its target file can't bring about is left out, and is no finding.

use std::sync::Arc;

use emulator::FreedomSettings;
use harness::base::source::Source;
use harness::engine::runner::Context;
use harness::modes::explore::{Exploration, ExplorationLimits, explore, read_all};
use harness::spec::contract::Files;
use harness::spec::target::{self, Target};
use serde_json::{Value, json};

use crate::live_shop::PAYER;
use crate::support::live::{Shop, merchant};
use crate::support::{MAIN, OTHER, contracts};

/// What a target file states of a QR terminal in production.
const PRODUCTION: &str = "settings: { merchants: { main: { qr-test: false } } }\n";

const FEW: ExplorationLimits = ExplorationLimits { sequences: 4, deadline: None, max_steps: 8, jobs: 1, max_failures: 1 };

async fn explored(shop: &Shop, api: &str, actions: &[&str], adapts: impl FnOnce(&mut Target)) -> Exploration {
    explored_within(FEW, shop, api, actions, "", adapts).await
}

async fn explored_within(
    limits: ExplorationLimits,
    shop: &Shop,
    api: &str,
    actions: &[&str],
    stated: &str,
    adapts: impl FnOnce(&mut Target),
) -> Exploration {
    let file = Source::new("target.yaml", shop.target_file(actions, &format!("  waits-up-to: 1s\n{stated}")));
    let mut target = target::parse(&file, &contracts(), &|_| None).unwrap_or_else(|problems| panic!("{}", problems.render(false)));
    adapts(&mut target);
    let context = Arc::new(Context::start(contracts(), target, Vec::new(), 7).await.unwrap());
    shop.notifies(context.inbox.as_ref().unwrap().address());
    let models = read_all(&Files::contracts(), &contracts()).unwrap_or_else(|problems| panic!("{}", problems.render(false)));
    let model = Arc::new(models.into_iter().find(|model| model.api == api).unwrap());
    explore(&context, &model, limits, |_| (), std::future::pending()).await
}

#[tokio::test]
async fn waiting_is_left_out_where_nothing_moves_the_clock() {
    let shop = Shop::open(json!({}), None).await;
    let actions: Vec<&str> = PAYER.iter().copied().chain(["world.settles"]).collect();
    let explored = explored(&shop, "gateway", &actions, |_| ()).await;
    assert_eq!(explored.unavailable.get("wait").map(String::as_str), Some("nothing moves the clock of the target"));
    assert!(explored.error.is_none() && explored.counterexamples.is_empty(), "{:?}", explored.counterexamples.first().map(|c| &c.script));
    assert_eq!(explored.sequences, 4);
}

/// Without credentials of an API nothing of it is explored, and nothing is opened there.
#[tokio::test]
async fn an_api_without_credentials_is_left_out() {
    for (api, part) in [("terminal", "terminal-secret"), ("qr", "qr-password")] {
        let shop = Shop::open(json!({}), None).await;
        let lacking = |target: &mut Target| target.credentials.values_mut().for_each(|parts| parts.retain(|name, _| name != part));
        let explored = explored(&shop, api, PAYER, lacking).await;
        assert_eq!((explored.sequences, explored.steps), (0, 0), "{api}");
        let reason = format!("the credentials of `main` lack `{part}`");
        assert_eq!(explored.unavailable.get("create"), Some(&reason), "{api}: {:?}", explored.unavailable);
    }
}

/// What another identity would do is left out where there is none; the rest of its sequence is played.
#[tokio::test]
async fn another_merchant_that_is_not_there_ends_no_sequence() {
    let shop = Shop::open(json!({}), None).await;
    let explored = explored(&shop, "gateway", PAYER, |target| target.credentials.retain(|identity, _| identity == "main")).await;
    assert_eq!(explored.sequences, FEW.sequences, "{:?}", explored.error);
    assert!(explored.counterexamples.is_empty(), "{:?}", explored.counterexamples.first().map(|found| &found.script));
}

/// Others use the target, too: what a sequence has opened it ends, where the API can.
#[tokio::test]
async fn nothing_stays_open() {
    // A test payment by QR code ends by itself.
    let production = json!({ "merchants": [production(MAIN), production(OTHER)] });
    for (api, list, settings, stated) in [("gateway", "payments", json!({}), ""), ("qr", "qr-payments", production, PRODUCTION)] {
        let shop = Shop::open(settings, None).await;
        let explored = explored_within(FEW, &shop, api, &["payer.pays"], stated, |_| ()).await;
        let found = explored.counterexamples.first().map(|found| &found.script);
        assert!(explored.steps > 0 && found.is_none(), "{api}: {found:?} {:?}", explored.error);
        let url = format!("{}/__emulator/worlds/default/{list}", shop.emulator.base_url());
        let listed = reqwest::get(url).await.unwrap().text().await.unwrap();
        let listed: Value = serde_json::from_str(&listed).unwrap();
        let payments = listed["payments"].as_array().unwrap();
        assert!(!payments.is_empty(), "{api}");
        let open: Vec<&Value> = payments.iter().filter(|payment| payment["status"] == "PENDING").collect();
        assert!(open.is_empty(), "{api}: {open:#?}");
    }
}

/// A terminal that takes one transaction at a time: no sequence leaves one to the next, which would blame the terminal for it.
#[tokio::test]
async fn nothing_stays_pending_on_a_terminal() {
    let busy = FreedomSettings::parse("terminal.closing.pending=busy,terminal.creation.pending=busy").unwrap();
    let limits = ExplorationLimits { sequences: 40, max_steps: 20, ..FEW };
    let shop = Shop::open(json!({}), Some(busy)).await;
    let actions = ["cardholder.pays", "cardholder.is-declined", "cardholder.leaves"];
    let explored = explored_within(limits, &shop, "terminal", &actions, "", |_| ()).await;
    let found = explored.counterexamples.first().map(|found| &found.script);
    assert!(explored.steps > 200 && found.is_none(), "{found:?} {:?}", explored.error);
}

/// What a target file states is reckoned with, and what it does not state is not known: a payment of 2,220 s outlives one of 900 s.
#[tokio::test]
async fn the_time_that_a_payment_lives_is_the_stated_one() {
    for stated in ["settings: { qr-expiration-seconds: 2220, merchants: { main: { qr-test: false } } }\n", PRODUCTION] {
        let lives = json!({ "clock": "virtual", "qr-expiration-seconds": 2_220, "merchants": [production(MAIN), production(OTHER)] });
        let shop = Shop::open(lives, None).await;
        let limits = ExplorationLimits { sequences: 24, max_steps: 20, ..FEW };
        let explored = explored_within(limits, &shop, "qr", &["payer.pays", "clock.advances"], stated, |_| ()).await;
        let found = explored.counterexamples.first().map(|found| &found.script);
        assert!(explored.steps > 100 && found.is_none(), "{stated}: {found:?} {:?}", explored.error);
    }
}

/// A terminal of another kind than the model's is not held against it.
#[tokio::test]
async fn a_model_of_another_kind_of_terminal_is_left_out() {
    for (left_out, stated) in [("qr", ""), ("qr-test", PRODUCTION)] {
        let shop = Shop::open(json!({}), None).await;
        let explored = explored_within(FEW, &shop, left_out, &["payer.pays"], stated, |_| ()).await;
        assert_eq!((explored.sequences, explored.steps), (0, 0), "{left_out}");
        let reason = explored.unavailable.get("create").unwrap();
        assert!(reason.starts_with("needs `merchants.main.qr-test: "), "{reason}");
    }
}

/// A merchant whose QR terminal is not a test one.
fn production((name, secret): (&str, &str)) -> Value {
    let mut merchant = merchant(name, secret);
    merchant["qr-test"] = json!(false);
    merchant
}
