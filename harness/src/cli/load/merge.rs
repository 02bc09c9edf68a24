//! `paycheck load merge`: the results of all shards, merged.

use std::path::PathBuf;

use clap::Args;

use super::super::console::Console;
use super::super::failure::Failure;
use super::super::separate::separate;
use super::outputs::{self, OutputArguments};
use crate::base::exit::Exit;
use crate::load::merge::merge;
use crate::load::{threshold, verdict};
use crate::report::load as report;

#[derive(Debug, Clone, Args)]
pub(super) struct MergeArguments {
    /// The results of the parts: what --json of each wrote. A missing part makes the result inconclusive.
    #[arg(value_name = "RESULT", required = true)]
    pub(super) results: Vec<PathBuf>,
    /// Compares with the result of an earlier run.
    #[arg(long, value_name = "FILE")]
    pub(super) baseline: Option<PathBuf>,
    #[command(flatten)]
    pub(super) outputs: OutputArguments,
}

/// Reads the results, merges them, and reports them as one run.
pub(super) fn run(arguments: &MergeArguments, console: &Console) -> Result<Exit, Failure> {
    let read = arguments.results.iter().chain(&arguments.baseline).map(PathBuf::as_path);
    separate(read, arguments.outputs.files())?;
    let baseline = arguments.baseline.as_deref().map(outputs::read).transpose()?;
    outputs::check(&arguments.outputs)?;
    let parts = arguments.results.iter().map(|path| outputs::read_part(path)).collect::<Result<Vec<_>, Failure>>()?;
    let recorded = parts.first().map(|part| part.result.thresholds.clone()).unwrap_or_default();
    let merged = merge(parts, |result| threshold::evaluate_recorded(&recorded, result), verdict::verdict);
    let result = merged.map_err(Failure::invalid)?;
    outputs::finish(report::outcome(&result, false), result, baseline.as_ref(), &arguments.outputs, None, console)
}
