//! The blind spots as CI systems read them: one test case for every place of every operation.

use std::io;
use std::path::Path;

use indexmap::IndexMap;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use crate::mutate::score::{Fate, MutantOutcome};
use crate::report::write_whole;

/// Mutants told of one place.
const TOLD: usize = 20;

/// Writes the report.
pub(crate) fn junit(path: &Path, outcomes: &[MutantOutcome]) -> io::Result<()> {
    let mut places: IndexMap<(&str, &str), Vec<&MutantOutcome>> = IndexMap::new();
    for outcome in outcomes {
        places.entry((&outcome.operation, &outcome.place)).or_default().push(outcome);
    }
    let mut suites: IndexMap<&str, TestSuite> = IndexMap::new();
    for ((operation, place), outcomes) in places {
        let mut case = TestCase::new(if place.is_empty() { "body" } else { place }, status(&outcomes));
        case.set_classname(format!("paycheck mutate / {operation}"));
        suites.entry(operation).or_insert_with(|| TestSuite::new(operation)).add_test_case(case);
    }
    let mut report = Report::new("paycheck mutate");
    report.add_test_suites(suites.into_values());
    let text = report.to_string().map_err(io::Error::other)?;
    write_whole(path, text.as_bytes())
}

fn status(outcomes: &[&MutantOutcome]) -> TestCaseStatus {
    let missed: Vec<String> = outcomes
        .iter()
        .filter(|outcome| matches!(outcome.fate, Fate::Survived { .. } | Fate::Unjudged { .. }))
        .map(|outcome| format!("{}: nobody noticed", outcome.title()))
        .collect();
    let Some(first) = missed.first() else { return TestCaseStatus::success() };
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    let told: Vec<_> = missed.iter().take(TOLD).map(String::as_str).collect();
    status.set_type("blind spot").set_message(first.as_str()).set_description(told.join("\n"));
    status
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_fails_that_nobody_looks_at() {
        let outcome = |place: &str, fate| MutantOutcome {
            operation: "shop.read".into(),
            kind: "0".into(),
            place: place.into(),
            change: "one more".into(),
            told: 1,
            fate,
        };
        let killed = Fate::Killed { clause: "c".into(), message: "m".into(), instance: "i".into(), aimed: true };
        let outcomes = [outcome("/a", killed), outcome("/b", Fate::Survived { instance: "i".into() })];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mutants.xml");
        junit(&path, &outcomes).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("tests=\"2\"") && text.contains("failures=\"1\""), "{text}");
        assert!(text.contains("shop.read [0] /b: one more: nobody noticed"), "{text}");
    }
}
