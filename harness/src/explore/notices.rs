//! Notifications held against what the model owes the merchant. The same one may come twice; none may be missing,
//! and none may tell of something that nothing has brought about.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use super::divergence::{Divergence, Sight};
use super::model::Model;
use super::state::{Belief, State};
use crate::contract::{Contracts, text_of};
use crate::exchange::Exchange;
use crate::record::identifier;

/// An identifier and a state.
type Notice = (String, String);

/// What is wrong with what has arrived; nothing where one of the worlds that may be explains it.
pub(super) fn divergence(contracts: &Contracts, model: &Model, belief: &Belief, arrived: &[Arc<Exchange>]) -> Option<Divergence> {
    let told: BTreeSet<Notice> = arrived.iter().filter_map(|exchange| notice(contracts, exchange)).collect();
    let explains = |state: &&State| owed(state).map(|(notice, ..)| notice).collect::<BTreeSet<_>>() == told;
    if belief.states().iter().any(|state| explains(&state)) {
        return None;
    }
    let state = belief.first()?;
    let operation = arrived.first().map(|exchange| exchange.operation.clone()).unwrap_or_default();
    missing(contracts, state, &told).or_else(|| unexpected(model, state, &told, operation))
}

fn missing(contracts: &Contracts, state: &State, told: &BTreeSet<Notice>) -> Option<Divergence> {
    let (notice, thing, clause) = owed(state).find(|(notice, ..)| !told.contains(notice))?;
    let operation = contracts.notifications.keys().next().cloned().unwrap_or_default();
    let message = format!("no notification tells that {} is {}", notice.0, notice.1);
    let got: Vec<&str> = told.iter().filter(|(id, _)| *id == notice.0).map(|(_, state)| state.as_str()).collect();
    let sight = Sight::Missing(thing, notice.1.clone());
    Some(Divergence { clauses: vec![clause.to_owned()], operation, message, expected: json!(notice.1), got: json!(got), sight })
}

fn unexpected(model: &Model, state: &State, told: &BTreeSet<Notice>, operation: String) -> Option<Divergence> {
    let owed: BTreeSet<Notice> = owed(state).map(|(notice, ..)| notice).collect();
    let (id, told) = told.iter().find(|notice| !owed.contains(*notice))?;
    let thing = state.things.iter().find(|(_, thing)| text_of(thing.id()).as_ref() == Some(id));
    let resource = thing.map_or_else(|| model.resources.values().next(), |(_, thing)| model.resources.get(&thing.resource));
    let clause = resource.and_then(|resource| resource.unnotified.clone())?;
    let message = format!("a notification tells that {id} is {told}, which nothing has brought about");
    let sight = Sight::Unexpected(thing.map(|(key, _)| *key), told.clone());
    Some(Divergence { clauses: vec![clause], operation, message, expected: Value::Null, got: json!(told), sight })
}

/// What is owed: the notice, the thing, the clause.
fn owed(state: &State) -> impl Iterator<Item = (Notice, usize, &str)> {
    state.owed.iter().filter_map(|owed| {
        let id = text_of(state.things.get(&owed.thing)?.id())?;
        Some(((id, owed.state.clone()), owed.thing, owed.clause.as_str()))
    })
}

fn notice(contracts: &Contracts, exchange: &Exchange) -> Option<Notice> {
    let shows = contracts.notifications.get(&exchange.operation)?.shows.as_ref()?;
    Some((identifier(&shows.about, exchange)?, shows.state.text(exchange)?))
}
