//! Findings of several results, grouped by cause again.

use std::cmp::Reverse;

use super::part::ResultPart;
use crate::load::finding_groups::MOST_EXAMPLES;
use crate::load::result::LoadCause;

/// All causes, the most frequent first, each with its earliest examples.
pub(super) fn grouped(parts: &[ResultPart]) -> Vec<LoadCause> {
    let mut causes: Vec<LoadCause> = Vec::new();
    for cause in parts.iter().flat_map(|part| &part.result.findings) {
        match causes.iter_mut().find(|known| same(known, cause)) {
            Some(known) => {
                known.count = known.count.saturating_add(cause.count);
                known.examples.extend(cause.examples.iter().cloned());
            }
            None => causes.push(cause.clone()),
        }
    }
    for cause in &mut causes {
        cause.examples.sort_by(|one, other| one.second.total_cmp(&other.second));
        cause.examples.truncate(MOST_EXAMPLES);
    }
    causes.sort_by_key(|cause| Reverse(cause.count));
    causes
}

/// Whether two causes are about the same rule at the same place. Their messages may differ, because they contain values.
fn same(one: &LoadCause, other: &LoadCause) -> bool {
    let at = |cause: &LoadCause| cause.examples.first().and_then(|example| example.at.clone());
    let worded = !one.clauses.is_empty() || one.message == other.message;
    (one.kind, &one.operation, &one.clauses) == (other.kind, &other.operation, &other.clauses) && at(one) == at(other) && worded
}
