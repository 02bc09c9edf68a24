//! How a run ends, as one type. The numbers are part of the contract with CI.

use std::process::ExitCode;

/// The class of an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Everything that was asked for was judged, and nothing was found.
    Passed,
    /// The target breaks at least one rule.
    Findings,
    /// Nothing was found, but requested evidence is missing: nothing ran, a world that is needed was absent, or a selected clause
    /// was never touched.
    Inconclusive,
    /// An input (scenario, contract, target file, argument) is not valid. Nothing was sent.
    InvalidInput,
    /// The target could not be reached.
    Unreachable,
    /// A fault of Paycheck itself, or of the machine it runs on.
    Internal,
    /// The user ended the run; what was recorded until then is reported.
    Interrupted,
}

impl Exit {
    /// Every class with its number and its sentence, as `paycheck exit-codes` prints them.
    pub const ALL: [(Self, u8, &'static str); 7] = [
        (Self::Passed, 0, "everything asked for was judged, nothing was found"),
        (Self::Findings, 1, "the target breaks at least one rule"),
        (Self::Inconclusive, 2, "nothing was found, but evidence that was asked for is missing"),
        (Self::InvalidInput, 3, "a scenario, contract, target file or argument is not valid; at most preflight calls were sent"),
        (Self::Unreachable, 4, "the target could not be reached"),
        (Self::Internal, 70, "a fault of paycheck itself or of this machine"),
        (Self::Interrupted, 130, "ended by the user; what was recorded until then is reported"),
    ];

    /// The number the process ends with.
    pub fn code(self) -> u8 {
        match self {
            Self::Passed => 0,
            Self::Findings => 1,
            Self::Inconclusive => 2,
            Self::InvalidInput => 3,
            Self::Unreachable => 4,
            Self::Internal => 70,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::Exit;

    #[test]
    fn the_table_has_the_numbers_that_are_used() {
        for (exit, code, _) in Exit::ALL {
            assert_eq!(exit.code(), code);
        }
    }
}
