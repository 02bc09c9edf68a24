//! Ensures that a command's inputs and outputs are different files.

use std::path::Path;

use super::failure::Failure;
use crate::base::output::clash;

/// Refuses outputs that are inputs or each other, before anything is opened.
pub(super) fn separate<'p>(
    inputs: impl IntoIterator<Item = &'p Path>,
    outputs: impl IntoIterator<Item = Option<&'p Path>>,
) -> Result<(), Failure> {
    let inputs: Vec<&Path> = inputs.into_iter().collect();
    let outputs: Vec<&Path> = outputs.into_iter().flatten().collect();
    clash(&inputs, &outputs).map_or(Ok(()), |clash| Err(Failure::invalid(clash)))
}
