//! Embedded, on its own, over TLS, one by one or all at once: the same target is judged the same.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use crate::support::MAIN;
use crate::support::binary::{Emulate, emulated, events, run, target_file};
use crate::support::whole_run::WHOLE_RUN;
use tempfile::tempdir;

/// What became of each case, and which clauses held in it.
type Verdicts = BTreeMap<String, String>;

/// Runs everything.
fn verdicts(folder: &Path, arguments: &[&str]) -> Verdicts {
    let file = folder.join("events.ndjson");
    let ended = run(["verify", "--events", &file.display().to_string()].iter().copied().chain(arguments.iter().copied()));
    assert!(ended.code == 0 || ended.code == 2, "{}{}", ended.out, ended.err);
    verdicts_in(&file)
}

/// Reads the verdicts from the events of a run.
fn verdicts_in(file: &Path) -> Verdicts {
    let of_cases = events(file).into_iter().filter(|event| event["event"] == "case-finished");
    let verdict = |event: serde_json::Value| {
        let name = format!("{} / {} / {}", event["api"], event["scenario"], event["case"]);
        (name, format!("{} {} {}", event["verdict"], event["held"], event["rows"]))
    };
    of_cases.map(verdict).collect()
}

/// Those of the embedded emulator.
static EMBEDDED: LazyLock<Verdicts> = LazyLock::new(|| verdicts_in(&WHOLE_RUN.events()));

/// Asserts that a run agrees with that of the embedded emulator; shows the first cases in which they don't.
fn agrees(what: &str, theirs: &Verdicts) {
    let ours = &*EMBEDDED;
    assert!(theirs.len() > 400 && theirs.keys().all(|name| ours.contains_key(name)), "{what}: {} cases", theirs.len());
    let ours = ours.iter().filter(|(name, _)| theirs.contains_key(*name));
    let differing = ours.filter(|(name, verdict)| theirs.get(*name) != Some(verdict));
    let shown: Vec<_> = differing.take(5).map(|(name, v)| format!("{name}\n  {v}\n  {}", theirs[name])).collect();
    assert!(shown.is_empty(), "{what}:\n{}", shown.join("\n"));
}

#[test]
fn an_emulator_on_its_own_is_judged_like_the_embedded_one() {
    let folder = tempdir().unwrap();
    let emulate = Emulate::start(&[]);
    let target = target_file(folder.path(), &emulate.url, MAIN, &emulated(&emulate.url)).display().to_string();
    // The second run meets an emulator that was used before.
    for jobs in ["64", "1"] {
        let theirs = verdicts(folder.path(), &["--target", &target, "--jobs", jobs]);
        assert_eq!(theirs.len(), EMBEDDED.len());
        agrees(&format!("--jobs {jobs}"), &theirs);
    }
}

#[test]
fn an_emulator_with_tls_is_judged_like_the_embedded_one() {
    let folder = tempdir().unwrap();
    let certificate = folder.path().join("emulator.pem").display().to_string();
    let emulate = Emulate::start(&["--tls", &certificate]);
    assert!(emulate.url.starts_with("https://127.0.0.1:"), "{}", emulate.url);
    let more = format!("{}certificate: {certificate}\n", emulated(&emulate.url));
    let target = target_file(folder.path(), &emulate.url, MAIN, &more).display().to_string();
    // Payments, and files that are downloaded.
    agrees("TLS", &verdicts(folder.path(), &["--target", &target, "--api", "terminal", "--api", "transfers"]));
}

#[test]
fn an_untrusted_certificate_is_not_accepted() {
    let folder = tempdir().unwrap();
    let emulate = Emulate::start(&["--tls", &folder.path().join("emulator.pem").display().to_string()]);
    let target = target_file(folder.path(), &emulate.url, MAIN, &emulated(&emulate.url));
    run(["verify", "--target", &target.display().to_string()]).with_code(4).complaining(&["certificate"]);
}
