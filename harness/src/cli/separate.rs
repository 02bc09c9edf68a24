//! Ensures that a command's inputs and outputs are different files.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::failure::Failure;
use crate::base::output::clash;

/// The file that options were read from, before any command ran.
static OPTIONS: OnceLock<PathBuf> = OnceLock::new();

/// Notes a file that the process reads, whatever its command.
pub(super) fn note_options(file: &Path) {
    OPTIONS.get_or_init(|| file.to_owned());
}

/// Where GitHub Actions takes a summary from, to which every report in a step of it is added.
pub(super) fn step_summary() -> Option<PathBuf> {
    std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Refuses outputs that are inputs or each other, before anything is opened.
pub(super) fn separate<'p>(
    inputs: impl IntoIterator<Item = &'p Path>,
    outputs: impl IntoIterator<Item = Option<&'p Path>>,
) -> Result<(), Failure> {
    let read: Vec<PathBuf> = inputs.into_iter().map(Path::to_path_buf).chain(OPTIONS.get().cloned()).collect();
    let written: Vec<PathBuf> = outputs.into_iter().flatten().map(Path::to_path_buf).chain(step_summary()).collect();
    let [read, written] = [&read, &written].map(|paths| paths.iter().map(PathBuf::as_path).collect::<Vec<_>>());
    clash(&read, &written).map_or(Ok(()), |clash| Err(Failure::invalid(clash)))
}
