//! What a change makes of a recording.

use std::sync::Arc;

use super::body::sent;
use crate::judge::record::Entry;
use crate::wire::exchange::Exchange;

/// A candidate applied to a recording.
#[derive(Clone, Debug)]
pub(super) enum Mutated {
    /// The exchange, as it would have been.
    Exchange(Arc<Exchange>),
    /// The recording, as it would have been, and its first entry that is not as it was.
    Entries(usize, Vec<Entry>),
}

impl Mutated {
    /// Whether the body of the exchange still says what it said.
    pub(super) fn keeps_the_body_of(&self, exchange: &Exchange) -> bool {
        let Self::Exchange(changed) = self else { return false };
        sent(changed).map(|body| &body.decoded) == sent(exchange).map(|body| &body.decoded)
    }
}
