//! The accepted transcripts of every scenario against the embedded emulator: `snapshots/API/SCENARIO.snap`.
//!
//! Of the first case of a scenario each exchange and each action is kept, of the others the calls with their codes and the actions. Of a body, a snapshot
//! shows what this scenario is about: the lines that most bodies of the operation have stand once, in
//! `snapshots/API/usual-bodies.snap`, so that a new field of an operation changes one file and not every scenario that
//! calls it. A change of the emulator, a scenario or an example shows here; accept it with `cargo insta review`.

mod labels;
mod usual;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use usual::{Bodies, SoFar, Usual};

use crate::support::whole_run::WHOLE_RUN;

#[test]
fn every_scenario_has_its_accepted_transcript() {
    for api in entries(&WHOLE_RUN.transcripts()) {
        let scenarios: BTreeMap<String, Vec<String>> =
            entries(&api).iter().map(|file| (stem(file), cases(&std::fs::read_to_string(file).unwrap()))).collect();
        let usual = usual_of(&scenarios, &usual_so_far(&stem(&api)));
        let settings = settings(&stem(&api));
        settings.bind(|| insta::assert_snapshot!("usual-bodies", usual.to_string()));
        for (scenario, cases) in &scenarios {
            settings.bind(|| insta::assert_snapshot!(scenario.as_str(), accepted(cases, &usual)));
        }
    }
}

fn settings(api: &str) -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(Path::new("../../../../snapshots").join(api));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap().to_string_lossy().into_owned()
}

/// The cases of a scenario, each with its title; in the first one, which is shown, values nobody cares for have labels.
fn cases(text: &str) -> Vec<String> {
    let mut cases: Vec<String> = text.split("\n== ").map(|case| format!("== {}", case.trim_start_matches("== "))).collect();
    if let Some(first) = cases.first_mut() {
        *first = labels::labelled(first.trim_end());
    }
    cases
}

/// What the accepted transcripts of an API leave out; nothing if there are none yet.
fn usual_so_far(api: &str) -> SoFar {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots").join(api).join("usual-bodies.snap");
    std::fs::read_to_string(file).map(|accepted| SoFar::read(&accepted)).unwrap_or_default()
}

fn usual_of(scenarios: &BTreeMap<String, Vec<String>>, so_far: &SoFar) -> Usual {
    let mut bodies = Bodies::default();
    for (scenario, first) in scenarios.iter().filter_map(|(scenario, cases)| Some((scenario, cases.first()?))) {
        bodies.add(scenario, first);
    }
    bodies.usual(so_far)
}

/// The first case with its bodies, the others in short.
fn accepted(cases: &[String], usual: &Usual) -> String {
    let mut cases = cases.iter();
    let first = collapsed(&usual.left_out_of(cases.next().map_or("", String::as_str)));
    cases.fold(first, |all, case| format!("{all}\n{}", in_short(case)))
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

/// A case's name, then each exchange with the code of its response and each action; runs of the same one once, with their number.
fn in_short(case: &str) -> String {
    let mut lines = case.lines();
    let mut short = lines.next().unwrap_or_default().to_owned();
    let mut exchanges: Vec<(String, usize)> = Vec::new();
    let mut current = String::new();
    for line in lines {
        if let Some((_, operation)) = line.strip_prefix(['→', '⇐']).and_then(|line| line.rsplit_once('(')) {
            push(&mut exchanges, std::mem::take(&mut current));
            current = operation.trim_end_matches(')').split(',').next().unwrap_or_default().to_owned();
        } else if line.starts_with('•') {
            push(&mut exchanges, std::mem::replace(&mut current, line.to_owned()));
        } else if let Some(code) = line.strip_prefix("    code: ").filter(|_| !current.starts_with('•')) {
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
