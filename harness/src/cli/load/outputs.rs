//! What is told of a load, and where.

use std::path::Path;

use super::super::verify::print;
use super::super::{Console, Failure, reports};
use super::arguments::OutputArguments;
use crate::exit::Exit;
use crate::load::baseline::compare;
use crate::load::report::{self, SummaryOptions};
use crate::load::result::LoadResult;
use crate::report::{create_file, write_whole};

/// That everything can be written is found out before the first request.
pub(super) fn check(outputs: &OutputArguments) -> Result<(), Failure> {
    for path in [&outputs.json, &outputs.html].into_iter().flatten() {
        create_file(path).map_err(|e| reports::cannot_write(path, &e))?;
    }
    Ok(())
}

/// Reads the result of an earlier run.
pub(super) fn read(path: &Path) -> Result<LoadResult, Failure> {
    let invalid = |message: String| Failure::Other(Exit::InvalidInput, message);
    let bytes = std::fs::read(path).map_err(|e| invalid(format!("{} can't be read: {e}", path.display())))?;
    report::read(&bytes, &path.display().to_string()).map_err(|e| invalid(e.to_string()))
}

/// Writes the files of a result and prints its summary; of a part what it comes to alone is `shown`.
pub(super) fn tell(
    result: &LoadResult,
    shown: &LoadResult,
    baseline: Option<&LoadResult>,
    outputs: &OutputArguments,
    console: &Console,
) -> Result<(), Failure> {
    let comparison = baseline.map(|before| compare(before, result));
    let mut details = Vec::new();
    let internal = |what: &str, error: String| Failure::Other(Exit::Internal, format!("{what} can't be made: {error}"));
    if let Some(path) = &outputs.json {
        let json = report::write(result).map_err(|e| internal("the JSON result", e.to_string()))?;
        write_whole(path, &json)?;
        details.push(format!("JSON: {}", path.display()));
    }
    if let Some(path) = &outputs.html {
        let page = report::html(result, comparison.as_ref()).map_err(|e| internal("the HTML report", e.to_string()))?;
        write_whole(path, page.as_bytes())?;
        details.push(format!("HTML: {}", path.display()));
    }
    let options = SummaryOptions { colours: console.colours, width: console.width, details, comparison: comparison.as_ref() };
    print(report::summary(shown, &options).trim_end())
}
