//! What happened in one case, in order: the input of every check.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::spec::contract::{About, Contracts, Operation};
use crate::wire::exchange::{Direction, Exchange};
use crate::wire::expression::{RuntimeExpression, text_of};

/// One entry of a record.
#[derive(Clone, Debug)]
pub enum RecordEntry {
    /// A call, or a notification.
    Exchange(Arc<Exchange>),
    /// An action of the world.
    World {
        /// The action.
        action: String,
        /// Its parameters.
        with: Map<String, Value>,
        /// The response of the world.
        response: Value,
    },
}

/// What happened in one case, in order.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// The entries.
    pub entries: Vec<RecordEntry>,
}

impl Record {
    /// All exchanges.
    pub fn exchanges(&self) -> impl DoubleEndedIterator<Item = &Arc<Exchange>> {
        self.entries.iter().filter_map(|entry| match entry {
            RecordEntry::Exchange(exchange) => Some(exchange),
            RecordEntry::World { .. } => None,
        })
    }

    /// All notifications.
    pub fn notifications(&self) -> impl Iterator<Item = &Arc<Exchange>> {
        self.exchanges().filter(|e| e.direction == Direction::Notification)
    }

    /// Whether an action was carried out.
    pub fn has_acted(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| matches!(entry, RecordEntry::World { action, .. } if action == name))
    }

    /// The accepted call that created a resource, with its operation. `shown` is a body about the resource: a creation by
    /// redirect has no identifier, and is recognised by what was sent.
    pub fn creation<'r>(
        &'r self,
        contracts: &'r Contracts,
        resource: &str,
        id: &str,
        shown: Option<&Value>,
    ) -> Option<(&'r Arc<Exchange>, &'r Operation)> {
        self.creations(contracts, resource).find(|(exchange, operation)| {
            let Some(created) = &operation.creates else { return false };
            let by_id = operation.accepted(exchange) && created.id.text(exchange).is_some_and(|own| own == id);
            by_id || (redirected(operation, exchange) && recognised(created, exchange, shown))
        })
    }

    fn creations<'r>(&'r self, contracts: &'r Contracts, resource: &str) -> impl Iterator<Item = (&'r Arc<Exchange>, &'r Operation)> {
        self.exchanges().filter_map(move |exchange| {
            let operation = contracts.operations.get(&exchange.operation)?;
            operation.creates.as_ref().filter(|about| about.resource == resource)?;
            Some((exchange, operation))
        })
    }
}

/// Whether the response to a call is a documented redirect.
pub fn redirected(operation: &Operation, exchange: &Exchange) -> bool {
    let status = exchange.response().map(|response| response.status).unwrap_or_default();
    (300..400).contains(&status) && operation.redirect.as_ref().is_some_and(|when| when.holds(&exchange.request))
}

fn recognised(created: &About, creation: &Exchange, shown: Option<&Value>) -> bool {
    let same = |(field, sent): (&String, &RuntimeExpression)| {
        let shown = shown.and_then(|shown| shown.get(field)).and_then(text_of);
        shown.is_some() && shown == sent.text(creation)
    };
    !created.or_by.is_empty() && created.or_by.iter().all(same)
}

/// The identifier that an exchange names, as text.
pub fn identifier(about: &About, exchange: &Exchange) -> Option<String> {
    about.id.text(exchange).filter(|id| !id.is_empty())
}
