//! Fuzzing of strangers: what the documents leave to a target is no finding of `fuzz` either.

use std::sync::{Arc, LazyLock};

use emulator::{Config, Emulator};
use harness::engine::runner::Context;
use harness::modes::fuzz::{OperationReport, Options, run};
use harness::spec::contract::Files;
use harness::spec::scenario::{Scenario, parse_all};

use crate::strangers::{Stranger, TOGETHER, alternatives_of, none_is_flagged};
use crate::support::{contracts, target};

static SCENARIOS: LazyLock<Vec<Arc<Scenario>>> = LazyLock::new(|| {
    let scenarios = parse_all(&Files::scenarios(), &contracts());
    scenarios.unwrap_or_else(|problems| panic!("{}", problems.render(false))).into_iter().map(Arc::new).collect()
});

/// Enough for each kind of change to a request of a dozen fields.
const REQUESTS: usize = 20;

/// Fuzzes the operations of one API of a stranger.
async fn fuzzed(api: &str, stranger: Stranger) -> Vec<OperationReport> {
    let emulator = Emulator::start(Config { freedoms: Some(stranger.freedoms), ..Config::default() }).await.unwrap();
    let mut target = target(&emulator.base_url().parse().unwrap());
    target.assert_assumed = false;
    let context = Context::start(contracts(), target, Vec::new(), 1).await.unwrap();
    let operations = context.contracts.operations.values().filter(|operation| operation.api == api);
    let options = Options {
        operations: operations.map(|operation| operation.id.clone()).collect(),
        changes: Vec::new(),
        requests: REQUESTS,
        duration: None,
        jobs: 4,
        seed: 1,
        tally: Arc::default(),
    };
    let reports = run(Arc::new(context), &SCENARIOS, &options, std::future::pending()).await.unwrap().reports;
    emulator.stop().await;
    reports
}

/// What was found of an operation although nothing is wrong.
fn alarms(stranger: &str, report: &OperationReport) -> Vec<String> {
    let found = report.causes.iter().filter(|cause| cause.finding.assumed.is_none());
    let sentences = found.map(|cause| {
        let finding = &cause.finding;
        format!("{stranger}: {}: {}: {} (got {:?})", report.operation, cause.edits.join(", "), finding.message, finding.got)
    });
    sentences.collect()
}

async fn no_alternative_is_flagged(api: &str) {
    let alarms = |stranger: Stranger| async move {
        let name = stranger.name.clone();
        let reports = fuzzed(api, stranger).await;
        assert!(reports.iter().any(|report| report.counts.sent > 0), "{name}: nothing was sent");
        reports.iter().flat_map(|report| alarms(&name, report)).collect()
    };
    none_is_flagged(alternatives_of(api, TOGETHER), alarms).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_alternative_of_the_gateway_is_flagged() {
    no_alternative_is_flagged("gateway").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_alternative_of_the_status_api_is_flagged() {
    no_alternative_is_flagged("status").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_alternative_of_the_terminal_is_flagged() {
    no_alternative_is_flagged("terminal").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_alternative_of_the_transfers_is_flagged() {
    no_alternative_is_flagged("transfers").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_alternative_of_qr_payments_is_flagged() {
    no_alternative_is_flagged("qr").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_alternative_of_the_devices_is_flagged() {
    no_alternative_is_flagged("device").await;
}
