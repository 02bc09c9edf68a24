//! Compares the notifications that arrived with those that the model expects. Duplicates are allowed; none may be missing, and
//! none may report a state that no transition led to.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use super::divergence::{Detection, Divergence};
use super::model::Model;
use super::state::{EntityState, PossibleStates};
use crate::judge::record::identifier;
use crate::spec::contract::Contracts;
use crate::wire::exchange::Exchange;
use crate::wire::expression::text_of;

/// An identifier and a state.
type NotifiedState = (String, String);

/// What is wrong with the notifications that arrived; nothing if one possible state explains them.
pub(super) fn divergence(contracts: &Contracts, model: &Model, possible: &PossibleStates, arrived: &[Arc<Exchange>]) -> Option<Divergence> {
    let notified: BTreeSet<NotifiedState> = arrived.iter().filter_map(|exchange| notified_state(contracts, exchange)).collect();
    let explains = |state: &EntityState| expected(state).map(|(notified, ..)| notified).collect::<BTreeSet<_>>() == notified;
    if possible.states().iter().any(explains) {
        return None;
    }
    let state = possible.first()?;
    let operation = arrived.first().map(|exchange| exchange.operation.clone()).unwrap_or_default();
    missing(contracts, state, &notified).or_else(|| unexpected(model, state, &notified, operation))
}

fn missing(contracts: &Contracts, state: &EntityState, notified: &BTreeSet<NotifiedState>) -> Option<Divergence> {
    let ((id, status), entity, clause) = expected(state).find(|(expected, ..)| !notified.contains(expected))?;
    let operation = contracts.notifications.keys().next().cloned().unwrap_or_default();
    let message = format!("no notification reports that {id} is {status}");
    let got: Vec<&str> = notified.iter().filter(|(other, _)| *other == id).map(|(_, status)| status.as_str()).collect();
    let (expected, got) = (json!(status), json!(got));
    let detected_by = Detection::MissingNotification(entity, status);
    Some(Divergence { clauses: vec![clause.to_owned()], operation, message, expected, got, detected_by })
}

fn unexpected(model: &Model, state: &EntityState, notified: &BTreeSet<NotifiedState>, operation: String) -> Option<Divergence> {
    let expected: BTreeSet<NotifiedState> = expected(state).map(|(notified, ..)| notified).collect();
    let (id, status) = notified.iter().find(|notified| !expected.contains(*notified))?;
    let entity = state.entities.iter().find(|(_, entity)| text_of(entity.id()).as_ref() == Some(id));
    let resource = entity.map_or_else(|| model.resources.values().next(), |(_, entity)| model.resources.get(&entity.resource));
    let clause = resource.and_then(|resource| resource.unexpected_notification.clone())?;
    let message = format!("a notification reports that {id} is {status}, but no transition led there");
    let detected_by = Detection::UnexpectedNotification(entity.map(|(key, _)| *key), status.clone());
    Some(Divergence { clauses: vec![clause], operation, message, expected: Value::Null, got: json!(status), detected_by })
}

/// The notifications that a state expects: what they report, the key of the entity, and the clause.
fn expected(state: &EntityState) -> impl Iterator<Item = (NotifiedState, usize, &str)> {
    state.notifications.iter().filter_map(|expected| {
        let id = text_of(state.entities.get(&expected.entity)?.id())?;
        Some(((id, expected.state.clone()), expected.entity, expected.clause.as_str()))
    })
}

fn notified_state(contracts: &Contracts, exchange: &Exchange) -> Option<NotifiedState> {
    let shows = contracts.notifications.get(&exchange.operation)?.shows.as_ref()?;
    Some((identifier(&shows.about, exchange)?, shows.state.text(exchange)?))
}
