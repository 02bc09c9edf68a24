//! What a target lets a run judge is known before anything is sent, written down, and held to.

use std::path::Path;

use crate::support::binary::{CommandResult, Emulate, Silent, file, run, target_file};
use serde_json::Value;
use tempfile::tempdir;

fn coverage(target: &Path, more: &[&str]) -> CommandResult {
    run(["coverage", "--target", &target.display().to_string()].iter().chain(more))
}

/// What the scenarios of one API can judge.
fn json(target: &Path, api: &str) -> Value {
    serde_json::from_str(&coverage(target, &["--json", "--api", api]).with_code(0).out).unwrap()
}

fn reached(reach: &Value) -> Vec<&str> {
    let clauses = reach["clauses"].as_array().unwrap().iter().filter(|clause| clause["reached"] == true);
    clauses.map(|clause| clause["id"].as_str().unwrap()).collect()
}

#[test]
fn the_reach_of_a_target_is_printed_without_a_request() {
    let folder = tempdir().unwrap();
    let silent = Silent::start();
    let inbox = "notifications: { listen: \"127.0.0.1:0\" }\n";
    let alone = json(&target_file(folder.path(), &silent.url, ("1", "some-secret"), inbox), "qr");
    let paying = format!("{inbox}world: {{ ask: [payer.pays] }}\n");
    let paying = json(&target_file(folder.path(), &silent.url, ("1", "some-secret"), &paying), "qr");
    assert!(!silent.was_visited());
    assert!(!reached(&alone).contains(&"qr.payment.paid") && reached(&paying).contains(&"qr.payment.paid"));
    assert!(alone["cases"].as_u64() < Some(1000), "of one API alone");
    let gain = reached(&paying).len() - reached(&alone).len();
    let openings = alone["openings"].as_array().unwrap();
    let opening = openings.iter().find(|opening| opening["what"] == "a driver for `payer.pays`").unwrap();
    assert_eq!(opening["clauses"].as_u64().unwrap() as usize, gain);
    assert!(openings.is_sorted_by_key(|opening| std::cmp::Reverse(opening["clauses"].as_u64())));
}

#[test]
fn the_reach_of_some_clauses_is_of_these_alone() {
    let folder = tempdir().unwrap();
    let silent = Silent::start();
    let inbox = "notifications: { listen: \"127.0.0.1:0\" }\n";
    let target = target_file(folder.path(), &silent.url, ("1", "some-secret"), inbox);
    let some: Value = serde_json::from_str(&coverage(&target, &["qr.refund", "--json", "--api", "qr"]).with_code(0).out).unwrap();
    let clauses = some["clauses"].as_array().unwrap();
    assert!(!clauses.is_empty());
    assert!(clauses.iter().all(|clause| clause["id"].as_str().unwrap().starts_with("qr.refund")), "{some:#}");
}

#[test]
fn an_api_without_a_base_url_needs_nothing_else() {
    let folder = tempdir().unwrap();
    let bare = "title: a shop\nbase: { gateway: http://127.0.0.1:1 }\ncredentials: { main: { merchant: \"1\", secret: some-secret } }\n";
    let reach = json(&file(folder.path(), "target.yaml", bare), "device");
    let openings: Vec<_> = reach["openings"].as_array().unwrap().iter().map(|opening| opening["what"].as_str().unwrap()).collect();
    assert!(openings.contains(&"a base URL for `device`"), "{openings:?}");
    assert!(!openings.iter().any(|what| what.contains("`device-user`")), "{openings:?}");
}

const SCRIPT: &str = "title: The health\nclauses: [status.health.call]\nsteps:\n  - call: status.health\n";

/// The whole suite against a shop with the credentials of its status API alone, and without a payer: it passes as soon as its reach
/// is written down, and no longer when it reaches less.
#[test]
fn a_run_that_reaches_what_was_written_down_passes() {
    let folder = tempdir().unwrap();
    let emulate = Emulate::start(&[]);
    let merchant = ("100001", "secret-100001");
    let bare = format!(
        "title: a shop\nbase: {{ status: {0}, terminal: {0}, qr: {0}, device: {0} }}\ncredentials: {{ main: {{ merchant: \"{1}\", secret: {2} }} }}\npoll-every: 5ms\npoll-within: 1s\n",
        emulate.url, merchant.0, merchant.1
    );
    let target = file(folder.path(), "target.yaml", &bare);
    let written = folder.path().join("reach.yaml");
    let reach = coverage(&target, &["--write", &written.display().to_string()]).with_code(0).out;
    // All parts that an API needs are named at once. Long lines are wrapped.
    let reach = reach.split_whitespace().collect::<Vec<_>>().join(" ");
    for parts in [
        "`terminal` and `terminal-secret`",
        "`mid`, `qr-password`, `qr-terminal` and `qr-user`",
        "`activation-code`, `device-password`, `device-user` and `serial`",
    ] {
        assert!(reach.contains(&format!(" cases {parts} in the credentials of `main`")), "{parts}: {reach}");
    }
    let held = file(folder.path(), "held.yaml", &format!("{bare}reach: reach.yaml\n")).display().to_string();
    let ended = run(["verify", "--target", &held]).with_code(0);
    assert!(ended.out.contains("PASSED: nothing was found"), "{}", ended.out);
    // A part of the suite is not held to all of it.
    let script = file(folder.path(), "status/script.yaml", SCRIPT).display().to_string();
    run(["verify", &script, "--target", &held]).with_code(0);
    let more = std::fs::read_to_string(&written).unwrap() + "  - gateway.payment.paid\n";
    std::fs::write(&written, more).unwrap();
    let ended = run(["verify", "--target", &held]).with_code(2);
    assert!(ended.out.contains("1 clause within reach was not judged: gateway.payment.paid"), "{}", ended.out);
}

/// Without a reach, what nothing could have judged on this target is skipped, and may be allowed to be.
#[test]
fn a_live_run_may_be_allowed_to_skip() {
    let folder = tempdir().unwrap();
    let emulate = Emulate::start(&[]);
    let text = format!(
        "title: a shop\nbase: {{ status: {} }}\ncredentials: {{ main: {{ merchant: \"100001\", secret: secret-100001 }} }}\npoll-every: 5ms\n",
        emulate.url
    );
    let target = file(folder.path(), "target.yaml", &text);
    let ended = run(["verify", "--target", &target.display().to_string(), "--api", "status,device", "--allow-skipped"]).with_code(0);
    assert!(ended.out.contains(" 0 untouched"), "{}", ended.out);
}

#[test]
fn mistakes_in_a_reach_are_reported_with_their_places() {
    let folder = tempdir().unwrap();
    file(folder.path(), "reach.yaml", "clauses:\n  - gateway.payment.payd\n");
    let target = target_file(folder.path(), "http://127.0.0.1:1", ("1", "s"), "reach: reach.yaml\n").display().to_string();
    run(["verify", "--target", &target]).with_code(3).complaining(&["reach.yaml:2:5", "did you mean `gateway.payment.paid`?"]);
    let target = target_file(folder.path(), "http://127.0.0.1:1", ("1", "s"), "reach: nowhere.yaml\n").display().to_string();
    run(["verify", "--target", &target]).with_code(3).complaining(&["nowhere.yaml"]);
}
