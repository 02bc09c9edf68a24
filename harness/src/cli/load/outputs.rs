//! The files of a load, and its outcome.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;

use super::super::console::Console;
use super::super::failure::Failure;
use super::super::reporters::{self, Output};
use crate::base::exit::Exit;
use crate::engine::outcome::Outcome;
use crate::load::baseline::compare;
use crate::load::merge::ResultPart;
use crate::load::result::LoadResult;
use crate::report::Page;
use crate::report::load as report;

/// Where results are written.
#[derive(Debug, Clone, Args)]
pub(super) struct OutputArguments {
    /// Writes the result as JSON (`paycheck schema load` prints its schema).
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Writes a report that any browser opens.
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,
    /// Writes a summary as k6 exports one (`k6 run --summary-export`), for what reads that.
    #[arg(long, value_name = "FILE")]
    pub(super) k6_summary: Option<PathBuf>,
}

impl OutputArguments {
    /// All output files.
    pub(super) fn files(&self) -> [Option<&Path>; 3] {
        [&self.json, &self.html, &self.k6_summary].map(Option::as_deref)
    }
}

/// Checks before the first request that everything can be written.
pub(super) fn check(outputs: &OutputArguments) -> Result<(), Failure> {
    outputs.files().into_iter().flatten().try_for_each(reporters::check)
}

/// Reads the result of an earlier run.
pub(super) fn read(path: &Path) -> Result<LoadResult, Failure> {
    report::read(&bytes_of(path)?, &path.display().to_string()).map_err(Failure::invalid)
}

/// Reads the result of a part that is to be merged.
pub(super) fn read_part(path: &Path) -> Result<ResultPart, Failure> {
    let file = path.display().to_string();
    let result = report::read_part(&bytes_of(path)?, &file).map_err(Failure::invalid)?;
    Ok(ResultPart { file, result })
}

fn bytes_of(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|e| Failure::invalid(format!("{} can't be read: {e}", path.display())))
}

/// Writes the files of a result and reports its outcome; `lost` is why a log that was written meanwhile is incomplete.
pub(super) fn finish(
    mut outcome: Outcome,
    result: LoadResult,
    baseline: Option<&LoadResult>,
    outputs: &OutputArguments,
    lost: Option<io::Error>,
    console: &Console,
) -> Result<Exit, Failure> {
    let comparison = baseline.map(|before| compare(before, &result));
    outcome.sections.extend(comparison.as_ref().map(report::baseline));
    let mut output = Output::new(console, false);
    output.remember(lost);
    output.json(outputs.json.as_deref())?;
    if let Some(path) = &outputs.html {
        let page = report::html(&result, baseline);
        let page = page.map_err(|error| Failure::internal(format!("the HTML report can't be made: {error}")))?;
        output.add("HTML", path, Page::new(path.clone(), page));
    }
    if let Some(path) = &outputs.k6_summary {
        let summary = report::k6(&result).map_err(|error| Failure::internal(format!("the summary can't be made: {error}")))?;
        output.add("k6", path, Page::new(path.clone(), summary));
    }
    outcome.document = Some(Box::new(result));
    output.finish(outcome)
}
