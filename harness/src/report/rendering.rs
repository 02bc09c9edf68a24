//! Outcomes as text, for tests.

use super::format::FormatOptions;
use super::junit::Junit;
use super::{Reporter, Terminal, TerminalOptions};
use crate::engine::outcome::Outcome;

/// The outcome as a terminal shows it.
pub(crate) fn screen(outcome: &Outcome, options: TerminalOptions) -> String {
    let mut out = Vec::new();
    let written = Terminal::new(&mut out, options).finish(outcome);
    assert!(written.is_ok(), "{written:?}");
    String::from_utf8_lossy(&out).into_owned()
}

/// The report of a run in a listed format.
pub(super) fn written(format: &str, run: &super::sample::Run, timings: bool) -> String {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let path = folder.path().join("reports/of the run");
    let format = super::formats::FORMATS.iter().find(|own| own.name == format).unwrap_or_else(|| panic!("no format {format}"));
    let options = FormatOptions { to: path.clone(), timings };
    let mut reporter = (format.reporter)(options).unwrap_or_else(|error| panic!("{error}"));
    let written = run.events().iter().try_for_each(|event| reporter.event(event)).and_then(|()| reporter.finish(&run.outcome()));
    assert!(written.is_ok(), "{written:?}");
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{error}"))
}

/// The JUnit report of an outcome.
pub(crate) fn junit_text(outcome: &Outcome) -> String {
    let path = std::env::temp_dir().join(format!("paycheck-{:?}-{}.xml", std::thread::current().id(), std::process::id()));
    let written = Junit::new(FormatOptions { to: path.clone(), timings: false }).finish(outcome);
    assert!(written.is_ok(), "{written:?}");
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(std::fs::remove_file(path).is_ok());
    text
}
