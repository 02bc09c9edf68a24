//! Merges the results of one load that was split over several processes, exactly.
//!
//! Counts and histograms are added, and everything that follows from them is computed again. So the result equals that of one process
//! with the whole load. Rates and thresholds are never averaged.

mod add;
mod error;
mod findings;
mod part;
mod starts;
mod timeline;
mod times;

#[cfg(test)]
mod sums;
#[cfg(test)]
mod tests;

pub use self::error::MergeError;
pub use self::part::ResultPart;
use self::starts::Starts;

use super::partial::marked;
use super::result::{Early, LoadResult, LoadVerdict, Shards, ThresholdResult};

/// Merges the parts of one load, in any order. `thresholds` evaluates the profile's thresholds on the sums, then `judge` returns verdict
/// and reasons. A part that is missing is for `judge` to notice: the result lists those that are there.
///
/// # Errors
/// When there is no part, when the parts are of different loads, when a part occurs twice, or when a histogram can't be read.
pub fn merge(
    mut parts: Vec<ResultPart>,
    thresholds: impl FnOnce(&LoadResult) -> Vec<ThresholdResult>,
    judge: impl FnOnce(&LoadResult) -> (LoadVerdict, Vec<String>),
) -> Result<LoadResult, MergeError> {
    parts.sort_by(|one, other| one.result.shards.parts.cmp(&other.result.shards.parts));
    error::check(&parts)?;
    let mut result = sum(&parts)?;
    result.thresholds = thresholds(&result);
    (result.verdict, result.reasons) = judge(&result);
    Ok(result)
}

/// The first part with all others added to it.
fn sum(parts: &[ResultPart]) -> Result<LoadResult, MergeError> {
    let (first, rest) = parts.split_first().ok_or(MergeError::Nothing)?;
    let mut sum = first.result.clone();
    for part in rest {
        add::add(&mut sum, &part.result);
    }
    times::add_up(&mut sum, parts)?;
    sum.shards.parts.sort_unstable();
    add::rates(&mut sum);
    let starts = Starts::read(parts)?;
    sum.started = starts.earliest().ok_or(MergeError::Nothing)?;
    sum.ended_early = ended_early(parts);
    sum.generator.limit = limit(parts, starts.apart());
    sum.findings = findings::grouped(parts);
    sum.timeline = marked(timeline::of_all(parts)?, sum.seconds);
    for operation in &mut sum.operations {
        operation.timeline = timeline::of_operation(parts, &operation.operation, sum.seconds)?;
    }
    Ok(sum)
}

/// Why the load ended early: of several reasons the killswitch comes first, then a lost end, then an interruption.
fn ended_early(parts: &[ResultPart]) -> Option<Early> {
    let ended = |wanted: &Early| parts.iter().any(|part| part.result.ended_early.as_ref() == Some(wanted));
    [Early::Unreachable, Early::Killswitch, Early::Unfinished, Early::Interrupted].into_iter().find(ended)
}

/// Why generators were the limit; `apart` says that they did not load together.
fn limit(parts: &[ResultPart], apart: Option<String>) -> Option<String> {
    let said =
        parts.iter().filter_map(|part| Some(format!("{}: {}", part.result.shards.described(), part.result.generator.limit.as_ref()?)));
    Some(said.chain(apart).collect::<Vec<_>>().join("; ")).filter(|all| !all.is_empty())
}

impl Shards {
    /// `part 2`, `parts 2 and 5`, `parts 2, 5 and 7`; beyond ten the rest is counted.
    fn described(&self) -> String {
        const SHOWN: usize = 10;
        let mut words: Vec<String> = self.parts.iter().take(SHOWN).map(u32::to_string).collect();
        if self.parts.len() > SHOWN {
            words.push(format!("{} more", self.parts.len() - SHOWN));
        }
        match words.split_last() {
            Some((last, [])) => format!("part {last}"),
            Some((last, others)) => format!("parts {} and {last}", others.join(", ")),
            None => "no part".to_owned(),
        }
    }
}
