//! From arguments to reporters, and from an outcome to the exit code: the way that every command ends.

use std::io::{self, Write};
use std::path::Path;

use super::arguments::ReportArguments;
use super::console::Console;
use super::failure::Failure;
use super::formats::FormatArguments;
use super::progress::{CaseCount, Progress};
use crate::base::exit::Exit;
use crate::base::output::{Destination, create_file};
use crate::engine::event::{Event, RunFinished};
use crate::engine::outcome::{Collector, Ended, Heading, Outcome, OutputFile, Verb};
use crate::report::formats::FormatOptions;
use crate::report::{GitHub, Json, Ndjson, Reporter, Reporters, Terminal, TerminalOptions};

/// The reporters of a command.
pub(super) struct Output {
    files: Reporters,
    named: Vec<OutputFile>,
    terminal: Terminal<Box<dyn Write + Send>>,
    options: TerminalOptions,
    /// Whether a report takes standard output, so that the screen goes to standard error.
    is_piped: bool,
    /// Whether the terminal hears only of what is wrong, at the end.
    quiet: bool,
    progress: Progress,
}

impl Output {
    /// The terminal alone.
    pub(super) fn new(console: &Console, verbose: bool) -> Self {
        let options = console.options(verbose);
        let terminal: Terminal<Box<dyn Write + Send>> = Terminal::new(Box::new(io::stdout()), options);
        let files = Reporters(github().into_iter().collect());
        let (quiet, progress) = (console.quiet, console.progress.clone());
        Self { files, named: Vec::new(), terminal, options, is_piped: false, quiet, progress }
    }

    /// Adds a reporter that writes a file.
    pub(super) fn add(&mut self, label: &'static str, path: &Path, reporter: impl Reporter + 'static) {
        self.named.push(OutputFile { label, path: path.to_owned() });
        self.files.0.push(Box::new(reporter));
    }

    /// Adds a report that goes to a file or, as `-`, to standard output.
    fn add_report(&mut self, label: &'static str, path: &Path, reporter: Box<dyn Reporter>) -> Result<(), Failure> {
        match Destination::new(path) {
            Destination::File(path) => self.named.push(OutputFile { label, path }),
            Destination::Stdout if self.is_piped => return Err(Failure::invalid("only one report can go to standard output")),
            Destination::Stdout => {
                self.is_piped = true;
                self.terminal = Terminal::new(Box::new(io::stderr()), self.options);
            }
        }
        self.files.0.push(reporter);
        Ok(())
    }

    /// Adds the reports that the arguments ask for.
    pub(super) fn formats<const PLAYS: bool>(&mut self, arguments: &FormatArguments<PLAYS>) -> Result<(), Failure> {
        for (format, path) in &arguments.chosen {
            check(path)?;
            let options = FormatOptions { to: Destination::new(path), timings: arguments.timings };
            let reporter = (format.reporter)(options).map_err(|error| Failure::cannot_write(path, &error))?;
            self.add_report(format.label, path, reporter)?;
        }
        Ok(())
    }

    /// Adds the command's own result as JSON.
    pub(super) fn json(&mut self, path: Option<&Path>) -> Result<(), Failure> {
        let Some(path) = path else { return Ok(()) };
        check(path)?;
        self.add_report("JSON", path, Box::new(Json::new(Destination::new(path))))
    }

    /// Adds what the arguments ask for of a run.
    pub(super) fn reports(&mut self, arguments: &ReportArguments) -> Result<(), Failure> {
        self.formats(&arguments.formats)?;
        let Some(path) = &arguments.events else { return Ok(()) };
        let out = Destination::new(path).open().map_err(|error| Failure::cannot_write(path, &error))?;
        self.add_report("events", path, Box::new(Ndjson::new(out, arguments.all_exchanges)))
    }

    /// The command begins.
    pub(super) fn start(&mut self, heading: &Heading) -> io::Result<()> {
        let written = self.files.start(heading);
        if self.quiet { written } else { written.and(self.terminal.start(heading)) }
    }

    /// Something has happened.
    fn event(&mut self, event: &Event) -> io::Result<()> {
        let written = self.files.event(event);
        if self.quiet { written } else { written.and(self.terminal.event(event)) }
    }

    /// Reports the outcome, and says how the process ends. The summary is printed even if a file can't be written.
    pub(super) fn finish(mut self, mut outcome: Outcome) -> Result<Exit, Failure> {
        outcome.files = self.named;
        let written = self.files.finish(&outcome);
        if self.quiet && outcome.exit() == Exit::Passed {
            written?;
        } else {
            written.and(self.terminal.finish(&outcome))?;
        }
        match &outcome.ended {
            Ended::Unreachable(Some(why)) => Err(Failure::unreachable(why)),
            Ended::Unreachable(None) | Ended::Interrupted | Ended::Completed => Ok(outcome.exit()),
        }
    }
}

/// What GitHub Actions shows, where a step of it runs the command.
fn github() -> Option<Box<dyn Reporter>> {
    let is_on = std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
    let summary = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()).map(Into::into);
    // The runner reads both streams, and standard output may be a report.
    is_on.then(|| Box::new(GitHub::new(io::stderr(), summary)) as Box<dyn Reporter>)
}

/// Finds out before the first request whether a file can be written that is written at the end.
pub(super) fn check(path: &Path) -> Result<(), Failure> {
    if Destination::new(path) == Destination::Stdout {
        return Ok(());
    }
    create_file(path).map(drop).map_err(|error| Failure::cannot_write(path, &error))
}

/// The reporters of a command that plays cases: what happens is reported as it happens, and collected.
pub(super) struct RunOutput {
    collector: Collector,
    output: Output,
    /// Whether skipped cases are fine with the user.
    allow_skipped: bool,
    count: CaseCount,
}

impl RunOutput {
    /// Nothing has happened yet.
    pub(super) fn new(verb: Verb, output: Output, allow_skipped: bool) -> Self {
        Self { collector: Collector::new(verb), output, allow_skipped, count: CaseCount::default() }
    }

    /// Takes in one event.
    pub(super) fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::RunFinished(run) if self.allow_skipped => self.report(&Event::RunFinished(without_skips(run).into())),
            Event::RunStarted(_) | Event::CaseFinished(_) | Event::RunFinished(_) => self.report(event),
        }
    }

    fn report(&mut self, event: &Event) -> io::Result<()> {
        self.collector.collect(event);
        if let Event::RunStarted(_) = event {
            self.output.start(&self.collector.heading())?;
        }
        self.output.progress.set(self.count.after(event));
        self.output.event(event)
    }

    /// Reports the outcome.
    pub(super) fn finish(self, ended: Ended) -> Result<Exit, Failure> {
        let outcome = self.collector.outcome(ended);
        self.output.finish(outcome)
    }
}

/// The end of a run for a user who has said that skipped cases are fine.
fn without_skips(run: &RunFinished) -> RunFinished {
    let mut run = run.clone();
    run.inconclusive.retain(|missing| !missing.may_be_tolerated());
    run
}
