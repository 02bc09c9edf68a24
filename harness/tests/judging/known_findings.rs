//! Findings that are accepted for a while, as CI meets them: green until their last day, then red again.

use std::path::{Path, PathBuf};

use crate::support::binary::{events, file, run};
use tempfile::tempdir;

/// A script with a wrong expectation, so that the emulator is found to break it.
const WRONG: &str = "title: A payment is born paid\nclauses: [gateway.payment.created]\nsteps:\n  - call: gateway.v2.create\n    \
                     keep: { payment: transId }\n  - call: gateway.v2.status\n    with: { transId: '{{ payment }}' }\n    \
                     expect: { status: PAID }\n    clause: gateway.payment.created\n";

const KNOWN: &str = "known:\n  - clause: gateway.payment.created\n    at: response body /status\n    owner: Jana\n    reason: until 4.2\n    \
                     expires: 2026-12-31\n";

fn path(path: &Path) -> String {
    path.display().to_string()
}

struct Ci {
    folder: tempfile::TempDir,
    script: PathBuf,
    known: PathBuf,
}

impl Ci {
    fn new(known: &str) -> Self {
        let folder = tempdir().unwrap();
        let script = file(folder.path(), "gateway/born-paid.yaml", WRONG);
        let known = file(folder.path(), "known-findings.yaml", known);
        Self { folder, script, known }
    }

    fn verify(&self, today: &str, more: &[&str]) -> crate::support::binary::CommandResult {
        let (script, known) = (path(&self.script), path(&self.known));
        run(["verify", &script, "--known", &known, "--today", today].iter().chain(more))
    }
}

#[test]
fn until_its_last_day_a_known_finding_is_reported_and_fails_nothing() {
    let ci = Ci::new(KNOWN);
    let (junit, log) = (path(&ci.folder.path().join("junit.xml")), ci.folder.path().join("events.ndjson"));
    let ended = ci.verify("2026-12-31", &["--junit", &junit, "--events", &path(&log)]).with_code(0);
    assert!(
        ended.out.contains("1 known finding (accepted, does not count)") && ended.out.contains("until 2026-12-31, Jana"),
        "{}",
        ended.out
    );
    assert!(ended.out.contains("0 failed (1 more known)") && ended.out.contains("PASSED"), "{}", ended.out);
    let junit = std::fs::read_to_string(junit).unwrap();
    assert!(junit.contains("skipped=\"1\"") && junit.contains("known until 2026-12-31, Jana"), "{junit}");
    let written = events(&log);
    assert_eq!(written[1]["findings"][0]["known"]["owner"], "Jana");
    let clauses = written[2]["clauses"].as_array().unwrap();
    let own = clauses.iter().find(|clause| clause["id"] == "gateway.payment.created").unwrap();
    assert_eq!(own["standing"], "known");
    let validator = jsonschema::validator_for(&harness::report::schema()).unwrap();
    assert!(written.iter().all(|line| validator.is_valid(line)));
}

#[test]
fn after_its_last_day_it_is_a_failure_that_names_it() {
    let ended = Ci::new(KNOWN).verify("2027-01-01", &[]).with_code(1);
    assert!(ended.out.contains("expired on 2026-12-31, owner Jana: renew or fix"), "{}", ended.out);
    assert!(ended.out.contains("known-findings.yaml:2:5"), "{}", ended.out);
    let figures = "0 passed, 1 failed (and 1 known finding out of date), 0 skipped";
    assert!(ended.out.contains(figures) && ended.out.contains("breaks 1 clause in 1 case;"), "{}", ended.out);
}

#[test]
fn what_is_not_meant_fails_as_ever() {
    let elsewhere = KNOWN.replace("/status", "/price");
    let ended = Ci::new(&elsewhere).verify("2026-12-31", &[]).with_code(1);
    assert!(!ended.out.contains("no longer occurs"), "a part of the scenarios says nothing of the others: {}", ended.out);
}

#[test]
fn what_no_longer_occurs_in_a_run_of_everything_is_a_failure() {
    let known = "known:\n  - { clause: gateway.payment.created, owner: Jana, reason: until 4.2, expires: 2026-12-31 }\n";
    let ci = Ci::new(known);
    let ended = run(["verify", "--known", &path(&ci.known), "--today", "2026-12-31"]).with_code(1);
    assert!(ended.out.contains("the known finding no longer occurs, owner Jana: remove it"), "{}", ended.out);
    assert!(ended.out.contains("FAILED: 1 known finding to be renewed or removed, nothing else was found"), "{}", ended.out);
}

#[test]
fn a_file_with_mistakes_is_refused_before_the_first_request() {
    let ci = Ci::new("known:\n  - clause: gateway.payment.creatd\n    owner: Jana\n    expires: soon\n");
    let ended = ci.verify("2026-12-31", &[]).with_code(3);
    ended.complaining(&[
        "gateway.payment.creatd",
        "did you mean `gateway.payment.created`?",
        "needs `reason`",
        "`expires` is a day",
        "3 mistakes",
    ]);
}
