//! Assigns notifications to cases when all cases share one world and one address.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::Mailbox;
use super::mailbox::size;
use crate::judge::record::identifier;
use crate::spec::contract::{Contracts, Operation};
use crate::wire::exchange::Exchange;
use crate::wire::expression::text_of;

/// The most marks that are remembered; those of cases that ended long ago are dropped.
const MOST_MARKS: usize = 100_000;
/// The most notifications that wait for a case to learn the identifier of its payment.
const MOST_WAITING: usize = 1_000;
/// The most bytes that these take.
const MOST_BYTES: usize = 8 * 1024 * 1024;
/// The most addresses that are counted separately.
const MOST_ADDRESSES: usize = 20;
/// The most characters of an address that are shown.
const LONGEST_PATH: usize = 120;

/// The most notifications of an address that are named, and the most characters of a name.
const MOST_NAMED: usize = 3;
const LONGEST_NAME: usize = 40;

/// How a case recognises its notifications.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Mark {
    /// The identifier of a resource that the case has created.
    Id(String),
    /// A reference that only this case sends: the field in a notification and its value.
    Reference(String, String),
}

/// Notifications at an address where none is expected.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Unexpected {
    /// The path of the address.
    pub path: String,
    /// How many.
    pub count: usize,
    /// What the first of them are about: identifiers and references.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub about: Vec<String>,
}

/// Assigns notifications that arrive at a shared address.
#[derive(Debug, Default)]
pub(super) struct Sorting(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    owners: HashMap<Mark, Weak<Mailbox>>,
    order: VecDeque<Mark>,
    /// Notifications that are not assigned yet, with their paths.
    waiting: VecDeque<(String, Arc<Exchange>)>,
    unexpected: BTreeMap<String, (usize, Vec<String>)>,
}

/// The recipient of a notification.
pub(super) enum Destination {
    /// To the case that recognises it.
    Case(Arc<Mailbox>),
    /// To a case that has ended.
    Ended,
    /// Unknown so far.
    Unknown,
}

impl Sorting {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Assigns a mark to a case, along with notifications that have already arrived.
    pub(super) fn recognise(&self, contracts: &Contracts, mailbox: &Arc<Mailbox>, mark: Mark) {
        let mut state = self.state();
        if state.owners.insert(mark.clone(), Arc::downgrade(mailbox)).is_none() {
            state.order.push_back(mark.clone());
        }
        while state.order.len() > MOST_MARKS {
            let oldest = state.order.pop_front();
            oldest.and_then(|oldest| state.owners.remove(&oldest));
        }
        let (ours, others) =
            std::mem::take(&mut state.waiting).into_iter().partition(|(_, exchange)| marks(contracts, exchange).contains(&mark));
        state.waiting = others;
        drop(state);
        let ours: VecDeque<(String, Arc<Exchange>)> = ours;
        ours.into_iter().for_each(|(_, exchange)| mailbox.receive(exchange));
    }

    /// Returns the recipient. The identifier decides; if it is unknown, a reference does.
    pub(super) fn destination(&self, contracts: &Contracts, exchange: &Exchange) -> Destination {
        let state = self.state();
        let owner = marks(contracts, exchange).into_iter().find_map(|mark| state.owners.get(&mark).cloned());
        match owner {
            None => Destination::Unknown,
            Some(owner) => owner.upgrade().map_or(Destination::Ended, Destination::Case),
        }
    }

    /// Keeps an unassigned notification.
    pub(super) fn wait(&self, path: &str, exchange: Arc<Exchange>) {
        let mut state = self.state();
        state.waiting.push_back((path.to_owned(), exchange));
        while state.waiting.len() > MOST_WAITING || state.waiting.iter().map(|(_, waiting)| size(waiting)).sum::<usize>() > MOST_BYTES {
            let Some((path, _)) = state.waiting.pop_front() else { break };
            state.count(path, None);
        }
    }

    /// Reads the unassigned notifications.
    pub(super) fn waiting<T>(&self, look: impl Fn(&Exchange) -> Option<T>) -> Vec<T> {
        self.state().waiting.iter().filter_map(|(_, exchange)| look(exchange)).collect()
    }

    /// Claims the first unassigned notification that matches.
    pub(super) fn claim(&self, fits: impl Fn(&Exchange) -> bool) -> Option<Arc<Exchange>> {
        let mut state = self.state();
        let place = state.waiting.iter().position(|(_, exchange)| fits(exchange))?;
        state.waiting.remove(place).map(|(_, exchange)| exchange)
    }

    /// Counts a notification at an unexpected address.
    pub(super) fn unexpected_at(&self, path: &str) {
        self.state().count(path.to_owned(), None);
    }

    /// The notifications that are still unassigned.
    pub(super) fn unexpected(&self, contracts: &Contracts) -> Vec<Unexpected> {
        let mut state = self.state();
        let waiting: Vec<_> = state.waiting.drain(..).map(|(path, exchange)| (path, named(&marks(contracts, &exchange)))).collect();
        waiting.into_iter().for_each(|(path, about)| state.count(path, about));
        let counted = state.unexpected.iter();
        counted.map(|(path, (count, about))| Unexpected { path: path.clone(), count: *count, about: about.clone() }).collect()
    }
}

impl State {
    fn count(&mut self, path: String, about: Option<String>) {
        let path: String = path.chars().take(LONGEST_PATH).collect();
        let known = self.unexpected.contains_key(&path) || self.unexpected.len() < MOST_ADDRESSES;
        let (count, named) = self.unexpected.entry(if known { path } else { "elsewhere".to_owned() }).or_default();
        *count += 1;
        named.extend(about.filter(|_| named.len() < MOST_NAMED));
    }
}

/// What a notification is about, for a person: its identifier and its references.
fn named(marks: &[Mark]) -> Option<String> {
    let words = marks.iter().map(|mark| match mark {
        Mark::Id(id) => shortened(id),
        Mark::Reference(field, value) => format!("{field} {}", shortened(value)),
    });
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| words.join(" / "))
}

fn shortened(text: &str) -> String {
    text.chars().take(LONGEST_NAME).collect()
}

/// The marks of a notification, the identifier first.
fn marks(contracts: &Contracts, exchange: &Exchange) -> Vec<Mark> {
    let Some(about) = contracts.notifications.get(&exchange.operation).and_then(|o| o.shows.as_ref()).map(|shows| &shows.about) else {
        return Vec::new();
    };
    let body = exchange.request.body.value();
    let field_text = |field: &str| body.and_then(|body| body.get(field)).and_then(text_of).filter(|text| !text.is_empty());
    let fields = reference_fields(contracts, &about.resource);
    let references = fields.into_iter().filter_map(|field| Some(Mark::Reference(field.to_owned(), field_text(field)?)));
    identifier(about, exchange).map(Mark::Id).into_iter().chain(references).collect()
}

/// The fields of a notification that repeat a reference of the merchant.
fn reference_fields<'c>(contracts: &'c Contracts, resource: &str) -> Vec<&'c str> {
    let created = contracts.operations.values().filter_map(|operation: &Operation| operation.creates.as_ref());
    let mut fields: Vec<&str> =
        created.filter(|about| about.resource == resource).flat_map(|about| about.or_by.keys()).map(String::as_str).collect();
    fields.sort_unstable();
    fields.dedup();
    fields
}
