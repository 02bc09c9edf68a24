//! From arguments to reporters, and from an outcome to the exit code: the end of every command.

use std::io::{self, Write};
use std::path::Path;

use super::arguments::ReportArguments;
use super::console::Console;
use super::failure::Failure;
use super::formats::FormatArguments;
use super::progress::{CaseCount, Progress};
use super::separate::step_summary;
use crate::base::exit::Exit;
use crate::base::output::{self, StreamFile};
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
    /// Why files are incomplete, each reason once. It ends these files alone.
    lost: Vec<String>,
    /// Whether the terminal shows only problems, at the end.
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
        Self { files, named: Vec::new(), terminal, options, lost: Vec::new(), quiet, progress }
    }

    /// Files alone: the command prints something else.
    pub(super) fn to_files(console: &Console) -> Self {
        let terminal: Terminal<Box<dyn Write + Send>> = Terminal::new(Box::new(io::sink()), console.options(false));
        Self { terminal, ..Self::new(console, false) }
    }

    /// Adds a reporter that writes a file.
    pub(super) fn add(&mut self, label: &'static str, path: &Path, reporter: impl Reporter + 'static) {
        self.add_boxed(label, path, Box::new(reporter));
    }

    fn add_boxed(&mut self, label: &'static str, path: &Path, reporter: Box<dyn Reporter>) {
        if output::is_standard_output(path) {
            // The report uses standard output.
            self.terminal = Terminal::new(Box::new(io::stderr()), TerminalOptions { colours: false, live: false, ..self.options });
        }
        self.named.push(OutputFile { label, path: path.to_owned() });
        self.files.0.push(reporter);
    }

    /// Names a file that the command has written itself.
    pub(super) fn written(&mut self, label: &'static str, path: &Path) {
        self.named.push(OutputFile { label, path: path.to_owned() });
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

    /// Adds the reports that the arguments request.
    pub(super) fn formats<const PLAYS: bool>(&mut self, arguments: &FormatArguments<PLAYS>) -> Result<(), Failure> {
        for (format, path) in &arguments.chosen {
            check(path)?;
            let options = FormatOptions { to: path.clone(), timings: arguments.timings };
            let reporter = (format.reporter)(options).map_err(Failure::invalid)?;
            self.add_boxed(format.label, path, reporter);
        }
        Ok(())
    }

    /// Adds the command's own result as JSON.
    pub(super) fn json(&mut self, path: Option<&Path>) -> Result<(), Failure> {
        let Some(path) = path else { return Ok(()) };
        check(path)?;
        self.add("JSON", path, Json::new(path));
        Ok(())
    }

    /// Adds the run's reports that the arguments request.
    pub(super) fn reports(&mut self, arguments: &ReportArguments) -> Result<(), Failure> {
        self.formats(&arguments.formats)?;
        if let Some(path) = &arguments.events {
            self.stream("events", path, |file| Ndjson::new(file, arguments.all_exchanges))?;
        }
        Ok(())
    }

    /// Reports that the command begins.
    pub(super) fn start(&mut self, heading: &Heading) -> io::Result<()> {
        let lost = self.files.start(heading);
        self.remember(lost);
        if self.quiet { Ok(()) } else { self.terminal.start(heading) }
    }

    /// Reports an event.
    fn event(&mut self, event: &Event) -> io::Result<()> {
        let lost = self.files.event(event);
        self.remember(lost);
        if self.quiet { Ok(()) } else { self.terminal.event(event) }
    }

    /// Remembers what could not be written: the command ends with it, after the summary.
    pub(super) fn remember(&mut self, lost: impl IntoIterator<Item = io::Error>) {
        for reason in lost.into_iter().map(|error| error.to_string()) {
            // A stream that is lost says so at each further event.
            if !self.lost.contains(&reason) {
                self.lost.push(reason);
            }
        }
    }

    /// Reports the outcome and returns the exit. The summary is printed even if a file cannot be written.
    pub(super) fn finish(mut self, mut outcome: Outcome) -> Result<Exit, Failure> {
        outcome.files = std::mem::take(&mut self.named);
        let lost = self.files.finish(&outcome);
        self.remember(lost);
        if !(self.quiet && outcome.exit() == Exit::Passed) {
            self.terminal.finish(&outcome)?;
        }
        if !self.lost.is_empty() {
            return Err(Failure::internal(self.lost.join("\nerror: ")));
        }
        match &outcome.ended {
            Ended::Unreachable(Some(why)) => Err(Failure::unreachable(why)),
            Ended::Unreachable(None) | Ended::Interrupted | Ended::Completed => Ok(outcome.exit()),
        }
    }
}

/// The reporter for GitHub Actions, if a step of it runs the command.
fn github() -> Option<Box<dyn Reporter>> {
    let is_on = std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
    let summary = step_summary();
    // The runner reads both streams, and standard output may be a report.
    is_on.then(|| Box::new(GitHub::new(io::stderr(), summary)) as Box<dyn Reporter>)
}

/// Checks before the first request that a file can be written at the end.
pub(super) fn check(path: &Path) -> Result<(), Failure> {
    output::check(path).map_err(Failure::invalid)
}

/// Completes a file after its reporter has written it.
struct Completing(StreamFile);

impl Reporter for Completing {
    fn finish(&mut self, _: &Outcome) -> io::Result<()> {
        self.0.complete()
    }
}

/// The reporters of a command that plays cases: events are reported as they happen, and collected.
pub(super) struct RunOutput {
    collector: Collector,
    output: Output,
    /// Whether the user tolerates skipped cases.
    allow_skipped: bool,
    count: CaseCount,
}

impl RunOutput {
    /// The output before the first event.
    pub(super) fn new(verb: Verb, output: Output, allow_skipped: bool) -> Self {
        Self { collector: Collector::new(verb), output, allow_skipped, count: CaseCount::default() }
    }

    /// Reports and collects one event.
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
        self.finish_advising(ended, |_| None)
    }

    /// Reports the outcome, with what the user can do about it.
    pub(super) fn finish_advising(self, ended: Ended, advice: impl FnOnce(&Outcome) -> Option<String>) -> Result<Exit, Failure> {
        let mut outcome = self.collector.outcome(ended);
        outcome.advice = advice(&outcome);
        self.output.finish(outcome)
    }
}

/// The end of a run for a user who tolerates skipped cases.
fn without_skips(run: &RunFinished) -> RunFinished {
    let mut run = run.clone();
    run.inconclusive.retain(|missing| !missing.may_be_tolerated());
    run
}
