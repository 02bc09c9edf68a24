//! What the commands print, as accepted in `snapshots/`.

use std::path::Path;
use std::process::Command;

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
    let said = output(arguments);
    let said = folder.map_or(said.clone(), |folder| said.replace(folder.to_str().unwrap(), "[folder]"));
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../snapshots/command");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.add_filter(r"notifications, \d+\.\d s", "notifications, [wall time] s");
    // How far a command is, every half minute of a slow machine.
    settings.add_filter(r"(?m)^[a-z]+  [^\n]*, (\d+\.\d s|\d+ min \d\d s)\n", "");
    settings.bind(|| insta::assert_snapshot!(name, said));
}

#[test]
fn help() {
    accepted("help", &["help"]);
    accepted("verify-help", &["verify", "--help"]);
    accepted("exit-codes", &["exit-codes"]);
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
