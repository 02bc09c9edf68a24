//! What the commands print, as accepted in `snapshots/`.

use std::path::Path;
use std::process::Command;

use serde_json::json;

/// Runs the binary at the root of the repository and shows what was typed, what came and how it ended.
fn output(arguments: &[&str]) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let output =
        Command::new(env!("CARGO_BIN_EXE_paycheck")).args(arguments).current_dir(root).env_remove("GITHUB_ACTIONS").output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    format!("$ paycheck {}\n{}{}[exit {}]", arguments.join(" "), text(&output.stdout), text(&output.stderr), output.status.code().unwrap())
}

fn accepted(name: &str, arguments: &[&str]) {
    accepted_in(None, name, arguments);
}

/// The same, with the name of a folder that differs from run to run left out.
fn accepted_in(folder: Option<&Path>, name: &str, arguments: &[&str]) {
    let printed = output(arguments);
    let printed = folder.map_or(printed.clone(), |folder| printed.replace(folder.to_str().unwrap(), "[folder]"));
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../snapshots/command");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.add_filter(r"notifications, \d+\.\d s", "notifications, [wall time] s");
    // How far a command is, every half minute of a slow machine.
    settings.add_filter(r"(?m)^[a-z]+  [^\n]*, (\d+\.\d s|\d+ min \d\d s)\n", "");
    settings.bind(|| insta::assert_snapshot!(name, printed));
}

#[test]
fn help() {
    accepted("help", &["help"]);
    accepted("verify-help", &["verify", "--help"]);
    accepted("exit-codes", &["exit-codes"]);
    for command in ["explore", "compare", "load", "mutate", "fuzz", "notify", "emulate", "coverage", "clause", "qr", "init", "config"] {
        accepted(&format!("{command}-help"), &[command, "--help"]);
    }
}

#[test]
fn options_in_force() {
    accepted("config-verify", &["config", "verify"]);
}

#[test]
fn qr_data() {
    accepted("qr", &["qr", "SPD*1.0*ACC:CZ6508000000192000145399*AM:450.00*CC:CZK*"]);
    accepted("qr-that-is-wrong", &["qr", "SPD*1.0*ACC:CZ6508000000192000145399*AM:450,00*CC:CZK*"]);
}

#[test]
fn made_up_requests_and_sequences() {
    accepted("fuzz", &["fuzz", "--filter", "status.outages", "--requests", "20"]);
    accepted("explore", &["explore", "--api", "device", "--sequences", "4", "--steps", "6"]);
}

#[test]
fn what_would_be_played() {
    let one = ["verify", "--filter", "a-creation-is-answered"];
    accepted("verify-list", &[&one[..], &["--list"]].concat());
    accepted("verify-dry-run", &[&one[..], &["--dry-run"]].concat());
}

#[test]
fn contracts() {
    accepted("contracts", &["contracts"]);
    accepted("contracts-of-one-operation", &["contracts", "gateway.v2.refund"]);
    accepted("contracts-of-an-unknown-operation", &["contracts", "gateway.v2.refnd"]);
}

#[test]
fn one_clause() {
    accepted("clause-that-is-unknown", &["clause", "gateway.refund.code.1403"]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("events.ndjson");
    let events = file.to_str().unwrap();
    output(&["verify", "scenarios/gateway/a-paid-payment-is-refunded-in-parts.yaml", "--events", events]);
    let asked = |name: &str, id: &str| accepted_in(Some(folder.path()), name, &["clause", id, "--events", events]);
    asked("clause-that-passed", "gateway.refund.code.1402");
    asked("clause-that-was-judged-in-passing", "gateway.status.price.type");
    asked("clause-that-nothing-touched", "gateway.recurring.code.1318");
    asked("clause-that-is-not-checked", "gateway.xml");
    asked("clause-that-another-command-checks", "gateway.notification.once");
    std::fs::write(&file, "{\"event\":\"run-started\"}\nno event\n").unwrap();
    asked("clause-in-a-file-of-something-else", "gateway.refund.code.1402");
}

#[test]
fn one_clause_that_was_broken() {
    let folder = tempfile::tempdir().unwrap();
    let finding = json!({ "clauses": ["gateway.xml"] });
    let case = json!({ "event": "case-finished", "api": "gateway", "scenario": "pay\u{1b}", "case": "v1.0", "findings": [finding] });
    let clause = json!({ "id": "gateway.xml", "standing": "failed", "times": 1 });
    let run = json!({ "event": "run-finished", "clauses": [clause] });
    let started = json!({ "event": "run-started", "target": "shop" });
    let events = [started.clone(), case.clone(), run.clone(), started, case, run].map(|event| event.to_string()).join("\n");
    std::fs::create_dir_all(folder.path().join("target/paycheck")).unwrap();
    let asked =
        || Command::new(env!("CARGO_BIN_EXE_paycheck")).args(["clause", "gateway.xml"]).current_dir(folder.path()).output().unwrap();
    let printed = String::from_utf8(asked().stdout).unwrap();
    assert!(printed.ends_with("Last run: unknown; `--events FILE` reads what `verify --events FILE` has written.\n"), "{printed}");
    // The file that README lets `verify` write.
    std::fs::write(folder.path().join("target/paycheck/events.ndjson"), events).unwrap();
    let printed = String::from_utf8(asked().stdout).unwrap();
    let end = "Last run, target/paycheck/events.ndjson:\n  failed in 1 case\n  against shop\n  broken by gateway / pay\\u{1b} / v1.0\n";
    assert!(printed.ends_with(end), "{printed}");
}

#[test]
fn a_green_run() {
    accepted("verify-one-scenario", &["verify", "scenarios/gateway/a-paid-payment-is-refunded-in-parts.yaml"]);
    accepted("coverage-of-some-clauses", &["coverage", "gateway.refund.code"]);
}

#[test]
fn a_red_run() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("gateway/a-wrong-expectation.yaml");
    std::fs::create_dir(folder.path().join("gateway")).unwrap();
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/gateway/a-paid-payment-is-refunded-in-parts.yaml"));
    std::fs::write(&script, text.unwrap().replace("1402", "1401")).unwrap();
    accepted_in(Some(folder.path()), "verify-with-findings", &["verify", script.to_str().unwrap()]);
}

#[test]
fn an_invalid_script() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("slips.yaml");
    std::fs::write(&script, "title: Slips\nsteps:\n  - call: gateway.v1.creat\n  - world: payer.pay\n  - notificatoin: {}\n").unwrap();
    accepted_in(Some(folder.path()), "verify-an-invalid-script", &["verify", script.to_str().unwrap()]);
}
