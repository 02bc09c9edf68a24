//! Where a command prints, and how.

use std::io::{self, IsTerminal, Write};

use super::failure::Failure;
use crate::base::text::printable;
use crate::report::TerminalOptions;

/// When colours are used.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum Colour {
    /// On a terminal.
    Auto,
    Always,
    Never,
}

/// Standard output as it was found.
pub(super) struct Console {
    /// Whether ANSI colours are wanted.
    pub(super) colours: bool,
    /// Whether progress is drawn.
    pub(super) live: bool,
    /// Columns; 0 where there is no terminal.
    width: u16,
}

impl Console {
    /// Looks at standard output and the environment.
    pub(super) fn new(colour: Colour) -> Self {
        let terminal = io::stdout().is_terminal();
        let plain = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        let colours = match colour {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => terminal && !plain,
        };
        let ci = std::env::var_os("CI").is_some();
        let width = terminal_size::terminal_size().map_or(100, |(width, _)| width.0);
        Self { colours, live: terminal && !ci, width: if terminal { width.max(60) } else { 0 } }
    }

    /// How the terminal reporter writes here.
    pub(super) fn options(&self, verbose: bool) -> TerminalOptions {
        TerminalOptions { colours: self.colours, live: self.live, width: self.width, verbose }
    }
}

/// Prints a text that may hold bytes of a target; a closed pipe ends the command like any other failed write.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    Ok(writeln!(io::stdout().lock(), "{}", printable(text))?)
}
