//! From arguments to reporters, and from an outcome to the exit code: the way that every command ends.

use std::io::{self, Write};
use std::path::Path;

use super::arguments::ReportArguments;
use super::console::Console;
use super::failure::Failure;
use crate::base::exit::Exit;
use crate::base::output::{self, StreamFile};
use crate::engine::event::{Event, RunFinished};
use crate::engine::outcome::{Collector, Ended, Heading, Outcome, OutputFile, Verb};
use crate::report::{Json, Junit, JunitOptions, Ndjson, Reporter, Reporters, Terminal, TerminalOptions};

/// The reporters of a command.
pub(super) struct Output {
    files: Reporters,
    named: Vec<OutputFile>,
    terminal: Terminal<Box<dyn Write + Send>>,
    console: TerminalOptions,
    /// Why a file is not whole. It ends that file alone.
    lost: Option<io::Error>,
}

impl Output {
    /// The terminal alone.
    pub(super) fn new(console: &Console, verbose: bool) -> Self {
        let console = console.options(verbose);
        let terminal: Terminal<Box<dyn Write + Send>> = Terminal::new(Box::new(io::stdout()), console);
        Self { files: Reporters(Vec::new()), named: Vec::new(), terminal, console, lost: None }
    }

    /// Adds a reporter that writes a file.
    pub(super) fn add(&mut self, label: &'static str, path: &Path, reporter: impl Reporter + 'static) {
        if output::is_standard_output(path) {
            // The report has standard output for itself.
            self.terminal = Terminal::new(Box::new(io::stderr()), TerminalOptions { colours: false, live: false, ..self.console });
        }
        self.named.push(OutputFile { label, path: path.to_owned() });
        self.files.0.push(Box::new(reporter));
    }

    /// Adds a reporter that writes a file as the run goes on.
    pub(super) fn stream<R>(&mut self, label: &'static str, path: &Path, reporter: impl FnOnce(StreamFile) -> R) -> Result<(), Failure>
    where
        R: Reporter + 'static,
    {
        let file = StreamFile::new(path).map_err(Failure::invalid)?;
        self.add(label, path, reporter(file.clone()));
        self.files.0.push(Box::new(Completing(file)));
        Ok(())
    }

    /// Adds a JUnit report.
    pub(super) fn junit(&mut self, path: Option<&Path>, timings: bool) -> Result<(), Failure> {
        let Some(path) = path else { return Ok(()) };
        check(path)?;
        self.add("JUnit", path, Junit::new(JunitOptions { path: path.to_owned(), timings }));
        Ok(())
    }

    /// Adds the command's own result as JSON.
    pub(super) fn json(&mut self, path: Option<&Path>) -> Result<(), Failure> {
        let Some(path) = path else { return Ok(()) };
        check(path)?;
        self.add("JSON", path, Json::new(path.to_owned()));
        Ok(())
    }

    /// Adds what the arguments ask for of a run.
    pub(super) fn reports(&mut self, arguments: &ReportArguments) -> Result<(), Failure> {
        self.junit(arguments.junit.as_deref(), arguments.timings)?;
        if let Some(path) = &arguments.events {
            self.stream("events", path, |file| Ndjson::new(file, arguments.all_exchanges))?;
        }
        Ok(())
    }

    /// The command begins.
    pub(super) fn start(&mut self, heading: &Heading) -> io::Result<()> {
        let written = self.files.start(heading);
        self.remember(written);
        self.terminal.start(heading)
    }

    /// Something happened.
    fn event(&mut self, event: &Event) -> io::Result<()> {
        let written = self.files.event(event);
        self.remember(written);
        self.terminal.event(event)
    }

    fn remember(&mut self, written: io::Result<()>) {
        self.lost = self.lost.take().or(written.err());
    }

    /// Reports the outcome, and says how the process ends. The summary is printed even if a file can't be written.
    pub(super) fn finish(mut self, mut outcome: Outcome) -> Result<Exit, Failure> {
        outcome.files = std::mem::take(&mut self.named);
        let written = self.files.finish(&outcome);
        self.remember(written);
        self.terminal.finish(&outcome)?;
        if let Some(error) = self.lost {
            return Err(Failure::internal(error));
        }
        match &outcome.ended {
            Ended::Unreachable(Some(why)) => Err(Failure::unreachable(why)),
            Ended::Unreachable(None) | Ended::Interrupted | Ended::Completed => Ok(outcome.exit()),
        }
    }
}

/// Finds out before the first request whether a file can be written that is written at the end.
pub(super) fn check(path: &Path) -> Result<(), Failure> {
    output::check(path).map_err(Failure::invalid)
}

/// Completes a file when its reporter has written the last of it.
struct Completing(StreamFile);

impl Reporter for Completing {
    fn finish(&mut self, _: &Outcome) -> io::Result<()> {
        self.0.complete()
    }
}

/// The reporters of a command that plays cases: what happens is reported as it happens, and collected.
pub(super) struct RunOutput {
    collector: Collector,
    output: Output,
    /// Whether skipped cases are fine with the user.
    allow_skipped: bool,
}

impl RunOutput {
    /// Nothing has happened yet.
    pub(super) fn new(verb: Verb, output: Output, allow_skipped: bool) -> Self {
        Self { collector: Collector::new(verb), output, allow_skipped }
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
