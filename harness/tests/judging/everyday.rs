//! Options that people reach for every day: lists, dry runs, early ends, reruns, silence, and options that stand elsewhere.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;
use tempfile::tempdir;

use crate::support::MAIN;
use crate::support::binary::{CommandResult, Silent, ended, events, file, paycheck, run, target_file};

/// Three cases; what is expected of the first two is wrong.
const TWO_WRONG: &str = "title: Three prices\nclauses: [gateway.v1.create.call]\ncases:\n  - { price: 10000 }\n  - { price: 10001 }\n  \
                         - { price: 10002 }\nsteps:\n  - call: gateway.v1.create\n    with: { price: \"{{ price }}\" }\n    \
                         expect: { code: \"{{ 0 if price == 10002 else 7 }}\" }\n";

fn script(folder: &Path) -> String {
    file(folder, "gateway/three-prices.yaml", TWO_WRONG).display().to_string()
}

/// Runs in a folder.
fn run_in(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> CommandResult {
    let mut command = paycheck(arguments);
    command.current_dir(folder).envs(variables.iter().copied());
    ended(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
}

fn finished(path: &Path) -> Vec<(String, String)> {
    let text = |event: &Value, key: &str| event[key].as_str().unwrap_or_default().to_owned();
    let cases = events(path).into_iter().filter(|event| event["event"] == "case-finished");
    cases.map(|event| (text(&event, "case"), text(&event, "verdict"))).collect()
}

#[test]
fn cases_are_listed_and_nothing_is_sent() {
    let folder = tempdir().unwrap();
    let silent = Silent::start();
    let target = target_file(folder.path(), &silent.url, MAIN, "").display().to_string();
    let script = script(folder.path());
    let listed = run(["verify", &script, "--target", &target, "--list"]).with_code(0);
    let lines: Vec<&str> = listed.out.lines().collect();
    assert_eq!(lines.len(), 3, "{}", listed.out);
    assert!(lines.iter().all(|line| line.starts_with("gateway / three-prices / ")), "{}", listed.out);
    let json = run(["verify", &script, "--target", &target, "--list=json"]).with_code(0);
    let cases: Vec<Value> = serde_json::from_str(&json.out).unwrap();
    let names: Vec<&str> = cases.iter().filter_map(|case| case["name"].as_str()).collect();
    assert_eq!(names, lines);
    assert_eq!(cases[0]["clauses"], serde_json::json!(["gateway.v1.create.call"]));
    assert!(!silent.was_visited());
}

#[test]
fn a_dry_run_shows_what_would_be_sent_without_secrets_and_sends_nothing() {
    let folder = tempdir().unwrap();
    let silent = Silent::start();
    let target = target_file(folder.path(), &silent.url, MAIN, "").display().to_string();
    let shown = run(["verify", &script(folder.path()), "--target", &target, "--dry-run"]).with_code(0);
    assert_eq!(shown.out.matches(&format!("POST {}/v1.0/create", silent.url)).count(), 3, "{}", shown.out);
    for part in ["price=10001", "merchant=", "3 cases, nothing is sent"] {
        assert!(shown.out.contains(part), "{part}\n{}", shown.out);
    }
    assert!(!shown.out.contains(MAIN.1), "{}", shown.out);
    assert!(!silent.was_visited());
}

#[test]
fn what_an_earlier_response_decides_is_named_in_a_dry_run() {
    let shown = run(["verify", "--filter", "a-paid-payment-is-refunded-in-parts", "--dry-run"]).with_code(0);
    for part in ["transId={payment}", "world payer.pays transId={payment}", "gateway.v1.refund"] {
        assert!(shown.out.contains(part), "{part}\n{}", shown.out);
    }
}

#[test]
fn what_is_excluded_is_left_out_of_what_is_selected() {
    let folder = tempdir().unwrap();
    let script = script(folder.path());
    let listed = |options: &[&str]| {
        let all: Vec<&str> = ["verify", &script, "--list"].into_iter().chain(options.iter().copied()).collect();
        run(all).with_code(0).out.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let all = listed(&[]);
    let excluding = |part: &str| all.iter().filter(|name| !name.contains(part)).cloned().collect::<Vec<_>>();
    assert_eq!(listed(&["--exclude", "10001"]), excluding("10001"));
    assert_eq!(listed(&["--exclude", "10001"]).len(), all.len() - 1, "{all:?}");
    assert_eq!(listed(&["--filter", "three-prices", "--exclude", &all[0], "--exclude", &all[1]]), all[2..]);
    run(["verify", &script, "--exclude", "three-prices"]).with_code(3).complaining(&["`--exclude` leaves out every case"]);
}

#[test]
fn a_run_ends_once_enough_cases_have_failed_and_says_what_was_not_played() {
    let folder = tempdir().unwrap();
    let script = script(folder.path());
    for (options, played) in [(["--fail-fast", "--jobs=1"], 1), (["--max-failures=2", "--jobs=1"], 2)] {
        let events = folder.path().join(format!("{played}.ndjson"));
        let message = run(["verify", &script, options[0], options[1], "--events", &events.display().to_string()]).with_code(1);
        assert_eq!(finished(&events).len(), played, "{}", message.out);
        assert!(message.out.contains(&format!("{} of 3 cases did not run", 3 - played)), "{}", message.out);
    }
    run(["verify", &script, "--fail-fast", "--max-failures=2"]).with_code(3).complaining(&["cannot be used with"]);
}

#[test]
fn a_rerun_plays_what_did_not_pass_and_what_was_not_played() {
    let folder = tempdir().unwrap();
    let script = script(folder.path());
    let path = |name: &str| folder.path().join(name).display().to_string();
    run(["verify", &script, "--events", &path("whole")]).with_code(1);
    let passed: Vec<_> = finished(&folder.path().join("whole")).into_iter().filter(|(_, verdict)| verdict == "passed").collect();
    assert_eq!(passed.len(), 1);
    run(["verify", &script, "--rerun-failed", &path("whole"), "--events", &path("again")]).with_code(1);
    let again = finished(&folder.path().join("again"));
    assert_eq!(again.len(), 2);
    assert!(again.iter().all(|(name, verdict)| verdict == "failed" && *name != passed[0].0), "{again:?}");

    run(["verify", &script, "--fail-fast", "--jobs=1", "--events", &path("early")]).with_code(1);
    run(["verify", &script, "--rerun-failed", &path("early"), "--events", &path("rest")]).with_code(1);
    assert_eq!(finished(&folder.path().join("rest")).len(), 3, "two were not played");

    // Without the scenario that failed, nothing would be proved by playing others.
    run(["verify", "--rerun-failed", &path("whole")]).with_code(3).complaining(&["three-prices", "is in no scenario here"]);
    let other = ["verify", "--filter", "10001", &script, "--rerun-failed", &path("early")];
    run(other).with_code(3).complaining(&["of its 3 cases", "here are", "name the same scenarios"]);

    // What was expected is mended.
    file(folder.path(), "gateway/three-prices.yaml", &TWO_WRONG.replace("else 7", "else 0"));
    run(["verify", &script, "--rerun-failed", &path("whole"), "--events", &path("mended")]).with_code(0);
    let mended: BTreeSet<_> = finished(&folder.path().join("mended")).into_iter().map(|(_, verdict)| verdict).collect();
    assert_eq!(mended, BTreeSet::from(["passed".to_owned()]));
    let nothing = run(["verify", &script, "--rerun-failed", &path("mended")]).with_code(0);
    assert!(nothing.out.contains("nothing to play again"), "{}", nothing.out);
    run(["verify", &script, "--rerun-failed", &script]).with_code(3).complaining(&["three-prices.yaml", "is not what"]);
}

#[test]
fn quiet_prints_nothing_unless_something_is_wrong() {
    let folder = tempdir().unwrap();
    let junit = folder.path().join("junit.xml").display().to_string();
    let green = run(["verify", "--filter", "three-prices-that-there-are-not", "--quiet"]).with_code(2);
    assert!(green.out.contains("nothing"), "inconclusive is wrong enough: {}", green.out);
    file(folder.path(), "gateway/three-prices.yaml", &TWO_WRONG.replace("else 7", "else 0"));
    let script = folder.path().join("gateway/three-prices.yaml").display().to_string();
    let green = run(["-q", "verify", &script, "--junit", &junit]).with_code(0);
    assert_eq!((green.out.as_str(), green.err.as_str()), ("", ""));
    assert!(std::fs::read_to_string(&junit).unwrap().contains("three-prices"));
    file(folder.path(), "gateway/three-prices.yaml", TWO_WRONG);
    let red = run(["verify", &script, "--quiet"]).with_code(1);
    assert!(red.out.contains("gateway.v1.create.call") && red.out.contains("FAILED"), "{}", red.out);
}

#[test]
fn options_come_from_a_file_and_variables_and_config_shows_the_origin() {
    let folder = tempdir().unwrap();
    script(folder.path());
    file(folder.path(), "paycheck.toml", "seed = 7\n\n[verify]\njunit = \"out/junit.xml\"\nfail-fast = true\njobs = 1\n");
    let message = run_in(folder.path(), &["verify", "gateway/three-prices.yaml"], &[("PAYCHECK_SEED", "8")]).with_code(1);
    assert!(message.out.contains("seed 8") && message.out.contains("2 of 3 cases did not run"), "{}", message.out);
    assert!(folder.path().join("out/junit.xml").exists());
    let config = run_in(folder.path(), &["config"], &[("PAYCHECK_VERIFY_SEED", "8")]).with_code(0);
    let has = |line: &str| config.out.lines().any(|message| message.split_whitespace().collect::<Vec<_>>().join(" ") == line);
    for line in [
        "config paycheck.toml",
        "--seed 8 the environment variable PAYCHECK_VERIFY_SEED",
        "--seed 7 paycheck.toml:1",
        "--fail-fast true paycheck.toml:5",
        "--junit out/junit.xml paycheck.toml:4",
    ] {
        assert!(has(line), "{line}\n{}", config.out);
    }
    let json = run_in(folder.path(), &["config", "verify", "--json"], &[]).with_code(0);
    let json: Value = serde_json::from_str(&json.out).unwrap();
    let jobs = json["options"].as_array().unwrap().iter().find(|option| option["option"] == "jobs").unwrap();
    assert_eq!((&jobs["value"], &jobs["from"]["file"]), (&"1".into(), &"paycheck.toml:6".into()));
    file(folder.path(), "paycheck.toml", "[verify]\njbos = 1\n");
    for command in [vec!["config"], vec!["verify", "--list"]] {
        run_in(folder.path(), &command, &[]).with_code(3).complaining(&["paycheck.toml:2", "did you mean `jobs`?"]);
    }
    file(folder.path(), "paycheck.toml", "");
    for command in [vec!["config"], vec!["verify", "--list"]] {
        let mistyped = run_in(folder.path(), &command, &[("PAYCHECK_VERIFY_JBOS", "1")]).with_code(3);
        mistyped.complaining(&["`PAYCHECK_VERIFY_JBOS` sets no option", "did you mean `PAYCHECK_VERIFY_JOBS`?"]);
    }
}
