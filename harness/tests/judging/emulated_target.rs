//! `paycheck emulate --target-file` and `--notify`: what a second terminal needs to judge, and to be notified by, an emulator.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use tempfile::tempdir;

use crate::support::binary::{file, paycheck, run};

const SCENARIOS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/gateway/a-paid-payment-is-refunded-in-parts.yaml");

/// Starts an emulator; returns its first lines of output, one for each kind given.
fn started(arguments: &[&str], lines: usize) -> (Child, String) {
    let mut child = paycheck(["emulate", "--listen", "127.0.0.1:0"]).args(arguments).stdout(Stdio::piped()).spawn().unwrap();
    let output = BufReader::new(child.stdout.as_mut().unwrap());
    let text = output.lines().take(lines).map(|line| line.unwrap() + "\n").collect();
    (child, text)
}

fn end(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn an_emulator_is_judged_by_the_target_file_that_it_writes() {
    let folder = tempdir().unwrap();
    let [target, world, certificate] = ["target.yaml", "world.yaml", "ca.pem"].map(|name| folder.path().join(name).display().to_string());
    file(folder.path(), "world.yaml", "merchants:\n  - merchant: \"300003\"\n    secret: \"a: b # c\"\n  - merchant: \"200002\"\n");
    for more in [&[][..], &["--world", &world, "--tls", &certificate, "--force"]] {
        let (emulator, said) = started(&[&["--target-file", &target], more].concat(), if more.is_empty() { 3 } else { 4 });
        let next = said.lines().find_map(|line| line.split_once(": paycheck ")).unwrap_or_else(|| panic!("{said}")).1;
        let words: Vec<&str> = next.split_whitespace().chain([SCENARIOS]).collect();
        let verified = run(words).with_code(0);
        assert!(verified.out.contains("emulator on http") && verified.out.contains("PASSED"), "{}", verified.out);
        end(emulator);
    }
    let text = std::fs::read_to_string(&target).unwrap();
    for line in
        ["    merchant: \"300003\"", "    secret: \"a: b # c\"", "    terminal-secret: \"secret-T300003\"", "    merchant: \"200002\""]
    {
        assert!(text.lines().any(|known| known == line), "{line} is not in {text}");
    }
}

#[test]
fn a_target_file_that_is_there_is_replaced_only_if_told_to() {
    let folder = tempdir().unwrap();
    let target = file(folder.path(), "target.yaml", "mine\n").display().to_string();
    run(["emulate", "--target-file", &target]).with_code(3).complaining(&["target.yaml exists", "--force"]);
    run(["emulate", "--target-file", &target, "--force", "--world", &target]).with_code(3).complaining(&["would be written"]);
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "mine\n");
}
