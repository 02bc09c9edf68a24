//! The calls that a threshold is about.

use super::rule::Threshold;
use crate::load::percentile::fewest;
use crate::load::result::{ErrorKind, LoadResult, OperationResult};

/// The percentile of the beginning and of the end of a soak that are compared.
pub(super) const DRIFT_SHARE: f64 = 0.99;

/// The calls that the beginning and the end of a soak must have each.
pub(super) fn drift_needs() -> u64 {
    fewest(DRIFT_SHARE)
}

/// The calls that a threshold is about.
pub(super) struct Calls<'r>(pub(super) Vec<&'r OperationResult>);

pub(super) fn calls_of<'r>(threshold: &Threshold, result: &'r LoadResult) -> Calls<'r> {
    let named = threshold.operation.as_deref();
    Calls(result.operations.iter().filter(|o| named.is_none_or(|name| o.operation == name)).collect())
}

impl Calls<'_> {
    pub(super) fn count(&self) -> u64 {
        self.0.iter().map(|o| o.requests).sum()
    }

    pub(super) fn requests(&self) -> f64 {
        self.count() as f64
    }

    /// Whether calls were made, and none of them got a response.
    pub(super) fn is_dead(&self) -> bool {
        let without_response: u64 = self.0.iter().filter_map(|o| o.errors.get(&ErrorKind::Transport)).sum();
        self.requests() > 0.0 && self.requests() <= without_response as f64
    }

    pub(super) fn errors(&self) -> Option<f64> {
        let errors: u64 = self.0.iter().flat_map(|o| o.errors.values()).sum();
        (self.requests() > 0.0).then_some(errors as f64)
    }

    /// Means add up by their counts, so no histogram is needed.
    pub(super) fn mean(&self) -> Option<f64> {
        let count: u64 = self.0.iter().map(|o| o.response.count).sum();
        let total: f64 = self.0.iter().map(|o| o.response.mean * o.response.count as f64).sum();
        (count > 0).then(|| total / count as f64)
    }
}
