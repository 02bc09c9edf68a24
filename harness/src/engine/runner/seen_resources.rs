//! The resources that a case, or the iterations of a virtual user, have created.

use std::collections::HashSet;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::engine::inbox::Mailbox;
use crate::judge::record::identifier;
use crate::spec::contract::{About, Contracts};
use crate::wire::exchange::Exchange;

/// How many of the newest are remembered at least; twice as many are at most.
const GENERATION: usize = 10_000;

/// The identifiers of the resources that were created in an environment. A notification that is repeated, or comes late, may arrive
/// when the iteration that it is about is long over.
#[derive(Debug, Default)]
pub(super) struct SeenResources(Mutex<Generations>);

#[derive(Debug, Default)]
struct Generations {
    young: HashSet<String>,
    old: HashSet<String>,
}

impl SeenResources {
    /// Remembers a resource.
    pub(super) fn note(&self, id: &str) {
        let mut generations = self.generations();
        if generations.young.len() >= GENERATION {
            generations.old = mem::take(&mut generations.young);
        }
        if !generations.young.contains(id) {
            generations.young.insert(id.to_owned());
        }
    }

    /// Drops the notifications of a mailbox that are about an earlier resource: one that was created here, but not in the present
    /// iteration of a virtual user. The ledger of the load accounts for them.
    pub(super) fn drop_earlier(&self, contracts: &Contracts, mailbox: &Mailbox, is_present: impl Fn(&About, &str, &Exchange) -> bool) {
        let is_earlier = |exchange: &Exchange| {
            let about = contracts.notifications.get(&exchange.operation).and_then(|operation| Some(&operation.shows.as_ref()?.about));
            let shown = about.and_then(|about| Some((about, identifier(about, exchange)?)));
            shown.is_some_and(|(about, id)| self.has(&id) && !is_present(about, &id, exchange))
        };
        while mailbox.claim(is_earlier).is_some() {}
    }

    fn has(&self, id: &str) -> bool {
        let generations = self.generations();
        generations.young.contains(id) || generations.old.contains(id)
    }

    fn generations(&self) -> MutexGuard<'_, Generations> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_are_remembered_and_no_more_than_twice_as_many() {
        let seen = SeenResources::default();
        assert!(!seen.has("0"));
        (0..=2 * GENERATION).for_each(|id| seen.note(&id.to_string()));
        assert!((GENERATION..=2 * GENERATION).all(|id| seen.has(&id.to_string())));
        assert!(!seen.has("0"), "the oldest are dropped");
    }
}
