//! A part of the ledger: resources whose hash leads here.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use super::pair::{Counts, Known};
use super::resource::{Resource, Told};
use super::settled::Settled;
use super::{Accounting, Closed, EXAMPLES, Trouble, TroubleKind};

/// Resources open at the same time.
const OPEN: usize = 8_192;
/// Notifications remembered after they are counted: at least so many, at most twice.
const REMEMBERED: usize = 32_768;
/// How many old resources are looked at for each word: more than come anew, so that none stays.
const SWEPT: usize = 2;

#[derive(Debug)]
pub(super) struct Shard {
    accounting: Accounting,
    open: HashMap<Arc<str>, Resource>,
    /// When each open resource is looked at again.
    queue: VecDeque<(Duration, Arc<str>)>,
    settled: Settled,
    counts: Counts,
    waiting: u64,
    troubles: Vec<Trouble>,
}

impl Shard {
    pub(super) fn new(accounting: Accounting) -> Self {
        Self {
            accounting,
            open: HashMap::new(),
            queue: VecDeque::new(),
            settled: Settled::new(REMEMBERED),
            counts: Counts::default(),
            waiting: 0,
            troubles: Vec::new(),
        }
    }

    pub(super) fn waiting(&self) -> u64 {
        self.waiting
    }

    /// How many resources are open.
    #[cfg(test)]
    pub(super) fn open(&self) -> usize {
        self.open.len()
    }

    pub(super) fn due(&mut self, resource: &str, state: &str, pair: u64, at: Duration) -> Option<Duration> {
        self.sweep(at);
        if let Some(known) = self.reopened(resource, pair) {
            // Its notification came so long ago that it was taken for one that nobody waits for.
            let overtaken = !known.has(Known::DUE);
            self.settle(pair, known.with(Known::DUE, true));
            return overtaken.then_some(Duration::ZERO);
        }
        let Some(told) = self.told(resource, state, pair, at) else {
            self.settle(pair, Known::DUE);
            return None;
        };
        if told.due.is_some() {
            return None;
        }
        told.due = Some(at);
        let lag = told.lag();
        self.waiting += u64::from(lag.is_none());
        lag
    }

    pub(super) fn received(&mut self, resource: &str, state: &str, pair: u64, at: Duration, acknowledged: bool) -> Option<Duration> {
        self.sweep(at);
        if let Some(before) = self.reopened(resource, pair) {
            let known = before.received(acknowledged);
            self.settle(pair, known);
            if known.has(Known::DUE.with(Known::REPEATED, true)) && !before.has(Known::REPEATED) {
                self.note(Trouble {
                    kind: TroubleKind::Duplicated,
                    at,
                    resource: shortened(resource),
                    state: shortened(state),
                    instead: None,
                });
            }
            return None;
        }
        let Some(told) = self.told(resource, state, pair, at) else {
            self.settle(pair, Known::RECEIVED.with(Known::ACKNOWLEDGED, acknowledged));
            return None;
        };
        told.repeated |= told.acknowledged;
        told.acknowledged |= acknowledged;
        if told.first.is_some() {
            return None;
        }
        told.first = Some(at);
        let lag = told.lag();
        self.waiting = self.waiting.saturating_sub(u64::from(lag.is_some()));
        lag
    }

    pub(super) fn status(&mut self, resource: &str, state: &str, asked: Duration) {
        if let Some(resource) = self.open.get_mut(resource) {
            resource.answered(state, asked);
        }
    }

    /// Counts everything that is open, and gives everything away.
    pub(super) fn close(&mut self, at: Duration, closed: &mut Closed) {
        for (_, key) in std::mem::take(&mut self.queue) {
            let Some(mut resource) = self.open.remove(&key) else { continue };
            let lost = self.accounting.lost;
            let before = resource.told.len();
            resource.told.retain(|told| !told.waits() || told.due.is_some_and(|due| due.saturating_add(lost) <= at));
            closed.undecided += u64::try_from(before - resource.told.len()).unwrap_or(u64::MAX);
            self.count(&key, &resource);
        }
        std::mem::take(&mut self.counts).add_to(&mut closed.result);
        closed.troubles.append(&mut self.troubles);
        self.settled.clear();
        self.waiting = 0;
    }

    /// What is known of a pair that is counted; it has to be settled again.
    fn reopened(&mut self, resource: &str, pair: u64) -> Option<Known> {
        // What is open is not settled: almost always this is the case.
        if self.open.get_mut(resource).is_some_and(|resource| resource.told(pair).is_some()) {
            return None;
        }
        let known = self.settled.take(pair)?;
        self.counts.remove(known);
        Some(known)
    }

    fn settle(&mut self, pair: u64, known: Known) {
        self.counts.add(known);
        self.settled.put(pair, known);
    }

    /// The state of a resource, opened if it is new; none if the resource has too many of them.
    fn told(&mut self, resource: &str, state: &str, pair: u64, at: Duration) -> Option<&mut Told> {
        if !self.open.contains_key(resource) {
            self.make_room();
            let key: Arc<str> = resource.into();
            self.queue.push_back((at.saturating_add(self.accounting.lost), Arc::clone(&key)));
            self.open.insert(key, Resource::default());
        }
        let resource = self.open.get_mut(resource)?;
        resource.touched = resource.touched.max(at);
        let known = resource.told.iter().position(|told| told.pair == pair);
        let index = known.or_else(|| resource.add(Told::new(state, pair)))?;
        resource.told.get_mut(index)
    }

    /// Counts resources that nothing is awaited of any more.
    fn sweep(&mut self, at: Duration) {
        for _ in 0..SWEPT {
            if self.queue.front().is_none_or(|(when, _)| *when > at) {
                return;
            }
            let Some((_, key)) = self.queue.pop_front() else { return };
            let Some(resource) = self.open.get(&key) else { continue };
            if resource.waits() || resource.touched.saturating_add(self.accounting.lost) > at {
                self.queue.push_back((at.saturating_add(self.accounting.lost), key));
            } else {
                self.give_up(&key);
            }
        }
    }

    /// Where too many are open, the one that was looked at least recently is counted as it is.
    fn make_room(&mut self) {
        while self.open.len() >= OPEN {
            let Some((_, key)) = self.queue.pop_front() else { return };
            self.give_up(&key);
        }
    }

    fn give_up(&mut self, key: &str) {
        if let Some(resource) = self.open.remove(key) {
            self.count(key, &resource);
        }
    }

    fn count(&mut self, key: &str, resource: &Resource) {
        for told in &resource.told {
            let known = resource.known(told, self.accounting.late);
            self.waiting = self.waiting.saturating_sub(u64::from(told.waits()));
            self.settle(told.pair, known);
            for kind in kinds(known) {
                self.trouble(kind, key, told, resource);
            }
        }
    }

    fn trouble(&mut self, kind: TroubleKind, key: &str, told: &Told, resource: &Resource) {
        let instead = resource.contradiction(told).filter(|_| kind == TroubleKind::Contradicting);
        self.note(Trouble {
            kind,
            at: told.due.or(told.first).unwrap_or_default(),
            resource: shortened(key),
            state: shortened(&told.state),
            instead: instead.map(shortened),
        });
    }

    fn note(&mut self, trouble: Trouble) {
        if self.troubles.iter().filter(|other| other.kind == trouble.kind).count() < EXAMPLES {
            self.troubles.push(trouble);
        }
    }
}

/// What is wrong with a notification.
fn kinds(known: Known) -> impl Iterator<Item = TroubleKind> {
    let (due, contradicted) = (known.has(Known::DUE), known.has(Known::CONTRADICTED));
    [
        (due && !known.has(Known::RECEIVED), TroubleKind::Lost),
        (due && known.has(Known::REPEATED), TroubleKind::Duplicated),
        (due && known.has(Known::LATE), TroubleKind::Late),
        (contradicted, TroubleKind::Contradicting),
        (!due && !contradicted, TroubleKind::Unexpected),
    ]
    .into_iter()
    .filter_map(|(so, kind)| so.then_some(kind))
}

/// What comes from outside may be of any length.
fn shortened(text: &str) -> String {
    text.chars().take(100).collect()
}
