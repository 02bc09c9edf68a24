//! `paycheck mutate` from outside: recorded now or on a tape, what it tells, how it ends.

use std::path::Path;

use crate::support::binary::{file, run};
use serde_json::Value;
use tempfile::tempdir;

const BLIND: &str = "
title: A payment is created, and nobody looks at it
clauses: [gateway.versions]
steps:
  - call: gateway.v2.create
    with: { price: 10000 }
";

fn script(folder: &Path) -> String {
    file(folder, "gateway/blind.yaml", BLIND).display().to_string()
}

fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn a_suite_without_checks_fails() {
    let folder = tempdir().unwrap();
    let (json, junit) = (folder.path().join("mutants.json"), folder.path().join("mutants.xml"));
    let outputs = ["--json", json.to_str().unwrap(), "--junit", junit.to_str().unwrap()];
    let ended = run(["mutate", &script(folder.path())].into_iter().chain(outputs)).with_code(1);
    assert!(ended.out.contains("gateway.v2.create [0] /transId: one character changed: not noticed"), "{}", ended.out);
    assert!(ended.out.lines().count() <= 40, "{}", ended.out);
    let result = read_json(&json);
    assert!(result["score"]["survived"].as_u64().unwrap() > 0);
    assert_eq!(result["mutants"].as_array().unwrap().len() as u64, result["score"]["mutants"].as_u64().unwrap());
    assert!(std::fs::read_to_string(&junit).unwrap().contains("not noticed"));
    let schema: Value = serde_json::from_str(&run(["schema", "mutate"]).with_code(0).out).unwrap();
    assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&result));
}

#[test]
fn a_tape_is_broken_without_the_target_and_comes_to_the_same() {
    let folder = tempdir().unwrap();
    let script = script(folder.path());
    let path = |name: &str| folder.path().join(name).display().to_string();
    run(["verify", &script, "--tape", &path("run.tape")]);
    let (now, later) = (path("now.json"), path("later.json"));
    run(["mutate", &script, "--json", &now]).with_code(1);
    run(["mutate", &script, "--tape", &path("run.tape"), "--json", &later]).with_code(1);
    assert_eq!(std::fs::read(now).unwrap(), std::fs::read(later).unwrap(), "the same recording, the same bytes");
}

/// What a tape holds beyond the cases that are asked for is not missing.
#[test]
fn of_a_tape_only_what_is_asked_for_is_counted() {
    let folder = tempdir().unwrap();
    let tape = folder.path().join("run.tape").display().to_string();
    run(["verify", "--filter", "a-pending-payment-is-cancelled / v", "--tape", &tape]).with_code(0);
    let ended = run(["mutate", "--filter", "a-pending-payment-is-cancelled / v1.0", "--tape", &tape]);
    assert!(ended.out.contains("1 case that passed") && !ended.out.contains("did not pass"), "{}", ended.out);
}

#[test]
fn of_a_tape_only_the_named_scenarios_are_counted() {
    let folder = tempdir().unwrap();
    let one = script(folder.path());
    let other = file(folder.path(), "gateway/other.yaml", &BLIND.replace("A payment", "Another payment")).display().to_string();
    let tape = folder.path().join("run.tape").display().to_string();
    run(["verify", &one, &other, "--tape", &tape]);
    let counted = |scenarios: &[&str]| run([&["mutate", "--tape", &tape], scenarios].concat()).out;
    assert!(counted(&[&one, &other]).contains("2 cases that passed"));
    let of_one = counted(&[&one]);
    assert!(of_one.contains("1 case that passed") && !of_one.contains("did not pass"), "{of_one}");
}

#[test]
fn a_misspelt_name_is_refused() {
    run(["mutate", "--filter", "notificatoin"]).with_code(3).complaining(&["`notificatoin`", "did you mean `notification`?"]);
}

#[test]
fn what_is_no_tape_is_refused() {
    let folder = tempdir().unwrap();
    let tape = file(folder.path(), "run.tape", "no tape\n").display().to_string();
    run(["mutate", "--tape", &tape]).with_code(3).complaining(&["run.tape:1:", "verify --tape FILE"]);
}
