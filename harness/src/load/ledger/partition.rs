//! A partition of the ledger: the resources whose hashes have the same remainder.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use hdrhistogram::Histogram;

use super::flags::{NotificationCounts, NotificationFlags};
use super::problem::{EXAMPLES, NotificationProblem, ProblemKind};
use super::recent::RecentNotifications;
use super::resource::{LedgerResource, NotifiedState};
use super::totals::LedgerTotals;
use crate::base::text::first_chars;
use crate::load::latency::{self, histogram};
use crate::load::profile::NotificationDeadlines;
use crate::load::result::NotificationResult;

/// The most resources that are open at a time.
const OPEN: usize = 8_192;
/// How many notifications are remembered after they are counted: at least this many, at most twice as many.
const REMEMBERED: usize = 32_768;
/// The number of old resources that each report checks: more than one, so that their number shrinks.
const SWEPT: usize = 2;

#[derive(Debug)]
pub(super) struct Partition {
    deadlines: NotificationDeadlines,
    /// Whether what becomes due now is of the warm-up.
    warm_up: bool,
    open: HashMap<Arc<str>, LedgerResource>,
    /// The open resources by the time of their next check.
    queue: VecDeque<(Duration, Arc<str>)>,
    settled: RecentNotifications,
    counts: NotificationCounts,
    waiting: u64,
    problems: Vec<NotificationProblem>,
    /// Times from changes of state to the first receipt of their notifications. Each partition has its own, so that users need not wait
    /// for a common lock.
    lag: Histogram<u32>,
}

impl Partition {
    pub(super) fn new(deadlines: NotificationDeadlines) -> Self {
        Self {
            deadlines,
            warm_up: false,
            open: HashMap::new(),
            queue: VecDeque::new(),
            settled: RecentNotifications::new(REMEMBERED),
            counts: NotificationCounts::default(),
            waiting: 0,
            problems: Vec::new(),
            lag: histogram(),
        }
    }

    pub(super) fn set_warm_up(&mut self, warm_up: bool) {
        self.warm_up = warm_up;
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
        let warm_up = self.warm_up;
        if let Some(flags) = self.reopen(resource, pair) {
            // Its notification was received long before, and counted as unexpected.
            let overtaken = !flags.has(NotificationFlags::DUE);
            self.settle(pair, flags.with_if(NotificationFlags::DUE, true).with_if(NotificationFlags::WARM_UP, overtaken && warm_up));
            return self.measured(overtaken.then_some(Duration::ZERO), warm_up);
        }
        let Some(notified) = self.state(resource, state, pair, at) else {
            self.settle(pair, NotificationFlags::DUE.with_if(NotificationFlags::WARM_UP, warm_up));
            return None;
        };
        if notified.due.is_some() {
            return None;
        }
        (notified.due, notified.warm_up) = (Some(at), warm_up);
        let lag = notified.lag();
        self.waiting += u64::from(lag.is_none());
        self.measured(lag, warm_up)
    }

    pub(super) fn received(&mut self, resource: &str, state: &str, pair: u64, at: Duration, acknowledged: bool) -> Option<Duration> {
        self.sweep(at);
        if let Some(before) = self.reopen(resource, pair) {
            let flags = before.received(acknowledged);
            self.settle(pair, flags);
            if flags.has(NotificationFlags::DUE.with_if(NotificationFlags::REPEATED, true)) && !before.has(NotificationFlags::REPEATED) {
                self.note(NotificationProblem {
                    kind: ProblemKind::Duplicated,
                    at,
                    resource: shortened(resource),
                    state: shortened(state),
                    instead: None,
                });
            }
            return None;
        }
        let Some(notified) = self.state(resource, state, pair, at) else {
            self.settle(pair, NotificationFlags::RECEIVED.with_if(NotificationFlags::ACKNOWLEDGED, acknowledged));
            return None;
        };
        notified.repeated |= notified.acknowledged;
        notified.acknowledged |= acknowledged;
        if notified.first.is_some() {
            return None;
        }
        notified.first = Some(at);
        let (lag, warm_up) = (notified.lag(), notified.warm_up);
        self.waiting = self.waiting.saturating_sub(u64::from(lag.is_some()));
        self.measured(lag, warm_up)
    }

    pub(super) fn status(&mut self, resource: &str, state: &str, asked: Duration) {
        if let Some(resource) = self.open.get_mut(resource) {
            resource.responded(state, asked);
        }
    }

    /// Measures a lag, and returns it. That of a notification of the warm-up is not measured, and is returned only during the warm-up.
    fn measured(&mut self, lag: Option<Duration>, warm_up: bool) -> Option<Duration> {
        if let Some(lag) = lag.filter(|_| !warm_up) {
            latency::record(&mut self.lag, lag);
        }
        lag.filter(|_| !warm_up || self.warm_up)
    }

    /// Adds the counts of all settled notifications and of the open ones that were received. Those still awaited are left out.
    pub(super) fn so_far(&self, result: &mut NotificationResult, lag: &mut Histogram<u64>) {
        let mut counts = self.counts;
        for resource in self.open.values() {
            let known = resource.states.iter().filter(|notified| !notified.waits());
            known.for_each(|notified| counts.add(resource.flags(notified, self.deadlines.late)));
        }
        counts.add_to(result);
        latency::widen(lag, &self.lag);
    }

    /// Counts everything that is open, and moves all counts into `totals` and all lags into `lag`.
    pub(super) fn close(&mut self, at: Duration, totals: &mut LedgerTotals, lag: &mut Histogram<u64>) {
        for (_, key) in std::mem::take(&mut self.queue) {
            let Some(mut resource) = self.open.remove(&key) else { continue };
            let lost = self.deadlines.lost;
            let before = resource.states.len();
            resource.states.retain(|notified| !notified.waits() || notified.due.is_some_and(|due| due.saturating_add(lost) <= at));
            totals.undecided += u64::try_from(before - resource.states.len()).unwrap_or(u64::MAX);
            self.count(&key, &resource);
        }
        std::mem::take(&mut self.counts).add_to(&mut totals.result);
        totals.problems.append(&mut self.problems);
        latency::widen(lag, &self.lag);
        self.lag.reset();
        self.settled.clear();
        self.waiting = 0;
    }

    /// Removes a settled notification and returns its flags. The caller must settle it again.
    fn reopen(&mut self, resource: &str, pair: u64) -> Option<NotificationFlags> {
        // The usual case: an open resource has no settled notifications.
        if self.open.get_mut(resource).is_some_and(|resource| resource.state(pair).is_some()) {
            return None;
        }
        let flags = self.settled.remove(pair)?;
        self.counts.remove(flags);
        Some(flags)
    }

    fn settle(&mut self, pair: u64, flags: NotificationFlags) {
        self.counts.add(flags);
        self.settled.put(pair, flags);
    }

    /// A state of a resource, which is opened if it is new; `None` if it has too many states.
    fn state(&mut self, resource: &str, state: &str, pair: u64, at: Duration) -> Option<&mut NotifiedState> {
        if !self.open.contains_key(resource) {
            self.make_room();
            let key: Arc<str> = resource.into();
            self.queue.push_back((at.saturating_add(self.deadlines.lost), Arc::clone(&key)));
            self.open.insert(key, LedgerResource::default());
        }
        let resource = self.open.get_mut(resource)?;
        resource.touched = resource.touched.max(at);
        let known = resource.states.iter().position(|known| known.pair == pair);
        let index = known.or_else(|| resource.add(NotifiedState::new(state, pair)))?;
        resource.states.get_mut(index)
    }

    /// Counts resources of which no notification is due any more.
    fn sweep(&mut self, at: Duration) {
        for _ in 0..SWEPT {
            if self.queue.front().is_none_or(|(when, _)| *when > at) {
                return;
            }
            let Some((_, key)) = self.queue.pop_front() else { return };
            let Some(resource) = self.open.get(&key) else { continue };
            if resource.waits() || resource.touched.saturating_add(self.deadlines.lost) > at {
                self.queue.push_back((at.saturating_add(self.deadlines.lost), key));
            } else {
                self.give_up(&key);
            }
        }
    }

    /// Makes room for a resource: if too many are open, the one checked least recently is counted as it is.
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

    fn count(&mut self, key: &str, resource: &LedgerResource) {
        for state in &resource.states {
            let flags = resource.flags(state, self.deadlines.late);
            self.waiting = self.waiting.saturating_sub(u64::from(state.waits()));
            self.settle(state.pair, flags);
            for kind in kinds(flags) {
                self.problem(kind, key, state, resource);
            }
        }
    }

    fn problem(&mut self, kind: ProblemKind, key: &str, state: &NotifiedState, resource: &LedgerResource) {
        let instead = resource.contradiction(state).filter(|_| kind == ProblemKind::Contradicting);
        self.note(NotificationProblem {
            kind,
            at: state.due.or(state.first).unwrap_or_default(),
            resource: shortened(key),
            state: shortened(&state.state),
            instead: instead.map(shortened),
        });
    }

    fn note(&mut self, problem: NotificationProblem) {
        if self.problems.iter().filter(|other| other.kind == problem.kind).count() < EXAMPLES {
            self.problems.push(problem);
        }
    }
}

/// The problems of a notification.
fn kinds(flags: NotificationFlags) -> impl Iterator<Item = ProblemKind> {
    let (due, contradicted) = (flags.has(NotificationFlags::DUE), flags.has(NotificationFlags::CONTRADICTED));
    [
        (due && !flags.has(NotificationFlags::RECEIVED), ProblemKind::Lost),
        (due && flags.has(NotificationFlags::REPEATED), ProblemKind::Duplicated),
        (due && flags.is_late(), ProblemKind::Late),
        (contradicted, ProblemKind::Contradicting),
        (!due && !contradicted, ProblemKind::Unexpected),
    ]
    .into_iter()
    .filter_map(|(so, kind)| so.then_some(kind))
}

/// A name cut to a bounded length: the target chooses it.
fn shortened(text: &str) -> String {
    first_chars(text, 100).to_owned()
}
