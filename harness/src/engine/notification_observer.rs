//! Observes notifications while they happen: under load every one of them is counted.

use std::time::Instant;

use crate::judge::record::identifier;
use crate::spec::contract::{Contracts, Operation};
use crate::wire::exchange::Exchange;
use crate::wire::expression::{RuntimeExpression, text_of};

/// Observes notifications while they happen. A resource's name is unique over all worlds.
pub trait NotificationObserver: Send + Sync {
    /// Reports that since this moment a resource is changing to a state that must be notified.
    fn due(&self, resource: &str, state: &str, since: Instant);

    /// Reports that a notification was received, and whether it was acknowledged.
    fn received(&self, resource: &str, state: &str, at: Instant, acknowledged: bool);

    /// Reports the state that the call which a notification must agree with, sent at this moment, has returned.
    fn status_seen(&self, resource: &str, state: &str, asked: Instant);
}

/// Returns the resource that a notification or a response is about, by its unique name, and its state.
pub(crate) fn sighting(contracts: &Contracts, exchange: &Exchange, world: &str) -> Option<(String, String)> {
    let operation = contracts.notifications.get(&exchange.operation).or_else(|| contracts.operations.get(&exchange.operation))?;
    let shows = operation.shows.as_ref()?;
    Some((named(world, &identifier(&shows.about, exchange)?), shows.state.text(exchange)?))
}

/// Returns the name of a resource, unique over all worlds.
pub(crate) fn named(world: &str, id: &str) -> String {
    format!("{world}/{id}")
}

/// Returns the resource and the state that the fields of an expected notification name.
pub(crate) fn awaited(notification: &Operation, fields: &serde_json::Value) -> Option<(String, String)> {
    let shows = notification.shows.as_ref()?;
    let field = |expression: &RuntimeExpression| match expression {
        RuntimeExpression::RequestBody(pointer) => fields.pointer(pointer).and_then(text_of),
        RuntimeExpression::RequestPath(_) | RuntimeExpression::RequestQuery(_) | RuntimeExpression::ResponseBody(_) => None,
    };
    Some((field(&shows.about.id)?, field(&shows.state)?))
}
