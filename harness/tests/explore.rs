//! Exploration finds what is planted: a proxy between the harness and an emulator breaks one rule in each row, some of
//! them only after four or more steps, and the shortest sequence is known beforehand.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod support;

#[path = "explore/mod.rs"]
mod planted;

use std::sync::Arc;

use harness::contract::Files;
use harness::explore::{Explored, Extent, Model, explore, read_all};
use harness::runner::Context;
use planted::Planted;
use support::proxy::{Proxy, Tamper};
use support::{contracts, emulator, target};

const EXTENT: Extent = Extent { sequences: 200, until: None, steps: 20, jobs: 16, enough: 3 };

fn models() -> Vec<Arc<Model>> {
    let models = read_all(&Files::contracts(), &contracts()).unwrap_or_else(|problems| panic!("{}", problems.render(false)));
    models.into_iter().map(Arc::new).collect()
}

fn model(api: &str) -> Arc<Model> {
    models().into_iter().find(|model| model.api == api).unwrap()
}

/// Explores an emulator through a proxy.
async fn explored(emulator: &emulator::Emulator, tamper: Tamper, api: &str, seed: u64, extent: Extent) -> Explored {
    let proxy = Proxy::start(emulator.addr(), tamper).await;
    let mut target = target(&proxy.url());
    target.notifications.public = Some(proxy.inbox_url());
    let context = Context::start(contracts(), target, Vec::new(), seed).await.unwrap_or_else(|error| panic!("{error:?}"));
    if let Some(inbox) = &context.inbox {
        proxy.lead_to_inbox(inbox.address());
    }
    explore(&Arc::new(context), &model(api), extent, std::future::pending()).await
}

/// What is wrong with what was found of a planted defect; nothing if it is as it must be.
async fn missed(emulator: &emulator::Emulator, row: &Planted, seed: u64) -> Option<String> {
    let explored = explored(emulator, row.tamper, row.api, seed, EXTENT).await;
    let named: Vec<_> = explored.found.iter().filter(|found| found.divergence.clause() == row.clause).collect();
    let shortest = named.iter().map(|found| found.moves.len()).min();
    if shortest == Some(row.shortest) && explored.trouble.is_none() {
        return None;
    }
    let told = explored.found.iter().map(|found| {
        let divergence = &found.divergence;
        let moves = found.moves.join("\n        ");
        format!(
            "\n    {} {}: expected {}, got {}\n        {moves}",
            divergence.clause(),
            divergence.message,
            divergence.expected,
            divergence.got
        )
    });
    let told: String = told.collect();
    let (name, clause, length, sequences) = (row.name, row.clause, row.shortest, explored.sequences);
    Some(format!("{name}: expected {clause} in {length} moves, in {sequences} sequences: {:?}{told}", explored.trouble))
}

async fn every_one_is_found(rows: Vec<Planted>) {
    let emulator = emulator().await;
    let mut wrong = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        wrong.extend(missed(&emulator, row, 1000 + index as u64).await);
    }
    assert!(wrong.is_empty(), "{} of {} are not found as they should be:\n\n{}\n", wrong.len(), rows.len(), wrong.join("\n\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_planted_in_the_gateway_is_found() {
    every_one_is_found(planted::gateway::all()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_planted_in_qr_payments_is_found() {
    every_one_is_found(planted::qr::all()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_planted_in_the_terminal_is_found() {
    every_one_is_found(planted::terminal::all()).await;
}

#[test]
fn at_least_forty_are_planted_in_all_documents_some_of_them_deep() {
    let rows = planted::all();
    assert!(rows.len() >= 40, "{}", rows.len());
    assert!(rows.iter().filter(|row| row.shortest >= 4).count() >= 12);
    let unknown: Vec<_> = rows.iter().filter(|row| !contracts().clauses.contains_key(row.clause)).map(|row| row.clause).collect();
    assert_eq!(unknown, Vec::<&str>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_emulator_that_keeps_all_rules_takes_every_row_and_diverges_nowhere() {
    let emulator = emulator().await;
    for model in models() {
        let extent = Extent { sequences: 300, steps: 30, ..EXTENT };
        let explored = explored(&emulator, Tamper::default(), &model.api, 7, extent).await;
        let found: Vec<_> = explored.found.iter().map(|found| (found.divergence.clone(), found.moves.clone())).collect();
        assert_eq!((found, explored.trouble.clone()), (Vec::new(), None), "{}", model.api);
        let only_elsewhere = |row: &str| planted::OPEN_ROWS.contains(&row);
        let never = explored.rows.iter().filter(|(row, times)| *times == 0 && !only_elsewhere(row)).map(|(row, _)| row.as_str());
        assert_eq!(never.collect::<Vec<_>>(), Vec::<&str>::new(), "{}", model.api);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_seed_explores_the_same() {
    let emulator = emulator().await;
    let extent = Extent { sequences: 20, ..EXTENT };
    let mut told = Vec::new();
    for _ in 0..2 {
        let explored = explored(&emulator, Tamper::default(), "gateway", 3, extent).await;
        told.push((explored.rows, explored.steps));
    }
    assert_eq!(told[0], told[1]);
}
