//! The result of applying a change to a recording.

use std::sync::Arc;

use super::body::sent;
use crate::judge::record::RecordEntry;
use crate::wire::exchange::Exchange;

/// A candidate applied to a recording.
#[derive(Clone, Debug)]
pub(super) enum Mutated {
    /// The changed exchange.
    Exchange(Arc<Exchange>),
    /// The changed recording, and its first entry that differs.
    Entries(usize, Vec<RecordEntry>),
}

impl Mutated {
    /// Whether the decoded body of the exchange is unchanged.
    pub(super) fn keeps_the_body_of(&self, exchange: &Exchange) -> bool {
        let Self::Exchange(changed) = self else { return false };
        sent(changed).map(|body| &body.decoded) == sent(exchange).map(|body| &body.decoded)
    }
}
