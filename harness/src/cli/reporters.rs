//! From arguments to reporters, and from an outcome to the exit code: the way that every command ends.

use std::io::{self, Stdout};
use std::path::Path;

use super::arguments::ReportArguments;
use super::console::Console;
use super::failure::Failure;
use super::progress::{CaseCount, Progress};
use crate::base::exit::Exit;
use crate::base::output::create_file;
use crate::engine::event::{Event, RunFinished};
use crate::engine::outcome::{Collector, Ended, Heading, Outcome, OutputFile, Verb};
use crate::report::{Json, Junit, JunitOptions, Ndjson, Reporter, Reporters, Terminal};

/// The reporters of a command.
pub(super) struct Output {
    files: Reporters,
    named: Vec<OutputFile>,
    terminal: Terminal<Stdout>,
    /// Whether the terminal hears only of what is wrong, at the end.
    quiet: bool,
    progress: Progress,
}

impl Output {
    /// The terminal alone.
    pub(super) fn new(console: &Console, verbose: bool) -> Self {
        let terminal = Terminal::new(io::stdout(), console.options(verbose));
        Self { files: Reporters(Vec::new()), named: Vec::new(), terminal, quiet: console.quiet, progress: console.progress.clone() }
    }

    /// Adds a reporter that writes a file.
    pub(super) fn add(&mut self, label: &'static str, path: &Path, reporter: impl Reporter + 'static) {
        self.named.push(OutputFile { label, path: path.to_owned() });
        self.files.0.push(Box::new(reporter));
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
            let file = create_file(path).map_err(|error| Failure::cannot_write(path, &error))?;
            self.add("events", path, Ndjson::new(file, arguments.all_exchanges));
        }
        Ok(())
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

/// Finds out before the first request whether a file can be written that is written at the end.
pub(super) fn check(path: &Path) -> Result<(), Failure> {
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
