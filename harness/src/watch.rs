//! Who is told of notifications while they happen: under load every one of them is counted.

use std::time::Instant;

use crate::contract::{Contracts, Expression, Operation, text_of};
use crate::exchange::Exchange;
use crate::record::identifier;

/// Who is told of notifications while they happen. A resource's name is unique over all worlds.
pub trait Watch: Send + Sync {
    /// A resource is on its way to a state that must be notified, since this moment.
    fn due(&self, resource: &str, state: &str, since: Instant);

    /// A notification of it was received, and acknowledged or not.
    fn received(&self, resource: &str, state: &str, at: Instant, acknowledged: bool);

    /// The call that a notification must agree with tells this state; it was sent at this moment.
    fn told(&self, resource: &str, state: &str, asked: Instant);
}

/// What a notification, or an answer, is about: the resource under its name in a world, and its state.
pub(crate) fn sighting(contracts: &Contracts, exchange: &Exchange, world: &str) -> Option<(String, String)> {
    let operation = contracts.notifications.get(&exchange.operation).or_else(|| contracts.operations.get(&exchange.operation))?;
    let shows = operation.shows.as_ref()?;
    Some((named(world, &identifier(&shows.about, exchange)?), shows.state.text(exchange)?))
}

/// The name of a resource, unique over all worlds.
pub(crate) fn named(world: &str, id: &str) -> String {
    format!("{world}/{id}")
}

/// What fields of a notification that is waited for say of the resource and its state.
pub(crate) fn awaited(notification: &Operation, fields: &serde_json::Value) -> Option<(String, String)> {
    let shows = notification.shows.as_ref()?;
    let field = |expression: &Expression| match expression {
        Expression::RequestBody(pointer) => fields.pointer(pointer).and_then(text_of),
        Expression::RequestPath(_) | Expression::RequestQuery(_) | Expression::ResponseBody(_) => None,
    };
    Some((field(&shows.about.id)?, field(&shows.state)?))
}
