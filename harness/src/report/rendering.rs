//! Outcomes as text, for tests.

use super::{Junit, JunitOptions, Reporter, Terminal, TerminalOptions};
use crate::engine::outcome::Outcome;

/// What a terminal shows of an outcome.
pub(crate) fn screen(outcome: &Outcome, options: TerminalOptions) -> String {
    let mut out = Vec::new();
    let written = Terminal::new(&mut out, options).finish(outcome);
    assert!(written.is_ok(), "{written:?}");
    String::from_utf8_lossy(&out).into_owned()
}

/// The JUnit report of an outcome.
pub(crate) fn junit_text(outcome: &Outcome) -> String {
    let path = std::env::temp_dir().join(format!("paycheck-{:?}-{}.xml", std::thread::current().id(), std::process::id()));
    let written = Junit::new(JunitOptions { path: path.clone(), timings: false }).finish(outcome);
    assert!(written.is_ok(), "{written:?}");
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(std::fs::remove_file(path).is_ok());
    text
}
