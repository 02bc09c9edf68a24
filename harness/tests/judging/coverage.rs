//! Every clause that can be checked is judged by a run, and every row of every table is taken.

use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;
use tempfile::tempdir;

/// What `coverage` says of everything, for all tests here.
static REPORT: LazyLock<Value> = LazyLock::new(|| {
    let folder = tempdir().unwrap();
    let page = folder.path().join("page.html");
    let coverage = ["coverage", "--json", "--html", &page.display().to_string()];
    let output = Command::new(env!("CARGO_BIN_EXE_paycheck")).args(coverage).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(page.exists(), "files are written beside what is printed");
    serde_json::from_slice(&output.stdout).unwrap()
});

#[test]
fn nothing_that_can_be_checked_is_left_open() {
    let standing = |clause: &Value| clause["standing"].as_str().unwrap().to_owned();
    let open: Vec<_> = REPORT["clauses"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|c| !["passed", "injected", "in passing", "not checkable", "elsewhere"].contains(&standing(c).as_str()))
        .collect();
    assert!(open.is_empty(), "{open:#?}");
    let untaken: Vec<_> = REPORT["rows"].as_array().unwrap().iter().filter(|row| row["taken"] == 0).collect();
    assert!(untaken.is_empty(), "{untaken:#?}");
}

/// A clause that only a placed fault shows, or a case about something else, is judged and not proved. There may be fewer of them, and
/// never more.
const MOST_INJECTED: usize = 68;
const MOST_IN_PASSING: usize = 433;

#[test]
fn no_more_clauses_are_judged_by_a_fault_alone_or_in_passing() {
    let clauses = REPORT["clauses"].as_array().unwrap();
    let of = |word: &str| clauses.iter().filter(|clause| clause["standing"] == word).map(|clause| &clause["id"]).collect::<Vec<_>>();
    let (injected, in_passing) = (of("injected"), of("in passing"));
    assert!(injected.len() <= MOST_INJECTED, "{} by a fault alone: {injected:?}", injected.len());
    assert!(in_passing.len() <= MOST_IN_PASSING, "{} in passing: {in_passing:?}", in_passing.len());
}

#[test]
fn every_clause_names_its_carriers_or_why_it_has_none() {
    for clause in REPORT["clauses"].as_array().unwrap() {
        let carried = clause["carried-by"].as_array().is_some_and(|carriers| !carriers.is_empty());
        let excused = clause["standing"] == "not checkable";
        assert!(!clause["detail"].as_str().unwrap().is_empty(), "{clause:#}");
        assert!(carried != excused, "{clause:#}");
    }
}
