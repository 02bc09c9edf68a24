//! The reporters of a run, as the arguments ask for them.

use std::io;
use std::path::Path;

use super::{Console, Failure, ReportArguments};
use crate::exit::Exit;
use crate::report::{Fan, Junit, JunitOptions, Ndjson, Reporter, Terminal, TerminalOptions, create_file};

/// Opens every reporter that is asked for; `more` are others, each with the line that names it.
pub(super) fn open(arguments: &ReportArguments, more: Vec<(String, Box<dyn Reporter>)>, console: &Console) -> Result<Fan, Failure> {
    let mut details = Vec::new();
    let mut reporters: Vec<Box<dyn Reporter>> = Vec::new();
    if let Some(path) = &arguments.junit {
        details.push(format!("JUnit: {}", path.display()));
        // Written at the end; that it can be is found out before the first request.
        create_file(path).map_err(|e| cannot_write(path, &e))?;
        reporters.push(Box::new(Junit::new(JunitOptions { path: path.clone(), timings: arguments.timings })));
    }
    if let Some(path) = &arguments.events {
        details.push(format!("events: {}", path.display()));
        let file = create_file(path).map_err(|e| cannot_write(path, &e))?;
        reporters.push(Box::new(Ndjson::new(file, arguments.all_exchanges)));
    }
    for (detail, reporter) in more {
        details.push(detail);
        reporters.push(reporter);
    }
    let options =
        TerminalOptions { colours: console.colours, live: console.live, width: console.width, details, verbose: arguments.verbose };
    reporters.push(Box::new(Terminal::new(io::stdout(), options)));
    Ok(Fan(reporters))
}

pub(super) fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::Other(Exit::InvalidInput, format!("{} can't be written: {error}", path.display()))
}
