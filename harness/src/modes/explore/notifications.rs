//! Compares the notifications that arrived with those that the model expects. Duplicates are allowed; none may be missing, and
//! none may report a state that no transition led to.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use super::divergence::{Detection, Divergence};
use super::model::Model;
use super::state::{PossibleStates, WorldState};
use crate::judge::record::identifier;
use crate::spec::contract::{Contracts, Operation};
use crate::wire::exchange::Exchange;
use crate::wire::expression::text_of;

/// An identifier and a state.
type NotifiedState = (String, String);

/// A notification that arrived: what it reports, and its operation.
type Arrival<'e> = (NotifiedState, &'e str);

/// What is wrong with the notifications that arrived; nothing if one possible state explains them. `created_by` is the operation that
/// created the entity of a key.
pub(super) fn divergence(
    contracts: &Contracts,
    model: &Model,
    possible: &PossibleStates,
    arrived: &[Arc<Exchange>],
    created_by: impl Fn(usize) -> Option<String>,
) -> Option<Divergence> {
    let arrived = arrived.iter().filter_map(|exchange| Some((notified_state(contracts, exchange)?, exchange.operation.as_str())));
    let arrived: Vec<Arrival<'_>> = arrived.collect();
    let notified: BTreeSet<NotifiedState> = arrived.iter().map(|(notified, _)| notified.clone()).collect();
    let explains = |state: &WorldState| expected(state).map(|(notified, ..)| notified).collect::<BTreeSet<_>>() == notified;
    if possible.states().iter().any(explains) {
        return None;
    }
    let state = possible.first()?;
    missing(contracts, state, &arrived, created_by).or_else(|| unexpected(model, state, &arrived))
}

fn missing(
    contracts: &Contracts,
    state: &WorldState,
    arrived: &[Arrival<'_>],
    created_by: impl Fn(usize) -> Option<String>,
) -> Option<Divergence> {
    let is_due = |expected: &NotifiedState| !arrived.iter().any(|(notified, _)| notified == expected);
    let ((id, status), entity, clause) = expected(state).find(|(expected, ..)| is_due(expected))?;
    let about_it = || arrived.iter().filter(|((other, _), _)| *other == id);
    let by_creation = || {
        let creation = created_by(entity)?;
        let creates = |operation: &&Operation| operation.notification.as_ref().is_some_and(|rules| rules.created_by.contains(&creation));
        Some(contracts.notifications.values().find(creates)?.id.clone())
    };
    let operation = about_it().next().map(|(_, operation)| (*operation).to_owned()).or_else(by_creation).unwrap_or_default();
    let message = format!("no notification reports that {id} is {status}");
    let got: BTreeSet<&str> = about_it().map(|((_, status), _)| status.as_str()).collect();
    let (expected, got) = (json!(status), json!(got));
    let detected_by = Detection::MissingNotification(entity, status);
    Some(Divergence { clauses: vec![clause.to_owned()], operation, message, expected, got, detected_by })
}

fn unexpected(model: &Model, state: &WorldState, arrived: &[Arrival<'_>]) -> Option<Divergence> {
    let expected: BTreeSet<NotifiedState> = expected(state).map(|(notified, ..)| notified).collect();
    let ((id, status), operation) = arrived.iter().find(|(notified, _)| !expected.contains(notified))?;
    let operation = (*operation).to_owned();
    let entity = state.entities.iter().find(|(_, entity)| text_of(entity.id()).as_ref() == Some(id));
    let resource = entity.map_or_else(|| model.resources.values().next(), |(_, entity)| model.resources.get(&entity.resource));
    let clause = resource.and_then(|resource| resource.unexpected_notification.clone())?;
    let message = format!("a notification reports that {id} is {status}, but no transition led there");
    let detected_by = Detection::UnexpectedNotification(entity.map(|(key, _)| *key), status.clone());
    Some(Divergence { clauses: vec![clause], operation, message, expected: Value::Null, got: json!(status), detected_by })
}

/// The notifications that a state expects: what they report, the key of the entity, and the clause.
fn expected(state: &WorldState) -> impl Iterator<Item = (NotifiedState, usize, &str)> {
    state.notifications.iter().filter_map(|expected| {
        let id = text_of(state.entities.get(&expected.entity)?.id())?;
        Some(((id, expected.state.clone()), expected.entity, expected.clause.as_str()))
    })
}

fn notified_state(contracts: &Contracts, exchange: &Exchange) -> Option<NotifiedState> {
    let shows = contracts.notifications.get(&exchange.operation)?.shows.as_ref()?;
    Some((identifier(&shows.about, exchange)?, shows.state.text(exchange)?))
}
