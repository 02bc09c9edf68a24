//! The cases of an earlier run to play again: those that did not pass, and those that were not played.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::console::print;
use super::failure::Failure;
use crate::base::exit::Exit;
use crate::base::figures::count_of;
use crate::engine::event::CaseName;
use crate::engine::runner::Case;

/// The results of an earlier run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Earlier {
    /// Cases that passed.
    passed: BTreeSet<String>,
    /// Cases that did not.
    not_passed: BTreeSet<String>,
    /// How many cases it was to play.
    planned: u64,
    /// Whether it proved everything that was requested.
    is_conclusive: bool,
}

impl Earlier {
    /// Reads the file that its `--events` has written.
    pub(super) fn from_events(path: &Path) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(path).map_err(|error| Failure::invalid(format!("{} can't be read: {error}", path.display())))?;
        read(&text).map_err(|why| Failure::invalid(format!("{} {why}", path.display())))
    }

    /// Whether it ended before all its cases were played.
    fn has_ended_early(&self) -> bool {
        u64::try_from(self.passed.len() + self.not_passed.len()).is_ok_and(|played| played < self.planned)
    }

    /// The cases of a plan to play again: those that did not pass and, of a run that ended early, those that it did not play. `known` are
    /// the names of all cases of the scenarios here, those included that are not selected.
    pub(super) fn left_of(&self, plan: &[Case], known: &BTreeSet<String>) -> Result<BTreeSet<String>, String> {
        if let Some(elsewhere) = self.not_passed.iter().find(|name| !known.contains(*name)) {
            return Err(format!("names `{elsewhere}`, which did not pass and is in no scenario here; name its file too"));
        }
        let names = plan.iter().map(|case| case.name.to_string());
        if !self.has_ended_early() {
            return Ok(names.filter(|name| self.not_passed.contains(name)).collect());
        }
        if u64::try_from(plan.len()).ok() != Some(self.planned) {
            return Err(format!(
                "is of a run that ended before all of its {} were played, and here are {}: name the same scenarios, APIs, filters and \
                 clauses as then",
                count_of(self.planned, "case"),
                count_of(u64::try_from(plan.len()).unwrap_or(u64::MAX), "case")
            ));
        }
        Ok(names.filter(|name| !self.passed.contains(name)).collect())
    }

    /// The outcome if there is nothing to play.
    pub(super) fn without_a_case(&self, path: &Path) -> Result<Exit, Failure> {
        let path = path.display();
        if !self.not_passed.is_empty() {
            print(&format!("nothing to play again: of the cases that did not pass in {path}, none is selected"))?;
            return Ok(Exit::Inconclusive);
        }
        let (why, exit) = if self.is_conclusive { ("", Exit::Passed) } else { (", but it proved less than was asked", Exit::Inconclusive) };
        print(&format!("nothing to play again: every case passed in {path}{why}"))?;
        Ok(exit)
    }
}

fn read(text: &str) -> Result<Earlier, String> {
    let mut earlier = Earlier::default();
    let mut ended = false;
    for (line, text) in (1..).zip(text.lines()) {
        let other = |what: &str| format!("is not what `verify --events` writes: line {line} {what}");
        let event: Value = serde_json::from_str(text).map_err(|_| other("is not JSON"))?;
        match event.get("event").and_then(Value::as_str) {
            Some("run-started") => earlier.planned = event.get("cases").and_then(Value::as_u64).unwrap_or(0),
            Some("case-finished") => {
                let has_passed = event.get("verdict").and_then(Value::as_str) == Some("passed");
                let name: CaseName = serde_json::from_value(event).map_err(|_| other("names no case"))?;
                if has_passed { &mut earlier.passed } else { &mut earlier.not_passed }.insert(name.to_string());
            }
            Some("run-finished") => {
                earlier.is_conclusive = event.get("inconclusive").and_then(Value::as_array).is_some_and(Vec::is_empty);
                ended = true;
            }
            Some(_) => {}
            None => return Err(other("is no event")),
        }
    }
    if !ended {
        return Err("has no end: the run that wrote it was cut off, and more may have failed; run everything again".to_owned());
    }
    Ok(earlier)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STARTED: &str = r#"{"event":"run-started","target":"t","seed":1,"cases":3,"scenarios":1}"#;
    const FINISHED: &str = r#"{"event":"run-finished","inconclusive":[]}"#;

    fn case(name: &str, verdict: &str) -> String {
        format!(r#"{{"event":"case-finished","api":"gateway","scenario":"{name}","case":"","verdict":"{verdict}"}}"#)
    }

    #[test]
    fn what_did_not_pass_is_left_and_what_was_not_played() {
        let (a, b, c) = (case("a", "passed"), case("b", "failed"), case("c", "skipped"));
        let whole = read(&[STARTED, &a, &b, &c, FINISHED].join("\n")).unwrap();
        let set = |names: &[&str]| names.iter().map(|name| format!("gateway / {name}")).collect::<BTreeSet<_>>();
        assert_eq!((&whole.passed, &whole.not_passed, whole.has_ended_early()), (&set(&["a"]), &set(&["b", "c"]), false));
        let cut = read(&[STARTED, &a, &b, FINISHED].join("\n")).unwrap();
        assert_eq!((&cut.not_passed, cut.has_ended_early()), (&set(&["b"]), true));
    }

    #[test]
    fn a_run_that_left_nothing_to_play_again_is_not_made_better() {
        let a = case("a", "passed");
        let ends = |finished: &str| read(&[STARTED, &a, finished].join("\n")).unwrap().without_a_case(Path::new("e")).unwrap();
        assert_eq!(ends(FINISHED), Exit::Passed);
        assert_eq!(ends(r#"{"event":"run-finished","inconclusive":["2 clauses untouched"]}"#), Exit::Inconclusive);
    }

    #[test]
    fn a_file_that_was_cut_off_or_is_another_is_refused() {
        let cut = read(&[STARTED.to_owned(), case("b", "failed")].join("\n")).unwrap_err();
        assert!(cut.starts_with("has no end"), "{cut}");
        assert!(read("<testsuites/>").unwrap_err().contains("line 1 is not JSON"));
        assert!(read("{}").unwrap_err().contains("line 1 is no event"));
    }
}
