//! Mutants: every change that a target could have made in the recording.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use serde_json::Value;

use super::body::{content, sent};
use super::candidate::Candidate;
use super::value::{ValueChange, places};
use super::{delivery, transport};
use crate::base::place::Place;
use crate::base::pointer;
use crate::judge::record::RecordEntry;
use crate::spec::contract::{Contracts, Operation};
use crate::wire::exchange::{Direction, Exchange};
use crate::wire::expression::{RuntimeExpression, text_of};

/// One change, wherever it applies.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Mutant {
    pub(super) carrier: Arc<MutantCarrier>,
    pub(super) place: Place,
    /// The change, in words.
    pub(super) change: Cow<'static, str>,
}

/// The kind of response or notification that a mutant changes.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct MutantCarrier {
    pub(super) operation: String,
    /// The kind of response or notification: code and state.
    pub(super) kind: String,
}

/// The values that the run has seen at each place: a value of one resource may replace that of another.
#[derive(Default)]
pub(super) struct SeenValues(HashMap<String, HashMap<Place, BTreeSet<String>>>);

/// The most distinct values that are kept per place.
const KEPT: usize = 4;

impl SeenValues {
    /// The values of some entries.
    pub(super) fn collect<'e>(entries: impl IntoIterator<Item = &'e RecordEntry>) -> Self {
        let mut seen = Self::default();
        for entry in entries {
            if let RecordEntry::Exchange(exchange) = entry {
                seen.add(exchange);
            }
        }
        seen
    }

    fn add(&mut self, exchange: &Exchange) {
        let Some(value) = sent(exchange).and_then(|body| body.value()) else { return };
        let by_place = self.0.entry(exchange.operation.clone()).or_default();
        for (at, value) in places(value) {
            if let Value::String(_) | Value::Number(_) = value {
                let seen = by_place.entry(Place::value(exchange.direction.message(), at).general()).or_default();
                if seen.len() < KEPT {
                    seen.insert(value.to_string());
                }
            }
        }
    }

    fn another(&self, operation: &str, at: &Place, value: &Value) -> Option<Value> {
        let seen = self.0.get(operation)?.get(&at.general())?;
        let own = value.to_string();
        let other = seen.iter().find(|other| **other != own)?;
        serde_json::from_str(other).ok()
    }
}

/// Every candidate at an entry.
pub(super) fn candidates(contracts: &Contracts, seen: [&SeenValues; 2], entries: &[RecordEntry], at: usize) -> Vec<Candidate> {
    let Some(RecordEntry::Exchange(exchange)) = entries.get(at) else { return Vec::new() };
    let Some(operation) = contracts.operation(&exchange.operation) else { return Vec::new() };
    // A body that was judged while it was read cannot be read again.
    if sent(exchange).is_some_and(|body| body.omitted.is_some()) {
        return Vec::new();
    }
    let mut candidates = value_candidates(contracts, seen, operation, exchange);
    candidates.extend(transport::candidates(exchange));
    candidates.extend(delivery::moves(entries, at).into_iter().map(|to| Candidate::moved(exchange.direction.message(), to)));
    candidates
}

fn value_candidates(contracts: &Contracts, seen: [&SeenValues; 2], operation: &Operation, exchange: &Exchange) -> Vec<Candidate> {
    let Some(value) = sent(exchange).and_then(|body| body.value()) else { return Vec::new() };
    let mut candidates = Vec::new();
    for (at, there) in places(value) {
        let listed = listed(contracts, operation, exchange, &at, there);
        let place = Place::value(exchange.direction.message(), at);
        candidates.extend(ValueChange::applicable_to(there).map(|change| Candidate::value(place.clone(), change)));
        let mut others: Vec<Value> = seen.iter().filter_map(|seen| seen.another(&operation.id, &place, there)).collect();
        others.dedup();
        others.retain(|other| !listed.contains(other));
        candidates.extend(others.into_iter().map(|other| Candidate::seen(place.clone(), other)));
        candidates.extend(listed.into_iter().map(|other| Candidate::listed(place.clone(), other)));
    }
    candidates
}

/// Other values of a list in the documents.
fn listed(contracts: &Contracts, operation: &Operation, exchange: &Exchange, at: &str, value: &Value) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    if operation.success.field().is_some_and(|field| pointer::is_field(at, field)) {
        all.extend(operation.codes.keys().map(|code| operation.success.code_value(code)));
    }
    if let Some(content) = content(operation, exchange) {
        let lists = content.schema.describing(at).into_iter().filter_map(|schema| schema.get("enum")?.as_array());
        all.extend(lists.flatten().cloned());
    }
    if is_state(operation, exchange, at) {
        let table = operation.shows.as_ref().and_then(|shows| contracts.tables.get(&shows.about.resource));
        all.extend(table.into_iter().flat_map(|table| table.states.keys().map(|state| Value::from(state.as_str()))));
    }
    all.retain(|other| other != value && text_of(other).is_some());
    all.sort_by_key(Value::to_string);
    all.dedup();
    all
}

/// Whether a place holds the state of the resource.
pub(super) fn is_state(operation: &Operation, exchange: &Exchange, at: &str) -> bool {
    let state = operation.shows.as_ref().map(|shows| &shows.state);
    match (state, exchange.direction) {
        (Some(RuntimeExpression::ResponseBody(pointer)), Direction::Call)
        | (Some(RuntimeExpression::RequestBody(pointer)), Direction::Notification) => pointer == at,
        _ => false,
    }
}

impl MutantCarrier {
    /// The kind of an exchange.
    pub(super) fn from_exchange(operation: &Operation, exchange: &Exchange) -> Self {
        Self { operation: operation.id.clone(), kind: kind(operation, exchange) }
    }
}

/// The kind of response or notification: its code and its state.
fn kind(operation: &Operation, exchange: &Exchange) -> String {
    let code = match exchange.direction {
        Direction::Call => operation.code(exchange).or_else(|| exchange.response().map(|response| response.status.to_string())),
        Direction::Notification => None,
    };
    let state = operation.shows.as_ref().and_then(|shows| shows.state.text(exchange));
    [code, state].into_iter().flatten().collect::<Vec<_>>().join(" ")
}
