//! Mutants: which lies there are, and where the run could have been told them.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use serde_json::Value;

use super::body::{content, sent};
use super::draft::Draft;
use super::place::Place;
use super::value::{Change, places};
use super::{delivery, wire};
use crate::contract::{Contracts, Expression, Operation, text_of};
use crate::exchange::{Direction, Exchange};
use crate::record::Entry;

/// One lie, wherever it may be told.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Mutant {
    pub(super) teller: Arc<Teller>,
    pub(super) place: Place,
    /// The change, in words.
    pub(super) change: Cow<'static, str>,
}

/// What a lie may be told in.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Teller {
    pub(super) operation: String,
    /// What kind of answer or notification: code and state.
    pub(super) kind: String,
}

/// What the run has seen at each place: values that may be taken from one resource for another.
#[derive(Default)]
pub(super) struct Seen(HashMap<String, HashMap<Place, BTreeSet<String>>>);

/// So many different values are kept of a place.
const KEPT: usize = 4;

impl Seen {
    pub(super) fn take(&mut self, exchange: &Exchange) {
        let Some(value) = sent(exchange).and_then(|body| body.value()) else { return };
        let by_place = self.0.entry(exchange.operation.clone()).or_default();
        for (at, value) in places(value) {
            if let Value::String(_) | Value::Number(_) = value {
                let seen = by_place.entry(Place::Field(at.into()).general()).or_default();
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

/// Every lie that could have been told at an entry.
pub(super) fn drafts(contracts: &Contracts, seen: &Seen, entries: &[Entry], at: usize) -> Vec<Draft> {
    let Some(Entry::Exchange(exchange)) = entries.get(at) else { return Vec::new() };
    let Some(operation) = contracts.operation(&exchange.operation) else { return Vec::new() };
    // A body that was judged while it was read can't be read again.
    if sent(exchange).is_some_and(|body| body.omitted.is_some()) {
        return Vec::new();
    }
    let mut drafts = said(contracts, seen, operation, exchange);
    drafts.extend(wire::drafts(exchange));
    drafts.extend(delivery::drafts(entries, at));
    drafts
}

fn said(contracts: &Contracts, seen: &Seen, operation: &Operation, exchange: &Exchange) -> Vec<Draft> {
    let Some(value) = sent(exchange).and_then(|body| body.value()) else { return Vec::new() };
    let mut drafts = Vec::new();
    for (at, there) in places(value) {
        let listed = listed(contracts, operation, exchange, &at, there);
        let place = Place::Field(at.into());
        drafts.extend(Change::of(there).map(|change| Draft::value(place.clone(), change)));
        if let Some(other) = seen.another(&operation.id, &place, there).filter(|other| !listed.contains(other)) {
            drafts.push(Draft::seen(place.clone(), other));
        }
        drafts.extend(listed.into_iter().map(|other| Draft::listed(place.clone(), other)));
    }
    drafts
}

/// Other values that stand in a list of the documents.
fn listed(contracts: &Contracts, operation: &Operation, exchange: &Exchange, at: &str, value: &Value) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    if operation.success.field().is_some_and(|field| at.strip_prefix('/') == Some(field)) {
        all.extend(operation.codes.keys().map(|code| operation.success.as_answered(code)));
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

/// Whether a place says the state of the resource.
pub(super) fn is_state(operation: &Operation, exchange: &Exchange, at: &str) -> bool {
    let state = operation.shows.as_ref().map(|shows| &shows.state);
    match (state, exchange.direction) {
        (Some(Expression::ResponseBody(pointer)), Direction::Call) | (Some(Expression::RequestBody(pointer)), Direction::Notification) => {
            pointer == at
        }
        _ => false,
    }
}

impl Teller {
    /// What an exchange is told in.
    pub(super) fn of(operation: &Operation, exchange: &Exchange) -> Self {
        Self { operation: operation.id.clone(), kind: kind(operation, exchange) }
    }
}

/// What kind of answer or notification it is: its code and the state that it tells.
fn kind(operation: &Operation, exchange: &Exchange) -> String {
    let code = match exchange.direction {
        Direction::Call => operation.code(exchange).or_else(|| exchange.answer().map(|answer| answer.status.to_string())),
        Direction::Notification => None,
    };
    let state = operation.shows.as_ref().and_then(|shows| shows.state.text(exchange));
    [code, state].into_iter().flatten().collect::<Vec<_>>().join(" ")
}
