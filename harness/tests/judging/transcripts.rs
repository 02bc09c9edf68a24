//! The accepted transcripts of every scenario against the embedded emulator: `snapshots/`.
//!
//! The first case of a scenario is kept whole, of the others the calls and their codes. A change of the
//! emulator, a scenario or an example shows here; accept it with `cargo insta review`.

use std::path::Path;
use std::process::Command;

#[test]
fn every_scenario_has_its_accepted_transcript() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_paycheck")).args(["verify", "--transcripts"]).arg(folder.path()).output().unwrap();
    assert!(output.status.code().is_some_and(|code| code != 70), "{}", String::from_utf8_lossy(&output.stdout));
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for api in entries(folder.path()) {
            for file in entries(&api) {
                let stem = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
                let text = std::fs::read_to_string(&file).unwrap();
                insta::assert_snapshot!(format!("{}__{}", stem(&api), stem(&file)), reduced(&text));
            }
        }
    });
}

fn entries(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries
}

/// The first case whole, the others in short.
fn reduced(text: &str) -> String {
    let mut cases = text.split("\n== ").map(|case| format!("== {}", case.trim_start_matches("== ")));
    let first = collapsed(&cases.next().unwrap_or_default());
    cases.fold(first, |all, case| format!("{all}\n{}", in_short(&case)))
}

/// Runs of the same block once, with their number.
fn collapsed(case: &str) -> String {
    let mut blocks: Vec<(&str, usize)> = Vec::new();
    for block in case.trim_end().split("\n\n") {
        match blocks.last_mut() {
            Some((last, times)) if *last == block => *times += 1,
            _ => blocks.push((block, 1)),
        }
    }
    let shown = |(block, times): (&str, usize)| if times == 1 { block.to_owned() } else { format!("{block}\n({times} times)") };
    blocks.into_iter().map(shown).collect::<Vec<_>>().join("\n\n") + "\n"
}

/// A case's name, then each exchange with the code of its answer; runs of the same one once, with
/// their number.
fn in_short(case: &str) -> String {
    let mut lines = case.lines();
    let mut short = lines.next().unwrap_or_default().to_owned();
    let mut exchanges: Vec<(String, usize)> = Vec::new();
    let mut current = String::new();
    for line in lines {
        if let Some((_, operation)) = line.strip_prefix(['→', '⇐']).and_then(|line| line.rsplit_once('(')) {
            push(&mut exchanges, std::mem::take(&mut current));
            current = operation.trim_end_matches(')').split(',').next().unwrap_or_default().to_owned();
        } else if let Some(code) = line.strip_prefix("    code: ") {
            current.push_str(&format!(" → {code}"));
        } else if let Some(status) = line.strip_prefix('⇒') {
            current.push_str(&format!(" →{status}"));
        }
    }
    push(&mut exchanges, current);
    for (exchange, times) in exchanges {
        let times = if times == 1 { String::new() } else { format!(" ({times} times)") };
        short.push_str(&format!("\n    {exchange}{times}"));
    }
    short
}

fn push(exchanges: &mut Vec<(String, usize)>, exchange: String) {
    match exchanges.last_mut() {
        Some((last, times)) if *last == exchange => *times += 1,
        _ if exchange.is_empty() => {}
        _ => exchanges.push((exchange, 1)),
    }
}
