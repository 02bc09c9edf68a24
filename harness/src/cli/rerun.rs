//! Which cases of an earlier run are played again: those of its events that failed or could not be judged.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::failure::Failure;
use crate::engine::event::CaseName;

/// The cases that an earlier run has not passed, from the file that its `--events` has written.
pub(super) fn not_passed(path: &Path) -> Result<BTreeSet<String>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::invalid(format!("{} can't be read: {error}", path.display())))?;
    read(&text).map_err(|why| Failure::invalid(format!("{} {why}", path.display())))
}

fn read(text: &str) -> Result<BTreeSet<String>, String> {
    let mut cases = BTreeSet::new();
    let mut ended = false;
    for (line, text) in (1..).zip(text.lines()) {
        let event: Value =
            serde_json::from_str(text).map_err(|_| format!("is not what `verify --events` writes: line {line} is not JSON"))?;
        match event.get("event").and_then(Value::as_str) {
            Some("case-finished") if has_not_passed(&event) => {
                let name: CaseName = serde_json::from_value(event)
                    .map_err(|_| format!("is not what `verify --events` writes: line {line} names no case"))?;
                cases.insert(name.to_string());
            }
            Some("run-finished") => ended = true,
            Some(_) => {}
            None => return Err(format!("is not what `verify --events` writes: line {line} is no event")),
        }
    }
    if ended {
        Ok(cases)
    } else {
        Err("has no end: the run that wrote it was cut off, and more may have failed; run everything again".to_owned())
    }
}

fn has_not_passed(event: &Value) -> bool {
    matches!(event.get("verdict").and_then(Value::as_str), Some("failed" | "broken"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STARTED: &str = r#"{"event":"run-started","target":"t","seed":1,"cases":3,"scenarios":1}"#;
    const FINISHED: &str = r#"{"event":"run-finished"}"#;

    fn case(name: &str, verdict: &str) -> String {
        format!(r#"{{"event":"case-finished","api":"gateway","scenario":"{name}","case":"","verdict":"{verdict}"}}"#)
    }

    #[test]
    fn what_failed_or_was_not_judged_is_played_again() {
        let lines =
            [STARTED.to_owned(), case("a", "passed"), case("b", "failed"), case("c", "broken"), case("d", "skipped"), FINISHED.to_owned()];
        assert_eq!(read(&lines.join("\n")), Ok(["gateway / b", "gateway / c"].map(str::to_owned).into()));
    }

    #[test]
    fn a_file_that_was_cut_off_or_is_another_is_refused() {
        let cut = read(&[STARTED.to_owned(), case("b", "failed")].join("\n")).unwrap_err();
        assert!(cut.starts_with("has no end"), "{cut}");
        assert!(read("<testsuites/>").unwrap_err().contains("line 1 is not JSON"));
        assert!(read("{}").unwrap_err().contains("line 1 is no event"));
    }
}
