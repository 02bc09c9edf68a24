//! Exploration finds planted defects: for each of them a proxy between the harness and an emulator breaks one rule, some
//! only after four or more commands, and the length of the shortest sequence is known beforehand.

use std::sync::{Arc, LazyLock};

use crate::planted::PlantedDefect;
use crate::support::proxy::{Proxy, Tamper};
use crate::support::{contracts, emulator, findings, judge_through, scripted, target, troubles};
use harness::engine::runner::Context;
use harness::modes::explore::{Counterexample, Exploration, ExplorationLimits, Model, explore, read_all};
use harness::spec::contract::Files;

const LIMITS: ExplorationLimits = ExplorationLimits { sequences: 256, deadline: None, max_steps: 20, jobs: 4, max_failures: 1 };

static MODELS: LazyLock<Vec<Arc<Model>>> = LazyLock::new(|| {
    let models = read_all(&Files::contracts(), &contracts()).unwrap_or_else(|problems| panic!("{}", problems.render(false)));
    models.into_iter().map(Arc::new).collect()
});

fn model(api: &str) -> Arc<Model> {
    MODELS.iter().find(|model| model.api == api).map(Arc::clone).unwrap()
}

/// Explores an emulator through a proxy.
async fn explore_through(emulator: &emulator::Emulator, tamper: Tamper, api: &str, seed: u64, limits: ExplorationLimits) -> Exploration {
    let proxy = Proxy::start(emulator.addr(), tamper).await;
    let mut target = target(&proxy.url());
    target.notifications.public = Some(proxy.inbox_url());
    let context = Context::start(contracts(), target, Vec::new(), seed).await.unwrap_or_else(|error| panic!("{error:?}"));
    if let Some(inbox) = &context.inbox {
        proxy.forward_to_inbox(inbox.address());
    }
    explore(&Arc::new(context), &model(api), limits, |_| (), std::future::pending()).await
}

/// The result for one planted defect.
struct Outcome {
    /// The number of the first sequence that shows it, from 1, and the number of commands in the shortest one.
    found: Option<(u64, usize)>,
    /// That sequence as a scenario.
    script: String,
    /// What is wrong with the result, if something is.
    wrong: Option<String>,
}

/// The shortest sequence that shows a break of a clause.
fn shortest<'e>(explored: &'e Exploration, clause: &str) -> Option<&'e Counterexample> {
    let named = explored.counterexamples.iter().filter(|found| found.divergence.clause() == clause);
    named.min_by_key(|found| found.shortest)
}

async fn outcome(emulator: &emulator::Emulator, row: &PlantedDefect, seed: u64, slack: usize) -> Outcome {
    let wanted = row.shortest..=row.shortest + slack;
    let mut explored = explore_through(emulator, row.tamper, row.api, seed, LIMITS).await;
    // A consequence may be found first; and it is up to a busy machine which of two calls at the same time is the first, also while
    // a sequence with a race is made shorter.
    let is_race = slack > 0;
    let mut tries = 8;
    while tries > 0 && shortest(&explored, row.clause).is_none_or(|found| is_race && !wanted.contains(&found.shortest)) {
        tries -= 1;
        explored = explore_through(emulator, row.tamper, row.api, seed + tries, ExplorationLimits { max_failures: 4, ..LIMITS }).await;
    }
    let shortest = shortest(&explored, row.clause);
    let found = shortest.map(|found| (found.sequence + 1, found.shortest));
    let script = shortest.map(|found| found.script.clone()).unwrap_or_default();
    if found.is_some_and(|(_, moves)| wanted.contains(&moves)) && explored.error.is_none() {
        // A scenario performs racing calls one after the other, which may not show the defect.
        let wrong = if slack == 0 { not_found_again(emulator, row, &script).await } else { None };
        return Outcome { found, script, wrong };
    }
    let report = explored.counterexamples.iter().map(|found| {
        let divergence = &found.divergence;
        let moves = found.description.join("\n        ");
        let (clause, message) = (divergence.clause(), &divergence.message);
        format!("\n    {clause} {message}: expected {}, got {}\n        {moves}", divergence.expected, divergence.got)
    });
    let report: String = report.collect();
    let (name, clause, length, sequences) = (row.name, row.clause, row.shortest, explored.sequences);
    let wrong = format!("{name}: expected {clause} in {length} moves, in {sequences} sequences: {:?}{report}", explored.error);
    Outcome { found, script, wrong: Some(wrong) }
}

/// Runs the written scenario; returns the result unless it names the same clause.
async fn not_found_again(emulator: &emulator::Emulator, row: &PlantedDefect, script: &str) -> Option<String> {
    let finished = judge_through(emulator, row.tamper, scripted(script), 7).await;
    let mut clauses = finished.iter().flat_map(|case| findings(case)).flat_map(|finding| &finding.clauses);
    let again = clauses.any(|clause| clause == row.clause);
    (!again).then(|| format!("{}: `verify` does not find {} in\n{script}\n{}", row.name, row.clause, troubles(&finished).join("\n")))
}

/// Every defect must be found by its shortest sequence, or one with `slack` more commands.
async fn all_are_found(rows: Vec<PlantedDefect>, slack: usize) {
    let emulator = emulator().await;
    let mut wrong = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        wrong.extend(outcome(&emulator, row, 1000 + index as u64, slack).await.wrong);
    }
    assert!(wrong.is_empty(), "{} of {} are not found as they should be:\n\n{}\n", wrong.len(), rows.len(), wrong.join("\n\n"));
}

/// The table that `bench/explore.sh` prints, each row after its scenario; a measurement, not a test.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it measures"]
#[allow(clippy::print_stdout, reason = "a table for `bench/explore.sh`")]
async fn how_soon_each_is_found() {
    let emulator = emulator().await;
    for rows in [
        crate::planted::device::all(),
        crate::planted::terminal::all(),
        crate::planted::qr::all(),
        crate::planted::gateway::all(),
        crate::planted::races::all(),
    ] {
        for (index, row) in rows.iter().enumerate() {
            let begun = std::time::Instant::now();
            let outcome = outcome(&emulator, row, 1000 + index as u64, 0).await;
            let (sequence, moves) = outcome.found.unwrap_or_default();
            let took = begun.elapsed().as_secs_f64();
            println!("{}", outcome.script);
            println!("| {} | {} | {} | {sequence} | {moves} | {took:.1} s |", row.name, row.api, row.clause);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_planted_in_the_gateway_about_money_is_found() {
    all_are_found(crate::planted::gateway::money(), 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_else_is_planted_in_the_gateway_is_found() {
    all_are_found(crate::planted::gateway::others(), 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_planted_in_qr_payments_is_found() {
    all_are_found(crate::planted::qr::all(), 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_planted_in_the_terminal_is_found() {
    all_are_found(crate::planted::terminal::all(), 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_planted_in_devices_is_found() {
    all_are_found(crate::planted::device::all(), 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_goes_wrong_where_calls_meet_is_found() {
    // Whether two calls overlap is up to the scheduler, so an unneeded command may stay.
    all_are_found(crate::planted::races::all(), 1).await;
}

#[test]
fn at_least_forty_are_planted_in_all_documents_some_of_them_deep() {
    let rows = crate::planted::all();
    assert!(rows.len() >= 40, "{}", rows.len());
    assert!(rows.iter().filter(|row| row.shortest >= 4).count() >= 12);
    let unknown: Vec<_> = rows.iter().filter(|row| !contracts().clauses.contains_key(row.clause)).map(|row| row.clause).collect();
    assert_eq!(unknown, Vec::<&str>::new());
}

/// A conforming emulator never diverges, and takes every transition.
async fn nothing_diverges(api: &str) {
    let emulator = emulator().await;
    let limits = ExplorationLimits { sequences: 256, max_steps: 30, ..LIMITS };
    let explored = explore_through(&emulator, Tamper::default(), api, 7, limits).await;
    let found: Vec<_> = explored.counterexamples.iter().map(|found| (found.divergence.clone(), found.description.clone())).collect();
    assert_eq!((found, explored.error.clone()), (Vec::new(), None));
    assert!(explored.races > 3, "{}", explored.races);
    let is_unreached = |id: &str| crate::planted::UNREACHED_TRANSITIONS.contains(&id);
    let never = explored.transitions.iter().filter(|(row, times)| *times == 0 && !is_unreached(row)).map(|(row, _)| row.as_str());
    assert_eq!(never.collect::<Vec<_>>(), Vec::<&str>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_gateway_that_keeps_all_rules_takes_every_row_and_diverges_nowhere() {
    nothing_diverges("gateway").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_terminal_that_keeps_all_rules_takes_every_row_and_diverges_nowhere() {
    nothing_diverges("terminal").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn qr_payments_that_keep_all_rules_take_every_row_and_diverge_nowhere() {
    nothing_diverges("qr").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn qr_payments_of_a_test_terminal_take_every_row_and_diverge_nowhere() {
    nothing_diverges("qr-test").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn devices_that_keep_all_rules_take_every_row_and_diverge_nowhere() {
    nothing_diverges("device").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_seed_explores_the_same() {
    let emulator = emulator().await;
    let limits = ExplorationLimits { sequences: 20, ..LIMITS };
    let mut sizes = Vec::new();
    for _ in 0..2 {
        let explored = explore_through(&emulator, Tamper::default(), "gateway", 3, limits).await;
        sizes.push((explored.transitions, explored.steps));
    }
    assert_eq!(sizes[0], sizes[1]);
}
