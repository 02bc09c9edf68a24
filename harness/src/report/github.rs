//! Output for GitHub Actions: annotations beside the lines of scenarios, and the step's summary.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;

use super::Reporter;
use super::markdown::markdown;
use crate::base::text::{bounded, clean};
use crate::engine::outcome::{Cause, Missing, Outcome, Weight};

/// GitHub shows no more annotations of one kind and step.
const MAX_ANNOTATIONS: usize = 10;
/// The longest message.
const MAX_MESSAGE_BYTES: usize = 2 * 1024;

/// Prints annotations, and adds to the step's summary.
pub struct GitHub<W> {
    out: W,
    summary: Option<PathBuf>,
}

impl<W: Write + Send> GitHub<W> {
    /// A reporter that prints to `out`, where the runner reads it, and adds to the file that the runner names.
    pub fn new(out: W, summary: Option<PathBuf>) -> Self {
        Self { out, summary }
    }
}

impl<W: Write + Send> Reporter for GitHub<W> {
    fn finish(&mut self, outcome: &Outcome) -> io::Result<()> {
        for cause in outcome.causes.iter().filter(|cause| cause.weight == Weight::Fails).take(MAX_ANNOTATIONS) {
            writeln!(self.out, "{}", error(cause))?;
        }
        for missing in outcome.missing.iter().take(MAX_ANNOTATIONS) {
            writeln!(self.out, "{}", warning(missing))?;
        }
        self.out.flush()?;
        let Some(path) = &self.summary else { return Ok(()) };
        // The file is shared by all commands of a step.
        let add =
            || OpenOptions::new().create(true).append(true).open(path).and_then(|mut file| writeln!(file, "{}", markdown(outcome, true)));
        add().map_err(|error| io::Error::new(error.kind(), format!("{} (GITHUB_STEP_SUMMARY) cannot be written: {error}", path.display())))
    }
}

fn error(cause: &Cause) -> String {
    let step = cause.evidence.as_ref().and_then(|evidence| evidence.finding.step.as_ref());
    let place = step.and_then(|step| Some((property(step.file()), step.line_and_column()?)));
    let place = place.map(|(file, (line, column))| format!("file={file},line={line},col={column},")).unwrap_or_default();
    let rule = cause.evidence.as_ref().and_then(|evidence| evidence.rule.as_ref());
    let rule = rule.map(|rule| format!("\n{} ({})", rule.says, rule.source())).unwrap_or_default();
    let message = bounded(&format!("{}{rule}\n{}", cause.message, cause.seen), MAX_MESSAGE_BYTES);
    format!("::error {place}title={}::{}", property(&cause.name), data(&message))
}

fn warning(missing: &Missing) -> String {
    format!("::warning title=paycheck::{}", data(&bounded(&missing.to_string(), MAX_MESSAGE_BYTES)))
}

/// A text of several lines, escaped for a workflow command, so that a target's text begins no other command.
fn data(text: &str) -> String {
    text.lines().map(|line| clean(line).replace('%', "%25")).collect::<Vec<_>>().join("%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
