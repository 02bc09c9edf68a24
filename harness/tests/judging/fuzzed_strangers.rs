//! Fuzzing of strangers: what the documents leave to a target is no finding of `fuzz` either.

use std::sync::Arc;

use emulator::{Config, Emulator};
use harness::base::interrupt::Interrupt;
use harness::engine::runner::Context;
use harness::modes::fuzz::{OperationReport, Options, run};

use crate::strangers::{APIS, FOR_VERIFY_ALONE, Stranger, TOGETHER, alternatives_of, none_is_flagged};
use crate::support::{contracts, scenarios, target};

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
    let reports = run(Arc::new(context), scenarios(), &options, &Interrupt::default()).await.unwrap().reports;
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

#[tokio::test(flavor = "multi_thread")]
async fn no_alternative_is_flagged() {
    for api in APIS {
        let alarms = |stranger: Stranger| async move {
            let name = stranger.name.clone();
            let reports = fuzzed(api, stranger).await;
            assert!(reports.iter().any(|report| report.counts.sent > 0), "{name}: nothing was sent");
            reports.iter().flat_map(|report| alarms(&name, report)).collect()
        };
        let strangers = alternatives_of(api, TOGETHER).into_iter().filter(|stranger| stranger.name != FOR_VERIFY_ALONE).collect();
        none_is_flagged(strangers, alarms).await;
    }
}
