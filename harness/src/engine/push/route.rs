//! How a payment reaches a state, read from the state tables: nothing here knows a state by name.

use serde_json::{Map, Value};

use crate::spec::contract::{Contracts, Operation, StateTable, TransitionRow, Trigger, WorldAction};

/// How a new resource reaches a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Route {
    /// The state.
    pub(crate) state: String,
    /// Fields that the creating request needs.
    pub(crate) when: Map<String, Value>,
    /// The action of the world.
    pub(crate) action: String,
    /// The action's parameter that names the resource.
    pub(crate) parameter: String,
}

/// Two states that follow each other, both notified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chain {
    /// How the first one is reached.
    pub(crate) first: Route,
    /// The call that leads to the second one.
    pub(crate) call: String,
}

/// The routes to all states that a notification can report, in the order of its contract.
pub(crate) fn routes(contracts: &Contracts, notification: &Operation) -> Vec<Route> {
    reported_states(notification).iter().filter_map(|state| route(contracts, notification, state)).collect()
}

/// The states that a notification can report.
pub(crate) fn reported_states(notification: &Operation) -> Vec<String> {
    let field = super::message::state_field(notification);
    let property = notification.request.as_ref().and_then(|content| content.schema.expanded.get("properties")?.get(field?));
    let values = property.and_then(|p| p.get("enum")).and_then(Value::as_array).into_iter().flatten();
    values.filter_map(|value| value.as_str().map(str::to_owned)).collect()
}

/// The first two states that follow each other by a call.
pub(crate) fn chain(contracts: &Contracts, notification: &Operation) -> Option<Chain> {
    let reported = reported_states(notification);
    let table = table(contracts, notification)?;
    routes(contracts, notification).into_iter().find_map(|first| {
        let call = table.rows.iter().find_map(|row| call_between(contracts, row, &first.state, &reported))?;
        Some(Chain { first, call })
    })
}

fn route(contracts: &Contracts, notification: &Operation, state: &str) -> Option<Route> {
    let table = table(contracts, notification)?;
    let leads = |row: &&TransitionRow| row.to.as_deref() == Some(state) && row.from.as_ref().is_some_and(|from| is_initial(table, from));
    table.rows.iter().filter(leads).find_map(|row| {
        let Trigger::World { actions } = &row.trigger else { return None };
        let (action, parameter) =
            actions.iter().filter_map(|name| contracts.actions.get(name)).find_map(|a| needs_only(a, &table.resource))?;
        Some(Route { state: state.to_owned(), when: row.when.clone(), action, parameter })
    })
}

fn is_initial(table: &StateTable, state: &str) -> bool {
    table.states.get(state).is_some_and(|state| state.initial)
}

/// The name of an action that needs nothing but the resource, and the parameter that identifies it.
fn needs_only(action: &WorldAction, resource: &str) -> Option<(String, String)> {
    let on = action.on.as_ref()?;
    let others = action.parameters.iter().any(|(name, required)| *required && *name != on.parameter);
    (on.includes(resource) && !others).then(|| (action.name.clone(), on.parameter.clone()))
}

/// A call that leads from one reported state to another, or to one that the document leaves open.
fn call_between(contracts: &Contracts, row: &TransitionRow, from: &str, reported: &[String]) -> Option<String> {
    let Trigger::Call { operations, codes } = &row.trigger else { return None };
    let leads = row.from.as_deref() == Some(from) && row.to.as_ref().is_none_or(|to| to != from && reported.contains(to));
    let known = |id: &&String| {
        let operation = contracts.operations.get(*id);
        let success = operation.and_then(|o| o.success.value()).map(|value| value.to_string());
        operation.is_some_and(|o| o.acts_on.is_some()) && success.is_none_or(|success| codes.contains(&success))
    };
    operations.iter().filter(|_| leads).find(known).cloned()
}

fn table<'c>(contracts: &'c Contracts, notification: &Operation) -> Option<&'c StateTable> {
    contracts.tables.get(&notification.shows.as_ref()?.about.resource)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::contract::Files;

    #[test]
    fn every_reported_state_has_a_route() {
        let contracts = Contracts::shipped();
        for notification in contracts.notifications.values() {
            let found: Vec<_> = routes(&contracts, notification).into_iter().map(|route| route.state).collect();
            assert_eq!(found, reported_states(notification));
            assert!(!found.is_empty());
        }
    }

    #[test]
    fn a_transition_by_a_call_between_reported_states_makes_a_chain() {
        let mut contracts = Contracts::read(&Files::contracts()).unwrap();
        let before = contracts.tables.values().flat_map(|t| &t.rows).next().unwrap().clone();
        let cancel = Trigger::Call { operations: vec!["gateway.v2.cancel".to_owned()], codes: vec!["0".to_owned()] };
        let row = TransitionRow { from: Some("AUTHORIZED".to_owned()), to: Some("CANCELLED".to_owned()), trigger: cancel, ..before };
        for table in contracts.tables.values_mut() {
            table.rows.retain(|row| row.from.as_deref() != Some("AUTHORIZED"));
            table.rows.push(row.clone());
        }
        let chain = chain(&contracts, contracts.notifications.values().next().unwrap()).unwrap();
        assert_eq!((chain.first.state.as_str(), chain.call.as_str()), ("AUTHORIZED", "gateway.v2.cancel"));
    }
}
