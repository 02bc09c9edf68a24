//! `paycheck load merge`: the results of all shards, put together.

use super::super::{Console, Failure, inputs};
use super::arguments::MergeArguments;
use super::outputs;
use crate::contract::Contracts;
use crate::exit::Exit;
use crate::load::merge::{Part, merge};
use crate::load::result::{LoadResult, ThresholdResult};
use crate::load::{profile, threshold, verdict};

/// Reads the results, puts them together, and tells of the whole as of one run.
pub(super) fn run(arguments: &MergeArguments, console: &Console) -> Result<Exit, Failure> {
    let contracts = inputs::contracts(None)?;
    let baseline = arguments.baseline.as_deref().map(outputs::read).transpose()?;
    outputs::check(&arguments.outputs)?;
    let part = |path: &std::path::PathBuf| Ok(Part { file: path.display().to_string(), result: outputs::read(path)? });
    let parts = arguments.results.iter().map(part).collect::<Result<Vec<_>, Failure>>()?;
    let rules: Vec<String> =
        parts.first().map(|part| part.result.thresholds.iter().map(|rule| rule.rule.clone()).collect()).unwrap_or_default();
    let merged = merge(parts, |result| thresholds(&rules, result, &contracts), verdict::verdict);
    let result = merged.map_err(|e| Failure::Other(Exit::InvalidInput, e.to_string()))?;
    outputs::tell(&result, &result, baseline.as_ref(), &arguments.outputs, console)?;
    Ok(verdict::exit(&result))
}

/// The rules that the shards were held to, held against the whole.
fn thresholds(rules: &[String], result: &LoadResult, contracts: &Contracts) -> Vec<ThresholdResult> {
    let judged = rules.iter().flat_map(|rule| match profile::drift_of(rule) {
        Some(factor) => vec![threshold::drift(&result.timeline, factor)],
        None => threshold::evaluate(&profile::rule(rule, contracts).into_iter().collect::<Vec<_>>(), result),
    });
    judged.collect()
}
