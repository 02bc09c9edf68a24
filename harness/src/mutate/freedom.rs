//! What the documents leave open: a lie there is none.

use super::body::content;
use super::draft::{Draft, Lie};
use super::place::Place;
use crate::contract::Contracts;
use crate::record::Entry;

/// Why the documents allow what was told.
pub(super) struct Allowed {
    pub(super) reason: String,
    /// Whether the contract says so in so many words.
    pub(super) declared: bool,
}

/// Why the documents allow what was told, if they do.
pub(super) fn freedom(contracts: &Contracts, entries: &[Entry], at: usize, draft: &Draft, lie: &Lie) -> Option<Allowed> {
    let Some(Entry::Exchange(exchange)) = entries.get(at) else { return None };
    let operation = contracts.operation(&exchange.operation)?;
    let (place, words) = (draft.place.general().to_string(), draft.words());
    if let Some(free) = operation.free.iter().find(|free| free.covers(&place, &words)) {
        return Some(Allowed { reason: free.reason.clone(), declared: true });
    }
    let (Place::Field(pointer), Lie::Exchange(changed)) = (&draft.place, lie) else { return None };
    let by_schema = |reason: &str| Some(Allowed { reason: reason.to_owned(), declared: false });
    match words.as_ref() {
        // What is required would have been missed.
        "dropped" => by_schema("the documents don't require it here"),
        "a field more" => by_schema("the documents don't close the list of fields"),
        _ => content(operation, changed)?.schema.free_at(pointer).map(|reason| Allowed { reason, declared: true }),
    }
}
