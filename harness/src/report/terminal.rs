//! What a person sees: a progress line while it runs, a line per failure, one screen at the end.

mod progress;
pub(crate) mod style;
mod summary;

use std::io::{self, Write};

use super::findings::{Findings, only_assumed, only_known};
use super::{Reporter, Tally};
use crate::event::{Event, InstanceFinished, RunStarted};
use crate::verdict::{Finding, Verdict};
use progress::Progress;
use style::{Line, Style, Tone};
use summary::Summary;

/// Failures shown one by one as they happen; the summary groups all of them anyway.
const LINES_AS_IT_HAPPENS: usize = 20;

/// How the terminal is written.
#[derive(Clone, Debug, Default)]
pub struct TerminalOptions {
    /// Whether ANSI colours are wanted.
    pub colours: bool,
    /// Whether a progress line is drawn on standard error.
    pub live: bool,
    /// Columns; 0 if unknown.
    pub width: u16,
    /// Lines telling where the whole story is: `junit: target/paycheck/junit.xml`.
    pub details: Vec<String>,
    /// Whether instances that hold and those that were skipped get a line, too.
    pub verbose: bool,
}

/// The reporter for people.
pub struct Terminal<W> {
    out: W,
    options: TerminalOptions,
    style: Style,
    progress: Progress,
    started: Option<RunStarted>,
    findings: Findings,
    reasons: summary::Reasons,
    tally: Tally,
    failures_told: usize,
}

impl<W: Write + Send> Terminal<W> {
    /// A reporter that writes to `out`; the progress line, if any, goes to standard error.
    pub fn new(out: W, options: TerminalOptions) -> Self {
        Self {
            out,
            style: Style::new(options.colours, options.width),
            progress: Progress::hidden(),
            options,
            started: None,
            findings: Findings::default(),
            reasons: summary::Reasons::default(),
            tally: Tally::default(),
            failures_told: 0,
        }
    }

    fn start(&mut self, started: &RunStarted) -> io::Result<()> {
        self.started = Some(started.clone());
        self.write(&[summary::opening(started)])?;
        if self.options.live {
            self.progress = Progress::shown(started.instances);
        }
        Ok(())
    }

    fn instance(&mut self, instance: &InstanceFinished) -> io::Result<()> {
        self.findings.take(instance);
        self.reasons.take(&instance.verdict);
        self.progress.show(self.tally.reported(), self.tally.failed());
        match self.line_of(instance) {
            Some(line) => self.write(&[line]),
            None => Ok(()),
        }
    }

    /// The line an instance gets as it happens, if any.
    fn line_of(&mut self, instance: &InstanceFinished) -> Option<Line> {
        let (tone, word, why) = told(&instance.verdict);
        let failure = matches!(instance.verdict, Verdict::Failed { .. } | Verdict::Broken { .. });
        self.failures_told += usize::from(failure);
        if self.options.verbose || (failure && self.failures_told <= LINES_AS_IT_HAPPENS) {
            let why = if why.is_empty() { why } else { format!(": {why}") };
            return Some(Line::toned(tone, format!("{word:<7}")).and(Tone::Plain, format!(" {}{why}", instance.name)));
        }
        (failure && self.failures_told == LINES_AS_IT_HAPPENS + 1)
            .then(|| Line::toned(Tone::Faint, "further failures are counted in the summary only".into()))
    }

    fn finish(&mut self, run: &crate::event::RunFinished) -> io::Result<()> {
        self.progress.end();
        let summary = Summary {
            started: self.started.as_ref(),
            run,
            findings: &self.findings,
            reasons: &self.reasons,
            tally: &self.tally,
            details: &self.options.details,
            width: self.style.width(),
        };
        let lines = summary.lines();
        self.write(&lines)?;
        self.out.flush()
    }

    fn write(&mut self, lines: &[Line]) -> io::Result<()> {
        let text: String = lines.iter().map(|line| self.style.render(line) + "\n").collect();
        let out = &mut self.out;
        self.progress.aside(|| out.write_all(text.as_bytes()))
    }
}

/// How the end of an instance is told: its tone, its word, and why.
fn told(verdict: &Verdict) -> (Tone, &'static str, String) {
    match verdict {
        Verdict::Passed => (Tone::Good, "passed", String::new()),
        Verdict::Failed { findings } if only_assumed(findings) => (Tone::Warn, "assumed", first_of(findings)),
        Verdict::Failed { findings } if only_known(findings) => (Tone::Warn, "known", first_of(findings)),
        Verdict::Failed { findings } => (Tone::Bad, "FAILED", first_of(findings)),
        Verdict::Skipped { reason } => (Tone::Faint, "skipped", reason.clone()),
        Verdict::Broken { reason } => (Tone::Warn, "BROKEN", reason.clone()),
    }
}

/// The first finding that counts, and how many there are besides.
fn first_of(findings: &[Finding]) -> String {
    let first = findings.iter().find(|f| f.counts()).or_else(|| findings.first());
    let more = if findings.len() > 1 { format!("(+{}) ", findings.len() - 1) } else { String::new() };
    first.map(|f| format!("{more}{}", f.message)).unwrap_or_default()
}

impl<W: Write + Send> Reporter for Terminal<W> {
    fn take(&mut self, event: &Event) -> io::Result<()> {
        self.tally.take(event);
        match event {
            Event::RunStarted(started) => self.start(started),
            Event::InstanceFinished(instance) => self.instance(instance),
            Event::RunFinished(run) => self.finish(run),
        }
    }
}

#[cfg(test)]
mod tests;
