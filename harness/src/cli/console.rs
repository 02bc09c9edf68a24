//! Where and how a command prints.

use std::io::{self, IsTerminal, Write};

use super::failure::Failure;
use super::progress::Progress;
use crate::base::text::printable;
use crate::report::TerminalOptions;

/// The narrowest terminal for which tables are laid out.
const NARROWEST: u16 = 60;

/// The columns of a terminal that does not say how many it has.
const USUAL: u16 = 100;

/// When colours are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Colour {
    /// On a terminal.
    Auto,
    Always,
    Never,
}

/// The properties of standard output.
pub(super) struct Console {
    /// Whether ANSI colours are wanted.
    pub(super) colours: bool,
    /// Whether they are wanted on standard error.
    pub(super) error_colours: bool,
    /// Whether progress is drawn.
    pub(super) live: bool,
    /// Columns; 0 without a terminal.
    width: u16,
    /// Whether only problems are printed.
    pub(super) quiet: bool,
    /// The progress of the command, reported if no bar is drawn.
    pub(super) progress: Progress,
}

impl Console {
    /// Looks at standard output and the environment.
    pub(super) fn new(colour: Colour, quiet: bool) -> Self {
        let environment = |name: &str| std::env::var(name).ok();
        let terminal = io::stdout().is_terminal();
        let measured = terminal_size::terminal_size().map(|(width, _)| width.0);
        Self {
            colours: colours(colour, terminal, &environment),
            error_colours: colours(colour, io::stderr().is_terminal(), &environment),
            live: terminal && !quiet && is_set(&environment, "CI").is_none() && !is_dumb(&environment),
            width: if terminal { columns(measured, &environment) } else { 0 },
            quiet,
            progress: Progress::default(),
        }
    }

    /// Options of the terminal reporter for this console.
    pub(super) fn options(&self, verbose: bool) -> TerminalOptions {
        TerminalOptions { colours: self.colours, live: self.live, width: self.width, verbose }
    }
}

/// Whether to use colours: the command line decides; else `NO_COLOR`, then `CLICOLOR_FORCE`, then the kind of output.
fn colours(colour: Colour, terminal: bool, environment: &dyn Fn(&str) -> Option<String>) -> bool {
    match colour {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto if is_set(environment, "NO_COLOR").is_some() => false,
        Colour::Auto if is_set(environment, "CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
        Colour::Auto => terminal && !is_dumb(environment),
    }
}

/// The columns of a terminal: those that `COLUMNS` asks for, or those that it has.
fn columns(measured: Option<u16>, environment: &dyn Fn(&str) -> Option<String>) -> u16 {
    let wanted = is_set(environment, "COLUMNS").and_then(|columns| columns.parse().ok()).filter(|columns| *columns > 0);
    wanted.or(measured).unwrap_or(USUAL).max(NARROWEST)
}

fn is_set(environment: &dyn Fn(&str) -> Option<String>, name: &str) -> Option<String> {
    environment(name).filter(|value| !value.is_empty())
}

fn is_dumb(environment: &dyn Fn(&str) -> Option<String>) -> bool {
    environment("TERM").is_some_and(|terminal| terminal == "dumb")
}

/// Prints a text that may hold bytes of a target; a closed pipe ends the command like any other failed write.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    Ok(writeln!(io::stdout().lock(), "{}", printable(text))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The option, whether the output is a terminal, the environment; whether colours are used.
    type Case = (Colour, bool, &'static [(&'static str, &'static str)], bool);

    #[test]
    fn colours_are_used_as_users_expect() {
        let cases: [Case; 9] = [
            (Colour::Auto, true, &[], true),
            (Colour::Auto, false, &[], false),
            (Colour::Auto, true, &[("NO_COLOR", "1")], false),
            (Colour::Auto, true, &[("NO_COLOR", "")], true),
            (Colour::Auto, true, &[("TERM", "dumb")], false),
            (Colour::Auto, false, &[("CLICOLOR_FORCE", "1")], true),
            (Colour::Auto, false, &[("CLICOLOR_FORCE", "0")], false),
            (Colour::Always, false, &[("NO_COLOR", "1")], true),
            (Colour::Never, true, &[("CLICOLOR_FORCE", "1")], false),
        ];
        for (colour, terminal, variables, wanted) in cases {
            let environment = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
            assert_eq!(colours(colour, terminal, &environment), wanted, "{colour:?} {terminal} {variables:?}");
        }
    }

    #[test]
    fn columns_are_those_that_the_user_asks_for() {
        let of = |measured, value: &'static str| columns(measured, &|name| (name == "COLUMNS").then(|| value.to_owned()));
        assert_eq!(
            [of(Some(200), "120"), of(Some(200), ""), of(Some(200), "wide"), of(Some(200), "0"), of(None, "")],
            [120, 200, 200, 200, 100]
        );
        assert_eq!([of(Some(200), "20"), of(Some(20), "")], [NARROWEST; 2]);
    }
}
