//! A secret that is an ordinary word hides nothing else, and changes no verdict.

use emulator::{Config, Emulator};
use serde_json::json;
use tempfile::tempdir;

use crate::support::binary::{CommandResult, file, run};

const SCENARIO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/gateway/a-creation-is-answered-with-a-payment.yaml");

/// An emulator whose merchant has this secret, and a target file for it.
async fn emulated_with(secret: &str) -> (Emulator, String) {
    let world = json!({ "clock": "real", "merchants": [{ "merchant": "100001", "secret": secret }] });
    let config = Config { world: serde_json::from_value(world).unwrap(), ..Config::default() };
    let emulator = Emulator::start(config).await.unwrap();
    let credentials = json!({ "main": { "merchant": "100001", "secret": secret } });
    let text = format!("title: ordinary\nbase: {}\nassert-assumed: true\ncredentials: {credentials}\n", emulator.base_url());
    (emulator, text)
}

/// Verifies it.
async fn verified_with(secret: &str) -> CommandResult {
    let (emulator, text) = emulated_with(secret).await;
    let folder = tempdir().unwrap();
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_command_finds_anything_because_of_the_secret() {
    let folder = tempdir().unwrap();
    let profile =
        "title: T\nkind: constant-users\nusers: 1\nfor: 300ms\nmix: [{ scenario: gateway/a-creation-is-answered-with-a-payment }]\n";
    let profile = file(folder.path(), "profile.yaml", profile).display().to_string();
    for word in ["test", "code"] {
        let (emulator, text) = emulated_with(word).await;
        let target = file(folder.path(), "target.yaml", &text).display().to_string();
        let (load, compare) = (["load", &profile, "--target", &target], ["compare", &target, &target, "-f", "a-creation"]);
        let fuzz = ["fuzz", "--target", &target, "-f", "gateway.v2.create", "--requests", "5"];
        for command in [load.as_slice(), &compare, &fuzz] {
            let arguments: Vec<String> = command.iter().map(|argument| (*argument).to_owned()).collect();
            let output = tokio::task::spawn_blocking(move || run(arguments)).await.unwrap();
            assert_eq!(output.code, 0, "{word}: {command:?}\n{}\n{}", output.out, output.err);
            assert!(output.err.contains("masked only where credentials are expected"), "{word}: {command:?}: {}", output.err);
        }
        emulator.stop().await;
    }
}
