//! `paycheck exit-codes`: prints the table of exit codes.

use super::console::print;
use super::failure::Failure;
use crate::base::exit::Exit;

/// The line about exit codes below every help text.
pub(super) const HELP: &str = "Exit codes: 0 passed, 1 findings, 2 inconclusive, 3 invalid input, 4 target unreachable, \
                         70 internal error, 130 interrupted. `paycheck exit-codes` explains them.";

/// Prints every code with its sentence.
pub(super) fn run() -> Result<Exit, Failure> {
    for (_, code, sentence) in Exit::ALL {
        print(&format!("{code:>4}  {sentence}"))?;
    }
    Ok(Exit::Passed)
}
