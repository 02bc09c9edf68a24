//! Changes that the documents leave open: a target that makes them still conforms.

use super::body::content;
use super::candidate::Candidate;
use super::mutated::Mutated;
use super::value::ValueChange;
use crate::base::place::Place;
use crate::judge::record::RecordEntry;
use crate::spec::contract::Contracts;

/// Why the documents allow a change.
pub(super) struct Allowed {
    pub(super) reason: String,
    /// Whether the contract says so explicitly (`x-free`).
    pub(super) declared: bool,
}

/// Finds why the documents allow a change, if they do.
pub(super) fn find_allowance(
    contracts: &Contracts,
    entries: &[RecordEntry],
    at: usize,
    candidate: &Candidate,
    mutation: &Mutated,
) -> Option<Allowed> {
    let Some(RecordEntry::Exchange(exchange)) = entries.get(at) else { return None };
    let operation = contracts.operation(&exchange.operation)?;
    let (place, words) = (candidate.place.general(), candidate.words());
    if let Some(allowance) = operation.allowances.iter().find(|allowance| allowance.covers(&place, &words)) {
        return Some(Allowed { reason: allowance.reason.clone(), declared: true });
    }
    let by_schema = |reason: &str| Some(Allowed { reason: reason.to_owned(), declared: false });
    if matches!(&candidate.place, Place::Header { name, .. } if is_own(name)) {
        return by_schema("a header of the target's own, which no document describes");
    }
    let (Place::Body { pointer: Some(pointer), .. }, Mutated::Exchange(changed)) = (&candidate.place, mutation) else { return None };
    let content_of = content(operation, changed);
    if !pointer.as_str().is_empty() && content_of.is_some_and(|content| content.schema.describing(pointer.as_str()).is_empty()) {
        return by_schema("a field of the target's own, which no document describes");
    }
    match candidate.value_change() {
        // What is required would have been missed.
        Some(ValueChange::Dropped) => by_schema("the documents don't require it here"),
        Some(ValueChange::Null) if content_of.is_some_and(|content| content.schema.takes_null_as_absent(pointer.as_str())) => {
            by_schema("a field that is not required may be null")
        }
        Some(ValueChange::FieldMore) => by_schema("the documents don't close the list of fields"),
        _ => content_of?.schema.allowance_at(pointer.as_str()).map(|reason| Allowed { reason, declared: true }),
    }
}

/// Headers of HTTP, which servers and proxies set as they need them and no document of an API describes.
const OF_HTTP: [&str; 8] =
    ["alt-svc", "cache-control", "server", "set-cookie", "strict-transport-security", "vary", "via", "www-authenticate"];

/// Whether a header is one of HTTP, or an extension, whose meaning its sender alone knows.
fn is_own(header: &str) -> bool {
    header.starts_with("x-") || OF_HTTP.contains(&header)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_documents_describe_is_not_the_target_s_own() {
        assert_eq!(["x-request-id", "www-authenticate", "location", "content-type"].map(is_own), [true, true, false, false]);
    }
}
