//! Results of one load that was split over several processes, put together exactly.
//!
//! Counts are added, histograms are added, and what follows from them is worked out again; so the result is
//! that of one process that had done it all. Rates and thresholds are never averaged.

mod add;
mod error;
mod findings;
mod timeline;

#[cfg(test)]
mod tests;

pub use self::error::MergeError;

use super::result::{Early, LoadResult, LoadVerdict, Shards, ThresholdResult};

/// A result and where it was read from: a path, for messages.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The file's path as the user typed it.
    pub file: String,
    /// What is in it.
    pub result: LoadResult,
}

/// Puts the parts of one load together; their order does not matter. `thresholds` evaluates the profile's
/// thresholds on the numbers of all, `judge` tells verdict and reasons when these are in the result. Where parts
/// are missing that is one of the reasons, and the verdict is not better than inconclusive.
///
/// # Errors
/// When there is no part, when they are not of one load, when one is there twice, or when a histogram can't be read.
pub fn merge(
    mut parts: Vec<Part>,
    thresholds: impl FnOnce(&LoadResult) -> Vec<ThresholdResult>,
    judge: impl FnOnce(&LoadResult) -> (LoadVerdict, Vec<String>),
) -> Result<LoadResult, MergeError> {
    parts.sort_by(|one, other| one.result.shards.parts.cmp(&other.result.shards.parts));
    error::check(&parts)?;
    let mut result = sum(&parts)?;
    result.thresholds = thresholds(&result);
    (result.verdict, result.reasons) = judge(&result);
    if let Some(reason) = result.shards.incomplete() {
        if result.verdict == LoadVerdict::Passed {
            result.verdict = LoadVerdict::Inconclusive;
        }
        if !result.reasons.contains(&reason) {
            result.reasons.push(reason);
        }
    }
    Ok(result)
}

/// The first part with all others added to it.
fn sum(parts: &[Part]) -> Result<LoadResult, MergeError> {
    let (first, rest) = parts.split_first().ok_or(MergeError::Nothing)?;
    let mut sum = first.result.clone();
    for part in rest {
        // All can be read, as was checked; so this names a file for form's sake.
        add::add(&mut sum, &part.result).map_err(|error| MergeError::Unreadable {
            file: part.file.clone(),
            what: "all parts".to_owned(),
            error,
        })?;
    }
    sum.shards.parts.sort_unstable();
    add::rates(&mut sum);
    sum.started = error::earliest(parts)?;
    sum.ended_early = ended_early(parts);
    sum.generator.limit = limit(parts);
    sum.findings = findings::grouped(parts);
    sum.timeline = timeline::overlaid(parts)?;
    Ok(sum)
}

/// A killswitch says more than that somebody did not want to wait.
fn ended_early(parts: &[Part]) -> Option<Early> {
    let ends = || parts.iter().filter_map(|part| part.result.ended_early.as_ref());
    ends().find(|early| **early == Early::Killswitch).or_else(|| ends().next()).cloned()
}

fn limit(parts: &[Part]) -> Option<String> {
    let said = parts.iter().filter_map(|part| Some(format!("{}: {}", part.result.shards.told(), part.result.generator.limit.as_ref()?)));
    Some(said.collect::<Vec<_>>().join("; ")).filter(|all| !all.is_empty())
}

impl Shards {
    /// Says which parts are not in here; none when all are.
    pub fn incomplete(&self) -> Option<String> {
        let missing = self.of.saturating_sub(u32::try_from(self.parts.len()).unwrap_or(u32::MAX));
        let numbers = (1..=self.of).filter(|part| !self.parts.contains(part));
        (missing > 0).then(|| format!("{} of {} {} missing", listed(numbers, missing), self.of, if missing == 1 { "is" } else { "are" }))
    }

    /// `part 2`, `parts 1 and 3`
    fn told(&self) -> String {
        listed(self.parts.iter().copied(), u32::try_from(self.parts.len()).unwrap_or(u32::MAX))
    }
}

/// `part 2`, `parts 2 and 5`, `parts 2, 5 and 7`; beyond ten the rest is counted.
fn listed(numbers: impl Iterator<Item = u32>, count: u32) -> String {
    const SHOWN: u32 = 10;
    let mut words: Vec<String> = numbers.take(SHOWN as usize).map(|number| number.to_string()).collect();
    if count > SHOWN {
        words.push(format!("{} more", count - SHOWN));
    }
    match words.split_last() {
        Some((last, [])) => format!("part {last}"),
        Some((last, others)) => format!("parts {} and {last}", others.join(", ")),
        None => "no part".to_owned(),
    }
}
