//! Assigns notifications to cases when all cases share one world and one address.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::mailbox::{EndpointReply, Mailbox, size};
use crate::base::text::first_chars;
use crate::judge::record::identifier;
use crate::spec::contract::{About, Contracts, Operation};
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

/// Assigns notifications that arrive at a shared address. The marks of a notification are determined before anything is locked.
#[derive(Debug)]
pub(super) struct Sorting {
    /// The fields of notifications that repeat a reference of the merchant, by resource.
    references: HashMap<String, Vec<String>>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    owners: HashMap<Mark, Weak<Mailbox>>,
    order: VecDeque<Mark>,
    /// Notifications that are not assigned yet.
    waiting: VecDeque<Waiting>,
    /// Their size in bytes.
    bytes: usize,
    unexpected: BTreeMap<String, (usize, Vec<String>)>,
}

/// A notification that is not assigned yet.
#[derive(Debug)]
struct Waiting {
    path: String,
    marks: Vec<Mark>,
    bytes: usize,
    exchange: Arc<Exchange>,
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

impl Destination {
    /// The next response of the endpoint; none if the mailbox takes nothing more.
    pub(super) fn next_reply(&self, about: impl FnOnce() -> Option<String>) -> Option<EndpointReply> {
        match self {
            Self::Case(mailbox) => (!mailbox.is_full()).then(|| mailbox.next_reply(about)),
            Self::Ended | Self::Unknown => Some(EndpointReply::OK),
        }
    }
}

impl Sorting {
    pub(super) fn new(contracts: &Contracts) -> Self {
        let resources =
            contracts.notifications.values().filter_map(|operation| operation.shows.as_ref()).map(|shows| &shows.about.resource);
        let references = resources.map(|resource| (resource.clone(), reference_fields(contracts, resource))).collect();
        Self { references, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Assigns a mark to a case, along with notifications that have already arrived.
    pub(super) fn recognise(&self, mailbox: &Arc<Mailbox>, mark: &Mark) {
        let mut state = self.state();
        if state.owners.insert(mark.clone(), Arc::downgrade(mailbox)).is_none() {
            state.order.push_back(mark.clone());
        }
        while state.order.len() > MOST_MARKS {
            let oldest = state.order.pop_front();
            oldest.and_then(|oldest| state.owners.remove(&oldest));
        }
        let (ours, others): (VecDeque<_>, VecDeque<_>) =
            std::mem::take(&mut state.waiting).into_iter().partition(|waiting| waiting.marks.contains(mark));
        state.waiting = others;
        state.bytes -= ours.iter().map(|waiting| waiting.bytes).sum::<usize>();
        drop(state);
        ours.into_iter().for_each(|waiting| mailbox.receive(waiting.exchange));
    }

    /// Returns the recipient. The identifier decides; if it is unknown, a reference does.
    pub(super) fn destination(&self, contracts: &Contracts, exchange: &Exchange) -> Destination {
        let marks = self.marks(contracts, exchange);
        let owner = self.state().owner(&marks);
        match owner {
            None => Destination::Unknown,
            Some(owner) => owner.upgrade().map_or(Destination::Ended, Destination::Case),
        }
    }

    /// Keeps an unassigned notification, unless a case has recognised it since its recipient was looked up.
    pub(super) fn wait(&self, contracts: &Contracts, path: &str, exchange: Arc<Exchange>) {
        let waiting = Waiting { path: path.to_owned(), marks: self.marks(contracts, &exchange), bytes: size(&exchange), exchange };
        let mut state = self.state();
        if let Some(owner) = state.owner(&waiting.marks) {
            match owner.upgrade() {
                Some(mailbox) if mailbox.is_full() => state.count(waiting.path, None),
                Some(mailbox) => mailbox.receive(waiting.exchange),
                None => {}
            }
            return;
        }
        state.bytes += waiting.bytes;
        state.waiting.push_back(waiting);
        while state.waiting.len() > MOST_WAITING || state.bytes > MOST_BYTES {
            let Some(oldest) = state.waiting.pop_front() else { break };
            state.bytes -= oldest.bytes;
            state.count(oldest.path, None);
        }
    }

    /// The marks of a notification, the identifier first.
    fn marks(&self, contracts: &Contracts, exchange: &Exchange) -> Vec<Mark> {
        let Some(about) = about(contracts, exchange) else { return Vec::new() };
        let body = exchange.request.body.value();
        let field_text = |field: &str| body.and_then(|body| body.get(field)).and_then(text_of).filter(|text| !text.is_empty());
        let fields = self.references.get(&about.resource).into_iter().flatten();
        let references = fields.filter_map(|field| Some(Mark::Reference(field.clone(), field_text(field)?)));
        identifier(about, exchange).map(Mark::Id).into_iter().chain(references).collect()
    }

    /// Reads the unassigned notifications.
    pub(super) fn waiting<T>(&self, look: impl Fn(&Exchange) -> Option<T>) -> Vec<T> {
        self.state().waiting.iter().filter_map(|waiting| look(&waiting.exchange)).collect()
    }

    /// Claims the first unassigned notification that matches.
    pub(super) fn claim(&self, fits: impl Fn(&Exchange) -> bool) -> Option<Arc<Exchange>> {
        let mut state = self.state();
        let place = state.waiting.iter().position(|waiting| fits(&waiting.exchange))?;
        let claimed = state.waiting.remove(place)?;
        state.bytes -= claimed.bytes;
        Some(claimed.exchange)
    }

    /// Counts a notification at an unexpected address.
    pub(super) fn unexpected_at(&self, path: &str) {
        self.state().count(path.to_owned(), None);
    }

    /// The notifications that are still unassigned.
    pub(super) fn unexpected(&self) -> Vec<Unexpected> {
        let mut state = self.state();
        let waiting: Vec<_> = state.waiting.drain(..).map(|waiting| (waiting.path, named(&waiting.marks))).collect();
        state.bytes = 0;
        waiting.into_iter().for_each(|(path, about)| state.count(path, about));
        let counted = state.unexpected.iter();
        counted.map(|(path, (count, about))| Unexpected { path: path.clone(), count: *count, about: about.clone() }).collect()
    }
}

impl State {
    /// The case that recognises one of these marks, the first of them first.
    fn owner(&self, marks: &[Mark]) -> Option<Weak<Mailbox>> {
        marks.iter().find_map(|mark| self.owners.get(mark).cloned())
    }

    fn count(&mut self, path: String, about: Option<String>) {
        let path: String = path.chars().take(LONGEST_PATH).collect();
        let known = self.unexpected.contains_key(&path) || self.unexpected.len() < MOST_ADDRESSES;
        let (count, named) = self.unexpected.entry(if known { path } else { "elsewhere".to_owned() }).or_default();
        *count += 1;
        named.extend(about.filter(|_| named.len() < MOST_NAMED));
    }
}

/// How a notification names its resource.
fn about<'c>(contracts: &'c Contracts, exchange: &Exchange) -> Option<&'c About> {
    let operation = contracts.notifications.get(&exchange.operation)?;
    operation.shows.as_ref().map(|shows| &shows.about)
}

/// The identifier of the resource that a notification is about.
pub(super) fn subject(contracts: &Contracts, exchange: &Exchange) -> Option<String> {
    identifier(about(contracts, exchange)?, exchange)
}

/// What a notification is about, for a person: its identifier and its references.
fn named(marks: &[Mark]) -> Option<String> {
    let words = marks.iter().map(|mark| match mark {
        Mark::Id(id) => first_chars(id, LONGEST_NAME).to_owned(),
        Mark::Reference(field, value) => format!("{field} {}", first_chars(value, LONGEST_NAME)),
    });
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| words.join(" / "))
}

/// The fields of a notification that repeat a reference of the merchant.
fn reference_fields(contracts: &Contracts, resource: &str) -> Vec<String> {
    let created = contracts.operations.values().filter_map(|operation: &Operation| operation.creates.as_ref());
    let mut fields: Vec<String> =
        created.filter(|about| about.resource == resource).flat_map(|about| about.or_by.keys()).cloned().collect();
    fields.sort_unstable();
    fields.dedup();
    fields
}
