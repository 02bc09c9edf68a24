//! Output for people: a heading, a progress line and a line per failure during a run, and a summary on one screen at the end.

mod assumed;
mod excerpt;
mod line;
mod progress;
mod summary;
mod table;

use std::io::{self, Write};

use super::Reporter;
use crate::base::text::counted;
use crate::base::verdict::{Finding, Verdict};
use crate::engine::event::{CaseFinished, Event, RunStarted};
use crate::engine::outcome::{Heading, Outcome, Tone, is_assumed, is_known};
use line::{Layout, Line};
use progress::Progress;
use summary::Summary;

#[cfg(test)]
pub(crate) use summary::MAX_LINES;

/// The most failures shown one by one as they happen; the summary groups all of them anyway.
const LIVE_FAILURES: usize = 20;

/// Options of the terminal output.
#[derive(Clone, Copy, Debug, Default)]
pub struct TerminalOptions {
    /// Whether ANSI colours are wanted.
    pub colours: bool,
    /// Whether a progress line is drawn on standard error.
    pub live: bool,
    /// Columns; 0 without a terminal.
    pub width: u16,
    /// Whether every case gets a line, every cause its facts, and no line is cut.
    pub verbose: bool,
}

/// The reporter for people.
pub struct Terminal<W> {
    out: W,
    options: TerminalOptions,
    layout: Layout,
    progress: Progress,
    started: bool,
    finished: usize,
    failed: usize,
    failures_shown: usize,
}

impl<W: Write + Send> Terminal<W> {
    /// A reporter that writes to `out`; the progress line, if any, goes to standard error.
    pub fn new(out: W, options: TerminalOptions) -> Self {
        Self {
            out,
            options,
            layout: Layout::new(options.colours, options.width, options.verbose),
            progress: Progress::hidden(),
            started: false,
            finished: 0,
            failed: 0,
            failures_shown: 0,
        }
    }

    fn run_started(&mut self, run: &RunStarted) {
        if self.options.live {
            self.progress = Progress::shown(run.cases);
        }
    }

    fn case(&mut self, case: &CaseFinished) -> io::Result<()> {
        self.finished += 1;
        self.failed += usize::from(fails(&case.verdict));
        self.progress.show(self.finished, self.failed);
        match self.line_of(case) {
            Some(line) => self.write(&[line]),
            None => Ok(()),
        }
    }

    /// The line shown when a case ends, if any.
    fn line_of(&mut self, case: &CaseFinished) -> Option<Line> {
        let (tone, word, why) = described(&case.verdict);
        let failure = matches!(case.verdict, Verdict::Failed { .. } | Verdict::NotJudged { .. });
        self.failures_shown += usize::from(failure);
        if self.options.verbose || (failure && self.failures_shown <= LIVE_FAILURES) {
            let why = if why.is_empty() { why } else { format!(": {why}") };
            return Some(Line::toned(tone, format!("{word:<WORD_WIDTH$}")).and(Tone::Plain, format!(" {}{why}", case.name)));
        }
        (failure && self.failures_shown == LIVE_FAILURES + 1)
            .then(|| Line::toned(Tone::Faint, "further failures are counted in the summary only"))
    }

    fn write(&mut self, lines: &[Line]) -> io::Result<()> {
        let text: String = lines.iter().map(|line| self.layout.render(line)).collect();
        let out = &mut self.out;
        self.progress.aside(|| out.write_all(text.as_bytes()))
    }
}

/// `verify  emulator (embedded)  N scenarios, N cases, seed 1`
fn heading_line(heading: &Heading) -> Line {
    let size = if heading.size.is_empty() { String::new() } else { format!("  {}", heading.size.join(", ")) };
    Line::toned(Tone::Strong, heading.verb.name()).and(Tone::Plain, format!("  {}{size}", heading.target))
}

fn fails(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Failed { findings } if !is_assumed(findings) && !is_known(findings))
}

/// The width of the longest word for a verdict, so that the names of cases stand in one column.
const WORD_WIDTH: usize = "not judged".len();

/// The words for a verdict: its tone, its word, and the reason.
fn described(verdict: &Verdict) -> (Tone, &'static str, String) {
    match verdict {
        Verdict::Passed => (Tone::Good, "passed", String::new()),
        Verdict::Failed { findings } if is_assumed(findings) => (Tone::Warn, "assumed", first_of(findings)),
        Verdict::Failed { findings } if is_known(findings) => (Tone::Warn, "known", first_of(findings)),
        Verdict::Failed { findings } => (Tone::Bad, "FAILED", first_of(findings)),
        Verdict::Skipped { reason } => (Tone::Faint, "skipped", reason.to_string()),
        Verdict::NotJudged { reason } => (Tone::Warn, "not judged", reason.to_string()),
    }
}

/// The first finding that counts, and how many there are.
fn first_of(findings: &[Finding]) -> String {
    let first = findings.iter().find(|f| f.counts()).or_else(|| findings.first());
    let all = if findings.len() > 1 { format!("{}, first: ", counted(findings.len(), "finding")) } else { String::new() };
    first.map(|f| format!("{all}{}", f.message)).unwrap_or_default()
}

impl<W: Write + Send> Reporter for Terminal<W> {
    fn start(&mut self, heading: &Heading) -> io::Result<()> {
        self.started = true;
        self.write(&[heading_line(heading)])?;
        self.out.flush()
    }

    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::RunStarted(run) => {
                self.run_started(run);
                Ok(())
            }
            Event::CaseFinished(case) => self.case(case),
            Event::RunFinished(_) => Ok(()),
        }
    }

    fn finish(&mut self, outcome: &Outcome) -> io::Result<()> {
        self.progress.end();
        if !self.started {
            self.start(&outcome.heading)?;
        }
        let lines = Summary { outcome, layout: self.layout, verbose: self.options.verbose }.lines();
        self.write(&lines)?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests;
