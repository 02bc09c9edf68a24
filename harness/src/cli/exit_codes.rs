//! `paycheck exit-codes`: prints the table of exit codes.

use super::console::print;
use super::failure::Failure;
use crate::base::exit::Exit;

/// What is below the list of commands: how to begin, and the exit codes.
pub(super) const HELP: &str = "To begin: `paycheck verify` plays everything on the emulator in this program; `paycheck init` writes a file \
                         about a target of yours.\n\nExit codes: 0 passed, 1 findings, 2 inconclusive, 3 invalid input, 4 target unreachable, \
                         70 internal error, 130 interrupted. `paycheck exit-codes` explains them.";

/// Prints every code with its sentence.
pub(super) fn run() -> Result<Exit, Failure> {
    for (_, code, sentence) in Exit::ALL {
        print(&format!("{code:>4}  {sentence}"))?;
    }
    Ok(Exit::Passed)
}
