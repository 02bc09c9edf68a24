//! Replaces target, world and inbox when a recording is replayed: it returns the recorded responses, so that the checks can judge
//! changed ones.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::future::{BoxFuture, FutureExt};
use http::HeaderMap;
use serde_json::Value;
use url::Url;

use crate::engine::inbox::Mailbox;
use crate::engine::request::PreparedRequest;
use crate::engine::transport::Records;
use crate::engine::world::{Act, World, WorldError};
use crate::judge::record::RecordEntry;
use crate::spec::contract::Operation;
use crate::wire::exchange::{Direction, Exchange, ExchangeOutcome, TransportFailure, TransportFailureKind, Vault};

/// The recording of a case, as it is replayed.
pub(crate) struct Recording {
    /// Everything in the record.
    pub(crate) entries: Arc<[RecordEntry]>,
    /// An exchange that replaces one of the entries.
    pub(crate) instead: Option<(usize, Arc<Exchange>)>,
    /// The first entry that differs from the recording.
    pub(crate) changed_from: usize,
    /// Whether the recorded entries have no fault. Then entries before the change need no second judgement, because a judgement
    /// depends on earlier exchanges only. Of the entries after the change only what depends on others is judged.
    pub(crate) sound: bool,
    /// Whether only faults are wanted, and not the clauses that pass.
    pub(crate) only_wrong: bool,
}

/// A recording, and how far it was replayed.
pub(crate) struct ReplayPlayer {
    entries: Arc<[RecordEntry]>,
    /// The exchange that replaces one of the entries.
    instead: Option<(usize, Arc<Exchange>)>,
    /// The first entry that differs from the recording; from there on requests may differ too.
    changed_from: usize,
    /// Whether the recorded entries have no fault.
    sound: bool,
    /// The number of the first exchange that is judged.
    judged_from: usize,
    /// Whether only faults are wanted, and not the clauses that pass.
    pub(super) only_wrong: bool,
    state: Mutex<State>,
    mailbox: Arc<Mailbox>,
    address: Url,
}

#[derive(Default)]
struct State {
    /// The next entry.
    at: usize,
    /// Whether the last response was a repeated one, because nothing more was recorded.
    ran_out: bool,
}

/// The entry for a call.
enum Found {
    /// The entry at this index.
    Next(usize),
    /// A repetition of the last response: no further one was recorded.
    Again(usize),
    /// The recording has no such call.
    Never,
}

impl ReplayPlayer {
    /// Starts at the beginning of a recording.
    pub(super) fn new(recording: Recording) -> Self {
        let Recording { entries, instead, changed_from, sound, only_wrong } = recording;
        let known = if sound { changed_from } else { 0 };
        let judged_from = entries.iter().take(known).filter(|entry| matches!(entry, RecordEntry::Exchange(_))).count();
        let address = Url::parse("http://tape").unwrap_or_else(|_| unreachable!("it is a URL"));
        let (state, mailbox) = (Mutex::default(), Arc::new(Mailbox::closed()));
        let player = Self { entries, instead, changed_from, sound, judged_from, only_wrong, state, mailbox, address };
        player.deliver(&mut player.state());
        player
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The mailbox of the recorded notifications.
    pub(super) fn mailbox(&self) -> Arc<Mailbox> {
        Arc::clone(&self.mailbox)
    }

    /// Whether the last response was a repeated one, so that waiting is pointless.
    pub(super) fn ran_out(&self) -> bool {
        self.state().ran_out
    }

    /// Whether an exchange has to be judged.
    pub(super) fn is_judged(&self, exchange: &Exchange) -> bool {
        exchange.number >= self.judged_from
    }

    /// Whether an exchange is the recorded one, without a fault.
    pub(super) fn is_sound(&self, exchange: &Arc<Exchange>) -> bool {
        let is_it = |entry: &RecordEntry| matches!(entry, RecordEntry::Exchange(recorded) if Arc::ptr_eq(recorded, exchange));
        self.sound && self.entries.iter().any(is_it)
    }

    /// Returns the recorded response to a call.
    pub(super) fn response(&self, operation: &Operation, request: &PreparedRequest, records: Records<'_>) -> Arc<Exchange> {
        let mut state = self.state();
        let found = self.find(&operation.id, state.at);
        let (place, ran_out) = match found {
            Found::Next(place) => (Some(place), false),
            Found::Again(place) => (Some(place), true),
            Found::Never => (None, true),
        };
        state.ran_out = ran_out;
        if let Found::Next(place) = found {
            state.at = place + 1;
            self.deliver(&mut state);
        }
        drop(state);
        match place.and_then(|place| self.exchange(place)).zip(place) {
            Some((exchange, place)) => {
                remember(operation, exchange, records.vault);
                if place < self.changed_from && !ran_out {
                    Arc::clone(exchange)
                } else {
                    with_request(exchange, operation, request, records)
                }
            }
            None => Arc::new(without_response(operation, request, records)),
        }
    }

    fn exchange(&self, place: usize) -> Option<&Arc<Exchange>> {
        if let Some((_, exchange)) = self.instead.as_ref().filter(|(at, _)| *at == place) {
            return Some(exchange);
        }
        match self.entries.get(place)? {
            RecordEntry::Exchange(exchange) => Some(exchange),
            RecordEntry::World { .. } => None,
        }
    }

    fn call(&self, place: usize) -> Option<&Arc<Exchange>> {
        self.exchange(place).filter(|exchange| exchange.direction == Direction::Call)
    }

    /// The next recorded call of the operation before the world changes; else the previous one.
    fn find(&self, operation: &str, at: usize) -> Found {
        let is_same = |place: &usize| self.call(*place).is_some_and(|exchange| exchange.operation == operation);
        let still = (at..self.entries.len()).take_while(|place| matches!(self.entries.get(*place), Some(RecordEntry::Exchange(_))));
        if let Some(place) = still.into_iter().find(is_same) {
            return Found::Next(place);
        }
        (0..at).rev().find(is_same).map_or(Found::Never, Found::Again)
    }

    /// Delivers the notifications that were received before the next other entry.
    fn deliver(&self, state: &mut State) {
        while let Some(exchange) = self.exchange(state.at).filter(|exchange| exchange.direction == Direction::Notification) {
            self.mailbox.receive(Arc::clone(exchange));
            state.at += 1;
        }
    }
}

/// Remembers issued secrets: they are sent again as their marks.
fn remember(operation: &Operation, exchange: &Exchange, vault: &Vault) {
    let Some(response) = exchange.response() else { return };
    for name in operation.content_to_read_of(exchange).map(|content| content.schema.secrets.as_slice()).unwrap_or_default() {
        if let Some(mark) = response.body.value().and_then(|body| body.get(name)).and_then(Value::as_str) {
            vault.keep(name, mark);
        }
    }
}

/// The recorded response with the present request.
fn with_request(exchange: &Arc<Exchange>, operation: &Operation, request: &PreparedRequest, records: Records<'_>) -> Arc<Exchange> {
    let request = request.record(operation, &HeaderMap::new(), records.recorder, records.vault);
    let was = &exchange.request;
    let is_same = request.path == was.path && request.query == was.query && request.body == was.body;
    if is_same {
        return Arc::clone(exchange);
    }
    Arc::new(exchange.with_request(request))
}

/// A call without a recorded response.
fn without_response(operation: &Operation, request: &PreparedRequest, records: Records<'_>) -> Exchange {
    let detail = "the recording has no such call".to_owned();
    let outcome = ExchangeOutcome::Failed(TransportFailure { kind: TransportFailureKind::Connect, detail });
    let recorded = request.record(operation, &HeaderMap::new(), records.recorder, records.vault);
    Exchange::unnumbered(Direction::Call, &operation.id, request.identity(), recorded, outcome)
}

/// The world of a recording.
pub(super) struct RecordedWorld(pub(super) Arc<ReplayPlayer>);

impl World for RecordedWorld {
    fn base(&self, _: &str) -> Option<&Url> {
        Some(&self.0.address)
    }

    fn act<'a>(&'a self, act: Act<'a>) -> BoxFuture<'a, Result<Value, WorldError>> {
        let player = &self.0;
        let mut state = player.state();
        // Recorded calls that are not made now are skipped.
        let next = (state.at..player.entries.len()).find(|place| matches!(player.entries.get(*place), Some(RecordEntry::World { .. })));
        let response = match next.and_then(|place| player.entries.get(place).zip(Some(place))) {
            Some((RecordEntry::World { action: recorded, response, .. }, place)) if recorded == act.action => {
                state.at = place + 1;
                player.deliver(&mut state);
                Ok(response.clone())
            }
            Some(_) | None => Err(WorldError::Failed("the recording has no such action here".to_owned())),
        };
        async move { response }.boxed()
    }

    fn settle(&self) -> BoxFuture<'_, Result<bool, WorldError>> {
        async { Ok(true) }.boxed()
    }

    fn close(&self) -> BoxFuture<'_, Result<(), WorldError>> {
        async { Ok(()) }.boxed()
    }
}
