//! A secret that is an ordinary word hides nothing else, and changes no verdict.

use emulator::{Config, Emulator};
use serde_json::json;
use tempfile::tempdir;

use crate::support::binary::{CommandResult, file, run};

const SCENARIO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/gateway/a-creation-is-answered-with-a-payment.yaml");

/// Verifies an emulator whose merchant has this secret.
async fn verified_with(secret: &str) -> CommandResult {
    let world = json!({ "clock": "real", "merchants": [{ "merchant": "100001", "secret": secret }] });
    let config = Config { world: serde_json::from_value(world).unwrap(), ..Config::default() };
    let emulator = Emulator::start(config).await.unwrap();
    let folder = tempdir().unwrap();
    let credentials = json!({ "main": { "merchant": "100001", "secret": secret } });
    let text = format!("title: ordinary\nbase: {}\nassert-assumed: true\ncredentials: {credentials}\n", emulator.base_url());
    let target = file(folder.path(), "target.yaml", &text).display().to_string();
    let events = folder.path().join("events.ndjson").display().to_string();
    let arguments = ["verify", SCENARIO, "--target", &target, "--all-exchanges", "--events", &events].map(str::to_owned);
    let output = tokio::task::spawn_blocking(move || run(arguments)).await.unwrap();
    let recorded = std::fs::read_to_string(events).unwrap();
    assert!(recorded.contains("***main***") || output.code != 0, "the place of the secret is masked: {recorded}");
    emulator.stop().await;
    output
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conforming_target_passes_whatever_its_secret_is() {
    verified_with("a-proper-secret-51c9").await.with_code(0);
    for word in ["test", "CZK", "1", "transId", "code", "PENDING", "0"] {
        let output = verified_with(word).await.with_code(0);
        let note = "note: `secret` of `main` is so short or so common that it is masked only where credentials are expected";
        assert!(output.err.contains(note), "{word}: {}", output.err);
    }
}
