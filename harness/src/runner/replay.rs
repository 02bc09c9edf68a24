//! A recorded instance, played again without a target.

use std::sync::Arc;

use super::context::{Context, StartError};
use super::deck::{Deck, Recorded};
use super::instance::play;
use super::place::Place;
use super::plan::Instance;
use crate::contract::Contracts;
use crate::event::InstanceFinished;
use crate::exchange::Exchange;
use crate::record::Entry;
use crate::tape::Judged;

/// What all recorded instances share when they are played again. Nothing is opened and nobody is asked.
pub(crate) async fn still(contracts: Arc<Contracts>, judged: &Judged, seed: u64) -> Result<Context, StartError> {
    Context::start(contracts, judged.target(), Vec::new(), seed).await
}

/// What was recorded of an instance, as it is played again.
pub(crate) struct Reel {
    /// Everything that happened.
    pub(crate) entries: Arc<[Entry]>,
    /// An exchange that stands in place of one of the entries.
    pub(crate) instead: Option<(usize, Arc<Exchange>)>,
    /// The first entry that is not as it was recorded.
    pub(crate) changed_from: usize,
    /// Whether nothing wrong was found in the entries as they were recorded. Then nobody needs to look again at what
    /// comes before the change: what is judged when an exchange comes depends on those before it only. And of what
    /// comes after it only that is judged which depends on others.
    pub(crate) sound: bool,
    /// Only what is wrong is asked for, not what holds.
    pub(crate) only_wrong: bool,
}

/// Plays an instance over what was recorded of it. `alone` says that it had a world of its own.
pub(crate) async fn replay(context: &Context, instance: &Instance, reel: Reel, alone: bool) -> InstanceFinished {
    let deck = Arc::new(Deck::new(reel));
    let place = Place { world: Box::new(Recorded(Arc::clone(&deck))), name: String::new(), alone, deck: Some(deck) };
    let mut finished = InstanceFinished::begun(instance.name.clone(), instance.scenario.title.clone());
    play(&place, context, instance, &mut finished).await;
    finished
}
