//! Which operations a response of the run has shown to be at their paths, for commands that judge each response at once.
//!
//! `verify` waits until the end of the run before it excuses a response by an assumed path ([`super::presence`]). Elsewhere an
//! operation is known to be there from the first response that shows it.

use std::sync::atomic::{AtomicBool, Ordering};

use indexmap::IndexMap;

use crate::judge::check;
use crate::spec::contract::Contracts;

/// The operations in the order of the contracts, and whether each was shown.
#[derive(Debug, Default)]
pub(crate) struct ShownOperations(IndexMap<String, AtomicBool>);

impl ShownOperations {
    pub(super) fn new(contracts: &Contracts) -> Self {
        Self(contracts.operations.keys().map(|id| (id.clone(), AtomicBool::new(false))).collect())
    }

    /// Notes the status of a response of an operation.
    pub(crate) fn note(&self, operation: &str, status: u16) {
        note(self.0.get(operation), status);
    }

    /// Notes the status of a response of the operation at this index of the contracts.
    pub(super) fn note_at(&self, index: usize, status: u16) {
        note(self.0.get_index(index).map(|(_, shown)| shown), status);
    }

    /// Whether an operation was shown.
    pub(crate) fn has(&self, operation: &str) -> bool {
        self.0.get(operation).is_some_and(|shown| shown.load(Ordering::Relaxed))
    }
}

/// Writes only what is new: users of a load note every response.
fn note(shown: Option<&AtomicBool>, status: u16) {
    if let Some(shown) = shown.filter(|shown| !shown.load(Ordering::Relaxed) && check::shows_there(status)) {
        shown.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_response_shows_an_operation_and_it_stays_shown() {
        let shown = ShownOperations(["shop.send", "shop.back"].map(|id| (id.to_owned(), AtomicBool::new(false))).into_iter().collect());
        for silent in [404, 405, 501, 400, 401, 429, 503] {
            shown.note("shop.send", silent);
            assert!(!shown.has("shop.send"), "{silent}");
        }
        shown.note("shop.send", 422);
        shown.note("shop.send", 404);
        shown.note_at(1, 404);
        assert_eq!(["shop.send", "shop.back", "shop.gone"].map(|id| shown.has(id)), [true, false, false]);
        shown.note_at(1, 200);
        assert!(shown.has("shop.back"));
    }
}
